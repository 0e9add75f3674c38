"""Runs on a Ray cluster of several nodes on this machine: nodes and drivers killed, poison, nodes
that join, two models at once.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from analysis import outputs, paths
from analysis.outputs.json_lines import records
from runners import cache, engine
from runners.journal import Journal
from runners.spec import RunSpec
from tests.conftest import refused
from tests.runners import singles
from tests.runners.shell import command, until

# Before Ray is imported: a killed node is noticed soon, and a slow one on a busy machine is not
# taken for dead.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_health_check_period_ms": "1000"}
os.environ |= {"RAY_health_check_timeout_ms": "60000"}
pytest.importorskip("ray", reason="ray is not installed (the extra scale)")
# of Ray's own processes and sockets
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


DEADLINE = 240.0  # seconds in which what a test waits for must come, on a busy machine too


class Echo:
    """Answers with the question, notes each request, and may be poisoned. With a gate (a file), it
    stops at the hundredth request until the file is there.
    """

    def __init__(self, log: str, gate: str | None = None):
        self.log, self.gate = log, gate

    def run(self, pending):
        for request in pending:
            with open(self.log, "a") as log:
                log.write(f"{request['item_id']} {os.getpid()} {time.time()}\n")
            if request["item_id"] == "poison":
                os._exit(1)
            if request["item_id"] == "raises":
                raise ValueError("no such thing")
            while self.gate and int(request["item_id"]) >= 100 and not os.path.exists(self.gate):
                time.sleep(0.02)
            yield [cache.record(request, response=f"answer {request['item_id']}")]


def requests(n: int, *more: str, model: str = "m") -> list[dict]:
    base = {"runner": "echo", "model": model, "revision": "1", "benchmark": "b"}
    return [base | {"item_id": name} for name in [*map(str, range(n)), *more]]


def _patiently(start):
    """What `start` gives: Ray waits half a minute for a node's process, which a busy machine may
    not keep.
    """
    for tries in range(3):
        try:
            return start()
        except Exception as error:  # Ray raises Exception itself
            if tries == 2:
                pytest.fail(f"Ray is installed, and no node started in three tries: {error}")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(engine, "BATCH", 4)


@pytest.fixture(scope="module")
def cluster():
    import ray
    from ray.cluster_utils import Cluster

    made = _patiently(
        lambda: Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
        )
    )
    for _ in range(2):
        _patiently(lambda: made.add_node(num_cpus=1))
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def spread_over(log, gate=None, **options):
    return engine.Cluster(partial(Echo, str(log), gate and str(gate)), RunSpec(**options))


def asked(log) -> list[list[str]]:
    """Item, process and time of each request that reached a worker."""
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def workers(log) -> set[str]:
    return {process for _, process, _ in asked(log)}


def whole(path, n: int) -> bool:
    keys = [found["key"] for found in records(path) if not found["error"]]
    return len(keys) == len(set(keys)) == n


def test_a_node_is_killed_and_another_joins(cluster, tmp_path):
    """What was in flight on the lost node is asked again, a new node gets its worker, nothing is
    lost or doubled.
    """
    journal, log, gate = Journal(tmp_path / "b" / "m.jsonl"), tmp_path / "log", tmp_path / "gate"
    spread = spread_over(log, gate)

    with ThreadPoolExecutor() as pool:  # Ray starts nodes from the main thread alone
        running = pool.submit(singles.run, requests(400), journal, spread)
        try:
            until(lambda: len(workers(log)) == 2, DEADLINE)
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
            _patiently(lambda: cluster.add_node(num_cpus=1))
            until(lambda: len(workers(log)) >= 3, DEADLINE)
        finally:
            gate.touch()
        outcome = running.result(DEADLINE)
    del spread  # and with it the workers
    assert (outcome.finished, outcome.failed) == (400, 0)
    assert whole(journal.path, 400)
    assert len(asked(log)) - 400 <= 4  # the one batch that was in flight on the lost node


def _driver(address: str, path, log, gate) -> None:
    import ray

    ray.init(address=address, log_to_driver=False, logging_level="error")
    engine.BATCH = 4
    singles.run(requests(400), Journal(path), spread_over(log, gate))
    os._exit(0)


def test_a_node_and_the_driver_are_killed_together_and_the_run_goes_on(cluster, tmp_path):
    path, log, gate = tmp_path / "b" / "m.jsonl", tmp_path / "log", tmp_path / "gate"
    driver = multiprocessing.get_context("spawn").Process(
        target=_driver, args=(cluster.address, path, log, gate)
    )
    driver.start()
    until(lambda: len(workers(log)) == 2 and len(Journal(path)) > 20, DEADLINE)
    os.kill(driver.pid, signal.SIGKILL)
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
    driver.join(DEADLINE)
    before = len(Journal(path))
    assert 20 < before <= 100
    gate.touch()
    _patiently(lambda: cluster.add_node(num_cpus=1))
    spread = spread_over(log)
    outcome = singles.run(requests(400), Journal(path), spread)
    del spread  # and with it the workers
    assert outcome.finished == 400 - before
    assert whole(path, 400)
    assert len(asked(log)) - 400 <= 2 * 4  # two workers, a batch each


def test_poison_is_isolated_and_the_rest_finished(cluster, tmp_path):
    path, log = tmp_path / "m.jsonl", tmp_path / "log"
    spread = spread_over(log, workers=1)
    outcome = singles.run(requests(40, "poison", "raises"), Journal(path), spread)
    del spread  # and with it the workers
    assert (outcome.finished, outcome.failed) == (40, 2)
    failed = {record["item_id"]: record["error"] for record in records(path)}
    assert failed["poison"].startswith("crashed: ")
    assert failed["raises"].startswith("crashed: ValueError: no such thing")
    assert Counter(item for item, _, _ in asked(log))["poison"] <= 5


def test_what_cannot_start_ends_the_run(cluster):
    with refused(r"did not start: .*ZeroDivisionError"):
        engine.Cluster(partial(divmod, 1, 0), RunSpec()).base("chat", {})
    with refused("no room for a worker"):
        engine.Cluster(partial(divmod, 1, 0), RunSpec(gpus_per_worker=8))


# the command, killed right after its first records are on the disk
DYING = """
import os, signal, sys, polyexam
from runners.journal import Journal
from runners.spec import RunSpec
write = Journal.write
def last(journal, written):
    write(journal, written)
    os.kill(os.getpid(), signal.SIGKILL)
