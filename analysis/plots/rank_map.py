"""How often each model takes each rank, as a table of shades."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style


def rank_map(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a row a model, a column a rank; the printed rank is outlined.

    Parameters
    ----------
    frame : DataFrame
        From `stability.ranks`: `model`, `rank`, `rank_1`, `rank_2`, ..., best model first.
    """
    style.need(frame, "model", "rank", "rank_1")
    shares = frame[[c for c in frame if c.startswith("rank_")]].to_numpy(float)
    ax = style.axes(ax, 5.2, 0.8 + 0.24 * len(frame))
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        if share >= 0.005:
            ax.text(
                column,
                row,
                f"{100 * share:.0f}",
                ha="center",
                va="center",
                fontsize=6.5,
                color="white" if share > 0.6 else style.INK,
            )
    for row, rank in enumerate(frame["rank"]):
        ax.add_patch(_frame(int(rank) - 1, row))
    ax.set_yticks(range(len(frame)), frame["model"])
    for tick, model in zip(ax.get_yticklabels(), frame["model"], strict=True):
        tick.set_color(style.color(model))
    ax.set_xticks(range(shares.shape[1]), range(1, shares.shape[1] + 1))
    ax.set_xlabel("rank (% of resamples)")
    ax.grid(visible=False)
    return ax


def _frame(x: int, y: int):
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, fill=False, ec=style.INK, lw=0.8)
