"""Rows that know their place: a bad one is refused by file, line and field.

Where the caller gives a list `problems`, bad rows are put there as `DataError`s and the rest is
read; without it the first one is raised. What spoils a whole file (absent, not UTF-8, JSON that
breaks off) is always raised.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis import paths
from analysis.errors import DataError
from analysis.items import places
from analysis.items.file_formats import PLAIN, Layout, records


@dataclass(frozen=True)
class Row:
    """A row of a file: its values, and the line on which it begins."""

    values: dict
    file: Path
    line: int | None = None

    def error(self, reason: str, field: str | int | None = None) -> DataError:
        """A `DataError` that names this row."""
        return DataError(reason, file=self.file, line=self.line, field=field)

    def cell(self, name: str) -> str:
        """The text in a column, without spaces around it; empty where there is nothing."""
        value = self.values.get(name)
        return "" if value is None else str(value).strip()

    def find(self, place: str | int) -> object:
        """The value at a place (`places`), None where there is nothing."""
        return places.find(self.values, place)


def rows(file: Path, layout: Layout = PLAIN, problems: list | None = None) -> Iterator[Row]:
    """Rows of a file, with `_row` (its number from 0, bad rows count), `_line` and what the file's
    name says among the values.

    Raises
    ------
    DataError
        Always for what spoils the file, or where it has no rows; for a row that is no mapping
        unless `problems` collects it.
    """
    line, about = None, places.about(file)
    for number, (line, record) in enumerate(records(file, layout)):
        if isinstance(record, Mapping):
            yield Row({**about, **record, "_row": number, "_line": line}, file, line)
            continue
        if not isinstance(record, DataError):
            record = DataError("is not a JSON object", file=file, line=line)
        reject(record, problems)
    if line is None:
        raise DataError("holds no rows", file=file)


def existing(file: Path, source: str) -> Path:
    """A native file; an error that names who publishes it (`source`) where it is not there."""
    if not os.path.isfile(file):  # Path.is_file raises where a name is too long
        raise DataError(
            f"no such file (POLYEXAM_DATA is now {paths.benchmarks()}; "
            f"its owner publishes it at {source})",
            file=file,
        )
    return file


def reject(error: DataError, problems: list | None) -> None:
    """Raise `error`, or put it into `problems` where that is a list."""
    if problems is None:
        raise error
    problems.append(error)


def fault(value: object) -> str | None:
    """What is wrong with `value` as a text; None where nothing is."""
    if not isinstance(value, str):
        return f"is not text (value {str(value)[:80]!r})"
    if not value.strip():
        return "is empty"
    if "\0" in value:
        return "holds a NUL byte"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair"
    return None
