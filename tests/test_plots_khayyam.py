"""Khayyam's figures show the data they are given, in the order that they promise."""

import itertools

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.errors import DataError
from analysis.papers import khayyam
from analysis.plots import bump, card, choices, composition, dumbbell, effects, panels, quartiles, style, trend, votes


@pytest.fixture(autouse=True)
def closed():
    style.use()
    yield
    plt.close("all")


def drawn(figure) -> bool:
    figure.canvas.draw()  # a missing glyph is a warning, and warnings are errors
    return True


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_panels_have_the_models_in_one_order():
    table, radar = khayyam.by_category()
    figure = panels.panels(table, radar, chance=25)
    last = table[table["panel"] == "All questions"].sort_values("value")["model"].tolist()
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == last
    assert [ax.get_title(loc="left") for ax in figure.axes] == list(dict.fromkeys(table["panel"]))
    assert texts(figure.axes[0])[0] == "71" and drawn(figure)


def test_every_line_of_a_trend_is_named_and_no_name_overlaps():
    frame = khayyam.by_ordered_group("figure_09")
    figure = trend.trend(frame.assign(panel=frame["difficulty"]), khayyam.STAGES, khayyam.LEVELS, chance=25)
    for ax in figure.axes:
        assert set(texts(ax)) == set(frame["model"])
        heights = sorted(text.get_position()[1] for text in ax.texts)
        assert all(b - a >= 5 for a, b in itertools.pairwise(heights))
    assert drawn(figure)


def test_apart_keeps_the_order():
    placed = trend.apart({"a": 3.0, "b": 1.0, "c": 1.1}, 1.0)
    assert sorted(placed, key=placed.get) == ["b", "c", "a"] and placed == {"b": 1.0, "c": 2.0, "a": 3.0}


def test_choices_stand_by_their_distance_below_the_key():
    bias = khayyam.choice_bias_of("figure_11")
    ax = choices.choices(khayyam.choice_counts("figure_11"), bias, "Answer key", khayyam.CHOICE_NAMES)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == ["Answer key", *bias["model"]] and bias["distance"].is_monotonic_increasing
    widths = sum(bar.get_width() for bar in ax.patches)
    assert widths == pytest.approx(100 * len(names)) and "none" in texts(ax)
    assert drawn(ax.figure)
    assert "none" not in texts(
        choices.choices(
            khayyam.choice_counts("figure_12"), khayyam.choice_bias_of("figure_12"), "Answer key", khayyam.CHOICE_NAMES
        )
    )


def test_bars_and_stacks_hold_every_question():
    ax = composition.stacked(khayyam.figure_counts())
    assert sum(bar.get_width() for bar in ax.patches) == 20_192 and drawn(ax.figure)
    figure = composition.bars(khayyam.composition())
    assert [sum(bar.get_width() for bar in ax.patches) for ax in figure.axes] == [20_192] * 3
    assert drawn(composition.bars(khayyam.by_year_and_stage()))


def test_dumbbell_has_the_largest_drop_on_top():
    frame = khayyam.trap_drops()
    ax = dumbbell.dumbbell(frame, ("trapped", "untrapped"), chance=25)
    assert [tick.get_text() for tick in ax.get_yticklabels()][-1] == "Human"
    assert {"−65", "−12", "0", "+1"} <= set(texts(ax)) and drawn(ax.figure)


def test_effects_are_grey_where_they_hold_zero():
    frame = khayyam.length_effects(khayyam.length_audit())
    figure = effects.effects(frame)
    assert len(figure.axes) == 3 and drawn(figure)
    colors = {text.get_text(): text.get_color() for text in figure.axes[0].texts}
    assert colors["+0.10"] == style.BLUE and colors["+0.02"] == style.GREY
    assert drawn(effects.effects(khayyam.prompt_effects(), decimals=0))


def test_other_figures_draw():
    results = khayyam.method_averages(["khayyam"])
    ax = bump.bump(results, list(khayyam.METHODS.values()), chance=25)
    assert texts(ax).count("Aya-101") == 2 and drawn(ax.figure)
    assert drawn(quartiles.quartiles(khayyam.length_boxes())) and drawn(votes.votes(khayyam.vote_curves([1, 2, 10])))


def test_prompts_run_from_their_side():
    ax = card.prompt(khayyam.prompt_lines("prompt_2"))
    sides = {text.get_text().strip("\u200f"): text.get_ha() for text in ax.texts}
    assert sides["جواب:"] == "right" and sides["a) ۵۴"] == "left" and drawn(ax.figure)
    digits = card.prompt(khayyam.prompt_lines("prompt_0"))
    assert any(text.get_text().startswith("\u200f۱)") and text.get_ha() == "right" for text in digits.texts) and drawn(
        digits.figure
    )


@pytest.mark.parametrize(
    "plot", [panels.panels, effects.effects, quartiles.quartiles, votes.votes, composition.stacked, composition.bars]
)
def test_a_lacking_column_is_named(plot):
    with pytest.raises(DataError, match="column is missing"):
        plot(pd.DataFrame({"x": [1]}))
