"""The cache of raw outputs, written: `<outputs>/<benchmark>/<model>.jsonl` (see `runners.journal`). Read by `analysis.outputs`."""

from datetime import UTC, datetime
from pathlib import Path

from analysis import paths
from analysis.outputs import files, own, query, read
from analysis.outputs.copies import FIELDS
from analysis.outputs.lines import slug
from runners import request as requests

__all__ = ["FIELDS", "file", "files", "own", "query", "read", "record"]


def file(benchmark: str, model: str, folder: Path | None = None) -> Path:
    """Path of the cache file of one benchmark and model."""
    return Path(folder or paths.outputs()) / slug(benchmark) / f"{slug(model)}.jsonl"


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
