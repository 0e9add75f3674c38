"""Response rate, accuracy and conditional accuracy: what the printed three allow."""

import numpy as np
import pandas as pd

from analysis import tables
from analysis.papers.tlue.arithmetic import CATEGORIES, category_sizes
from analysis.results import published
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


def rates_table(printed: pd.DataFrame, computed: pd.DataFrame) -> pd.DataFrame:
    """The printed table with the recomputed conditional accuracy and its interval beside it."""
    rows = {"printed_model": "Model", "setting": "Method"}
    names = {"response_rate": "Response rate (%)", "accuracy": "Accuracy (%)", "conditional_accuracy": "Conditional accuracy (%)"}
    shown = {metric: name for metric, name in names.items() if metric in set(printed["metric"])}
    wide = tables.as_printed(printed, rows, "metric", shown)
    extra = computed.set_index(["model", "setting"]).loc[
        list(dict.fromkeys(zip(printed["model"], printed["setting"], strict=True)))
    ]
    wide["Accuracy / response rate (%)"] = [f"{v:.2f}" for v in extra["value"]]
    wide["95 % interval"] = [f"{a:.1f} to {b:.1f}" for a, b in zip(extra["ci_low"], extra["ci_high"], strict=True)]
    return wide.assign(Method=wide["Method"].str.upper())


def conditional_averages() -> pd.DataFrame:
    """Table 11 with its average recomputed as the mean of its five categories."""
    printed = published.results("tlue", artifact="table_11")
    groups = printed[printed["group"].isin(CATEGORIES["ti_mmlu"])]
    keys = ["benchmark", "model", "setting", "metric"]
    mean = groups.groupby(keys, sort=False)["value"].mean().reset_index()
    mean = mean.assign(group_by="average", group="categories", n=pd.NA, ci_low=np.nan, ci_high=np.nan, source="reconstructed")
    return tables.beside(printed, mean)
