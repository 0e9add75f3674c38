"""Lines over ordered groups (stages, years, levels): a panel a difficulty, a line a model with its band, named at its end."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def trend(
    frame: pd.DataFrame, order: list[str], panels: list[str], chance: float | None = None, label: str = "accuracy (%)"
) -> Figure:
    """Draw `value` with limits over `x`.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `x`, `model`, `value`, `ci_low`, `ci_high`.
    order : list of str
        Values of `x` from left to right.
    panels : list of str
        Values of `panel` from left to right.
    chance : float, optional
    """
    style.need(frame, "panel", "x", "model", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    figure, grid = plt.subplots(1, len(panels), figsize=(style.TEXT, 2.9), sharey=True, squeeze=False)
    place = {value: i for i, value in enumerate(order)}
    for ax, name in zip(grid[0], panels, strict=True):
        part = frame[frame["panel"] == name]
        ends, lines = {}, dashes(list(dict.fromkeys(part["model"])))
        for model, line in part.groupby("model", sort=False):
            line = line.assign(_x=line["x"].map(place)).sort_values("_x")
            color = style.color(model)
            ax.fill_between(line["_x"], line["ci_low"], line["ci_high"], color=color, alpha=0.16, lw=0)
            ax.plot(line["_x"], line["value"], marker="o", ms=2.4, lw=1.2, color=color, ls=lines[model])
            ends[model] = line["value"].iloc[-1]
        for model, y in apart(ends, 5.2).items():
            ax.annotate(
                model,
                (len(order) - 1 + 0.035 * len(order), y),
                fontsize=6.2,
                va="center",
                color=style.color(model),
                annotation_clip=False,
            )
        if chance is not None:
            ax.axhline(chance, color=style.INK, lw=0.7, ls=(0, (4, 3)), zorder=0)
        ax.set_title(name, fontsize=8)
        ax.set_xticks(range(len(order)), order, rotation=90 if max(map(len, order)) > 3 else 0, fontsize=6.8)
        ax.set_xlim(-0.2, (len(order) - 1) * 1.42)
        ax.set_ylim(0, 102)
        ax.grid(axis="y", color="#E6E6E6", lw=0.6)
        ax.grid(axis="x", visible=False)
    grid[0][0].set_ylabel(label)
    return figure


def dashes(models: list[str]) -> dict[str, str]:
    """A solid line for the first model of a colour, dashes for the next."""
    styles: dict[str, str] = {}
    for model in models:
        same = sum(style.color(other) == style.color(model) for other in styles)
        styles[model] = ["-", "--", ":"][min(same, 2)]
    return styles


def apart(ends: dict[str, float], least: float) -> dict[str, float]:
    """Heights of labels at least `least` apart, in the order of the ends."""
    placed: dict[str, float] = {}
    previous = -1e9
    for model, y in sorted(ends.items(), key=lambda pair: pair[1]):
        placed[model] = previous = max(y, previous + least)
    return placed
