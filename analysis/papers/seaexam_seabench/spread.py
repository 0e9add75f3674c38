"""How far does a benchmark spread its scores, across models or across languages?

A claim that one benchmark tells models apart better than another by x % needs three choices: a
measure of spread, how the languages (or models) are summarised, and the scale of the scores.
`definitions` computes all combinations.
"""

import itertools
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from analysis.statistics import intervals

# along the last axis; whether n or n - 1 divides does not change a ratio
_MEASURES = {
    "standard deviation": partial(np.std, axis=-1, ddof=1),
    "variance": partial(np.var, axis=-1, ddof=1),
    "coefficient of variation": partial(stats.variation, axis=-1, ddof=1),
    "range": partial(np.ptp, axis=-1),
}
_SUMMARIES = {
    "ratio of means": lambda a, b: a.mean(axis=-1) / b.mean(axis=-1),
    "mean of ratios": lambda a, b: (a / b).mean(axis=-1),
    "median of ratios": lambda a, b: np.median(a / b, axis=-1),
}
AVERAGED, _POOLED = "of the average", "all cells pooled"
_ROUNDED = 2000  # draws of what rounding hides


def ratio(
    first: np.ndarray, second: np.ndarray, measure: str, summary: str, across: str
) -> np.ndarray:
    """Spread of `first` over spread of `second`.

    Parameters
    ----------
    first, second : ndarray, shape (..., models, languages)
        Scores of the same models in the same languages on two benchmarks.
    measure : str
        Key of `_MEASURES`.
    summary : str
        Key of `_SUMMARIES` (over languages where the spread is across models, over models
        otherwise), `AVERAGED` (spread across models of each model's average over languages) or
        `_POOLED` (one spread of all cells).
    across : {"models", "languages"}

    Returns
    -------
    ndarray, shape (...)
        1 where both spread equally.
    """
    both = [first, second]
    if summary == _POOLED:
        both = [scores.reshape(*scores.shape[:-2], -1) for scores in both]
    elif summary == AVERAGED:
        both = [scores.mean(axis=-1) for scores in both]
    elif across == "models":
        both = [np.swapaxes(scores, -1, -2) for scores in both]
    a, b = (_MEASURES[measure](scores) for scores in both)
    with np.errstate(divide="ignore"):  # a model with the same score in all languages
        return _SUMMARIES[summary](a, b) if summary in _SUMMARIES else a / b


