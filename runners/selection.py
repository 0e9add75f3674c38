"""Which items a run takes."""

import sys
from collections.abc import Callable

import pandas as pd

from analysis.errors import DataError, refuse_unknown
from analysis.items import read as read_items
from runners.spec import RunSpec


def chosen(spec: RunSpec) -> pd.DataFrame:
    """The items of a run; an error where none are left."""
    return part(read(spec.benchmark, spec.split, spec.skip_bad), spec)


def read(
    benchmark: str,
    split: str | None = None,
    skip_bad: bool = False,
    by: Callable = read_items,
    **options,
) -> pd.DataFrame:
    """Items of a benchmark as `by` reads them; bad rows stop with an error, or with `skip_bad` are
    left out and counted on standard error.
    """
    if split:
        options["split"] = split
    problems = [] if skip_bad else None
    items = by(benchmark, problems=problems, **options)
    if problems:
        left_out = f"{len(problems)} bad rows are left out of {len(items)} items"
        print(f"{left_out}, the first: {problems[0]}", file=sys.stderr)
    return items


def size(benchmark: str) -> int | None:
    """Requests of a complete run: its items, or their turns; None without its files."""
    try:
        metadata = read(benchmark, skip_bad=True)["metadata"]
    except DataError:
        return None
    return sum(len(one.get("turns") or [0]) for one in metadata)


def part(items: pd.DataFrame, spec: RunSpec) -> pd.DataFrame:
    """Rows of the named subjects, then the first `limit`, then part `i/n` of them."""
    if spec.subjects:
        wanted = [name.strip() for name in spec.subjects.split(",") if name.strip()]
        refuse_unknown("subject", items["subject"].unique(), *wanted)
        items = items[items["subject"].isin(wanted)]
    if spec.limit:
        items = items.head(spec.limit)
    if spec.shard:
        items = items.iloc[_shard(spec.shard)]
    if items.empty:
        raise DataError("no items are left of this choice")
    return items


def _shard(shard: str) -> slice:
    number, count = (int(part) if part.isdecimal() else 0 for part in shard.partition("/")[::2])
    if not 1 <= number <= count:
        raise DataError(f"a shard is i/n with 1 <= i <= n, such as 1/4, not {shard!r}")
    return slice(number - 1, None, count)
