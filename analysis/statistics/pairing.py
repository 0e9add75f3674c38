"""Paired differences of models on the same questions, alone or all together: test and interval.

McNemar's score test with the interval of Tango (1998), which inverts it: p is below .05
exactly where the interval leaves out 0, and no limit lies beyond -1 or 1. Both were the ones
recommended by Fagerland, Lydersen and Laake (2013, 2014). Questions that belong together (one
passage, samples of one question) count as fewer: as many as independent ones give the variance
between clusters, Student's t taking the place of the normal distribution (Obuchowski 1998 has
the test, without the interval).

Where only totals are known, `over_pairings` gives the range of the same p over all pairings.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr, stdtrit

from analysis.statistics.intervals import LEVEL, TAIL, floats

CERTAIN, IMPOSSIBLE, UNDETERMINED = "certain", "impossible", "undetermined"
_HALVINGS = 60  # of [-1, 1]: to the last digit


class _Paired(NamedTuple):
    """`difference` of two shares, its limits, and the `p` of no difference; NaN: not tested."""

    difference: float
    low: float
    high: float
    p: float


class Pairs(NamedTuple):
    """All pairs of models, `first` minus `second` (columns of the values); arrays, a pair each.

    `low`, `high` and `p` hold for all pairs together (max-T, Westfall and Young 1993); `p_single`
    is that of each pair by itself. `questions`: as many independent ones give the difference the
    variance that it has.
    """

    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    p_single: np.ndarray
    questions: np.ndarray


class _Range(NamedTuple):
    """McNemar's p over all pairings; arrays of the shape of the counts.

    `p_low`: the answers go together as much as they can; `p_high`: as little as they can.
    `verdict`: significant under every pairing ("certain"), under none ("impossible"), or under some
    ("undetermined").
    """

    p_low: np.ndarray
    p_high: np.ndarray
    verdict: np.ndarray


def paired(first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None) -> _Paired:
    """Difference of two models' shares on the same questions, with interval and test.

    Parameters
    ----------
    first, second : array_like, shape (questions,)
        Right (1) or wrong (0), or means over samples, between 0 and 1.
    clusters : array_like, shape (questions,), optional
        Each question by itself if left out.

    Returns
    -------
    _Paired
        Limits and p are NaN with fewer than two clusters: nothing tells how they vary.

    Raises
    ------
    ValueError
        Where the two differ in length.
    """
    if not len(first):
        return _Paired(*[np.nan] * 4)
    pair = all_pairs(np.column_stack([first, second]), clusters)
    parts = (pair.difference, pair.low, pair.high, pair.p)
    return _Paired(*(float(part[0]) for part in parts))


def all_pairs(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    pairs: tuple[ArrayLike, ArrayLike] | None = None,
    seed: int = 0,
    draws: int = 3999,
) -> Pairs:
    """All pairs of models on the same questions, with limits and p that hold together.

    Parameters
    ----------
    values : array_like, shape (questions, models)
        Right (1) or wrong (0), or means over samples, between 0 and 1.
    clusters : array_like, shape (questions,), optional
        Each question by itself if left out.
    pairs : (array_like of int, array_like of int), optional
        Only these pairs of columns, first and second.
    seed, draws : int
        Of the largest statistic of all pairs, from the joint normal (or t) distribution of the
        models' means.
    """
    values = np.asarray(values, float)
    n, models = values.shape
    codes = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    i, j = np.triu_indices(models, k=1) if pairs is None else map(np.asarray, pairs)
    means = values.mean(axis=0)
    difference = means[i] - means[j]
    sizes = np.bincount(codes)
    k = len(sizes)
    if k < 2:
        return Pairs(i, j, difference, *[np.full(len(i), np.nan)] * 5)
    errors = np.empty((k, models))  # column by column: copies of millions take memory
    for column, mean in enumerate(means):
        errors[:, column] = np.bincount(codes, values[:, column] - mean, k)
    covariance = errors.T @ errors / n**2
    del errors
    variances = np.diag(covariance)
    variance = variances[i] + variances[j] - 2 * covariance[i, j]
    both = zip(i, j, strict=True)
    discordance = np.array([np.abs(values[:, a] - values[:, b]).mean() for a, b in both])
    questions = _effective_questions(n, difference, discordance, variance, sizes)
    degrees = np.inf if (sizes == 1).all() else k - 1
    statistic = np.abs(_score(np.zeros(len(i)), difference, discordance, questions))
    p_single = 2 * stdtr(degrees, -statistic)
    critical, p = stdtrit(degrees, TAIL), p_single
    if len(i) > 1:
        largest = _largest_statistics(covariance, (i, j), variance, degrees, draws, seed)
        # the same rank serves both, so that p and interval agree to the last draw
        rank = int(np.ceil(round((1 - LEVEL) * (draws + 1), 6) - 1))
        critical = max(critical, largest[draws - rank])
        reached = draws - np.searchsorted(largest, statistic)
        p = np.maximum((1 + reached) / (draws + 1), p_single)
    low, high = _tango(difference, discordance, questions, critical)
    return Pairs(i, j, difference, low, high, p, p_single, questions)


def _effective_questions(
    n: int,
    difference: np.ndarray,
    discordance: np.ndarray,
    variance: np.ndarray,
    sizes: np.ndarray,
) -> np.ndarray:
    """Independent questions that give each pair's difference the variance between its clusters.

    One cluster's worth of the largest design effect, all questions of a cluster alike, goes in
    against the luck of few clusters. With one question a cluster it is their number.
    """
    alone = (discordance - difference**2) / n
    worst = (sizes**2).sum() / n
    effect = np.divide(variance, alone, out=np.full(len(alone), worst), where=alone > 1e-12)
    return n * (len(sizes) + 1) / (len(sizes) * effect + worst)


def _largest_statistics(
    covariance: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray],
    variance: np.ndarray,
    degrees: float,
    draws: int,
    seed: int,
) -> np.ndarray:
    """Largest statistic over all pairs in each draw of models without any difference, sorted."""
    rng = np.random.default_rng(seed)
    noise = rng.multivariate_normal(np.zeros(len(covariance)), covariance, draws, method="eigh")
    if np.isfinite(degrees):
        noise /= np.sqrt(rng.chisquare(degrees, draws) / degrees)[:, None]
    largest = np.zeros(draws)
    for a, b, v in zip(*pairs, variance, strict=True):
        if v > 1e-15:
            np.maximum(largest, np.abs(noise[:, a] - noise[:, b]) / np.sqrt(v), out=largest)
    return np.sort(largest)


def _score(
    null: np.ndarray, difference: np.ndarray, discordance: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """Tango's statistic of the difference `null`; at 0 it is McNemar's."""
    first, second = (discordance + difference) / 2, (discordance - difference) / 2
    # restricted maximum-likelihood estimate of the share that only the second has (equation 6)
    linear = (2 - difference) * null - first - second
    root = np.sqrt(np.maximum(linear**2 + 8 * second * null * (1 - null), 0))
    p = (root - linear) / 4
    variance = np.maximum(2 * p + null * (1 - null), 0) / n
    away = difference - null
    # without any variance a difference is as far away as can be
    out = np.where(away == 0, 0.0, np.copysign(np.inf, away))
    return np.divide(away, np.sqrt(variance), out=out, where=variance > 1e-18)


def _tango(
    difference: np.ndarray, discordance: np.ndarray, n: np.ndarray, critical: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where the statistic is `critical` on either side of the difference, by bisection."""
    limits = []
    for side in (-1.0, 1.0):
        inside, outside = difference.copy(), np.full(len(difference), side)
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            kept = np.abs(_score(middle, difference, discordance, n)) <= critical
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        limits.append(outside)
    return tuple(limits)


