"""Persian response text -> choice: Khayyam's "regex" method, forms that are tried one after the
other, and the nearest option where none names a choice.

A form is a way to name a choice ("گزینه ۲", "۲)", ...). The first form that occurs in the response
decides: by one mention, or nothing if it names several choices. `FORMS` is this project's order.
`_RELEASED` has the forms, their order and the treatment of several mentions that the authors' code
uses for each model; they differ from it in what counts as a mention: letters and digits are unified
first, and a digit inside a number, a function's argument or a formula is no choice.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from analysis import schemas
from analysis.answers.frame import NO_RESPONSE, Reading

# ------------------------------------------------------------------ the normal form of a text

# Persian is typed with Arabic and Persian code points, digits in three scripts, and marks that
# nobody sees
_SAME = {
    "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９": "0123456789" * 3,
    "يىئكةۀەأإٱؤ": "یییکهههاااو",
    "（）：،؛؟٫٬“”": '():,;?.,""',
    "\r\x85\u2028\u2029": "\n" * 4,
}
_PLAIN = str.maketrans("".join(_SAME), "".join(_SAME.values()))
# white space, markup, and what some tokenizers leave in decoded text
_SPACE = r"[\0\t\v\f\xa0\u2000-\u200a\u202f\u205f\u3000*`_]|<pad>|</?s>|<\|endoftext\|>|<[eb]os>"
_HIDDEN = "[\u0640\u0670\xad\ufeff\u061c\u064b-\u065f\u200b-\u200f\u202a-\u202e\u2060-\u2069]"


def _normalise(text: str) -> str:
    """`text` with Persian letters, Western digits, single spaces, and without what is not seen
    (tatweel, vowel and direction marks, zero-width joiners, a tokenizer's special tokens).

    Examples
    --------
    >>> _normalise("گزينه‌ي  ۲")
    'گزینهی 2'
    """
    text = re.sub(_HIDDEN, "", re.sub(_SPACE, " ", text)).translate(_PLAIN)
    return re.sub("(?<=\n) ", "", re.sub(" +", " ", text))


# ------------------------------------------------------------------ words and labels


def _either(words: str) -> str:
    longest_first = sorted(map(re.escape, words.split(",")), key=len, reverse=True)
    return rf"(?:{'|'.join(longest_first)})(?!\w)"


def _some(chars: str) -> str:
    return f"[{re.escape(chars)}]{{0,6}}"


_NAMES = (
    "1 a A الف اول یک,2 b B ب دوم دو,3 c C ج سوم سه,4 d D د چهارم چهار,5 e E ه پنجم پنج,6,7,8,9"
).split(",")
_POSITIONS = {name: place for place, names in enumerate(_NAMES) for name in names.split()}
_END = r"(?!\w)(?![.,/]\d)"  # of a label: no longer word, no decimal number, no fraction
_SIGN = rf"(?P<label>[1-9a-eA-E]){_END}"
_LABEL = rf"(?P<label>{_either(','.join(_POSITIONS))}){_END}"
_LETTER = r"[^\W\d_]"
RIGHT, WRONG = _either("صحیح,درست"), _either("نادرست,غلط,اشتباه,ناصحیح,رد")
FILLER, CLOSING, BEHIND = _some(' \n:-(["«'), _some(' .!)]"»'), _some(' )]"»')
_FORMULA = r"[-+*/=^×÷<>(,،.|{}[\\]"

OPTION = rf"(?<!{_LETTER})گزینهی?(?!{_LETTER}) ?(?:{_either('ی,شماره,شمارهی')})?{FILLER}{_LABEL}"
_DENIED = rf"(?:{RIGHT})? ?{_either('نیست,نمی باشد,نمیباشد,نبود')}"
_CALLED_RIGHT = rf"{BEHIND}(?:{_either('پاسخ,جواب')})? ?(?!{_DENIED}){RIGHT}"
_BETWEEN = _either("صحیح,درست,نهایی,سوال,پرسش,این,من,ما,است,برابر,با,همان,می شود,میشود,می باشد")
ANSWER = rf"(?<!{_LETTER})(?:پاسخ|جواب)(?!{_LETTER})(?:[ \n:]{{0,6}}{_BETWEEN}){{0,4}}{FILLER}"
ALONE = rf"{_SIGN}{CLOSING}(?=\n|\Z)"

_OPTION, _ANSWER, _ALONE = re.compile(OPTION), re.compile(ANSWER), re.compile(ALONE)
_OPTION_NOT_WRONG = re.compile(rf"{OPTION}(?!{BEHIND}(?:{WRONG}|{_DENIED}))")
_OPTION_RIGHT = re.compile(rf"{OPTION}(?={_CALLED_RIGHT})")
_LINE = re.compile(rf"^{FILLER}{ALONE}", re.MULTILINE)
# as options are listed, not inside a formula ("2 + (1)", "f (2)")
_PARENTHESIS = re.compile(
    rf'(?:\A|(?<=[ \n:"«]))(?<!{_FORMULA} )(?:(?<![A-Za-z0-9] )\()?{_SIGN} ?\)'
)
# a label alone on the line after "answer:" or the model's own name, as in a dialogue
_ANSWER_LINE = re.compile(rf"(?:{ANSWER}|(?<!{_LETTER})PersianMind{FILLER}){ALONE}")
_RIGHT_IS = re.compile(rf"(?<!{_LETTER})(?:صحیح|درست) {{0,6}}{_SIGN}(?= {{0,6}}است(?!\w))")
_COLON = re.compile(rf":[ \n]{{0,6}}{_SIGN}")

# ------------------------------------------------------------------ forms: text -> labels

_Labels = Iterable[re.Match | None]


def _answer_phrase(text: str) -> Iterator[re.Match | None]:
    """ "Answer: option 2", "option 2 is right", and a label alone after "answer:"."""
    yield from _OPTION_RIGHT.finditer(text)
    for phrase in _ANSWER.finditer(text):
        yield _OPTION.match(text, phrase.end()) or _ALONE.match(text, phrase.end())


def _line(text: str) -> _Labels:
    """Lines that are a label and nothing else, where the first line that is not blank is one."""
    return _LINE.finditer(text) if _LINE.match(text) else ()


_FORMS: dict[str, Callable[[str], _Labels]] = {
    "answer phrase": _answer_phrase,
    "option word": _OPTION_NOT_WRONG.finditer,
    "parenthesis": _PARENTHESIS.finditer,
    "line": _line,
    "answer line": _ANSWER_LINE.finditer,
    "right is": _RIGHT_IS.finditer,
    "colon": _COLON.finditer,
}
FORMS = ("answer phrase", "line", "option word", "parenthesis")


# model -> the forms that the authors' code uses for it
_RELEASED = {
    "Claude-3-Haiku": ("answer phrase", "option word", "parenthesis"),
    "PersianMind": ("option word", "parenthesis", "answer line", "right is", "colon"),
    "mT0-XL": ("line", "option word", "parenthesis"),
    "XVERSE-13B": ("option word", "parenthesis", "line"),
    "XVERSE-7B": ("option word", "parenthesis", "line"),
}
_AGREEING = "Claude-3-Haiku"  # of which several mentions of one choice count in that code


def patterns(text: str, options: Sequence[str], model: str = "") -> Reading:
    """The choice that the first form of a response names, where it occurs once.

    Parameters
    ----------
    text : str
    options : sequence of str
        A label beyond them is none. Labels go up to 9.
    model : str
        Each of `_RELEASED` is read as the authors' code does, every other one by `FORMS`.

    Returns
    -------
    Reading
        `why` is the form that decided, "several choices: <form>", "no pattern" or "no response".
    """
    plain = _normalise(text)
    if not plain.strip(" \n"):
        return Reading(None, NO_RESPONSE)
    for form in _RELEASED.get(model, FORMS):
        # a label that is named in two ways is one mention
        places = sorted({match.span("label") for match in _FORMS[form](plain) if match})
        named = [_POSITIONS[plain[begin:end]] for begin, end in places]
        choices = [choice for choice in named if choice < len(options)]
        if model == _AGREEING:
            choices = [*{*choices}]
        if len(choices) == 1:
            return Reading(schemas.labels(9)[choices[0]], form)
        if choices:
            return Reading(None, f"several choices: {form}")
    return Reading(None, "no pattern")


def regex(
    text: str, options: Sequence[str], model: str, *, embed: Callable[[list[str]], np.ndarray]
) -> Reading:
    """The paper's "Regex" method: `patterns` first, the nearest option where they find no choice.

    A missing response stays without an answer; the released code draws a random one.

    Parameters
    ----------
    embed : callable
        Texts -> vectors, shape (texts, dimensions);
        ``SentenceTransformer("sentence-transformers/LaBSE").encode`` is the paper's. The nearest
        vector has the largest dot product, the first one of equals.
    """
    reading = patterns(text, options, model=model)
    if reading.choice or reading.why == NO_RESPONSE:
        return reading
    response, *vectors = np.asarray(embed([text, *options]), float)
    nearest = int(np.argmax(vectors @ response))
    return Reading(schemas.labels(9)[nearest], f"nearest option ({reading.why})")
