"""Maps: where sets of texts lie in a plane, models over two estimates, and how often each model takes each rank."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.plots import style


def sets(frame: pd.DataFrame, titles: dict[str, str], target: dict[str, str]) -> Figure:
    """Draw one panel a language below the other, cut to where 98 % of the texts lie on each axis.

    Parameters
    ----------
    frame : DataFrame
        `language`, `set`, `x`, `y`, `n`, `centre_x`, `centre_y`, `explained_x`, `explained_y` (shares; missing where
        components have none).
    titles, target : dict
        Language -> title of its panel, and the set that the others are to resemble (its name is bold).
    """
    style.need(frame, "language", "set", "x", "y", "n", "centre_x", "centre_y", "explained_x", "explained_y")
    from matplotlib import pyplot as plt

    figure, grid = plt.subplots(len(titles), 1, figsize=(style.COLUMN, 2.1 * len(titles)), squeeze=False)
    for ax, (language, title) in zip(grid.flat, titles.items(), strict=True):
        part = frame[frame["language"] == language]
        x, y = (_central(part[axis]) for axis in "xy")
        centres = []
        for name, points in part.groupby("set", sort=False):
            color = style.color(name)
            ax.scatter(points["x"], points["y"], s=4, color=color, alpha=0.35, lw=0)
            first = points.iloc[0]
            centres.append((f"{name} (n = {first['n']:,})", first["centre_x"], first["centre_y"], color))
        low, high = y
        heights = style.apart([centre[2] for centre in centres], 0.09 * (high - low))
        edge = x[1]
        for (name, cx, cy, color), height in zip(centres, heights, strict=True):
            ax.plot(cx, cy, "P", ms=6, color=color, mec="white", mew=0.8, zorder=5)
            ax.annotate(name, (cx, cy), (edge, height), fontsize=6.5, color=color, va="center", ha="left", zorder=6, annotation_clip=False,
                        fontweight="bold" if name.startswith(f"{target[language]} (") else "normal",
                        arrowprops={"arrowstyle": "-", "color": color, "lw": 0.6}, bbox={"fc": "white", "ec": "none", "pad": 0.8, "alpha": 0.8})  # fmt: skip
        row = part.iloc[0]
        ax.set_title(title)
        shares = row["explained_x"], row["explained_y"]
        first, second = (
            ("", "") if pd.isna(shares[0]) else (f" ({100 * shares[0]:.0f} % of the variance)", f" ({100 * shares[1]:.0f} %)")
        )
        ax.set_xlabel(f"component 1{first}")
        ax.set_ylabel(f"component 2{second}")
        ax.set_xlim(x[0], edge + 0.6 * np.ptp(x))
        ax.set_ylim(*y)
        ax.grid(False)
    return figure


def _central(values: pd.Series) -> np.ndarray:
    """Ends of an axis that shows the central 98 % with some room."""
    ends = values.quantile([0.01, 0.99]).to_numpy()
    return ends + np.array([-0.08, 0.08]) * np.ptp(ends)


def ranks(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a row a model, a column a rank; the printed rank is outlined.

    Parameters
    ----------
    frame : DataFrame
        From `stability.ranks`: `model`, `rank`, `rank_1`, `rank_2`, ..., best model first.
    """
    style.need(frame, "model", "rank", "rank_1")
    shares = frame[[c for c in frame if c.startswith("rank_")]].to_numpy(float)
    ax = style.axes(ax, height=0.45 + 0.155 * len(frame))
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        if share >= 0.005:
            ax.text(
                column,
                row,
                f"{100 * share:.0f}",
                ha="center",
                va="center",
                fontsize=6,
                color="white" if share > 0.6 else style.INK,
            )
    for row, rank in enumerate(frame["rank"]):
        ax.add_patch(Rectangle((int(rank) - 1.48, row - 0.46), 0.96, 0.92, fill=False, ec=style.INK, lw=0.7))
    ax.set_yticks(range(len(frame)), frame["model"])
    ax.set_xticks(range(shares.shape[1]), range(1, shares.shape[1] + 1))
    ax.set_xlabel("rank (% of resamples)")
    ax.grid(visible=False)
    return ax


def points(frame: pd.DataFrame, label: str, xlabel: str, hollow: pd.Series | None = None, ax: Axes | None = None) -> Axes:
    """Draw models over two estimates with both intervals; a thin line leads from each model's last point to its name at the right.

    Parameters
    ----------
    frame : DataFrame
        `model`, `x`, `y`, `x_low`, `x_high`, `y_low`, `y_high`.
    label, xlabel : str
        Of the axes, with units.
    hollow : Series of bool, optional
        Rows to be drawn hollow.
    """
    style.need(frame, "model", "x", "y", "x_low", "x_high", "y_low", "y_high")
    ax = style.axes(ax)
    hollow = pd.Series(False, frame.index) if hollow is None else hollow
    for row, empty in zip(frame.itertuples(), hollow.reindex(frame.index), strict=True):
        error = {"xerr": [[row.x - row.x_low], [row.x_high - row.x]], "yerr": [[row.y - row.y_low], [row.y_high - row.y]]}
        color, marker = style.look(row.model)
        ax.errorbar(row.x, row.y, **error, fmt=marker, ms=3.4, lw=0.8, color=color, mfc="white" if empty else color)
    named = frame.groupby("model", sort=False).tail(1)
    style.named(ax, [(row.model, row.x, row.y, style.color(row.model)) for row in named.itertuples()])
    ax.set_ylabel(label)
    ax.set_xlabel(xlabel)
    return ax
