"""The cache of raw outputs, written: `<outputs>/<benchmark>/<model>.jsonl` (see `runners.journal`).
Read by `analysis.outputs`.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, InstanceOf, ValidationError

from analysis import paths
from analysis.errors import DataError
from analysis.outputs import files, own, read  # noqa: F401 (the cache, read)
from analysis.outputs.copies import FIELDS
from analysis.outputs.json_lines import checksum, slug
from runners import request as requests

# columns that are fields of the request as well
_NAMED = ("benchmark", "item_id", "model", "revision", "runner")
_DEEPEST = 64  # levels of nesting; programs that read the cache stop at some hundreds
# words with which failures begin that asking again does not mend
PERMANENT = (
    "refusal content_filter bad_request too_long unsendable unscorable no_logprobs crashed"
).split()
_Text = Annotated[str, Field(min_length=1)]
_Raw = InstanceOf[str] | None  # lone surrogates are kept
_Mapping = InstanceOf[dict]  # not copied


class _Record(BaseModel, strict=True, extra="forbid"):
    """The types that readers of the cache rely on."""

    key: _Text
    benchmark: _Text
    item_id: _Text
    model: _Text
    revision: _Text
    runner: _Text
    request: _Mapping
    response: _Raw
    reasoning: _Raw
    scores: _Mapping | None
    usage: _Mapping | None
    given: _Mapping | None
    finish_reason: _Text | None
    error: _Text | None
    time: _Text
    setting: _Text | None
    judged: _Text | None
    turn: Annotated[int, Field(ge=0, lt=1 << 31)] | None


def file(benchmark: str, model: str) -> Path:
    """Path of the cache file of one benchmark and model."""
    return paths.outputs() / slug(benchmark) / f"{slug(model)}.jsonl"


def record(
    request: dict, *, response: str | None = None, error: str | None = None, **fields
) -> dict:
    """A complete record of `request` and what came back; unnamed fields are None, `time` is now
    (UTC).

    Parameters
    ----------
    request : dict
        With `benchmark`, `item_id`, `model`, `revision` and `runner` among its fields: they become
        columns.
    response : str or None
        Raw text, unchanged.
    error : str or None
        Why there is no answer: `kind: detail`, where kind is one word such as `timeout`.
    **fields
        Others of `FIELDS`: `scores`, `finish_reason`, `usage`, `setting`, `turn`, `judged`,
        `reasoning`.
    """
    named = {name: request[name] for name in _NAMED}
    named |= {
        "key": requests.key(request),
        "request": request,
        "response": response,
        "error": error and utf8(error),
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }
    return dict.fromkeys(FIELDS) | named | fields


def utf8(text: str) -> str:
    """A text without lone surrogates, which are written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def encode(record: dict) -> bytes:
    """A record as its line in the cache: key and error first, at the end a checksum of all bytes
    before it.

    Raises
    ------
    DataError
        Where a field is not what readers of the cache rely on, with its name.
    """
    check(record)
    if _deep(record, _DEEPEST):
        raise DataError(f"is nested deeper than {_DEEPEST} levels")
    try:
        line = requests.line({"key": "", "error": None} | record)
    except (ValueError, TypeError) as error:
        raise DataError(f"has no JSON form: {error}") from None
    start = line[:-2]  # without `}` and line feed
    return start + checksum(start)


def storable(new: dict) -> tuple[dict, bytes]:
    """A record and its line; where `new` cannot be kept as it is, those of a record that says so
    (`malformed`).
    """
    try:
        return new, encode(new)
    except DataError as error:
        fields = {name: new.get(name) for name in ("setting", "turn", "judged")}
        new = record(new["request"], error=f"malformed: {error}", **fields)
        return new, encode(new)


def check(record: dict) -> None:
    """Check that the fields are of the types that readers of the cache rely on.

    Raises
    ------
    DataError
    """
    try:
        _Record.model_validate(dict.fromkeys(FIELDS) | record)
    except ValidationError as error:
        first = error.errors()[0]
        raise DataError(first["msg"], field=str(first["loc"][0])) from None


def verify(record: dict) -> None:
    """Check a record of others: its fields, and that it is what its key says, the answer to just
    this request.

    Raises
    ------
    DataError
    """
    check(record)
    request = record["request"]
    for name in _NAMED:
        if request.get(name) != record[name]:
            raise DataError("is another one than in the request", field=name)
    if record["key"] != requests.key(request):
        raise DataError("is not the SHA-256 of the request", field="key")


def _deep(value: object, levels: int) -> bool:
    """Whether a value is nested deeper than so many levels."""
    if not isinstance(value, (dict, list, tuple)):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deep(part, levels - 1) for part in parts)
