"""The cache of raw outputs: `<outputs>/<benchmark>/<model>.jsonl` (see `runners.journal`), and fast ways to read it.

Reading goes through a Parquet copy under `<outputs>/.parquet`, made anew whenever its source changed. It is never the
source of truth and may be deleted at any time.
"""

import itertools
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from analysis import paths, schemas
from analysis.errors import DataError, unknown
from runners import journal
from runners import request as requests

FORMAT = b"1"  # of the Parquet copy; another number makes all copies stale
BATCH = 20_000  # records in memory at once while a copy is made
TEXT = ("key", "benchmark", "item_id", "model", "revision", "runner", "response", "finish_reason", "error", "time")
TEXT += ("setting", "judged", "reasoning")
MAPPINGS = ("request", "scores", "usage")  # as JSON text in Parquet
FIELDS = (*schemas.columns("outputs"), "setting", "turn", "judged", "reasoning")
ARROW = pa.schema(
    [pa.field("turn", pa.int64()) if name == "turn" else pa.field(name, pa.large_string()) for name in FIELDS]
    + [pa.field("exact", pa.large_string())]  # a mapping from text columns to JSON, where text has lone surrogates
)


def file(benchmark: str, model: str, folder: Path | None = None) -> Path:
    """Path of the cache file of one benchmark and model."""
    return Path(folder or paths.outputs()) / requests.slug(benchmark) / f"{requests.slug(model)}.jsonl"


def record(request: dict, *, response: str | None = None, error: str | None = None, **fields) -> dict:
    """A complete record of `request` and what came back; unnamed fields are None, `time` is now (UTC).

    Parameters
    ----------
    request : dict
        With `benchmark`, `item_id`, `model`, `revision` and `runner` among its fields: they become columns.
    response : str or None
        Raw text, unchanged.
    error : str or None
        Why there is no answer: `kind: detail`, where kind is one word such as `timeout`.
    **fields
        Others of `FIELDS`: `scores`, `finish_reason`, `usage`, `setting`, `turn`, `judged`, `reasoning`.
    """
    if wrong := set(fields) - set(FIELDS):
        raise TypeError(f"a record has no field {sorted(wrong)}")
    named = {name: request[name] for name in ("benchmark", "item_id", "model", "revision", "runner")}
    named |= {"key": requests.key(request), "request": request, "response": response, "error": error}
    named["time"] = datetime.now(UTC).isoformat(timespec="milliseconds")
    return dict.fromkeys(FIELDS) | named | fields


def files(benchmark: str | None = None, models: Sequence[str] | None = None, folder: Path | None = None) -> list[Path]:
    """Cache files of the named benchmark and models, sorted; all where nothing is named.

    Raises
    ------
    DataError
        Where a named one has no outputs, with the names that have.
    """
    folder = Path(folder or paths.outputs())
    found = sorted(folder.glob(f"{requests.slug(benchmark) if benchmark else '*'}/*.jsonl"))
    if benchmark and not found:
        raise unknown("benchmark with outputs", benchmark, sorted({p.parent.name for p in folder.glob("*/*.jsonl")}))
    if models is None:
        return found
    slugs = {requests.slug(model): model for model in models}
    if missing := slugs.keys() - {path.stem for path in found}:
        raise unknown("model with outputs", slugs[min(missing)], sorted({path.stem for path in found}))
    return [path for path in found if path.stem in slugs]


def load(
    benchmark: str | None = None,
    models: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    folder: Path | None = None,
) -> pd.DataFrame:
    """The outputs frame: one row a request, its answer or else its last failure, in the order of the files.

    Parameters
    ----------
    benchmark, models : optional
        Which; all by default.
    columns : sequence of str, optional
        Only these. Leaving out `request` makes the loading of millions several times faster; the frame is then not
        checked against the schema.
    """
    wanted = list(columns or FIELDS)
    if wrong := [name for name in wanted if name not in FIELDS]:
        raise unknown("column of the outputs", wrong[0], FIELDS)
    copies = [parquet(path) for path in files(benchmark, models, folder)]
    tables = [pq.read_table(copy, columns=[*wanted, "exact"]) for copy in copies]
    table = pa.concat_tables(tables) if tables else ARROW.empty_table().select([*wanted, "exact"])
    frame = table.to_pandas()
    _restore(frame)
    for name in set(wanted) & set(MAPPINGS):
        frame[name] = pd.Series([None if pd.isna(text) else json.loads(text) for text in frame[name]], dtype=object)
    if "turn" in wanted:
        frame["turn"] = frame["turn"].astype("Int64")
    frame = frame[wanted]
    return frame if columns else schemas.check(frame, "outputs")


