"""The command line of the runners: `python -m runners --help`."""

import sys
from typing import Annotated

import typer
from tqdm import tqdm

from analysis import benchmarks
from analysis.errors import DataError
from runners import baseline, cache, selection
from runners.journal import Journal

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,  # locals may hold keys
    help="Turn benchmark items into raw outputs, kept in an append-only cache. Extraction and scoring come later, offline.",
)

Benchmark = Annotated[str, typer.Option(help="Name of a benchmark, such as cmmlu.")]
Model = Annotated[str, typer.Option(help="baseline/<name>, or a model's name as its server or hub spells it.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many items, after the other choices.")]
Subjects = Annotated[str | None, typer.Option(help="Only these subjects, with commas between.")]
Shard = Annotated[str | None, typer.Option(help="Only part i of n, such as 1/4; merged parts equal one run.")]
Seed = Annotated[int, typer.Option(help="Decides every random draw.")]


@app.command()
def run(
    benchmark: Benchmark,
    model: Model,
    limit: Limit = None,
    subjects: Subjects = None,
    shard: Shard = None,
    seed: Seed = 0,
) -> None:
    """Ask MODEL every question of BENCHMARK that has no answer in the cache yet.

    May be stopped at any time, and run again: it goes on where it was, and asks again only what failed.
    """
    items = selection.items(benchmarks.read(benchmark), subjects, limit, shard)
    runner = baseline.Baseline(model, seed)
    journal = Journal(cache.file(benchmark, model))
    requests = runner.requests(items)
    pending = selection.pending(requests, journal)
    with tqdm(total=len(requests), initial=len(requests) - len(pending), unit="item", desc=model) as bar:
        for records in runner.run(pending):
            journal.append(records)
            bar.update(len(records))


@app.command()
def compact(benchmark: Benchmark, seed: Seed = 0) -> None:
    """Write the baselines' answers to data/baselines/BENCHMARK.csv: choices and right or wrong, no question text."""
    typer.echo(baseline.compact(benchmark, benchmarks.read(benchmark), seed))


def main() -> None:
    """Run the command line; what a user can cause ends with one line on stderr and status 1."""
    try:
        app()
    except DataError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
