"""One run: which requests are open, who answers them, and how far it is."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from analysis.errors import DataError, unknown
from runners.journal import Journal
from runners.prompt import Plan
from runners.request import key
from runners.tally import Tally


class Progress:
    """A bar on standard error: finished, failed, rate, time left. Counts what is on the disk."""

    def __init__(self, total: int, done: int, name: str):
        self.bar = tqdm(total=total, initial=done, unit="req", desc=name, disable=None, mininterval=0.5)
        self.failed = 0

    def __call__(self, record: dict) -> None:
        self.failed += bool(record["error"])
        self.bar.set_postfix(failed=self.failed, refresh=False)
        self.bar.update()


@contextmanager
def progress(total: int, done: int, name: str) -> Iterator[Progress]:
    """A `Progress` that leaves the terminal in order."""
    shown = Progress(total, done, name)
    try:
        yield shown
    finally:
        shown.bar.close()


def open_turns(plan: Plan, journal: Journal) -> int:
    """How many turns of a conversation have no answer yet; texts are read only where a later turn builds on them."""
    if len(plan.turns) == 1:
        return int(not journal.finished(key(plan.request())))
    return len(plan.turns) - len(answered(plan, journal))


def answered(plan: Plan, journal: Journal) -> list[str]:
    """The answers that the cache holds, from the first turn on."""
    answers: list[str] = []
    while len(answers) < len(plan.turns):
        cached = journal.answer(key(plan.request(answers)))
        if cached is None:
            break
        answers.append(cached["response"])
    return answers


def hold(plans: list[Plan], journal: Journal, target, name: str, concurrency: int = 8, retries: int = 6) -> Tally:
    """Hold the conversations that are open, with a `Server` or a `Local` model."""
    if hasattr(target, "ask"):
        from runners.flow import Patience

        return converse(plans, journal, target, concurrency, Patience(retries=retries), name)
    return rounds(plans, journal, target, name)


def converse(plans: list[Plan], journal: Journal, server, concurrency: int, patience, name: str) -> Tally:
    """Hold the conversations that are open, through a server; see `Flow`."""
    total = sum(len(plan.turns) for plan in plans)

    from runners.flow import Flow

    left = [(plan, turns) for plan in plans if (turns := open_turns(plan, journal))]

    async def work(shown: Progress) -> Tally:
        async with server:
            flow = Flow(server.ask, journal, concurrency, patience, server.key, shown)
            return await flow.run(plan for plan, _ in left)

    with progress(total, total - sum(turns for _, turns in left), name) as shown:
        return asyncio.run(work(shown))


def batches(requests: list[dict], journal: Journal, runner, name: str, columns: dict | None = None) -> Tally:
    """Let a runner on this machine answer the requests that are open; Ctrl-C keeps what is written.

    Parameters
    ----------
    runner
        With `run(requests)`, which yields lists of records.
    columns : dict, optional
        Further fields of each record by the request's key.
    """
    pending = [request for request in requests if not journal.finished(key(request))]
    tally = Tally()
    with progress(len(requests), len(requests) - len(pending), name) as shown:
        try:
            for records in runner.run(pending):
                records = [record | (columns or {}).get(record["key"], {}) for record in records]
                journal.append(records)
                for record in records:
                    tally.attempts += 1
                    tally.failed += bool(record["error"])
                    tally.finished += not record["error"]
                    shown(record)
        except KeyboardInterrupt:
            tally.stopped = "interrupted"
    return tally


def rounds(plans: list[Plan], journal: Journal, runner, name: str) -> Tally:
    """Hold conversations with a runner on this machine: the first turns of all, then the second turns, ..."""
    total = Tally()
    for turn in range(max(len(plan.turns) for plan in plans)):
        asked = {}
        for plan in plans:
            if turn < len(plan.turns) and len(answers := answered(plan, journal)[:turn] if turn else []) == turn:
                request = plan.request(answers)
                asked[key(request)] = request, {"turn": turn + 1} | plan.columns
        columns = {found: more for found, (_, more) in asked.items()}
        tally = batches([request for request, _ in asked.values()], journal, runner, name, columns)
        total.attempts, total.failed = total.attempts + tally.attempts, total.failed + tally.failed
        total.finished, total.stopped = total.finished + tally.finished, tally.stopped
        if total.stopped:
            break
    return total


def request_of(todo: list, item_id: str) -> dict:
    """The (first) request about an item."""
    requests = [one.request() if isinstance(one, Plan) else one for one in todo]
    found = [request for request in requests if request["item_id"] == item_id]
    if not found:
        raise unknown("item", item_id, [request["item_id"] for request in requests[:1000]])
    return found[0]


def preview(todo: list, journal: Journal, name: str) -> str:
    """What a run would do: the first request, how many, and about how many tokens.

    Parameters
    ----------
    todo : list of Plan or of requests
    """
    held = [one for one in todo if isinstance(one, Plan)]
    total = sum(len(plan.turns) for plan in held) or len(todo)
    left = (
        sum(open_turns(plan, journal) for plan in held) if held else sum(not journal.finished(key(request)) for request in todo)
    )
    first = held[0].request() if held else todo[0]
    texts = ["".join(plan.turns) for plan in held] or [request.get("question", "") for request in todo]
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    lines = [f"{name}: {total} requests, {total - left} answered, {left} open"]
    lines.append(f"prompts: {size:,} bytes of text, very roughly {size // 4:,} to {size // 2:,} tokens, system prompt aside")
    said = first.get("messages") or [{"role": "prompt", "content": first.get("prompt") or first.get("question", "")}]
    lines += [f"--- {message['role']}\n{message['content']}" for message in said]
    lines += [f"--- scored\n{text}" for text in first.get("candidates", ())]
    return "\n".join([*lines, "---", f"key of the first request: {key(first)}"])


def report(tally: Tally, path) -> int:
    """Say how the run ended, on standard error; the exit status."""
    faults = ", ".join(f"{kind} {n}" for kind, n in tally.faults.most_common())
    print(
        f"{tally.finished} answered, {tally.failed} failed, {tally.attempts} attempts"
        + (f" (faults: {faults})" if faults else "")
        + f"\n{path}",
        file=sys.stderr,
    )
    if tally.stopped == "interrupted":
        print("stopped before the end; the same command goes on from here", file=sys.stderr)
        return 130
    if tally.stopped:
        raise DataError(f"{tally.stopped}; the same command goes on from here once that is mended")
    if tally.failed:
        print("the same command tries the failed ones again", file=sys.stderr)
        return 1
    return 0
