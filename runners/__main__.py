"""The command line of the runners: `python -m runners --help`."""

import json
import os
import sys
from typing import Annotated

import typer

from analysis.errors import DataError, unknown
from runners import cache, prompt, run, selection, status
from runners.commands import Benchmark, Seed, SkipBad, Split, app
from runners.journal import Journal

RUNNERS = ("openai", "local")
KINDS = ("chat", "completions")

Model = Annotated[str, typer.Option(help="baseline/<name>, or a model's name as its server or hub spells it.")]
Runner = Annotated[str | None, typer.Option(help="baseline, openai or local; told by MODEL and --base-url where left out.")]
Revision = Annotated[str | None, typer.Option(help="Which state of the model: a commit of the hub, a date, a snapshot's name.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many items, after the other choices.")]
Subjects = Annotated[str | None, typer.Option(help="Only these subjects, with commas between.")]
Shard = Annotated[str | None, typer.Option(help="Only part i of n, such as 1/4; merged parts equal one run.")]
Shots = Annotated[int, typer.Option(min=0, help="Solved examples before each question, from its subject's dev items.")]
Template = Annotated[str | None, typer.Option("--prompt", help="A template of data/prompts, or the path of a text file.")]
System = Annotated[str | None, typer.Option(help="System prompt; none by default, as some models have none.")]
Kind = Annotated[str, typer.Option(help="chat (laid out by the model's template) or completions (as it stands).")]
Parameter = Annotated[list[str] | None, typer.Option("--param", help='More of the request, such as top_p=0.9 or stop=["Q:"].')]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible server; OPENAI_BASE_URL where left out.")]
KeyEnv = Annotated[str, typer.Option(help="Name of the environment variable that holds the key.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the first prompt, the number of requests and tokens; send none.")]


@app.command("run")
def run_(
    benchmark: Benchmark,
    model: Model,
    runner: Runner = None,
    revision: Revision = None,
    split: Split = None,
    skip_bad: SkipBad = False,
    subjects: Subjects = None,
    limit: Limit = None,
    shard: Shard = None,
    seed: Seed = 0,
    shots: Shots = 0,
    template: Template = None,
    system: System = None,
    kind: Kind = "chat",
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest answer, in tokens.")] = 1024,
    temperature: Annotated[float, typer.Option(min=0, help="0: always the most likely token.")] = 0.0,
    logprobs: Annotated[int, typer.Option(min=0, help="Keep log-probabilities of this many alternatives a token.")] = 0,
    sample: Annotated[int, typer.Option(min=0, help="Number of a repeated run of the same requests.")] = 0,
    parameter: Parameter = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = "OPENAI_API_KEY",
    concurrency: Annotated[int, typer.Option(min=1, help="Requests in flight at once.")] = 8,
    retries: Annotated[int, typer.Option(min=0, help="Attempts after the first, with growing pauses.")] = 6,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one attempt.")] = 600.0,
    score: Annotated[str | None, typer.Option(help="Local: labels or options, how likely each is, instead of writing.")] = None,
    separator: Annotated[str | None, typer.Option(help="Local: what stands before a scored text.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Local: prompts or options at once.")] = 8,
    dtype: Annotated[str | None, typer.Option(help="Local: bfloat16, float32, ...; the checkpoint's on a GPU.")] = None,
    device: Annotated[str | None, typer.Option(help="Local: cuda, mps or cpu; the best there is.")] = None,
    dry_run: DryRun = False,
    why: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Ask MODEL every question of BENCHMARK that has no answer in the cache yet.

    May be stopped at any time, and run again: it goes on where it was, and asks again only what failed.
    """
    items = selection.items(selection.read(benchmark, split, skip_bad), subjects, limit, shard)
    if items.empty:
        raise DataError("no items are left of this choice")
    journal = Journal(cache.file(benchmark, model))
    runner = runner or _told(model, base_url)
    if runner == "baseline":
        from runners.baseline import Baseline

        local = Baseline(model, seed)
        requests = local.requests(items)
        if why:
            _explain(requests, why)
        elif dry_run:
            _show(requests, journal, model)
        else:
            _end(run.batches(requests, journal, local, model), journal)
        return
    if runner not in RUNNERS:
        raise unknown("runner", runner, RUNNERS)
    if kind not in KINDS:
        raise unknown("kind", kind, KINDS)
    params = {"max_tokens": max_tokens, "temperature": temperature} | _logprobs(kind, logprobs) | _parameters(parameter)
    local = _local(model, revision, batch_size, dtype, device) if runner == "local" else None
    if local:
        base = local.base(kind, params) | {"sample": sample}
        system = system if system and kind == "chat" and local.takes_system() else None
    else:
        base = {"runner": runner, "model": model, "revision": revision or "unspecified", "kind": kind}
        base |= {"params": params, "sample": sample}
    dev = selection.read(benchmark, "dev", skip_bad) if shots else None
    text = prompt.template(template, benchmark, items)
    plans = prompt.plans(items, text, base, system=system, dev=dev, shots=shots)
    if score:
        plans = prompt.scored(plans, items, score, (" " if kind == "completions" else "") if separator is None else separator)
    if why:
        _explain([plan.request() for plan in plans], why)
    elif dry_run:
        _show(plans, journal, model)
    elif local:
        _end(run.rounds(plans, journal, local, model), journal)
    elif score:
        raise DataError("a server writes, it does not score texts: --score is for --runner local; see --logprobs")
    else:
        from runners.flow import Patience
        from runners.openai_api import Server

        server = Server(base_url, key_env, timeout)
        _end(run.converse(plans, journal, server, concurrency, Patience(retries=retries), model), journal)


def _local(model: str, revision: str | None, batch_size: int, dtype: str | None, device: str | None):
    try:
        from runners.local import Local
    except ImportError as error:
        raise DataError(f"{error.name} is not installed: pip install 'polyexam[runners]'") from None
    return Local(model, revision or "main", batch_size, dtype, device)


def _told(model: str, base_url: str | None) -> str:
    """The runner that is meant, where none is named."""
    if model.startswith("baseline/"):
        return "baseline"
    if base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"):
        return "openai"
    raise DataError("say --runner local for a model on this machine, or name a server with --base-url or OPENAI_BASE_URL")


def _logprobs(kind: str, top: int) -> dict:
    if not top:
        return {}
    return {"logprobs": True, "top_logprobs": top} if kind == "chat" else {"logprobs": top}


def _parameters(given: list[str] | None) -> dict:
    """`top_p=0.9` as a JSON value, or as text where it is no JSON."""
    found = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not (equals and name):
            raise DataError(f"a parameter is name=value, not {one!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _show(requests: list, journal: Journal, name: str) -> None:
    typer.echo(run.preview(requests, journal, name))


def _explain(requests: list[dict], item_id: str) -> None:
    found = [request for request in requests if request["item_id"] == item_id]
    if not found:
        raise unknown("item", item_id, [request["item_id"] for request in requests[:1000]])
    typer.echo(status.why(found[0]))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def why(context: typer.Context, item_id: Annotated[str, typer.Argument(help="An item, such as anatomy/7.")]) -> None:
    """Say whether the answer to ITEM_ID is cached, and if not, how the nearest stored request differs.

    Takes the options of `run` after the item.
    """
    app(["run", "--why", item_id, *context.args])


def _end(tally: run.Tally, journal: Journal) -> None:
    if status := run.report(tally, journal.path):
        raise typer.Exit(status)


def main() -> None:
    """Run the command line; what a user can cause ends with one line on standard error and status 1."""
    try:
        app()
    except DataError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
