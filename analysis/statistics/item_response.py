"""Item response models of right and wrong answers.

Written here: girth 0.8.0 (last release 2021) fits 375 two-parameter items in minutes, py-irt 0.7.1
needs Python below 3.12 and torch.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from analysis.errors import DataError, refuse_unknown
from analysis.statistics import reliability

MODELS = ("rasch", "2pl")
LEAST_MODELS, LEAST_ITEMS = 20, 10  # below which parameters of single items say nothing
# weak priors of log slopes (around 0) and intercepts, which keep unanimous items finite
_SLOPE_SPREAD, _INTERCEPT_SPREAD = 0.5, 3.0
_ABILITIES = np.linspace(-4.5, 4.5, 41)  # points of the quadrature
_NORMAL = stats.norm.pdf(_ABILITIES) / stats.norm.pdf(_ABILITIES).sum()


class _Fit(NamedTuple):
    """Parameters on the scale on which the models' abilities have mean 0 and standard deviation 1.

    `ability`, `ability_error`, shape (models,): posterior means and standard deviations.
    `difficulty`, `difficulty_error`, `slope`, shape (items,): the ability at which half of the
    answers are right, and how steeply they turn right there (one slope for all under Rasch). `aic`:
    of the marginal likelihood.
    """

    ability: np.ndarray
    ability_error: np.ndarray
    difficulty: np.ndarray
    difficulty_error: np.ndarray
    slope: np.ndarray
    aic: float


def fit(correct: ArrayLike, model: str = "2pl") -> _Fit:
    """Marginal maximum likelihood (Bock and Aitkin 1981) of the Rasch or the two-parameter logistic
    model.

    Parameters
    ----------
    correct : array_like of bool, shape (models, items)
        Nothing missing.
    model : {"rasch", "2pl"}

    Raises
    ------
    DataError
        With fewer than `LEAST_MODELS` models or `LEAST_ITEMS` items.
    """
    refuse_unknown("item response model", MODELS, model)
    right = reliability.table(correct)
    models, items = right.shape
    if models < LEAST_MODELS or items < LEAST_ITEMS:
        raise DataError(
            f"parameters of items need {LEAST_MODELS} models and {LEAST_ITEMS} items that "
            f"all answered, not {models} and {items}"
        )
    common = model == "rasch"
    slope, intercept = _maximum(right, common)
    posterior, likelihood = _posterior(right, slope, intercept)
    ability = posterior @ _ABILITIES
    error = np.sqrt(np.maximum(posterior @ _ABILITIES**2 - ability**2, 0))
    difficulty = -intercept / slope
    variance = _difficulty_variance(posterior.sum(axis=0), slope, difficulty, common)
    # the abilities are a sample, too: their mean and spread set the scale
    variance += (1 + difficulty**2 / 2) / models
    parameters = items + (1 if common else items)
    aic = 2 * (parameters - likelihood)
    return _Fit(ability, error, difficulty, np.sqrt(variance), slope, aic)


def _p(theta: np.ndarray, slope: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Probability of a right answer, shape (items, abilities)."""
    return np.clip(special.expit(np.outer(slope, theta) + intercept[:, None]), 1e-9, 1 - 1e-9)


def _posterior(
    right: np.ndarray, slope: np.ndarray, intercept: np.ndarray
) -> tuple[np.ndarray, float]:
    """Each model's distribution over `_ABILITIES`, and the log-likelihood of all answers."""
    p = _p(_ABILITIES, slope, intercept)
    logs = right @ np.log(p) + (1 - right) @ np.log(1 - p) + np.log(_NORMAL)
    total = special.logsumexp(logs, axis=1, keepdims=True)
    return np.exp(logs - total), float(total.sum())


def _maximum(right: np.ndarray, common: bool) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and intercepts of all items at the largest likelihood with its priors.

    The one slope of the Rasch model is estimated from all items and needs no prior.
    """
    models, items = right.shape
    slopes = 1 if common else items

    def unpack(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.broadcast_to(np.exp(parameters[:slopes]), items), parameters[slopes:]

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        slope, intercept = unpack(parameters)
        posterior, likelihood = _posterior(right, slope, intercept)
        # right answers at each ability beyond those expected
        beyond = right.T @ posterior - posterior.sum(axis=0) * _p(_ABILITIES, slope, intercept)
        by_slope = slope * (beyond @ _ABILITIES)
        gradient = np.r_[by_slope.sum() if common else by_slope, beyond.sum(axis=1)]
        scaled = parameters / spread
        return (scaled @ scaled) / 2 - likelihood, scaled / spread - gradient

    spread = np.repeat([np.inf if common else _SLOPE_SPREAD, _INTERCEPT_SPREAD], [slopes, items])
    share = (right.sum(axis=0) + 0.5) / (models + 1)
    start = np.r_[np.zeros(slopes), special.logit(share)]
    solved = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-12})
    return unpack(solved.x)


def _difficulty_variance(
    expected: np.ndarray, slope: np.ndarray, difficulty: np.ndarray, common: bool
) -> np.ndarray:
    """Variance of each difficulty for these abilities, by the delta method.

    `expected` is the number of models at each ability.
    """
    p = _p(_ABILITIES, slope, -slope * difficulty)
    weight = expected * p * (1 - p)
    of_intercept = weight.sum(axis=1) + 1 / _INTERCEPT_SPREAD**2
    if common:
        return 1 / of_intercept / slope**2
    across = slope[:, None] * _ABILITIES
    of_slope = (weight * across**2).sum(axis=1) + 1 / _SLOPE_SPREAD**2
    of_both = (weight * across).sum(axis=1)
    determinant = of_slope * of_intercept - of_both**2
    # derivatives of -intercept / slope, by the logarithm of the slope
    by_slope, by_intercept = -difficulty, -1 / slope
    return (
        by_slope**2 * of_intercept
        - 2 * by_slope * by_intercept * of_both
        + by_intercept**2 * of_slope
    ) / determinant


def information(slope: np.ndarray, difficulty: np.ndarray, theta: ArrayLike) -> np.ndarray:
    """What all items together tell of an ability: 1 over the variance of its estimate, shape of
    `theta`.
    """
    p = _p(np.asarray(theta, float), slope, -slope * difficulty)
    return (slope[:, None] ** 2 * p * (1 - p)).sum(axis=0)
