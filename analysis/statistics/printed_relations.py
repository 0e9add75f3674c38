"""Rules by which printed numbers may be computed of others: which one explains most of them.

Arrays in, arrays out: a line is a column, a row or any other numbers of equal length. How far
rounding may carry a number is computed of all digits. That a rule fits by chance is judged by
these, and by how well it fits where one line is moved.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.average_rules import EPS, Explained

_MOST = 0.6  # share of the numbers that are near where a rule is tried
_CLOSE = 0.05  # share of a number that rounding of its parts may be
_SHIFTS = 20

Rule = Callable[..., np.ndarray]


@dataclass(eq=False)  # the same only as itself
class Line:
    """Numbers with half a unit of their last digits; no cells where they are printed nowhere."""

    name: str
    values: np.ndarray
    half: np.ndarray
    cells: Sequence


@dataclass
class Way:
    """How numbers may be computed of other lines."""

    name: str
    rule: Rule
    parents: Sequence[Line]

    def _is_near(self, printed: Line) -> bool:
        """Whether most numbers are near what they would be, before rounding is looked at."""
        expected = self.rule(*(line.values for line in self.parents))
        allowed = _CLOSE * np.abs(expected) + 10 * printed.half
        return (np.abs(printed.values - expected) <= allowed).mean() >= _MOST

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """What they would be, and how far rounding of the parents may carry them."""
        values = [line.values for line in self.parents]
        expected = self.rule(*values)
        ends = []
        for sign in (1, -1):  # parents that err to one side, or by turns
            off = [line.half * sign**k for k, line in enumerate(self.parents)]
            ends.append(self.rule(*map(np.add, values, off)))
        return expected, np.abs(np.array(ends) - expected).max(axis=0)


@dataclass
class Fit(Explained):
    """The way that explains most of some numbers, of so many that were `tried`.

    Zeros count as neither `fits` nor `tested`: any columns of them fit each other.
    """

    way: Way
    tried: int

    def chance(self, each: np.ndarray) -> float:
        """Chance that so many numbers fit, each with a probability, over all ways."""
        return self.likelihood(each, self.tried)


def best_of(printed: Line, ways: Iterable[Way], fields: int) -> Fit | None:
    """The way that explains most numbers, if there is any; each is tried in so many `fields`."""
    best, tried = None, 0
    for way in ways:
        tried += fields
        if fields > 1 and not way._is_near(printed):
            continue
        expected, slack = way.numbers()
        off, allowed = np.abs(printed.values - expected), printed.half + slack + EPS
        tested = np.isfinite(off + allowed) & (printed.values != 0)
        fits = tested & (off <= allowed)
        if best is None or fits.sum() > best.fits.sum():
            best = Fit(expected, allowed, fits, tested, way, tried)
    if best is not None:
        best.tried = tried
    return best


def moved(printed: Line, best: Fit) -> np.ndarray:
    """How often numbers fit where one line is moved, the one that fits best then.

    Returns
    -------
    ndarray, shape (fits,)
        The same rate for each number that fits.
    """
    lines, rates = [printed, *best.way.parents], [1e-3]
    for k, moved in enumerate(lines):
        hits = []
        for shift in range(1, min(len(best.fits), _SHIFTS) if np.nanstd(moved.values) else 0):
            values, half = np.roll(moved.values, shift), np.roll(moved.half, shift)
            first, *parents = [*lines[:k], Line("", values, half, []), *lines[k + 1 :]]
            expected, slack = Way("", best.way.rule, parents).numbers()
            hits.append(np.abs(first.values - expected) <= first.half + slack + EPS)
        rates += [np.mean(hits)] * bool(hits)
    return np.full(best.fits.sum(), max(rates))
