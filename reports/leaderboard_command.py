"""`polyexam leaderboard`: every cached run of a benchmark, in the terminal or as CSV."""

from pathlib import Path
from typing import Annotated

import typer

from analysis import answers as extracted
from analysis.items import describe, finding
from analysis.items import read as read_items
from analysis.results import leaderboard as boards
from analysis.results.shown import terminal
from reports import judge_pages
from runners.spec import Described, assignments, takes


class _Shown(Described):
    """How runs are read and shown."""

    by: str | None = None
    """Accuracy by category, subject, language or a field of the items, too."""
    method: str | None = None
    """How responses are read; the one that reads most, unless the benchmark says."""
    option: list[str] = []
    """Of the method: 'exclude=["Answer"]', 'pattern=#(\\w)'."""
    to: Path | None = None
    """Write all columns as CSV, too."""
    cluster: str | None = None
    """Field of the items by which they belong together, such as passage; else as they say."""
    pairs: bool = False
    """Compare all pairs instead, with intervals that hold together."""


@takes()
def leaderboard(
    benchmark: Annotated[
        str,
        typer.Argument(help="A name, or the path of a description, its folder, or its only file."),
    ],
    asked: _Shown,
) -> None:
    """Accuracy with 95 % intervals, response rate and ranks of every cached run of BENCHMARK, in
    percent.

    A model that ran in several settings is as many rows; repeated samples of one are averaged item
    by item. Items that belong together (one passage, one question in several languages or several
    times) are drawn together, which widens the intervals. What the method does not read is said,
    and has no rank.
    """
    name = finding.known(benchmark)
    items, options = read_items(benchmark, problems=[]), assignments(asked.option)
    if (judged := judge_pages.read(name, items)) is not None:
        print(f"{name}, scores of judges\n\n{terminal(judge_pages.scores(judged))}\n")
        if describe(benchmark).answer_type == "score":
            return
    answers, _ = boards.read(benchmark, None, asked.method, **options)
    answers = extracted.with_clusters(answers, items, asked.cluster)
    board = boards.ranked(answers, name, items, asked.by, asked.method)
    if asked.to:
        (board.pairs if asked.pairs else board.frame).to_csv(asked.to, index=False)
    if "cluster" in answers:
        print(
            f"{answers['item_id'].nunique():,} items in {answers['cluster'].nunique():,} "
            "clusters: intervals are of clusters drawn\n"
        )
    if not asked.pairs:
        print(board.text())
        return
    from reports.benchmarks import pairs_table

    n = board.pairs["n"].max()
    print(f"{n:,} shared items; intervals and p hold for all {len(board.pairs):,} pairs together\n")
    print(terminal(pairs_table(board.pairs)))
