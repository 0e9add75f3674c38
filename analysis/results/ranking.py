"""Ranking metrics: the rank of the right option among all options, with ties, exact expectations
and intervals.

A rank is kept as two counts, options scored higher (`better`) and other options scored the same
(`tied`): every metric is then its expected value when ties are broken at random. Ranks count from
1.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis import schemas
from analysis.errors import DataError
from analysis.statistics import intervals

_HIT = "hit_at_"
_METRICS = ("mrr", "hit_at_1", "hit_at_4", "mean_rank")
_UNITS = {"mrr": "score", "mean_rank": "proportion"}
_GROUPED = ["benchmark", "model", "setting"]
_DIGIT = 0.001  # the last that is printed
_LEVELS = ("category", "first_level", "second_level")


def ranks(scores: ArrayLike, right: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Position of the right option of each question.

    Parameters
    ----------
    scores : array_like, shape (questions, options)
        The higher the better; NaN where a question has fewer options.
    right : array_like of int, shape (questions,)
        Column of the right option.

    Returns
    -------
    better, tied : ndarray of int, shape (questions,)
        Options with a higher score, and other options with the same.
    """
    scores, right = np.asarray(scores, float), np.asarray(right, int)
    of_right = scores[np.arange(len(scores)), right][:, None]
    missing = np.isnan(of_right)
    if missing.any():
        question = int(missing.argmax())
        raise DataError(f"question {question} has no score for its right option", field="scores")
    return (scores > of_right).sum(axis=1), (scores == of_right).sum(axis=1) - 1


def reciprocal_rank(better: ArrayLike, tied: ArrayLike = 0) -> np.ndarray:
    """Expected reciprocal rank under random tie-breaking: mean of 1/r over r = better + 1 ...
    better + tied + 1.
    """
    better, tied = np.broadcast_arrays(np.asarray(better, int), np.asarray(tied, int))
    last = better + tied + 1
    harmonic = np.r_[0.0, np.cumsum(1 / np.arange(1, last.max(initial=1) + 1))]
    return (harmonic[last] - harmonic[better]) / (tied + 1)


def hit(better: ArrayLike, tied: ArrayLike, k: int) -> np.ndarray:
    """Probability under random tie-breaking that the right option is among the first `k`."""
    better, tied = np.asarray(better), np.asarray(tied)
    return np.clip((k - better) / (tied + 1), 0, 1)


def mean_rank(better: ArrayLike, tied: ArrayLike = 0) -> np.ndarray:
    """Expected rank under random tie-breaking."""
    return np.asarray(better) + 1 + np.asarray(tied) / 2


def random_expectation(metric: str, n_options: int) -> float:
    """Exact expectation when options are ranked at random: H_n/n, k/n, (n + 1)/2n."""
    options = np.array([n_options])
    return float(_value(metric, np.array([0]), options - 1, options)[0])


def _value(metric: str, better: np.ndarray, tied: np.ndarray, n_options: np.ndarray) -> np.ndarray:
    """Each question's value of `metric`; the mean rank is divided by the number of options."""
    if metric == "mrr":
        return reciprocal_rank(better, tied)
    if metric == "mean_rank":
        return mean_rank(better, tied) / n_options
    k = metric.removeprefix(_HIT)
    if metric.startswith(_HIT) and k.isdecimal():
        return hit(better, tied, int(k))
    raise DataError(f"no such ranking metric {metric!r}; there are mrr, mean_rank and hit_at_<k>")


def table(
    ranked: pd.DataFrame,
    metrics: Iterable[str] = _METRICS,
    group_by: str = "average",
) -> pd.DataFrame:
    """Metrics with 95 % intervals, in the `results` shape.

    Parameters
    ----------
    ranked : DataFrame
        A question of a model a row: `benchmark`, `model`, `setting`, `better`, `tied`, `n_options`,
        and the column `group_by` unless that is ``average``. A list in that column counts the
        question in each of its groups; a missing value in none.
    group_by : str
        ``average`` is the mean over all questions.

    Returns
    -------
    results
        One row a model, group and metric; intervals by question (`statistics.bounded_mean`).
    """
    frame = ranked.assign(average="questions")
    if group_by != "average":
        frame = ranked.explode(group_by).dropna(subset=group_by)
    about = dict.fromkeys(["paper", "artifact", "source"], "run") | {"group_by": group_by}
    rows = []
    for names, part in frame.groupby([*_GROUPED, group_by], sort=False):
        run = about | dict(zip([*_GROUPED, "group"], names, strict=True))
        better, tied, n = (part[name].to_numpy(int) for name in ("better", "tied", "n_options"))
        for metric in metrics:
            least = 0.0 if metric.startswith(_HIT) else 1 / n.max()
            estimate = intervals.bounded_mean(_value(metric, better, tied, n), least)
            row = dict(zip(("value", "ci_low", "ci_high"), estimate, strict=True))
            row |= {"metric": metric, "unit": _UNITS.get(metric, "proportion"), "n": len(part)}
            rows.append(run | row)
    return schemas.results(rows)


