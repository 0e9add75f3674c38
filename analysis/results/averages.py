"""Every mean says over what: the averages that a table of counts allows, and which of them a printed average is."""

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.statistics.intervals import mover, stratified, wilson

OVER = {
    "questions": "all questions weigh the same (micro)",
    "subjects": "all subjects weigh the same (macro)",
}
IDENTITY = ["paper", "artifact", "benchmark", "model", "setting", "metric", "unit", "source"]


def by_group(cells: pd.DataFrame, groups: pd.Series, over: str = "subjects", name: str = "category") -> pd.DataFrame:
    """Accuracy of groups of subjects from the subjects' counts.

    Parameters
    ----------
    cells : DataFrame
        `results` at subject level with `correct` and `n`.
    groups : Series
        Subject -> group. Subjects that it does not name are left out, as a join leaves them out.
    over : {"subjects", "questions"}
        Mean of the subjects' accuracies, or of the pooled questions.
    name : str
        What the groups are called (`group_by` of the result).

    Returns
    -------
    DataFrame
        `results`, one row a model, setting and group; intervals by Wilson (questions), `statistics.stratified` (subjects with counts), or
        MOVER (groups that have an interval and no counts).
    """
    kept = cells.assign(_group=cells["group"].map(groups)).dropna(subset="_group")
    rows = [
        {**dict(zip(IDENTITY, key[:-1], strict=True)), "group_by": name, "group": key[-1], **_mean(part, over)}
        for key, part in kept.groupby([*IDENTITY, "_group"], sort=False)
    ]
    return schemas.check(pd.DataFrame(rows), "results")


def overall(cells: pd.DataFrame, over: str = "subjects") -> pd.DataFrame:
    """Average over everything in `cells` (of subjects or categories), named by what it is over."""
    name = over if over == "questions" else {"subject": "subjects", "category": "categories"}[cells["group_by"].iloc[0]]
    return by_group(cells, pd.Series(name, index=cells["group"].unique()), over, "average")


def _mean(part: pd.DataFrame, over: str) -> dict:
    """Value, n and interval in percent of one group of subjects (or of categories that carry an interval already)."""
    n = part["n"].to_numpy(float, na_value=np.nan)
    if over == "questions":
        correct = part["correct"].sum()
        low, high = wilson(correct, n.sum())
        return {"value": 100 * correct / n.sum(), "n": int(n.sum()), "ci_low": 100 * low, "ci_high": 100 * high}
    if "correct" in part and part["correct"].notna().all() and (n > 0).all():
        value = part["value"].mean()  # as given: it may be of numbers as printed
        low, high = (100 * float(end) for end in stratified(part["correct"].to_numpy(float), n)[1:])
        return {"value": value, "n": int(n.sum()), "ci_low": min(low, value), "ci_high": max(high, value)}
    value, low, high = mover(part["value"], part["ci_low"], part["ci_high"])
    return {"value": value, "n": None if np.isnan(n).any() else int(n.sum()), "ci_low": low, "ci_high": high}


def agreement(printed: pd.DataFrame, candidates: dict[str, pd.DataFrame], on: list[str], slack: float = 0.0) -> pd.DataFrame:
    """Printed numbers beside each candidate definition.

    Parameters
    ----------
    printed : DataFrame
        Rows of `published.results`.
    candidates : dict of str to DataFrame
        Definition -> `results` computed by it.
    on : list of str
        Columns that identify a number in both.
    slack : float
        How far the candidates may be off because their parts were printed rounded, in the numbers' unit.

    Returns
    -------
    DataFrame
        One row a printed number and definition: `printed`, `definition`, `value`, `difference` (computed minus printed, in the
        numbers' unit), `equal` (the computed number rounds to the printed digits within `slack`; a tie may go either way).
    """
    rows = []
    for definition, computed in candidates.items():
        both = printed[[*on, "artifact", "printed", "value", "decimals"]].merge(
            computed[[*on, "value"]], on=on, suffixes=("_printed", ""), validate="many_to_one"
        )
        difference = both["value"] - both["value_printed"]
        equal = difference.abs() <= 0.5 * 10.0 ** -both["decimals"].astype(float) + slack + 1e-9
        rows.append(both.assign(definition=definition, difference=difference, equal=equal))
    return pd.concat(rows, ignore_index=True)


def summarise(compared: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """For each definition: numbers compared, equal to the printed digits, and the differences' mean size and maximum."""
    return (
        compared.groupby([*by, "definition"], sort=False)
        .agg(
            numbers=("equal", "size"),
            equal=("equal", "sum"),
            mean_difference=("difference", lambda d: np.abs(d).mean()),
            largest_difference=("difference", lambda d: np.abs(d).max()),
        )
        .reset_index()
    )
