"""How firm a ranking is: ranks over resamples of questions and subjects, and the smallest difference that a sample can show."""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from analysis.errors import unknown

Resample = Literal["questions", "subjects", "both"]
RESAMPLES = ("questions", "subjects", "both")


def draws(
    correct: ArrayLike, n: ArrayLike, weights: ArrayLike, strata: ArrayLike, *, resample: Resample, seed: int, draws: int = 10_000
) -> np.ndarray:
    """Averages of each model over resamples of the benchmark.

    Parameters
    ----------
    correct : array_like of int, shape (models, subjects)
    n : array_like of int, shape (subjects,)
        Questions.
    weights : array_like, shape (subjects,)
        Weight of each subject in the average; they sum to one.
    strata : array_like, shape (subjects,)
        Subjects are drawn with replacement within their stratum (category).
    resample : {"questions", "subjects", "both"}
        New questions of the same subjects, each model by itself (published counts do not say which questions a model has right);
        new subjects, the same for all models; or both.
    seed, draws : int

    Returns
    -------
    ndarray, shape (draws, models)
        Proportions.
    """
    if resample not in RESAMPLES:
        raise unknown("resample", resample, RESAMPLES)
    correct, n, weights = np.asarray(correct), np.asarray(n), np.asarray(weights, float)
    rng = np.random.default_rng(seed)
    times = np.ones((draws, len(n)))
    if resample != "questions":
        strata = np.asarray(strata)
        for stratum in np.unique(strata):
            members = np.flatnonzero(strata == stratum)
            times[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=draws)
    drawn = times * weights
    drawn /= drawn.sum(axis=1, keepdims=True)
    if resample == "subjects":
        return drawn @ (correct / n).T
    return np.stack([(drawn * rng.binomial(n, k / n, size=(draws, len(n))) / n).sum(axis=1) for k in correct], axis=1)


def ranks(averages: np.ndarray, models: list[str], printed: ArrayLike) -> pd.DataFrame:
    """Ranks over resamples.

    Parameters
    ----------
    averages : ndarray, shape (draws, models)
    models : list of str
    printed : array_like, shape (models,)
        The averages themselves.

    Returns
    -------
    DataFrame
        `model`, `value`, `rank`; `kept`, the share of resamples in which the model keeps its rank; `low`, `high`, which hold the rank in 95 %;
        and `rank_1`, `rank_2`, ...: the share of each rank. Best model first. Equal averages share their mean rank, rounded down.
    """
    rank = stats.rankdata(-np.asarray(printed, float), method="min").astype(int)
    drawn = np.floor(stats.rankdata(-averages, axis=1)).astype(int)
    shares = np.stack([(drawn == r).mean(axis=0) for r in range(1, len(models) + 1)], axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0, method="inverted_cdf")
    kept = shares[np.arange(len(models)), rank - 1]
    frame = pd.DataFrame({"model": models, "value": printed, "rank": rank, "kept": kept, "low": low, "high": high})
    named = pd.DataFrame(shares, columns=[f"rank_{r}" for r in range(1, len(models) + 1)])
    return pd.concat([frame, named], axis=1).sort_values(["rank", "model"], ignore_index=True)


def detectable(
    n: ArrayLike, p: float, *, correlation: ArrayLike = 0.0, power: float = 0.8, level: float = 0.95, comparisons: int = 1
) -> np.ndarray:
    """Smallest true difference of two accuracies near `p` that a two-sided test finds with this power.

    Parameters
    ----------
    n : array_like
        Questions, the same for both models.
    p : float
        Accuracy, a proportion.
    correlation : array_like
        Of the two models' right and wrong answers; 0 where they are compared as independent, as published counts force one to.
    comparisons : int
        Size of the family of tests (Bonferroni).

    Returns
    -------
    ndarray
        Proportions: ``(z + z_power) sqrt(2 p (1 - p) (1 - correlation) / n)``.
    """
    z = stats.norm.ppf(1 - (1 - level) / (2 * comparisons)) + stats.norm.ppf(power)
    return z * np.sqrt(2 * p * (1 - p) * (1 - np.asarray(correlation, float)) / np.asarray(n, float))
