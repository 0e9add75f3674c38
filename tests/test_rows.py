"""The figure of rows: every number stands where it belongs, whatever the panels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.plots import style
from analysis.plots.rows import Mark, rows
from tests.conftest import refused

FRAME = pd.DataFrame(
    {
        "panel": ["x", "x", "x", "y", "y"],
        "row": ["a", "b", "a", "a", "b"],
        "mark": ["low", "low", "high", "low", "low"],
        "value": [10.0, 20.0, 30.0, 5.0, 50.0],
        "ci_low": [8.0, 15.0, 29.0, np.nan, 45.0],
        "ci_high": [12.0, 25.0, 31.0, np.nan, 55.0],
    }
)
MARKS = {"low": Mark("low end", "#112233"), "high": Mark("high end", lane=0.2)}


@pytest.fixture(autouse=True)
def closed():
    with plt.rc_context():
        style.use()
        yield
    plt.close("all")


def points(ax) -> set[tuple]:
    """Where marks stand: (x, y), rounded."""
    drawn = [c for c in ax.collections if type(c).__name__ == "PathCollection"]
    return {tuple(np.round(at, 3).tolist()) for c in drawn for at in c.get_offsets()}


def intervals(ax) -> set[tuple]:
    lines = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
    segments = [s for c in lines for s in c.get_segments() if len(s) and not np.isnan(s).any()]
    return {
        (round(float(s[0, 0]), 3), round(float(s[1, 0]), 3), round(float(s[0, 1]), 3))
        for s in segments
    }


def test_every_number_stands_in_its_row_and_panel():
    first, second = rows(FRAME, MARKS, label="points").figure.axes
    assert [t.get_text() for t in first.get_yticklabels()] == ["b", "a"][::-1]
    assert points(first) == {(10, 1), (30, 1.2), (20, 0)}
    assert points(second) == {(5, 1), (50, 0)}
    assert intervals(first) == {(8, 12, 1), (29, 31, 1.2), (15, 25, 0)}
    assert intervals(second) == {(45, 55, 0)}


def test_rows_are_in_the_order_given():
    ax = rows(FRAME, MARKS, label="points", order=["b", "a"])
    assert points(ax) == {(10, 0), (30, 0.2), (20, 1)}


def test_what_cannot_be_drawn_is_told():
    with refused("did you mean low"):
        rows(FRAME.replace({"mark": {"low": "lwo"}}), MARKS, label="points")
    with refused("2 panels do not fit"):
        rows(FRAME, MARKS, label="points", ax=plt.subplots()[1])
    with refused("column is missing"):
        rows(FRAME.drop(columns="value"), MARKS, label="points")
    with refused("no rows"):
        rows(FRAME.iloc[:0], MARKS, label="points")
