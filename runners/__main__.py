"""The command line of the runners: `python -m runners --help`."""

import json
import sys
from typing import Annotated

import typer

from analysis.errors import DataError
from runners import cache, prompt, run, selection
from runners.journal import Journal

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback that shows locals would show keys
    help="Turn benchmark items into raw outputs, kept in an append-only cache. Extraction and scoring come later, offline.",
)

Benchmark = Annotated[str, typer.Option(help="Name of a benchmark, such as cmmlu.")]
Model = Annotated[str, typer.Option(help="baseline/<name>, or a model's name as its server or hub spells it.")]
Runner = Annotated[str | None, typer.Option(help="baseline, openai or local; told by MODEL and --base-url where left out.")]
Revision = Annotated[str, typer.Option(help="Which state of the model: a commit of the hub, a date, a snapshot's name.")]
Split = Annotated[str | None, typer.Option(help="Split of the benchmark; its test questions by default.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read, and say how many.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many items, after the other choices.")]
Subjects = Annotated[str | None, typer.Option(help="Only these subjects, with commas between.")]
Shard = Annotated[str | None, typer.Option(help="Only part i of n, such as 1/4; merged parts equal one run.")]
Seed = Annotated[int, typer.Option(help="Decides every random draw of a baseline.")]
Shots = Annotated[int, typer.Option(min=0, help="Solved examples before each question, from its subject's dev items.")]
Template = Annotated[str | None, typer.Option("--prompt", help="A template of data/prompts, or the path of a text file.")]
System = Annotated[str | None, typer.Option(help="System prompt; none by default, as some models have none.")]
Kind = Annotated[str, typer.Option(help="chat or completions; for local models also labels or options.")]
Parameter = Annotated[list[str] | None, typer.Option("--param", help='More of the request, such as top_p=0.9 or stop=["Q:"].')]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible server; OPENAI_BASE_URL where left out.")]
KeyEnv = Annotated[str, typer.Option(help="Name of the environment variable that holds the key.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the first prompt, the number of requests and tokens; send none.")]


@app.command("run")
def run_(
    benchmark: Benchmark,
    model: Model,
    runner: Runner = None,
    revision: Revision = "unspecified",
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
    batch_size: Annotated[int, typer.Option(min=1, help="Prompts at once on a local model.")] = 8,
    dry_run: DryRun = False,
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
        _show(requests, journal, model) if dry_run else _end(run.batches(requests, journal, local, model), journal)
        return
    dev = selection.read(benchmark, "dev", skip_bad) if shots else None
    text = prompt.template(template, benchmark, items)
    base = {"runner": runner, "model": model, "revision": revision, "kind": kind, "sample": sample}
    base["params"] = {"max_tokens": max_tokens, "temperature": temperature, **_logprobs(kind, logprobs), **_parameters(parameter)}
    plans = prompt.plans(items, text, base, system=system, dev=dev, shots=shots)
    if dry_run:
        _show(plans, journal, model)
        return
    from runners.flow import Patience
    from runners.openai_api import Server

    server = Server(base_url, key_env, timeout)
    _end(run.converse(plans, journal, server, concurrency, Patience(retries=retries), model), journal)


def _told(model: str, base_url: str | None) -> str:
    """The runner that is meant, where none is named."""
    import os

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


def _end(tally: run.Tally, journal: Journal) -> None:
    if status := run.report(tally, journal.path):
        raise typer.Exit(status)


@app.command()
def compact(benchmark: Benchmark, split: Split = None, skip_bad: SkipBad = False, seed: Seed = 0) -> None:
    """Write the baselines' answers to data/baselines/BENCHMARK.csv: choices and right or wrong, no question text."""
    from runners import baseline

    typer.echo(baseline.compact(benchmark, selection.read(benchmark, split, skip_bad), seed))


def main() -> None:
    """Run the command line; what a user can cause ends with one line on standard error and status 1."""
    try:
        app()
    except DataError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
