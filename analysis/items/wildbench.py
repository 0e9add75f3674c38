"""WildBench: 1-10 scores by two judges of responses to 1,024 tasks of real users, and the means that its leaderboard prints."""

import json
from pathlib import Path

import pandas as pd

from analysis.answers import judgments as judging
from analysis.items import parsing, reading
from analysis.items.reading import Column

SOURCE = "https://github.com/allenai/WildBench"
FOLDER = "wildbench_scores"
RELEASES = ("v2.0522", "v2.0625")
COLUMNS = [
    Column("release"),
    Column("judge"),
    Column("model"),
    Column("item_id", "session_id"),
    Column("score", type=float),
    Column("response", "output_sha1"),
]
OUTPUTS = [Column("response", "output_sha1"), Column("text", "output", required=False)]


def judgments(folder: Path | str | None = None, *, problems: list | None = None) -> pd.DataFrame:
    """All 23,525 judgments, see `analysis.answers.judgments`, with `release` and the judged `response`.

    A response is named by the checksum of its text without surrounding space, since the two releases differ in that alone.
    """
    file = reading.locate(FOLDER, folder, "scores.jsonl.gz", SOURCE)
    texts = reading.rows(reading.locate(FOLDER, folder, "outputs.jsonl.gz", SOURCE), OUTPUTS, problems=problems)
    first: dict[str, str] = {}
    same = {row["response"]: first.setdefault((row["text"] or "").strip(), row["response"]) for row in texts}
    rows = [row.values for row in reading.rows(file, COLUMNS, problems=problems)]
    frame = pd.DataFrame(rows).assign(benchmark="wildbench", language="en", category="all", turn=1)
    return judging.check(frame.assign(response=frame["response"].map(same).fillna(frame["response"])))


def leaderboard(folder: Path | str | None = None) -> pd.Series:
    """Printed mean score of each model, index model."""
    file = reading.locate(FOLDER, folder, "leaderboard_score.json", SOURCE)
    return pd.Series({name: row["score"] for name, row in json.loads(parsing.text(file)).items()}, name="score", dtype=float)
