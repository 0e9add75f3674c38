"""Files to records, each with its line: CSV, TSV, JSON Lines, JSON, Parquet, Excel, plain text and
Markdown; all but Parquet and Excel may be gzipped.

A record is a mapping, or the `DataError` that says why a line is none. What leaves no way to go on
(a broken header, a JSON document that breaks off) is raised. CSV and JSON Lines are read line by
line and Parquet in batches; the line of an element of a JSON document is its number.
"""

import ast
import csv
import gzip
import itertools
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import yaml
from pydantic import AfterValidator, Field

from analysis.errors import DataError, refuse_unknown
from analysis.limits import within
from analysis.written import Written

if TYPE_CHECKING:
    import pandas as pd

TABLE = "_table"  # field with the names that a list has inside objects in an object
_SEPARATORS = ",;\t|"
_Records = Iterator[tuple[int, object]]
_Rows = Iterator[tuple[int, list[str] | DataError]]
_MANY = 10  # values by id, that are no fields of one thing
_LONG = 1 << 15  # characters of a text that is put together
_LISTS = 20  # of a document, of which some may be parts of others
_NAMELESS = "Unnamed: "  # how pandas calls a column
_TITLES = 10  # rows among which the names of a sheet's columns are
SECONDS = 10.0  # that a user's pattern may take on one value, or on a file
# a line that is marked as a heading, or begins with a name and a colon; either may be numbered,
# before or behind
_HEADING = (
    r"^(?:[-#* ]*(?:\d+[^\W\d]?[.)]? +)?{0}(?: *#?\d+[.)]?)?[* ]*[:：]"
    r"|[#*=]+ *{0}(?: *#?\d+[.)]?)?[ #*=:]*$)"
)
_NAME = r"([^\W\d_][\w -]{0,30}?)"
YAML = {".yaml", ".yml"}
_ONE_LETTER = {"Q": "question", "A": "answer", "P": "question", "R": "response"}
_JSON = re.compile(r"\s*[\[{]\s*([\[{\"]|$)")  # how a file begins that is JSON, whatever its name
csv.field_size_limit(sys.maxsize)  # a model's answer may be long


