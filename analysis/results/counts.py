"""A printed percentage with known n is an integer count in disguise: the counts that round to it."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis import schemas
from analysis.errors import DataError
from analysis.statistics.intervals import wilson


def integer_counts(percent: ArrayLike, n: ArrayLike, decimals: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest integer k whose ``100 k / n`` rounds to `percent`.

    Parameters
    ----------
    percent : array_like
        Printed percentages.
    n : array_like of int
        What each is a percentage of.
    decimals : array_like of int
        Digits printed after the point. A tie (…5) may have been rounded either way: both are accepted.

    Returns
    -------
    low, high : ndarray of int
        ``low > high`` where no integer fits; ``low == high`` where the count is certain.
    """
    percent, n, decimals = np.broadcast_arrays(np.asarray(percent, float), np.asarray(n, float), np.asarray(decimals, float))
    half = 0.5 * 10.0**-decimals
    tolerance = 1e-9 * n  # binary fractions: 12.345 is not exactly representable
    low = np.ceil((percent - half) * n / 100 - tolerance)
    high = np.floor((percent + half) * n / 100 + tolerance)
    return np.maximum(low, 0).astype(int), np.minimum(high, n).astype(int)


def reconstruct(printed: pd.DataFrame, questions: pd.DataFrame) -> pd.DataFrame:
    """Counts behind printed percentages, in the `results` shape with source `reconstructed`.

    Parameters
    ----------
    printed : DataFrame
        Rows of `published.results` whose `unit` is percent.
    questions : DataFrame
        Columns `benchmark`, `group_by`, `group`, `n`: how many questions each group has.

    Returns
    -------
    DataFrame
        Beside the schema's columns `correct`, and `correct_low`, `correct_high`, the ends of what rounding allows; `correct` is
        the nearest count. `value` is ``100 correct / n``, with its Wilson interval.

    Raises
    ------
    DataError
        Where no integer fits, or a group's n is unknown.
    """
    keys = ["benchmark", "group_by", "group"]
    frame = printed.drop(columns="n").merge(questions.astype({"n": int}), on=keys, how="left", validate="many_to_one")
    if frame["n"].isna().any():
        missing = frame.loc[frame["n"].isna()].iloc[0]
        raise DataError(f"n of {missing['group_by']} {missing['group']!r} is unknown", field="n")
    low, high = integer_counts(frame["value"], frame["n"], frame["decimals"])
    if (low > high).any():
        bad = frame.loc[low > high].iloc[0]
        where = f"{bad['artifact']}, {bad['printed_model']}, {bad['group']}"
        raise DataError(f"{where}: {bad['printed']} % is no integer of {bad['n']}", field="value")
    n = frame["n"].to_numpy()
    correct = np.clip(np.rint(frame["value"] * n / 100), low, high).astype(int)
    ci_low, ci_high = wilson(correct, n)
    frame = frame.assign(
        correct=correct, correct_low=low, correct_high=high, value=100 * correct / n, ci_low=100 * ci_low, ci_high=100 * ci_high
    ).assign(source="reconstructed")
    return schemas.check(frame, "results")
