"""Ranks with their uncertainty."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats


def rank_intervals(
    values: ArrayLike, lows: ArrayLike, highs: ArrayLike, *, seed: int, draws: int = 10_000, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks of estimates (1 is best) with percentile intervals.

    Parameters
    ----------
    values, lows, highs : array_like, shape (models,)
        Estimates with their `level` intervals; the estimates are taken as independent and normal with the intervals' width.
    seed : int
    draws : int

    Returns
    -------
    rank, low, high : ndarray, shape (models,)
        Ties share the mean of their ranks.
    """
    values, lows, highs = (np.asarray(part, float) for part in (values, lows, highs))
    spread = (highs - lows) / (2 * stats.norm.ppf(0.5 + level / 2))
    drawn = values + spread * np.random.default_rng(seed).standard_normal((draws, len(values)))
    ranks = stats.rankdata(-drawn, axis=1)
    low, high = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return stats.rankdata(-values), low, high


def ranking(results: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """`results` of one group with `rank`, `rank_low`, `rank_high` within each setting, best first."""
    frames = []
    for _, part in results.groupby("setting", sort=False):
        rank, low, high = rank_intervals(part["value"], part["ci_low"], part["ci_high"], seed=seed)
        frames.append(part.assign(rank=rank, rank_low=low, rank_high=high).sort_values("rank"))
    return pd.concat(frames, ignore_index=True)
