"""Change of every model between two settings: dots, with the mean change and its interval."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style


def changes(
    each: pd.DataFrame, means: pd.DataFrame, names: dict[str, str], label: str, far: float = 0.1, ax: Axes | None = None
) -> Axes:
    """Draw a row a benchmark and setting.

    Parameters
    ----------
    each : DataFrame
        A model a row: `benchmark`, `shots`, `model`, `change`.
    means : DataFrame
        `benchmark`, `shots`, `models`, `mean_change`, `ci_low`, `ci_high`, `rise`.
    names : dict
        Benchmark -> how it is written, from top to bottom.
    label : str
        Label of the x axis.
    far : float
        The outermost model of each side of a row is named where its change is larger.
    """
    style.need(each, "benchmark", "shots", "model", "change")
    rows = [
        (b, s) for b in names for s in dict.fromkeys(each["shots"]) if ((each["benchmark"] == b) & (each["shots"] == s)).any()
    ]
    ax = style.axes(ax, style.TEXT, 0.8 + 0.29 * len(rows))
    jitter = np.random.default_rng(0)
    for place, (benchmark, shots) in enumerate(rows):
        y = len(rows) - 1 - place
        part = each[(each["benchmark"] == benchmark) & (each["shots"] == shots)].sort_values("change")
        mean = means[(means["benchmark"] == benchmark) & (means["shots"] == shots)].iloc[0]
        colors = [style.BLUE if change > 0 else style.ORANGE for change in part["change"]]
        ax.scatter(part["change"], y + jitter.uniform(-0.14, 0.14, len(part)), s=9, color=colors, alpha=0.7, lw=0)
        error = [[mean["mean_change"] - mean["ci_low"]], [mean["ci_high"] - mean["mean_change"]]]
        ax.errorbar(mean["mean_change"], y, xerr=error, fmt="D", ms=3.6, color=style.INK, lw=1.2, zorder=4)
        for end, align, dx in ((part.iloc[0], "right", -4), (part.iloc[-1], "left", 4)):
            if abs(end["change"]) > far:
                ax.annotate(
                    end["model"], (end["change"], y), (dx, 0), textcoords="offset points", ha=align, va="center", fontsize=6
                )
        share = f"{int(mean['rise'])} of {int(mean['models'])} rise"
        ax.annotate(
            share, (1, y), (4, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize=6.5
        )
    ax.axvline(0, color=style.GREY, lw=0.8, zorder=1)
    ax.set_yticks(range(len(rows)), [f"{names[b]}, {s}" for b, s in rows][::-1])
    widest = each["change"].abs().max() * 1.45
    ax.set_xlim(-widest, widest)
    ax.set_xlabel(label)
    return ax
