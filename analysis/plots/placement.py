"""One run among published models: a row each in order, the run filled with its interval, published values hollow."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style

KINDS = {
    "run": (style.BLUE, "this run, 95 % interval"),
    "baseline": (style.GREY, "knows nothing, 95 % interval"),
    "published": (style.INK, "printed"),
}


def placement(rows: pd.DataFrame, label: str = "accuracy (%)", ax: Axes | None = None) -> Axes:
    """Draw one value a row, highest on top.

    Parameters
    ----------
    rows : DataFrame
        `name`, `value`, `ci_low`, `ci_high` (missing where there is none), `kind` (a key of `KINDS`).
    label : str
        Label of the x axis, with the unit.
    """
    style.need(rows, "name", "value", "ci_low", "ci_high", "kind")
    rows = rows.sort_values("value", kind="stable").reset_index(drop=True)
    ax = style.axes(ax, style.TEXT, 0.9 + 0.2 * len(rows))
    for kind, (color, legend) in KINDS.items():
        part = rows[rows["kind"] == kind]
        if part.empty:
            continue
        known = part[part["ci_low"].notna()]
        ax.hlines(known.index, known["ci_low"], known["ci_high"], color=color, lw=1.3)
        ax.plot(
            part["value"],
            part.index,
            "o",
            ms=4.5,
            mfc="none" if kind == "published" else color,
            mec=color,
            ls="none",
            label=legend,
        )
    ax.set_yticks(range(len(rows)), rows["name"])
    for tick, kind in zip(ax.get_yticklabels(), rows["kind"], strict=True):
        tick.set_color("#666666" if kind == "baseline" else KINDS[kind][0])
        tick.set_fontweight("bold" if kind == "run" else "normal")
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.set_xlim(left=0)
    ax.set_xlabel(label)
    ax.figure.legend(loc="outside lower center", ncols=len(KINDS))
    return ax
