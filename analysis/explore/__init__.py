"""What JupyterLab adds: an item browser, leaderboards and comparisons that open it, the papers by
tab completion, frames for papers and spreadsheets.
"""

from functools import partial
from pathlib import Path

import pandas as pd

from analysis import paths
from analysis.answers import baselines
from analysis.errors import DataError
from analysis.explore import marks
from analysis.items import describe
from analysis.items import names as benchmark_names
from analysis.results import comparisons
from analysis.results import leaderboard as boards
from analysis.results.shown import Result


def benchmarks() -> pd.DataFrame:
    """Every benchmark that has a description, a row each.

    Its title, whether its files are here (or the command that gets them), how many runs are cached
    and how many baselines are recorded.

    Examples
    --------
    >>> benchmarks().loc["cmmlu", "baselines"].item()
    6
    """
    rows = {}
    for name in benchmark_names():
        description = describe(name)
        rows[name] = {
            "title": description.title or name,
            "files": "here" if any(description.home.glob("*")) else f"polyexam items {name}",
            "runs": len(list(paths.outputs().glob(f"{name}/*.jsonl"))),
            "baselines": baselines.recorded(name)["model"].nunique(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("benchmark")


def leaderboard(
    benchmark: str,
    models: list[str] | None = None,
    by: str | None = None,
    method: str | None = None,
    labels: str | Path | None = None,
) -> boards.Leaderboard:
    """Every cached run of a benchmark, and its baselines, ranked.

    In JupyterLab its numbers are buttons that open the items behind them.

    Parameters
    ----------
    benchmark : str
    models : list of str, optional
        Models, or runs such as ``m (5-shot)``; all if left out.
    by : str, optional
        Accuracy of each group beside the whole: category, subject, language, or a field of the
        items' metadata; categories where there are several, if left out.
    method : str, optional
        How responses are read, see `results.trust.choose`.
    labels : path, optional
        Marks by which answers and keys are taken (`explore.marks`).

    Raises
    ------
    DataError
        For an unknown name, or where no run of `benchmark` is cached.
    """
    options = {"by": by, "method": method, "labels": labels}
    answers, items = _read(benchmark, models, method, labels)
    if by is None and answers["category"].nunique() > 1:
        by = "category"
    board = boards.ranked(answers, benchmark, items, by, method)
    return _clickable(
        "ClickableLeaderboard", board, partial(leaderboard, benchmark, models, **options)
    )


def compare(
    benchmark: str,
    *models: str,
    by: str | None = None,
    method: str | None = None,
    labels: str | Path | None = None,
) -> comparisons.Comparison:
    """Models, or settings of one (``m (0-shot)``), on the same items; all where none is named.

    Repeated samples are averaged item by item, and items that belong together (a passage, a
    translation) count together. ``px.browse(both)`` opens the items on which they differ.

    Parameters
    ----------
    by : str, optional
        Groups beside the whole: category, subject, language, or a field of the items' metadata;
        categories where the items have several, if left out.
    method : str, optional
        How responses are read, see `results.trust.choose`.
    labels : path, optional
        Marks by which answers and keys are taken (`explore.marks`).

    Raises
    ------
    DataError
        For an unknown name before anything is read, a single model, or no items that all were
        asked.

    Examples
    --------
    >>> both = compare("ti_mmlu", "baseline/longest-option", "baseline/always-A")
    >>> both.frame.loc[0, ["n", "difference"]].astype(float).round(1).tolist()
    [660.0, 6.8]
    """
    options = {"by": by, "method": method, "labels": labels}
    answers, items = _read(benchmark, list(models), method, labels)
    both = comparisons.compared(answers, benchmark, models, items, by, method)
    return _clickable("ClickableComparison", both, partial(compare, benchmark, *models, **options))


def _clickable(name: str, result: Result, call: partial) -> Result:
    """A result with buttons; as it is without the packages of JupyterLab."""
    try:
        from analysis.explore import board_widget
    except ImportError:
        return result
    return getattr(board_widget, name)(**vars(result), call=call)


def _read(
    benchmark: str, models: list[str] | None, method: str | None, labels: str | Path | None
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Answers, as marked, and items."""
    answers, items = boards.read(benchmark, models or None, method)
    if labels is None:
        return answers, items
    if items is None:
        raise DataError(f"marks need the questions: polyexam items {benchmark}")
    return marks.marked(answers, items, marks.read(benchmark, labels)), items
