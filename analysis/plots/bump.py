"""How models move from one setting to the next: a line a model through its values, named at both ends."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style
from analysis.plots.trend import apart, dashes


def bump(
    results: pd.DataFrame, settings: list[str], chance: float | None = None, label: str = "accuracy (%)", ax: Axes | None = None
) -> Axes:
    """Draw each model's estimate with interval at each setting.

    Parameters
    ----------
    results : DataFrame
        `model`, `setting`, `value`, `ci_low`, `ci_high`.
    settings : list of str
        From left to right.
    chance : float, optional
    """
    style.need(results, "model", "setting", "value", "ci_low", "ci_high")
    ax = style.axes(ax, style.TEXT * 0.72, 3.6)
    place = {setting: i for i, setting in enumerate(settings)}
    models = list(dict.fromkeys(results["model"]))
    lines = dashes(models)
    spread = 0.012 * (len(settings) - 1)
    reach = results["ci_high"].max() - results["ci_low"].min()
    for i, (model, part) in enumerate(results.groupby("model", sort=False)):
        part = part.assign(_x=part["setting"].map(place)).sort_values("_x")
        x, color = part["_x"] + (i - len(models) / 2) * spread, style.color(model)
        ax.plot(x, part["value"], ls=lines[model], lw=1.1, color=color, alpha=0.85)
        ax.errorbar(
            x,
            part["value"],
            yerr=[part["value"] - part["ci_low"], part["ci_high"] - part["value"]],
            fmt="o",
            ms=3.4,
            lw=1,
            color=color,
        )
    for setting, side in ((settings[0], -1), (settings[-1], 1)):
        ends = results[results["setting"] == setting].set_index("model")["value"].to_dict()
        for model, y in apart(ends, reach * 0.05).items():
            ax.text(
                place[setting] + side * 0.12,
                y,
                model,
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=6.8,
                color=style.color(model),
                bbox={"fc": "white", "ec": "none", "pad": 0.8},
            )
    if chance is not None:
        ax.axhline(chance, color=style.INK, lw=0.7, ls=(0, (4, 3)), zorder=0)
    ax.set_xticks(range(len(settings)), settings)
    ax.set_xlim(-0.75, len(settings) - 0.25)
    ax.set_ylabel(label)
    ax.grid(axis="x", visible=False)
    ax.grid(axis="y", color="#E6E6E6", lw=0.6)
    return ax
