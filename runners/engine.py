"""A local model on the machines of a Ray cluster: batches go to actors that have the model.

Ray starts an actor that was lost anew, on any node; what it was at is known and asked again here.
What is done twice counts once, by key. Needs `pip install 'polyexam[scale]'`.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from analysis.errors import DataError, brought_by
from runners import cache
from runners.spec import RunSpec

BATCH = 32  # requests that a worker gets at once: what is asked again when it is lost
_TRIES = 3  # times that one request alone may bring down its worker before it is given up


class Cluster:
    """A runner like `Local`, spread over a Ray cluster.

    Parameters
    ----------
    load : callable
        Makes the runner in a worker.
    spec : RunSpec
        Of it: the `address` of a running cluster (`auto`: the one of this machine; without it one
        is started here, for this process alone), how many `workers` (where there is no room for so
        many, some wait for nodes that join; by default as many as there is room for), and what one
        takes beside a processor core.
    """

    def __init__(self, load: Callable, spec: RunSpec):
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
        with brought_by("scale"):
            import ray
            import ray.exceptions
        self.ray = ray
        self._join(spec.address)
        actor = ray.remote(num_cpus=1, num_gpus=spec.gpus_per_worker, max_restarts=-1)(_Worker)
        self.idle: list = []
        self.busy: dict = {}  # reference of an answer -> (worker, batch); no batch while it starts
        self.again: list[list] = []  # batches
        for _ in range(spec.workers or self._room(spec.gpus_per_worker)):
            self._start(actor.remote(load))

    def _join(self, address: str | None) -> None:
        """Join a cluster, or start one here."""
        if self.ray.is_initialized():
            return
        where = {"address": address} if address else {"include_dashboard": False}
        try:
            self.ray.init(**where, log_to_driver=False, logging_level="error")
        except Exception as error:  # Ray's own are of all kinds, down to Exception itself
            self.ray.shutdown()
            raise DataError(f"no Ray cluster: {_short(error)}", field="address") from None

    def _room(self, gpus: float) -> int:
        """Workers that the cluster has room for."""
        there = self.ray.cluster_resources()
        room = there.get("GPU", 0) // gpus if gpus else there.get("CPU", 0)
        if room < 1:
            raise DataError(f"the Ray cluster has no room for a worker of {gpus:g} GPUs or 1 CPU")
        return int(room)

    def _start(self, worker) -> None:
        """Note that a worker starts, or starts anew: it is ready when it says so."""
        self.busy[worker.ready.options(max_task_retries=-1).remote()] = worker, None

    def base(self, kind: str, params: dict) -> dict:
        """What every request to the model has, as a worker says; waits until one has started,
        however long it takes to load.
        """
        while not self.idle:
            list(self._wait())
        try:
            return self.ray.get(self.idle[-1].base.remote(kind, params))
        except self.ray.exceptions.RayTaskError as error:
            cause = error.cause or error
            raise (cause if isinstance(cause, DataError) else DataError(_short(cause))) from None

    def run(self, pending: Iterable) -> Iterator[list]:
        """Yield records as they come; requests are taken from `pending` when a worker is free."""
        pending = iter(pending)
        try:
            while True:
                while self.idle and (batch := self._next(pending)):
                    worker = self.idle.pop()
                    # of a request alone Ray finds out itself whether it kills each time
                    tries = _TRIES if len(batch) == 1 else 1
                    answer = worker.answer.options(max_task_retries=tries - 1)
                    self.busy[answer.remote(batch)] = worker, batch
                if self.idle and not self._at_work():  # nothing was left to give out
                    return
                yield from self._wait()
        finally:
            for worker in self._at_work():
                self.ray.kill(worker)

    def _at_work(self) -> list:
        return [worker for worker, batch in self.busy.values() if batch]

    def _next(self, pending: Iterator) -> list:
        return self.again.pop() if self.again else list(islice(pending, BATCH))

    def _wait(self) -> Iterator[list]:
        """Take what is ready next."""
        (reference, *_), _ = self.ray.wait([*self.busy])
        worker, batch = self.busy.pop(reference)
        try:
            records = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:  # the worker lives
            self.idle.append(worker)
            yield from self._lost(batch, error.cause or error)
        except self.ray.exceptions.RayError as error:
            if batch is None:  # its last line says why
                raise DataError(f"a worker did not start: {_short(error, -1)}") from None
            self._start(worker)
            yield from self._lost(batch, error)
        else:
            self.idle.append(worker)
            if batch:
                yield records

    def _lost(self, batch: list, error: Exception) -> Iterator[list]:
        """A batch whose worker died or failed: in halves, down to the request that does it."""
        middle = len(batch) // 2
        if middle:
            self.again += [batch[:middle], batch[middle:]]
        else:
            yield [cache.record(batch[0], error=f"crashed: {_short(error)}")]


class _Worker:
    """Has the model; an actor."""

    def __init__(self, load: Callable):
        self.runner = load()

    def ready(self) -> None:
        """Answer once the model is loaded."""

    def base(self, kind: str, params: dict) -> dict:
        return self.runner.base(kind, params)

    def answer(self, requests: list) -> list:
        return [record for records in self.runner.run(requests) for record in records]


def _short(error: Exception, line: int = 0) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[line] if lines else ''}"[:300]
