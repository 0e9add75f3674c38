"""Two shares a model joined by a line, with intervals: what changes from one group of questions to another."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style

BLANK = {"fc": "white", "ec": "none", "pad": 0.8}


def dumbbell(
    frame: pd.DataFrame, ends: tuple[str, str], chance: float | None = None, label: str = "accuracy (%)", ax: Axes | None = None
) -> Axes:
    """A row a model, the largest difference on top.

    Parameters
    ----------
    frame : DataFrame
        `model` and, for both names of `ends`, the value and its limits ``<name>_low``, ``<name>_high``, in per cent.
    ends : tuple of str
        The hollow and the filled end.
    chance : float, optional
    """
    first, second = ends
    style.need(frame, "model", first, second, f"{first}_low", f"{second}_high")
    ordered = frame.assign(_d=frame[second] - frame[first]).sort_values("_d").reset_index(drop=True)
    ax = style.axes(ax, style.TEXT * 0.8, 0.9 + 0.25 * len(ordered))
    for y, row in ordered.iterrows():
        color = style.color(row["model"])
        ax.plot([row[first], row[second]], [y, y], color="#C9C9C9", lw=3, zorder=1, solid_capstyle="butt")
        for end, face in ((first, "white"), (second, color)):
            ax.plot([row[f"{end}_low"], row[f"{end}_high"]], [y, y], color=color, lw=1.1, zorder=2)
            ax.plot(row[end], y, "o", ms=5, mfc=face, mec=color, mew=1.1, zorder=3)
        far = max(row[f"{first}_high"], row[f"{second}_high"])
        ax.annotate(style.signed(-row["_d"]), (far, y), (5, 0), textcoords="offset points", va="center", fontsize=7)
    if chance is not None:
        ax.axvline(chance, color=style.INK, lw=0.7, ls=(0, (4, 3)), zorder=0)
    top = ordered.iloc[-1]
    for end in ends:
        ax.annotate(
            end, (top[end], len(ordered) - 1), (0, 8), textcoords="offset points", ha="center", fontsize=7, color=style.INK
        )
    ax.set_yticks(range(len(ordered)), ordered["model"])
    for tick, model in zip(ax.get_yticklabels(), ordered["model"], strict=True):
        tick.set_color(style.color(model))
    ax.set_xlim(0, 100)
    ax.set_ylim(-0.6, len(ordered) - 0.1)
    ax.set_xlabel(label)
    return ax
