"""What sentences say of models: names, numbers and comparisons, without a look at any number."""

import re
from collections.abc import Iterator
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
    r"(?!\d*[\w/×]|\.\d|-(?!point)\w|,\d)"
)
_AMOUNT = (
    r"gains?|improvements?|increases?|drops?|decreases?|reductions?|declines?|margins?|gaps?|"
    r"differences?|boosts?|advantages?|leads?"
)
_BY = re.compile(rf"(?i)\b(?:by|(?:{_AMOUNT}) of)\s+(?:[a-z~≈]+\s+){{0,3}}$")
_POINTS = re.compile(
    r"(?i)^[\s-]*(?:%|percent(?:age)?)?[\s-]*(?:points?\b|pp\b|pts?\b|absolute|relative|"
    rf"(?:{_AMOUNT})\b|higher\b|lower\b|better\b|worse\b|more\b|less\b|above\b|below\b)"
)
# what a number may be that no table of results has; within bounds or formulas
_OTHER_UNIT = re.compile(
    r"(?i)^\s*(?:x\b|×|times|fold|hours?|days?|minutes?|seconds?|ms\b|s\b|[kmgt]b\b|[bmk]\b|"
    r"tokens?|params|parameters|epochs?|steps?|layers?|gpus?|shots?|years?|questions|items|samples|"
    r"pairs|examples|models|languages|confidence|ci\b|°|\$|degrees|[^\[(]{0,20}\])"
)
_OTHER_NAME = re.compile(
    r"(?i)(?:\b(?:table|figure|fig\.|section|sec\.|eq\.|equation|appendix|version|chapter|step|top|"
    r"seed|page|temperature|rate|threshold|alpha|beta|lambda|p|n|k|r|t|d|in|of the|v)\s*[=<>]?|"
    r"[$^_{\[/])\s*$"
)
_MODEL_VERSION = re.compile(r"\b[A-Z][\w-]*[\s-]$")
_TABLES = re.compile(r"(?i)\b(?:tab(?:le|\.)s?|表)\s*(\w?\d+(?:(?:, | and |, and |[-/])\w?\d+)*)")
COMPARED = re.compile(
    r"(?i)\b(?:outperform\w*|surpass\w*|beats?|(?:is|are|performs?|scores?) (?:better|higher) than|"
    r"superior to|(?P<worse>underperform\w*|(?:is|are|performs?|scores?) (?:worse|lower) than|"
    r"inferior to))\b"
)
_KINDS = r"(?:(?:overall|average|mean|macro|micro|weighted|test|total|final|absolute)\s+)*"
_NOUNS = (
    "accuracy|scores?|average|performance|recall|precision|f1|bleu|au|rate|results?|overall|"
    "models?|methods?|systems?|numbers?"
)
BEST = re.compile(
    rf"(?i)\b(?:(?:the |is |are )(?:best(?:-performing)?|strongest|top|(?P<highest>highest)|"
    rf"(?P<lowest>lowest)|(?P<worst>worst|weakest))\s*{_KINDS}(?P<of>(?:{_NOUNS})\b|"
    r"(?=(?:on|at|in|for|across|by|and)\b|[.,;:(]|$)|(?=\S))|"
    r"(?:outperform|surpass|beat|exceed)\w* (?:all|every|each|existing|other|prior|previous|"
    r"compet\w+|baselines|the (?:other|baselines))\b|leads (?=overall|on\b|in\b|with\b|"
    r"across\b)|ranks? first|performs? best|scores? highest)"
)
NOT_BEST = re.compile(r"(?i)\b(?:among|within|second|one of|apart from|besides)\b")
_VERBS = (
    "achiev|obtain|reach|attain|get|is|are|was|were|ha[sd]|have|yield|deliver|perform|remain|scor|"
    "show|giv|produc|provid|rank|record|exhibit|emerg|becom"
)
_SUBJECT = re.compile(
    rf"\W*(?:\([^)]*\)\W*)?(?:\w+ly )?(?:(?:{_VERBS})\w*\s+)?(?:\w+ly )?(?:both |by far |as )?"
)
COUNT = re.compile(
    r"(?i)\b(?:on|in|across|for|of)\s+(?:(?P<all>all|both)(?: of)?(?: the)?|"
    r"(?P<some>\w+) (?:out )?of(?: the)?)\s+(?:(?P<number>\w+)\s+(?:\w+\s+)?)??(?:tasks|"
    r"benchmarks|datasets|data sets|languages|subjects|"
    r"categories|metrics|domains|settings|test sets|directions)\b"
)
TURNED = re.compile(
    r"(?i)\bnot\b|n't|\bexcept\b|\bno longer\b|\bhypothes|\bif\b|\bwould\b|\brather than\b"
)
_ITS_SUBJECT = re.compile(r"(?:[ \w-]{0,40} )?(?:is|was|by|from|are) (?:the |our )?")
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_LONGEST = 700  # characters of a sentence
_NUMBERS = re.compile(r"\w?\d+")


