"""Lines over sizes, counts or ordered stages: a line a model or family with its intervals, named at
its end.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, LogLocator

from analysis.plots import style

_OPTIONAL = ["ci_low", "ci_high", "as_printed"]
_MANY = 20  # places of a curve without markers


def lines(
    frame: pd.DataFrame,
    x: str,
    label: str,
    *,
    y: str = "value",
    line: str = "model",
    names: Mapping[str, str] | None = None,
    order: list | None = None,
    xlabel: str = "",
    log: bool = False,
    named: bool = True,
    colors: Mapping[str, str] | None = None,
    reference: float | Mapping | None = None,
    bottom: float | None = None,
    height: float = 2.2,
    ax: Axes | None = None,
) -> Axes:
    """Draw `y` over `x`, a line for each value of `line`; several rows at one place are dots, the
    line goes through their mean.

    Parameters
    ----------
    frame : DataFrame
        Columns `x`, `y`, `line`, and `ci_low`, `ci_high` where there are intervals (missing ones
        are not drawn); `as_printed`, another value of a mark, is a black tick with dots to it.
    x, y, line : str
        Columns. A line of a single place is a grey dot.
    label, xlabel : str
        Of the axes, with units.
    names : mapping, optional
        Value of `line` -> how it is written, if at all; only these are drawn, in this order.
    order : list, optional
        Values of a categorical `x` from left to right; the lines are then moved a little apart.
    log : bool
        Logarithmic x axis; ticks at the places of the data, at round numbers where they are many.
    named : bool
        Names at the lines' ends; else a legend above (for lines that end at one place), which who
        gives an `ax` has to draw.
    colors : mapping, optional
        Value of `line` -> colour (default: `style.color`).
    reference : float or mapping, optional
        What guessing gives: a level, or place -> level.
    bottom : float, optional
        Lower end of the y axis (to be set here, as names at the lines' ends keep apart on this
        scale).
    height : float
        Of a new figure, in inches.
    """
    style.need(frame, x, y, line)
    new = ax is None
    ax = style.axes(ax, height)
    names = names or {key: str(key) for key in frame[line].unique()}
    columns = ["panel", line, x, y, *_OPTIONAL, "n"]
    style.record(ax.figure, frame[frame[line].isin(names)].filter(columns))
    places = {value: place for place, value in enumerate(order or [])}
    missing = {name: np.nan for name in _OPTIONAL if name not in frame}
    frame = frame.assign(_x=frame[x].map(places) if order else frame[x], **missing)
    frame = frame.dropna(subset=y).sort_values("_x", kind="stable")
    # lines at one of many places need more of it, and leave more between places than at them
    step = min(0.5 / len(names), 0.025 * len(places))
    joined = [key for key in names if frame.loc[frame[line] == key, x].nunique() > 1]
    ends, drawn, shapes = [], [], set()
    for key, name in names.items():
        part = frame[frame[line] == key]
        if part.empty:
            continue
        single = key not in joined
        color = style.GREY if single else style.color(name)
        marker = "o" if single else style.shape(name, shapes)
        if colors:
            color = colors[key]
        # a solid line for the first of a colour, dashes for the next
        dash = "" if single else ("-", "--", "-.")[min(drawn.count(color), 2)]
        drawn.append(color)
        offset = 0 if single else (joined.index(key) - (len(joined) - 1) / 2) * step
        part = part.assign(_x=part["_x"] + offset)
        look = {"color": color, "marker": marker, "ms": 3.4}
        path = _draw(ax, part, y, look, dash, "_" if named else name)
        if name:
            ends.append((name, path.index[-1], path.iloc[-1], color))
    level = _reference(ax, reference, "_" if named else style.GUESSING)
    _x_axis(ax, frame[x], order, log, named)
    ax.grid(axis="y")
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(label)
    ax.set_xlabel(xlabel)
    if bottom is not None:
        ax.set_ylim(bottom=bottom)
    if named:
        guessing = [] if level is None else [(style.GUESSING, ax.get_xlim()[1], level, style.INK)]
        style.named(ax, ends + guessing)
    elif new:
        style.legend_above(ax.figure)
    return ax


def _draw(
    ax: Axes, part: pd.DataFrame, y: str, look: dict[str, str], dash: str, label: str
) -> pd.Series:
    """Draw one line, and return its path: place -> mean. Marks are open, so that they do not hide
    each other, and above all lines.
    """
    means = part.groupby("_x")[y].mean()
    ax.plot(means.index, means, color=look["color"], ls=dash, zorder=2.5)
    look |= {"mfc": "none", "mew": 0.8}
    if len(means) > _MANY:
        look["marker"] = ""
    else:
        error = np.maximum(0, [part[y] - part["ci_low"], part["ci_high"] - part[y]])
        ax.errorbar(
            part["_x"], part[y], error, ls="", elinewidth=0.8, barsabove=True, zorder=3, **look
        )
    ax.plot([], ls=dash, label=label, **look)  # the legend shows line and mark together
    if part["as_printed"].notna().any():
        ax.vlines(part["_x"], part["as_printed"], part[y], color=look["color"], ls=":")
        ax.plot(part["_x"], part["as_printed"], "_", ms=6, mec=style.INK, label="printed")
    return means


def _reference(ax: Axes, reference: float | Mapping | None, label: str) -> float | None:
    """A dotted level, or a dotted line; returns the height of its right end."""
    look = {"color": style.INK, "lw": 0.9, "ls": ":", "zorder": 1, "label": label}
    if isinstance(reference, Mapping):
        path = pd.Series(reference).sort_index()
        ax.plot(path.index, path, **look)
        return path.iloc[-1]
    if reference is not None:
        ax.axhline(reference, **look)
    return reference


def _x_axis(ax: Axes, values: pd.Series, order: list | None, log: bool, named: bool) -> None:
    if order:
        widest = max(map(style.inches, map(str, order))) + 0.06
        # names at the lines' ends take some of the width
        tight = widest * len(order) > 1.1 * ax.bbox.width / ax.figure.dpi - 0.6 * named
        ax.set_xticks(range(len(order)), order, rotation=90 * tight)
    elif log:
        ax.set_xscale("log")
        sizes = values.dropna().unique()
        ticks = FixedLocator(sizes) if len(sizes) < 6 else LogLocator(subs=[1, 3])
        ax.xaxis.set_major_locator(ticks)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.minorticks_off()
