"""Many conversations at once: a limit, retries, a circuit breaker, and one writer that makes every
answer durable.
"""

import asyncio
import contextlib
import random
import signal
import time
from collections import Counter
from collections.abc import Iterable

from analysis.errors import DataError
from runners import cache
from runners.failure import Failure
from runners.journal import Journal, Written
from runners.progress import Progress
from runners.prompt import Conversation
from runners.request import key
from runners.secret import clean
from runners.spec import RunSpec


class Flow:
    """Runs conversations through a server into a journal.

    Parameters
    ----------
    server
        With `ask` (a coroutine: request -> fields of a record) and `key`, which is replaced
        wherever it occurs in a record.
    spec : RunSpec
        Of it: how many requests are in flight at once, the limits, the attempts after the first
        (where the server throttles and yet answers other requests meanwhile, none is counted), and
        whether is asked again what asking again does not mend.
    progress : Progress
        Counts each record that is on the disk, and each that was there before.

    Attributes
    ----------
    first, longest : float
        Seconds of the first pause, which doubles each time (with up to half of it at random), and
        of the longest.
    asked : float
        The longest pause that a server's Retry-After may ask for; more counts as a failure at once.
    fatal : int
        Stop the run after so many failures of the account in a row.
    hopeless : int
        Stop the run after so many requests in a row that are refused, or whose attempts are used
        up. Failures that belong to one request, such as a filter's, do not count.
    """

    first = 1.0
    longest = 60.0
    asked = 600.0
    fatal = 3
    hopeless = 50

    def __init__(self, server, journal: Journal, spec: RunSpec, progress: Progress):
        self.server, self.journal, self.spec = server, journal, spec
        self.progress = progress
        self.stopping = asyncio.Event()
        self.queue: asyncio.Queue[Written | None] = asyncio.Queue()  # None: nothing more comes
        # a server that asks one request to wait means all
        self.not_before = 0.0
        self.in_a_row = Counter()
        self.answers = 0
        self.refused: list[Written] = []  # since the last answer

    async def run(self, conversations: Iterable[Conversation]) -> Progress:
        """Finish what can be finished. SIGINT or SIGTERM: no new request, those in flight are
        finished; again: give up.
        """
        coming = iter(conversations)
        self.started = time.monotonic()
        writer = asyncio.create_task(self._write())
        workers = [asyncio.create_task(self._work(coming)) for _ in range(self.spec.concurrency)]
        self._listen(workers)
        try:
            await asyncio.gather(*workers)
        except asyncio.CancelledError:
            self._stop("given up")
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if self.progress.stopped in (None, "interrupted"):
                self._keep([*self.refused])
            self.queue.put_nowait(None)
            await writer
        return self.progress

    async def _work(self, coming: Iterable[Conversation]) -> None:
        for conversation in coming:  # all workers take from the same iterator
            answers: list[str] = []
            while len(answers) < len(conversation.turns) and not self.stopping.is_set():
                response = await self._turn(conversation, answers)
                if response is None:
                    break
                answers.append(response)
            if self.stopping.is_set():
                return

    async def _turn(self, conversation: Conversation, answers: list[str]) -> str | None:
        """The answer of the next turn: from the cache, or asked for and handed to the writer; None
        without one, and where it is the last one's.
        """
        request = conversation.request(answers)
        name = key(request)
        # most of a resumed run: nothing need be read
        if len(conversation.turns) == 1 and self.journal.finished(name):
            self.progress.skip()
            return None
        self.journal.refresh()
        if cached := self.journal.answer(name):
            self.progress.skip()
            return cached["response"]
        if self.journal.permanent(name) and not self.spec.again:
            return None
        refused = [*self.refused]
        written = await self._patiently(request, conversation.fields(len(answers)))
        if written is None:
            return None
        record = written[0]
        if (record["error"] or "").startswith("bad_request:"):
            self.refused.append(written)
            return None
        self.queue.put_nowait(written)
        if record["error"]:
            return None
        self._keep(refused)
        return record["response"]

    def _keep(self, refused: list[Written]) -> None:
        """Write what the server refused: an answer asked for later shows that it was about these
        requests. After refusals alone it may be the account, and they are forgotten.
        """
        for written in refused:
            if written in self.refused:
                self.refused.remove(written)
                self.queue.put_nowait(written)

    async def _patiently(self, request: dict, fields: dict) -> Written | None:
        """Ask until there is an answer, or a failure to keep; None where the run stops before."""
        attempt = 0
        while await self._may_ask():
            self.progress.attempts += 1
            before = self.answers
            try:
                written = await self._once(request, fields)
            except Failure as failure:
                self.progress.faults[failure.kind] += 1
                served = failure.kind == "rate_limit" and self.answers > before
                attempt += not served
                # an address that was reached before may come back
                again = failure.again or (failure.scope == "address" and self.answers > 0)
                too_long = failure.wait > self.asked
                lasting = not again or attempt > self.spec.retries or too_long
                self._break(failure, lasting)
                if lasting:
                    answer = failure.answer | {"error": str(failure)}
                    record, _ = cache.storable(cache.record(request, **fields, **answer))
                    return self._encoded(record)
                await self._pause(failure, attempt)
            else:
                self.answers += 1
                self.progress.spend(written[0]["usage"])
                self.in_a_row.clear()
                return written
        return None

    async def _may_ask(self) -> bool:
        """Whether another request may begin, once the server lets it."""
        while (wait := self.not_before - time.monotonic()) > 0 and not self.stopping.is_set():
            await self._sleep(wait)
        counts = {
            "max_requests": self.progress.attempts,
            "max_tokens_total": self.progress.tokens,
            "max_minutes": (time.monotonic() - self.started) / 60,
            "max_cost": self.progress.cost,
        }
        for name, count in counts.items():
            most = getattr(self.spec, name)
            if most is not None and count >= most and not self.stopping.is_set():
                self.progress.limited = True
                self._stop(f"--{name.replace('_', '-')} {most:g} is reached")
        return not self.stopping.is_set()

    async def _pause(self, failure: Failure, attempt: int) -> None:
        """Wait as long as the server asks, and never shorter than our own pause: some ask for no
        wait at all. A limit of the rate holds back all requests.
        """
        doubled = self.first * 2 ** max(attempt - 1, 0)
        ours = min(self.longest, doubled) * random.uniform(1, 1.5)
        wait = max(ours, failure.wait * random.uniform(1, 1.1))
        if failure.kind == "rate_limit":
            self.not_before = max(self.not_before, time.monotonic() + wait)
        else:
            await self._sleep(wait)

    async def _once(self, request: dict, fields: dict) -> Written:
        """One attempt; all that goes wrong is this request's failure."""
        try:
            answer = await self.server.ask(request)
            # encoded here, so that an answer that cannot be kept is this request's failure alone
            return self._encoded(cache.record(request, **fields, **answer))
        except Failure:
            raise
        except (DataError, RecursionError) as error:
            raise Failure("malformed", str(error), again=True) from None
        except Exception as error:
            raise Failure("unexpected", f"{type(error).__name__}: {error}"[:300]) from None

    def _encoded(self, record: dict) -> Written:
        record = clean(record, self.server.key)
        return record, cache.encode(record)

    async def _sleep(self, seconds: float) -> None:
        """Unless the run stops first."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)

    def _break(self, failure: Failure, lasting: bool) -> None:
        """Stop the run where a failure, or so many of them, will meet all other requests too."""
        row, hopeless = self.in_a_row, self.hopeless
        row["fatal"] = row["fatal"] + 1 if failure.scope == "account" else 0
        row["used up"] += lasting and failure.again
        row["refused"] += failure.kind == "bad_request"
        if failure.scope == "address" and not self.answers:
            self._stop(str(failure))
        if row["fatal"] >= self.fatal:
            self._stop(f"{row['fatal']} errors in a row that no waiting mends: {failure}")
        if row["used up"] >= hopeless:
            self._stop(f"{hopeless} requests in a row failed at every attempt, the last: {failure}")
        if row["refused"] >= hopeless:
            self._stop(f"the server refused all of {hopeless} requests, the last: {failure}")

    def _stop(self, why: str) -> None:
        self.progress.stopped = self.progress.stopped or why
        self.stopping.set()

    async def _write(self) -> None:
        """Append what has come in, as one; after an error stop the run."""
        ended = False
        while not ended:
            batch = [await self.queue.get()]
            while not self.queue.empty():
                batch.append(self.queue.get_nowait())
            ended = batch[-1] is None
            new = [written for written in batch if written]
            try:
                appended = set(await asyncio.to_thread(self.journal.write, new) if new else ())
            # whatever it is: asking on would pay for answers that nobody keeps
            except Exception as error:
                ours = isinstance(error, DataError)
                self._stop(str(error) if ours else f"the writer failed: {error!r}")
            else:
                for record, _ in new:
                    if record["key"] in appended:
                        self.progress(record)

    def _listen(self, workers: list[asyncio.Task]) -> None:
        """Have signals stop the run; the loop forgets them when it is closed."""

        def interrupted():
            if self.stopping.is_set():
                for worker in workers:
                    worker.cancel()
            self._stop("interrupted")

        # not the main thread: a notebook's business
        with contextlib.suppress(ValueError, RuntimeError):
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, interrupted)
