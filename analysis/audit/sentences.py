"""Every sentence of an audit, in one place: checks give facts, this puts them into words.

A finding has a sentence and what speaks for it; its `hints` add what would make the number right.
What a check looked at has a sentence and how large an error it could have seen.
"""

from collections.abc import Mapping

FINDINGS = {
    "not read": ("{why}", ""),
    "average": (
        "elsewhere it is {definition}; here it is off by {off}",
        "{fits} of {tested} fit; if by chance, with probability {chance:.1g}",
    ),
    "slip": ("one digit, or two exchanged, from {definition}", ""),
    "mark again": (
        "{other} is {place} and marked, too; no other mark is next to the {place}",
        "{fits} of {tested} fit",
    ),
    "integer count": (
        "no count of {n} gives it",
        "{fits} of {tested} others are counts; by chance {chance:.1g}",
    ),
    "mark": (
        "{mark} is {place} elsewhere; here {other} is {place}",
        "{fits} of {tested} fit",
    ),
    "rank": (
        "ranked below {other} ({value}), with a better number",
        "{fits} of {tested} are in order",
    ),
    "change": ("elsewhere it is {definition}", "{fits} of {tested} fit"),
    "relation": ("{line} is {definition} elsewhere", "{fits} of {tested} fit"),
    "share": ("not the share that its count is", "{fits} of {tested} are"),
    "text": ("the table says otherwise: {cell}", ""),
    "text number": ("the table has another number: {cell}", ""),
    "text nowhere": ("no such number in a table", ""),
}
_HINTS = {
    "incomplete": "not all of its parts are printed",
    "also": "it is {also}",
    "noted": "a note may say why",
    "open": "it may be over all questions",
}
COVERED = {
    "average": (
        "{series}: {fits} of {tested} are {definition}",
        "a change of {sees:.2g} in one average",
    ),
    "average unknown": (
        "{series}: cannot tell; no definition explains them ({fits} of {tested} are {definition})",
        "",
    ),
    "integer count": (
        "{column}: {fits} of {tested} are counts of n = {n}",
        "a wrong number with probability {power:.2g}",
    ),
    "mark": (
        "{mark} is {place} of its {partition} for {fits} of {tested}",
        "any mark on another number",
    ),
    "mark unknown": (
        "cannot tell: {mark} cells are not the {place} of any column, row or block for most",
        "",
    ),
    "rank": ("{rank} is the order of {column}", "any two numbers in the wrong order"),
    "rank unknown": ("cannot tell: {rank} is the order of no column", ""),
    "change": ("{line}: {fits} of {tested} are {definition}", "a change of {sees:.2g}"),
    "relation": ("{line}: {fits} of {tested} are {definition}", "a change of {sees:.2g}"),
    "change unknown": ("{line}: cannot tell; no two columns or rows explain it", ""),
    "share": ("{fits} of {tested} are the shares of their counts", "a change of {sees:.2g}"),
    "text": ("{stated}: {cell}, as {where} says", ""),
}


def why(kind: str, facts: Mapping) -> str:
    """What a finding says; hints follow its sentence, each behind a semicolon."""
    hints = [_HINTS[hint] for hint in facts.get("hints", ())]
    return "; ".join([FINDINGS[kind][0], *hints]).format(**facts)


def sure(kind: str, facts: Mapping) -> str:
    """What speaks for a finding."""
    return FINDINGS[kind][1].format(**facts)


def covered(kind: str, facts: Mapping) -> str:
    """What a check looked at."""
    return COVERED[kind][0].format(**facts)


def sees(kind: str, facts: Mapping) -> str:
    """How large an error a check could detect."""
    return COVERED[kind][1].format(**facts)
