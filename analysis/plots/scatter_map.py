"""Where sets of texts lie in the plane of two components: a dot a text, a cross a centroid, the set's name beside it."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style

COLORS = [style.BLUE, style.RED, style.GREEN, style.ORANGE]


def scatter_map(frame: pd.DataFrame, titles: dict[str, str], target: dict[str, str]) -> Figure:
    """Draw one panel a language, cut to where 98 % of the texts lie on each axis.

    Parameters
    ----------
    frame : DataFrame
        `language`, `set`, `x`, `y`, `n`, `centre_x`, `centre_y`, `explained_x`, `explained_y` (shares; missing where
        components have none).
    titles, target : dict
        Language -> title of its panel, and the set that the others are to resemble (drawn in black).
    """
    style.need(frame, "language", "set", "x", "y", "n", "centre_x", "centre_y", "explained_x", "explained_y")
    from matplotlib import pyplot as plt

    figure, grid = plt.subplots(1, len(titles), figsize=(style.TEXT, 3.3), squeeze=False)
    for ax, (language, title) in zip(grid[0], titles.items(), strict=True):
        part = frame[frame["language"] == language]
        x, y = (_central(part[axis]) for axis in "xy")
        others = iter(COLORS)
        centres = []
        for name, points in part.groupby("set", sort=False):
            color = style.INK if name == target[language] else next(others)
            ax.scatter(points["x"], points["y"], s=7, color=color, alpha=0.35, lw=0)
            first = points.iloc[0]
            centres.append((f"{name} (n = {first['n']:,})", first["centre_x"], first["centre_y"], color))
        low, high = y
        heights = style.apart([centre[2] for centre in centres], 0.065 * (high - low))
        edge = x[1]
        for (name, cx, cy, color), height in zip(centres, heights, strict=True):
            ax.plot(cx, cy, "P", ms=8, color=color, mec="white", mew=1, zorder=5)
            ax.annotate(name, (cx, cy), (edge, height), fontsize=7, color=color, va="center", ha="left", zorder=6, annotation_clip=False,
                        arrowprops={"arrowstyle": "-", "color": color, "lw": 0.6}, bbox={"fc": "white", "ec": "none", "pad": 0.8, "alpha": 0.8})  # fmt: skip
        row = part.iloc[0]
        ax.set_title(title, fontsize=8)
        shares = row["explained_x"], row["explained_y"]
        first, second = (
            ("", "") if pd.isna(shares[0]) else (f" ({100 * shares[0]:.0f} % of the variance)", f" ({100 * shares[1]:.0f} %)")
        )
        ax.set_xlabel(f"component 1{first}")
        ax.set_ylabel(f"component 2{second}")
        ax.set_xlim(x[0], edge + 0.5 * np.ptp(x))
        ax.set_ylim(*y)
        ax.grid(False)
    return figure


def _central(values: pd.Series) -> np.ndarray:
    """Ends of an axis that shows the central 98 % with some room."""
    ends = values.quantile([0.01, 0.99]).to_numpy()
    return ends + np.array([-0.08, 0.08]) * np.ptp(ends)
