"""CSV, JSON Lines and JSON text to records, each with the line on which it begins.

A parser yields `(line, record)`; a record is a mapping, or the `DataError` that says why it is none. What leaves no way
to go on (a header that lacks a column, JSON that breaks off) is raised.
"""

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from analysis.errors import DataError

KEY = "(name)"  # place of the name that an element has inside a JSON object
SPACE = re.compile(r"[ \t\r\n]*")

Records = Iterator[tuple[int, dict | DataError]]


def text(file: Path) -> str:
    """Content of a UTF-8 file, with or without byte order mark; a name that ends in .gz is unpacked."""
    try:
        data = file.read_bytes()
        data = gzip.decompress(data) if file.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(getattr(error, "strerror", None) or str(error), file=file) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"is not UTF-8 (byte 0x{data[error.start]:02x})", file=file, line=line) from None


def csv_records(file: Path, header: Iterable[str] | None) -> Records:
    """Records of a CSV file by the names in its first line; by position where `header` is None.

    Parameters
    ----------
    header : iterable of str, or None
        Names that the first line must hold.
    """
    reader = csv.reader(io.StringIO(text(file), newline=""), strict=True)
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


def json_lines(file: Path) -> Records:
    """The object of each line; blank lines are passed over."""
    for line, part in enumerate(text(file).split("\n"), start=1):
        if not (part := part.strip()):
            continue
        try:
            record, end = _decode(part, 0, file, line)
            if end < len(part):
                raise DataError("is not JSON: text goes on after the object", file=file, line=line)
        except DataError as error:
            record = error
        yield line, record


def json_elements(file: Path) -> Records:
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
            name, place = _decode(source, place, file, line)
            place = _expect(":", source, place, file)
        record, place = _decode(source, place, file, line)
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


def _decode(source: str, place: int, file: Path, line: int) -> tuple:
    """The JSON value at `place` (on `line`), and where it ends."""
    try:
        return _DECODER.raw_decode(source, place)
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


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
