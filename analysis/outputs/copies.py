"""Parquet copies of cache files, under `<outputs>/.parquet`: made anew where their source changed,
never the source of truth.

A copy holds each request once: its answer, or else its last failure. Large files are read by DuckDB
where it is installed and the file has nothing that it refuses; line by line otherwise. A line that
is no record is left out, with a warning. Where no copy can be written (a disk that is full or
read-only), it is in a temporary folder until the process ends.
"""

import hashlib
import itertools
import json
import tempfile
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis import whole
from analysis.errors import DataError
from analysis.outputs import json_lines as cached
from analysis.outputs.json_lines import FIELDS

_FORMAT = "8"  # another number makes all copies stale
_BATCH = 20_000  # records in memory at once
LARGE = 8 << 20  # bytes from which on DuckDB is worth its start
_LONGEST = 16 << 20  # bytes of a line that DuckDB reads; it keeps a few of such buffers
MAPPINGS = ("request", "scores", "usage", "given")  # JSON text in the copy
NUMBERS = ("turn", "sample")
# What of a request belongs to its item; the rest is how it was asked. `sample` tells repeated runs
# apart.
_OF_ITEM = (
    "benchmark item_id messages prompt question options candidates turn judged judged_key"
).split()
_COLUMNS = (*FIELDS, "sample", "asked", "exact")  # exact: texts with lone surrogates, as JSON
ARROW = pa.schema(
    [pa.field(name, pa.int64() if name in NUMBERS else pa.string()) for name in _COLUMNS]
)
_ASKED = ["item_id", "model", "turn", "judged"]  # what records of one key have alike


def opened(path: Path) -> pq.ParquetFile:
    """The up-to-date copy of a cache file."""
    return pq.ParquetFile(made(path))


@cache
def _temporary() -> tempfile.TemporaryDirectory:
    """A folder that ends with this process."""
    return tempfile.TemporaryDirectory(prefix="polyexam-")


def made(path: Path) -> Path:
    """The up-to-date copy of a cache file; in a temporary folder where none can be written. A
    warning says what is left out.
    """
    copy = path.parent.parent / ".parquet" / path.parent.name / f"{path.stem}.parquet"
    state = path.stat()
    mark = {"format": _FORMAT, "source": f"{state.st_size} {state.st_mtime_ns}"}
    stored = _mark(copy)
    if not mark.items() <= stored.items():
        bad = problems(path)
        stored = mark | {"bad": f"{len(bad)} bad lines, the first: {bad[0]}" if bad else ""}
        copy = _anew(path, copy, stored)
    if stored["bad"]:
        cached.left_out(stored["bad"])
    return copy


def problems(path: Path) -> list[DataError]:
    """Lines of a cache file that are no record, or whose checksum is wrong."""
    bad = []
    for raw, _, line in cached.lines(path):
        if not cached.intact(raw):
            try:
                cached.record(raw)
            except ValueError as error:
                bad.append(DataError(str(error), file=path, line=line))
    return bad


def _anew(path: Path, copy: Path, mark: dict[str, str]) -> Path:
    try:
        with whole.writing(copy) as handle:
            _write(path, Path(handle.name), mark)
    except (OSError, DataError):
        copy = Path(_temporary().name, f"{hash(path)}.parquet")
        copy.unlink(missing_ok=True)  # who reads the one before still has it
        _write(path, copy, mark)
    return copy


def _write(path: Path, target: Path, mark: dict[str, str]) -> None:
    large = path.stat().st_size >= LARGE and not mark["bad"]
    if not (large and _quickly(path, target, mark)):
        _line_by_line(path, target, mark)
    _once(target, path)


def _mark(copy: Path) -> dict[str, str]:
    """Of what a copy was made; nothing where it is absent or damaged."""
    try:
        mark = pq.read_metadata(copy).metadata or {}
    except (pa.ArrowInvalid, OSError):
        return {}
    return {name: mark.get(name.encode(), b"").decode() for name in ("format", "source", "bad")}


@cache  # to open one takes half as long as to copy a file
def _database():
    import duckdb

    # two threads are no faster on one file, and keep twice as much
    return duckdb, duckdb.connect(config={"threads": 1})


