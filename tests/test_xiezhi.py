"""Xiezhi's audits and counts: known answers in the printed tables, and the released files where they are."""

import numpy as np
import pandas as pd
import pytest

from analysis.items import xiezhi
from analysis.papers.xiezhi import audit, composition, facts, protocol, views
from analysis.results import published, ranking


def test_suspect_cells_enter_no_score():
    sound, every = facts.scores(), facts.scores(sound=False)
    assert len(every) == 47 * 19
    assert len(sound) == len(every) - published.results("xiezhi", artifact="table_01", metric="mrr")["suspect"].sum()
    assert sound["value"].between(1 / 50, 1).all()


def test_widest_intervals_bracket_and_contain_that_of_any_sample():
    cells = facts.scores("0-shot")
    cells = cells[cells["n"].notna()]
    assert ((cells["ci_low"] < cells["value"]) & (cells["value"] < cells["ci_high"])).all()
    generator = np.random.default_rng(0)
    ranked = pd.DataFrame({"benchmark": "b", "model": "m", "setting": "s", "better": generator.integers(0, 50, 500), "tied": 0})
    found = ranking.table(ranked.assign(n_options=50), ["mrr"])
    wide = facts.widest(found).iloc[0]
    assert wide["ci_low"] < found["ci_low"].iloc[0]
    assert wide["ci_high"] > found["ci_high"].iloc[0]


def test_averages_of_undamaged_columns_follow_from_sums():
    """Damage aside, the bounds on the damaged cells' sum are the arithmetic of the printed average."""
    sums = audit.column_sums()
    assert (sums["sound"] + sums["suspect"] == 47).all()
    middle = (sums["low"] + sums["high"]) / 2
    frame = facts.scores().groupby(["benchmark", "setting"])["value"].sum()
    rest = [frame[row.benchmark, row.setting] for row in sums.itertuples()]
    assert (middle + rest).to_numpy() == pytest.approx(47 * sums["printed_average"].to_numpy())


def test_the_printed_variance_is_a_standard_deviation():
    spread = audit.spread_definitions()
    spread = spread[~spread["suspect"]]
    assert ((spread["printed"] - spread["standard_deviation"]).abs() < (spread["printed"] - spread["variance"]).abs()).all()
    assert (spread["printed"] > 6 * spread["variance"]).all()


def test_below_random_is_judged_by_the_exact_variance():
    found = audit.below_random().set_index(["benchmark", "model"])
    assert found.loc[("xiezhi_specialty", "DoctorGLM-6B"), "verdict"] == "below random"
    assert found.loc[("xiezhi_specialty", "BLOOMZ-176B-mt"), "verdict"] == "above random"
    generator = np.random.default_rng(0)
    drawn = (1 / generator.integers(1, 51, (400, 14041))).mean(axis=1)
    z = (drawn - facts.RANDOM["mrr"]) / np.sqrt((1 / np.arange(1, 51)).var() / 14041)
    assert z.std() == pytest.approx(1, abs=0.12)


def test_impossible_metrics_are_those_worked_by_hand():
    """BLOOMZ-176B-mt, Table 7: even with no rank beyond 5 outside the first four, Hit@1 0.096 and Hit@4 0.268 allow 0.328."""
    bounds = audit.rank_bounds().set_index(["artifact", "model"])
    row = bounds.loc[("table_07", "BLOOMZ-176B-mt")]
    assert not row["possible"]
    assert row["high"] < 0.096 + (0.268 - 0.096) / 2 + (1 - 0.268) / 5 + 0.01 < row["mrr"]
    assert bounds.xs("Random", level="model")["possible"].all()
    assert bounds.loc[("table_07", "GPT-4"), "possible"]


def test_the_verdict_does_not_hang_on_rounding():
    """Every rejected MRR lies further outside than the digits of all four numbers could move it."""
    bounds = audit.rank_bounds()
    bad = bounds[~bounds["possible"]]
    far = np.maximum(bad["mrr"] - bad["high"], bad["low"] - bad["mrr"])
    assert (far > 0.002).all()


def test_humans_are_surpassed_where_the_paper_marks_it():
    humans = audit.humans().set_index("group")
    above = set(humans.index[humans["above_average"]])
    assert above == {"Philosophy", "Science", "Engineering", "Agronomy", "Medicine", "Art Studies"}
    assert not humans["above_top"].any()


