"""Maps: where sets of texts lie in a plane, models over two estimates."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.plots import style


def sets(frame: pd.DataFrame) -> Figure:
    """Draw a panel a map, each cut to where 98 % of its texts lie on each axis; crosses are the
    sets' centres.

    Parameters
    ----------
    frame : DataFrame
        `panel` (its title), `set`, `x`, `y`, `n`, `centre_x`, `centre_y`, `explained_x`,
        `explained_y` (shares; missing where components have none).
    """
    figure = style.panels(frame, _texts, height=1.9, share=False)
    style.record(figure, frame.drop_duplicates(["panel", "set"]).drop(columns=["x", "y"]))
    return figure


def _texts(points: pd.DataFrame, ax: Axes) -> None:
    """The texts of all sets on one map, and the centre of each set above them."""
    colors = {name: style.color(name) for name in points["set"].unique()}
    look = {"x": "x", "y": "y", "s": 4, "alpha": 0.3, "lw": 0, "legend": False}
    sns.scatterplot(points, hue="set", palette=colors, ax=ax, **look)
    for one in points.drop_duplicates("set").itertuples():
        cross = {"color": colors[one.set], "mec": "white", "mew": 0.9, "zorder": 5}
        ax.plot(one.centre_x, one.centre_y, "P", ms=7, label=f"{one.set} ({one.n:,})", **cross)
    for number, (axis, name) in enumerate([(ax.xaxis, "x"), (ax.yaxis, "y")], 1):
        share = points[f"explained_{name}"].iloc[0]
        explained = "" if pd.isna(share) else f" ({100 * share:.0f} %)"
        axis.set_label_text(f"component {number}{explained}")
        axis.set_ticks([])
    ax.set(xlim=_central(points["x"]), ylim=_central(points["y"]))


def _central(values: pd.Series) -> np.ndarray:
    """Ends of an axis that shows the central 98 % with some room."""
    ends = values.quantile([0.01, 0.99]).to_numpy()
    return ends + np.array([-0.08, 0.08]) * np.ptp(ends)


def points(frame: pd.DataFrame, label: str, xlabel: str, hollow: pd.Series, ax: Axes) -> Axes:
    """Draw models over two estimates with both intervals; a thin line joins a model's points and
    leads from the last one to its name at the right.

    Parameters
    ----------
    frame : DataFrame
        `model`, `x`, `y`, `x_low`, `x_high`, `y_low`, `y_high`.
    label, xlabel : str
        Of the axes, with units.
    hollow : Series of bool
        Rows to be drawn hollow.
    """
    ends = ["x", "y", "x_low", "x_high", "y_low", "y_high"]
    colors = frame["model"].map(style.color)
    ax.hlines(frame["y"], frame["x_low"], frame["x_high"], colors, lw=0.8)
    ax.vlines(frame["x"], frame["y_low"], frame["y_high"], colors, lw=0.8)
    for row, empty in zip(frame.itertuples(), hollow, strict=True):
        color, marker = style.look(row.model)
        ax.plot(row.x, row.y, marker, ms=3.4, color=color, mfc="white" if empty else color)
    names = []
    for model, part in frame.groupby("model", sort=False):
        x, y, color = part["x"], part["y"], style.color(model)
        ax.plot(x, y, lw=0.6, color=color, zorder=1)
        names.append((model, x.iloc[-1], y.iloc[-1], color))
    style.named(ax, names)
    ax.set_ylabel(label)
    ax.set_xlabel(xlabel)
    style.record(ax.figure, frame.filter(["panel", "model", "setting", *ends]))
    return ax
