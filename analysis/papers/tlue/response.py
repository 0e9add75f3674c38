"""Response rate, accuracy and conditional accuracy: what the printed three allow."""

import numpy as np
import pandas as pd

from analysis.papers.tlue.arithmetic import category_sizes
from analysis.statistics.intervals import wilson


def response_results(printed: pd.DataFrame, benchmark: str) -> pd.DataFrame:
    """Response rate and accuracy as printed, conditional accuracy recomputed as their ratio, all with intervals.

    Parameters
    ----------
    printed : DataFrame
        `published.results` of Table 7 or 8.

    Returns
    -------
    DataFrame
        `results`. The intervals take a printed rate as that share of all questions (for an average over categories this is an
        approximation: the paper gives no response rate by subject); `n` of a conditional accuracy is the number of answered questions.
    """
    total = int(category_sizes(benchmark)["printed"])
    keys = list(dict.fromkeys(zip(printed["model"], printed["setting"], strict=True)))
    wide = printed.pivot(index=["model", "setting"], columns="metric", values="value").loc[keys]
    answered = np.rint(wide["response_rate"] * total / 100)
    correct = np.rint(wide["accuracy"] * total / 100)
    frames = []
    for metric, k, n, value in (
        ("response_rate", answered, total, wide["response_rate"]),
        ("accuracy", correct, total, wide["accuracy"]),
        ("conditional_accuracy", correct, answered, 100 * wide["accuracy"] / wide["response_rate"]),
    ):
        low, high = wilson(k, n)
        frames.append(pd.DataFrame({
            "metric": metric, "value": value, "n": n, "ci_low": np.minimum(100 * low, value), "ci_high": np.maximum(100 * high, value),
            "source": "reconstructed" if metric == "conditional_accuracy" else "published",
        }))  # fmt: skip
    out = pd.concat(frames).reset_index()
    return out.assign(
        benchmark=benchmark,
        group_by="average",
        group="printed",
        unit="percent",
        paper="tlue",
        artifact=printed["artifact"].iloc[0],
    )
