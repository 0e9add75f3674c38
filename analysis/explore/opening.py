"""Ways into the item browser: by a benchmark's name, by frames at hand, by a comparison."""

from pathlib import Path

import pandas as pd

from analysis import answers as extraction
from analysis import schemas
from analysis.answers import stored
from analysis.answers.baselines import recorded
from analysis.errors import DataError, brought_by
from analysis.explore import mapped
from analysis.explore.records import Records
from analysis.items import describe
from analysis.results import linked
from analysis.results.comparisons import Comparison
from analysis.results.shown import Result


def browse(
    what: str | Comparison | None = None,
    *,
    items: pd.DataFrame | None = None,
    outputs: pd.DataFrame | None = None,
    labels: str | Path | None = None,
    **view,
):
    """The item browser: every question of a benchmark with what each model wrote, filtered, sorted,
    searched.

    It works from what there is: the benchmark's files, cached outputs, the recorded baselines.
    Without the files the items are those that the baselines answered, and their words are missing.

    Parameters
    ----------
    what : str or Comparison, optional
        A benchmark. Or a comparison, of which you want to see the items that differ.
    items, outputs : DataFrame, optional
        Frames of one benchmark at hand, instead of its files and the cache.
    labels : path, optional
        Marks that answers and keys are taken by (`explore.marks`); new ones are kept there, and in
        labels.csv in the folder of the outputs if left out.
    **view
        What to show first: `subjects`, `categories`, `languages`, `runs` (lists), `method`,
        `show`, `text`, `regex`, `item`, `ids` (only these items). The browser shows the call that
        opens its present view.

    Examples
    --------
    >>> px.browse("cmmlu", show="wrong", text="not sure")  # doctest: +SKIP
    """
    with brought_by("lab"):
        from analysis.explore.browser import Browser
    if items is not None and outputs is not None:
        if items["benchmark"].nunique() != 1:
            raise DataError("items of one benchmark can be opened at once", field="benchmark")
        records = Records.of(schemas.check(items, "items"), outputs)
    elif what is None:
        raise DataError("name a benchmark, or give both items and outputs")
    else:
        if isinstance(what, Comparison):
            differ = {"ids": what.differ["item_id"], "runs": list(what.runs)}
            what, view = what.benchmark, differ | method_of(what) | view
        records = _load(what)
    if labels is not None:
        records.mark(labels)
    return Browser(records, labels, **view)


def method_of(result: Result) -> dict[str, str]:
    """The method of a result, as filters and calls take it."""
    return {} if result.method == extraction.ANY else {"method": result.method}


def _load(benchmark: str) -> Records:
    """All that there is of a benchmark; without its files what the baselines chose.

    Raises
    ------
    DataError
        For an unknown benchmark, or one of which nothing is here, with the command that gets it.
    """
    description = describe(benchmark)
    baselines = recorded(description.name)
    try:
        questions = stored.questions(benchmark)
    except DataError as error:
        if len(baselines):
            items = linked.without_words(description, baselines)
            return Records(items, [mapped.table(items, baselines, baselines)])
        if description.home.is_dir():
            raise
        raise DataError(
            f"{benchmark} is not here: polyexam items {benchmark} gets it ({error})"
        ) from None
    tables = list(mapped.tables(benchmark, questions))
    tables.append(mapped.table(questions.items, baselines, baselines, mapped.methods(tables)))
    return Records(questions.items, tables, extraction.usual(description) or ())