def _quickly(path: Path, target: Path, mark: dict[str, str]) -> bool:
    """Copy with DuckDB; False where it is not installed, or anything is not as it should be."""
    try:
        duckdb, database = _database()
    except ImportError:
        return False
    types = {name: "JSON" if name in MAPPINGS else "VARCHAR" for name in FIELDS}
    types["turn"] = "BIGINT"
    columns = [f"{name}::VARCHAR AS {name}" if name in MAPPINGS else f'"{name}"' for name in FIELDS]
    without = json.dumps(dict.fromkeys((*_OF_ITEM, "sample")))
    role, content = (f"request->>'$.messages[0].{name}'" for name in ("role", "content"))
    system = f"CASE WHEN {role} = 'system' THEN {content} END"
    bare = f"json_merge_patch(request, '{without}')"
    # patches take their time: another one only where it may change anything
    asked = (
        f"CASE WHEN contains(request::VARCHAR, '\"system\"') "
        f"THEN json_merge_patch({bare}, json_object('system', {system})) ELSE {bare} END"
    )
    columns += [
        "TRY_CAST(request->>'$.sample' AS BIGINT) AS sample",
        f"{asked}::VARCHAR AS asked",
        "NULL::VARCHAR AS exact",
    ]
    source, copy = (str(one).replace("'", "''") for one in (path, target))
    rows = (
        f"read_json('{source}', format='newline_delimited', columns={types}, "
        f"maximum_object_size={_LONGEST})"
    )
    options = (
        f"FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE {_BATCH}, "
        f"KV_METADATA {mark}"
    )
    wrong = "request IS NULL OR NOT regexp_full_match(key, '[0-9a-f]{64}')"
    try:
        with database.cursor() as connection:
            right = f"CASE WHEN {wrong} THEN error('no record') ELSE true END"
            select = f"SELECT {', '.join(columns)} FROM {rows} WHERE {right}"
            connection.execute(f"COPY ({select}) TO '{copy}' ({options})")
    except duckdb.Error:
        return False
    return True


def _line_by_line(path: Path, target: Path, mark: dict[str, str]) -> None:
    records = cached.records(path, bad=lambda problem: None)
    with pq.ParquetWriter(target, ARROW, compression="zstd") as writer:
        while batch := list(itertools.islice(records, _BATCH)):
            writer.write_table(_table(batch))
        writer.add_key_value_metadata(mark)


def _table(batch: list[dict]) -> pa.Table:
    columns = {name: [record.get(name) for record in batch] for name in FIELDS}
    samples = [record["request"].get("sample") for record in batch]
    columns["sample"] = [one if isinstance(one, int) else None for one in samples]
    columns["asked"] = [_json(_asked(record["request"])) for record in batch]
    for name in MAPPINGS:
        columns[name] = [None if value is None else _json(value) for value in columns[name]]
    exact = {}
    for name in {*FIELDS, "asked"} - {"turn"}:
        try:
            columns[name] = pa.array(columns[name], pa.string())
        except UnicodeEncodeError:
            columns[name] = [
                _readable(text, name, exact.setdefault(row, {}))
                for row, text in enumerate(columns[name])
            ]
    rows = map(exact.get, range(len(batch)))
    columns["exact"] = [json.dumps(texts) if texts else None for texts in rows]
    return pa.table(columns, schema=ARROW)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _asked(request: dict) -> dict:
    """How a request was asked, apart from its item: all other fields, and the system prompt."""
    left_out = (*_OF_ITEM, "sample")
    rest = {
        name: value for name, value in request.items() if name not in left_out and value is not None
    }
    first = next(iter(request.get("messages") or ()), {})
    return rest | ({"system": first["content"]} if first.get("role") == "system" else {})


@cache  # of many requests asked in few ways
def digest(asked: str) -> str:
    """Digest of a setting in eight characters: of `asked`, in any order of its fields and any
    spelling of its numbers.
    """
    value = json.loads(
        asked,
        parse_float=lambda text: int(float(text)) if float(text).is_integer() else float(text),
    )
    plain = json.dumps(value, sort_keys=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:8]


def _readable(text: str | None, name: str, exact: dict) -> str | None:
    """UTF-8 has no lone surrogates: the copy shows U+FFFD, and keeps the text itself in `exact`."""
    readable = text and text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if readable != text:
        exact[name] = text
    return readable


def restore(frame: pd.DataFrame) -> None:
    """Put back, in place, the texts that the copy could not hold; `exact` is among the columns."""
    for row, text in frame["exact"].dropna().items():
        for name in set(exact := json.loads(text)) & set(frame.columns):
            frame[name] = frame[name].astype(object)
            frame.at[row, name] = exact[name]


def _once(copy: Path, path: Path) -> None:
    """Leave out rows that an answer, or a later failure, of the same key replaces.

    Raises
    ------
    DataError
        Where one key is that of two questions: which record is wrong, nobody can tell from here.
    """
    if pq.read_table(copy, columns=["key"]).to_pandas()["key"].is_unique:
        return
    table = pq.read_table(copy, columns=["key", "error", *_ASKED]).to_pandas()
    keys, failed = table["key"], table["error"].notna()
    double = keys[table.duplicated("key") & ~table.duplicated(["key", *_ASKED])]
    if len(double):
        key = double.iloc[0].encode()
        first, *others = [line for raw, _, line in cached.lines(path) if key in raw]
        reason = f"has the key of line {others[-1]}, another question's; see polyexam check"
        raise DataError(reason, file=path, line=first)
    answers = keys[~failed].drop_duplicates()
    failures = keys[failed & ~keys.isin(answers)].drop_duplicates(keep="last")
    keep = keys.index.isin([*answers.index, *failures.index])
    mark = pq.read_metadata(copy).metadata
    table = pq.read_table(copy, columns=ARROW.names).filter(pa.array(keep)).cast(ARROW)
    table = table.replace_schema_metadata(
        {name: mark[name] for name in (b"format", b"source", b"bad")}
    )
    pq.write_table(table, copy, row_group_size=_BATCH, compression="zstd")
