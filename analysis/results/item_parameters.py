"""Runs under item response models: parameters of items by group."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.results import gallery, leaderboard, shared
from analysis.statistics import item_response, reliability


def right(answers: pd.DataFrame, method: str | None = None) -> pd.DataFrame:
    """Right (1) or wrong (0) of all runs that the method reads, on the items that all of them
    answered: runs x items; means over repeated samples.
    """
    table = leaderboard.board(answers, method)
    return shared.right_answers(answers, table.dropna(subset="accuracy")).T


def parameters(correct: pd.DataFrame, groups: pd.Series) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two-parameter logistic parameters of every item, and how well the two models fit.

    Parameters
    ----------
    correct : DataFrame, runs x items
        Right or wrong.
    groups : Series
        Item -> group, such as its subject.

    Returns
    -------
    items : DataFrame
        `item_id`, `group`, `right` (share), `difficulty` with `error`, `slope`.
    fits : DataFrame
        `model`, `aic`, `runs`, `items`, and `reliability` of the abilities (1 minus their mean
        squared error, as their variance is 1); of the plain scores `kr20`, and `p` of a spread
        as large where answers are exchanged within items.

    Raises
    ------
    DataError
        For few runs or items, and means over samples, which are neither right nor wrong.
    """
    fitted = {model: item_response.fit(correct, model) for model in item_response.MODELS}
    two = fitted["2pl"]
    items = pd.DataFrame(
        {
            "item_id": correct.columns,
            "group": groups.reindex(correct.columns).to_numpy(),
            "right": correct.mean().to_numpy(),
            "difficulty": two.difficulty,
            "error": two.difficulty_error,
            "slope": two.slope,
        }
    )
    runs, asked = correct.shape
    rows = [
        {
            "model": model,
            "aic": fit.aic,
            "runs": runs,
            "items": asked,
            "reliability": 1 - float(np.mean(fit.ability_error**2)),
        }
        for model, fit in fitted.items()
    ]
    fits = pd.DataFrame(rows).assign(
        kr20=reliability.reliability(correct).kr20,
        p=reliability.permutation_p(correct, draws=499),
    )
    return items, fits


def of_gallery(name: str, groups: Mapping[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """`parameters` of an entry of the gallery, as its method reads it; `groups` names the
    categories of its items.
    """
    about, items, answers = gallery.read(name)
    categories = items.set_index("item_id")["category"].map(groups)
    return parameters(right(answers, about.method), categories)


def information(items: pd.DataFrame, abilities: np.ndarray) -> pd.DataFrame:
    """Information of each group of items, and of all, at each ability: `group`, `ability`,
    `information`, `error` (1 over its root).
    """
    frames = []
    for group, part in [*items.groupby("group", sort=False), ("all", items)]:
        slope, difficulty = part["slope"].to_numpy(), part["difficulty"].to_numpy()
        values = item_response.information(slope, difficulty, abilities)
        columns = {"group": group, "ability": abilities, "information": values}
        frames.append(pd.DataFrame(columns | {"error": values**-0.5}))
    return pd.concat(frames, ignore_index=True)