def mrr_range(
    hits: Mapping[int, float],
    n_options: int,
    half: ArrayLike,
    rank: float | None = None,
) -> tuple[float, float]:
    """Least and greatest mean reciprocal rank that printed metrics of the same ranking allow.

    Ranks 1 ... n have unknown frequencies; what is printed bounds their sums (a linear programme).
    An empty range (NaN, NaN) means that no ranking at all has these metrics.

    Parameters
    ----------
    hits : Mapping
        k -> Hit@k, proportions.
    half : float or (float, float)
        How far the true values may lie from those printed: either way, or below and above.
    rank : float, optional
        Mean rank divided by `n_options`.
    """
    from scipy.optimize import linprog

    r = np.arange(1, n_options + 1)
    below, above = np.broadcast_to(half, 2)
    rows, sides = [], []
    printed = [((r <= k).astype(float), value) for k, value in hits.items()]
    if rank is not None:
        printed.append((r / n_options, rank))
    for row, value in printed:
        rows += [row, -row]
        sides += [value + above, below - value]
    every = {"A_eq": np.ones((1, n_options)), "b_eq": [1]}
    ends = []
    for sign in (1, -1):
        solved = linprog(sign / r, A_ub=np.array(rows), b_ub=sides, **every, method="highs")
        ends.append(sign * solved.fun if solved.success else np.nan)
    return ends[0], ends[1]


def consistent(printed: pd.DataFrame, n_options: int) -> pd.DataFrame:
    """Printed metrics of one ranking each: the MRR that the hit rates and the mean rank allow, and
    whether the printed one lies in it.

    Parameters
    ----------
    printed : DataFrame
        Index model; columns `mrr`, `hit_at_<k>`, and `mean_rank` (divided by `n_options`); missing
        where not printed. Models without an MRR or a hit rate are left out.

    Returns
    -------
    DataFrame
        `model`, the metrics, `low`, `high`, `contradictory` (no ranking at all has these metrics;
        the ends are then those without the mean rank), `possible`.
    """
    hits = {int(column.removeprefix(_HIT)): column for column in printed if column.startswith(_HIT)}
    digits = _DIGIT / 2, _DIGIT  # rounded, or cut off
    rows = []
    for model, row in printed.dropna(subset=["mrr", *hits.values()]).iterrows():
        given = {k: row[column] for k, column in hits.items()}
        low, high = mrr_range(given, n_options, digits, row.dropna().get("mean_rank"))
        contradictory = bool(np.isnan(low))
        possible = low - _DIGIT / 2 <= row["mrr"] <= high + _DIGIT / 2
        if contradictory:
            low, high = mrr_range(given, n_options, digits)
        ends = {"low": low, "high": high, "contradictory": contradictory, "possible": possible}
        rows.append({"model": model, **row, **ends})
    columns = ["model", *printed, "low", "high", "contradictory", "possible"]
    return pd.DataFrame(rows, columns=columns)


def widest(frame: pd.DataFrame, n_options: int) -> pd.DataFrame:
    """`frame` of mean reciprocal ranks with the widest interval that a mean of `n` of them can
    have.

    For numbers printed without a spread over questions. No interval where `n` is unknown.
    """
    low, high = intervals.widest(frame["value"], frame["n"], 1 / n_options, 1.0)
    return frame.assign(ci_low=low, ci_high=high)


def rank_frame(items: pd.DataFrame, scores: dict, model: str, setting: str) -> pd.DataFrame:
    """Ranks of the right options in the columns that `table` reads.

    Parameters
    ----------
    scores : dict
        item_id -> scores of the item's options, the higher the better.
    """
    rows = []
    for item in items.itertuples():
        n = len(item.options)
        better, tied = ranks([scores[item.item_id]], [schemas.labels(n).index(item.answer)])
        row = {"benchmark": item.benchmark, "item_id": item.item_id}
        row |= {"model": model, "setting": setting}
        row |= {"better": int(better[0]), "tied": int(tied[0]), "n_options": n}
        rows.append(row | {level: item.metadata.get(level) for level in _LEVELS})
    return pd.DataFrame(rows)
