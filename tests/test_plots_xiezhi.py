"""Figures of rankings: what is drawn stands in the data, whatever the figure looks like."""

import matplotlib
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from analysis.errors import DataError
from analysis.plots import (
    against_humans,
    beside,
    categories,
    changes,
    disciplines,
    families,
    label_sets,
    option_counts,
    ranges,
    strips,
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ax) -> set[str]:
    return {text.get_text() for text in ax.texts}


def ticks(ax) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


MODELS = pd.DataFrame({"model": ["x", "y"], "value": [0.2, 0.4], "ci_low": [0.1, 0.35], "ci_high": [0.3, 0.45]})


def test_beside_orders_by_value_and_marks_own_ones():
    ax = beside.beside(MODELS.iloc[:1], MODELS.iloc[1:], "MRR", reference=0.09)
    assert ticks(ax) == ["x", "y"]
    assert [tick.get_fontweight() for tick in ax.get_yticklabels()] == ["bold", "normal"]
    assert "random" in texts(ax)


def test_ranges_colours_what_is_impossible():
    frame = MODELS.assign(benchmark="B", low=[0.1, 0.1], high=[0.3, 0.3], possible=[True, False])
    ax = ranges.ranges(frame, "MRR")
    colors = {tick.get_text(): tick.get_color() for tick in ax.get_yticklabels()}
    assert colors["x"] != colors["y"]


def test_against_humans_puts_the_largest_lead_on_top():
    frame = pd.DataFrame({"group": ["a", "b"], "average": [0.5, 0.3], "top": [0.9, 0.8], "best": [0.4, 0.5], "model": ["m", "n"]})
    ax = against_humans.against_humans(frame, "score")
    assert ticks(ax) == ["a", "b"]
    assert {"m −0.100", "n +0.200"} <= texts(ax)


def test_changes_says_how_many_rise():
    each = pd.DataFrame({"benchmark": "b", "shots": "3-shot", "model": ["x", "y"], "change": [-0.2, 0.1]})
    means = pd.DataFrame({"benchmark": ["b"], "shots": ["3-shot"], "models": [2], "mean_change": [-0.05], "ci_low": [-0.3], "ci_high": [0.2],
                          "rise": [1]})  # fmt: skip
    assert {"1 of 2 rise", "x"} <= texts(changes.changes(each, means, {"b": "B"}, "change"))


def test_families_joins_sizes_and_names_families():
    frame = MODELS.assign(family="F", parameters_b=[1.0, 7.0])
    ax = families.families(frame, "MRR", reference=0.09)
    assert "F" in texts(ax)
    assert ax.get_xscale() == "log"


def test_strips_draws_every_model_of_every_benchmark():
    scores = pd.DataFrame({"b": [0.1, 0.2, 0.3]}, index=["x", "y", "z"])
    spreads = pd.DataFrame({"benchmark": ["b"], "spread": [0.1], "ci_low": [0.05], "ci_high": [0.2]})
    ax = strips.strips(scores, spreads, {"b": "B"})
    assert sum(len(c.get_offsets()) for c in ax.collections) == 3
    assert "z\nthen y" in texts(ax)


def test_option_counts_keeps_names_apart():
    places = option_counts._apart({"a": 0.10, "b": 0.101, "c": 0.5}, 0.05)
    assert places["a"] == 0.10
    assert places["b"] == pytest.approx(0.15)
    assert places["c"] == 0.5


def test_option_counts_draws_a_line_a_model():
    frame = pd.concat([MODELS.assign(n_options=n) for n in (4, 50)])
    ax = option_counts.option_counts(frame, {4: 0.5, 50: 0.09}, "MRR")
    assert {"x", "y", "random"} <= texts(ax)


def test_disciplines_shows_every_first_level_discipline_once():
    rows = [("category", "A", "A", None, 5), ("first_level", "a1", "A", "A", 3), ("first_level", "a2", "A", "A", 0)]
    rows += [("second_level", "a11", "A", "a1", 3), ("category", "B", "B", None, 2), ("first_level", "b1", "B", "B", 2)]
    frame = pd.DataFrame(rows, columns=["level", "discipline", "category", "parent", "n"])
    shown = [text.get_text() for ax in disciplines.disciplines(frame, "n").axes for text in ax.texts]
    assert {"A  5", "B  2", "a1", "a2", "b1", "3 · 1", "0", "2"} <= set(shown)
    assert len([s for s in shown if s in ("a1", "a2", "b1")]) == 3


def test_categories_share_one_order():
    frame = pd.DataFrame({"p": [1, 5], "q": [2, 9]}, index=["few", "many"])
    figure = categories.categories(frame, {"p": "P", "q": "Q"})
    assert ticks(figure.axes[0]) == ["few", "many"]


def test_label_sets_shows_every_label():
    assert {"a", "b", "c\nd"} <= texts(label_sets.label_sets(["a"], ["c", "d"], ["b"], ("l", "r"), ("x", "y")))


def test_nothing_to_draw_is_said():
    with pytest.raises(DataError, match="nothing to draw"):
        beside.beside(MODELS.iloc[:0], MODELS, "MRR")
    with pytest.raises(DataError, match="low"):
        ranges.ranges(MODELS.assign(benchmark="b", high=1, possible=True), "MRR")
