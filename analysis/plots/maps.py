"""Maps: where sets of texts lie in a plane, models over two estimates."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.plots import style


def sets(frame: pd.DataFrame) -> Figure:
    """Draw a panel a map, of the central 95 % of its texts on each axis; the large hollow marks are
    the sets' centres.

    Parameters
    ----------
    frame : DataFrame
        `panel` (its title), `set`, `x`, `y`, `n`, `centre_x`, `centre_y`, `explained_x`,
        `explained_y` (shares; missing where components have none).
    """
    figure = style.panels(frame, _texts, columns=1, height=2.2, share=False)
    style.record(figure, frame.drop_duplicates(["panel", "set"]).drop(columns=["x", "y"]))
    return figure


def _texts(points: pd.DataFrame, ax: Axes) -> None:
    """The texts of all sets on one map, and the centre of each set above them."""
    centres = {}
    plane = points[["x", "y"]]
    low, high = plane.quantile([0.025, 0.975]).to_numpy()
    inside = (plane.ge(low) & plane.le(high)).all(axis=1)
    for name, part in points.groupby("set", sort=False):
        color, marker = style.look(name)
        look = {"s": 4, "alpha": 0.3, "lw": 0}
        ax.scatter(part["x"].where(inside), part["y"], color=color, marker=marker, **look)
        one = part.iloc[0]
        look = {"mfc": "none", "mec": color, "mew": 1.2, "zorder": 5, "ms": 5}
        centre = ax.plot(one["centre_x"], one["centre_y"], marker, **look)
        centres[f"{name} ({one['n']:,})"] = centre[0]
    ax.legend(centres.values(), centres, loc="upper left", bbox_to_anchor=(0, -0.28), ncols=2)
    for number, (axis, name) in enumerate([(ax.xaxis, "x"), (ax.yaxis, "y")], 1):
        share = points[f"explained_{name}"].iloc[0]
        explained = "" if pd.isna(share) else f" ({100 * share:.0f} %)"
        axis.set_label_text(f"component {number}{explained}")


def points(frame: pd.DataFrame, label: str, xlabel: str, hollow: pd.Series, ax: Axes) -> None:
    """Draw models over two estimates with both intervals; a line joins a model's points; the
    names are at the right.

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
    shapes = set()
    for model, part in frame.assign(hollow=hollow).groupby("model", sort=False):
        color, marker = style.color(model), style.shape(model, shapes)
        ax.hlines(part["y"], part["x_low"], part["x_high"], color, lw=0.8)
        ax.vlines(part["x"], part["y_low"], part["y_high"], color, lw=0.8)
        ax.plot(part["x"], part["y"], lw=0.6, color=color, zorder=1)
        look = {"color": color, "marker": marker, "ms": 3.4, "ls": ""}
        for row in part.itertuples():
            ax.plot(row.x, row.y, mfc="none" if row.hollow else color, **look)
        ax.plot([], [], label=model, **look)
    style.legend_right(ax)
    ax.set_ylabel(label)
    ax.set_xlabel(xlabel)
    style.record(ax.figure, frame.filter(["panel", "model", "setting", *ends]))