def own(benchmark: str, folder: Path | None = None, more: Sequence[str] = ()) -> pd.DataFrame:
    """Outputs of the models that are no baselines, what extraction needs of them and the columns `more`; no rows where nothing is cached."""
    columns = ["benchmark", "item_id", "model", "response", "error", *more]
    if not list(((folder or paths.outputs()) / benchmark).glob("*.jsonl")):
        return pd.DataFrame(columns=columns)
    outputs = load(benchmark, columns=columns, folder=folder)
    return outputs[~outputs["model"].str.startswith("baseline/")].reset_index(drop=True)


def query(sql: str, benchmark: str | None = None, folder: Path | None = None) -> pd.DataFrame:
    """Run SQL on the table `outputs` with DuckDB, which reads from the disk what it needs: for more than fits in memory.

    `request`, `scores` and `usage` are JSON text there: `request->>'$.params.temperature'`. Lone surrogates, which SQL
    text cannot hold, show as U+FFFD; `load` gives them unchanged.
    """
    import duckdb

    copies = [str(parquet(path)) for path in files(benchmark, None, folder)]
    if not copies:
        raise DataError(f"no outputs in {folder or paths.outputs()}")
    with duckdb.connect() as connection:
        connection.read_parquet(copies).create_view("outputs")
        return connection.sql(sql).df()


def parquet(path: Path) -> Path:
    """The up-to-date Parquet copy of a cache file, made where there is none or the file changed."""
    copy = path.parent.parent / ".parquet" / path.parent.name / f"{path.stem}.parquet"
    state = path.stat()
    mark = {b"format": FORMAT, b"source": f"{state.st_size} {state.st_mtime_ns}".encode()}
    if copy.exists():
        try:
            old = pq.read_schema(copy).metadata or {}
            if all(old.get(name) == value for name, value in mark.items()):
                return copy
        except pa.ArrowInvalid:
            pass  # damaged: make it anew
    copy.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=copy.parent, suffix=".partial")
    os.close(descriptor)
    try:
        _copy(path, Path(name), ARROW.with_metadata(mark))
        os.replace(name, copy)
    finally:
        Path(name).unlink(missing_ok=True)
    return copy


def _copy(path: Path, target: Path, schema: pa.Schema) -> None:
    """Write the records of `path` to Parquet, without those that a later answer or failure of the same key replaces."""
    row_of: dict[bytes, tuple[int, bool]] = {}
    replaced: list[int] = []
    rows = 0
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in _batches(path):
            for found in batch:
                key, answered = bytes.fromhex(found["key"]), not found["error"]
                if key in row_of:
                    before, had_answer = row_of[key]
                    replaced.append(rows if had_answer else before)
                if key not in row_of or not row_of[key][1]:
                    row_of[key] = rows, answered
                rows += 1
            writer.write_table(_table(batch, schema))
    if replaced:
        table = pq.read_table(target)
        keep = pc.invert(pc.is_in(pa.array(range(rows)), pa.array(replaced)))
        pq.write_table(table.filter(keep), target, compression="zstd")


def _batches(path: Path) -> Iterator[list[dict]]:
    found = (one for one, _, _ in journal.records(path))
    while batch := list(itertools.islice(found, BATCH)):
        yield batch


def _table(batch: list[dict], schema: pa.Schema) -> pa.Table:
    columns = {name: [r.get(name) for r in batch] for name in FIELDS}
    for name in MAPPINGS:
        columns[name] = [None if value is None else json.dumps(value, ensure_ascii=False) for value in columns[name]]
    exact: dict[int, dict] = {}
    for name in (*TEXT, *MAPPINGS):
        try:
            columns[name] = pa.array(columns[name], pa.large_string())
        except UnicodeEncodeError:
            columns[name] = [_replaced(text, name, exact.setdefault(i, {})) for i, text in enumerate(columns[name])]
    columns["exact"] = [json.dumps(exact[i]) if exact.get(i) else None for i in range(len(batch))]
    return pa.table(columns, schema=schema)


def _replaced(text: str | None, name: str, exact: dict) -> str | None:
    """UTF-8 has no lone surrogates, so the copy shows U+FFFD and keeps the text itself beside it."""
    if text is None:
        return None
    readable = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if readable != text:
        exact[name] = text
    return readable


def _restore(frame: pd.DataFrame) -> None:
    for row, text in frame["exact"].dropna().items():
        for name in set(exact := json.loads(text)) & set(frame.columns):
            frame[name] = frame[name].astype(object)
            frame.at[row, name] = exact[name]
