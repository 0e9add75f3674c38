"""Plain CSV, JSON Lines or JSON, with columns named by the user: `--map response=text --map item_id={subject}/{row}`."""

from collections.abc import Iterator
from pathlib import Path

from analysis.errors import DataError, unknown
from runners import cache
from runners.importers.base import Log, Row, files, filled, names, rows

FIELDS = (*(name for name in cache.FIELDS if name not in ("key", "runner", "request", "scores", "usage")), "prompt")


def read(source: Path, log: Log) -> Iterator[dict]:
    """One record a row. `scores.NAME` and `usage.NAME` make mappings; numbers there may be written as text."""
    plan = log.columns
    if not {"response", "error"} & plan.keys() and not any(name.startswith("scores.") for name in plan):
        raise DataError("a table needs --map response=COLUMN, or --map scores.NAME=COLUMN")
    if "item_id" not in plan and not log.item_id:
        raise DataError("a table needs --map item_id=COLUMN")
    if wrong := [name for name in plan if name not in FIELDS and name.partition(".")[0] not in ("scores", "usage")]:
        raise unknown("field of a record", wrong[0], FIELDS)
    used = {name for value in plan.values() for name in names(value)}
    for file in files(source, "*.csv", "*.jsonl", "*.jsonl.gz", "*.json"):
        for row in rows(file):
            log.note(row.values, used)
            row.values["_stem"] = file.name.partition(".")[0]
            fields = _fields(row, plan)
            yield log.record("table", row, fields.pop("item_id", None), fields.pop("model", None), **fields)


def _fields(row: Row, plan: dict) -> dict:
    found: dict = {}
    for name, column in plan.items():
        value = filled(column, row) if "{" in column else row.get(column)
        if "{" not in column and column not in row.values and row.get(column) is None:
            raise row.error("no such column", column)
        group, dot, part = name.partition(".")
        if dot:
            found.setdefault(group, {})[part] = _number(value)
        else:
            found[name] = value
    if "turn" in found and found["turn"] is not None:
        found["turn"] = int(row.number(found["turn"], "turn"))
    for name in ("response", "error", "finish_reason", "time"):
        if found.get(name) is not None:
            found[name] = str(found[name])
    found["error"] = found.get("error") or None
    if "response" in plan and not found.get("response") and not found["error"]:
        found["error"] = "empty: imported"
    return found


def _number(value):
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value
    return int(number) if number.is_integer() else number
