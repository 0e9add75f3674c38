"""One statement about many comparisons: "all", "most", "as good as".

A p value here is that of the whole statement. Adjusting single p values over a family (`intervals.adjust`) answers another question: which
of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def all_of(p: ArrayLike) -> float:
    """ "Each of them": the intersection-union test, whose p is the largest (Berger 1982); NaN if one is missing."""
    return float(np.max(np.asarray(p, float)))


def at_least(p: ArrayLike, count: int, *, independent: bool = False) -> float:
    """ "At least `count` of them": p of the partial conjunction hypothesis (Benjamini and Heller 2008).

    Parameters
    ----------
    p : array_like, shape (tests,)
        One-sided p values for two-sided claims about one direction.
    count : int
        1 asks whether there is any, ``len(p)`` is `all_of`.
    independent : bool
        Combine the largest ``len(p) - count + 1`` by Fisher, for disjoint sets of questions; otherwise by Bonferroni, which holds under any
        dependence.

    Raises
    ------
    ValueError
        If `count` is not between 1 and the number of tests.
    """
    p = np.sort(np.asarray(p, float))
    if not 1 <= count <= len(p):
        raise ValueError(f"count must lie between 1 and {len(p)}, not {count}")
    rest = p[count - 1 :]
    if np.isnan(rest).any():
        return np.nan
    if independent:
        return float(stats.combine_pvalues(np.maximum(rest, 1e-300), "fisher").pvalue)
    return float(min(1.0, len(rest) * rest[0]))


def sign_p(wins: int, losses: int) -> float:
    """Two-sided exact sign test over disjoint units, such as being first in so many separate tasks; ties left out."""
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


class Equivalence(NamedTuple):
    """Two one-sided tests (Schuirmann 1987). `p` is that of "within the margin on both sides"; `p_not_worse` of "not worse by the margin"."""

    p: float
    p_not_worse: float
    verdict: str


def equivalence(difference: float, error: float, margin: float, level: float = 0.95) -> Equivalence:
    """Is a difference too small to matter, or only too noisy to be seen?

    Parameters
    ----------
    difference, error : float
        Estimate and standard error, in the unit of `margin`.
    margin : float
        The largest difference that counts as comparable, fixed before looking.

    Returns
    -------
    Equivalence
        `verdict`: "equivalent", "different" (the interval leaves out 0), or "undecided".

    Raises
    ------
    ValueError
        If the margin or the error is not positive.
    """
    if not (margin > 0 and error > 0):
        raise ValueError("margin and error must be positive")
    lower, upper = (float(stats.norm.sf((margin + sign * difference) / error)) for sign in (1, -1))
    p = max(lower, upper)
    differs = 2 * stats.norm.sf(abs(difference) / error) < 1 - level
    return Equivalence(p, lower, "equivalent" if p < 1 - level else "different" if differs else "undecided")
