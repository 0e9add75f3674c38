"""What sentences say of models: names, numbers and comparisons, without a look at any number."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.audit.printed_numbers import clean

_SENTENCE = re.compile(
    r"(?<=[.!?。])(?<!\bal\.)(?<!\bvs\.)(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z\W])|(?<=。)"
)
_CLAUSE = re.compile(
    r"[;:]\s|,\s+(?:while|whereas|but|and|with|compared)\b|\b(?:while|whereas|but)\b"
)
_NUMBER = re.compile(
    r"(?<![\w./@^-])(?P<sign>[-+]?)(?P<digits>\d+(?:\.\d+)?)(?P<percent>\s?%)?"
    r"(?!\d*[\w/×]|\.\d|-\w|,\d)"
)
_HEDGE = re.compile(
    r"(?i)(?:\b(?:about|around|over|nearly|roughly|approximately|more than|less than|almost|"
    r"at least|at most|up to|below|above|under|within|between|only up|beyond|exceed\w*)|[~≈<>≤≥±=])"
    r"\s*(?:an? |the )?$"
)
_AMOUNT = (
    r"gains?|improvements?|increases?|drops?|decreases?|reductions?|declines?|margins?|gaps?|"
    r"differences?|boosts?|advantages?|leads?"
)
_BY = re.compile(rf"(?i)\b(?:by|(?:{_AMOUNT}) of)\s+(?:[a-z~≈]+\s+){{0,3}}$")
_POINTS = re.compile(
    rf"(?i)^\s*(?:%|percent(?:age)?)?\s*(?:points?\b|pp\b|pts?\b|absolute|relative|(?:{_AMOUNT})\b|"
    r"higher\b|lower\b|better\b|worse\b|more\b|less\b|above\b|below\b)"
)
# what a number may be that no table of results has
_OTHER_UNIT = re.compile(
    r"(?i)^\s*(?:x\b|×|times|fold|hours?|days?|minutes?|seconds?|ms\b|s\b|[kmgt]b\b|[bmk]\b|"
    r"tokens?|params|parameters|epochs?|steps?|layers?|gpus?|shots?|years?|questions|items|samples|"
    r"pairs|examples|models|languages|confidence|ci\b|°|\$|degrees)"
)
_OTHER_NAME = re.compile(
    r"(?i)\b(?:table|figure|fig\.|section|sec\.|eq\.|equation|appendix|version|chapter|step|top|"
    r"seed|page|temperature|rate|threshold|alpha|beta|lambda|p|n|k|r|t|d|in|of the|v)\s*[=<>]?\s*$"
)
_OPENED, _CLOSED = re.compile(r"[=$^_({\[/]\s*$"), re.compile(r"\s*\)")
# outside brackets, where bounds are
DECIMAL = re.compile(r"(?<![\w./\[+-])\d+\.\d+(?![\w/×]|\.\d|-\d|[^\[(]{,20}\])")
# what is between a number and the name of its model
_ITS_MODEL = re.compile(r"^\s*(?:%|percent)?\s*(?:for|by|of|from|with|on|in|\()\s*(?:the\s+)?$")
_AGAINST = re.compile(r"^\s*(?:%|percent)?\s*(?:vs|versus|→|±)")
_OF_MODEL = re.compile(
    r"^(?:\s*\(|\s*(?:at|with|reache[sd]|achieve[sd]|obtain(?:s|ed)|score[sd]|attain(?:s|ed)|gets|"
    r"has|is|shows|drop(?:s|ped) to|rises to)\s+(?:an?\s+|the\s+)?(?:[A-Za-z@0-9-]+\s+){0,3}"
    r"(?:of|=|at)?\s*)$"
)
_MODEL_VERSION = re.compile(r"\b[A-Z][\w-]*[\s-]$")
# what follows a number that is the score of what its sentence names
_ENDS = re.compile(
    r"(?i)^\s*(?:%|percent)?\s*(?:$|[.,;:)]|(?:accuracy|score|on|in|for|at|and|while|whereas|but|"
    r"when|compared|versus|vs|after|average)\b)"
)
BETTER = re.compile(
    r"(?i)\b(outperform\w*|surpass\w*|beats?|(?:is|are|performs?|scores?) (?:better|higher) than|"
    r"superior to)\b"
)
WORSE = re.compile(
    r"(?i)\b(underperform\w*|(?:is|are|performs?|scores?) (?:worse|lower) than|inferior to)\b"
)
BEST = re.compile(r"(?i)\b(best|highest|strongest|(?P<low>lowest|worst|weakest))\b")
NOT_BEST = re.compile(
    r"(?i)\b(second|among|open|closed|other|except|next|one of|previous|prior|than|at best|both|"
    r"respectively|or|match\w*|static|without|excluding|if|would|should|could)\b"
)
ALL = re.compile(r"(?i)\b(?:all|every|each|consistently|across the board)\b")
COUNT = re.compile(
    r"(?i)\b(?:on|in|across|for|of)\s+(?:(?P<all>all|both)(?: of)?(?: the)?|"
    r"(?P<some>\w+) (?:out )?of(?: the)?)\s+(?P<number>\w+)\s+(?:\w+\s+)?(?:tasks|"
    r"benchmarks|datasets|data sets|languages|subjects|"
    r"categories|metrics|domains|settings|test sets|directions)\b"
)
TURNED = re.compile(
    r"(?i)\bnot\b|n't|\bexcept\b|\bno longer\b|\bhypothes|\bif\b|\bwould\b|\brather than\b"
)
_WORDS = {
    name: number
    for number, name in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
# "57 % (171/300)" and "171 of 300 answers (57 %)"
_PERCENT = r"(?P<share>\d+(?:\.\d+)?) ?%"
_COUNTS = r"(?<![\d.,/])(?P<right>\d[\d,]*) ?(?:/|of|out of) ?(?P<of>\d[\d,]*)(?![\d./])"
_SHARES = (
    re.compile(rf"{_PERCENT} ?\({_COUNTS}"),
    re.compile(rf"{_COUNTS}(?: [a-z-]+){{0,3}} ?\({_PERCENT}"),
)
_LEAST_DIGITS = 3  # of two, hardly a number is not another's by chance
_RARE = 5  # digits of a number of which few others differ in one, or four with two exchanged
_LEAST_OF = 10  # of fewer, "3/5" may be something else
_LONGEST = 700  # characters of a sentence
_LONG = 5  # characters of a name that is one in any case
# a model's name may end in a number; what follows the name of a group is its value
MODEL_GOES_ON = re.compile(r"\s([A-Z0-9][\w.-]*)")
GROUP_GOES_ON = re.compile(r"\s([A-Z][\w.-]*)")


@dataclass(frozen=True)
class Stated:
    """A number in a sentence that may be of a table.

    `start` and `end` are its place; `hedged`: "about 70", "95 % refusal"; `difference`: "by 3.2".
    """

    text: str
    value: float
    decimals: int
    start: int
    end: int
    hedged: bool
    difference: bool

    @property
    def digits(self) -> str:
        return f"{abs(self.value):.{self.decimals}f}"


@dataclass(frozen=True)
class Mention:
    """A name in a sentence, and its place."""

    label: str
    start: int
    end: int


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph that are not too long to be one."""
    parts = [clean(part) for part in _SENTENCE.split(text)]
    return [part for part in parts if len(part) <= _LONGEST and re.search("[a-z]", part)]


