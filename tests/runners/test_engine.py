"""Runs on a Ray cluster of several nodes on this machine: nodes and drivers killed, poison, nodes that join."""

import multiprocessing
import os
import signal
import time
from collections import Counter
from functools import partial

import pytest

from runners import cache, run
from runners.journal import Journal, records

os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
}  # before Ray is imported
pytest.importorskip("ray", reason="ray is not installed (the extra scale)")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own processes and sockets


class Echo:
    """Answers with the question, slowly, and notes each request that it answers; may be poisoned."""

    def __init__(self, log: str, seconds: float = 0.0):
        self.log, self.seconds = log, seconds

    def base(self, kind, params):
        return {"runner": "echo", "model": "m", "revision": "1", "kind": kind, "params": params}

    def takes_system(self):
        return True

    def run(self, pending):
        for request in pending:
            with open(self.log, "a") as log:
                log.write(f"{request['item_id']} {os.getpid()}\n")
            if request["item_id"] == "poison":
                os._exit(1)
            if request["item_id"] == "raises":
                raise ValueError("no such thing")
            time.sleep(self.seconds)
            yield [cache.record(request, response=f"answer {request['item_id']}")]


def requests(n: int, *more: str) -> list[dict]:
    base = {"runner": "echo", "model": "m", "revision": "1", "benchmark": "b"}
    return [base | {"item_id": name} for name in [*map(str, range(n)), *more]]


@pytest.fixture(scope="module")
def cluster():
    import ray
    from ray.cluster_utils import Cluster

    try:
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        made.add_node(num_cpus=1)
        made.add_node(num_cpus=1)
    except Exception as error:  # Ray gives a node 15 seconds to start, which a busy machine may not keep
        pytest.skip(f"Ray's nodes did not start: {error}")
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def engine(log, seconds=0.0, **options):
    from runners.engine import Cluster

    return Cluster(partial(Echo, str(log), seconds), **options)


def asked(log) -> Counter:
    return Counter(line.split()[0] for line in log.read_text().splitlines())


def whole(path, n: int) -> bool:
    keys = [found["key"] for found, _, _ in records(path) if not found["error"]]
    return len(keys) == len(set(keys)) == n


def test_a_node_is_killed_and_another_joins(cluster, tmp_path):
    """What was in flight on the lost node is asked again, a new node gets work, nothing is lost or doubled."""
    journal, log = Journal(tmp_path / "b" / "m.jsonl"), tmp_path / "log"
    spread, seen = engine(log, 0.02, batch=4), []

    def pids() -> set[str]:
        return {line.split()[1] for line in log.read_text().splitlines()}

    class Watched:
        def run(self, pending):
            for found in spread.run(pending):
                if not seen and len(pids()) == 2:  # both nodes are at work
                    seen.append(True)
                    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
                    cluster.add_node(num_cpus=1)
                yield found

    tally = run.batches(requests(900), journal, Watched(), "m")
    spread.close()
    assert tally.failed == 0 and tally.finished == 900 and whole(journal.path, 900)
    assert len(pids()) >= 3, "the node that joined got no work"
    assert sum(asked(log).values()) - 900 <= 4  # the one batch that was in flight on the lost node


def test_poison_is_isolated_and_the_rest_is_finished(cluster, tmp_path):
    journal, log = Journal(tmp_path / "b" / "m.jsonl"), tmp_path / "log"
    spread = engine(log, batch=8)
    todo = requests(40, "poison", "raises")
    tally = run.batches(todo, journal, spread, "m")
    assert (tally.finished, tally.failed, tally.permanent) == (40, 2, 2)
    failed = {found["item_id"]: found["error"] for found, _, _ in records(journal.path) if found["error"]}
    assert failed["poison"].startswith("crashed: ") and failed["raises"].startswith("crashed: ValueError: no such thing")
    assert run.batches(todo, journal, spread, "m").attempts == 0
    spread.close()
    assert asked(log)["poison"] <= 8


def _driver(address: str, path, log) -> None:
    import ray

    ray.init(address=address, log_to_driver=False, logging_level="error")
    run.batches(requests(200), Journal(path), engine(log, 0.02, batch=4), "m")
    os._exit(0)


def test_a_driver_is_killed_and_the_run_goes_on(cluster, tmp_path):
    path, log = tmp_path / "b" / "m.jsonl", tmp_path / "log"
    driver = multiprocessing.get_context("spawn").Process(target=_driver, args=(cluster.address, path, log))
    driver.start()
    ended = time.monotonic() + 60
    while (not path.exists() or path.stat().st_size < 5000) and time.monotonic() < ended:
        time.sleep(0.02)
    os.kill(driver.pid, signal.SIGKILL)
    driver.join()
    before = len(Journal(path))
    assert 0 < before < 200
    spread = engine(log, batch=4)
    tally = run.batches(requests(200), Journal(path), spread, "m")
    spread.close()
    assert tally.finished == 200 - before and whole(path, 200)
    assert sum(asked(log).values()) - 200 <= 2 * 4  # two workers, a batch each


def test_what_cannot_start_ends_the_run(cluster):
    from analysis.errors import DataError
    from runners.engine import Cluster

    with pytest.raises(DataError, match="did not start: ZeroDivisionError"):
        Cluster(partial(divmod, 1, 0)).base("chat", {})
    with pytest.raises(DataError, match="no room for a worker"):
        list(Cluster(partial(divmod, 1, 0), gpus=8).run(requests(1)))


def test_a_model_on_the_cluster_answers_as_here(cluster, tmp_path):
    pytest.importorskip("torch")
    from runners.engine import Cluster
    from runners.options import _local
    from tests.runners import models

    weights = models.save(tmp_path / "weights", "llama")
    load = partial(_local, weights, "main", 4, None, "cpu", name="tiny")
    here, spread = load(), Cluster(load, workers=1, batch=8)
    params = {"max_tokens": 4, "temperature": 0}
    assert spread.base("completions", params) == here.base("completions", params)
    base = here.base("completions", params) | {"benchmark": "b"}
    todo = [base | {"item_id": str(i), "prompt": f"question {i}"} for i in range(12)]
    todo += [one | {"score": "options", "candidates": [" A", " B one"]} for one in todo]
    found = {r["key"]: r for part in spread.run(todo) for r in part}
    spread.close()
    for one in (r for part in here.run(todo) for r in part):
        other = found[one["key"]]
        assert one["response"] == other["response"] and bool(one["scores"]) == bool(other["scores"])
        if one["scores"]:
            for ours, theirs in zip(one["scores"]["options"], other["scores"]["options"], strict=True):
                assert ours["logprobs"] == pytest.approx(theirs["logprobs"], abs=1e-5)
