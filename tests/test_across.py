"""The cross-paper frames against printed numbers worked by hand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.errors import DataError
from analysis.papers.tlue import firmness
from analysis.plots import rank_map
from analysis.results import comparisons, published, ranking
from tests.conftest import run_cells


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the notebook computes, once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYEXAM_FIGURES", str(tmp_path_factory.mktemp("figures")))
        return run_cells("across/what_holds_in_several_papers")


def row(frame, **where):
    return published.select(frame, **where).iloc[0]


def test_above_chance_is_the_way_from_guessing_to_perfect(names):
    found = row(names["gap"], row="Llama-3.1-70B")
    assert found["value"] == pytest.approx((69.01 - 23.79) / 0.75)  # chance is taken off both ends
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert row(names["gap"], row="GPT-3.5-Turbo")["value"] == pytest.approx((80.4 - 11.6) / 0.633)
    assert ranking.bounds("mrr", 50)[1] == 1


def test_a_difference_is_that_of_independent_estimates():
    first = pd.DataFrame({"value": [50.0, 60.0], "ci_low": [46.0, np.nan], "ci_high": [54.0, np.nan]})
    second = pd.DataFrame({"value": [40.0, 70.0], "ci_low": [37.0, 60.0], "ci_high": [43.0, 80.0]})
    found = comparisons.minus(first, second)
    assert found["value"].tolist() == [10, -10] and found["ci_low"].iloc[0] == pytest.approx(5)
    assert found["ci_high"].iloc[0] == pytest.approx(15) and np.isnan(found["ci_low"].iloc[1])
    with pytest.raises(DataError, match="2 rows minus 1"):
        comparisons.minus(first, second.head(1))


def test_every_panel_has_its_rows(names):
    assert names["gap"]["panel"].value_counts().to_dict() == {
        "CMMLU to Ti-MMLU": 4,
        "SafetyBench to Ti-SafetyBench": 3,
        "MMLU-SEA: Vietnamese to Thai": 9,
        "Xiezhi: English to Chinese": 5,
    }
    assert names["sizes"]["panel"].nunique() == 4 and not names["sizes"].duplicated(["panel", "family", "parameters_b"]).any()
    assert len(names["responses"]) == 24
    assert names["humans"]["panel"].value_counts().tolist() == [11, 4]  # Xiezhi's people in literature are damaged in the text


def test_known_differences(names):
    found = row(names["reasoning"], panel="Ti-MMLU: DeepSeek-R1 minus DeepSeek-V3", row="response rate")
    assert found["value"] == pytest.approx(57.45 - 84.73)
    humanities = row(names["reasoning"], row="accuracy, Humanities")
    assert humanities["ci_high"] > 0 > humanities["value"]
    assert row(names["humans"], row="Mathematics")["value"] == pytest.approx(31)


def test_noise_is_a_small_share_and_grows_with_fewer_questions(names):
    spreads = names["spreads"].set_index("row")
    assert spreads["noise"].between(0, 10).all()
    assert spreads.loc["SeaExam, Indonesian", "noise"] > spreads.loc["Khayyam (regex)", "noise"]
    assert (spreads["ci_low"] < spreads["value"]).all() and (spreads["value"] < spreads["ci_high"]).all()


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
