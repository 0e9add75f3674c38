"""One run, from its `RunSpec` to its report: what is asked, who answers, how it ended."""

import asyncio
import contextlib
import fcntl
import sys
from collections.abc import Iterator
from functools import partial

from analysis.errors import DataError, brought_by
from analysis.text import visible
from runners import cache, prompt, selection
from runners.journal import Journal
from runners.progress import Progress, cost, report
from runners.prompt import Conversations, Single, answered
from runners.request import key
from runners.spec import RunSpec

# What of a spec decides how a local model is loaded
_LOADED = set(
    "model weights revision batch_size dtype device engine address workers gpus_per_worker".split()
)
_loaded: dict = {}  # the last local model and its origin: a plan's runs of one load it once


def carry_out(spec: RunSpec) -> int:
    """Ask what has no answer in the cache yet; the exit status.

    Raises
    ------
    DataError
        Where nothing can be asked so, or the run was stopped by what no waiting mends.
    """
    if not (spec.benchmark and spec.model):
        raise DataError("name a --benchmark and a --model, or a plan of many runs")
    if spec.score and spec.answered_by == "openai":
        raise DataError("a server does not score texts: see --logprobs, or --runner local")
    if spec.logprobs and spec.answered_by == "local":
        raise DataError("a local model keeps no --logprobs of what it writes; see --score")
    items = selection.chosen(spec)
    answerer = target(spec)
    if spec.answered_by == "baseline":
        asked = [Single(request) for request in answerer.requests(items)]
    else:
        base = answerer.base(spec.kind, spec.params) | {"sample": spec.sample}
        asked = prompt.conversations(
            items,
            prompt.template(spec.prompt) if spec.prompt else prompt.usual(spec.benchmark, items),
            base,
            system=spec.system if spec.kind == "chat" else None,
            dev=selection.read(spec.benchmark, "dev", spec.skip_bad) if spec.shots else None,
            shots=spec.shots,
            score=spec.score,
        )
    return complete(asked, answerer, spec)


def target(spec: RunSpec):
    """Who answers: a `Baseline`, a `Server`, a `Local` model or a `Cluster` of it."""
    if spec.answered_by == "baseline":
        from runners.baseline import Baseline

        return Baseline(spec.model, spec.seed)
    with brought_by("runners"):
        if spec.answered_by == "local":
            return _local(spec)
        from runners.openai_api import Server
    return Server(spec)


def _local(spec: RunSpec):
    """The model here or, with the engine ray, in each worker of a cluster; the one of the run
    before where nothing differs.
    """
    origin = spec.model_dump(include=_LOADED)
    if _loaded.get("origin") != origin:
        _loaded.clear()  # makes room before another one is loaded
        if spec.dry_run or not spec.engine:
            model = _load(spec)
        else:
            from runners.engine import Cluster

            model = Cluster(partial(_load, spec), spec)
        _loaded.update(model=model, origin=origin)
    return _loaded["model"]


def _load(spec: RunSpec):
    from runners.local import Local  # here, as the driver of a cluster does without torch

    return Local(spec)


def complete(asked: Conversations, answerer, spec: RunSpec, suffix: str = "") -> int:
    """Finish the conversations that are open, or in a dry run show what that would be; the exit
    status.
    """
    journal = Journal(cache.file(spec.benchmark + suffix, spec.model))
    if spec.dry_run:
        print(preview(asked, journal, spec))
        return 0
    return report(ask(asked, journal, answerer, spec), journal.path)


def ask(asked: Conversations, journal: Journal, answerer, spec: RunSpec) -> Progress:
    """Have the conversations that are open, with a server or a runner on this machine."""
    if not hasattr(answerer, "ask"):
        return rounds(asked, journal, answerer, spec.model, spec.again)
    from runners.flow import Flow

    async def work() -> Progress:
        async with answerer:
            return await Flow(answerer, journal, spec, progress).run(asked)

    total, size = _size(asked, journal, spec)
    print(visible(size), file=sys.stderr)
    progress = Progress(total, spec.model, spec.prices)
    with _alone(asked, journal), progress.bar:
        return asyncio.run(work())


