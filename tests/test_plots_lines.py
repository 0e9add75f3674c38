"""Lines, dots, diagrams and maps: what is drawn stands in the data, whatever the look."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.plots import style
from analysis.plots.lines import lines
from analysis.plots.rows import dots


@pytest.fixture(autouse=True)
def closed():
    style.use()
    yield
    plt.close("all")


@pytest.fixture
def frame() -> pd.DataFrame:
    rows = [("x", 1, 0.2), ("x", 10, 0.4), ("y", 1, 0.5), ("y", 10, 0.41), ("z", 10, 0.1)]
    table = pd.DataFrame(rows, columns=["model", "size", "value"])
    return table.assign(ci_low=table["value"] - 0.05, ci_high=table["value"] + 0.05)


def test_a_line_a_model_named_apart_at_its_end(frame):
    ax = lines(frame, "size", "score", log=True, reference=0.25)
    names = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert set(names) == {"x", "y", "z", "guessing"}
    assert names["y"] - names["x"] > 0.01  # moved apart, in their order
    paths = [line.get_xydata().tolist() for line in ax.lines]
    assert [[1, 0.2], [10, 0.4]] in paths
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "10"]


def test_names_of_one_place_move_apart_and_marks_have_a_shape_each():
    table = pd.DataFrame({"model": list("abcde") * 2, "size": [7] * 5 + [70] * 5, "value": 0.5})
    table["as_printed"] = 0.6
    ax = lines(table, "size", "score", log=True)
    assert len({text.get_position()[1] for text in ax.texts}) == 5
    assert 7 in [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "_"]
    assert len({line.get_marker() for line in ax.lines}) == 7  # and none


def test_a_legend_shows_marks(frame):
    marks = lines(frame, "size", "score", named=False).get_legend_handles_labels()[0]
    assert [mark.get_marker() for mark in marks] == [style.look("x")[1], "o", "o"]


def test_dots_hold_every_number():
    frame = pd.DataFrame({"panel": list("PPQ"), "group": ["few", "many", "many"], "n": [1, 5, 9]})
    figure = dots(frame).figure
    drawn = [[*ax.collections[-1].get_offsets()[:, 0]] for ax in figure.axes]
    assert drawn == [[1, 5], [9]]
    assert "5" in [text.get_text() for text in figure.axes[0].texts]
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
