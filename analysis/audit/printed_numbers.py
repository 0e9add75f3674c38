"""One printed cell: its number, and what follows it (±, interval, difference)."""

import math
import re
import unicodedata
from dataclasses import dataclass, replace

_MINUS = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "＋": "+", "％": "%", "，": ",", "．": "."}
    | {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "٫": ".", "٬": ","}
)
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
UP, DOWN = "↑▲⬆△", "↓▼⬇▽"
_ARROW = f"[{UP}{DOWN}]"
_LEADING = re.compile(
    rf"[<>≤≥≈~∼]?\s*\$?(?P<sign>[-+])?\s*\$?(?P<number>{NUMBER})"
    r"(?P<exponent>[eE][-+]?\d+)?\s*(?P<unit>%|[KMBTkm](?![a-zA-Z])|pp)?"
)
_BEFORE = re.compile(r"[^\w\d+\-.<>≤≥≈~$(]*")
_PLUS_MINUS = re.compile(rf"(?:±|\+/-|\+-)\s*({NUMBER})")
_INTERVAL = re.compile(
    rf"[\[(]\s*[-+]?(?:{NUMBER})\s*%?\s*(?:,|;|-|to|\.\.)\s*[-+]?(?:{NUMBER})\s*%?\s*[\])]%?"
)
_IN_PARENTHESES = re.compile(
    rf"\(\s*({_ARROW})?\s*([-+]?\s*(?:{NUMBER}))\s*%?\s*(?:pp)?\s*({_ARROW})?\s*\)"
)
_ARROWED = re.compile(rf"({_ARROW})\s*({NUMBER})()")
_ARROW_AFTER = re.compile(rf"()((?<![\d.])[-+]?(?:{NUMBER}))\s*({_ARROW})")
_SIGNED = re.compile(rf"()(?<![\w.])([-+]\s?(?:{NUMBER}))(?![\w])()")
_CHANGES = (_IN_PARENTHESES, _ARROWED, _ARROW_AFTER, _SIGNED)
_ABSENT = re.compile(
    r"^(?:[-–—−/.·…?]+|n/?a\.?|nan|none|null|tbd|x|✗|✘|×|oom|\(?-+\)?)?$", re.IGNORECASE
)
_PAIR = re.compile(r"^\s*([-+]?\d+(?:[.,]\d+)?\s*%?)\s*/\s*([-+]?\d+(?:[.,]\d+)?\s*%?)\s*$")
GROUPED = re.compile(r"(?<=\d)[\u2009\u202f\u00a0](?=\d{3}(?!\d))")
_FRACTION = re.compile(r"[(\[]?(?<![\d.,/+-])(\d[\d,]*)\s*/\s*(\d[\d,]*)(?![\d.,/]\d|\w|/)[)\]]?")
_LEAST_OF = 10  # questions: a smaller "3/5" may be a pair of numbers
_NO_NUMBER = re.compile(
    r"^\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?$|^\d{1,2}/\d{1,2}/\d{2,4}$|"  # dates
    r"^[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}$|^v?\d+\.\d+\.\d+"  # a version
)
_UNIT = re.compile(r"^\s*(points?|pts?|pp|ms|sec|hrs?|min|x|×)\b")
_NAME_GOES_ON = re.compile(
    r"\s*[A-Za-z\u0370-\u1fff\u2c00-\ud7ff]{2,}|[A-Za-z][\d_]|[A-Za-z]\s[A-Za-z]{2}|[-:_/]\w"
)


@dataclass(frozen=True)
class Number:
    """A number as printed.

    Attributes
    ----------
    value : float
    printed : str
        The digits as printed, sign included.
    decimals : int
        Digits after the point.
    percent, signed : bool
        A percent sign follows; a plus sign is printed (a difference, then).
    spread : bool
        A deviation follows after ±.
    change : float or None
        A difference printed beside it ("(+3.2)", "↓1.0").
    magnitude : str
        K, M or B after the number.
    right, of : int
        A count of questions beside it, or instead of it ("197/200").
    rough : bool
        About so much: "~", "≈", "<".
    line : int
        Line of the file, where a number has one of its own.
    """

    value: float
    printed: str
    decimals: int
    percent: bool = False
    signed: bool = False
    spread: bool = False
    change: float | None = None
    change_decimals: int = 0
    magnitude: str = ""
    right: int = 0
    of: int = 0
    rough: bool = False
    line: int = 0


