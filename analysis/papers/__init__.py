"""Papers as data: what each says about its benchmarks, from `paper.yaml`, checked.

    papers.names()                                       the papers whose tables are here
    papers.read("tlue").benchmarks["ti_mmlu"].average    what a printed average is over

What data cannot say, a paper hands in as Python: `CHECKS` and `evidence` of
`analysis.papers.<paper>.claims` (`handed_in`).
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import paths, written
from analysis.errors import DataError, refuse_unknown
from analysis.papers.description import OVER, Benchmark, Categories, Paper, Sample

_SIZES = "benchmark group_by group n sample".split()  # columns of the files of sizes


def names() -> list[str]:
    """Names of the papers whose tables lie in the repository."""
    return sorted(folder.name for folder in paths.PUBLISHED.iterdir() if folder.is_dir())


def folder(paper: str) -> Path:
    """The folder of a paper's files.

    Raises
    ------
    DataError
        If there is no such paper, with the nearest name.
    """
    refuse_unknown("paper", names(), paper)
    return paths.PUBLISHED / paper


def read(paper: str) -> Paper:
    """What a paper says about its benchmarks.

    Raises
    ------
    DataError
        For an unknown paper; with file and field: YAML that cannot be read, an unknown or missing
        field, an artifact that does not exist, an unknown definition of averages.
    """
    file = folder(paper) / "paper.yaml"
    changed = max(part.stat().st_mtime_ns for part in file.parent.iterdir())
    return _read(paper, file, changed)


@cache
def titles() -> dict[str, str]:
    """Titles of the papers' benchmarks by their names."""
    return {
        name: benchmark.title
        for paper in names()
        for name, benchmark in read(paper).benchmarks.items()
    }


@cache
def _read(paper: str, file: Path, _changed: int) -> Paper:
    artifacts = sorted(part.stem for part in file.parent.glob("*.csv"))
    described = written.read(file, Paper, artifacts=artifacts)
    benchmarks = {
        name: benchmark.model_copy(update={"name": name})
        for name, benchmark in described.benchmarks.items()
    }
    update = {"name": paper, "benchmarks": benchmarks}
    update["sizes"] = _sizes(file.parent / "questions.csv")
    update["estimated"] = _sizes(file.parent / "questions_estimated.csv")
    return described.model_copy(update=update)


def _sizes(file: Path) -> pd.DataFrame:
    if not file.is_file():
        return pd.DataFrame(columns=_SIZES).astype({"n": int, "sample": object})
    frame = pd.read_csv(file, keep_default_na=False, na_values={"sample": [""]})
    for column in _SIZES[:-1]:
        if column not in frame:
            raise DataError("column is missing", file=file, field=column)
    return frame.reindex(columns=_SIZES).astype({"sample": object})


def handed_in(paper: str, name: str) -> Any:
    """`name` of `analysis.papers.<paper>.claims`; None where there is no such module or name."""
    if not (Path(__file__).parent / paper / "claims.py").is_file():
        return None
    return getattr(import_module(f"{__name__}.{paper}.claims"), name, None)