def rounds(
    conversations: Conversations, journal: Journal, runner, name: str, again: bool = False
) -> Progress:
    """Let a runner on this machine go through the conversations; Ctrl-C keeps what is written.

    Parameters
    ----------
    runner
        With `run(requests)`, which takes an iterable and yields lists of records.
    again : bool
        Ask once more what failed in a way that asking again does not mend.
    """
    turns = [len(conversation.turns) for conversation in conversations]
    fields = {}  # by key further fields of the records that the runner is at

    def pending(turn: int) -> Iterator[dict]:
        for conversation in conversations:
            answers = answered(conversation, journal)[:turn] if turn else []
            if turn >= len(conversation.turns) or len(answers) < turn:
                continue
            request = conversation.request(answers)
            asked = key(request)
            if journal.finished(asked) or (journal.permanent(asked) and not again):
                progress.skip()
            elif asked not in fields:
                fields[asked] = conversation.fields(turn)
                yield request

    progress = Progress(sum(turns), name)
    try:
        for turn in range(max(turns, default=0)):
            for records in runner.run(pending(turn)):
                records = [record | fields.pop(record["key"], {}) for record in records]
                written = [cache.storable(record) for record in records]
                journal.write(written)
                progress.attempts += len(written)
                for record, _ in written:
                    progress(record)
    except KeyboardInterrupt:
        progress.stopped = "interrupted"
    finally:
        progress.bar.close()  # leaves the terminal in order
    return progress


@contextlib.contextmanager
def _alone(asked: Conversations, journal: Journal) -> Iterator[None]:
    """Refuse a run that another process is at work on, as both would pay: its first request has a
    byte in a file of locks, which end with their process, however that ends.
    """
    folder = journal.path.parent
    path = folder.parent / ".running" / folder.name / journal.path.stem
    place = int(key(next(iter(asked)).request())[:15], 16)
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context(open(path, "ab"))
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as error:
            reason = f"another process is at work on this run, or no lock is had: {error.strerror}"
            raise DataError(reason, file=path) from None
        yield


def preview(asked: Conversations, journal: Journal, spec: RunSpec) -> str:
    """What a run would do: how many requests, about how many tokens, and the first request."""
    first = next(iter(asked)).request()
    text = first.get("prompt") or first.get("question", "")
    messages = first.get("messages") or [{"role": "prompt", "content": text}]
    lines = [
        _size(asked, journal, spec)[1],
        *(f"--- {message['role']}\n{message['content']}" for message in messages),
        *(f"--- scored\n{candidate}" for candidate in first.get("candidates", ())),
        "---",
        f"key of the first request: {key(first)}",
    ]
    return visible("\n".join(lines))


def _size(asked: Conversations, journal: Journal, spec: RunSpec) -> tuple[int, str]:
    """The number of requests, and in words what is open: how many, roughly how many tokens, and
    what they cost.
    """
    total = failed = left = text = 0
    for conversation in asked:
        turns, request = len(conversation.turns), conversation.request()
        total += turns
        if journal.permanent(key(request)):
            failed += turns
        # texts are read only where a later turn builds on them
        elif turns > 1 or not journal.finished(key(request)):
            n = turns - len(answered(conversation, journal))
            left += n
            text += len("".join(conversation.turns).encode("utf-8", "replace")) if n else 0
    counts = f"{total} requests, {total - left - failed} answered, {left} open"
    if failed:
        counts += f", {failed} failed for good (--again asks them once more)"
    lines = [f"{spec.model}: {counts}"]
    least, most = text // 4, text // 2
    if text:
        lines.append(
            f"open prompts: very roughly {least:,} to {most:,} tokens, system prompt aside"
        )
    if left and any(spec.prices):
        dearest = cost(most, left * spec.params["max_tokens"], spec.prices)
        cheapest = f"{cost(least, 0, spec.prices):,.4f} (the prompts alone)"
        lines.append(f"cost: {cheapest} to {dearest:,.4f} (every answer --max-tokens long)")
    return total, "\n".join(lines)
