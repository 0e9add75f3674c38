"""Differences with intervals around zero: a panel each kind, a row each thing, the same rows in every panel."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def effects(frame: pd.DataFrame, label: str = "Cohen's d (right minus wrong)", decimals: int = 2) -> Figure:
    """Draw `value` with limits; intervals without zero in colour, the others grey.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `row`, `value`, `ci_low`, `ci_high`, in the order of the panels, rows from the top.
    label : str
        Of the x axis, with the unit.
    decimals : int
        Of the numbers beside the marks.
    """
    style.need(frame, "panel", "row", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    names, order = list(dict.fromkeys(frame["panel"])), list(dict.fromkeys(frame["row"]))[::-1]
    rows = {row: i for i, row in enumerate(order)}
    figure, grid = plt.subplots(
        1,
        len(names),
        figsize=(style.TEXT, 0.75 + (0.19 if len(order) < 20 else 0.145) * len(order)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    right = frame["ci_high"].max() + 0.02 * (frame["ci_high"].max() - frame["ci_low"].min())
    for ax, name in zip(grid[0], names, strict=True):
        for entry in frame[frame["panel"] == name].itertuples():
            clear = entry.ci_low > 0 or entry.ci_high < 0
            color, y = style.BLUE if clear else style.GREY, rows[entry.row]
            ax.plot([entry.ci_low, entry.ci_high], [y, y], color=color, lw=1.2)
            ax.plot(entry.value, y, "o", ms=3.4, color=color)
            ax.annotate(
                style.signed(entry.value, decimals),
                (right, y),
                (2, 0),
                textcoords="offset points",
                va="center",
                fontsize=6.3,
                color=color,
            )
        ax.axvline(0, color=style.INK, lw=0.8)
        ax.set_title(name, fontsize=8)
    span = right - min(0, frame["ci_low"].min())
    grid[0][0].set_xlim(min(0, frame["ci_low"].min()) - 0.03 * span, right + 0.28 * span)
    grid[0][0].set_ylim(-0.6, len(order) - 0.4)
    grid[0][0].set_yticks(range(len(order)), order, fontsize=7.5 if len(order) < 20 else 6.3)
    figure.supxlabel(label, fontsize=8)
    return figure
