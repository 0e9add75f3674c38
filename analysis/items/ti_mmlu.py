"""Ti-MMLU: TLUE's Tibetan translation of CMMLU. Question and options are one string, which has to
be taken apart.

In one published string of twelve, letters inside the text were mistaken for option labels and moved
to a line of their own: ``CO2`` became a line break and ``C. O2``; the Tibetan letter ga at the end
of a word, third of the letters that number Tibetan lists, became ``C.`` too. `take_apart` finds the
four labels that are meant, puts the other letters back (white space that stood after them is lost),
and refuses a string that can be read in several ways.
"""

import re
from itertools import combinations
from pathlib import Path

from analysis.errors import DataError
from analysis.items.checked_rows import Row
from analysis.items.descriptions import Description, Spec
from analysis.items.values import text_of

_CONTENT = "polished_ti_content"
# Where an option may begin, by the rule's name, in the order tried.
_MARKS = {
    "lines": re.compile(r"(?:\n *|(?<=[A-D]\. ))([A-D])\. ?"),  # each on a line of its own
    "spaced": re.compile(r"\n *([A-D]) "),  # the same without a dot, as in the dev file
    "inline": re.compile(r"(?<= )([A-D])\. ?"),  # all on the question's line
}
_GA = "\u0f42"
# a word without the dot or stroke that ends Tibetan words
_CUT_GA = re.compile(r"[\u0f40-\u0fbc] \Z")
_WORD_GOES_ON = re.compile(r"[a-z_^|,.)=\u0f0b]")


def fields(row: Row, description: Description, home: Path) -> dict:
    """Question and options of a row of the published sample of the test set (670 strings, ten a
    subject), or of the dev set (335), and the `rule` by which its string was taken apart.

    Some strings are empty, lack labels, or can be read in several ways. `item_id` and `category`
    are those of the CMMLU question that was translated; `metadata` has ``source_item`` (the same,
    with the benchmark's name), ``rule`` and ``content`` (the string).
    """
    content = text_of(row, Spec(place=_CONTENT))
    try:
        question, options, rule = take_apart(content)
    except DataError as error:
        raise row.error(error.reason, _CONTENT) from None
    options = dict(zip("ABCD", options, strict=True))
    return {"question": question, "rule": rule} | options


def take_apart(content: str) -> tuple[str, list[str], str]:
    """Question and four options of one string, and the rule that reads it: a name in `_MARKS`, or
    ``repaired`` where letters had to be put back.

    Raises
    ------
    DataError
        If no four labels A to D can be found, or not in one way alone.
    """
    text = "\n" + content
    for rule in _MARKS:
        marks = list(_MARKS[rule].finditer(text))
        fours = combinations(range(len(marks)), 4)
        labelled = [four for four in fours if "".join(marks[i][1] for i in four) == "ABCD"]
        readings = [four for four in labelled if all(_pieces(text, marks, four))]
        if readings:
            break
    else:
        raise DataError("four options labelled A to D after a question are not to be found")
    question, *options = _pieces(text, marks, _best(text, marks, readings))
    if all(piece.endswith("(") for piece in (question, *options[:3])):
        reason = "a bracket opens before each option label: it may close the option"
        raise DataError(f"{reason}, or begin the next")
    return question, options, rule if len(marks) == 4 else "repaired"


def _pieces(text: str, marks: list[re.Match], chosen: tuple[int, ...]) -> list[str]:
    """Question and options between the chosen marks; the letters of the other marks go back into
    the text.
    """
    pieces, end = [""], 0
    for i, mark in enumerate(marks):
        pieces[-1] += text[end : mark.start()]
        end = mark.end()
        if i in chosen:
            pieces.append("")
        elif _after_cut_ga(text, mark):
            pieces[-1] = f"{pieces[-1][:-1]}{_GA} "
        else:
            pieces[-1] += mark[1]
    pieces[-1] += text[end:]
    return [piece.strip() for piece in pieces]


def _best(text: str, marks: list[re.Match], readings: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The reading that goes against the looks of the fewest marks; refused where another goes
    against at most twice as many.
    """
    looks = [_looks_meant(text, marks, i) for i in range(len(marks))]
    best, *others = sorted(
        (sum(look not in (None, i in four) for i, look in enumerate(looks)), four)
        for four in readings
    )
    if others and others[0][0] <= 2 * best[0]:
        raise DataError(f"option labels can be read in {len(readings)} ways")
    return best[1]


def _looks_meant(text: str, marks: list[re.Match], i: int) -> bool | None:
    """Whether mark `i` looks like a label; None where its place does not tell."""
    before, after = text[: marks[i].start()], text[marks[i].end() :]
    if i and marks[i].start() == marks[i - 1].end():
        return None
    ends = before[-1:].isspace() or before[-1:] == "\u0f0d"
    return ends and not _after_cut_ga(text, marks[i]) and not _WORD_GOES_ON.match(after)


def _after_cut_ga(text: str, mark: re.Match) -> bool:
    """Whether the letter of a mark was a ga: the word before lacks its end."""
    return mark[1] == "C" and bool(_CUT_GA.search(text[: mark.start()][-2:]))