Journal.write = last
sys.exit(polyexam.main())
"""


def test_the_command_is_killed_and_goes_on_and_answers_as_one_process(cluster, home, monkeypatch):
    pytest.importorskip("torch")
    from tests.runners import models

    weights = models.save(home / "weights", "llama")
    questions = "".join(f"{i},what is {i}?,x,y,A\n" for i in range(160))
    (home / "q.csv").write_text(f"id,question,A,B,answer\n{questions}")
    command("items describe q.csv --name long --set language=en")
    line = "run --benchmark long --model tiny --runner local --device cpu --kind completions"
    line += f" --max-tokens 4 --prompt open --weights {weights}"
    spread = f"{line} --engine ray --address {cluster.address} --workers 1"
    process = [sys.executable, "-m", "polyexam", *spread.split()]
    dying = [sys.executable, "-c", DYING, *spread.split()]
    environment = os.environ | {"PYTHONPATH": paths.ROOT}
    path = home / "outputs" / "long" / "tiny.jsonl"
    killed = subprocess.run(dying, env=environment, stderr=subprocess.DEVNULL, timeout=DEADLINE)
    before = len(Journal(path))
    assert killed.returncode == -signal.SIGKILL
    assert 0 < before < 160
    done = subprocess.run(
        process, env=environment, stderr=subprocess.PIPE, text=True, timeout=DEADLINE
    )
    assert done.returncode == 0
    assert f"{160 - before} answered, 0 failed" in done.stderr
    assert whole(path, 160)
    spread_out = outputs.read("long").set_index("item_id")["response"].to_dict()
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(home / "alone"))
    command(line)
    assert outputs.read("long").set_index("item_id")["response"].to_dict() == spread_out
