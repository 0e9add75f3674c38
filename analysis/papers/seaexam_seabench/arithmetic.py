"""SeaExam and SeaBench: printed scores by language, the counts behind the accuracies, and what the averages recompute to."""

import numpy as np
import pandas as pd

from analysis import papers, schemas
from analysis.results import counts, published
from analysis.statistics.intervals import mover

PAPER = "seaexam_seabench"


def scores(benchmark: str) -> pd.DataFrame:
    """Printed scores, models x languages, in the table's order: accuracy in percent or judge scores from 1 to 10."""
    about = papers.read(PAPER)
    frame = published.results(PAPER, artifact=about.table(benchmark, "leaderboard"), benchmark=benchmark, group_by="language")
    wide = frame.pivot(index="model", columns="group", values="value")
    return wide.loc[list(dict.fromkeys(frame["model"])), list(about.languages)]


def cells() -> pd.DataFrame:
    """SeaExam and MMLU-SEA by language as counts of their questions, source `reconstructed`: the nearest k, with Wilson intervals.

    One decimal of some 2,000 questions leaves one to three k; `correct_low` and `correct_high` are the ends.
    """
    printed = published.results(PAPER, artifact="table_08", group_by="language")
    return counts.reconstruct(printed, papers.read(PAPER).sizes)


def averages(artifact: str) -> pd.DataFrame:
    """Means over the three printed languages of a score table, with MOVER limits where questions are counted.

    Returns
    -------
    DataFrame
        The `results` shape, source `reconstructed`. Judge scores have no interval: scores of single questions are not published.
    """
    printed = published.results(PAPER, artifact=artifact, group_by="language")
    exams = (
        published.select(cells(), benchmark=list(printed["benchmark"].unique()))
        .set_index(["benchmark", "model", "group"])
        .sort_index()
    )
    rows = []
    keys = ["paper", "artifact", "benchmark", "model", "setting", "metric", "unit"]
    for key, part in printed.groupby(keys, sort=False):
        identity = dict(zip(keys, key, strict=True))
        low = high = n = np.nan
        if part["unit"].eq("percent").all():
            counted = exams.loc[key[2], key[3]]
            _, low, high = mover(counted["value"], counted["ci_low"], counted["ci_high"])
            n = counted["n"].sum()
        limits = {"value": part["value"].mean(), "ci_low": low, "ci_high": high, "n": n}
        rows.append(identity | {"group_by": "average", "group": "languages", "source": "reconstructed", **limits})
    return schemas.check(pd.DataFrame(rows), "results")
