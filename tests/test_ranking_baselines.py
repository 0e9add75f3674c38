"""Knowledge-free rankers: what each prefers, and that the committed ranks are those of the real
questions.
"""

import pandas as pd
import pytest

from analysis import schemas
from analysis.papers.xiezhi import files, option_sampling, ranking_baselines
from analysis.results import ranking
from tests.frames import items as items_of


def ranked(name: str, options: list[str], answer: str = "A", question: str = "问题") -> pd.Series:
    items = items_of(1, question=question, options=[options], answer=answer, language="zh")
    ranker = ranking_baselines.RANKERS[name]
    return ranking_baselines.rank(schemas.check(items, "items"), name, ranker).iloc[0]


@pytest.mark.parametrize(
    "name, options, better, tied",
    [
        ("baseline/longest-option", ["一二三", "一", "二三", "四五六"], 0, 1),
        ("baseline/as-listed", ["一", "二", "三", "四"], 0, 0),
        ("baseline/nearest", ["甲一", "甲二", "乙", "丙"], 0, 1),
        ("baseline/lexical-overlap", ["问", "题二", "三", "四"], 0, 0),
    ],
)
def test_preferences_by_hand(name, options, better, tied):
    row = ranked(name, options)
    assert (row["better"], row["tied"]) == (better, tied)


def test_no_ranker_sees_the_answer():
    options = ["甲一二", "甲三", "乙四五", "丙六七"]
    for name in ranking_baselines.RANKERS:
        rows = [ranked(name, options, answer) for answer in "ABCD"]
        assert sum(ranking.mean_rank(row["better"], row["tied"]) for row in rows) == pytest.approx(
            1 + 2 + 3 + 4
        )


def test_recorded_metrics_are_those_of_the_recorded_ranks():
    ours = ranking.table(ranking_baselines.recorded()).set_index(["benchmark", "model", "metric"])[
        "value"
    ]
    table = ranking_baselines.by_option_count()
    theirs = table[(table["setting"] == "paper") & (table["n_options"] == 50)].set_index(
        ["benchmark", "model", "metric"]
    )["value"]
    assert len(theirs) == len(ours)
    assert (ours[theirs.index] - theirs).abs().max() < 1e-5


@pytest.mark.slow
def test_recorded_ranks_are_those_of_the_real_questions(benchmark_files):
    parts = {
        p: files.items(p, benchmark_files / "xiezhi") for p in ("specialty", "interdiscipline")
    }
    pool = option_sampling.Pool(pd.concat(parts))
    items = option_sampling.widen(parts["specialty"].iloc[::700], pool=pool)
    recorded = ranking_baselines.recorded()
    for name, ranker in ranking_baselines.RANKERS.items():
        found = ranking_baselines.rank(items, name, ranker).set_index("item_id")
        kept = recorded[
            (recorded["model"] == name) & (recorded["benchmark"] == "xiezhi_specialty")
        ].set_index("item_id")
        assert (
            kept.loc[found.index, ["better", "tied"]].to_numpy()
            == found[["better", "tied"]].to_numpy()
        ).all(), name
