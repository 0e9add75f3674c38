"""Agreement of any number of raters, judges or people.

Votes are compared "with ties", all of them and three ways, or "without ties", only on the pairs on
which both decided (Zheng et al. 2023).

Alpha is written here: krippendorff 0.9.0 is under the GPL and has no bootstrap.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.errors import DataError, refuse_unknown
from analysis.statistics import intervals

_SCALES = ("nominal", "interval")
CHANCE = {"with ties": 1 / 3, "without ties": 1 / 2}  # a judge that draws its vote uniformly


class Agreement(NamedTuple):
    """`alpha` (Krippendorff) with its limits, over `units` that two raters or more judged."""

    raters: int
    units: int
    alpha: float
    alpha_low: float
    alpha_high: float


def of_raters(
    ratings: ArrayLike,
    scale: str = "nominal",
    clusters: ArrayLike | None = None,
    draws: int = 500,
) -> Agreement:
    """Agreement of any number of raters beyond chance, ratings may be missing.

    Alpha takes chance from the shares of the ratings (Krippendorff 2011): where nearly all ratings
    are the same it falls to 0 or below though the raters agree.

    Parameters
    ----------
    ratings : array_like, shape (units, raters)
        Numbers; NaN where a rater did not judge the unit.
    scale : {"nominal", "interval"}
        What makes two ratings differ: anything, or their squared distance.
    clusters : array_like, shape (units,), optional
        Such as the question of each response: drawn together.
    draws
        Of the bootstrap.

    Raises
    ------
    DataError
        Where fewer than two units have two ratings.
    """
    ratings = np.asarray(ratings, float)
    refuse_unknown("scale", _SCALES, scale)
    judged = (~np.isnan(ratings)).sum(axis=1) > 1
    if judged.sum() < 2:
        raise DataError("agreement needs two units that two raters or more judged")
    ratings = ratings[judged]
    clusters = np.arange(len(ratings)) if clusters is None else np.asarray(clusters)[judged]
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == values).sum(axis=1)

    apart = (values[:, None] - values) ** 2
    if scale == "nominal":
        apart = np.sign(apart)
    alpha = partial(_alpha, counts, apart)
    limits = intervals.cluster_bootstrap(alpha, clusters, draws, bounds=(-1, 1))
    ends = (float(limit) for limit in limits)
    return Agreement(ratings.shape[1], len(ratings), *ends)


def _alpha(counts: np.ndarray, apart: np.ndarray, weights: np.ndarray) -> float:
    """Krippendorff's alpha of the ratings' counts, shape (units, values), by the distances of the
    values.
    """
    each = counts.sum(axis=1)
    weighted = counts * (weights / (each - 1))[:, None]
    pairs = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    shares = pairs.sum(axis=0)
    expected = ((np.outer(shares, shares) - np.diag(shares)) * apart).sum()
    if expected <= 0:
        return np.nan
    observed = (pairs * apart).sum()
    return float(1 - (shares.sum() - 1) * observed / expected)
