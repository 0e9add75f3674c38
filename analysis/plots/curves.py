"""Lines over a number, with bands, named at their ends."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style

COLORS = [style.BLUE, style.RED, style.GREEN, style.ORANGE, style.PURPLE]


def curves(
    frame: pd.DataFrame, x: str, y: str, line: str, names: dict[str, str], xlabel: str, ylabel: str, ax: Axes | None = None
) -> Axes:
    """Draw column `y` with its limits over column `x`, a line for each value of `line`.

    Parameters
    ----------
    frame : DataFrame
        `x`, `y`, `line`, `low`, `high`.
    names : dict
        Value of `line` -> how it is written.
    """
    style.need(frame, x, y, line, "low", "high")
    ax = style.axes(ax, style.TEXT * 0.62, 2.7)
    ends = {}
    for color, (key, name) in zip(COLORS, names.items(), strict=False):
        part = frame[frame[line] == key].sort_values(x)
        ax.fill_between(part[x], part["low"], part["high"], color=color, alpha=0.18, lw=0)
        ax.plot(part[x], part[y], marker="o", ms=3, color=color)
        ends[name] = (part[x].iloc[-1], part[y].iloc[-1], color)
    gap = 0.06 * (frame["high"].max() - min(0, frame["low"].min()))
    for (name, (place, _, color)), height in zip(ends.items(), style.apart([v for _, v, _ in ends.values()], gap), strict=True):
        ax.annotate(
            name, (place, height), (7, 0), textcoords="offset points", va="center", fontsize=7, color=color, annotation_clip=False
        )
    ax.set_xlim(right=frame[x].max() * 1.02)
    ax.set_ylim(bottom=min(0, frame["low"].min()) - 0.03 * frame["high"].max())
    if frame[x].nunique() < 6:
        ax.set_xticks(sorted(frame[x].unique()))
    ax.grid(axis="y")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    return ax
