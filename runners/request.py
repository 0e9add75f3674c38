"""A request as a plain mapping, and the key that it is cached under."""

import hashlib
import json
from collections.abc import Mapping

from analysis.errors import DataError


def canonical(request: Mapping) -> str:
    """JSON text of `request` that depends on its content alone: sorted names, no spaces, ASCII,
    `1.0` as `1`.

    Raises
    ------
    DataError
        Where a value has no JSON form (NaN, an object), or is nested too deeply.
    """
    try:
        return json.dumps(_plain(request), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"has no JSON form: {error}", field="request") from None


def key(request: Mapping) -> str:
    """SHA-256 of the canonical request: everything in it counts, and nothing else does."""
    return hashlib.sha256(canonical(request).encode("ascii")).hexdigest()


def line(record: Mapping) -> bytes:
    """`record` as one line of UTF-8 JSON that a person can read.

    Escaped are lone surrogates, which UTF-8 cannot hold, and the characters that some programs take
    for line ends.
    """
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for end in "\x85\u2028\u2029":  # beside those that JSON escapes itself
        text = text.replace(end, f"\\u{ord(end):04x}")
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _plain(value: object) -> object:
    """`value` in the types of JSON, `1.0` as `1`."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    number = value.item() if hasattr(value, "item") else value  # a NumPy scalar
    whole = isinstance(number, float) and number.is_integer()
    return int(number) if whole else number
