"""Benchmarks that keep one CSV a subject: CMMLU, C-Eval, MMLU."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pandas as pd

from analysis.errors import unknown
from analysis.items import parsing, reading


def categories(groups: dict[str, str]) -> dict[str, str]:
    """Subject -> category, from category -> subjects in one string."""
    return {subject: category for category, names in groups.items() for subject in names.split()}


@dataclass(frozen=True)
class Layout:
    """How one benchmark lays out its files.

    Attributes
    ----------
    name, language : str
    files : dict of str to str
        Split -> path of a subject's file, with ``{subject}`` in it.
    columns : list of Column
        Declared columns; they give `question`, `A` to `D` and `answer`.
    categories : dict of str to str
        Subject -> category; all subjects there are.
    source : str
        Where the owner publishes the files.
    number : str, optional
        Column that numbers a subject's questions; their place in the file, from 0, if left out.
    """

    name: str
    language: str
    files: dict[str, str]
    columns: list
    categories: dict[str, str]
    source: str
    number: str | None = None

    def read(self, folder: Path | str | None, split: str, subjects: Iterable[str] | None, problems: list | None) -> pd.DataFrame:
        """Items of one split; `item_id` is subject and number, such as ``anatomy/0``.

        Parameters
        ----------
        folder : path, optional
            Holds the files of all splits; by default the folder of the benchmark's name inside `paths.benchmarks()`.
        split : str
        subjects : iterable of str, optional
            Only these; every subject's file must be there.
        problems : list, optional
            Receives bad rows as `DataError`s; without it the first one is raised.
        """
        if split not in self.files:
            raise unknown(f"split of {self.name}", split, self.files)
        subjects = sorted(self.categories if subjects is None else subjects)
        if strange := [subject for subject in subjects if subject not in self.categories]:
            raise unknown(f"subject of {self.name}", strange[0], self.categories)
        place = [self.files[split].format(subject=subject) for subject in subjects]
        files = {
            reading.locate(self.name, folder, path, self.source): subject for path, subject in zip(place, subjects, strict=True)
        }
        rows = chain.from_iterable(reading.rows(file, self.columns, problems=problems) for file in files)
        number = self._number(files)
        return reading.items(self.name, self.language, rows, lambda row: self._item(row, files[row.file], number(row)), problems)

    def _number(self, files: Iterable[Path]) -> Callable[[reading.Row], object]:
        if self.number:
            return lambda row: row[self.number]
        place = {(file, line): row for file in files for row, (line, _) in enumerate(parsing.csv_records(file, None))}
        return lambda row: place[row.file, row.line]

    def _item(self, row: reading.Row, subject: str, number: object) -> dict:
        return {
            "item_id": f"{subject}/{number}",
            "subject": subject,
            "category": self.categories[subject],
            "question": row["question"],
            "options": [row[label] for label in "ABCD"],
            "answer": row["answer"],
        }
