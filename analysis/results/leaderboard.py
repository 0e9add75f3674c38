"""Runs of one benchmark beside each other: accuracy and response rate, ranks, paired differences, items. One method for all.

What a method does not read (`results.trust`) keeps its row, so that nobody looks for it in vain, and gets no rank and no comparison.
"""

import numpy as np
import pandas as pd

from analysis.answers import ANY
from analysis.errors import DataError
from analysis.results import metrics, trust
from analysis.statistics import ranks, reliability, resampling

DRAWS = 4_000


def by_method(answers: pd.DataFrame, method: str | None = None) -> tuple[pd.DataFrame, str]:
    """The answers by one method (see `trust.choose`), those that stand for every method among them, and its name."""
    chosen = trust.choose(answers, method)
    return answers[answers["method"].isin([chosen, ANY])], chosen


def board(answers: pd.DataFrame, method: str | None = None, *, chance: float | None = None, seed: int = 0) -> pd.DataFrame:
    """A row a model, best first.

    Parameters
    ----------
    answers : answers
        Of one benchmark, each model once a method: runs with several settings are models of their own.
    method : str, optional
        See `trust.choose`.
    chance : float, optional
        Accuracy (%) of guessing.

    Returns
    -------
    DataFrame
        `model`, `method`, `n`, `accuracy` with `ci_low`, `ci_high` (Wilson), `response_rate`, `conditional_accuracy`, all in percent; `rank`
        with `rank_low`, `rank_high` (simultaneous 95 %, paired where all ranked models answered the same items), missing where not
        `trusted`; `why` and `note` say why. Without any key `accuracy` and the ranks are missing.
    """
    part, chosen = by_method(answers, method)
    scored = metrics.score(part, by=())
    wide = scored[scored["group"] == "questions"].pivot(
        index="model", columns="metric", values=["value", "ci_low", "ci_high", "n"]
    )
    gate = trust.gate(answers, chance).set_index(["model", "method"])
    rows = []
    for model, row in wide.iterrows():
        name = chosen if (model, chosen) in gate.index else ANY
        state = gate.loc[(model, name)].rename(None)
        rows.append({
            "model": model, "method": name, "n": int(row["n", "response_rate"]),
            "accuracy": row["value", "accuracy"], "ci_low": row["ci_low", "accuracy"], "ci_high": row["ci_high", "accuracy"],
            "response_rate": row["value", "response_rate"], "conditional_accuracy": row["value", "conditional_accuracy"],
            "trusted": bool(state["trusted"]), "why": state["why"],
            "note": trust.sentence(pd.concat([state, pd.Series({"method": name})])),
        })  # fmt: skip
    table = pd.DataFrame(rows).astype({"accuracy": float})
    table[["rank", "rank_low", "rank_high"]] = np.nan
    ranked = table["trusted"] & table["accuracy"].notna()
    if ranked.sum() > 1:
        table.loc[ranked, ["rank", "rank_low", "rank_high"]] = _ranks(part, table[ranked], seed)
    return table.sort_values(["accuracy", "model"], ascending=[False, True], na_position="last", ignore_index=True)


def _ranks(answers: pd.DataFrame, table: pd.DataFrame, seed: int) -> np.ndarray:
    right = shared(answers, table["model"])
    if len(right) == table["n"].max() and table["n"].nunique() == 1:
        values = right.to_numpy(float)
        drawn = resampling.mean_draws(values, seed=seed, draws=DRAWS)
        low, high = ranks.confidence_sets(values.mean(axis=0), drawn, degrees=len(values) - 1)
        return np.column_stack([table["accuracy"].rank(ascending=False), low, high])
    return np.column_stack(ranks.rank_intervals(table["accuracy"], table["ci_low"], table["ci_high"], seed=seed, draws=DRAWS))


def shared(answers: pd.DataFrame, models) -> pd.DataFrame:
    """Right or wrong on the items that all these models were asked and that have a key: items x models, in the order of `models`."""
    part = answers[answers["model"].isin(models) & answers["correct"].notna()]
    wide = part.assign(correct=part["correct"].astype(bool)).pivot(index="item_id", columns="model", values="correct")
    return wide.reindex(columns=list(models)).dropna().astype(bool)


def differences(answers: pd.DataFrame, table: pd.DataFrame, clusters: pd.Series | None = None, *, seed: int = 0) -> pd.DataFrame:
    """All pairs of the ranked models of `board`, paired on the items that all of them answered.

    Parameters
    ----------
    answers : answers
    table : DataFrame
        From `board`.
    clusters : Series, optional
        Index `item_id`: items that belong together (one passage, one template, translations of one question).

    Returns
    -------
    DataFrame
        `first`, `second` (the better one first), `difference` in points with simultaneous 95 % limits `ci_low`, `ci_high` and `p` adjusted over
        all pairs (max-T over resamples), `n` items.

    Raises
    ------
    DataError
        Where fewer than two models are ranked, or they share no items.
    """
    ranked = table[table["rank"].notna()]
    if len(ranked) < 2:
        raise DataError("a comparison needs two models whose outputs the method reads")
    part = answers[answers["method"].isin([*ranked["method"].unique(), ANY])]
    right = shared(part, ranked["model"])
    if len(right) < 2:
        raise DataError("the models share no items")
    groups = None if clusters is None else clusters.reindex(right.index).to_numpy()
    found = resampling.simultaneous(right.to_numpy(float), groups, seed=seed, draws=DRAWS)
    i, j = np.triu_indices(right.shape[1], k=1)
    names = right.columns.to_numpy()
    swap = found.difference[i, j] < 0
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    return pd.DataFrame({
        "first": names[i], "second": names[j], "difference": 100 * found.difference[i, j],
        "ci_low": 100 * found.low[i, j], "ci_high": 100 * found.high[i, j], "p": found.p[i, j], "n": len(right),
    })  # fmt: skip


def items(answers: pd.DataFrame, table: pd.DataFrame) -> tuple[pd.DataFrame, reliability.Reliability | None]:
    """Difficulty and discrimination of each item over the ranked models of `board`, and how reliably the items tell the models apart.

    Returns
    -------
    items : DataFrame
        `item_id`, `models`, `right` (% of models), `discrimination` (correlation with the score on the other items); hardest first.
    reliability : Reliability or None
        None with fewer than two ranked models or two shared items.
    """
    ranked = table[table["rank"].notna()]
    right = shared(answers[answers["method"].isin([*ranked["method"].unique(), ANY])], ranked["model"])
    if len(ranked) < 2 or len(right) < 2:
        return pd.DataFrame(columns=["item_id", "models", "right", "discrimination"]), None
    values = right.to_numpy(float).T
    found = pd.DataFrame({
        "item_id": right.index, "models": len(ranked), "right": 100 * values.mean(axis=0), "discrimination": reliability.item_rest(values),
    })  # fmt: skip
    return found.sort_values(["right", "item_id"], ignore_index=True), reliability.reliability(values)
