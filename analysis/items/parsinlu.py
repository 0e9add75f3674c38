"""ParsiNLU's Persian multiple-choice questions (literature, common knowledge, maths and logic), JSON Lines files."""

from pathlib import Path

import pandas as pd

from analysis.errors import unknown
from analysis.items import reading
from analysis.items.reading import Column

SOURCE = "https://github.com/persiannlp/parsinlu"
FOLDER = "persian_items"
SPLITS = ("test", "train", "valid")
COLUMNS = [Column("answer", type=int), Column("candidates", type=list), Column("category"), Column("question")]


def read(folder: Path | str | None = None, split: str = "test", *, problems: list | None = None) -> pd.DataFrame:
    """Items of ParsiNLU's multiple choice: 1,050 (test), 1,271 (train), 139 (valid), in three categories.

    Parameters
    ----------
    folder : path, optional
        Holds `test.jsonl`, ...; by default `persian_items/` inside `paths.benchmarks()`.
    split : {"test", "train", "valid"}
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is split and line; `subject` and `category` are both the file's category.
    """
    if split not in SPLITS:
        raise unknown("split of parsinlu", split, SPLITS)
    file = reading.locate(FOLDER, folder, f"{split}.jsonl", SOURCE)
    return reading.items(
        "parsinlu", "fa", reading.rows(file, COLUMNS, problems=problems), lambda row: _item(row, split), problems
    )


def _item(row: reading.Row, split: str) -> dict:
    options, number = list(row["candidates"]), row["answer"]
    while options and options[-1] == "":  # questions of three options are padded to four
        options.pop()
    if not 1 <= number <= len(options):
        raise row.error(f"{number} is not the number of one of {len(options)} candidates", "answer")
    return {
        "item_id": f"{split}/{row.line}",
        "subject": row["category"],
        "category": row["category"],
        "question": row["question"],
        "options": options,
        "answer": "ABCDEFGHI"[number - 1],
    }
