"""The transcription of the Khayyam Challenge: against the paper's text where it lies, and against
itself.
"""

import pandas as pd
import pytest

from analysis import paths
from analysis.papers import published

PAPER = "khayyam"
TEXT = paths.ROOT.parent / "shared" / "papers" / f"{PAPER}.txt"
AVERAGES = {"subjects": "Avg on all tasks", "questions": "Avg on all questions"}
# table -> printed rows
ROWS = {3: 6, 8: 6, 9: 6, 10: 40, 11: 40, 12: 40, 13: 14, 14: 14, 15: 14, 16: 6}
COLUMNS = 11  # human, nine models, random


@pytest.fixture(scope="module")
def lines() -> list[str]:
    if not TEXT.is_file():
        pytest.skip(f"the paper's text is not at {TEXT}")
    return TEXT.read_text("utf-8").splitlines()


def printed_table(lines: list[str], number: int) -> list[list[str]]:
    """Cells of the block of tab-separated lines above the caption of table `number`."""
    end = next(i for i, line in enumerate(lines) if line.startswith(f"Table {number}:"))
    block = []
    for line in reversed(lines[:end]):
        if "\t" in line:
            block.insert(0, line.split("\t"))
        elif block:
            return block
    raise AssertionError(f"no table {number}")


def wide(frame: pd.DataFrame, cell: pd.Series) -> list[list[str]]:
    """Rows of a table as the paper prints them: group, then one cell a model."""
    group = frame["group"].where(frame["group_by"] != "average", frame["group"].map(AVERAGES))
    grid = pd.DataFrame({"group": group, "model": frame["printed_model"], "cell": cell})
    grid = grid.pivot(index="group", columns="model", values="cell")[
        list(dict.fromkeys(frame["printed_model"]))
    ]
    return [[group, *grid.loc[group]] for group in dict.fromkeys(group)]


@pytest.mark.parametrize("number", [n for n in ROWS if n != 16])
def test_each_accuracy_stands_in_its_row_and_column(lines, number):
    frame = published.results(PAPER, artifact=f"table_{number:02d}")
    assert len(frame) == ROWS[number] * COLUMNS
    head, *body = printed_table(lines, number)
    keys = len(head) - COLUMNS
    assert list(dict.fromkeys(frame["printed_model"])) == head[keys:]
    body = [[" x ".join(dict.fromkeys(row[:keys])), *row[keys:]] for row in body]
    assert wide(frame, frame["printed"]) == body


def test_read_off_figures_carry_their_uncertainty():
    frame = published.results(PAPER, source="digitized")
    assert (frame["ci_low"] < frame["value"]).all()
    assert (frame["value"] < frame["ci_high"]).all()
    choices = frame[frame["group_by"] == "choice"]
    totals = choices.groupby(["artifact", "model"])["value"].sum()
    slack = (
        (choices["ci_high"] - choices["value"])
        .groupby([choices["artifact"], choices["model"]])
        .sum()
    )
    assert ((totals - choices["n"].iloc[0]).abs() <= slack).all()
