"""Labels and option texts at a place of a response: what names an option, in any script.

Everything here looks at a short stretch of text whose forms are plain already (`wording.PLAIN`).
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from analysis.answers import wording
from analysis.answers.wording import either, words

OPENING = r"""(?:\.{2,}|…|[\s"'“”‘’«»「」『』【】《》〈〉〔〕\[({<*_`$#:=\-–—>→,])*"""
LATEX = r"(?:\\(?:text(?:bf|it|rm)?|math(?:bf|rm|bb|cal)?|boxed|bf|rm|large|Large|displaystyle|,|\(|\[)\s*\{?\s*)*"
OPEN = re.compile(OPENING + LATEX + OPENING + LATEX)
CLOSE = r"""[\s"'“”’«»」』】》〉〕\])}>*_`$]*"""
CLOSED = re.compile(CLOSE)
STOP = re.compile(r"""\s*(?:$|[\n.:;,、;。!?！？।།၊။…"'“”’»」』】》〉\])}>*_`|/$\\<&+=\-–—])""")
LABEL = re.compile(wording.label_pattern())
CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,10}(?![A-Za-z0-9'’])")
DIGITS = re.compile(r"(?<![\d.,/])\d{1,2}(?!\d|[.,/:٪%°^]\d|\s*[%°^*×+=/])")
OPTION = re.compile(
    either(words("option")) + r"(?:\s*(?:no\.?|nr\.?|number|letter|№|#|ที่|ی|شماره|رقم))?[\s\u200c:]*", re.IGNORECASE
)
ORDINAL = re.compile(
    "(?:" + "|".join(map(re.escape, sorted(wording.ordinals(), key=len, reverse=True))) + r")(?![A-Za-z])", re.IGNORECASE
)
AND = r"""\s*(?:[,、;/&+,]|\band\b|和|与|與|及|以及|と|および|및|와|과|และ|กับ|\bvà\b|\bdan\b|और|एवं|དང་?|\bи\b|\bve\b|এবং|ও|\by\b|\be\b|\bet\b|\bund\b|\bو)\s*"""
OR = (
    r"""\s*(?:\bor\b|或者?|または|또는|หรือ|\bhoặc\b|\batau\b|या|\bили\b|\bveya\b|অথবা|\bou?\b|\boder\b|\bأو\b|\bیا\b|\bvs\.?)\s*"""
)
MORE = re.compile(rf"(?:{CLOSE}(?:(?P<either>{OR})|{AND}){OPENING})")
# Words of one letter: they are labels only where they stand apart, or where one of these follows.
WORDLIKE = frozenset("AIabcdefghijklmnopqrstuvwxyzАВИКОСУабвгдежзикوبا")
GOES_ON = re.compile(
    r"\s+(?:[A-Z](?!\w)|because|since|as|which|and|or|but|is|was|according|based|due|given|if|by|\(|потому|так как|поскольку|и|или|است)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Named:
    """Options that a text names at one place.

    Attributes
    ----------
    choices : tuple of int
        Their positions.
    end : int
        Where the last label ends.
    undecided : bool
        Whether the labels are joined by "or".
    """

    choices: tuple[int, ...]
    end: int
    undecided: bool = False


def named(text: str, at: int, options: Sequence[str]) -> Named | None:
    """The labels that begin at a place, with the word for option before them or without; None where none does."""
    first = _one(text, at, options)
    if first is None:
        return None
    choices, end, undecided = list(first.choices), first.end, False
    while more := MORE.match(text, end):
        following = _one(text, more.end(), options)
        if following is None:
            break
        undecided |= more["either"] is not None
        choices += following.choices
        end = following.end
    if len(choices) == 1:
        row = re.compile(r"(?:\s+[A-Z](?![\w'’]))+(?=\s*(?:$|[\n<.]))").match(text, end)
        extra = [ord(letter) - 65 for letter in row[0].split()] if row else []
        if extra and all(position < len(options) for position in extra):
            choices, end = choices + extra, row.end()
    return Named(tuple(dict.fromkeys(choices)), end, undecided)


def _one(text: str, at: int, options: Sequence[str]) -> Named | None:
    """One label, or capitals that stand together."""
    n = len(options)
    word = OPTION.match(text, at)
    begin = OPEN.match(text, word.end()).end() if word else at
    if word and (ordinal := ORDINAL.match(text, begin)):
        position = wording.ordinals()[ordinal[0].casefold()]
        return Named((position,), ordinal.end()) if position < n else None
    if label := LABEL.match(text, begin):
        position = wording.labels()[label[0]]
        if position < n and (label[0] not in WORDLIKE or _apart(text, label, bool(word))):
            return Named((position,), label.end())
    if capitals := CAPITALS.match(text, begin):
        positions = [ord(letter) - 65 for letter in capitals[0]]
        if positions == sorted(set(positions)) and positions[-1] < n:
            return Named(tuple(positions), capitals.end())
    if number := DIGITS.match(text, begin):
        position = int(number[0]) - 1
        if 0 <= position < n and (word or (STOP.match(text, number.end()) and not _numeric(tuple(options)))):
            return Named((position,), number.end())
    if ordinal := ORDINAL.match(text, at):
        position, after = wording.ordinals()[ordinal[0].casefold()], re.compile(r"\s*").match(text, ordinal.end()).end()
        if position < n and OPTION.match(text, after):
            return Named((position,), OPTION.match(text, after).end())
    return None


def _apart(text: str, label: re.Match, word: bool) -> bool:
    """Whether a label that is a word, too, stands as a label."""
    if text[label.end() : label.end() + 1] in ("'", "’") and text[label.end() + 1 : label.end() + 2].isalpha():
        return False
    if STOP.match(text, label.end()):
        return True
    if label[0].isupper() or word:
        return word or GOES_ON.match(text, label.end()) is not None or not text[label.end() : label.end() + 1].isascii()
    return False


@lru_cache(maxsize=2**14)
def _numeric(options: tuple[str, ...]) -> bool:
    """Whether options are numbers, so that a number alone is rather one of them than a label."""
    return sum(bool(re.match(r"[-+−$€£¥]?\s*\d", option.strip())) for option in options) * 2 >= len(options)


@lru_cache(maxsize=2**15)
def plain(text: str) -> str:
    """A text for comparison: one case, no markup, single spaces, no closing punctuation."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"\\(?:text|mathrm|mathbf|left|right|,|;|!|\(|\)|\[|\])|[$*_`{}\"“”‘’«»「」]", "", text)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    return re.sub(r"\s+", " ", text).strip(" \n.;,:。،।།!")


@lru_cache(maxsize=2**14)
def plain_options(options: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """Position and plain text of the options, the longest first; texts that stand twice name none."""
    texts = [plain(option) for option in options]
    found = [(position, text) for position, text in enumerate(texts) if text and texts.count(text) == 1]
    return tuple(sorted(found, key=lambda pair: -len(pair[1])))


def option_text(text: str, options: Sequence[str], cut: bool = False) -> int | None:
    """The option whose text this is, or with whose text it begins; `cut` says that the text may break off."""
    said = plain(text)
    if not said:
        return None
    for position, option in plain_options(tuple(options)):
        if said == option or (said.startswith(option) and not said[len(option) : len(option) + 2].strip(" ").isalnum()):
            return position
    if cut and len(said) >= 30:
        begun = [position for position, option in plain_options(tuple(options)) if option.startswith(said)]
        return begun[0] if len(begun) == 1 else None
    return None
