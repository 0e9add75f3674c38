"""One statement about many comparisons: "all", "most", "as good as".

A p value here is that of the whole statement. Adjusting single p values over a family
(`intervals.adjust`) answers another question: which of them.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.statistics.intervals import interval_p


def at_least(p: ArrayLike, count: int, *, independent: bool = False) -> float:
    """ "At least `count` of them": p of the partial conjunction hypothesis (Benjamini and Heller
    2008).

    Parameters
    ----------
    p : array_like, shape (tests,)
        One-sided p values for two-sided claims about one direction.
    count : int
        1 asks whether there is any; ``len(p)``, whether all are: the intersection-union test, whose
        p is the largest (Berger 1982).
    independent : bool
        Combine the largest ``len(p) - count + 1`` by Fisher, for disjoint sets of questions;
        otherwise by Bonferroni, which holds under any dependence.
    """
    p = np.sort(np.asarray(p, float))
    rest = p[count - 1 :]
    if np.isnan(rest).any():
        return np.nan
    if independent:
        return float(stats.combine_pvalues(np.maximum(rest, 1e-300), "fisher").pvalue)
    return float(min(1.0, len(rest) * rest[0]))


def equivalence(difference: float, low: float, high: float, margin: float) -> float:
    """p of "within the margin on both sides": two one-sided tests (Schuirmann 1987).

    Parameters
    ----------
    difference, low, high : float
        Estimate with its 95 % interval, which need not be symmetric, in the unit of `margin`.
    margin : float
        The largest difference that counts as comparable, above 0, fixed before looking.
    """
    two_sided = interval_p(difference, low, high, [-margin, margin])
    inside = np.array([difference > -margin, difference < margin])
    return float(np.where(inside, two_sided / 2, 1 - two_sided / 2).max())
