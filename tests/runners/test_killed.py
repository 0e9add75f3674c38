"""Runners killed with SIGKILL at random moments, and stopped with Ctrl-C: nothing reported finished
is lost or doubled.
"""

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections import Counter

import pytest

from analysis.outputs.json_lines import records
from runners import openai_api
from runners.flow import Flow
from runners.journal import Journal
from runners.progress import Progress
from runners.spec import RunSpec
from tests.runners import loopback
from tests.runners.shell import until
from tests.runners.test_openai_api import plans

KILLS = int(os.environ.get("POLYEXAM_KILLS", "12"))
FAULTS = ["429 with Retry-After", "500", "reset", "truncated", "null content"]


def child(url: str, path, reported, n: int) -> None:
    """A runner that reports each finished key at once."""
    server = openai_api.Server(
        RunSpec(base_url=url, key_env="NO_SUCH_KEY", timeout=5, concurrency=4, retries=20)
    )

    async def work():
        async with server:

            class Reported(Progress):
                def __call__(self, record):
                    os.write(reported, record["key"].encode() + b"\n")

            flow = Flow(server, Journal(path), server.spec, Reported(0, ""))
            flow.first, flow.longest = 0.005, 0.02
            return await flow.run(plans(n, turns=2))

    tally = asyncio.run(work())
    os._exit(130 if tally.stopped else 0)


@pytest.fixture
def start(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["runners.flow", "runners.openai_api", "tests.runners.test_openai_api"]
    )
    log = os.open(tmp_path / "reported", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def started(url, path, n):
        from multiprocessing.reduction import DupFd

        process = context.Process(target=_with_descriptor, args=(url, path, DupFd(log), n))
        process.start()
        return process

    yield started
    os.close(log)


def _with_descriptor(url, path, log, n):
    child(url, path, log.detach(), n)


def reported(tmp_path) -> list[str]:
    return [key for key in (tmp_path / "reported").read_text().split("\n") if len(key) == 64]


def finished(path) -> Counter:
    if not path.exists():
        return Counter()
    return Counter(found["key"] for found in records(path) if not found["error"])


@pytest.mark.slow
def test_sigkill_at_random_moments(tmp_path, start):
    path, draw, n, kills = tmp_path / "b" / "model.jsonl", random.Random(7), KILLS * 12, 0
    with loopback.serving(faults=FAULTS, share=0.1, seed=3, latency=0.004) as server:
        while True:
            known = finished(path)
            process = start(server.url, path, n)
            if kills < KILLS:
                before = sum(server.asked.values())
                while sum(server.asked.values()) == before and process.exitcode is None:
                    time.sleep(0.005)
                process.join(draw.uniform(0, 0.06))
                process.kill()
            process.join(120)
            if process.exitcode is None:
                process.kill()
                process.join()
            kills += process.exitcode == -signal.SIGKILL
            now = finished(path)
            assert known.keys() <= now.keys(), "finished answers are gone"
            assert set(reported(tmp_path)) <= now.keys(), "reported as finished, and lost"
            assert max(now.values(), default=1) == 1, "an answer stands twice"
            if process.exitcode == 0:
                break
    lines = path.read_bytes().splitlines()
    assert len(finished(path)) == len(lines) == 2 * n
    assert kills >= KILLS


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_finishes_what_is_in_flight(tmp_path, start, number):
    path = tmp_path / "b" / "model.jsonl"
    with loopback.serving(latency=0.3) as server:
        process = start(server.url, path, 100)
        until(lambda: len(finished(path)) >= 4)
        os.kill(process.pid, number)
        process.join(10)
        assert process.exitcode == 130
        # every request that was sent is in the cache
        assert len(finished(path)) == sum(server.asked.values()) < 100