def mcnemar_p(difference: ArrayLike, discordant: ArrayLike) -> np.ndarray:
    """p of `discordant` questions on which two models differ by `difference`; 1 without any."""
    return 2 * ndtr(-np.abs(difference) / np.sqrt(np.maximum(discordant, 1)))


def over_pairings(first: ArrayLike, second: ArrayLike, n: ArrayLike) -> _Range:
    """The range of McNemar's p over all 2 x 2 tables with these margins.

    With k1 and k2 right of n, between |k1 - k2| and min(k1 + k2, 2 n - k1 - k2) questions are right
    for one model only; p grows with them. So a difference is certain, impossible, or undetermined.

    Parameters
    ----------
    first, second, n : array_like of int, broadcastable
        Right answers of two models to the same `n` questions.

    Raises
    ------
    ValueError
        Where a count is negative or above `n`.
    """
    first, second, n = np.broadcast_arrays(*floats(first, second, n))
    if (np.minimum(first, second) < 0).any() or (np.maximum(first, second) > n).any():
        raise ValueError("right answers must lie between 0 and n")
    gap = np.abs(first - second)
    most = np.minimum(first + second, 2 * n - first - second)
    p_low, p_high = mcnemar_p(gap, gap), mcnemar_p(gap, most)
    always, never = p_high < 1 - LEVEL, p_low >= 1 - LEVEL
    verdict = np.select([always, never], [CERTAIN, IMPOSSIBLE], UNDETERMINED)
    return _Range(p_low, p_high, verdict)