def _encoding(name: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise ValueError(f"is no encoding of texts: {name!r}") from None
    return name


class Layout(Written):
    """What a file's name does not say about it.

    Attributes
    ----------
    encoding : str
        Of a text.
    separator : str, optional
        Between the fields of a CSV file; by default the one that its first line has.
    header : bool
        Whether the first line of a CSV file, or list of JSON, names the columns; without it they
        are 0, 1, 2, ...
    rows : str, optional
        Where the list of rows is in a JSON document, such as ``data.examples``; plain values next
        to it become fields of each row.
    records : str, optional
        For plain text: a regular expression whose every match is a row, with named groups as its
        fields; dots match line ends.
    """

    separator: str | None = Field(None, max_length=1)
    encoding: Annotated[str, AfterValidator(_encoding)] = "utf-8"
    header: bool = True
    rows: str | None = None
    records: str | None = None


PLAIN = Layout()


def records(file: Path, layout: Layout = PLAIN) -> _Records:
    """Records of a file in any of the `_FORMATS`.

    Raises
    ------
    DataError
        For what spoils the file, a format that does not exist, or a pattern that is none.
    """
    ending = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    if layout.records:
        ending = ".txt"
    elif _FORMATS.get(ending) in (_csv, _matches):
        first = next(_lines(file, layout), "")
        if _JSON.match(first):
            ending = ".json"
        elif ending == ".txt" and first.count("\t") > 1:
            ending, layout = ".tsv", layout.model_copy(update={"separator": "\t"})
    refuse_unknown("file format", _FORMATS, ending)
    return _FORMATS[ending](file, layout)


def _lines(file: Path, layout: Layout = PLAIN) -> Iterator[str]:
    """Lines of a file with their ends, without byte order mark: UTF-8, or UTF-16 with one."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else open(file, "rb") as handle:
            wide = handle.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
            lines = [handle.read().decode("utf-16", "replace").encode()] if wide else handle
            encoding = "utf-8" if wide else layout.encoding
            parts = (part for raw in lines for part in raw.splitlines(True))
            for number, line in enumerate(parts, 1):
                yield line.decode(encoding).removeprefix("\ufeff" if number == 1 else "")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        reason = f"is not {error.encoding.upper()} (byte 0x{byte:02x}): save it as UTF-8"
        raise DataError(reason, file=file, line=number) from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot be read: {error}", file=file) from None


def text(file: Path, layout: Layout = PLAIN) -> str:
    """Content of a text file, unpacked."""
    return "".join(_lines(file, layout))


def decode(source: str | bytes, file: Path, line: int = 1) -> object:
    """JSON, or a Python literal, that begins on `line` of a file, else an error with its place."""
    try:
        return json.loads(source, parse_constant=lambda name: None)  # NaN is nothing
    except (ValueError, RecursionError) as error:
        if isinstance(source, str) and "'" in source[:_LONG]:
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return ast.literal_eval(source)
        line += getattr(error, "lineno", 1) - 1
        reason = getattr(error, "msg", error)
        raise DataError(f"is not JSON: {reason}", file=file, line=line) from None


def json_lines(file: Path, layout: Layout = PLAIN) -> _Records:
    """The value of each line; blank lines are passed over."""
    for line, source in enumerate(_lines(file, layout), start=1):
        try:
            if source.strip():
                yield line, decode(source.strip(), file, line)
        except DataError as error:
            yield line, error


def _json(file: Path, layout: Layout) -> _Records:
    """A document, or a value a line: programs write either under both endings, so the beginning
    tells.
    """
    filled = filter(None, map(str.strip, _lines(file, layout)))
    first, second = next(filled, ""), next(filled, "")
    document = second[:1] != "{" and (layout.rows or ".json" in file.suffixes)
    if document or first[:1] + first[-1:] != "{}":
        return _document(file, layout)
    return json_lines(file, layout)


def _document(file: Path, layout: Layout) -> _Records:
    """The objects of an array, or those inside a document, numbered from 1."""
    source = text(file, layout)
    value = _yaml(source, file) if YAML & {*file.suffixes} else _decoded(source, file)
    shared, place = {}, layout.rows
    for part in place.split(".") if place else []:
        if is_list_of(value, dict):  # a list of those in each of its elements
            value = [_plain(one) | row for one in value for row in one.get(part, [])] or value
            continue
        if not isinstance(value, dict) or part not in value:
            raise DataError("is not in the document", file=file, field=place)
        shared |= _plain(value)
        value = value[part]
    if isinstance(value, dict):
        names = value.get("columns")
        if is_list_of(names, str) and is_list_of(value.get("data"), list):
            value = [names, *value["data"]]
        else:
            value = by_columns(value) or _across(value, file) or _without_parts([*_rows(value)])
    if is_list_of(value, list) and is_list_of(value[0], str):
        names, *rows = value if layout.header else [range(len(value[0])), *value]
        value = [dict(zip(names, row, strict=False)) for row in rows]
    if not isinstance(value, list):
        raise DataError("is neither a JSON array nor an object", file=file, line=1, field=place)
    for number, one in enumerate(value, start=1):
        yield number, shared | one if isinstance(one, dict) else one


def _yaml(source: str, file: Path) -> object:
    """The values of a YAML document as JSON has them: times are texts."""
    try:
        if any(isinstance(one, yaml.AliasToken) for one in yaml.scan(source, yaml.CSafeLoader)):
            raise DataError("has aliases, which may hide any size: write them out", file=file)
        return json.loads(json.dumps(yaml.load(source, yaml.CSafeLoader), default=str))
    except yaml.YAMLError as error:
        raise DataError(f"is not YAML: {error}", file=file) from None


def _decoded(source: str, file: Path) -> object:
    """The document, or a list of those that follow each other."""
    try:
        return decode(source, file)
    except DataError:
        values, decoder = [], json.JSONDecoder(parse_constant=lambda name: None)
        with suppress(ValueError, RecursionError):
            while source := source.lstrip("\ufeff \t\r\n,"):
                value, end = decoder.raw_decode(source)
                values.append(value)
                source = source[end:]
        if source or not values:
            raise
        return [*itertools.chain.from_iterable(values)] if is_list_of(values, list) else values


def _across(value: dict, file: Path) -> list[dict]:
    """A row an id of objects that have one value for each: columns, or models; or of such an object
    alone.
    """
    if len({*map(type, value.values())}) == 1 and _plain(value) == value:
        value = {file.name.split(".")[0]: value}
    columns = {name: one for name, one in value.items() if isinstance(one, dict) and one}
    shared = _plain(value)
    nested = any(_plain(one) != one for one in columns.values())
    if nested or len(shared) + len(columns) < len(value):
        return []
    ids = dict.fromkeys(itertools.chain.from_iterable(columns.values()))
    if len(ids) < max(_MANY, 2 * len(columns)):
        return []
    if len(columns) == 1 and not all(re.search(r"\d", name) for name in ids):
        return []
    if sum(map(len, columns.values())) < 0.8 * len(ids) * len(columns):
        return []
    return [shared | {"id": x} | {name: one.get(x) for name, one in columns.items()} for x in ids]


def _plain(value: dict) -> dict:
    """What is neither a list nor an object."""
    return {name: one for name, one in value.items() if not isinstance(one, (dict, list))}


def _rows(value: dict, names: tuple[str, ...] = (), key: str | None = None) -> Iterator[dict]:
    """Rows of the lists and objects inside an object that have most objects in them, and of those
    like them, with the plain values next to them; what has a text of its own is a row itself.
    """
    shared = _plain(value)
    tables = {name: by_columns(one) for name, one in value.items() if isinstance(one, dict)}
    # an object a question has lists, too: its options, and what each scores
    if max(map(len, tables.values()), default=0) >= max(_MANY, len(tables)):
        about = [one for name, one in value.items() if tables.get(name) == []]
        models = {x: y for one in about for x, y in one.items() if "model" in x}
        for name, rows in tables.items():
            yield from (shared | models | {TABLE: "/".join((*names, name))} | row for row in rows)
        return
    lists = {name: one for name, one in value.items() if is_list_of(one, dict)}
    inside = lists | {name: one for name, one in value.items() if isinstance(one, dict) and one}
    worded = str in map(type, shared.values())
    if not inside or (key is not None and (worded or (shared and not lists))):
        yield {"_key": key, TABLE: "/".join(names[:-1]), **value}
        return
    # objects counted in their Python form: one pass in C, and near enough to choose by
    parts = [inside[name] for name in inside if "config" not in name] or [*inside.values()]
    most = max(parts, key=lambda one: str(one).count("{'"))
    best = _shape(inside.get("samples")) or _shape(most)
    alike = [name for name in inside if 2 * len(_shape(inside[name]) & best) > len(best)]
    # a configuration next to the rows says whose they are
    for name, one in inside.items():
        if name not in alike and isinstance(one, dict):
            shared |= {place: x for place, x in one.items() if "model" in place}
    for name in alike:
        path = (*names, name) if len(alike) > 1 else names
        if name in lists:
            rows = lists[name]
        else:
            # an object alone that has lists of objects is no row
            alone = alike == [name] and any(is_list_of(x, dict) for x in inside[name].values())
            rows = _rows(inside[name], path, None if alone else name)
        yield from (shared | {TABLE: "/".join(path)} | row for row in rows)


def _without_parts(rows: list[dict]) -> list[dict]:
    """Rows without the lists all of whose rows are in another list, such as the wrong ones."""
    lists = {row[TABLE]: set() for row in rows}
    if not 1 < len(lists) <= _LISTS:
        return rows
    for row in rows:
        lists[row[TABLE]].add(hash(repr(row | {TABLE: ""})))
    kept = []
    for name in sorted(lists, key=lambda name: -len(lists[name])):
        # a few rows may be equal by chance
        longer = [x for x in kept if len(lists[x]) >= min(_MANY, len(lists[name]) + 1)]
        if not any(lists[name] <= lists[other] for other in longer):
            kept.append(name)
    alone = {TABLE: ""} if len(kept) < len(lists) == 2 else {}
    return [row | alone for row in rows if row[TABLE] in kept]


def _shape(value: object) -> set:
    """Names in the first object with a plain value."""
    if isinstance(value, dict):
        if _plain(value):
            return {*value}
        value = [*value.values()]
    return next(filter(None, map(_shape, value)), set()) if isinstance(value, list) else set()


def by_columns(value: dict) -> list:
    """Rows of an object whose lists are columns; none where it has none, or of other lengths."""
    lists = {name: one for name, one in value.items() if isinstance(one, list)}
    plain = [one for one in lists.values() if not is_list_of(one, dict)]
    deep = (one for one in value.values() if isinstance(one, dict) and _plain(one) != one)
    # an object next to two plain values or more is a column, too, but none of objects
    if any(deep) or len(plain) < 2 or len(plain) < len(lists) < 4:
        return []
    try:
        return [
            value | dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)
        ]
    except ValueError:
        return []


def is_list_of(value: object, kind: type) -> bool:
    """Whether it is a list, not empty, whose elements are all of one kind."""
    return isinstance(value, list) and {*map(type, value)} == {kind}


def _parquet(file: Path, layout: Layout) -> _Records:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        batches = (batch.to_pylist() for batch in pq.ParquetFile(file).iter_batches(1024))
        yield from enumerate(itertools.chain.from_iterable(batches), start=1)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise DataError(f"is not Parquet: {error}", file=file) from None


def _excel(file: Path, layout: Layout) -> _Records:
    """Rows of the sheets that have most of their columns in common and most rows together, below
    their first rows.
    """
    import pandas as pd

    try:
        sheets = pd.read_excel(file, dtype=object, sheet_name=None)
    except Exception as error:  # openpyxl raises many kinds for a damaged file
        raise DataError(f"is not Excel: {error}", file=file) from None
    sheets = {name: _with_head(frame) for name, frame in sheets.items()}
    # what is next to a table has no name in its first row
    named = {
        name: {x for x in frame if not x.startswith(_NAMELESS)} for name, frame in sheets.items()
    }
    groups = [
        {x: sheets[x] for x in sheets if 2 * len(named[x] & first) >= len(named[x] | first)}
        for first in named.values()
    ]
    alike = max(groups, key=lambda group: sum(map(len, group.values())))
    longest = max(map(len, alike.values()))
    alike = {name: frame for name, frame in alike.items() if 2 * len(frame) > longest}
    for name, frame in alike.items():
        named = frame.assign(**{TABLE: name}) if len(alike) > 1 else frame
        rows = named.where(named.notna(), None).to_dict("records")
        yield from zip(named.index + 2, rows, strict=True)


def _with_head(frame: "pd.DataFrame") -> "pd.DataFrame":
    """A sheet with its names of columns, without line breaks: where most have none, below a title,
    the first full row.
    """
    nameless = [str(name).startswith(_NAMELESS) for name in frame]
    cells = frame.head(_TITLES).notna().sum(axis=1)
    # a title is alone; a table may be next to others
    if len(frame) and any(nameless[:3]) and 2 * sum(nameless) > len(nameless):
        row = (cells >= 0.8 * cells.max()).idxmax()
        names = [name or f"column {n}" for n, name in enumerate(frame.loc[row].fillna(""))]
        frame = frame.loc[row + 1 :].set_axis(names, axis=1)
    frame = frame.rename(columns=lambda name: " ".join(str(name).split()))
    again = zip(frame, frame.columns.duplicated(), strict=True)
    names = [f"{name} {n}" if twice else name for n, (name, twice) in enumerate(again, start=1)]
    return frame.set_axis(names, axis=1)


def _headed(source: str) -> list[tuple[int, dict]]:
    """Parts with the same headings again and again, "Q: ... A: ...", each with where it begins;
    lines without a letter or digit end a value.
    """
    headings = re.finditer(_HEADING.format(_NAME), source, re.MULTILINE)
    marks = [(match[1] or match[2], *match.span()) for match in headings]
    counts = Counter(name for name, _, _ in marks)
    sizes = counts.values()
    # as often as most headings return, each counted with how often it does
    usual = max(sizes, key=lambda n: n * sum(x > 0.9 * n for x in sizes), default=0)
    often = [name for name in counts if counts[name] > max(2, 0.9 * usual)]
    if len(often) < 2:
        return []
    parts = []
    marks = [mark for mark in marks if mark[0] in often]
    marks.append(("", len(source), 0))
    for (name, begin, start), (_, end, _) in itertools.pairwise(marks):
        # inside an answer a question is no new part
        if name == often[0] and (not parts or 2 * len(parts[-1][1]) > len(often)):
            parts.append((begin, {}))
        if parts:
            value = re.split(r"\n[\W_]*(?:\n|$)", source[start:end].strip())[0]
            field = _ONE_LETTER.get(name, re.sub(r"\W", "_", name))
            parts[-1][1].setdefault(field, value)
    return parts


def _piped(source: str) -> list[tuple[int, dict]]:
    """Rows of the tables of a Markdown text with the longest one's head, each with its begin."""
    parts, head = [], []
    for match in re.finditer(r"^ *\|(.*)\|[ \r]*$|^.*$", source, re.MULTILINE):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", match[1] or "")]
        if not match[1]:
            head = []
        elif not head:
            head = cells if any(cells) else []
        elif not all(re.fullmatch(":?-+:?", cell) for cell in cells):
            parts.append((match.start(), dict(zip(head, cells, strict=False))))
    counts = Counter(tuple(row) for _, row in parts)
    rows = [part for part in parts if counts[tuple(part[1])] == max(counts.values())]
    # a table inside an answer is none of answers
    lines = [line for line in source.splitlines() if line.strip()]
    return rows if 3 * len(rows) > len(lines) else []


def _matches(file: Path, layout: Layout) -> _Records:
    """Matches of a regular expression in a text, its named groups; or parts with headings, or rows
    of a Markdown table.
    """
    source, line, start = text(file, layout), 1, 0
    if layout.records:
        try:
            pattern = re.compile(layout.records, re.MULTILINE | re.DOTALL)
        except re.error as error:
            raise DataError(f"is not a regular expression: {error}", field="records") from None
        with within(SECONDS, "records"):
            parts = [(match.start(), match.groupdict()) for match in pattern.finditer(source)]
    elif not (parts := _headed(source) or _piped(source) or _paired(source)):
        raise DataError("is plain text: say with a regular expression what a row is", file=file)
    for begin, fields in parts:
        line, start = line + source.count("\n", start, begin), begin
        yield line, fields


def _paired(source: str) -> list[tuple[int, dict]]:
    """Lines of names and values, "predicted: A | correct: B", with the names that most have."""
    parts = []
    for line in re.finditer("^.*$", source, re.MULTILINE):
        fields = re.findall(r"([^\W\d_][\w ]{0,30}?) *[:=] *([^|,;\t]*[^|,;\t ])", line[0])
        parts.append((line.start(), {re.sub(r"\W", "_", name): value for name, value in fields}))
    counts = Counter(tuple(fields) for _, fields in parts if len(fields) > 1)
    [(names, n)] = counts.most_common(1) or [((), 0)]
    return [part for part in parts if tuple(part[1]) == names] if n >= _MANY else []


def _csv(file: Path, layout: Layout) -> _Records:
    """Rows by the names in the first line, or by position."""
    lines = _lines(file, layout)
    first = next(lines, "")
    usual = "\t" if ".tsv" in file.suffixes else next(filter(first.__contains__, _SEPARATORS), ",")
    separator = layout.separator or usual
    reader = csv.reader(itertools.chain([first], lines), strict=True, delimiter=separator)
    rows, names = _cells(reader, file), []
    if layout.header:
        _, names = next(rows, (1, []))
        if isinstance(names, DataError):
            raise names
        if twice := [name for name in names if name and names.count(name) > 1]:
            raise DataError("is the header of several columns", file=file, line=1, field=twice[0])
        if separator == "\t":
            rows = _glued(rows, len(names))
    for line, cells in rows:
        if isinstance(cells, DataError):
            yield line, cells
        elif names and len(cells) != len(names):
            if cells not in ([], [""]):  # an empty line, which may have quotes
                reason = f"has {len(cells)} fields instead of {len(names)}"
                yield line, DataError(reason, file=file, line=line)
        elif cells:
            yield line, dict(zip(names or range(len(cells)), cells, strict=True))


def _cells(reader: Iterator[list[str]], file: Path) -> _Rows:
    """The fields of each row, or why it has none, with the line where it begins."""
    while True:
        line = reader.line_num + 1  # fields may contain line breaks
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, DataError(f"is not CSV: {error}", file=file, line=line)


def _glued(rows: _Rows, width: int) -> _Rows:
    """Rows; those with fewer fields that follow each other are one with line breaks in its texts,
    which nobody has quoted.
    """
    begin, row = 0, []
    for line, cells in rows:
        if row and all(isinstance(one, list) and len(one) < width for one in (row, cells)):
            end, *others = cells or [""]
            glued = [*row[:-1], f"{row[-1]}\n{end}", *others]
            if len(glued) <= width and len(row[-1]) < _LONG:
                row = glued
                continue
        yield begin, row
        begin, row = line, cells
    yield begin, row


_FORMATS = {
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _json,
    ".ndjson": _json,
    ".json": _json,
    ".parquet": _parquet,
    ".xlsx": _excel,
    ".yaml": _document,
    ".yml": _document,
    ".txt": _matches,
    ".log": _matches,
    ".md": _matches,
}
ENDINGS = (*(f"{ending}.gz" for ending in _FORMATS), *_FORMATS)  # longest first