def definitions(
    first: ArrayLike,
    second: ArrayLike,
    across: str,
    *,
    rounding: float,
    draws: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Every definition of "spreads x times as far", with a bootstrap over models.

    Parameters
    ----------
    first, second : array_like, shape (models, languages)
    across : {"models", "languages"}
    rounding : float
        Half a unit of the scores' last printed digit.
    draws, seed : int
        Of the bootstrap, which draws models, and of the rounding.

    Returns
    -------
    DataFrame
        `measure`, `summary`, `ratio`, `ci_low`, `ci_high`, `n` (models), and `round_low`,
        `round_high`: where 90 % of the ratios lie when each score is moved within its rounding.
    """
    both = np.asarray(first, float), np.asarray(second, float)
    n = len(both[0])
    rng = np.random.default_rng(seed)
    sample = rng.integers(n, size=(draws, n))
    sample = sample[(sample != sample[:, :1]).any(axis=1)]  # one model drawn n times has no spread
    drawn = [scores[sample] for scores in both]
    moved = [s + rng.uniform(-rounding, rounding, (_ROUNDED, *s.shape)) for s in both]
    summaries = [*_SUMMARIES, AVERAGED, _POOLED] if across == "models" else [*_SUMMARIES, _POOLED]
    rows = []
    for measure, summary in itertools.product(_MEASURES, summaries):
        way = (measure, summary, across)
        low, high = np.nanquantile(ratio(*drawn, *way), [0.025, 0.975])
        limits = np.quantile(ratio(*moved, *way), [0.05, 0.95])
        rows.append((measure, summary, float(ratio(*both, *way)), low, high, n, *limits))
    columns = "measure summary ratio ci_low ci_high n round_low round_high".split()
    return pd.DataFrame(rows, columns=columns)


def fits(table: pd.DataFrame, printed: float, half: float) -> pd.Series:
    """Whether each definition of `definitions` gives the `printed` ratio, to plus or minus
    `half`.
    """
    return (table["round_low"] <= printed + half) & (table["round_high"] >= printed - half)


def within(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation across languages of each model, on two benchmarks.

    Returns
    -------
    DataFrame
        Index model; `first`, `second`, `ratio`. ``attrs["p"]``: two-sided Wilcoxon signed-rank test
        over the models.
    """
    deviations = {"first": first.std(axis=1), "second": second.std(axis=1)}
    table = pd.DataFrame(deviations).loc[first.index]
    table["ratio"] = table["first"] / table["second"]
    table.attrs["p"] = float(stats.wilcoxon(table["first"], table["second"]).pvalue)
    return table


def ratios(pairs: Mapping[str, tuple[pd.Series, pd.Series]]) -> pd.DataFrame:
    """Spread across the same models on two benchmarks, the models taken as a sample of models
    (Pitman-Morgan).

    Parameters
    ----------
    pairs : mapping
        Name -> scores of the models on the first and on the second benchmark.

    Returns
    -------
    DataFrame
        `group` (the name), standard deviations `first` and `second`, `ratio`, `ci_low`, `ci_high`,
        `p`, `n` (models).
    """
    rows = []
    for name, (first, second) in pairs.items():
        aligned = second.loc[first.index]
        tested = intervals.pitman_morgan(first, aligned)
        rows.append((name, first.std(), aligned.std(), *tested, len(first)))
    columns = "group first second ratio ci_low ci_high p n".split()
    return pd.DataFrame(rows, columns=columns)


def fixed_models(
    first: ArrayLike, first_n: ArrayLike, second: ArrayLike, second_n: ArrayLike
) -> tuple[float, float, float, float]:
    """Ratio of the spreads of the same models on two benchmarks, if the models are all there are
    and only questions are drawn.

    Another question than `intervals.pitman_morgan` asks, which takes the models as a sample of
    models. The variance that drawing questions makes is taken out of both spreads. Answers of
    different models are taken as independent: on shared questions they go together, and the
    interval is too wide rather than too narrow.

    Parameters
    ----------
    first, second : array_like, shape (models,)
        Accuracies as proportions.
    first_n, second_n : array_like, shape (models,) or number
        Questions behind each.

    Returns
    -------
    ratio, low, high, p : float
        Of standard deviations, with a 95 % interval and a two-sided p by the delta method on the
        logarithm; NaN where one benchmark shows no spread beyond its questions' noise.
    """
    log_first, error_first = _log_spread(first, first_n)
    log_second, error_second = _log_spread(second, second_n)
    gap = log_first - log_second
    error = np.hypot(error_first, error_second)
    reach = stats.norm.ppf(0.975) * error
    ratio, low, high = np.exp([gap, gap - reach, gap + reach])
    return float(ratio), float(low), float(high), float(2 * stats.norm.sf(abs(gap) / error))


def _log_spread(scores: ArrayLike, n: ArrayLike) -> tuple[float, float]:
    """Logarithm of the standard deviation without the questions' noise, and its standard error."""
    shares = np.asarray(scores, float)
    drawn = shares * (1 - shares) / np.asarray(n, float)  # binomial variance of each score
    variance = shares.var(ddof=1) - drawn.mean()
    if variance <= 0:
        return np.nan, np.nan
    away = (shares - shares.mean()) ** 2
    terms = 4 * away * drawn + 2 * drawn**2
    of_variance = terms.sum() / (len(shares) - 1) ** 2
    return np.log(variance) / 2, np.sqrt(of_variance) / (2 * variance)
