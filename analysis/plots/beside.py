"""Baselines beside published models: filled marks with intervals, hollow ones for printed values, in one order."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style


def beside(
    run: pd.DataFrame,
    printed: pd.DataFrame,
    label: str,
    reference: float | None = None,
    random_label: str = "random",
    ax: Axes | None = None,
) -> Axes:
    """Draw a row a model, best on top.

    Parameters
    ----------
    run, printed : DataFrame
        `model`, `value`, `ci_low`, `ci_high`. Names of `run` stand in bold.
    label : str
        Label of the x axis.
    reference : float, optional
        Exact expectation of random ranking.
    """
    style.need(run, "model", "value", "ci_low", "ci_high")
    both = pd.concat([run.assign(own=True), printed.assign(own=False)]).sort_values("value").reset_index(drop=True)
    ax = style.axes(ax, style.TEXT, 0.8 + 0.148 * len(both))
    for own, color, face in ((True, style.RED, style.RED), (False, style.INK, "white")):
        part = both[both["own"] == own]
        error = [part["value"] - part["ci_low"], part["ci_high"] - part["value"]]
        ax.errorbar(part["value"], part.index, xerr=error, fmt="o", ms=4.2, mfc=face, mec=color, ecolor=color, lw=0.9, zorder=3)
    ax.set_yticks(both.index, [name.removeprefix("baseline/") for name in both["model"]], fontsize=6.8)
    for tick, own in zip(ax.get_yticklabels(), both["own"], strict=True):
        tick.set_color(style.RED if own else style.INK)
        tick.set_fontweight("bold" if own else "normal")
    if reference is not None:
        ax.axvline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate(
            random_label, (reference, 1), (2, 2), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=7
        )
    ax.annotate(
        "knows nothing", (0.98, 0.06), xycoords="axes fraction", ha="right", fontsize=7.5, color=style.RED, fontweight="bold"
    )
    ax.annotate("printed by the paper", (0.98, 0.03), xycoords="axes fraction", ha="right", fontsize=7.5)
    ax.set_ylim(-0.7, len(both) - 0.3)
    ax.set_xlim(left=0)
    ax.set_xlabel(label)
    return ax
