"""Models in order with their intervals: a row a model, an estimate a mark, the printed value hollow beside it."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.answers import label as method_label
from analysis.plots import style


def forest(
    results: pd.DataFrame,
    printed: pd.DataFrame | None = None,
    reference: float | None = None,
    reference_label: str = "random",
    label: str = "accuracy (%)",
    ax: Axes | None = None,
) -> Axes:
    """Draw one estimate with interval a model and setting, best model on top.

    Parameters
    ----------
    results : DataFrame
        `results`: `model`, `setting`, `value`, `ci_low`, `ci_high`, `source`. Settings of one model share its row.
    printed : DataFrame, optional
        `results` whose values are drawn as hollow marks.
    reference : float, optional
        Value of a vertical line, such as the random baseline.
    label : str
        Label of the x axis, with the unit.
    """
    style.need(results, "model", "setting", "value", "ci_low", "ci_high")
    order = results.groupby("model")["value"].max().sort_values().index
    ax = style.axes(ax, style.TEXT, 0.9 + 0.235 * len(order))
    settings = list(dict.fromkeys(results["setting"]))
    offsets = dict(zip(settings, np.linspace(0.16, -0.16, len(settings)) if len(settings) > 1 else [0.0], strict=True))
    rows = {model: i for i, model in enumerate(order)}
    for setting, part in results.groupby("setting", sort=False):
        y = part["model"].map(rows) + offsets[setting]
        low, high = part["value"] - part["ci_low"], part["ci_high"] - part["value"]
        color = style.METHOD.get(setting, style.GREY)
        ax.errorbar(
            part["value"], y, xerr=[low, high], fmt="o", ms=3.6, lw=1.1, color=color, label=method_label(setting), zorder=3
        )
    if printed is not None:
        part = printed[printed["model"].isin(rows)]
        y = part["model"].map(rows) + part["setting"].map(offsets).fillna(0)
        ax.plot(part["value"], y, "o", ms=6.5, mfc="none", mec=style.INK, mew=0.6, ls="none", label="printed", zorder=4)
    if reference is not None:
        ax.axvline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate(
            reference_label, (reference, 1), (2, 2), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=7
        )
    ax.set_yticks(range(len(order)), order)
    for tick, model in zip(ax.get_yticklabels(), order, strict=True):
        tick.set_color(style.color(model))
    ax.set_ylim(-0.6, len(order) - 0.4)
    ax.set_xlim(left=0)
    ax.set_xlabel(label)
    ax.legend(loc="lower right")
    return ax
