"""Logs of other programs become records of the cache: a declaration a program (`declared`), or a
table whose columns are told by their names.

A log says what it holds; what an importer does not know is counted and reported, and a row without
what is needed is left out, with file, line and field (`Log.problems`).
"""

import filecmp
import os
import re
from collections.abc import Iterator
from functools import partial
from itertools import combinations, islice
from pathlib import Path

from analysis.errors import DataError
from analysis.items.checked_rows import Row
from analysis.items.file_formats import ENDINGS
from runners.importers import declared, recognition, table
from runners.importers.base import Log, files

_REFERENCES = re.compile(r"(?i)reference[_ -]?answer")  # a folder that FastChat gives to judges
_ALIKE = 20  # rows, and characters of each, that are in two files for no other reason
FORMATS = (*declared.names(), "table")


def families(sources: list[Path], log: Log) -> tuple[list[tuple[str, list[Path]]], dict[Path, str]]:
    """Files that are read together, each family with its format by its first rows: files of one
    harness, or tables most of whose columns are the same; the largest first. And files that are no
    runs, with the reason: reference answers, and those that have the rows of another one.

    Raises
    ------
    DataError
        For a file or folder that is not there, or a declaration with an error.
    """
    groups: list[tuple[str, set, list]] = []
    sizes: dict[int, list[Path]] = {}  # files by their size
    none = {}
    paths = [path for source in sources for path in table.files_of(source, log)]
    first = {path: table.first(path, log) for path in paths}
    forms = {path: declared.form_of(row) for path, row in first.items() if row}
    unnamed = [path for path in paths if path in log.read and not forms.get(path)]
    contained = _contained({path: log.read[path][0] for path in unnamed})
    for path in paths:
        if _REFERENCES.search(path.parent.name) and path not in sources:
            none[path] = "has reference answers by its folder's name"
            continue
        row = first[path]
        if other := contained.get(path):
            none[path] = f"has nothing that is not in {other.name}"
            if other.name == path.name:
                none[path] = f"has nothing that is not in {other.parent.name}, under the same name"
            continue
        form = "inspect" if path.suffix == ".eval" else forms.get(path)
        if form and declared.harness(form).layered:
            return [(form, sources)], {}
        if form:  # such files say whose they are
            alike = sizes.setdefault(os.path.getsize(path), [])
            if again := [other for other in alike if filecmp.cmp(path, other, shallow=False)]:
                none[path] = f"is {again[0].name} once more"
                continue
            alike.append(path)
        names = {*recognition.columns_of(row)} if row and not form else set()
        for other, columns, paths in groups:
            if other == form and 2 * len(names & columns) >= len(names | columns):
                paths.append(path)
                break
        else:
            groups.append((form, names, [path]))
    if not groups:
        raise DataError("holds no file of a format that is read", file=sources[0])
    if len(groups) == 1 and not none:
        return [(groups[0][0] or "table", sources)], {}
    groups.sort(key=lambda group: -sum(map(os.path.getsize, group[2])))
    return [(form or "table", paths) for form, _, paths in groups], none


def _contained(tables: dict[Path, list[Row]]) -> dict[Path, Path]:
    """Tables all of whose rows are in another one, with answers that are not so by chance; of two
    that are equal the second.
    """
    columns = {path: frozenset(recognition.columns_of(*rows)) for path, rows in tables.items()}
    worded = {path: _worded(rows, columns[path]) for path, rows in tables.items()}
    hashed: dict[tuple, set] = {}  # rows of a table with some of its columns

    def rows_of(path: Path, names: frozenset) -> set[int]:
        if (path, names) not in hashed:
            cells = ([row.cell(x) for x in sorted(names)] for row in tables[path])
            hashed[path, names] = {hash(tuple(row)) for row in cells}
        return hashed[path, names]

    def order(path: Path) -> tuple[int, int, int]:  # no later one contains an earlier one
        return -len(columns[path]), -len(tables[path]), len(path.parts)

    within: dict[Path, Path] = {}
    for other, path in combinations(sorted(tables, key=order), 2):
        names, n = columns[path], len(tables[path])
        alike = names <= columns[other] and _ALIKE <= n <= len(tables[other])
        if path in within or not alike or not worded[path]:
            continue
        if rows_of(path, names) <= rows_of(other, names):
            within[path] = other
    return within


def _worded(rows: list[Row], names: frozenset) -> bool:
    """Whether rows have words next to questions."""
    about = recognition.of_item([*names])
    others = names - {about["question"], about["options"]}
    return sum(len(row.cell(name)) for row in rows for name in others) >= _ALIKE * len(rows)


def records(form: str, sources: list[Path], log: Log) -> Iterator[dict]:
    """Records of the files or folders `sources`, in the format `form`; of several files a bad one
    does not keep the others from being read.

    Raises
    ------
    DataError
        Where no row is good, with why the first is none.
    """
    files_of, of_file = partial(table.files_of, log=log), table.records
    if form != "table":
        harness = declared.harness(form)
        files_of = partial(files, patterns=harness.files)
        of_file = partial(declared.records, harness)
    paths = [path for source in sources for path in files_of(source)]
    some = False
    if form == "table" and table.few(paths, log):
        yield from table.records(paths[0], log, *paths[1:])
        return
    if form == "table":
        log.sample = table.sample(paths, log)
    for path in paths:
        try:
            for record in islice(of_file(path, log), log.most):
                some = True
                yield record
        except DataError as error:
            if len(paths) == 1:
                raise
            log.problems.append(error)
    if not some:
        raise next(iter(log.problems), DataError(f"no rows in the format {form}", file=sources[0]))
