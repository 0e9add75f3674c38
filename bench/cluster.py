"""Ray: the driver's memory over a million requests to a trivial actor.

Each run has a process, and a Ray cluster on this machine, of its own; workers are started before
the clock is.
"""

import tempfile
from functools import partial
from pathlib import Path

import pandas as pd
import typer

from bench.common import Row, alone, record
from runners import cache

BASE = {"runner": "echo", "model": "m", "revision": "1", "benchmark": "b"}


class Echo:
    """Answers at once."""

    def run(self, pending):
        yield [cache.record(request, response="A") for request in pending]


def request(number: int) -> dict:
    return BASE | {"item_id": str(number), "prompt": f"question {number}"}


def driving(n: int) -> int:
    """How many requests the driver has finished."""
    from bench.cluster import Echo  # a name under which workers find it, which __main__ is not
    from runners import engine
    from runners.journal import Journal
    from runners.prompt import PerItem, Single
    from runners.run import rounds
    from runners.spec import RunSpec

    with tempfile.TemporaryDirectory() as folder:
        numbers = pd.DataFrame({"number": range(n)})
        asked = PerItem(numbers, lambda item: Single(request(item["number"])))
        engine.BATCH = 256  # requests that a worker gets at once
        cluster = engine.Cluster(Echo, RunSpec(workers=1))
        return rounds(asked, Journal(Path(folder) / "m.jsonl"), cluster, "m").finished


def main(few: int = 100_000, many: int = 1_000_000) -> None:
    """Driver and workers of a Ray cluster on this machine."""
    held = {}
    for n in (few, many):
        finished, seconds, _, _, held[n] = alone(partial, driving, n)
        if finished != n:
            raise SystemExit(f"{n - finished} requests have no answer")
        print(f"{n:>9,} requests: {seconds:7.1f} s, the driver {held[n]:.0f} MB", flush=True)
    each = (held[many] - held[few]) * 1e6 / (many - few)
    record(
        Row(
            "Ray driver: memory",
            f"{many:,} requests to a trivial actor",
            "bytes a request",
            f"{held[many]:.0f} MB in all",
            "500 bytes",
            each,
            500,
            False,
            f"{held[few]:.0f} MB at {few:,}; what grows are the keys of finished requests.",
        )
    )


if __name__ == "__main__":
    typer.run(main)