def stated(sentence: str) -> Iterator[Stated]:
    """Numbers that may be results: decimals, percentages, points."""
    for match in _NUMBER.finditer(sentence):
        before, after = sentence[: match.start()], sentence[match.end() :]
        decimals = len(match["digits"].partition(".")[2])
        points = bool(_POINTS.match(after))
        by = bool(_BY.search(before)) or match["sign"] == "+"
        inside = _OPENED.search(before) or _CLOSED.match(after)
        value = float(match["sign"] + match["digits"])
        result = decimals or match["percent"] or points
        version = _MODEL_VERSION.search(before) and value < 10 and decimals < 2
        if not result or version or inside or _is_other(before, after):
            continue
        hedged = bool(_HEDGE.search(before)) or not (points or _ENDS.match(after))
        yield Stated(*(match[0].strip(), value, decimals, *match.span()), hedged, points or by)


def _is_other(before: str, after: str) -> bool:
    """Whether words around a number say that it is a size, a version, a p value."""
    return bool(_OTHER_UNIT.match(after) or _OTHER_NAME.search(before))


def decimals(sentence: str) -> Iterator[re.Match]:
    """Decimals that may be exact results: no differences, sizes or p values."""
    for match in DECIMAL.finditer(sentence):
        before, after = sentence[: match.start()], sentence[match.end() :]
        rough = _HEDGE.search(before.rstrip(" =")) or _BY.search(before) or _POINTS.match(after)
        few = len(match[0].lstrip("0.").replace(".", "")) < _LEAST_DIGITS
        if not (few or rough or _is_other(before, after)):
            yield match


