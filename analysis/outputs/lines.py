"""Cache files line by line: one JSON object a line, named after benchmark and model."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from analysis.errors import DataError

LONGEST_SLUG = 150  # bytes; file systems stop at 255


def slug(name: str) -> str:
    """A file name for a model's or benchmark's name: `Qwen/Qwen2-7B` becomes `Qwen__Qwen2-7B`."""
    if not name:
        raise DataError("a name is empty")
    safe = quote(name.replace("/", "__"), safe="", errors="backslashreplace")
    safe = f"%2E{safe[1:]}" if safe.startswith(".") else safe  # no hidden files, no way out of the folder
    if len(safe) > LONGEST_SLUG:
        safe = f"{safe[:LONGEST_SLUG]}-{hashlib.sha256(safe.encode()).hexdigest()[:12]}"
    return safe


def records(path: Path, offset: int = 0, number: int = 0) -> Iterator[tuple[dict, int, int]]:
    """Yield each record from byte `offset` on, with the offset and number of the line after it.

    An unfinished last line is passed over: its writer is at work, or died before it could report the record finished.

    Raises
    ------
    DataError
        At a line that is no record, with its number.
    """
    with open(path, "rb") as handle:
        handle.seek(offset)
        for raw in handle:
            if not raw.endswith(b"\n") and parsed(raw) is None:
                return
            offset, number = offset + len(raw), number + 1
            if not raw.strip():
                continue
            found = parsed(raw)
            if found is None:
                raise DataError("is not a record of the cache (JSON with a key); take the line out", file=path, line=number)
            if raw.endswith(b"\n"):
                yield found, offset, number
            else:  # complete but for its end: seen, yet read again once the line is closed
                yield found, offset - len(raw), number - 1


def parsed(raw: bytes) -> dict | None:
    try:
        found = json.loads(raw)
        bytes.fromhex(found["key"])
        found["error"], found["request"]
        return found
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
