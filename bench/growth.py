"""How cost grows with the work: runs, exports and merges of many outputs, a size ten times the one
before.

Each size runs in a process of its own; seconds a million that stay level mean linear growth, a
level peak means bounded memory.
"""

import os
import tempfile
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from analysis import items
from analysis.outputs.json_lines import records
from bench.cache import written
from bench.common import Row, alone, record
from runners import prompt, run, status, transfer
from runners.journal import Journal

Work = Callable[[], object]  # what is timed; what it needs is made before


def counting(n: int, folder: Path) -> Work:
    """Counts of `n` cached lines by setting, nothing copied before."""
    written(n, folder)
    return lambda: status.coverage(status.cached(), {}.get, by=status.BY)


def export(n: int, folder: Path) -> Work:
    """`n` cached lines as one Parquet file."""
    written(n, folder)
    return partial(transfer.export, "b", None, folder / "all.parquet")


def merge(n: int, folder: Path) -> Work:
    """`n` cached lines of eight shards into an empty folder, each record checked."""
    shards = [folder / str(number) for number in range(8)]
    for number, shard in enumerate(shards):
        written(n // 8, shard, number * n // 8)
    return partial(transfer.merge, map(str, shards))


def reading(n: int, folder: Path) -> Work:
    """The same lines, each parsed and its checksum compared, once: what merging is measured by."""
    path = written(n, folder)
    return lambda: deque(records(path), maxlen=0)


def questions(n: int, folder: Path) -> Work:
    """A benchmark of `n` questions, read from a CSV file."""
    file = folder / "questions.csv"
    with file.open("w", encoding="utf-8") as handle:
        handle.write("id,question,A,B,C,D,answer\n")
        for i in range(n):
            handle.write(f"{i},How much is {i} and nothing?,one,two,three {i},four,B\n")
    return partial(items.read, file)


def dry_run(n: int, folder: Path) -> Work:
    """The first prompt and the counts of `n` questions, none of them answered; the items are held
    before.
    """
    asked = questions(n, folder)()
    request = {"runner": "openai", "model": "m", "revision": "1", "kind": "chat", "params": {}}
    plans = prompt.conversations(asked, prompt.template("open"), request)
    return partial(run.preview, plans, Journal(folder / "m.jsonl"), run.RunSpec())


WORK = {
    "items": questions,
    "dry run": dry_run,
    "status, cold": counting,
    "export, Parquet": export,
    "merge": merge,
    "reading once": reading,
}


def main(
    largest: Annotated[int, typer.Option(help="Largest size.")] = 1_000_000,
) -> None:
    """Print CPU seconds and peak memory of each size; judge merging by reading."""
    taken = {}
    print(f"{'work':18} {'size':>10} {'CPU s':>9} {'a million':>10} {'MB before':>10} {'peak':>8}")
    for name, make in WORK.items():
        size = 10_000
        while size <= largest:
            with tempfile.TemporaryDirectory() as folder:
                os.environ["POLYEXAM_OUTPUTS"] = folder
                _, _, cpu, held, most = alone(make, size, Path(folder))
            taken[name] = size, cpu
            rate = cpu * 1e6 / size
            print(f"{name:18} {size:10,} {cpu:9.3f} {rate:10.2f} {held:10,.0f} {most:8,.0f}")
            size *= 10
    (n, ours), (_, read) = taken["merge"], taken["reading once"]
    work = f"{n:,} outputs of eight shards into an empty folder, each checked"
    times = f"{ours:.1f} s", f"{read:.1f} s"
    record(Row("merge", work, "reading them once (CPU)", *times, ours / read, 3, at_least=False))


if __name__ == "__main__":
    typer.run(main)
