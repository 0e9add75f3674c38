"""The same questions in several languages: which translations or keys are at fault.

Arrays are indexed question, language, model.
"""

from typing import NamedTuple

import numpy as np
import scipy  # whose `stats`, which takes half a second, is imported where it is used
from numpy.typing import ArrayLike

_STRATA, _LEAST = 10, 20  # groups of easiness at most, and questions in each at least
_ROUNDS = 5  # of purification at most
_FALSE_ALARMS = 0.05  # share of false ones among those suspected that is accepted


class _Suspects(NamedTuple):
    """How far each question falls in each language below what its easiness elsewhere predicts.

    Arrays of shape (questions, languages): `right` and `expected` numbers of models that are
    right, `p` (one-sided) and `p_adjusted` (Benjamini-Hochberg within the language), NaN where
    nothing can be said; `models`, shape (languages,), counts the models that speak it.
    """

    right: np.ndarray
    expected: np.ndarray
    p: np.ndarray
    p_adjusted: np.ndarray
    models: np.ndarray


def suspects(correct: ArrayLike, chance: ArrayLike) -> _Suspects:
    """Questions on which the models that know a language fail in this language alone.

    Such a question may be mistranslated or have a wrong key there. Each model's chance of being
    right in a language is its rate among questions as easy in the other languages (strata, as
    Mantel and Haenszel have them); questions that are suspected leave the strata, and all is
    computed anew (purification, Holland and Thayer 1988). Models fail together, so the number that
    is right is beta-binomial, with the correlation that the other questions show.

    Parameters
    ----------
    correct : array_like, shape (questions, languages, models)
        1 or 0, or a mean over samples; NaN throughout where a model was not asked in a language.
    chance : array_like, shape (questions,)
        Probability of a right guess. Models not above it in a language are left out of that
        language: they cannot tell a bad translation from a hard one.
    """
    correct = np.asarray(correct, float)
    guessing = np.mean(chance)
    noise = np.sqrt(guessing * (1 - guessing) / len(correct))
    good = correct.mean(axis=0) > guessing + 2 * noise
    tables = [np.full(correct.shape[:2], np.nan) for _ in range(4)]
    for language, models in enumerate(good):
        elsewhere = good.copy()
        elsewhere[language] = False
        if models.sum() > 1 and elsewhere.any():
            judged = _judged(correct[:, language, models], correct[:, elsewhere].mean(axis=1))
            for table, values in zip(tables, judged, strict=True):
                table[:, language] = values
    return _Suspects(*tables, good.sum(axis=1))


def _judged(here: np.ndarray, easiness: np.ndarray) -> tuple[np.ndarray, ...]:
    """One language's column of each table of `_Suspects`."""
    models = here.shape[1]
    right = here.sum(axis=1)
    strata = _strata(easiness)
    suspected = np.zeros(len(here), bool)
    for _ in range(_ROUNDS):
        base = ~suspected
        expected, variance = _expected(here, strata, base)
        # how much models fail together on a question beyond its easiness
        beyond = ((right - expected)[base] ** 2 - variance[base]).sum()
        together = np.clip(beyond / (variance[base].sum() * (models - 1)), 0, 0.99)
        p = _lower_tail(right, models, expected / models, together)
        adjusted = scipy.stats.false_discovery_control(p)
        suspected = adjusted < _FALSE_ALARMS
        if (suspected != base).all():
            break
    return right, expected, p, adjusted


def _lower_tail(right: np.ndarray, models: int, mean: np.ndarray, correlation: float) -> np.ndarray:
    """P(so few right or fewer), beta-binomial: models that fail together have a heavier tail."""
    if correlation < 1e-6:
        return scipy.stats.binom.cdf(right, models, mean)
    size = 1 / correlation - 1
    return scipy.stats.betabinom.cdf(right, models, mean * size, (1 - mean) * size)


def _strata(easiness: np.ndarray) -> np.ndarray:
    """Questions by their share right elsewhere, in groups of nearly the same size."""
    n = len(easiness)
    groups = np.clip(n // _LEAST, 1, _STRATA)
    order = scipy.stats.rankdata(easiness) - 0.5
    return (order * groups / n).astype(int)


def _expected(
    here: np.ndarray, strata: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Expected number of right models and its variance, by the rates of `rows` in each stratum."""
    inside = (strata == np.arange(strata.max() + 1)[:, None]) & rows
    # half a right and half a wrong answer more: no rate is 0 or 1
    rate = (inside @ here + 0.5) / (inside.sum(axis=1, keepdims=True) + 1)
    rate = rate[strata]
    return rate.sum(axis=1), (rate * (1 - rate)).sum(axis=1)
