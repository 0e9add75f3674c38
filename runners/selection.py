"""Which items and requests a run takes."""

import pandas as pd

from analysis.errors import DataError, unknown
from runners.journal import Journal
from runners.request import key


def items(frame: pd.DataFrame, subjects: str | None = None, limit: int | None = None, shard: str | None = None) -> pd.DataFrame:
    """Rows of the named subjects (with commas between), then the first `limit`, then part `i/n` of them."""
    if subjects:
        wanted = [name.strip() for name in subjects.split(",") if name.strip()]
        known = frame["subject"].unique()
        if wrong := [name for name in wanted if name not in known]:
            raise unknown("subject", wrong[0], known)
        frame = frame[frame["subject"].isin(wanted)]
    frame = frame.head(limit) if limit else frame
    return frame.iloc[_part(shard)] if shard else frame


def pending(requests: list[dict], journal: Journal) -> list[dict]:
    """Those without an answer in the cache."""
    return [request for request in requests if not journal.finished(key(request))]


def _part(shard: str) -> slice:
    number, _, count = shard.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise DataError(f"a shard is i/n with 1 <= i <= n, such as 1/4, not {shard!r}")
    return slice(int(number) - 1, None, int(count))
