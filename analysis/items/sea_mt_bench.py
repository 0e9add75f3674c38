"""MT-bench-like open questions of two turns: SEA-HELM's translations (JSON Lines), and FastChat's own format."""

from pathlib import Path

import pandas as pd

from analysis.errors import unknown
from analysis.items import reading
from analysis.items.reading import Column

SOURCE = "https://github.com/aisingapore/SEA-HELM"
FILES = {
    "en": "en_sea_mt_bench.jsonl", "id": "id_sea_mt_bench.jsonl", "jv": "mt_bench_javanese_full.jsonl",
    "su": "mt_bench_sundanese_full.jsonl", "th": "mt_bench_thai_full.jsonl", "tl": "mt_bench_tagalog_full.jsonl",
    "vi": "vi_sea_mt_bench.jsonl",
}  # fmt: skip
COLUMNS = [
    Column("number", "question_id", int),
    Column("prompts", type=list),
    Column("references", type=list, required=False),
    Column("category", "metadata.category"),
]
FASTCHAT = [
    Column("number", "question_id", int),
    Column("turns", type=list),
    Column("references", "reference", type=list, required=False),
    Column("category"),
]


def read(folder: Path | str | None = None, language: str = "id", *, problems: list | None = None) -> pd.DataFrame:
    """Items of MT-bench as SEA-HELM has it: 58 questions, the same in all languages but Thai, which has 91 of its own.

    Parameters
    ----------
    folder : path, optional
        Holds the files; by default `sea_mt_bench/` inside `paths.benchmarks()`.
    language : str
        Key of `FILES`.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `question` is the first turn; `metadata` has `turns` and `references` (missing where the file has none).
    """
    if language not in FILES:
        raise unknown("language of sea_mt_bench", language, FILES)
    file = reading.locate("sea_mt_bench", folder, FILES[language], SOURCE)
    return reading.items("sea_mt_bench", language, reading.rows(file, COLUMNS, problems=problems), _item, problems)


def fastchat(file: Path | str, language: str, benchmark: str = "mt_bench", *, problems: list | None = None) -> pd.DataFrame:
    """Items of a question file in FastChat's format: `question_id`, `category`, `turns`, and `reference` where there is one."""
    rows = reading.rows(Path(file), FASTCHAT, problems=problems)
    return reading.items(benchmark, language, rows, lambda row: open_item(row, row["turns"]), problems)


def _item(row: reading.Row) -> dict:
    return open_item(row, [turn.get("text") if isinstance(turn, dict) else turn for turn in row["prompts"]])


def open_item(row: reading.Row, turns: list) -> dict:
    """An open question of several turns, whose texts are checked."""
    for number, turn in enumerate(turns, start=1):
        if reason := reading.fault(turn):
            raise row.error(f"turn {number} {reason}", "turns")
    return {
        "item_id": str(row["number"]),
        "subject": row["category"].lower(),
        "category": row["category"],
        "question": turns[0] if turns else None,
        "options": [],
        "answer": None,
        "metadata": {"turns": list(turns), "references": row["references"]},
    }
