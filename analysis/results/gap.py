"""High- against low-resource language: how far each pair of models falls from one benchmark to its translation."""

import numpy as np
import pandas as pd
from scipy import stats

from analysis.results import published
from analysis.statistics import ranks
from analysis.statistics.intervals import mover, wilson


def pairs(paper: str, artifact: str) -> pd.DataFrame:
    """The paper's pairs in one table: `high_benchmark`, `high_model`, `low_benchmark`, `low_model`, `same_model` (bool)."""
    table = published.select(published.facts(paper, "pairs"), artifact=artifact)
    return table.assign(same_model=table["same_model"].eq("true"))


def label(pair: pd.Series) -> str:
    """The model's name, or both where the paper compares two different models."""
    return pair["high_model"] if pair["same_model"] else f"{pair['high_model']} → {pair['low_model']}"


def drops(paper: str, artifact: str, low: pd.DataFrame, n: pd.Series) -> pd.DataFrame:
    """Accuracy of each pair in each group, and the drop.

    Parameters
    ----------
    paper, artifact : str
        The printed table that holds both ends.
    low : DataFrame
        Recomputed `results` of the low-resource end with intervals: the groups, and the average.
    n : Series
        Group -> number of questions of the high-resource benchmark; `printed` for the average. The printed high value gets
        the Wilson interval of that many questions.

    Returns
    -------
    DataFrame
        `pair`, `same_model`, `group`; `high`, `high_low`, `high_high`; `low`, `low_low`, `low_high`, `low_printed`; `drop` with
        `drop_low`, `drop_high` (percentage points; MOVER, taking the ends as independent), `lost` (share of the high value, %), `n`.
    """
    printed = published.results(paper, artifact=artifact)
    low = low.assign(group=low["group"].where(low["group_by"] != "average", "printed")).set_index(["model", "group"])
    frames = []
    for _, pair in pairs(paper, artifact).iterrows():
        ends = [
            published.select(printed, benchmark=pair[f"{end}_benchmark"], model=pair[f"{end}_model"]).set_index("group")
            for end in ("high", "low")
        ]
        groups = ends[0].index
        count = n.reindex(groups).to_numpy(float)
        top = ends[0]["value"].to_numpy()
        top_low, top_high = (100 * end for end in wilson(np.rint(top * count / 100), count))
        bottom = low.loc[[(pair["low_model"], group) for group in groups]]
        value, drop_low, drop_high = mover(
            [top, bottom["value"]],
            [np.minimum(top_low, top), bottom["ci_low"]],
            [np.maximum(top_high, top), bottom["ci_high"]],
            [1, -1],
        )
        frames.append(pd.DataFrame({
            "pair": label(pair), "same_model": pair["same_model"], "group": groups, "high": top, "high_low": top_low, "high_high": top_high,
            "low": bottom["value"].to_numpy(), "low_low": bottom["ci_low"].to_numpy(), "low_high": bottom["ci_high"].to_numpy(),
            "low_printed": ends[1].loc[groups, "value"].to_numpy(), "drop": value, "drop_low": drop_low, "drop_high": drop_high,
            "lost": 100 * value / top, "n": count.astype(int),
        }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def rank_changes(drops: pd.DataFrame, *, seed: int = 0) -> tuple[pd.DataFrame, float]:
    """Ranks of the pairs at both ends of their average, with intervals, and Kendall's tau between the two orders.

    Returns
    -------
    DataFrame
        `pair`, `high`, `low`, and for each end `rank_<end>`, `rank_<end>_low`, `rank_<end>_high`.
    float
        Kendall's tau-b.
    """
    average = published.select(drops, group="printed")
    out = average[["pair", "high", "low"]].copy()
    for end in ("high", "low"):
        rank, low, high = ranks.rank_intervals(average[end], average[f"{end}_low"], average[f"{end}_high"], seed=seed)
        out = out.assign(**{f"rank_{end}": rank, f"rank_{end}_low": low, f"rank_{end}_high": high})
    return out, float(stats.kendalltau(average["high"], average["low"]).statistic)
