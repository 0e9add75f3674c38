"""Right and wrong: how much of an item's key a choice meets.

An item says its type in its metadata: `answer_type` and, where the key is more than one label,
`answers`; `tolerance` for numbers. Without them it is a question with options, whose key is
`answer`. An item without a key has answers that are neither right nor wrong (a survey).
"""

import re
from collections.abc import Mapping

import numpy as np

from analysis.answers.comparison import NUMERALS, plain

_EXACT = 1e-9  # by which numbers that are equal may differ, absolutely or of the larger one
_OTHERWISE = {"answer_type", "answers"}  # without these an item's key is a label
OPEN_TYPES = ("set", "number", "text")
_CONTINENTAL = re.compile(  # 1.250,50; 2,5; 1.000.000; 30.000
    r"\D*(?:(?:\d{1,3}(?:\.\d{3})+|\d+),(?:\d\d?|\d{4,9})|0,\d+"
    r"|\d{1,3}(?:(?:\.\d{3}){2,}|\.000))\D*"
)
# "6.000" says of "2.050" that points are between thousands, "1.5" that they are not
_GROUPED = re.compile(r"(?!.*\d\.(?!\d{3}(?!\d))\d).*(?<![\d.,])\d{1,3}\.000(?!\d)", re.DOTALL)


def type_of(metadata: Mapping) -> str:
    """The answer type of an item."""
    return metadata.get("answer_type") or "choice"


def keys_of(answer: str | None, metadata: Mapping) -> list[str]:
    """All that an item's key names."""
    keys = metadata.get("answers") or ([answer] if isinstance(answer, str) else [])
    return [*map(str, keys)]


def credit(choice: str | None, answer: str | None, metadata: Mapping) -> float:
    """How much of the key is met, 0 to 1; NaN where there is no key.

    Of a set the share of the key where nothing wrong is chosen, else 1 or 0.
    """
    if _OTHERWISE.isdisjoint(metadata) and isinstance(answer, str) and "," not in (choice or ""):
        return float(choice == answer)
    keys = keys_of(answer, metadata)
    if not keys:
        return np.nan
    if choice is None:
        return 0.0
    kind = type_of(metadata)
    if kind == "number":
        tolerance = metadata.get("tolerance") or _EXACT
        number, *right = np.array([value(text) for text in (choice, *keys)], float)
        return float(np.isclose(number, right, rtol=_EXACT, atol=tolerance).any())
    if kind == "text":
        return float(plain(choice) in map(plain, keys))
    chosen, right = set(choice.split(",")), set(keys)
    return 0.0 if chosen - right else len(chosen) / len(right)


def english(number: str, text: str = "") -> str:
    """A number (of a text) with a point before its decimals, and nothing between thousands."""
    if _CONTINENTAL.fullmatch(number) or ("." in number and _GROUPED.match(text)):
        number = number.replace(".", "").replace(",", ".")
    return re.sub(r"[,\s]", "", number)


def value(text: str) -> float | None:
    """A number's value; fractions are divided."""
    plain_text = english(text.translate(NUMERALS)).rstrip("%")
    numerator, _, denominator = plain_text.partition("/")
    try:
        return float(numerator) / float(denominator or 1)
    except (ValueError, ZeroDivisionError):
        return None
