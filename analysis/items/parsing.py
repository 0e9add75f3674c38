"""Files to records, each with the line on which it begins: CSV, TSV, JSON Lines, JSON, Parquet and plain text, packed or not.

A parser yields `(line, record)`; a record is a mapping, or the `DataError` that says why it is none. What leaves no way
to go on (a header that lacks a column, JSON that breaks off) is raised. `records` chooses the parser by the file's name and
beginning; lines and batches are read as they are needed, a JSON document or a text with a pattern as a whole.
"""

import contextlib
import csv
import gzip
import io
import itertools
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import DataError, unknown

KEY = "(name)"  # place of the name that an element has inside a JSON object
SPACE = re.compile(r"[ \t\r\n]*")
FORMATS = {".csv": "csv", ".tsv": "csv", ".jsonl": "lines", ".ndjson": "lines", ".json": "json", ".parquet": "parquet"}
FORMATS |= {".txt": "text", ".log": "text"}
ENDINGS = (*(f"{ending}{packed}" for ending in FORMATS for packed in (".gz", ".zip")), *FORMATS)  # longest first
SEPARATORS = ",;\t|"
BATCH = 1024  # rows of a Parquet file at once
csv.field_size_limit(sys.maxsize)  # a model's answer may be long

Records = Iterator[tuple[int, dict | DataError]]


@dataclass(frozen=True)
class Layout:
    """What a file's name does not say about it.

    Attributes
    ----------
    format : str, optional
        An ending such as ".csv"; by default the file's own, before .gz or .zip.
    separator : str, optional
        Between the fields of a CSV file; by default the one that its first line has.
    header : bool
        Whether the first line of a CSV file names the columns; without it they are 0, 1, 2, ...
    rows : str, optional
        Where in a JSON document the list of rows stands, such as ``data.examples``; plain values beside it become fields of
        each row.
    records : str, optional
        For plain text: a regular expression whose every match is a row, with named groups as its fields; dots match line ends.
    """

    format: str | None = None
    separator: str | None = None
    header: bool = True
    rows: str | None = None
    records: str | None = None


def records(file: Path, layout: Layout = Layout(), wanted: Iterable[str] = (), strict: bool = True) -> Records:
    """Records of a file in any of the `FORMATS`.

    Parameters
    ----------
    wanted : iterable of str
        Columns that the header of a CSV file must hold.
    strict : bool
        Refuse what JSON does not know (NaN) and names that stand twice in an object; logs of programs have both.

    Raises
    ------
    DataError
        For what spoils the file, a format that is not known, or a pattern that is none.
    """
    kind = "text" if layout.records and not layout.format else _kind(file, layout.format)
    if kind == "csv":
        tabs = "\t" if _ending(file, layout.format) == ".tsv" else None
        return csv_records(file, wanted if layout.header else None, layout.separator or tabs)
    if kind == "parquet":
        return parquet_rows(file)
    if kind == "text":
        return text_records(file, layout.records)
    decoder = _STRICT if strict else _LOOSE
    if layout.rows:
        return json_rows(file, layout.rows, decoder)
    return json_lines(file, decoder) if _are_lines(file, kind, decoder) else json_elements(file, decoder)


def _ending(file: Path, format: str | None) -> str:
    packed = file.suffix in (".gz", ".zip") and Path(file.stem).suffix
    return format or (Path(file.stem).suffix if packed else file.suffix)


def _kind(file: Path, format: str | None) -> str:
    ending = _ending(file, format)
    if ending not in FORMATS:
        raise unknown("file format", ending, FORMATS)
    return FORMATS[ending]


