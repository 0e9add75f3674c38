"""Figures show the data they are given: artists before pixels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.errors import DataError
from analysis.papers import tlue
from analysis.plots import card, drop, forest, response, scale, style
from analysis.results import gap, published


@pytest.fixture(autouse=True)
def closed():
    style.use()
    yield
    plt.close("all")


@pytest.fixture
def average():
    return published.select(tlue.with_average(tlue.cells("ti_mmlu"), "ti_mmlu"), group_by="average")


def drawn_without_a_missing_glyph(figure) -> bool:
    figure.canvas.draw()  # a missing glyph is a warning, and warnings are errors
    return True


def test_the_forest_is_in_order_of_value(average):
    ax = forest.forest(average, published.results("tlue", artifact="table_01", group_by="average"), reference=25)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    best = average.groupby("model")["value"].max()
    assert names == list(best.sort_values().index)
    assert len(ax.containers) == 2  # an error bar a method
    assert drawn_without_a_missing_glyph(ax.figure)


def test_a_plot_draws_into_the_axes_it_is_given(average):
    _, ax = plt.subplots()
    assert forest.forest(average, ax=ax) is ax
    assert card.composition(tlue.composition(), plt.subplots()[1]).patches


def test_every_drop_is_drawn_with_its_number():
    low = published.select(tlue.with_average(tlue.cells("ti_mmlu"), "ti_mmlu"), setting="caa")
    drops = gap.drops("tlue", "table_05", low, tlue.category_sizes("ti_mmlu"))
    figure = drop.drop(drops, 25.0)
    axes = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_title(loc="left") for ax in axes] == list(dict.fromkeys(drops["pair"]))
    numbers = {text.get_text() for text in axes[0].texts}
    first = drops[drops["pair"] == drops["pair"].iloc[0]]
    assert numbers == {f"{-d:+.0f}".replace("-", "−") for d in first["drop"]}
    assert drawn_without_a_missing_glyph(figure)


def test_the_scale_figure_has_a_line_a_family_and_method(average):
    results = tlue.of_families(average, ["Llama-3.1", "Qwen2.5"], ["da", "caa"])
    ax = scale.scale(results, reference=25)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["7–8", "32", "70–72", "405"]
    lines = [line for line in ax.lines if len(line.get_xdata()) == 3 and line.get_linestyle() != "None"]
    assert len(lines) == 4
    assert drawn_without_a_missing_glyph(ax.figure)


def test_the_response_figure_shows_all_three_metrics():
    printed = published.results("tlue", artifact="table_07")
    results = tlue.response_results(printed, "ti_mmlu")
    ax = response.response(results, printed[printed["metric"] == "conditional_accuracy"], reference=25)
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {
        "response rate",
        "accuracy",
        "conditional accuracy",
        "printed",
    }
    assert len(ax.get_yticks()) == 8
    assert drawn_without_a_missing_glyph(ax.figure)


def test_the_cards_draw():
    assert drawn_without_a_missing_glyph(card.flow(tlue.CURATION).figure)
    assert drawn_without_a_missing_glyph(card.prompt(tlue.example_prompt()).figure)


def test_a_plot_says_what_it_lacks(average):
    with pytest.raises(DataError, match="column is missing") as refused:
        forest.forest(average.drop(columns="ci_low"))
    assert refused.value.field == "ci_low"
    with pytest.raises(DataError, match="no rows"):
        scale.scale(pd.DataFrame(columns=["family", "parameters_b", "setting", "value", "ci_low", "ci_high"]))


def test_hollow_marks_stand_at_the_printed_values(average):
    printed = published.results("tlue", artifact="table_01", group_by="average", setting="caa")
    ax = forest.forest(published.select(average, setting="caa"), printed)
    marks = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert sorted(marks[0].get_xdata()) == sorted(printed["value"])
    assert np.isfinite(marks[0].get_ydata()).all()


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [(3.4, 0, "+3"), (-26.6, 0, "−27"), (-0.4, 0, "0"), (0.0004, 3, "0.000"), (-0.0126, 3, "−0.013"), (float("nan"), 0, "+nan")],
)
def test_a_difference_has_its_sign(value, decimals, written):
    assert style.signed(value, decimals) == written
