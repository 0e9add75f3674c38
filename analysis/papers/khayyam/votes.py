"""The rule that makes a human score of what pupils chose: its chance level, its curve, its effect."""

import numpy as np
import pandas as pd
from scipy import stats

from analysis.answers import humans
from analysis.errors import DataError
from analysis.items import read as read_items
from analysis.items.metadata import columns
from analysis.statistics.intervals import wilson

ABILITY = np.linspace(0, 1, 101)


def vote_curves(respondents: list[int]) -> pd.DataFrame:
    """Probability that a question counts as right when each of k pupils chooses the key with probability `share`.

    Returns
    -------
    DataFrame
        `respondents`, `rule`, `share`, `value` (both in per cent).
    """
    frames = []
    for k in respondents:
        for rule in humans.RULES:
            most_wrong = k // 2 if rule == "exceeds" else -(-k // 2) - 1
            value = stats.binom.sf(most_wrong, k, ABILITY)
            frames.append(pd.DataFrame({"respondents": k, "rule": rule, "share": 100 * ABILITY, "value": 100 * value}))
    return pd.concat(frames, ignore_index=True)


def vote_table(respondents: list[int]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Chance level of the two rules in per cent: what guessing pupils get with four options."""
    long = pd.DataFrame(
        [
            {"respondents": k, "rule": rule, "value": 100 * float(humans.chance(k, 4, rule))}
            for k in respondents
            for rule in humans.RULES
        ]
    )
    wide = long.pivot(index="respondents", columns="rule", values="value").rename_axis(index="Pupils a question", columns=None)
    return wide.rename(columns={"exceeds": "exceeds (text)", "reaches": "reaches (code)"}), long


def human_rules(benchmark: str) -> pd.DataFrame | None:
    """Human accuracy of the items by both rules and as the mean pupil's share, by difficulty; None, with a line, without the files."""
    try:
        items = columns(read_items(benchmark), ["choice_shares"]).dropna(subset="choice_shares")
    except DataError as error:
        print(f"left out: {error.reason}")
        return None
    level = [entry.get("difficulty", "all") for entry in items["metadata"]]
    shares = np.stack(items["choice_shares"])
    key = items["answer"].map("ABCDEFGHI".index).to_numpy()
    found = {rule: humans.majority(shares, key, rule) for rule in humans.RULES}
    frame = pd.DataFrame(found | {"share": humans.mean_share(shares, key), "level": level})
    rows = {}
    for name, part in [*frame.groupby("level"), ("all", frame)]:
        ends = {rule: wilson(part[rule].sum(), len(part)) for rule in humans.RULES}
        row = {
            f"key {rule} the others": f"{100 * part[rule].mean():.1f} ({100 * ends[rule][0]:.1f}–{100 * ends[rule][1]:.1f})"
            for rule in humans.RULES
        }
        rows[name] = {"n": len(part)} | row | {"mean pupil": 100 * part["share"].mean()}
    return pd.DataFrame(rows).T.infer_objects().rename_axis(index="Difficulty")
