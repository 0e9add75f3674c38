"""Do Khayyam's printed numbers fit each other: averages, pooled cells, trends, traps?"""

import numpy as np
import pandas as pd

from analysis.papers import published
from analysis.papers.khayyam.arithmetic import (
    CATEGORIES,
    CATEGORY,
    DIFFICULTY,
    HUMAN_QUESTIONS,
    LEVELS,
    QUESTIONS,
    SUBJECT,
    TRAPPED,
    cells,
    pooled,
)
from analysis.statistics.intervals import mover, wilson

LABEL = {"subjects": "Avg on all tasks", "questions": "Avg on all questions"}
STAGES = ["LPS", "UPS", "LSS", "USS"]
_ROUNDING = 1 + 1e-9  # points between two numbers that are rounded to two decimals
_ROW = ["model", "setting", "group"]
_TRAP_SETTINGS = ["regex, all questions", "regex, trapped questions"]


def pooled_audit() -> pd.DataFrame:
    """Tables 13-15 pooled over difficulty by Table 5, with the categories of Tables 3, 8, 9.

    Returns
    -------
    DataFrame
        `model`, `setting`, `group`, `printed` and `pooled` (per cent), `difference`, `agrees`
        (within the rounding of both).
    """
    category = {f"{name} x {level}": name for name in CATEGORIES for level in LEVELS}
    frames = []
    for method, artifact in DIFFICULTY.items():
        printed = published.select(cells(CATEGORY[method]), group_by="category")
        printed = printed[[*_ROW, "value"]].rename(columns={"value": "printed"})
        computed = pooled(artifact, pd.Series(category))
        computed = computed.rename(columns={"value": "pooled"})
        frames.append(printed.merge(computed, on=_ROW, validate="1:1"))
    both = pd.concat(frames, ignore_index=True)
    both["difference"] = both["pooled"] - both["printed"]
    both["agrees"] = both["difference"].abs() <= _ROUNDING
    return both


def checked(artifact: str) -> pd.DataFrame:
    """Cells of a table with `recomputed` averages and categories, and `agrees`."""
    frame = cells(artifact)
    parts = frame[frame["group_by"] != "average"]
    mean = parts.groupby(["model", "setting"], sort=False)["value"].mean()
    computed = [mean.reset_index().assign(group="subjects")]
    if artifact not in SUBJECT.values():  # whose sizes are of another version of the data
        together = pd.Series("questions", parts["group"].unique())
        computed.append(pooled(artifact, together))
    if artifact in CATEGORY.values():
        categories = pooled_audit()[[*_ROW, "pooled"]]
        computed.append(categories.rename(columns={"pooled": "value"}))
    recomputed = pd.concat(computed).rename(columns={"value": "recomputed"})
    frame = frame.merge(recomputed, "left", _ROW, validate="1:1")
    distance = (frame["recomputed"] - frame["value"]).abs()
    agrees = (distance <= _ROUNDING).astype("boolean").mask(distance.isna())
    return frame.assign(agrees=agrees, recomputed_from="published")


def by_ordered_group(artifact: str) -> pd.DataFrame:
    """Figures 9 and 10: `x` (stage or year), `difficulty`, `model`, `value` in per cent with limits
    and `n`.

    Stage and difficulty together have sizes in the figures' version of the data; for years only the
    total is published, and n is that times the difficulty's share of all questions. Human limits
    include the reading's rounding only.
    """
    frame = cells(artifact)
    frame[["x", "difficulty"]] = frame["group"].str.split(" x ", expand=True)
    return frame


def drops() -> pd.DataFrame:
    """All against trapped questions over all questions, untrapped recomputed: one row a model, in
    per cent, with limits.

    Untrapped accuracy is (n all - m trapped) / (n - m) with n = 20,805 (humans 16,955) and m =
    3,889; limits are Newcombe's for the drop from untrapped to trapped. They include sampling, not
    the rounding (`rounding` says how far that moves the drop). `did` is the human drop minus the
    model's.
    """
    printed = published.select(cells("table_16"), group="questions")
    wide = printed.pivot(index="model", columns="setting", values="value")
    wide = wide.loc[printed["model"].unique()] / 100
    everything, trapped = (wide[setting].to_numpy() for setting in _TRAP_SETTINGS)
    human = wide.index == "Human"
    n = np.where(human, HUMAN_QUESTIONS, QUESTIONS)
    rest = n - TRAPPED
    untrapped = (everything * n - trapped * TRAPPED) / rest
    values = np.array([untrapped, trapped])
    sizes = np.array(np.broadcast_arrays(rest, TRAPPED))
    lows, highs = wilson(values * sizes, sizes)
    drop = mover(values, lows, highs, weights=[1, -1])
    people = [np.full(len(n), end[human].item()) for end in drop]
    less = mover(*zip(people, drop, strict=True), weights=[1, -1])
    columns = {"all": everything, "untrapped": untrapped, "trapped": trapped}
    columns |= dict(zip(["drop", "ci_low", "ci_high"], drop, strict=True))
    columns |= {"untrapped_low": lows[0], "untrapped_high": highs[0]}
    columns |= {"trapped_low": lows[1], "trapped_high": highs[1]}
    # of both printed numbers, as it moves the drop
    columns["rounding"] = 0.005 * (n + TRAPPED) / rest + 0.005
    columns |= dict(zip(["did", "did_low", "did_high"], less, strict=True))
    frame = 100 * pd.DataFrame(columns, wide.index)
    frame.loc["Human", ["did", "did_low", "did_high"]] = np.nan
    frame.insert(0, "n", n)
    # models with equal drops stay in the table's order
    order = np.argsort(-frame["drop"].round(9), kind="stable")
    return frame.iloc[order].reset_index()
