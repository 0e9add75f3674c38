"""The transcription of Xiezhi against itself."""

import numpy as np
import pandas as pd
import pytest

from analysis.papers import published

PAPER = "xiezhi"
OPTIONS = 50
METRIC_TABLES = ["table_07", "table_08", "table_09", "table_10"]


@pytest.fixture(scope="module")
def table_1() -> pd.DataFrame:
    return published.results(PAPER, artifact="table_01")


def test_impossible_cells_are_suspect(table_1):
    impossible = (
        table_1["metric"].eq("mrr")
        & table_1["value"].notna()
        & ~table_1["value"].between(1 / OPTIONS, 1)
    )
    assert impossible.sum() > 0
    assert table_1.loc[impossible, "suspect"].all()


def test_random_rows_are_the_exact_expectation_cut_off_or_rounded():
    frame = published.results(PAPER, artifact=METRIC_TABLES, model="Random")
    ranks = np.arange(1, OPTIONS + 1)
    exact = {
        "mrr": (1 / ranks).mean(),
        "hit_at_1": 1 / 50,
        "hit_at_4": 4 / 50,
        "mean_rank": ranks.mean() / 50,
    }
    for row in frame.itertuples():
        assert np.floor(exact[row.metric] * 1000 + 1e-9) == pytest.approx(row.value * 1000)
