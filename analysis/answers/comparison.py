"""One form in which texts are compared: of options, of keys, of what responses say."""

import re
import unicodedata
from functools import lru_cache

# patterns begin with the signs themselves, which are found soonest
_MARKUP = re.compile(
    r"[\\$*_`{}\"“”‘’«»「」](?:(?<!\\)|(?:text|mathrm|mathbf|left|right|,|;|!|\(|\)|\[|\]))"
)
# accents of Latin, Greek and Cyrillic letters, Arabic vowel marks and tatweel, joiners and marks of
# direction; the marks of other scripts are letters
_ACCENTS = dict.fromkeys(
    (*range(0x300, 0x370), *range(0x64B, 0x660), 0x670, 0x640, *range(0x200B, 0x2010))
)
_LETTERS = str.maketrans("يىكةۀٱ", "ییکهها")
NUMERALS = {
    code: str(unicodedata.decimal(chr(code)))
    for code in range(0x660, 0x10000)
    if chr(code).isdecimal()
}
NUMERALS |= str.maketrans("٫٬−", ".,-")


@lru_cache(maxsize=2**15)
def plain(text: str) -> str:
    """A text for comparison: one case, one script of digits, no accents, no markup, single spaces,
    no closing punctuation.

    Examples
    --------
    >>> plain("**Celâl**."), plain("۳۶"), plain("1,000.0 m"), plain("كتاب")
    ('celal', '36', '1000 m', 'کتاب')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text)).translate(_ACCENTS)
        text = unicodedata.normalize("NFC", text).translate(_LETTERS).translate(NUMERALS)
    text = _MARKUP.sub("", text.casefold())
    text = re.sub(r",(?<=\d,)(?=\d{3})", "", text)
    text = re.sub(r"(\d(?<![\d.]\d)\d*)\.0+(?![\d.])", r"\1", text)
    return " ".join(text.split()).strip(" .;,:。،།।!")
