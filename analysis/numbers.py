"""The numbers of a printed table: recomputed from counts where its digits leave them, else as
printed.
"""

from dataclasses import dataclass, replace

import pandas as pd

from analysis import tables
from analysis.claims.evidence import evidence
from analysis.errors import DataError
from analysis.papers import averages, counts, published
from analysis.papers.description import Benchmark


@dataclass(frozen=True)
class Numbers:
    """Numbers of one table and metric.

    Attributes
    ----------
    printed : DataFrame
        `published.results` of the table's first metric.
    results : DataFrame
        The paper's groups and its own averages with intervals, from counts if there are `cells`.
    cells : DataFrame or None
        The counts (`counts.cells`).
    note : str
        How many counts there are, or why there are none.
    rounding : float
        See `Benchmark`.
    over : str
        What printed averages are over: `average` of `Benchmark`.
    """

    printed: pd.DataFrame
    results: pd.DataFrame
    cells: pd.DataFrame | None
    note: str
    rounding: float
    over: str

    @property
    def source(self) -> list[str]:
        """Sources of what is shown, see `schemas.SOURCES`."""
        return ["published"] if self.cells is None else ["published", "reconstructed"]

    def select(self, **where: object) -> "Numbers":
        """The same with some of the results."""
        cells = None if self.cells is None else published.select(self.cells, **where)
        return replace(self, results=published.select(self.results, **where), cells=cells)

    def beside(self) -> pd.DataFrame:
        """The printed numbers, joined with the recomputed ones."""
        if self.cells is None:
            return self.printed
        return tables.beside(self.printed, self.results, slack=self.rounding)

    def averages(self) -> pd.DataFrame:
        """The averages over questions where there are any, else the first kind."""
        average = published.select(self.results, group_by="average").dropna(subset="value")
        groups = list(average["group"])
        return published.select(average, group="questions" if "questions" in groups else groups[:1])

    def n(self) -> str:
        """Say in a caption over how many questions the averages are; "" if unknown."""
        averages = self.averages()
        n = averages["n_effective" if self.cells is None else "n"].max()
        if not n > 0:
            return ""
        if self.cells is None:
            return (
                f" Intervals are those of {n:,.0f} questions (effective n), as averages weigh "
                f"{self.over} alike."
            )
        of = self.cells.drop_duplicates("group")["n"].sum()
        if n == of:
            return f" n = {of:,.0f} questions."
        return (
            f" n = {n:,.0f} questions, as {of - n:,.0f} more have no category in the paper; "
            f"averages weigh {self.over} alike."
        )


def as_printed(paper: str, benchmark: Benchmark, artifact: str) -> pd.DataFrame:
    """The sound numbers of a table's first metric in percent, with intervals; none that guess.

    Raises
    ------
    DataError
        Where there are none.
    """
    where = {"artifact": artifact, "benchmark": benchmark.name}
    printed = published.need(paper, f"numbers of {benchmark.title}", **where)
    where["metric"] = printed["metric"].iloc[0]
    numbers = published.select(published.in_percent(evidence(paper)), suspect=False, **where)
    return numbers[~numbers["model"].isin(published.guessing(paper))]


def of(paper: str, benchmark: Benchmark, artifact: str) -> Numbers:
    """The numbers of a benchmark that an artifact prints.

    Raises
    ------
    DataError
        Where it prints none.
    """
    numbers, cells = as_printed(paper, benchmark, artifact), None
    metric = numbers["metric"].iloc[0]
    printed = published.results(paper, artifact=artifact, benchmark=benchmark.name, metric=metric)
    try:
        cells = counts.cells(paper, benchmark.name)
    except DataError as error:
        note = f"Shown as printed: {error.reason}"
    else:
        numbers = averages.as_the_paper(cells, paper, benchmark.name)
        note = f"{len(cells):,} printed percentages, every one the share of an integer count"
    return Numbers(printed, numbers, cells, note, benchmark.rounding, benchmark.average)