@dataclass(frozen=True)
class Stated:
    """A number in a sentence that may be of a table.

    `start` and `end` are its place; `difference`: "by 3.2".
    """

    text: str
    value: float
    decimals: int
    start: int
    end: int
    difference: bool

    @property
    def digits(self) -> str:
        return f"{abs(self.value):.{self.decimals}f}"


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph that are not too long to be one."""
    parts = [clean(part) for part in _SENTENCE.split(text)]
    return [part for part in parts if len(part) <= _LONGEST and re.search("[a-z]", part)]


def stated(sentence: str) -> Iterator[Stated]:
    """Numbers that may be results: decimals, percentages, points."""
    for match in _NUMBER.finditer(sentence):
        before, after = sentence[: match.start()], sentence[match.end() :]
        decimals = len(match["digits"].partition(".")[2])
        points = _POINTS.match(after)
        by = points or _BY.search(before) or match["sign"] == "+"
        other = _OTHER_UNIT.match(after) or _OTHER_NAME.search(before)
        value = float(match["sign"] + match["digits"])
        result = decimals or match["percent"] or points
        version = _MODEL_VERSION.search(before) and value < 10 and decimals < 2
        if not result or version or other:
            continue
        yield Stated(match[0].strip(), value, decimals, *match.span(), bool(by))


def references(text: str) -> set[str]:
    """The numbers of the tables that a text refers to."""
    return {number for match in _TABLES.finditer(text) for number in _NUMBERS.findall(match[1])}


def is_subject(sentence: str, start: int, end: int, word: re.Match) -> bool:
    """Whether a `BEST` says something of the name between two places."""
    if end <= word.start():
        return bool(_SUBJECT.fullmatch(sentence, end, word.start()))
    return bool(_ITS_SUBJECT.fullmatch(sentence, word.end(), start))


def chance_of_slip(digits: str) -> float:
    """How many of all numbers with as many digits are one slip away."""
    size = len(digits.lstrip("0.").replace(".", ""))
    return (10 * size - 1) / 10**size


def is_slip(one: str, other: str) -> bool:
    """Whether numbers differ in one digit, or in two neighbours that are exchanged."""
    if len(one) != len(other) or len(one) < 2:
        return False
    wrong = [k for k, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(wrong) == 2:
        a, b = wrong
        return b - a <= 2 and one[a] + one[b] == other[b] + other[a]
    return len(wrong) == 1


def clause(sentence: str, at: int) -> tuple[int, int]:
    """The ends of the clause around a place."""
    cuts = [match.start() for match in _CLAUSE.finditer(sentence)]
    return max((cut for cut in cuts if cut <= at), default=0), min(
        (cut for cut in cuts if cut > at), default=len(sentence)
    )


def count(sentence: str, total: int) -> int | None:
    """ "on three of five tasks": three, where there are five in all."""
    match = COUNT.search(sentence)
    stated = match and _number_word(match["number"] or "")
    if match is None or (stated or total) != total:
        return None
    return total if match["all"] else _number_word(match["some"])


def _number_word(text: str) -> int | None:
    word = text.lower()
    return int(text) if text.isdigit() else _WORDS.index(word) if word in _WORDS else None
