"""The commands beside `run`: what is there, in and out."""

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from analysis.errors import DataError
from runners import cache, importers, selection, status, transfer
from runners import options as o
from runners.journal import Journal
from runners.options import AnyBenchmark, Benchmark, Models, Seed, SkipBad, Split

app = typer.Typer(
    add_completion=False,  # `polyexam` has it
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback that shows locals would show keys
    help="Turn benchmark items into raw outputs, kept in an append-only cache. Extraction and scoring come later, offline.",
)


@app.command("status")
def status_(
    benchmark: AnyBenchmark = None,
    model: Models = None,
    failures: Annotated[bool, typer.Option("--failures", help="Show the failed ones by kind, with an example each.")] = False,
) -> None:
    """Show how many requests were answered, cut off, refused or failed, by benchmark, model and setting.

    Expected is the number of items, or of their turns, where the benchmark's files are at hand.
    """
    outputs = cache.read(benchmark, model, ["benchmark", "model", "setting", "error", "finish_reason"])
    if outputs.empty:
        raise DataError(f"no outputs in {cache.paths.outputs()}")
    outputs["setting"] = outputs["setting"].fillna("-")
    expected = {name: size for name in outputs["benchmark"].unique() if (size := _size(name))}
    table = status.failures(outputs) if failures else status.coverage(outputs, expected, by=("benchmark", "model", "setting"))
    with pd.option_context("display.max_colwidth", 80, "display.width", 200):
        typer.echo(table.dropna(axis="columns", how="all").to_string(index=False) if len(table) else "no failures")


def _size(benchmark: str) -> int | None:
    try:
        items = selection.read(benchmark, skip_bad=True)
        return sum(len(metadata.get("turns") or [0]) for metadata in items["metadata"])
    except DataError:
        return None


@app.command()
def export(
    benchmark: Benchmark, to: Annotated[Path, typer.Option(help="A file: .jsonl, .parquet or .csv.")], model: Models = None
) -> None:
    """Write the outputs of a benchmark as one file, each request once."""
    typer.echo(f"{transfer.export(benchmark, model, to)} outputs in {to}")


@app.command()
def merge(
    sources: Annotated[list[str], typer.Argument(help="Cache folders, or addresses such as s3://bucket/outputs (fsspec).")],
) -> None:
    """Add the outputs of other caches to this one: a union of requests; answers are kept, none is doubled."""
    for path, added in transfer.merge(sources).items():
        typer.echo(f"{added} added to {path}")


@app.command("import")
def import_(
    form: Annotated[str, typer.Argument(help=f"Format of the logs: {', '.join(importers.FORMATS)}.", metavar="FORMAT")],
    sources: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    benchmark: Annotated[str | None, typer.Option(help="For logs that do not say; or another name.")] = None,
    model: Annotated[str | None, typer.Option(help="For logs that do not say; or another name.")] = None,
    revision: Annotated[str | None, typer.Option(help="Which state of the model.")] = None,
    setting: Annotated[str | None, typer.Option(help="Such as 5-shot; tells runs of the same items apart.")] = None,
    item_id: Annotated[str | None, typer.Option(help="The item's id from fields of the log, such as {subject}/{row}.")] = None,
    mapping: Annotated[
        list[str] | None, typer.Option("--map", help="For tables: field=column, such as response=text or scores.score=score.")
    ] = None,
) -> None:
    """Take the logs of another program into the cache, raw as they are.

    Says which fields of the logs were not known, and what was there already.
    """
    columns = dict(one.split("=", 1) for one in mapping or () if "=" in one)
    if len(columns) < len(mapping or ()):
        raise DataError("a mapping is field=column, each field once")
    log = importers.Log(benchmark, model, revision, setting, item_id, columns)
    records = list(importers.read(form, sources, log))
    differs = _conflicts(records)
    added = transfer.write(records)
    typer.echo(f"{log.rows} rows, {len(records)} records, {sum(added.values())} of them new")
    for path, number in added.items():
        typer.echo(f"{number} added to {path}")
    if log.unknown:
        fields = ", ".join(f"{name} ({n})" for name, n in log.unknown.most_common())
        print(f"not imported, fields that are not known: {fields}", file=sys.stderr)
    if differs:
        reason = "answer requests that the cache has another answer to, and were left out; name a --setting to tell them apart"
        raise DataError(f"{differs} records {reason}")


def _conflicts(records: list[dict]) -> int:
    journals: dict[Path, Journal] = {}
    found = 0
    for record in records:
        path = cache.file(record["benchmark"], record["model"])
        journal = journals.setdefault(path, Journal(path))
        if journal.finished(record["key"]) and not record["error"]:
            there = journal.answer(record["key"])
            found += (there["response"], there["scores"]) != (record["response"], record["scores"])
    return found


