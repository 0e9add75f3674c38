"""What stopped runs once, each as it was met: full windows of failures, filters, dead writers,
locks, limits.
"""

import multiprocessing
import os
import signal
import threading
import time

import pytest

from analysis.errors import DataError
from runners import openai_api, run
from runners.journal import Journal
from runners.spec import RunSpec
from tests.runners import loopback
from tests.runners.journals import append
from tests.runners.shell import until
from tests.runners.test_cache import made
from tests.runners.test_openai_api import hold, permanent, plans


def _heal(server, seconds: float) -> None:
    """End the faults so long after the first request."""
    until(lambda: server.times)
    time.sleep(seconds)
    server.share = 0.0


@pytest.mark.slow
@pytest.mark.parametrize("concurrency", [64, 256])
@pytest.mark.parametrize("fault", ["503", "429"])
def test_a_window_of_failures_is_survived_at_any_concurrency(journal, concurrency, fault):
    with loopback.serving() as server:
        server.faults, server.share = [fault], 1.0
        healed = threading.Thread(target=_heal, args=(server, 0.5))
        healed.start()
        tally = hold(
            server,
            journal,
            plans(400),
            {"first": 0.1, "longest": 1},
            concurrency=concurrency,
            timeout=20,
            retries=6,
        )
        healed.join()
    assert tally.stopped is None
    assert tally.finished == 400
    assert sum(tally.faults.values()) > 50


def test_a_dead_writer_stops_the_run(journal, monkeypatch):
    monkeypatch.setattr(journal, "write", lambda batch: 1 / 0)
    with loopback.serving() as server:
        tally = hold(server, journal, plans(500), concurrency=4)
        assert "the writer failed" in tally.stopped
        assert sum(server.asked.values()) < 50


def test_what_a_filter_stops_does_not_stop_the_run_and_is_asked_again_only_when_told(journal):
    script = ['400 {"error": {"message": "no", "code": "content_filter"}}'] * 80
    with loopback.serving(script=list(script)) as server:
        tally = hold(server, journal, plans(100), concurrency=4)
        assert (tally.stopped, tally.finished, tally.failed, permanent(journal)) == (
            None,
            20,
            80,
            80,
        )
        assert hold(server, journal, plans(100)).attempts == 0
        assert hold(server, journal, plans(100), again=True).finished == 80


@pytest.mark.parametrize(
    "fault, reason",
    [("400 no such parameter", "refused all"), ("503", "failed at every attempt")],
)
def test_a_hopeless_server_is_noticed(journal, fault, reason):
    waits = {"first": 0.001, "longest": 0.001, "hopeless": 20}
    with loopback.serving(faults=[fault], share=1.0) as server:
        tally = hold(server, journal, plans(500), waits, retries=1, concurrency=2)
    assert reason in tally.stopped
    assert tally.attempts < 80


def test_a_full_disk_stops_the_run(tmp_path):
    (tmp_path / "b").write_text("a file where the folder should be")
    with loopback.serving() as server:
        tally = hold(server, Journal(tmp_path / "b" / "m.jsonl"), plans(200), concurrency=2)
    assert "cannot append" in tally.stopped
    assert tally.finished == 0
    assert tally.attempts < 100


def _running(url: str, folder) -> None:
    spec = RunSpec(base_url=url, key_env="NO_SUCH_KEY", concurrency=1)
    server, journal = openai_api.Server(spec), Journal(folder / "b" / "model.jsonl")
    run.ask(plans(30), journal, server, spec)


def test_the_same_run_twice_at_once_is_refused_before_it_is_paid(tmp_path):
    process = multiprocessing.get_context("forkserver").Process
    with loopback.serving(latency=0.1) as server:
        first = process(target=_running, args=(server.url, tmp_path))
        first.start()
        until(lambda: sum(server.asked.values()) > 1)
        with pytest.raises(DataError, match="another process is at work on this run"):
            _running(server.url, tmp_path)
        first.join(60)
        assert first.exitcode == 0
        assert sum(server.asked.values()) == 30


def _holding_the_lock(path, ready) -> None:
    import fcntl

    with open(path, "ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        ready.set()
        time.sleep(60)


@pytest.mark.slow
def test_a_stopped_process_with_the_lock_blocks_nobody_for_ever(journal):
    append(journal, made(0, response="A"))
    context = multiprocessing.get_context("forkserver")
    ready = context.Event()
    holder = context.Process(target=_holding_the_lock, args=(journal.path, ready))
    holder.start()
    assert ready.wait(60)
    os.kill(holder.pid, signal.SIGSTOP)
    try:
        journal.longest_wait, started = 1.0, time.monotonic()
        with loopback.serving() as server:
            tally = hold(server, journal, plans(20), concurrency=2)
        assert "has held its lock" in tally.stopped
        assert time.monotonic() - started < 20
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.join()


@pytest.mark.parametrize(
    "limits, reason, fewest, most",
    [
        ({"max_requests": 10}, "--max-requests 10 is reached", 10, 10),
        ({"max_tokens_total": 70}, "--max-tokens-total 70", 10, 13),  # 7 each; what is in flight
        ({"max_minutes": 0.005}, "--max-minutes 0.005", 1, 60),
    ],
)
def test_a_limit_ends_the_run_and_the_next_one_goes_on(journal, limits, reason, fewest, most):
    with loopback.serving(latency=0.02) as server:
        outcome = hold(server, journal, plans(100), concurrency=4, **limits)
        assert outcome.limited
        assert outcome.stopped.startswith(reason)
        assert fewest <= outcome.finished == sum(server.asked.values()) <= most
        assert hold(server, journal, plans(100)).finished == 100 - outcome.finished