def _are_lines(file: Path, kind: str, decoder: json.JSONDecoder) -> bool:
    """Whether JSON is a value a line: programs write either under both endings, so the beginning tells."""
    with opened(file) as handle:
        first, second = itertools.islice(itertools.chain(filter(bytes.strip, handle), (b"", b"")), 2)
    try:
        decoder.decode(first.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return kind == "lines" and not re.fullmatch(rb"(\xef\xbb\xbf)?[\[{\s]+", first)
    return kind == "lines" or (first.lstrip()[:1], second.lstrip()[:1]) == (b"{", b"{")


@contextlib.contextmanager
def opened(file: Path) -> Iterator[io.BufferedIOBase]:
    """The bytes of a file; .gz and .zip (of one file) are unpacked.

    Raises
    ------
    DataError
        Where it cannot be read, or breaks off.
    """
    try:
        with contextlib.ExitStack() as stack:
            if file.suffix == ".gz":
                yield stack.enter_context(gzip.open(file))
            elif file.suffix == ".zip":
                archive = stack.enter_context(zipfile.ZipFile(file))
                names = [info.filename for info in archive.infolist() if not info.is_dir()]
                if len(names) != 1:
                    raise DataError(f"holds {len(names)} files; unpack it, and name those that are meant", file=file)
                yield stack.enter_context(archive.open(names[0]))
            else:
                yield stack.enter_context(open(file, "rb"))
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from None


def text(file: Path) -> str:
    """Content of a UTF-8 file, with or without byte order mark, unpacked."""
    with opened(file) as handle:
        data = handle.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(error, data.count(b"\n", 0, error.start) + 1, file) from None


def _not_utf8(error: UnicodeDecodeError, line: int, file: Path) -> DataError:
    return DataError(f"is not UTF-8 (byte 0x{error.object[error.start]:02x})", file=file, line=line)


def lines(file: Path) -> Iterator[str]:
    """Lines of a UTF-8 file with their ends (line feeds), one after the other."""
    with opened(file) as handle:
        for number, raw in enumerate(handle, start=1):
            try:
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(error, number, file) from None


def _split_ends(source: Iterable[str]) -> Iterator[str]:
    """Lines that end at old Mac line breaks too, as the CSV parser wants them."""
    for line in source:
        if line.count("\r") == line.endswith("\r\n"):
            yield line
        else:
            yield from io.StringIO(line, newline="")


def parquet_rows(file: Path) -> Records:
    """Rows of a Parquet file, numbered from 1, read in batches."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with opened(file) as handle:
            source = pq.ParquetFile(pa.BufferReader(handle.read()) if file.suffix in (".gz", ".zip") else file)
            batches = (batch.to_pylist() for batch in source.iter_batches(batch_size=BATCH))
            yield from enumerate(itertools.chain.from_iterable(batches), start=1)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise DataError(f"is not Parquet: {error}", file=file) from None


def text_records(file: Path, pattern: str | None) -> Records:
    """Matches of a regular expression in a text: its named groups."""
    if not pattern:
        raise DataError("is plain text: say with a regular expression (records) what a row is", file=file)
    try:
        expression = re.compile(pattern, re.MULTILINE | re.DOTALL)
    except re.error as error:
        raise DataError(f"is not a regular expression: {error}", field="records") from None
    if not expression.groupindex:
        raise DataError("has no named group, such as (?P<response>.*?)", field="records")
    source, line, seen = text(file), 1, 0
    for match in expression.finditer(source):
        line, seen = line + source.count("\n", seen, match.start()), match.start()
        yield line, match.groupdict()


def csv_records(file: Path, header: Iterable[str] | None, separator: str | None = None) -> Records:
    """Records of a CSV file by the names in its first line; by position where `header` is None.

    Parameters
    ----------
    header : iterable of str, or None
        Names that the first line must hold.
    separator : str, optional
        By default a comma, or where the first line has none, a semicolon, tab or bar.
    """
    source = _split_ends(lines(file))
    first = next(source, "")
    separator = separator or next((mark for mark in SEPARATORS if mark in first), ",")
    if len(separator) != 1:
        raise DataError(f"a separator is one character, not {separator!r}", file=file)
    reader = csv.reader(itertools.chain([first] if first else [], source), strict=True, delimiter=separator)
    names = None if header is None else _header(reader, file, header)
    while True:
        line = reader.line_num + 1  # where the row begins: its fields may hold line breaks
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, DataError(f"is not CSV: {error}", file=file, line=line)
            continue
        names = range(len(cells)) if names is None else names
        if cells and len(cells) != len(names):
            yield line, DataError(f"has {len(cells)} fields instead of {len(names)}", file=file, line=line)
        elif cells:
            yield line, dict(zip(names, cells, strict=True))


def _header(reader, file: Path, wanted: Iterable[str]) -> list[str]:
    try:
        names = next(reader, [])
    except csv.Error as error:
        raise DataError(f"is not CSV: {error}", file=file, line=1) from None
    for name in wanted:
        if name not in names:
            raise DataError(f"no such column; there are: {', '.join(names)}", file=file, line=1, field=name)
        if names.count(name) > 1:
            raise DataError("is the header of several columns", file=file, line=1, field=name)
    return names


def json_lines(file: Path, decoder: json.JSONDecoder | None = None) -> Records:
    """The object of each line; blank lines are passed over."""
    for line, part in enumerate(lines(file), start=1):
        if not (part := part.strip()):
            continue
        try:
            record, end = _decode(part, 0, file, line, decoder)
            if end < len(part):
                raise DataError("is not JSON: text goes on after the object", file=file, line=line)
        except DataError as error:
            record = error
        yield line, record


def json_rows(file: Path, place: str, decoder: json.JSONDecoder | None = None) -> Records:
    """The objects of a list inside a JSON document, numbered from 1, with the plain values that stand beside the list."""
    source = text(file)
    value, _ = _decode(source, _after_space(source, 0), file, 1, decoder)
    beside: dict = {}
    for part in place.split("."):
        if not isinstance(value, dict) or part not in value:
            raise DataError("is not in the document", file=file, field=place)
        beside |= {name: one for name, one in value.items() if not isinstance(one, (dict, list))}
        value = value[part]
    if not isinstance(value, list):
        raise DataError("is not a list", file=file, field=place)
    yield from ((number, beside | one if isinstance(one, dict) else one) for number, one in enumerate(value, start=1))


def json_elements(file: Path, decoder: json.JSONDecoder | None = None) -> Records:
    """The objects in an array, or in an object (there each with its name under `KEY`).

    They are decoded one by one, since a document decoded as a whole no longer knows their lines.
    """
    source, line, seen = text(file), 1, 0
    place = _after_space(source, 0)
    closing = {"[": "]", "{": "}"}.get(source[place : place + 1])
    if closing is None:
        raise DataError("is neither a JSON array nor an object", file=file, line=1)
    place, names = _after_space(source, place + 1), set()
    while source[place : place + 1] != closing:
        line, seen, name = line + source.count("\n", seen, place), place, None
        if closing == "}":
            name, place = _decode(source, place, file, line, decoder)
            place = _expect(":", source, place, file)
        record, place = _decode(source, place, file, line, decoder)
        if name in names:
            record = DataError(f"the name {name!r} stands twice", file=file, line=line)
        elif name is not None and isinstance(record, dict):
            names.add(name)
            record = {KEY: name, **record}
        yield line, record
        place = _after_space(source, place)
        if source[place : place + 1] != closing:
            place = _expect(",", source, place, file)
            if source[place : place + 1] == closing:
                line = source.count("\n", 0, place) + 1
                raise DataError("is not JSON: a comma after the last element", file=file, line=line)
    if source[place + 1 :].strip():
        raise DataError("is not JSON: text goes on after the end", file=file, line=source.count("\n", 0, place) + 1)


def _expect(mark: str, source: str, place: int, file: Path) -> int:
    place = _after_space(source, place)
    if source[place : place + 1] != mark:
        reason = f"is not JSON: {mark!r} is expected, not {source[place : place + 1] or 'the end'!r}"
        raise DataError(reason, file=file, line=source.count("\n", 0, place) + 1)
    return _after_space(source, place + 1)


def _after_space(source: str, place: int) -> int:
    return SPACE.match(source, place).end()


def _decode(source: str, place: int, file: Path, line: int, decoder: json.JSONDecoder | None = None) -> tuple:
    """The JSON value at `place` (on `line`), and where it ends."""
    try:
        return (decoder or _STRICT).raw_decode(source, place)
    except json.JSONDecodeError as error:
        line += source.count("\n", place, error.pos)
        raise DataError(f"is not JSON: {error.msg}", file=file, line=line) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}", file=file, line=line) from None


def _object(pairs: list[tuple]) -> dict:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"an object names {max(names, key=names.count)!r} twice")
    return dict(pairs)


def _no_number(constant: str):
    raise ValueError(f"{constant} is no number")


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
_LOOSE = json.JSONDecoder()
