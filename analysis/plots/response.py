"""Response rate, accuracy and conditional accuracy of each model and method on one line."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.answers import label
from analysis.plots import style

# name, marker, colour, and where its number stands (points above the mark)
METRICS = {
    "response_rate": ("response rate", "D", style.GREY, -9),
    "accuracy": ("accuracy", "o", style.BLUE, 4),
    "conditional_accuracy": ("conditional accuracy", "s", style.RED, 4),
}


def response(
    results: pd.DataFrame, printed: pd.DataFrame | None = None, reference: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the metrics of `results`, a row a model and method, in the given order.

    Parameters
    ----------
    results : DataFrame
        `results` with the metrics of `METRICS`, intervals drawn where there are any.
    printed : DataFrame, optional
        Printed values, hollow, of metrics that were recomputed.
    reference : float, optional
        The random baseline.
    """
    style.need(results, "model", "setting", "metric", "value", "ci_low", "ci_high")
    keys = list(dict.fromkeys(zip(results["model"], results["setting"], strict=True)))
    rows = {key: len(keys) - 1 - i for i, key in enumerate(keys)}
    ax = style.axes(ax, style.TEXT, 0.9 + 0.29 * len(keys))
    for metric, (name, marker, color, above) in METRICS.items():
        part = results[results["metric"] == metric]
        if part.empty:
            continue
        y = [rows[key] for key in zip(part["model"], part["setting"], strict=True)]
        known = part["ci_low"].notna()
        ax.hlines(
            [r for r, k in zip(y, known, strict=True) if k], part["ci_low"][known], part["ci_high"][known], color=color, lw=1.2
        )
        ax.plot(part["value"], y, marker, ms=4.8, color=color, ls="none", label=name, zorder=3)
        for value, row in zip(part["value"], y, strict=True):
            ax.annotate(
                f"{value:.1f}", (value, row), (0, above), textcoords="offset points", ha="center", fontsize=6, color=color
            )
    if printed is not None and len(printed):
        for metric, (_, marker, *_) in METRICS.items():
            part = printed[printed["metric"] == metric]
            y = [rows[key] for key in zip(part["model"], part["setting"], strict=True)]
            ax.plot(part["value"], y, marker, ms=8, mfc="none", mec=style.INK, mew=0.6, ls="none", zorder=4)
        ax.plot([], [], "s", ms=8, mfc="none", mec=style.INK, mew=0.6, ls="none", label="printed")
    if reference is not None:
        ax.axvline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate("random", (reference, 1), (2, 2), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=7)
    ax.set_yticks(list(rows.values()), [f"{model}  {label(setting)}" for model, setting in rows])
    ax.set_ylim(-0.6, len(keys) - 0.3)
    ax.set_xlim(0, 100)
    ax.set_xlabel("percent")
    ax.legend(loc="lower right")
    return ax
