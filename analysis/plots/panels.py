"""Small multiples of models with intervals: a panel a group, the same models in the same order in each."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def panels(
    results: pd.DataFrame, readings: pd.DataFrame | None = None, chance: float | None = None, label: str = "accuracy (%)"
) -> Figure:
    """One panel a group; in it a row a model, best of the last panel on top.

    Parameters
    ----------
    results : DataFrame
        `panel`, `model`, `value`, `ci_low`, `ci_high`, in the order of the panels.
    readings : DataFrame, optional
        `panel`, `model`, `value` of another source, as hollow marks.
    chance : float, optional
        A vertical line in each panel.
    """
    style.need(results, "panel", "model", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(results["panel"]))
    order = results[results["panel"] == names[-1]].sort_values("value")["model"].tolist()
    rows = {model: i for i, model in enumerate(order)}
    figure, grid = plt.subplots(
        1, len(names), figsize=(style.TEXT, 0.7 + 0.2 * len(order)), sharex=True, sharey=True, squeeze=False
    )
    for ax, name in zip(grid[0], names, strict=True):
        part = results[results["panel"] == name]
        other = readings[(readings["panel"] == name) & readings["model"].isin(rows)] if readings is not None else part.iloc[:0]
        farthest = other.set_index("model")["value"]
        for entry in part.itertuples():
            y, color = rows[entry.model], style.color(entry.model)
            ax.plot([entry.ci_low, entry.ci_high], [y, y], color=color, lw=1.2, solid_capstyle="butt")
            ax.plot(entry.value, y, "o", ms=2.8, color=color)
            ax.annotate(
                f"{entry.value:.0f}",
                (max(entry.ci_high, farthest.get(entry.model, 0)), y),
                (5, 0),
                textcoords="offset points",
                va="center",
                fontsize=6.5,
            )
        if len(other):
            ax.plot(other["value"], other["model"].map(rows), "o", ms=5.6, mfc="none", mec=style.INK, mew=0.6, ls="none")
        if chance is not None:
            ax.axvline(chance, color=style.INK, lw=0.7, ls=(0, (4, 3)), zorder=0)
        ax.set_title(name, fontsize=8)
        ax.set_xlim(0, 100)
        ax.set_xticks([0, 25, 50, 75, 100])
    grid[0][0].set_yticks(range(len(order)), order)
    for tick, model in zip(grid[0][0].get_yticklabels(), order, strict=True):
        tick.set_color(style.color(model))
    figure.supxlabel(label, fontsize=8)
    return figure
