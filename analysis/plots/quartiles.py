"""Quartiles of a length by group: a line from the smallest to the largest, a bar between the quartiles, a tick at the median."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style

TICKS = [1, 10, 100, 1000, 10_000]


def quartiles(frame: pd.DataFrame, label: str = "characters (logarithmic)") -> Figure:
    """One panel a string, a row a subject, ordered by the first panel's medians.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `subject`, `min`, `q1`, `median`, `q3`, `max`.
    """
    style.need(frame, "panel", "subject", "min", "q1", "median", "q3", "max")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(frame["panel"]))
    order = frame[frame["panel"] == names[0]].sort_values("median")["subject"].tolist()
    rows = {subject: i for i, subject in enumerate(order)}
    figure, grid = plt.subplots(1, len(names), figsize=(style.TEXT, 0.8 + 0.14 * len(order)), sharey=True, squeeze=False)
    for ax, name, color in zip(grid[0], names, [style.BLUE, style.GREEN, style.RED], strict=False):
        part = frame[frame["panel"] == name]
        y = part["subject"].map(rows)
        ax.hlines(y, part["min"], part["max"], color="#CFCFCF", lw=0.8)
        ax.hlines(y, part["q1"], part["q3"], color=color, lw=3.2, alpha=0.55)
        ax.plot(part["median"], y, "|", ms=6, mew=1.4, color=color)
        ax.set_xscale("log")
        ax.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS])
        ax.minorticks_off()
        ax.set_xlim(frame["min"].min() * 0.8, frame["max"].max() * 1.2)
        ax.set_title(name, fontsize=8)
        ax.set_ylim(-0.7, len(order) - 0.3)
    grid[0][0].set_yticks(range(len(order)), order, fontsize=6)
    figure.supxlabel(label, fontsize=8)
    return figure
