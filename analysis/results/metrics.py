"""Answers -> results: response rate, accuracy and conditional accuracy, in percent, with counts and
intervals.

An unanswered item is wrong in accuracy; conditional accuracy is that of the answered items alone.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.answers import RUN, stored
from analysis.answers import runs as named
from analysis.errors import DataError
from analysis.items import with_items
from analysis.results import credit
from analysis.statistics.intervals import clustered, stratified

_KEYS = ["benchmark", *RUN, "method"]
# What is counted, of what: items with a gold answer are "judged".
METRICS = {
    "response_rate": ("answered", "items"),
    "accuracy": ("correct", "judged"),
    "conditional_accuracy": ("correct", "judged_answers"),
}
_COUNTS = "items answered judged judged_answers correct".split()
_PLURAL = {"category": "categories"}


def score(
    answers: pd.DataFrame,
    items: pd.DataFrame | None = None,
    by: Sequence[str] = ("category", "subject"),
) -> pd.DataFrame:
    """Response rate, accuracy and conditional accuracy of every benchmark, model, setting and
    method.

    Repeated samples of an item (column `sample`, see `answers.pooled`) are averaged first, so that
    n is items. Where items come in clusters (column `cluster`) or are such averages, intervals are
    those of whole clusters drawn (`intervals.clustered`).

    Parameters
    ----------
    answers : DataFrame
        Answers. `correct` is missing where the item has no gold answer (it then counts in the
        response rate alone) and False where there is no choice.
    items : DataFrame, optional
        Gives the columns `by`; without it `answers` must have them.
    by : sequence of str
        Grouping columns. Rows where one is missing are left out of its groups and of the average
        over them.

    Returns
    -------
    DataFrame
        Results with `source` "run" and a column `method`: the groups of each column of `by`, and
        averages (`group_by` "average") over "questions" (micro) and over the groups of each column
        ("subjects", ...; macro). `n` is the denominator. Beside the schema: `method`, `items`,
        `answered`, `correct` (counts), `groups` (how many an average is over). A macro average of
        conditional accuracy is the mean of the groups' conditional accuracies, where they have
        answers. Where answers can be right in part, or items weigh differently, there is a metric
        `credit` beside (`credit.rates`).

    Raises
    ------
    DataError
        For a frame that is no answers frame, a missing column of `by`, an item not among `items`,
        or a right answer without a choice.
    """
    answers = schemas.check(answers, "answers")
    if items is not None:
        answers = with_items(answers.drop(columns=list(by), errors="ignore"), items, list(by))
    for column in by:
        if column not in answers:
            raise DataError("answers: column is missing; pass items", field=column)
    flags = _flags(answers).assign(average="questions", **answers[list(by)])
    if "sample" in answers:
        # each item once a run, its counts the means over its samples
        how = dict.fromkeys(["cluster", "average", *by], "first")
        how |= dict.fromkeys(_COUNTS, "mean")
        flags = flags.groupby([*_KEYS, "item_id"], sort=False, as_index=False).agg(how)
    frames = [_rates(flags, "average")]
    for column in by:
        groups = _rates(flags, column)
        frames += [groups, _averages(groups, column)]
    if "sample" in answers or flags.duplicated([*_KEYS, "cluster"]).any():
        frames = [_by_clusters(frame, flags) for frame in frames]
    frames.append(credit.rates(answers, _KEYS, by))
    results = pd.concat([frame for frame in frames if len(frame)], ignore_index=True)
    results = results.assign(paper="run", artifact="run", unit="percent", source="run")
    counts = ["items", "answered", "correct", "groups"]
    results = results.reindex(columns=[*schemas.columns("results"), "method", *counts])
    # of samples, means over them: rounded
    results[["n", *counts]] = results[["n", *counts]].astype(float).round()
    return schemas.check(results.astype(dict.fromkeys(counts, "Int64")), "results")


def _flags(answers: pd.DataFrame) -> pd.DataFrame:
    """What each answer adds to each count."""
    answered, judged = answers["choice"].notna(), answers["correct"].notna()
    correct = answers["correct"].fillna(False).astype(bool)
    impossible = correct & ~answered
    if impossible.any():
        line = int(impossible.to_numpy().argmax())
        raise DataError("answers: right without a choice", line=line, field="correct")
    flags = answers[[*_KEYS, "item_id"]].assign(
        cluster=answers["item_id"],
        items=1,
        answered=answered,
        judged=judged,
        judged_answers=judged & answered,
        correct=correct,
    )
    if "cluster" in answers:
        # numbers sort faster
        flags["cluster"] = pd.factorize(answers["cluster"].fillna(flags["cluster"]), sort=True)[0]
    return flags.astype(dict.fromkeys(_COUNTS, int))


def _by_clusters(results: pd.DataFrame, flags: pd.DataFrame) -> pd.DataFrame:
    """The same results with intervals that draw clusters of items, which may go across groups."""
    columns = {_PLURAL.get(name, f"{name}s"): name for name in flags}
    runs = dict(list(flags.groupby(_KEYS)))
    limits = []
    for row in results.itertuples():
        part, over = runs[tuple(getattr(row, key) for key in _KEYS)], None
        if row.group_by != "average":
            part = part[part[row.group_by] == row.group]
        elif row.group != "questions":
            column = columns[row.group]
            part = part[part[column].notna()]
            over = part[column]
        successes, n = METRICS[row.metric]
        _, low, high = clustered(part[successes], part[n], part["cluster"], over)
        limits.append((low, high))
    low, high = 100 * np.array(limits).T
    return results.assign(ci_low=low, ci_high=high)


def _rates(flags: pd.DataFrame, column: str) -> pd.DataFrame:
    """All metrics of the groups of one column, in the order of their first appearance."""
    groups = flags.groupby([*_KEYS, column], sort=False)
    counts = groups[_COUNTS].sum().reset_index().rename(columns={column: "group"})
    frames = []
    for metric, (successes, n) in METRICS.items():
        shares = stratified([counts[successes]], [counts[n]])
        value, low, high = (100 * part for part in shares)
        frame = counts.assign(metric=metric, value=value, n=counts[n], ci_low=low, ci_high=high)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True).assign(group_by=column)


def _averages(groups: pd.DataFrame, column: str) -> pd.DataFrame:
    """Macro averages over the groups of one column."""
    about = {"group_by": "average", "group": _PLURAL.get(column, f"{column}s")}
    rows = []
    for (*run, metric), part in groups.groupby([*_KEYS, "metric"], sort=False):
        successes, n = METRICS[metric]
        sums = part[_COUNTS].sum().to_dict()
        row = about | dict(zip(_KEYS, run, strict=True)) | sums
        row |= {"n": sums[n], "groups": int((part[n] > 0).sum())}
        value, low, high = (100 * float(end) for end in stratified(part[successes], part[n]))
        rows.append(row | {"metric": metric, "value": value, "ci_low": low, "ci_high": high})
    return pd.DataFrame(rows)


def as_printed(results: pd.DataFrame) -> pd.DataFrame:
    """Results of `score` as papers print theirs: the method is the `setting`, and a model with
    several settings is several models.
    """
    return results.assign(model=named(results), setting=results["method"]).drop(columns="method")


def runs(benchmark: str) -> pd.DataFrame:
    """Metrics of the baselines' answers and of cached outputs, by subject and category,
    `as_printed`; no rows where there are none.
    """
    answers = stored.texts_as("str", stored.read(benchmark))
    if answers.empty:
        return pd.DataFrame(columns=[*schemas.columns("results"), "correct"])
    return as_printed(score(answers))
