"""Definitions of printed averages: which mean or sum explains most of them.

Arrays in, arrays out: parts of shape (lines, groups) beside printed averages of shape (lines,),
whether lines are the rows or the columns of a table. A definition is believed where chance would
not make it fit so many lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.special import gammaln

EPS = 1e-9
KINDS = ("plain", "by size", "sum", "subset", "scaled")  # the simplest first
# chance that so many lines fit a definition that is not the right one, over all that were tried
_BELIEVED = 0.01
_MOST = 0.35  # share of the lines that a definition has to explain
_MOST_ODD = 0.6  # the same for sums, subsets and in tables of few lines
_MANY = 10  # lines
_SUBSETS = 12  # up to so many groups all subsets are tried, above it those without one or two


@dataclass
class Lines:
    """Printed averages and their parts.

    Attributes
    ----------
    parts, half : ndarray, shape (lines, groups)
        Printed parts, NaN where none, and half a unit of their last digits.
    printed, half_printed : ndarray, shape (lines,)
        Averages, and half a unit of their last digits.
    """

    parts: np.ndarray
    printed: np.ndarray
    half: np.ndarray
    half_printed: np.ndarray


@dataclass
class Explained:
    """Recomputed numbers, and which of the printed ones they explain.

    Attributes
    ----------
    expected, allowed : ndarray, shape (lines,)
        Recomputed numbers, and how far rounding may carry the printed ones from them.
    fits, tested : ndarray of bool, shape (lines,)
    """

    expected: np.ndarray
    allowed: np.ndarray
    fits: np.ndarray
    tested: np.ndarray

    @property
    def share(self) -> float:
        """Share of the tested numbers that fit."""
        return self.fits.sum() / max(self.tested.sum(), 1)

    def likelihood(self, each: np.ndarray, tried: int) -> float:
        """Chance that so many numbers fit, each with a probability, over all that was tried."""
        k, m = self.fits.sum(), self.tested.sum()
        ways = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
        logs = np.log(np.clip(each, 1e-12, 1)).sum() + np.log(tried) + ways
        return float(np.exp(min(0.0, logs)))


@dataclass
class Definition(Explained):
    """One reading of a column of averages.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    groups : tuple of int
        Positions of the groups that it is over.
    chance : float
        Chance that so many lines fit if the definition is wrong, times the number of definitions of
        its kind.
    size : str
        Name of the weights of a mean by size.
    ratio : float
        What a sum is multiplied by.
    others : list of Definition
        Other simple definitions of the same lines.
    """

    kind: str
    groups: tuple[int, ...]
    chance: float = 1.0
    size: str = ""
    ratio: float = 1.0
    others: list["Definition"] = field(default_factory=list)

    @property
    def believed(self) -> bool:
        """Whether chance is no explanation."""
        fits, tested = int(self.fits.sum()), int(self.tested.sum())
        if self.kind == "scaled" and (self.share < 0.9 or fits < 5):
            return False
        if self.kind == "subset":
            return self.chance < _BELIEVED**2.5 and self.share >= 0.8 and fits >= 5
        usual = tested >= _MANY and self.kind in ("plain", "by size")
        enough = fits >= 3 or fits == tested == 2
        return self.chance < _BELIEVED and self.share >= (_MOST if usual else _MOST_ODD) and enough


def definitions(lines: Lines, sizes: Mapping[str, np.ndarray]) -> list[Definition]:
    """Simple definitions of the averages, those that explain most lines first.

    Parameters
    ----------
    lines : Lines
    sizes : mapping of str to ndarray
        Name -> weights of the groups, such as numbers of questions.
    """
    groups = lines.parts.shape[1]
    candidates = [_weighted(lines, np.ones(groups))]
    for name, weights in sizes.items():
        if not np.isnan(weights).any() and weights.sum() > 0 and len(set(weights)) > 1:
            candidates.append(_weighted(lines, weights, "by size"))
            candidates[-1].size = name
    plain = candidates[0]
    if plain.believed and plain.share > 0.9:
        return candidates
    candidates += _sums(lines, plain.tested)
    candidates += _subsets(lines)
    return sorted(candidates, key=_order)


def _order(one: Definition) -> tuple:
    return (not one.believed, -round(one.share, 6), KINDS.index(one.kind), one.chance)


def _weighted(lines: Lines, weights: np.ndarray, kind: str = "plain", **chance) -> Definition:
    """Averages by given weights of the groups that a line has; they need not sum to one."""
    present = ~np.isnan(lines.parts)
    weights = np.where(present, weights, 0.0)
    total = weights.sum(axis=1)
    share = weights / np.where(total > 0, total, 1.0)[:, None]
    expected = np.where(total > 0, np.nansum(lines.parts * share, axis=1), np.nan)
    allowed = lines.half_printed + np.nansum(lines.half * share, axis=1)
    tested = ~np.isnan(expected) & ~np.isnan(lines.printed) & (present.sum(axis=1) >= 2)
    return _definition(lines, kind, expected, allowed, tested, **chance)


def _definition(
    lines: Lines, kind: str, expected: np.ndarray, allowed: np.ndarray, tested: np.ndarray, **chance
) -> Definition:
    fits = tested & (np.abs(lines.printed - expected) <= allowed + EPS)
    groups = tuple(range(lines.parts.shape[1]))
    one = Definition(expected, allowed, fits, tested, kind, groups)
    one.chance = _chance(lines.parts, one, **chance)
    return one


def _chance(
    parts: np.ndarray,
    one: Definition,
    tried: int = 1,
    free: int = 0,
    each: np.ndarray | None = None,
) -> float:
    """Chance of so many fits if the definition is wrong.

    A mean by other weights lies around the plain mean with a standard deviation of that of the
    parts over the root of one more than their number (weights drawn evenly). Lines of equal parts
    say nothing.

    Parameters
    ----------
    tried : int
        Definitions of this kind that were tried.
    free : int
        Lines that fit anyway: free parameters of the definition.
    each : ndarray, shape (lines,), optional
        Chance of each line, where it is known.
    """
    if not one.fits.any():
        return 1.0
    if each is None:
        count = np.maximum((~np.isnan(parts)).sum(axis=1), 1)
        mean = np.nansum(parts, axis=1) / count
        variance = np.nansum((parts - mean[:, None]) ** 2, axis=1) / count
        spread = np.sqrt(variance / (count + 1))
        each = np.where(spread > 0, 0.8 * one.allowed / np.where(spread > 0, spread, 1), 1.0)
    likeliest_first = np.sort(np.clip(each, 1e-9, 1.0)[one.fits])[::-1]
    return one.likelihood(likeliest_first[free:], tried)


def _sums(lines: Lines, tested: np.ndarray) -> list[Definition]:
    """The sum of all groups, times what most lines agree on."""
    total = np.nansum(lines.parts, axis=1)
    if not (total > 0).any():
        return []
    positive = np.where(total > 0, total, np.nan)
    ratio = float(np.nanmedian(lines.printed / positive))
    if np.isnan(ratio) or abs(ratio * lines.parts.shape[1] - 1) <= 0.02:
        return []
    shown = lines.parts[~np.isnan(lines.parts)]
    counts = (shown == np.round(shown)).all()
    carried = 0 if counts else ratio * np.nansum(lines.half, axis=1)
    expected = ratio * total
    allowed = lines.half_printed + carried + np.abs(expected) * 1e-9
    kind = "sum" if abs(ratio - 1) < 1e-6 else "scaled"
    one = _definition(lines, kind, expected, allowed, tested, free=1)
    one.ratio = ratio
    return [one]


def _subsets(lines: Lines) -> list[Definition]:
    """Means over some of the groups: the best three."""
    groups = lines.parts.shape[1]
    if groups < 3:
        return []
    masks = _masks(groups)
    present = ~np.isnan(lines.parts)
    with np.errstate(all="ignore"):
        sums = np.where(present, lines.parts, 0.0) @ masks.T
        expected = sums / (present.astype(float) @ masks.T)
    allowed = lines.half_printed + np.nanmax(lines.half, axis=1)
    complete = present.all(axis=1) & ~np.isnan(lines.printed)
    fits = np.abs(lines.printed[:, None] - expected) <= allowed[:, None] + EPS
    fits &= complete[:, None]
    each = fits.mean(axis=1)  # how many subsets fit a line
    best = np.argsort(-fits.sum(axis=0), kind="stable")[:3]
    subsets = []
    for mask in masks[best]:
        kept = Lines(lines.parts[:, mask], lines.printed, lines.half[:, mask], lines.half_printed)
        one = _weighted(kept, np.ones(mask.sum()), "subset", tried=len(masks), each=each)
        one.groups = tuple(np.flatnonzero(mask).tolist())
        subsets.append(one)
    return subsets


def _masks(groups: int) -> np.ndarray:
    """Subsets of at least two groups, shape (subsets, groups)."""
    if groups <= _SUBSETS:
        masks = ((np.arange(2**groups)[:, None] >> np.arange(groups)) & 1).astype(bool)
        return masks[(masks.sum(axis=1) >= 2) & (masks.sum(axis=1) < groups)]
    left_out = [*combinations(range(groups), 1), *combinations(range(groups), 2)]
    return np.array([[j not in out for j in range(groups)] for out in left_out])
