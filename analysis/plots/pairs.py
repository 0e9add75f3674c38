"""Two numbers a row joined by a line, a panel each comparison: a measure on one benchmark against the same measure on another."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style

FIRST, SECOND = style.BLUE, style.ORANGE


def pairs(frame: pd.DataFrame, names: dict[str, tuple[str, str]], labels: dict[str, str], start: float = 0.0) -> Figure:
    """Draw `first` (filled) and `second` (hollow) of each row, and a note at the right.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `row`, `first`, `second`; `first_low`, `first_high`, `second_low`, `second_high` where there are intervals, and `note`
        where a text is to stand at the right; rows from the top.
    names : dict
        Panel -> what `first` and `second` are.
    labels : dict
        Panel -> label of its x axis, with the unit.
    start : float
        Where the x axes begin.
    """
    style.need(frame, "panel", "row", "first", "second")
    from matplotlib import pyplot as plt

    order = list(dict.fromkeys(frame["row"]))[::-1]
    rows = {row: i for i, row in enumerate(order)}
    height = 1.0 + 0.24 * len(order)
    figure, grid = plt.subplots(1, len(names), figsize=(style.TEXT, height), sharey=True, squeeze=False)
    for ax, (panel, (first, second)) in zip(grid[0], names.items(), strict=True):
        part = frame[frame["panel"] == panel]
        y = part["row"].map(rows)
        ax.hlines(y, part["first"], part["second"], color="#CCCCCC", lw=2.2, zorder=1)
        ax.plot(part["second"], y, "o", ms=5, mfc="white", mec=SECOND, mew=1.3, ls="none", zorder=3, label=second)
        ax.plot(part["first"], y, "o", ms=5, color=FIRST, ls="none", zorder=4, label=first)
        for end, color in (("first", FIRST), ("second", SECOND)):
            if f"{end}_low" in part:
                ax.hlines(y, part[f"{end}_low"], part[f"{end}_high"], color=color, lw=1.6, zorder=2)
        right = part[[c for c in part if c.startswith(("first", "second"))]].to_numpy(float).max()
        for entry in part.itertuples() if "note" in part else ():
            ax.annotate(
                entry.note, (1.02 * right, rows[entry.row]), (5, 0), textcoords="offset points", va="center", fontsize=6.5
            )
        room = 0.06 + 0.012 * len(names) * part["note"].str.len().max() if "note" in part else 0.08
        ax.set_xlim(start, right + (right - start) * room)
        ax.set_xticks([tick for tick in ax.get_xticks() if start <= tick <= right * 1.03])
        ax.set_xlabel(labels[panel])
        ax.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=2, handletextpad=0.2, columnspacing=1.0, borderaxespad=0.2)
    grid[0][0].set_yticks(range(len(order)), order)
    grid[0][0].set_ylim(-0.6, len(order) - 0.4)
    return figure
