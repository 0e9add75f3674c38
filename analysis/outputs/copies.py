"""Parquet copies of cache files, under `<outputs>/.parquet`: made anew whenever their source changed, never the source of truth.

A copy holds each request once: its answer, or else its last failure. Large files are read by DuckDB where it is installed and
the file has nothing that it refuses; line by line otherwise, which also finds and names a broken line.
"""

import itertools
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from analysis import schemas
from analysis.outputs.lines import records

FORMAT = "4"  # another number makes all copies stale
BATCH = 20_000  # records in memory at once
LARGE = 8 << 20  # bytes from which on DuckDB is worth its start
FIELDS = (*schemas.columns("outputs"), "setting", "turn", "judged", "reasoning", "given")
MAPPINGS = ("request", "scores", "usage", "given")  # JSON text in the copy
ARROW = pa.schema(
    [pa.field(name, pa.int64() if name == "turn" else pa.string()) for name in FIELDS]
    + [pa.field("exact", pa.string())]  # a mapping from text columns to JSON, where text has lone surrogates
)


def parquet(path: Path) -> Path:
    """The up-to-date copy of a cache file."""
    copy = path.parent.parent / ".parquet" / path.parent.name / f"{path.stem}.parquet"
    state = path.stat()
    mark = {"format": FORMAT, "source": f"{state.st_size} {state.st_mtime_ns}"}
    if copy.exists():
        try:
            found = pq.read_metadata(copy).metadata or {}
            if all(found.get(name.encode()) == value.encode() for name, value in mark.items()):
                return copy
        except pa.ArrowInvalid:
            pass  # damaged: make it anew
    copy.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=copy.parent, suffix=".partial")
    os.close(descriptor)
    try:
        if state.st_size < LARGE or not _quickly(path, Path(name), mark):
            _line_by_line(path, Path(name), mark)
        _once(Path(name))
        os.replace(name, copy)
    finally:
        Path(name).unlink(missing_ok=True)
    return copy


def _quickly(path: Path, target: Path, mark: dict[str, str]) -> bool:
    """Copy with DuckDB; False where it is not installed, or anything in the file is not as it should be."""
    try:
        import duckdb
    except ImportError:
        return False
    types = {name: "JSON" if name in MAPPINGS else "BIGINT" if name == "turn" else "VARCHAR" for name in FIELDS}
    columns = ", ".join(f"{name}::VARCHAR AS {name}" if name in MAPPINGS else f'"{name}"' for name in FIELDS)
    quoted = [str(part).replace("'", "''") for part in (path, target)]
    source = f"read_json('{quoted[0]}', format='newline_delimited', columns={types}, maximum_object_size={1 << 28})"
    options = f"FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, KV_METADATA {mark}"
    try:
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT {columns}, NULL::VARCHAR AS exact FROM {source}) TO '{quoted[1]}' ({options})")
            wrong = f"SELECT count(*) FROM read_parquet('{quoted[1]}') WHERE request IS NULL OR NOT regexp_full_match(key, '[0-9a-f]{{64}}')"
            return connection.execute(wrong).fetchone() == (0,)
    except duckdb.Error:
        return False


def _line_by_line(path: Path, target: Path, mark: dict[str, str]) -> None:
    found = (one for one, _, _ in records(path))
    with pq.ParquetWriter(target, ARROW, compression="zstd") as writer:
        while batch := list(itertools.islice(found, BATCH)):
            writer.write_table(_table(batch))
        writer.add_key_value_metadata(mark)


def _table(batch: list[dict]) -> pa.Table:
    columns = {name: [r.get(name) for r in batch] for name in FIELDS}
    for name in MAPPINGS:
        columns[name] = [None if value is None else json.dumps(value, ensure_ascii=False) for value in columns[name]]
    exact: dict[int, dict] = {}
    for name in set(FIELDS) - {"turn"}:
        try:
            columns[name] = pa.array(columns[name], pa.string())
        except UnicodeEncodeError:
            columns[name] = [_readable(text, name, exact.setdefault(i, {})) for i, text in enumerate(columns[name])]
    columns["exact"] = [json.dumps(exact[i]) if exact.get(i) else None for i in range(len(batch))]
    return pa.table(columns, schema=ARROW)


def _readable(text: str | None, name: str, exact: dict) -> str | None:
    """UTF-8 has no lone surrogates, so the copy shows U+FFFD and keeps the text itself beside it."""
    if text is None:
        return None
    readable = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if readable != text:
        exact[name] = text
    return readable


def restore(frame: pd.DataFrame) -> None:
    """Put back, in place, the texts that the copy could not hold; `exact` is among the columns."""
    for row, text in frame["exact"].dropna().items():
        for name in set(exact := json.loads(text)) & set(frame.columns):
            frame[name] = frame[name].astype(object)
            frame.at[row, name] = exact[name]


def _once(target: Path) -> None:
    """Leave out rows that an answer, or a later failure, of the same key replaces."""
    keys = pq.read_table(target, columns=["key", "error"])
    if pc.count_distinct(keys["key"]).as_py() == len(keys):
        return
    keys = keys.to_pandas()
    answered = keys[keys["error"].isna()].drop_duplicates("key")
    failed = keys[~keys["key"].isin(answered["key"])].drop_duplicates("key", keep="last")
    keep = np.zeros(len(keys), dtype=bool)
    keep[[*answered.index, *failed.index]] = True
    old = pq.ParquetFile(target)
    partial = target.with_suffix(".once.partial")
    try:
        with pq.ParquetWriter(partial, old.schema_arrow, compression="zstd") as writer:
            start = 0
            for batch in old.iter_batches():
                writer.write_batch(batch.filter(pa.array(keep[start : start + len(batch)])))
                start += len(batch)
            writer.add_key_value_metadata({k: v for k, v in old.metadata.metadata.items() if k in (b"format", b"source")})
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