def clean(text: str) -> str:
    """Text with one kind of minus, digits of any script as 0-9, and single spaces."""
    text = GROUPED.sub("", text).translate(_MINUS)
    if not text.isascii():
        text = "".join(_digit(character) for character in text)
    return " ".join(text.split())


def _digit(character: str) -> str:
    decimal = unicodedata.decimal(character, None)
    return character if decimal is None else str(decimal)


def absent(text: str) -> bool:
    """Whether a cell says that there is no number: empty, a dash, n/a."""
    return bool(_ABSENT.match(clean(text)))


def parse(text: str, decimal_comma: bool = False) -> Number | None:
    """The number that a cell starts with and what follows it.

    None where the cell is text, a date or a pair of numbers.
    """
    text = clean(text)
    fraction = _FRACTION.search(text)
    right, of = map(_float, fraction.groups() if fraction else "10")
    if right <= of and of >= (1 if "%" in text else _LEAST_OF):
        return _counted(text.replace(fraction[0], " ", 1).strip(), int(right), int(of))
    if _NO_NUMBER.match(text) or _PAIR.match(text):
        return None
    body = re.sub(r"(?<=\d),(?=\d)", ".", text) if decimal_comma else text
    outside = _INTERVAL.sub(" ", body).strip()
    before = _BEFORE.match(outside)[0]
    match = _LEADING.match(outside, len(before))
    if match is None:
        inner = _IN_PARENTHESES.match(outside)
        alone = Number(math.nan, body, 2) if body and not outside else None
        return parse(inner[2]) if inner else alone
    rest = outside[match.end() :]
    if _NAME_GOES_ON.match(_UNIT.sub("", rest)):
        return None  # a name that begins with digits, a range, a time
    down, up = (any(arrow in before for arrow in arrows) for arrows in (DOWN, UP))
    exponent = match["exponent"] or ""
    value = float(match["number"].replace(",", "") + exponent)
    spread = _PLUS_MINUS.search(rest)
    change, change_decimals = _change(_PLUS_MINUS.sub(" ", rest))
    unit = match["unit"] or ""
    percent = unit == "%" or rest.startswith("%")
    return Number(
        value=-value if match["sign"] == "-" or down else value,
        printed=f"{match['sign'] or ''}{match['number']}{exponent}",
        decimals=max(_decimals(match["number"]) - int(exponent[1:] or 0), 0),
        percent=percent,
        signed=match["sign"] == "+" or down or up,
        spread=bool(spread),
        change=change,
        change_decimals=change_decimals,
        magnitude=unit if unit not in ("%", "pp") else "",
        rough=match[0][0] in "<>≤≥≈~∼",
    )


def _counted(text: str, right: int, of: int) -> Number | None:
    """A count of questions, "12/50", and the number and bounds that are printed with it."""
    counts = {"right": right, "of": of}
    one = parse(text) if text.strip("%") else Number(math.nan, "", 2)
    if one is None or not math.isnan(one.value):
        return one and replace(one, **counts)
    share = round(100 * right / of, 2)
    return replace(one, value=share, printed=f"{right}/{of}", decimals=2, percent=True, **counts)


def _change(rest: str) -> tuple[float | None, int]:
    """A signed difference that follows a number, and its decimals."""
    match = next((match for pattern in _CHANGES if (match := pattern.search(rest))), None)
    if match is None:
        return None, 0
    text = match[2]
    arrow = match[1] or match[3] or ""
    if not arrow and text[0] not in "+-":
        return None, 0  # a deviation, a rank or a count
    value = _float(text)
    return (-abs(value) if arrow and arrow in DOWN else value), _decimals(text)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _float(text: str) -> float:
    return float(text.replace(",", "").replace(" ", ""))
