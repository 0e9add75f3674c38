"""Variance components of scores: items, prompts, languages, samples, as far as they cross.

Every score is a mean over items, prompts and samples that were drawn once. The components say how
much another draw of each would change it; so an interval can speak of other prompts, not only of
those asked, and a plan can say what to add (generalizability theory: Cronbach, Gleser, Nanda and
Rajaratnam 1972; Brennan 2001).
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.statistics.intervals import TAIL, wilson

_Term = tuple[str, ...]
SAMPLE = "sample"  # what is left when the same is asked again
_MOST = 10**7  # items of a plan


@dataclass(frozen=True)
class Components:
    """Variance components of scores.

    Attributes
    ----------
    mean : float
    variances : dict
        Term -> variance: ("item",), ("prompt",), their interaction ("item", "prompt"), and last
        the rest: all factors and "sample". With one answer to each item and prompt the interaction
        is in the rest.
    weights : dict
        Term -> its part of the variance of `mean`, as a multiple of its component.
    levels : dict
        Factor -> how many of it were drawn, and how many samples of a cell on average.
    """

    mean: float
    variances: dict[_Term, float]
    weights: dict[_Term, float]
    levels: dict[str, int]

    def interval(self, over: Sequence[str]) -> tuple[float, float]:
        """95 % limits of the mean of scores from 0 to 1 for other draws of the factors `over`; the
        others stay as they are.

        Wilson's limits at the n that has this variance, with Student's t at Satterthwaite's
        degrees of freedom: three prompts say little of others, and the interval is wide.

        Parameters
        ----------
        over : sequence of str
            Such as ("item", "prompt"); of each at least two levels were drawn.
        """
        total = self._variance(over)
        if total == 0:
            return np.nan, np.nan
        noise = sum(self._variance([name]) ** 2 / (self.levels[name] - 1) for name in over)
        effective = self.mean * (1 - self.mean) / total
        t = special.stdtrit(total**2 / noise, TAIL)
        return tuple(map(float, wilson(self.mean * effective, effective, t)))

    def _variance(self, over: Sequence[str]) -> float:
        """Variance of the mean that drawing these factors anew brings."""
        terms = [term for term in self.variances if set(term) & set(over)]
        return sum(self.weights[term] * self.variances[term] for term in terms)

    def resized(self, sizes: Mapping[str, int]) -> "Components":
        """The same variances with so many of each factor, all crossed; what has no size (languages,
        models) stays as it is.
        """
        levels = {**self.levels, **sizes}
        weights = {term: 1 / prod(levels[name] for name in term) for term in self.variances}
        return replace(self, weights=weights, levels=levels)


def components(values: ArrayLike, factors: Mapping[str, ArrayLike]) -> Components:
    """Variance components of crossed random factors and their interactions of two.

    Henderson's method 1 (1953, Biometrics 9): the sums of squares between the levels of each term
    are set equal to their expectations, which holds for unequal numbers too. A negative component
    is 0.

    Parameters
    ----------
    values : array_like, shape (answers,)
        Right or wrong, scores, or differences of two models.
    factors : mapping of str to array_like, shape (answers,)
        Factor -> level of each answer: {"item": ..., "prompt": ...}. Rows that agree in all are
        samples. Levels of one factor alone say nothing: such a factor has no component.

    Examples
    --------
    >>> right = [1, 1, 0, 1, 0, 0, 1, 1]
    >>> crossed = {"item": [*"aabbccdd"], "prompt": [*"xyxyxyxy"]}
    >>> parts = components(right, crossed)
    >>> {" x ".join(term): round(part, 3) for term, part in parts.variances.items()}
    {'item': 0.167, 'prompt': 0.0, 'item x prompt x sample': 0.125}
    """
    values = np.asarray(values, float)
    n = len(values)
    every = {name: np.unique(labels, return_inverse=True)[1] for name, labels in factors.items()}
    codes = {name: code for name, code in every.items() if code.max() > 0}
    terms = {}
    for names in [*combinations(codes, 1), *combinations(codes, 2)]:
        columns = np.column_stack([codes[name] for name in names])
        code = np.unique(columns, axis=0, return_inverse=True)[1].ravel()
        count = code.max() + 1
        nested = any(len(np.unique(part)) == count for part in terms.values())
        if 1 < count < n and not nested:
            terms[names] = code
    terms[(*codes, SAMPLE)] = np.arange(n)
    groups = [np.zeros(n, int), *terms.values()]
    squares = [(np.bincount(group, values) ** 2 / np.bincount(group)).sum() for group in groups]
    expected = np.array([[_coefficient(a, b) for b in groups] for a in groups])
    solved = np.linalg.lstsq(expected, np.array(squares))[0]
    variances = np.maximum(solved[1:], 0).tolist()
    weights = (expected[0, 1:] / n).tolist()
    cells = np.unique(np.column_stack(list(codes.values())), axis=0)
    levels = {name: int(code.max()) + 1 for name, code in every.items()}
    levels[SAMPLE] = round(n / len(cells))
    return Components(
        float(values.mean()),
        dict(zip(terms, variances, strict=True)),
        dict(zip(terms, weights, strict=True)),
        levels,
    )


def _coefficient(between: np.ndarray, term: np.ndarray) -> float:
    """What a term's component adds to the expected sum of squares between levels."""
    cells = between * (term.max() + 1) + term
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    return (counts**2 / np.bincount(between)[between[first]]).sum()


def cheapest(parts: Components, width: float, most: Mapping[str, int]) -> dict[str, int]:
    """Numbers of items, prompts and samples whose interval has this width, with least responses.

    Parameters
    ----------
    parts : Components
        With a factor "item", of a pilot.
    width : float
        Of the 95 % interval for other items and what else of `most`, from end to end.
    most : mapping of str to int
        Factor (prompts, "sample") -> how many of it can be had; one if left out.

    Raises
    ------
    ValueError
        Where no number of items is enough: the prompts vary too much.
    """
    others = [name for name in most if name != SAMPLE]
    ranges = [range(1 + (name in others), top + 1) for name, top in most.items()]
    plans = []
    for numbers in product(*ranges):
        sizes = dict(zip(most, numbers, strict=True))

        def is_enough(items: int, sizes: dict = sizes) -> bool:
            low, high = parts.resized({"item": items} | sizes).interval(["item", *others])
            return high - low <= width

        items = bisect_left(range(_MOST), True, lo=2, key=is_enough)
        if items < _MOST:
            plans.append({"item": items} | sizes)
    if not plans:
        raise ValueError("no number of items is enough: ask with more prompts")
    return min(plans, key=lambda plan: prod(plan.values()))
