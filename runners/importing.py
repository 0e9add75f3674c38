"""Logs into the cache: looked through while they are read; nothing is written of a log that cannot
be meant.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from analysis.errors import DataError
from analysis.items import derived
from analysis.schemas import SUFFIX
from runners import transfer
from runners.importers import Log, attempts
from runners.importers.base import scale


def take(
    sources: list[Path], log: Log, items: bool = False, form: str | None = None
) -> Iterator[str]:
    """Write the outputs of logs (and with `items` their questions), unless something is wrong.

    Parameters
    ----------
    form : str, optional
        One of `importers.FORMATS`; told by the files where it is left out.

    Yields
    ------
    str
        Lines on what was read and written.

    Raises
    ------
    DataError
        For what cannot be read, no outputs, no id that is an item's, or ids that collide; nothing
        is written then.
    """
    log.items = {} if items else None
    command = "import --items" if items else "import"
    records = []
    for one in attempts.understood(sources, log, command, form):
        yield f"format: {one.form}"
        if one.error:
            yield f"not understood: {one.error}"
            continue
        yield from _looked_through(one.records, one.log)
        records += one.records
    # only now: an error in a later family leaves nothing of an earlier one
    added, differing = transfer.take(records)
    for path, number in added.items():
        yield f"{number} new outputs in {path}"
    if differing:
        raise DataError(
            f"{differing} outputs answer requests that the cache has another answer to, "
            "and were left out; name a --setting to tell them apart"
        )


def _looked_through(records: list[dict], log: Log) -> Iterator[str]:
    """Lines on what the records are, whose items are written.

    Raises
    ------
    DataError
        Where no id is an item's.
    """
    runs = Counter((one["benchmark"], one["model"], one["setting"]) for one in records)
    yield f"{log.rows} rows, {len(records)} outputs"
    yield from log.summary(len(records))
    for run, number in runs.items():
        yield f"  {', '.join(filter(None, run))}: {number}"
    ids = defaultdict(dict)  # benchmark -> ids of its items
    for record in records:
        ids[record["benchmark"]][record["item_id"]] = None
    for benchmark, asked in ids.items():
        yield _matched(benchmark, asked, log)
    if not log.items:
        return
    given = [one["given"] or {} for one in records if not one["response"]]
    scores = [marks["score"] for marks in given if marks.keys() == {"score"}]
    more = {}
    if len(scores) == len(records):
        more = {"answer_type": "score", "judge": scale(scores)}
    for benchmark in ids:
        items = [item for (name, _), item in log.items.items() if name == benchmark]
        home, new = derived.write(benchmark, items, **more)
        yield f"{new} new items in {home}"


def _matched(benchmark: str, asked: dict[str, None], log: Log) -> str:
    """How the ids of outputs match those of the items; an error where none does."""
    taken = (item_id for name, item_id in log.items or () if name == benchmark)
    there = {*taken, *log.stored(benchmark.removesuffix(SUFFIX))}
    if not there:
        return f"{benchmark}: no items are at hand (--items takes a log's, where it has questions)"
    lost = [one for one in asked if one not in there]
    named = ", ".join(lost[:3])
    if len(lost) == len(asked):
        raise DataError(
            f"none of {len(lost)} ids is an item of {benchmark}: the log has {named}, the "
            f"benchmark {', '.join(sorted(there)[:3])}. Build them with --item-id from the "
            "log's fields, or name another --benchmark"
        )
    without = f", {len(lost)} without item ({named})" if lost else ""
    return f"{benchmark}: {len(asked) - len(lost)} of {len(there)} items are asked{without}"