@app.command()
def compact(benchmark: Benchmark, split: Split = None, skip_bad: SkipBad = False, seed: Seed = 0) -> None:
    """Write the baselines' answers to data/baselines/BENCHMARK.csv: choices and right or wrong, no question text."""
    from runners import baseline

    typer.echo(baseline.compact(benchmark, selection.read(benchmark, split, skip_bad), seed))


@app.command()
def judge(
    benchmark: Benchmark,
    judge: Annotated[str, typer.Option(help="The judge's name, as its server or hub spells it.")],
    model: Annotated[
        list[str] | None, typer.Option("--model", help="Only this model's answers; by default all but the judge's.")
    ] = None,
    runner: o.Runner = None,
    revision: o.Revision = None,
    split: Split = None,
    skip_bad: SkipBad = False,
    subjects: o.Subjects = None,
    limit: o.Limit = None,
    prompts: Annotated[Path | None, typer.Option(help="JSON Lines of judge prompts as FastChat and SeaBench have them.")] = None,
    names: Annotated[str | None, typer.Option(help="Which of them judge turn 1, 2, ..., with commas between.")] = None,
    max_tokens: o.MaxTokens = 1024,
    temperature: o.Temperature = 0.0,
    sample: o.Sample = 0,
    parameter: o.Parameter = None,
    base_url: o.BaseUrl = None,
    key_env: o.KeyEnv = "OPENAI_API_KEY",
    concurrency: o.Concurrency = 8,
    retries: o.Retries = 6,
    timeout: o.Timeout = 600.0,
    dry_run: o.DryRun = False,
) -> None:
    """Let a model judge the cached answers of others; its texts go to BENCHMARK-judgments."""
    from runners import judge as judging
    from runners import run

    items = selection.items(selection.read(benchmark, split, skip_bad), subjects, limit)
    outputs = cache.read(benchmark, model)
    outputs = outputs if model else outputs[outputs["model"] != judge]
    target = o.target(o.runner(runner, judge, base_url), judge, revision, base_url, key_env, timeout)
    base = target.base("chat", o.params("chat", max_tokens, temperature, 0, parameter)) | {"sample": sample}
    told = judging.Prompts.load(prompts, names.split(",") if names else None)
    plans = judging.plans(items, outputs, base, told)
    if not plans:
        raise DataError("no answers are left to judge of this choice")
    journal = Journal(cache.file(benchmark + judging.SUFFIX, judge))
    if dry_run:
        typer.echo(run.preview(plans, journal, judge))
    else:
        o.end(run.hold(plans, journal, target, judge, concurrency, retries), journal)


@app.command()
def embed(
    benchmark: Benchmark,
    model: Annotated[str, typer.Option(help="A sentence-transformers model, or with --base-url one behind a server.")],
    revision: o.Revision = None,
    split: Split = None,
    skip_bad: SkipBad = False,
    subjects: o.Subjects = None,
    limit: o.Limit = None,
    prompt: Annotated[str | None, typer.Option(help="Instruction before each text, where a model asks for one.")] = None,
    base_url: o.BaseUrl = None,
    key_env: o.KeyEnv = "OPENAI_API_KEY",
    batch_size: Annotated[int, typer.Option(min=1, help="Texts at once.")] = 32,
) -> None:
    """Compute the vectors of BENCHMARK's questions (each turn by itself) that are not kept yet."""
    from tqdm import tqdm

    from runners import embed as embedding

    items = selection.items(selection.read(benchmark, split, skip_bad), subjects, limit)
    texts = [text for item in items.itertuples() for text in item.metadata.get("turns") or [item.question]]
    with tqdm(total=len(texts), unit="text", desc=model, disable=None) as bar:
        vectors = embedding.embed(
            texts,
            model,
            revision=revision,
            base_url=base_url,
            key_env=key_env,
            prompt=prompt,
            batch_size=batch_size,
            progress=bar.update,
        )
    typer.echo(f"{len(vectors)} texts, {vectors.shape[1]} dimensions")


@app.command("items")
def items_(
    names: Annotated[
        list[str] | None, typer.Argument(help="Benchmarks; without any, those that can be fetched are listed.")
    ] = None,
) -> None:
    """Fetch the files of benchmarks from where their owners publish them, at a pinned state, checked by SHA-256."""
    from runners import items

    if not names:
        for name, source in items.sources().items():
            typer.echo(f"{name:18} {'absent: ' + source['absent'] if 'absent' in source else source['homepage']}")
    for name in names or ():
        items.fetch(name, show=typer.echo)
