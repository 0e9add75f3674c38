"""Runs on the items that all of them answered: what each has right, and the differences of all
pairs.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.answers import RUN, pooled, runs
from analysis.statistics import pairing, reliability
from analysis.statistics.intervals import ALPHA

KEYS = [*RUN, "method"]
_NEAREST = 5  # runs that are named beside the best


def chosen(answers: pd.DataFrame, models: Sequence[str] | None) -> pd.DataFrame:
    """Answers of these runs (of all), with `run`, their name; repeated samples are one run unless
    all that is named are samples.

    Raises
    ------
    DataError
        For a run that has no answers, with the nearest one.
    """
    if not models or not set(models) <= set(runs(answers)):
        answers = pooled(answers)
    answers = answers.assign(run=runs(answers))
    return schemas.where(answers, run=list(models)) if models else answers


def by_run(answers: pd.DataFrame, column: str, names: Sequence[str]) -> pd.DataFrame:
    """Means over samples, items x runs, of items that all runs were asked."""
    return answers.pivot_table(column, "item_id", "run").reindex(columns=names).dropna()


def right_answers(answers: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Right (1) or wrong (0), means over samples, on the keyed items that all runs were asked.

    Parameters
    ----------
    table : DataFrame
        Rows of `leaderboard.board`.

    Returns
    -------
    DataFrame
        Items x runs.
    """
    keyed = pooled(answers)
    keyed = keyed.loc[keyed["correct"].notna(), [*KEYS, "item_id", "correct"]]
    keyed = keyed.merge(table[[*KEYS, "run"]], on=KEYS).astype({"correct": float})
    return by_run(keyed, "correct", table["run"].to_list())


def clusters_of(answers: pd.DataFrame, right: pd.DataFrame) -> np.ndarray:
    """Cluster of each row of `right`, whose index is a column of the answers: the row itself where
    nothing says more.
    """
    if "cluster" not in answers:
        return right.index.to_numpy()
    name = right.index.name
    given = answers.dropna(subset="cluster").drop_duplicates(name).set_index(name)
    clusters = given["cluster"].reindex(right.index)
    return clusters.fillna(right.index.to_series()).to_numpy()


def best_first(right: pd.DataFrame) -> pd.DataFrame:
    """Items x runs with the most accurate run as the first column."""
    order = right.mean().sort_values(ascending=False, kind="stable")
    return right[order.index]


def pair_frame(right: pd.DataFrame, clusters: np.ndarray, rates: pd.Series) -> pd.DataFrame:
    """`pairing.all_pairs` of items x runs in points, in the order of the runs.

    Returns
    -------
    DataFrame
        `first`, `second` (runs) with `value_first`, `value_second` (accuracy, %) and `rate_first`,
        `rate_second` (of `rates`, by run); `difference` in points with limits `ci_low`, `ci_high`
        and `p` that hold for all pairs together, `p_single` of each pair alone; `n` items,
        `clusters`, and `independent`: as many unclustered items tell the pair apart as well.
    """
    pairs = pairing.all_pairs(right.to_numpy(), clusters)
    runs, values = right.columns.to_numpy(), 100 * right.mean().to_numpy()
    rates = rates.reindex(runs).to_numpy()
    return pd.DataFrame(
        {
            "first": runs[pairs.first],
            "second": runs[pairs.second],
            "value_first": values[pairs.first],
            "value_second": values[pairs.second],
            "rate_first": rates[pairs.first],
            "rate_second": rates[pairs.second],
            **in_points(pairs, "difference"),
            "n": len(right),
            "clusters": len(set(clusters)),
            "independent": pairs.questions,
        }
    )


def in_points(pairs: pairing.Pairs, name: str) -> dict[str, np.ndarray]:
    """Differences (as `name`), limits and p of pairs as columns, in points."""
    return {
        name: 100 * pairs.difference,
        "ci_low": 100 * pairs.low,
        "ci_high": 100 * pairs.high,
        "p": pairs.p,
        "p_single": pairs.p_single,
    }


def pair_sentences(pairs: pd.DataFrame, opening: str) -> list[str]:
    """How many pairs differ, and which models tie with the best."""
    tested = pairs["p"].dropna()
    if tested.empty:
        return []
    sentences = [
        f"{opening}{(tested < ALPHA).sum():,} of {len(tested):,} pairs differ (p < 0.05, all pairs "
        f"together, on the {pairs['n'].max():,} questions of all these runs)."
    ]
    best = pairs["first"].iloc[0]
    near = pairs[(pairs["first"] == best) & (pairs["p"] >= ALPHA)]
    if len(near):
        sentences.append(
            f"{', '.join(near['second'][:_NEAREST])}{more(len(near), _NEAREST)} cannot be told "
            f"from {best} (p ≥ 0.05 over all pairs); {best} may truly lead by up to "
            f"{near['ci_high'].max():.1f} points."
        )
    return sentences


def more(count: int, most: int) -> str:
    """How many of a list are not named after the first `most`."""
    return f" and {count - most} more" if count > most else ""


def items(
    answers: pd.DataFrame, table: pd.DataFrame
) -> tuple[pd.DataFrame, reliability.Reliability | None]:
    """Difficulty and discrimination of each item over the ranked runs of `leaderboard.board`.

    Returns
    -------
    items : DataFrame
        `item_id`, `right` (% of models), `discrimination` (correlation with the score on the other
        items); hardest first.
    reliability : Reliability or None
        How reliably the items tell the models apart; None, and no items, with fewer than two ranked
        models or two shared items, and for repeated samples.
    """
    right = right_answers(answers, table.dropna(subset="rank"))
    values = right.to_numpy().T
    if min(values.shape) < 2 or not np.isin(values, (0, 1)).all():
        return pd.DataFrame(), None
    frame = pd.DataFrame(
        {
            "item_id": right.index,
            "right": 100 * values.mean(axis=0),
            "discrimination": reliability.item_rest(values),
        }
    ).sort_values(["right", "item_id"], ignore_index=True)
    return frame, reliability.reliability(values)
