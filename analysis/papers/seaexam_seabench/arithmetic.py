"""What do the printed scores by language, and the counts behind them, say of the benchmarks?"""

import pandas as pd

from analysis import outputs, papers, schemas
from analysis.answers import extract
from analysis.claims.evidence import evidence
from analysis.items import read as read_items
from analysis.papers import counts, published
from analysis.papers.averages import overall
from analysis.results import metrics

PAPER = "seaexam_seabench"


def scores(benchmark: str) -> pd.DataFrame:
    """Printed scores, models x languages, in the table's order: accuracy in percent or judge scores
    from 1 to 10.
    """
    about = papers.read(PAPER)
    artifact = about.benchmark(benchmark).tables["leaderboard"]
    where = {"artifact": artifact, "benchmark": benchmark, "group_by": "language"}
    frame = published.results(PAPER, **where)
    wide = frame.pivot(index="model", columns="group", values="value")
    return wide.loc[frame["model"].unique(), list(about.languages)]


def cells() -> pd.DataFrame:
    """SeaExam and MMLU-SEA by language as counts of their questions, source `reconstructed`: the
    nearest k, with Wilson intervals.

    One decimal of some 2,000 questions leaves one to three k; `correct_low` and `correct_high` are
    the ends.
    """
    printed = published.results(PAPER, artifact="table_08", group_by="language")
    return counts.reconstruct(printed, papers.read(PAPER).sizes.drop(columns="sample"))


def averages(artifact: str) -> pd.DataFrame:
    """Means over the three printed languages of a score table, with MOVER limits where questions
    are counted.

    Returns
    -------
    DataFrame
        The `results` shape, source `reconstructed`. Judge scores have no interval: scores of single
        questions are not published.
    """
    printed = published.select(evidence(PAPER), artifact=artifact, group_by="language")
    parts = printed.assign(n=printed["n_effective"], source="reconstructed")
    return overall(parts, "languages")


def exams(benchmark: str) -> pd.DataFrame:
    """Accuracy by language of cached outputs, by their final answers; no rows without outputs."""
    cached = outputs.own(benchmark)
    if cached.empty:
        return schemas.results()
    items = read_items(benchmark)
    answers = extract(cached, items, "final_answer")
    scored = metrics.score(answers, items, by=("language",))
    return published.select(metrics.as_printed(scored), metric="accuracy")
