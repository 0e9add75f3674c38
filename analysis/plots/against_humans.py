"""Best model of each category between the average and the top human."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style


def against_humans(frame: pd.DataFrame, label: str, reference: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw a row a category, the largest lead of the model over the average human on top.

    Parameters
    ----------
    frame : DataFrame
        `group`, `average`, `top` (humans), `best` (the best model's score), `model` (its name).
    label : str
        Label of the x axis.
    reference : float, optional
        Score of random ranking.
    """
    style.need(frame, "group", "average", "top", "best", "model")
    rows = frame.assign(lead=frame["best"] - frame["average"]).sort_values("lead").reset_index(drop=True)
    ax = style.axes(ax, style.TEXT, 0.9 + 0.27 * len(rows))
    for y, row in rows.iterrows():
        color = style.BLUE if row["lead"] > 0 else style.ORANGE
        ax.plot([row["average"], row["best"]], [y, y], color=color, lw=2.2, zorder=2)
        ax.plot(row["best"], y, "o", ms=5.5, color=color, zorder=4)
        ax.plot(row["average"], y, "|", ms=10, mew=1.8, color=style.INK, zorder=3)
        ax.plot(row["top"], y, "|", ms=10, mew=1.0, color=style.GREY, zorder=3)
        right = max(row["best"], row["average"])
        ax.annotate(
            f"{row['model']} {style.signed(row['lead'], 3)}",
            (right, y),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=6.5,
            color=color,
        )
    last = len(rows) - 1
    for name, x in (("average human", rows.loc[last, "average"]), ("top human", rows.loc[last, "top"])):
        ax.annotate(name, (x, last), (0, 9), textcoords="offset points", ha="center", fontsize=6.5)
    if reference is not None:
        ax.axvline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate("random", (reference, -0.7), (3, 2), textcoords="offset points", fontsize=6.5)
    ax.set_yticks(range(len(rows)), rows["group"])
    ax.set_ylim(-0.7, len(rows) - 0.1)
    ax.set_xlim(0, 1)
    ax.set_xlabel(label)
    return ax
