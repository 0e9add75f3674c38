"""What all importers share: rows of files, fields with their places, and records made of them."""

import csv
import gzip
import json
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from analysis.errors import DataError
from runners import cache


@dataclass
class Log:
    """What the caller knows about the logs, and what an importer found out.

    Attributes
    ----------
    benchmark, model, revision, setting : str, optional
        For logs that do not say; they win over what a log says.
    item_id : str, optional
        A template of the item's id, such as ``{subject}/{index}``, with the fields of a row.
    columns : dict
        For tables: field of a record -> column or template.
    rows, unknown
        Counts: rows read, and fields that no importer knows.
    """

    benchmark: str | None = None
    model: str | None = None
    revision: str | None = None
    setting: str | None = None
    item_id: str | None = None
    columns: dict = field(default_factory=dict)
    rows: int = 0
    unknown: Counter = field(default_factory=Counter)
    repeated: Counter = field(default_factory=Counter)

    def note(self, row: dict, known: Iterable[str], place: str = "") -> None:
        """Count the row, and its fields that are not `known`."""
        self.rows += 1
        self.unknown.update(f"{place}{name}" for name in row.keys() - set(known))

    def record(self, form: str, row: "Row", item_id: object, model: str | None = None, **fields) -> dict:
        """A record; the same item, model and turn again counts as a further sample.

        Parameters
        ----------
        fields
            `benchmark`, `prompt` or `messages`, `params`, `setting`, and the fields of `cache.record`.
        """
        own = {name: fields.pop(name, None) for name in ("benchmark", "revision", "setting")}
        model, benchmark = self.model or model, self.benchmark or own["benchmark"]
        for name, value in (("model", model), ("benchmark", benchmark)):
            if not value:
                raise row.error(f"the log does not say which {name}: name it with --{name}", name)
        revision, setting = self.revision or own["revision"] or "unspecified", self.setting or own["setting"]
        request = {"runner": f"import/{form}", "model": model, "revision": revision, "benchmark": benchmark}
        request |= {"item_id": str(self._item(row, item_id)), "setting": setting}
        request |= {name: fields.pop(name) for name in ("prompt", "messages", "params") if fields.get(name) is not None}
        for name in ("turn", "judged"):
            if fields.get(name) is not None:
                request[name] = fields[name]
        identity = json.dumps(request, sort_keys=True, default=str)
        request["sample"] = self.repeated[identity]
        self.repeated[identity] += 1
        fields = {name: value for name, value in fields.items() if name in cache.FIELDS}
        made = cache.record(request, **fields | {"setting": setting})
        return made | {"time": fields.get("time") or _modified(row.file)}

    def _item(self, row: "Row", given: object) -> object:
        return filled(self.item_id, row) if self.item_id else given


@dataclass(frozen=True)
class Row:
    """A row of a log and where it stands."""

    values: dict
    file: Path
    line: int | None = None

    def error(self, reason: str, field: str | None = None) -> DataError:
        """A `DataError` that names this place."""
        return DataError(reason, file=self.file, line=self.line, field=field)

    def need(self, name: str, kind: type | tuple = object):
        """The field `name`, dots reaching inside, of a kind; an error where it is absent or of another kind."""
        value = self.get(name)
        if value is None:
            raise self.error("is missing", name)
        if not isinstance(value, kind):
            raise self.error(f"is a {type(value).__name__} (value {str(value)[:60]!r})", name)
        return value

    def get(self, name: str, otherwise=None):
        """The field `name`, or `otherwise`."""
        if name in self.values:
            return self.values[name]
        value = self.values
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return otherwise if value is None else value

    def number(self, value, name: str) -> float:
        """A number that may be written as text."""
        try:
            return float(value)
        except (TypeError, ValueError):
            raise self.error(f"is not a number (value {str(value)[:60]!r})", name) from None


def filled(template: str, row: Row) -> str:
    """`{subject}/{index}` with the row's fields; names only, nothing is evaluated."""
    parts = []
    for text, name, form, conversion in string.Formatter().parse(template):
        parts.append(text)
        if name is not None:
            if form or conversion or not name:
                raise DataError(f"a template holds names in braces alone, not {template!r}")
            parts.append(str(row.need(name)))
    return "".join(parts)


def names(template: str) -> list[str]:
    """The fields that a template, or a plain column's name, uses."""
    if "{" not in template:
        return [template]
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]


def rows(file: Path) -> Iterator[Row]:
    """Rows of a CSV, JSON Lines or JSON file (a list, or an object of objects: its name is in ``_key``), gzipped or not."""
    kind = file.suffixes[-2] if file.suffix == ".gz" and len(file.suffixes) > 1 else file.suffix
    try:
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8-sig", newline="") as handle:
            if kind == ".csv":
                yield from _csv(handle, file)
            elif kind == ".json":
                yield from _json(handle.read(), file)
            else:
                yield from _lines(handle, file)
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8: {error.reason}", file=file) from None
    except (OSError, EOFError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from None


def files(source: Path, *patterns: str) -> list[Path]:
    """`source` itself, or the files of a folder that fit a pattern, sorted."""
    if source.is_file():
        return [source]
    found = sorted({path for pattern in patterns for path in source.rglob(pattern)})
    if not found:
        what = "no such file or folder" if not source.exists() else f"holds no {' or '.join(patterns)}"
        raise DataError(what, file=source)
    return found


def _lines(handle, file: Path) -> Iterator[Row]:
    for number, text in enumerate(handle, start=1):
        if text.strip():
            value = decoded(text, file, number)
            yield Row(value if isinstance(value, dict) else {"_row": value}, file, number)


def _json(text: str, file: Path) -> Iterator[Row]:
    value = decoded(text, file)
    if isinstance(value, dict):
        value = [{"_key": name} | part for name, part in value.items() if isinstance(part, dict)]
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise DataError("is neither a list of objects nor an object of them", file=file)
    yield from (Row(part, file, number) for number, part in enumerate(value, start=1))


def _csv(handle, file: Path) -> Iterator[Row]:
    reader = csv.DictReader(handle, restkey="_more", strict=True)
    try:
        for row in reader:
            if "_more" in row or None in row.values():
                raise DataError("has more or fewer fields than the header", file=file, line=reader.line_num)
            yield Row(row, file, reader.line_num)
    except csv.Error as error:
        raise DataError(f"is not CSV: {error}", file=file, line=reader.line_num) from None


def decoded(text: str | bytes, file: Path, line: int | None = None):
    """JSON, or an error with its place."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}", file=file, line=line) from None


def _modified(file: Path) -> str:
    return datetime.fromtimestamp(int(file.stat().st_mtime), UTC).isoformat()


def moment(seconds) -> str | None:
    """Seconds since 1970, as some logs have them, in ISO form."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC).isoformat(timespec="milliseconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return None
