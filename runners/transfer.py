"""Outputs in and out: exported for others, and merged from several machines."""

import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pandas as pd

from analysis.errors import DataError, unknown
from analysis.outputs import copies
from runners import cache
from runners.journal import Journal, records
from runners.request import line

FORMATS = (".jsonl", ".parquet", ".csv")
BATCH = 5000


def merge(sources: Iterable[str], folder: Path | None = None) -> dict[Path, int]:
    """Union of other caches with this one: records whose key has no answer here are appended.

    Parameters
    ----------
    sources : iterable of str
        Cache folders, or addresses that fsspec knows, such as ``s3://bucket/outputs``.

    Returns
    -------
    dict
        Cache file -> number of records added.
    """
    added: dict[Path, int] = {}
    for source in sources:
        with tempfile.TemporaryDirectory() as temporary:
            root = _fetched(source, Path(temporary)) if "://" in source else Path(source)
            files = sorted(root.glob("*/*.jsonl"))
            if not files:
                raise DataError("holds no cache: looked for <benchmark>/<model>.jsonl", file=source)
            for file in files:
                for path, n in write((found for found, _, _ in records(file)), folder).items():
                    added[path] = added.get(path, 0) + n
    return added


def write(new: Iterable[dict], folder: Path | None = None) -> dict[Path, int]:
    """Append records to the cache files of their benchmarks and models; how many were new."""
    journals: dict[Path, Journal] = {}
    added: dict[Path, int] = {}
    for batch in _batches(new):
        parts: dict[Path, list[dict]] = {}
        for record in batch:
            parts.setdefault(cache.file(record["benchmark"], record["model"], folder), []).append(record)
        for path, part in parts.items():
            journal = journals.setdefault(path, Journal(path))
            part = [r for r in part if not (r["error"] and journal.failed(r["key"]))]  # one failure of a key says it
            added[path] = added.get(path, 0) + len(journal.append(part))
    return added


def export(benchmark: str, models: list[str] | None, target: Path, folder: Path | None = None) -> int:
    """Write the outputs as one file, its format told by its ending; the number of rows.

    JSON Lines and Parquet are whole; CSV holds the text columns, and lone surrogates as escapes.
    """
    if target.suffix not in FORMATS:
        raise unknown("format", target.suffix, FORMATS)
    frame = cache.read(benchmark, models, folder=folder)
    if target.suffix == ".csv":
        plain = frame.drop(columns=[*copies.MAPPINGS, "key"])
        plain.to_csv(target, index=False, errors="backslashreplace", lineterminator="\n")
    elif target.suffix == ".jsonl":
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        target.write_bytes(b"".join(line(row) for row in rows))
    else:
        parts = [pd.read_parquet(copies.parquet(path)) for path in cache.files(benchmark, models, folder)]
        pd.concat(parts, ignore_index=True).to_parquet(target, index=False)
    return len(frame)


def _fetched(source: str, target: Path) -> Path:
    import fsspec

    system, root = fsspec.core.url_to_fs(source)
    for found in system.glob(f"{root.rstrip('/')}/*/*.jsonl"):
        local = target / Path(found).parent.name / Path(found).name
        local.parent.mkdir(parents=True, exist_ok=True)
        system.get(found, str(local))
    return target


def _batches(source: Iterable[dict]) -> Iterator[list[dict]]:
    source = iter(source)
    while batch := list(islice(source, BATCH)):
        yield batch
