"""SeaExam and SeaBench's arithmetic: exact counts, bounds on human ties and on kappa."""

import numpy as np
import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.papers import seaexam_seabench as paper
from analysis.results import published
from analysis.statistics import agreement


def test_every_printed_agreement_is_one_integer_count():
    votes = paper.votes()
    assert len(votes) == 7 * 3 * 2 * 2  # judges, languages, views, margins
    assert (votes["value"].round(1) - votes["printed"].astype(float)).abs().max() < 0.051
    first = votes.query("model == 'GPT-4o' and group == 'id' and margin == 1").set_index("view")
    assert first["agree"].to_dict() == {"with ties": 403, "without ties": 221}
    assert ((votes["ci_low"] < votes["value"]) & (votes["value"] < votes["ci_high"])).all()


def test_printed_averages_are_means_of_languages():
    votes = paper.votes()
    printed = published.results(paper.PAPER, artifact=["table_03", "table_12"], group_by="average").set_index(
        ["model", "setting"]
    )
    means = votes.groupby(["model", "setting"])["value"].mean()
    gap = means - printed["value"].reindex(means.index)
    assert gap.abs().max() < 0.1


def test_questions_are_the_printed_totals():
    n = paper.questions().set_index(["benchmark", "group"])["n"]
    assert n["seaexam"].sum() == 5451
    assert (n["mmlu_sea"] == 2850).all()


def test_scores_are_models_by_languages():
    table = paper.scores("mt_bench_sea_human")
    assert table.shape == (9, 3)
    assert table.loc["Gemma-2-9B"].tolist() == [7.46, 7.38, 7.46]
    with pytest.raises(DataError, match="did you mean seabench"):
        paper.scores("sea_bench")


def test_votes_split_into_all_there_are():
    table = paper.decomposition()
    assert (table[["decided", "agreed_ties", "mixed"]].sum(axis=1) == table["n"]).all()
    assert (table[["decided", "agreed_sides", "agreed_ties", "mixed"]] >= 0).all(axis=None)
    assert (table["human_ties_low"] <= table["human_ties_high"]).all()


def test_human_ties_lie_between_a_quarter_and_a_half():
    assert paper.human_ties().to_numpy().tolist() == [[188, 253], [141, 208], [188, 275]]


def test_without_ties_cannot_mean_pairs_that_the_judge_alone_decided():
    table = paper.decomposition()
    # Then the votes on which people tied are those agreed as ties and some of those decided by the judge and not agreed.
    wrong = table["agreed_ties"] + table["decided"] - table["agreed_sides"] + paper.VOTES - table["n"]
    with pytest.raises(DataError, match="no number of human ties"):
        paper.human_ties(table.assign(human_ties_high=wrong))


def simulated(seed: int) -> tuple[pd.DataFrame, np.ndarray, dict]:
    """Votes of people and of two noisy judges, and what a paper would print of them."""
    rng = np.random.default_rng(seed)
    gap = rng.normal(0, 2.5, paper.VOTES)
    human = agreement.verdicts(gap + rng.normal(0, 1, paper.VOTES), np.zeros(paper.VOTES), 1)
    rows, truth = [], {}
    for judge in ("one", "two"):
        scores = np.rint(gap + rng.normal(0, 1.5, paper.VOTES))
        for margin in paper.MARGINS:
            vote = agreement.verdicts(scores, np.zeros(paper.VOTES), margin)
            found = agreement.compare(vote, human, draws=2)
            rows += [(judge, "xx", margin, view, found[view]["n"], found[view]["agree"]) for view in agreement.VIEWS]
            truth[judge, margin] = found
    return pd.DataFrame(rows, columns=["model", "group", "margin", "view", "n", "agree"]), human, truth


@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_what_is_true(seed):
    votes, human, truth = simulated(seed)
    table = paper.decomposition(votes)
    low, high = paper.human_ties(table).loc["xx"]
    assert low <= (human == 0).sum() <= high
    for row in paper.kappa_bounds(table).itertuples():
        found = truth[row.model, row.margin]
        assert row.agreement == pytest.approx(found["with ties"]["rate"])
        # Sides drawn at random are preferred equally often only on average.
        assert row.kappa_low - 0.01 <= found["with ties"]["kappa"] <= row.kappa_high + 0.01
        assert row.kappa_sides == pytest.approx(found["without ties"]["kappa"], abs=0.02)


def test_pairs_that_the_margin_drops_are_the_harder_ones():
    pairs = paper.one_point_pairs().query("group == 'all'")
    assert (pairs["ci_high"] < pairs["kept_value"]).all()
    gpt = pairs.set_index("model").loc["GPT-4o"]
    assert (gpt["n"], gpt["agree"]) == (221, 156)