def owner(sentence: str, number: re.Match, models: list[Mention]) -> str:
    """The model that a number is of, if any: "X reaches 70.1", "70.1 for X"."""
    a, b = number.span()
    for one in () if _AGAINST.match(sentence[b:]) else models:
        if _OF_MODEL.match(sentence[one.end : a]) or _ITS_MODEL.match(sentence[b : one.start]):
            return one.label
    return ""


def slips(text: str) -> dict[str, bool]:
    """A number with another digit, or two neighbours exchanged, and whether few are so near."""
    digits = [k for k, sign in enumerate(text) if sign.isdigit()]
    many = len(text.lstrip("0.").replace(".", ""))
    wrong = {
        f"{text[:k]}{sign}{text[k + 1 :]}": many >= _RARE for k in digits for sign in "0123456789"
    }
    for k in digits:
        if k + 1 in digits:
            wrong[f"{text[:k]}{text[k + 1]}{text[k]}{text[k + 2 :]}"] = many >= _RARE - 1
    return {other: is_rare for other, is_rare in wrong.items() if other != text}


def shares(sentence: str) -> Iterator[tuple[str, float, float, float]]:
    """Percentages with their counts: text, percentage, a unit of its last digit, exact one."""
    for match in (match for pattern in _SHARES for match in pattern.finditer(sentence)):
        right, of = (int(match[name].replace(",", "")) for name in ("right", "of"))
        if right <= of >= _LEAST_OF:
            unit = 10.0 ** -len(match["share"].partition(".")[2])
            yield match[0], float(match["share"]), unit, 100 * right / of


def clause(sentence: str, at: int) -> tuple[int, int]:
    """The ends of the clause around a place."""
    cuts = [match.start() for match in _CLAUSE.finditer(sentence)]
    return max((cut for cut in cuts if cut <= at), default=0), min(
        (cut for cut in cuts if cut > at), default=len(sentence)
    )


def mentions(
    sentence: str, labels: Iterable[str], others: set[str], goes_on: re.Pattern
) -> list[Mention]:
    """Labels that a sentence names, in their order; of those that overlap, the longest.

    Short ones with their capitals. A name that `goes_on` ("Gemini" in "Gemini 2.5 Pro") is another
    model's, but for `others`.
    """
    named: list[Mention] = []
    lower = sentence.lower()
    for label in sorted(labels, key=lambda label: (-len(label), label)):
        if label.lower() not in lower:
            continue
        flags = re.IGNORECASE if len(label) >= _LONG else 0
        for match in re.finditer(rf"(?<![\w-]){re.escape(label)}(?![\w]|-\w)", sentence, flags):
            a, b = match.span()
            following = goes_on.match(sentence, b)
            other = following and following[1].strip(".") not in others
            if not other and all(b <= one.start or a >= one.end for one in named):
                named.append(Mention(label, a, b))
    return sorted(named, key=lambda one: one.start)


def number_word(text: str) -> int | None:
    """ "three" or "3" as a number."""
    return int(text) if text.isdigit() else _WORDS.get(text.lower())
