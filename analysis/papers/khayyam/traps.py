"""Trapped questions: the printed pairs (all, trapped) taken apart into untrapped and trapped."""

import numpy as np
import pandas as pd

from analysis.papers.khayyam.arithmetic import HUMAN_QUESTIONS, TRAPPED, cells
from analysis.statistics.intervals import mover, wilson


def drops() -> pd.DataFrame:
    """All against trapped questions over all questions, untrapped recomputed: one row a model, in per cent, with limits.

    Untrapped accuracy is (n all - m trapped) / (n - m) with n = 20,805 (humans 16,955) and m = 3,889; limits are Newcombe's for the
    drop from untrapped to trapped and hold sampling, not the rounding (`rounding` says how far that moves the drop).
    """
    frame = cells("table_16").query("group == 'questions'")
    rows = []
    for model, part in frame.groupby("model", sort=False):
        value = part.set_index("setting")["value"] / 100
        whole, trapped = value["regex, all questions"], value["regex, trapped questions"]
        n = int(part["n"].max()) if model != "Human" else HUMAN_QUESTIONS
        k = np.array([whole * n - trapped * TRAPPED, trapped * TRAPPED])
        sizes = np.array([n - TRAPPED, TRAPPED])
        share, lows, highs = k / sizes, *wilson(k, sizes)
        drop, low, high = mover(share, lows, highs, weights=[1, -1])
        rounding = 0.005 * (n + TRAPPED) / (n - TRAPPED) + 0.005
        rows.append(
            {
                "model": model,
                "n": n,
                "all": whole,
                "untrapped": share[0],
                "trapped": share[1],
                "drop": drop,
                "ci_low": low,
                "ci_high": high,
            }
            | {
                "untrapped_low": lows[0],
                "untrapped_high": highs[0],
                "trapped_low": lows[1],
                "trapped_high": highs[1],
                "rounding": rounding,
            }
        )
    out = pd.DataFrame(rows).sort_values("drop", ascending=False)
    percent = out.columns.drop(["model", "n"])
    out[percent] *= 100
    human = out.loc[out["model"] == "Human"].iloc[0]
    did = human["drop"] - out["drop"]
    reach_low = np.hypot(human["drop"] - human["ci_low"], out["ci_high"] - out["drop"])
    reach_high = np.hypot(human["ci_high"] - human["drop"], out["drop"] - out["ci_low"])
    is_human = out["model"] == "Human"
    return out.assign(
        did=did.mask(is_human), did_low=(did - reach_low).mask(is_human), did_high=(did + reach_high).mask(is_human)
    )
