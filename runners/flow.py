"""Many conversations at once: a limit, patience, a circuit breaker, and one writer that makes every answer durable."""

import asyncio
import contextlib
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

from analysis.errors import DataError
from runners import cache
from runners.journal import Journal
from runners.openai_api import Failure
from runners.prompt import Plan
from runners.request import key
from runners.secret import replace
from runners.tally import Tally


@dataclass(frozen=True)
class Patience:
    """When to try again.

    Attributes
    ----------
    retries : int
        Attempts after the first.
    first, longest : float
        Seconds of the first pause, which doubles each time (with up to half of it at random), and of the longest.
    asked : float
        The longest pause that a server's Retry-After may ask for; more counts as a failure at once.
    fatal, hopeless : int
        Stop the run after so many authentication or not-found errors in a row, or so many failures of any kind.
    """

    retries: int = 6
    first: float = 1.0
    longest: float = 60.0
    asked: float = 600.0
    fatal: int = 3
    hopeless: int = 50

    def pause(self, attempt: int) -> float:
        """Seconds before attempt `attempt` (1, 2, ...)."""
        return min(self.longest, self.first * 2 ** (attempt - 1)) * random.uniform(1, 1.5)


class Flow:
    """Runs conversations through `ask` (a coroutine: request -> fields of a record) into a journal.

    Parameters
    ----------
    ask : callable
    journal : Journal
    concurrency : int
        Requests in flight at once.
    patience : Patience
    secret : str, optional
        Replaced wherever it occurs in a record.
    progress : callable, optional
        Called with each record that is on the disk.
    """

    def __init__(self, ask, journal: Journal, concurrency=8, patience=None, secret=None, progress: Callable | None = None):
        self.ask, self.journal, self.concurrency = ask, journal, concurrency
        self.patience, self.secret, self.progress = patience or Patience(), secret, progress
        self.tally = Tally()
        self.stopping = asyncio.Event()
        self.not_before = 0.0  # of the loop's clock: a server that asks one request to wait means all
        self.in_a_row = Counter()

    async def run(self, plans: Iterable[Plan]) -> Tally:
        """Finish what can be finished. SIGINT or SIGTERM: no new request, those in flight are finished; again: give up."""
        self.queue, source = asyncio.Queue(), iter(plans)
        writer = asyncio.create_task(self._write())
        workers = [asyncio.create_task(self._work(source)) for _ in range(self.concurrency)]
        with self._signals(workers):
            try:
                await asyncio.gather(*workers)
            except asyncio.CancelledError:
                self._stop("given up")
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                await self.queue.put(None)
                await writer
        return self.tally

    async def _work(self, source) -> None:
        for plan in source:
            answers: list[str] = []
            while len(answers) < len(plan.turns) and not self.stopping.is_set():
                response = await self._turn(plan, answers)
                if response is None:
                    break
                answers.append(response)
            if self.stopping.is_set():
                return

    async def _turn(self, plan: Plan, answers: list[str]) -> str | None:
        """The answer to the next turn: from the cache, or asked for and handed to the writer; None where it failed."""
        request = plan.request(answers)
        self.journal.refresh()  # another runner may have been here
        if cached := self.journal.answer(key(request)):
            return cached["response"]
        columns = {"turn": len(answers) + 1} | plan.columns
        try:
            found = await self._patiently(request)
        except Failure as failure:
            await self.queue.put(cache.record(request, **columns, **failure.answer | {"error": str(failure)}))
            return None
        if found is None:
            return None
        await self.queue.put(cache.record(request, **columns, **found))
        return found["response"]

    async def _patiently(self, request: dict) -> dict | None:
        """Ask until there is an answer, patience ends (the last failure is raised), or the run stops (None)."""
        attempt = 0
        while True:
            await self._until_allowed()
            if self.stopping.is_set():
                return None
            self.tally.attempts += 1
            try:
                found = await self.ask(request)
            except Failure as failure:
                attempt += 1
                self.tally.faults[failure.kind] += 1
                self._break(failure)
                if not failure.again or attempt > self.patience.retries or (failure.wait or 0) > self.patience.asked:
                    raise
                await self._pause(failure, attempt)
            else:
                self.in_a_row.clear()
                return found

    async def _pause(self, failure: Failure, attempt: int) -> None:
        clock = asyncio.get_running_loop().time
        wait = self.patience.pause(attempt) if failure.wait is None else failure.wait * random.uniform(1, 1.1)
        if failure.kind == "rate_limit":
            self.not_before = max(self.not_before, clock() + wait)
        else:
            await self._sleep(wait)

    async def _until_allowed(self) -> None:
        while (wait := self.not_before - asyncio.get_running_loop().time()) > 0 and not self.stopping.is_set():
            await self._sleep(wait)

    async def _sleep(self, seconds: float) -> None:
        """Unless the run stops first."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)

    def _break(self, failure: Failure) -> None:
        self.in_a_row["any"] += 1
        self.in_a_row["fatal"] = self.in_a_row["fatal"] + 1 if failure.fatal else 0
        if self.in_a_row["fatal"] >= self.patience.fatal:
            self._stop(f"{self.in_a_row['fatal']} errors in a row that no waiting mends: {failure}")
        elif self.in_a_row["any"] >= self.patience.hopeless:
            self._stop(f"{self.in_a_row['any']} failures in a row, the last one: {failure}")

    def _stop(self, why: str) -> None:
        self.tally.stopped = self.tally.stopped or why
        self.stopping.set()

    async def _write(self) -> None:
        """Append whatever has come in meanwhile, as one; after a disk error take no more and stop the run."""
        async for records in self._batches():
            try:
                written = await asyncio.to_thread(self.journal.append, replace(records, self.secret))
            except DataError as error:
                self._stop(str(error))
                continue
            for record in records:
                if record["key"] in written:
                    self.tally.failed += bool(record["error"])
                    self.tally.finished += not record["error"]
                    if self.progress:
                        self.progress(record)

    async def _batches(self) -> AsyncIterator[list[dict]]:
        while (first := await self.queue.get()) is not None:
            records = [first]
            while not self.queue.empty():
                record = self.queue.get_nowait()
                if record is None:
                    yield records
                    return
                records.append(record)
            yield records

    @contextlib.contextmanager
    def _signals(self, workers: list[asyncio.Task]):
        def interrupted():
            if self.stopping.is_set():
                for worker in workers:
                    worker.cancel()
            self._stop("interrupted")

        loop = asyncio.get_running_loop()
        handled = []
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError, RuntimeError):  # not the main thread: a notebook's business
                loop.add_signal_handler(number, interrupted)
                handled.append(number)
        try:
            yield
        finally:
            for number in handled:
                loop.remove_signal_handler(number)
