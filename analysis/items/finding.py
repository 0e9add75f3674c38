"""Descriptions of benchmarks by name or path, read from their files.

Those of benchmarks that others publish lie in `data/items/`; a user's own in
``POLYEXAM_DATA/<name>/benchmark.yaml``, or anywhere, and then their path stands where a benchmark's
name does.
"""

import os
import re
from pathlib import Path

from analysis import paths, written
from analysis.errors import DataError, unknown
from analysis.items import inference
from analysis.items.descriptions import FILE, PROJECT, Description, described
from analysis.items.file_formats import ENDINGS, YAML


def names() -> list[str]:
    """Names of the benchmarks that are described in the project or in `paths.benchmarks()`."""
    users = (file.parent.name.replace("__", "/") for file in paths.benchmarks().glob(f"*/{FILE}"))
    return sorted({*(file.stem for file in PROJECT.glob("*.yaml")), *users})


def folder(name: str) -> Path:
    """The folder of a user's benchmark inside `paths.benchmarks()`; a name such as
    ``group/task`` is one folder.

    Raises
    ------
    DataError
        For a name that is none.
    """
    plain = name.replace("/", "__")
    if not re.fullmatch(r"[^.\s\\\0][^\\\0]*", plain) or len(plain.encode()) > 200:
        raise DataError(f"is no name of a benchmark (value {name[:80]!r})", field="benchmark")
    return paths.benchmarks() / plain


_GIVEN = {}  # name -> path, of benchmarks that were named by a path


def known(benchmark: str) -> str:
    """The name of a benchmark that may be given as a path; from then on, in this process, the name
    finds it too.

    A name that nothing has stays as it is: outputs may be kept under it.

    Raises
    ------
    DataError
        For a path where no description is.
    """
    if not _is_path(benchmark):
        return benchmark
    name = find(benchmark).name
    _GIVEN[name] = Path(benchmark).absolute()
    return name


def _is_path(benchmark: str | Path) -> bool:
    """Whether it is no benchmark's name: it ends as a file or folder does, begins with a dot, or
    (of several parts) is there.
    """
    text = str(benchmark)
    if text.endswith((*ENDINGS, "/")) or text.startswith((".", "/")):
        return True
    return "/" in text and os.path.isfile(f"{text}/{FILE}")


def find(benchmark: str | Path) -> Description:
    """The description of a benchmark, by its name, or by the path of its description, its folder,
    or its only file.

    Raises
    ------
    DataError
        For a name that nothing has, or a description that says what nobody knows.
    """
    benchmark = _GIVEN.get(str(benchmark), benchmark)
    if _is_path(benchmark):
        path = Path(benchmark).absolute()
        if path.is_dir():
            path /= FILE
    else:
        files = folder(str(benchmark)) / FILE, PROJECT / f"{benchmark}.yaml"
        path = next(filter(Path.is_file, files), None)
    if path is None:
        raise unknown("benchmark", benchmark, names())
    values = written.load(path) if path.suffix in YAML else inference.guessed(path)
    return described(values, path.absolute())