def test_top_tens_count_lists():
    tens = audit.top_tens()
    assert set(tens.index[tens["lists"] == 4]) == {"GPT-4", "ChatGPT", "BLOOMZ-176B-mt"}
    assert tens.loc["BLOOMZ-7B1", "lists"] == 2
    assert tens[["xiezhi", "mmlu", "ceval", "m3ke"]].notna().sum().tolist() == [10] * 4


def test_few_shot_changes_are_differences_of_printed_cells():
    changes = audit.few_shot().set_index(["benchmark", "model", "shots"])["change"]
    assert changes["mmlu", "ChatGPT", "3-shot"] == pytest.approx(0.371 - 0.240)
    means = audit.few_shot_by_benchmark(changes.reset_index())
    assert ((means["ci_low"] < means["mean_change"]) & (means["mean_change"] < means["ci_high"])).all()


def test_spreads_compare_the_same_models():
    spreads = audit.spreads(draws=200)
    assert spreads["models"].nunique() == 1
    assert spreads["spread"].to_numpy() == pytest.approx(audit.common_models().std().to_numpy())
    assert ((spreads["ci_low"] < spreads["spread"]) & (spreads["spread"] < spreads["ci_high"])).all()
    assert audit.spreads(draws=200, seed=1)["ci_low"].tolist() != spreads["ci_low"].tolist()


def test_agreement_of_a_metric_with_itself_turned_around():
    agreement = audit.metric_agreement()
    assert len(agreement) == 4 * 6
    assert agreement["tau"].between(-1, 1).all()
    assert (agreement["models"] <= agreement["listed"]).all()


def test_fisher_interval_of_no_and_of_perfect_correlation():
    low, high = audit.fisher(0.0, 30)
    assert low == pytest.approx(-high)
    assert audit.fisher(1.0, 30)[1] == pytest.approx(1, abs=1e-5)
    assert np.isnan(audit.fisher(0.5, 4)).all()


# Counts of the released files


def test_counts_are_those_of_the_real_files(benchmark_files):
    folder = benchmark_files / "xiezhi"
    parts = {part: xiezhi.read(folder, part) for part in composition.PARTS}
    tree = xiezhi.taxonomy(folder)
    found = composition.count_disciplines(tree, parts)
    kept = composition.disciplines()
    assert found.fillna("").astype(str).to_numpy().tolist() == kept.fillna("").astype(str).to_numpy().tolist()
    assert composition.count_facts(tree, parts).to_numpy().tolist() == composition.facts().to_numpy().tolist()


def test_counts_are_consistent():
    for part, n in (("specialty", 14041), ("interdiscipline", 10746), ("train", 2478)):
        frame = published.select(composition.facts(), part=part)
        for quantity in ("right option", "categories", "labels"):
            assert frame.loc[frame["quantity"] == quantity, "n"].sum() == n
        categories = frame[frame["quantity"] == "categories"]
        labelled = composition.disciplines().query("level == 'category'")[part].sum()
        assert (categories["group"].astype(int) * categories["n"]).sum() == labelled


def test_deleted_disciplines_with_questions():
    deleted = composition.deleted().set_index("discipline")["questions"]
    assert deleted["Military Science"] == 435 + 504
    assert (deleted.dropna() > 0).sum() == 24
    assert deleted.isna().sum() == 2


def test_the_tables_of_the_reports_have_every_row():
    wide, _ = views.overall_table()
    assert wide.shape == (47 + 3, 19)
    assert views.category_table()[0].shape[0] == 12 + 4
    assert len(views.model_table()) == len(published.table("xiezhi", 11))
    assert views.bounds_table(audit.rank_bounds())["printed MRR is"].value_counts()["impossible"] == 6
    assert len(views.agreement_table(audit.metric_agreement())) == 6
    assert set(views.unlisted()) >= {"Falcon-7B", "Falcon-40B"}


def test_the_example_prompt_is_the_template_that_the_runner_fills():
    lines = [line for line, _ in protocol.example_lines()]
    assert lines[0].startswith("### 问题描述: '''")
    assert lines[-1] == "### 答案: '''"
    assert len(lines) == 6
