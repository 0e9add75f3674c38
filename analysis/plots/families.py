"""Score against model size: a line a family, the other models as dots."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from analysis.plots import style

COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.RED, style.PURPLE, style.SKY)
TICKS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200)


def families(
    frame: pd.DataFrame, label: str, reference: float | None = None, lines: list[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw every model of known size.

    Parameters
    ----------
    frame : DataFrame
        `model`, `family`, `parameters_b` (10^9), `value`, `ci_low`, `ci_high`.
    label : str
        Label of the y axis.
    reference : float, optional
        Score of random ranking.
    lines : list of str, optional
        Families joined by a line, through the mean of models of equal size; by default those with two sizes or more.
    """
    style.need(frame, "model", "family", "parameters_b", "value", "ci_low", "ci_high")
    frame = frame.dropna(subset="parameters_b").sort_values("parameters_b")
    sizes = frame.groupby("family")["parameters_b"].nunique()
    lines = lines or list(sizes[sizes >= 2].index)
    ax = style.axes(ax, style.TEXT, 3.9)
    color = {family: COLORS[i % len(COLORS)] for i, family in enumerate(lines)}
    error = [frame["value"] - frame["ci_low"], frame["ci_high"] - frame["value"]]
    ax.errorbar(frame["parameters_b"], frame["value"], yerr=error, fmt="none", ecolor=style.GREY, lw=0.7, zorder=1)
    ax.scatter(
        frame["parameters_b"], frame["value"], s=18, zorder=3, color=[color.get(f, style.GREY) for f in frame["family"]], lw=0
    )
    for family in lines:
        path = frame[frame["family"] == family].groupby("parameters_b")["value"].mean()
        ax.plot(path.index, path, color=color[family], lw=1.2, zorder=2)
        ax.annotate(
            family,
            (path.index[-1], path.iloc[-1]),
            (6, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=color[family],
            bbox={"fc": "white", "ec": "none", "pad": 0.5, "alpha": 0.8},
        )
    named = pd.concat(
        [frame.nlargest(1, "value"), frame.nsmallest(2, "value"), frame[frame["parameters_b"] == frame["parameters_b"].max()]]
    )
    for row in named.drop_duplicates("model").itertuples():
        ax.annotate(row.model, (row.parameters_b, row.value), (6, 0), textcoords="offset points", va="center", fontsize=6)
    if reference is not None:
        ax.axhline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate("random", (0, reference), (2, 2), xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=7)
    ax.set_xscale("log")
    ax.set_xticks(TICKS, [f"{size:g}" for size in TICKS])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=0)
    ax.set_xlim(0.42, 600)
    ax.set_ylim(bottom=0)
    ax.grid(axis="y")
    ax.set_xlabel("parameters (billions)")
    ax.set_ylabel(label)
    return ax
