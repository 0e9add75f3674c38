"""The audit of printed tables: read files, recognize their tables, run every check."""

import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from analysis.audit import (
    checks_averages,
    checks_counts,
    checks_marks,
    checks_relations,
    checks_text,
    corrections,
    layout,
    reading,
)
from analysis.audit.findings import Audit
from analysis.audit.grids import Document, Grid, NoTable, Paragraph, Unread
from analysis.audit.printed_table import Table
from analysis.errors import DataError

_SECONDS = 60  # of the checks, a document
_WIDEST, _LARGEST = 300, 100_000  # columns and cells of a table
_CHECKS = (
    checks_averages,
    checks_counts,
    checks_marks,
    checks_relations,
)


@dataclass
class Source:
    """The tables of files.

    Attributes
    ----------
    tables : list of Table
    unread : list of Unread
        Tables and files that could not be read.
    paragraphs : list of Paragraph
        The text around them.
    without_numbers : int
        Tables that were read and hold no numbers.
    unchanged : int
        Tables left out, as no line of them changed.
    """

    tables: list[Table] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    without_numbers: int = 0
    unchanged: int = 0

    @property
    def distinct(self) -> list[Table]:
        """Tables; one that several documents input only once."""
        by_place = {}
        for one in self.tables:
            put_in = one.grid.document not in ("", one.file)
            by_place.setdefault((one.file, *one.grid.lines) if put_in else id(one), one)
        return list(by_place.values())

    def __str__(self) -> str:
        count = len(self.distinct)
        total = count + len(self.unread) + self.without_numbers + self.unchanged
        parts = [f"{total} table{'s' * (total != 1)} in the source", f"{count} read"]
        others = {"without numbers": self.without_numbers, "unchanged": self.unchanged}
        others["not read"] = len(self.unread)
        return ", ".join([*parts, *(f"{k} {name}" for name, k in others.items() if k)])


def read(paths: list[Path], n: int | None = None, may_be_empty: bool = False) -> Source:
    """The tables of files or folders; of several, those without a table are passed over.

    Parameters
    ----------
    paths : list of Path
        Files, or folders of files (see `reading.SUFFIXES`).
    n : int, optional
        Questions behind every number.
    may_be_empty : bool
        A source without a table is no error.

    ``<name>.audit.yaml`` beside a file corrects its reading.

    Raises
    ------
    DataError
        Where a file cannot be read, none has a table of numbers, or a correction names what is not
        there.
    """
    source = Source()
    for path in paths:
        grids = _grids(path, source)
        its = path.with_name((path.stem if path.is_file() else path.name) + ".audit.yaml")
        by_table = corrections.read(its, grids) if its.is_file() else [None] * len(grids)
        for grid, of_table in zip(grids, by_table, strict=True):
            width = len(grid.rows[0]) if isinstance(grid, Grid) else 0
            if width > _WIDEST or width * len(grid.rows) > _LARGEST:
                why = "more than 300 columns or 100,000 cells: no table that somebody printed"
                source.unread.append(Unread(grid.file, why))
                continue
            try:
                table = grid if isinstance(grid, Table) else layout.read(grid, of_table, n)
            except DataError as error:
                raise DataError(error.reason, file=its, field=grid.name) from error
            if table is None:
                source.without_numbers += 1
            else:
                source.tables.append(table)
    if not (source.tables or may_be_empty):
        lost = "".join(f"; {one.why}" for one in source.unread)
        raise NoTable(f"no table of numbers in it{lost}", file=paths[0])
    _name_files(source.tables)
    return source


def tables(path: Path) -> list[Table]:
    """The tables of one file or folder, as `read` gives them."""
    return read([path]).tables


def _grids(path: Path, source: Source) -> list[Grid | Table]:
    """The grids of a path; its text, and what could not be read of it, are added to the source."""
    grids = []
    for file in reading.files(path):
        try:
            document = reading.read(file, path if path.is_dir() else path.parent)
        except DataError as error:
            if not path.is_dir():
                raise
            document = Document([], unread=[Unread(str(file), error.reason)])
        grids += document.grids
        source.paragraphs += document.paragraphs
        source.unread += document.unread
    return grids


def _name_files(tables: list[Table]) -> None:
    """Put the file before the names of tables of several files."""
    files = [Path(table.file).resolve() for table in tables]
    if len(set(files)) > 1:
        folder = os.path.commonpath(file.parent for file in files)
        for table, file in zip(tables, files, strict=True):
            table.name = f"{file.relative_to(folder)}: {table.name}"


def check(source: Source) -> Audit:
    """Every check on every table, then the text, for a minute a document.

    What was not read, or not checked in this time, is a finding.
    """
    audit = Audit()
    end = monotonic() + _SECONDS * max(1, len({table.grid.document for table in source.tables}))
    late = []
    with warnings.catch_warnings():
        # a row or column without numbers has no mean and no maximum, as it should be
        warnings.simplefilter("ignore", RuntimeWarning)
        for table in source.distinct:
            if monotonic() > end:
                late.append(Unread(table.file, f"not checked in {_SECONDS} seconds: {table.name}"))
                continue
            for module in _CHECKS:
                module.check(table, audit)
        late += checks_text.check(source.tables, source.paragraphs, audit, end)
    for one in source.unread + late:
        audit.not_read(one)
    return audit
