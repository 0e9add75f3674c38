"""Logs of other programs become records of the cache: a declaration a program (`declared`), or a
table whose columns are told by their names.

A log says what it holds; what an importer does not know is counted and reported, and a row without
what is needed is left out, with file, line and field (`Log.problems`).
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from analysis.errors import DataError
from analysis.items.checked_rows import rows
from runners.importers import declared, table
from runners.importers.base import Log, files

FORMATS = (*declared.names(), "table")


def sniff(source: Path) -> str:
    """The format of a log by its first row; `table` where that is of none.

    Raises
    ------
    DataError
        For a file or folder that is not there, or a declaration with an error.
    """
    harnesses = [*map(declared.harness, declared.names())]  # outside `suppress`
    for path in files(source):
        if path.suffix == ".eval":
            return "inspect"
        with suppress(DataError, StopIteration):
            row = next(rows(path, problems=[]))
            for harness in harnesses:
                if any(form.fits(row) for form in harness.forms):
                    return harness.name
    return "table"


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
    for path in paths:
        try:
            for record in of_file(path, log):
                some = True
                yield record
        except DataError as error:
            if len(paths) == 1:
                raise
            log.problems.append(error)
    if not some:
        raise next(iter(log.problems), DataError(f"no rows in the format {form}", file=sources[0]))
