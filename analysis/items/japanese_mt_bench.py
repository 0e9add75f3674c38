"""Japanese MT-Bench: questions in FastChat's format, answers of 34 model files and GPT-4's judgments of the first turn, 1-10."""

from pathlib import Path

import pandas as pd

from analysis.answers import judgments as judging
from analysis.items import reading, sea_mt_bench
from analysis.items.reading import Column

SOURCE = "https://github.com/AUGMXNT/FastChat"
BENCHMARK = "japanese_mt_bench"
JUDGMENTS = [
    Column("item_id", "question_id", int),  # a number in some rows, its digits as text in others
    Column("model"),
    Column("turn", type=int),
    Column("judge", type=list),
    Column("score", type=float),
    Column("source"),
]
UNPARSED = -1


def read(folder: Path | str | None = None, *, problems: list | None = None) -> pd.DataFrame:
    """Items: 80 questions of two turns, from `question_full.jsonl` in `japanese_mt_bench/` inside `paths.benchmarks()`."""
    file = reading.locate(BENCHMARK, folder, "question_full.jsonl", SOURCE)
    return sea_mt_bench.fastchat(file, "ja", BENCHMARK, problems=problems)


def judgments(folder: Path | str | None = None, *, problems: list | None = None) -> pd.DataFrame:
    """All 2,347 judgments, see `analysis.answers.judgments`; `file` names the run from which each comes, and -1 is a missing score.

    Some models were judged two or three times. The files do not say whether the repeated judgment saw the same response.
    """
    file = reading.locate(BENCHMARK, folder, "judgments.jsonl", SOURCE)
    category = read(folder).set_index("item_id")["category"]
    rows = []
    for row in reading.rows(file, JUDGMENTS, problems=problems):
        item_id = str(row["item_id"])
        if item_id not in category.index:
            reading.reject(row.error("no such question", "question_id"), problems)
            continue
        score = None if row["score"] == UNPARSED else row["score"]
        more = {"item_id": item_id, "judge": row["judge"][0], "score": score, "category": category[item_id]}
        rows.append(row.values | more)
    frame = pd.DataFrame(rows).rename(columns={"source": "file"}).assign(benchmark=BENCHMARK, language="ja")
    return judging.check(frame)
