"""The cross-paper frames against printed numbers worked by hand, and their figures."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from analysis.errors import DataError
from analysis.papers import across
from analysis.papers.tlue import firmness
from analysis.plots import across as plots
from analysis.plots import rank_map
from analysis.results import published, ranking


def row(frame, **where):
    return published.select(frame, **where).iloc[0]


def test_above_chance_is_the_way_from_guessing_to_perfect():
    gap = across.resource_gap()
    found = row(gap, row="Llama-3.1-70B")
    assert found["value"] == pytest.approx((69.01 - 23.79) / 0.75)  # chance is taken off both ends
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert row(gap, row="GPT-3.5-Turbo")["value"] == pytest.approx((80.4 - 11.6) / 0.633)
    assert ranking.bounds("mrr", 50)[1] == 1


def test_every_panel_has_its_rows():
    sizes = across.resource_gap()["panel"].value_counts().to_dict()
    assert sizes == {
        "CMMLU to Ti-MMLU": 4,
        "SafetyBench to Ti-SafetyBench": 3,
        "MMLU-SEA: Vietnamese to Thai": 9,
        "Xiezhi: English to Chinese": 5,
    }
    assert across.scale()["panel"].nunique() == 4
    assert not across.scale().duplicated(["panel", "family", "parameters_b"]).any()
    assert len(across.responses()) == 24
    humans = across.human_gap()
    assert humans["panel"].value_counts().tolist() == [11, 4]  # Xiezhi's people in literature are damaged in the text


def test_known_differences():
    reasoning = across.reasoning()
    found = row(reasoning, panel="Ti-MMLU: DeepSeek-R1 minus DeepSeek-V3", row="response rate")
    assert found["value"] == pytest.approx(57.45 - 84.73)
    assert row(reasoning, row="accuracy, Humanities")["ci_high"] > 0 > row(reasoning, row="accuracy, Humanities")["value"]
    assert row(across.human_gap(), row="Mathematics")["value"] == pytest.approx(31)


def test_noise_is_a_small_share_and_grows_with_fewer_questions():
    spreads = across.spreads().set_index("benchmark")
    assert spreads["noise"].between(0, 10).all()
    assert spreads.loc["SeaExam, Indonesian", "noise"] > spreads.loc["Khayyam (regex)", "noise"]
    assert (spreads["sd_low"] < spreads["sd"]).all() and (spreads["sd"] < spreads["sd_high"]).all()


def frames():
    made = (across.resource_gap(), across.scale(), across.reasoning(), across.human_gap(), across.spreads(), across.responses())
    return dict(zip(across.CAPTIONS, made, strict=True))


def test_findings_follow_the_frames():
    found = frames()
    told = across.findings(found)
    assert set(told) == set(across.CAPTIONS)
    assert "4 of 4 (CMMLU to Ti-MMLU)" in told["gap"]
    found["gap"] = found["gap"].assign(ci_low=-1)
    assert "0 of 4 (CMMLU to Ti-MMLU)" in across.findings(found)["gap"]


def test_figures_draw_what_they_are_given():
    found = frames()
    gap = plots.differences(found["gap"], "points")
    assert [len(ax.get_yticks()) for ax in gap.axes] == [4, 3, 9, 5]
    drawn = sorted(line.get_xdata()[0] for ax in gap.axes for line in ax.lines if line.get_marker() == "o")
    assert drawn == pytest.approx(sorted(found["gap"]["value"]))
    for figure, panels in (
        (plots.families(found["scale"], "x"), 4),
        (plots.responses(found["response"]), 3),
        (plots.spreads(found["spread"]), 1),
    ):
        assert len(figure.axes) == panels
    plt.close("all")
    with pytest.raises(DataError, match="nothing to draw"):
        plots.differences(found["gap"].iloc[:0], "points")


def test_rank_map_outlines_the_printed_rank():
    frame = firmness.rank_stability("ti_safetybench", "da", draws=300)
    ax = rank_map.rank_map(frame)
    assert len(ax.patches) == len(frame) == 13
    assert [label.get_text() for label in ax.get_yticklabels()] == frame["model"].tolist()
    plt.close("all")


@pytest.mark.parametrize("benchmark", ["ti_mmlu", "ti_safetybench"])
def test_firmness_stands_on_the_papers_average(benchmark):
    frame = firmness.rank_stability(benchmark, "da", draws=200)
    table = {"ti_mmlu": "table_01", "ti_safetybench": "table_02"}[benchmark]
    printed = published.results("tlue", artifact=table, setting="da", group="printed").set_index("model")["value"]
    assert frame.set_index("model")["value"].to_numpy() == pytest.approx(printed.reindex(frame["model"]), abs=0.1)
    wide, long = firmness.stability_table({"da": frame})
    assert len(wide) == len(long) == 13 and "DA" in firmness.finding_stability(frame, "da")


def test_detectable_differences_shrink_with_questions_and_pairing():
    table = firmness.detectable_table("ti_mmlu")
    assert table["independent"].is_monotonic_increasing  # from all questions down to the smallest subject
    assert (table["paired, correlation 0.6"] < table["paired, correlation 0.3"]).all()
    assert table["independent"].iloc[0] == pytest.approx(100 * 2.8016 * np.sqrt(2 * 0.25 * 0.75 / 11_582), rel=1e-3)


def test_variance_shares_sum_to_one_and_models_lead():
    table = firmness.variance_table()
    assert table.groupby("Method")["Share of variance (%)"].sum().tolist() == pytest.approx([100, 100])
    assert (table.query("Source == 'model'")["Share of variance (%)"] > 75).all()
    assert len(firmness.shrunken_table()) == 26
