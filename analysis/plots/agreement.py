"""Agreement of judges with people, with and without ties: a row a judge, a mark a tie margin, lines for judges that know nothing."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style

COLORS = {1: style.BLUE, 0: style.ORANGE}
NAMES = {1: "tie within 1 point", 0: "tie at equal scores"}


def agreement(
    frame: pd.DataFrame, printed: pd.DataFrame, chance: dict[str, float], always: dict[str, tuple[float, float]]
) -> Figure:
    """Draw one panel a view.

    Parameters
    ----------
    frame : DataFrame
        `view`, `model` (judge), `margin`, `value`, `ci_low`, `ci_high`, in per cent.
    printed : DataFrame
        `view`, `model`, `margin`, `value`: hollow marks.
    chance : dict
        View -> agreement of a judge that draws its votes.
    always : dict
        View -> bounds of the agreement of a judge that always ties.
    """
    style.need(frame, "view", "model", "margin", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    order = frame[frame["margin"] == 1].groupby("model")["value"].mean().sort_values().index
    rows = {model: i for i, model in enumerate(order)}
    views = list(chance)
    figure, grid = plt.subplots(1, len(views), figsize=(style.TEXT, 1.15 + 0.29 * len(order)), sharey=True, squeeze=False)
    for ax, view in zip(grid[0], views, strict=True):
        if view in always:
            ax.axvspan(*always[view], color="#E9E9E9", lw=0, zorder=0)
            ax.annotate(
                "always a tie", (always[view][1], -0.5), (3, 1), textcoords="offset points", fontsize=6.5, color="#555555"
            )
        ax.axvline(chance[view], color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate("random", (chance[view], len(order) - 0.42), (3, 0), textcoords="offset points", fontsize=6.5, va="top")
        for margin, shift in ((1, 0.13), (0, -0.13)):
            part = frame[(frame["view"] == view) & (frame["margin"] == margin)]
            y = part["model"].map(rows) + shift
            ax.hlines(y, part["ci_low"], part["ci_high"], color=COLORS[margin], lw=1.2, zorder=2)
            ax.plot(part["value"], y, "o", ms=3.8, color=COLORS[margin], ls="none", zorder=3, label=NAMES[margin])
            hollow = printed[(printed["view"] == view) & (printed["margin"] == margin)]
            label = "printed" if margin == 0 else None
            ax.plot(
                hollow["value"],
                hollow["model"].map(rows) + shift,
                "o",
                ms=6.5,
                mfc="none",
                mec=style.INK,
                mew=0.6,
                ls="none",
                label=label,
                zorder=4,
            )
        ax.set_title(view.capitalize(), fontsize=8)
        ax.set_xlabel("votes equal to people's (%)")
    grid[0][0].set_yticks(range(len(order)), order)
    grid[0][0].set_ylim(-0.6, len(order) - 0.4)
    handles, texts = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper right", ncols=3, handletextpad=0.1)
    return figure
