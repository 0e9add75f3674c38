"""Inspect: logs as one `.json`, or as `.eval` (a zip of JSON parts, deflated or, in newer releases,
with Zstandard).
"""

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from analysis.errors import DataError
from analysis.items.checked_rows import Row
from analysis.items.file_formats import Layout, decode
from analysis.items.places import about
from runners.importers.base import RIGHT

_ZSTANDARD = 93
_UNREADABLE = (zipfile.BadZipFile, NotImplementedError, OSError, KeyError, pa.ArrowException)


def rows(file: Path, layout: Layout, problems: list) -> Iterator[Row]:
    """Samples with the head of the log, `eval`."""
    parts = _archive(file) if file.suffix == ".eval" else _document(file)
    head = next(parts).get("eval")
    for number, sample in enumerate(parts, start=1):
        values = _with_texts(sample, sample.get("attachments") or {})
        yield Row({**about(file), **values, "eval": head}, file, number)


def _document(file: Path) -> Iterator[dict]:
    log = decode(file.read_bytes(), file)
    if not isinstance(log, dict) or "eval" not in log:
        raise DataError("is not an Inspect log: no `eval`", file=file)
    yield log
    yield from log.get("samples") or []


def _archive(file: Path) -> Iterator[dict]:
    """The head of an archive, then its samples."""
    try:
        archive = zipfile.ZipFile(file)
        names = archive.namelist()
        parts = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
        head = "header.json" if "header.json" in names else "_journal/start.json"
        for name in (head, *parts):
            yield decode(_part(archive, archive.getinfo(name)), file)
    except _UNREADABLE as error:
        raise DataError(f"is not an Inspect log: {error}", file=file) from None


def _part(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A part of the archive; the standard library has Zstandard only from Python 3.14 on."""
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    archive.fp.seek(info.header_offset)
    header = archive.fp.read(30)
    archive.fp.seek(sum(struct.unpack("<HH", header[26:30])), 1)  # over name and extra field
    raw = pa.BufferReader(archive.fp.read(info.compress_size))
    return pa.CompressedInputStream(raw, "zstd").read()


def _with_texts(value: object, attachments: dict) -> object:
    """Long texts are apart in a sample, and `attachment://...` is in their place."""
    if isinstance(value, str):
        name = value.removeprefix("attachment://")
        return value if name == value else attachments.get(name, value)
    if isinstance(value, list):
        return [_with_texts(part, attachments) for part in value]
    if isinstance(value, dict):
        return {
            name: _with_texts(part, attachments)
            for name, part in value.items()
            if name not in ("attachments", "events")  # not read, and long
        }
    return value


def prepare(row: Row) -> dict:
    """The sample's last question, all messages before the model's first answer, its text, and what
    the first scorer says: C and I are right and wrong, numbers are scores, and so are digits that
    a model wrote as a grade.
    """
    given, messages = row.values["input"], row.find("messages") or []
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    roles = [one["role"] for one in messages]
    sent = messages[: roles.index("assistant")] if "assistant" in roles else messages
    questions = [_text(one["content"]) for one in given if one["role"] == "user"]
    fields = {
        "_question": questions[-1] if questions else None,
        "_messages": [{"role": x["role"], "content": _text(x["content"])} for x in sent or given],
        "_response": _text(row.find("output.choices.0.message.content")),
    }
    score = next(iter((row.find("scores") or {}).values()), {})
    if "answer" in score:
        fields["_choice"] = score["answer"] or []
    value = score.get("value")
    if isinstance(value, str) and value.isdecimal():
        return fields | {"_score": int(value), "_choice": None}
    fields["_right"] = value if str(value).casefold() in RIGHT else None
    return fields | {"_score": value if isinstance(value, (int, float)) else None}


def _text(content: object) -> str | None:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content
