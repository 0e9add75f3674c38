"""CMMLU: Chinese multiple-choice questions in 67 subjects, a CSV file each. TLUE's Ti-MMLU is its translation."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.items import by_subject
from analysis.items.reading import Column
from analysis.results import published

SOURCE = "https://huggingface.co/datasets/haonan-li/cmmlu"
SPLITS = ("test", "dev")
COLUMNS = [
    Column("row", "", int),
    Column("question", "Question"),
    *(Column(label) for label in "ABCD"),
    Column("answer", "Answer"),
]

# Table 18 of TLUE shortens one name; Tables 14-17 and the files spell it out.
SPELLED_OUT = {"elementary_it": "elementary_information_and_technology"}


def _categories() -> dict[str, str]:
    table = published.table("tlue", 18)
    return dict(zip(table["subject"].replace(SPELLED_OUT), table["category"], strict=True))


CATEGORIES = _categories()  # subject -> category, TLUE's Table 18 as printed
LAYOUT = by_subject.Layout(
    "cmmlu", "zh", {split: f"{split}/{{subject}}.csv" for split in SPLITS}, COLUMNS, CATEGORIES, SOURCE, "row"
)


def read(
    folder: Path | str | None = None,
    split: str = "test",
    *,
    subjects: Iterable[str] | None = None,
    problems: list | None = None,
) -> pd.DataFrame:
    """Items of CMMLU: 11,582 (test) or 335 (dev) in 67 subjects, four options each.

    Parameters
    ----------
    folder : path, optional
        Holds `test/` and `dev/`; by default `cmmlu/` inside `paths.benchmarks()`.
    split : {"test", "dev"}
    subjects : iterable of str, optional
        Only these; every subject's file must be there.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is subject and row number, such as ``agronomy/0``.
    """
    return LAYOUT.read(folder, split, subjects, problems)
