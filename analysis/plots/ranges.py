"""What other numbers allow, as a bar, and what is printed, as a mark: red where the mark lies outside."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.plots import style


def ranges(frame: pd.DataFrame, label: str, reference: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw a row a model, grouped by benchmark.

    Parameters
    ----------
    frame : DataFrame
        `benchmark` (as it is written), `model`, `value`, `low`, `high`, `possible`.
    label : str
        Label of the x axis.
    reference : float, optional
        Value of random ranking.
    """
    style.need(frame, "benchmark", "model", "value", "low", "high", "possible")
    groups = list(dict.fromkeys(frame["benchmark"]))
    height = len(frame) + len(groups)
    ax = style.axes(ax, style.TEXT, 0.9 + 0.165 * height)
    y, ticks, labels = height - 1, [], []
    for group in groups:
        ax.annotate(group, (0, y), xycoords=("axes fraction", "data"), va="center", fontsize=8, fontweight="bold", bbox={"fc": "white", "ec": "none", "pad": 1}, zorder=5, annotation_clip=False,
                    xytext=(3, 0), textcoords="offset points")  # fmt: skip
        for row in frame[frame["benchmark"] == group].sort_values("value", ascending=False).itertuples():
            y -= 1
            color = style.INK if row.possible else style.RED
            ax.plot([row.low, row.high], [y, y], color="#BBD3E6", lw=5, solid_capstyle="butt", zorder=2)
            ax.plot(row.value, y, "o", ms=4.5, mfc="white" if row.possible else color, mec=color, zorder=4)
            ticks.append(y)
            labels.append((row.model, color))
        y -= 1
    ax.set_yticks(ticks, [name for name, _ in labels])
    for tick, (_, color) in zip(ax.get_yticklabels(), labels, strict=True):
        tick.set_color(color)
    if reference is not None:
        ax.axvline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate("random", (reference, 1), (2, 2), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=7)
    ax.set_ylim(-0.7, height - 0.3)
    ax.set_xlim(left=0)
    ax.set_xlabel(label)
    printed = {"marker": "o", "ls": "none", "ms": 4.5}
    handles = [
        Patch(color="#BBD3E6", label="allowed"),
        Line2D([], [], mfc="white", mec=style.INK, label="printed, allowed", **printed),
        Line2D([], [], mfc=style.RED, mec=style.RED, label="printed, impossible", **printed),
    ]
    ax.legend(handles=handles, loc="lower right")
    return ax
