"""Lines over sizes, counts or ordered stages: a line a model or family with its intervals, named at its end."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import NullFormatter

from analysis.plots import style

PALETTE = (style.BLUE, style.RED, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, "#8C6D31", "#4B4E9E")
DASHED = (0, (4, 3))


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
    band: bool = False,
    legend: str | None = None,
    both_ends: bool = False,
    colors: Mapping[str, str] | None = None,
    styles: Mapping[str, object] | None = None,
    reference: float | Mapping | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw `y` over `x`, a line for each value of `line`; several rows at one place are dots, the line goes through their mean.

    Parameters
    ----------
    frame : DataFrame
        Columns `x`, `y`, `line`, and `ci_low`, `ci_high` where there are intervals (missing ones are not drawn).
    x, y, line : str
        Columns. A line of a single place is a dot without a name.
    label, xlabel : str
        Of the axes, with units.
    names : mapping, optional
        Value of `line` -> how it is written; only these are drawn, in this order.
    order : list, optional
        Values of a categorical `x` from left to right; the lines are then moved a little apart.
    log : bool
        Logarithmic x axis, ticks at the places of the data.
    band : bool
        Intervals as bands instead of bars.
    legend : str, optional
        Title of a legend, instead of names at the lines' ends (for lines that end at one place).
    both_ends : bool
        Name the lines at their left ends too.
    colors, styles : mapping, optional
        Value of `line` -> colour (default: `style.color`, else the palette's next), -> line style.
    reference : float or mapping, optional
        What guessing gives: a level, or place -> level.
    """
    columns = [c for c in ("ci_low", "ci_high") if c in frame]
    style.need(frame, x, y, line, *columns)
    ax = style.axes(ax, style.TEXT * 0.68, 3.1)
    names = dict(names) if names else {key: str(key) for key in dict.fromkeys(frame[line])}
    place = {value: i for i, value in enumerate(order)} if order else None
    paths = {key: frame[frame[line] == key].assign(_x=lambda f: f[x].map(place) if place else f[x]) for key in names}
    paths = {key: part.sort_values("_x", kind="stable") for key, part in paths.items() if len(part)}
    colors, styles = dict(colors or palette(paths)), dict(styles or dashes(paths, colors or palette(paths)))
    step = 0.014 * max(len(order) - 1, 1) if order and not band else 0.0
    for i, (key, part) in enumerate(paths.items()):
        _draw(ax, part.assign(_x=part["_x"] + (i - (len(paths) - 1) / 2) * step), y, colors[key], styles[key], band, names[key])
    guessing = _reference(ax, reference)
    _axis(ax, frame[x], order, log)
    ax.grid(axis="y")
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(label)
    ax.set_xlabel(xlabel)
    if legend is not None:
        ax.legend(title=legend, title_fontsize=7, loc="best")
    else:
        ax.margins(x=0.3 if both_ends else 0.04)
        ends = {names[key]: (part.groupby("_x")[y].mean().dropna(), colors[key]) for key, part in paths.items()}
        for side in ("right", "left") if both_ends else ("right",):
            _names(ax, ends | guessing, side)
    return ax


def palette(keys) -> dict[str, str]:
    """A colour each: the registry's, and for what it does not know the next of the palette that none of them has."""
    known = {key: style.color(str(key)) for key in keys}
    free = iter([c for c in PALETTE if c not in known.values()] + [style.OTHER] * len(known))
    return {key: next(free) if color == style.OTHER else color for key, color in known.items()}


def dashes(keys, colors: Mapping[str, str]) -> dict[str, object]:
    """A solid line for the first of a colour, dashes for the next."""
    seen: dict[str, int] = {}
    found = {}
    for key in keys:
        found[key] = ("-", "--", ":")[min(seen.get(colors[key], 0), 2)]
        seen[colors[key]] = seen.get(colors[key], 0) + 1
    return found


def _draw(ax: Axes, part: pd.DataFrame, y: str, color: str, dash: object, band: bool, name: str) -> None:
    path = part.groupby("_x")[[c for c in (y, "ci_low", "ci_high") if c in part]].mean()
    if len(path) > 1:
        ax.plot(path.index, path[y], color=color, ls=dash, lw=1.3, zorder=3, label=name)
    if "ci_low" not in part or part["ci_low"].isna().all():
        return
    if band:
        ax.fill_between(path.index, path["ci_low"], path["ci_high"], color=color, alpha=0.18, lw=0)
        ax.plot(path.index, path[y], "o", ms=2.6, color=color, zorder=3)
        return
    error = [(part[y] - part["ci_low"]).clip(lower=0), (part["ci_high"] - part[y]).clip(lower=0)]
    ax.errorbar(part["_x"], part[y], yerr=error, fmt="o", ms=3.2, lw=0.9, color=color, zorder=3)


def _reference(ax: Axes, reference: float | Mapping | None) -> dict[str, tuple[pd.Series, str]]:
    """A dashed level with its name, or a dashed line that is named like the others."""
    if isinstance(reference, Mapping):
        path = pd.Series(dict(reference)).sort_index()
        ax.plot(path.index, path, color=style.INK, lw=0.9, ls=DASHED, zorder=1)
        return {"random": (path, style.INK)}
    if reference is not None:
        ax.axhline(reference, color=style.INK, lw=0.8, ls=DASHED, zorder=1)
        ax.annotate(
            "random", (0, reference), (3, 2), xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=6.5
        )
    return {}


def _axis(ax: Axes, places: pd.Series, order: list | None, log: bool) -> None:
    if order:
        crowded = (
            sum(len(str(o)) + 2 for o in order) * 0.062 > ax.bbox.width / ax.figure.dpi - 1
        )  # inches of text; names take one
        ax.set_xticks(range(len(order)), order, rotation=90 if crowded else 0)
    elif log:
        ax.set_xscale("log")
        ax.set_xticks(*_ticks(sorted(places.dropna().unique())))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.tick_params(axis="x", which="minor", length=0)
    elif places.nunique() < 6:
        ax.set_xticks(sorted(places.unique()))


def _ticks(sizes: list[float]) -> tuple[list[float], list[str]]:
    """One tick for sizes that would overprint each other (70 and 72 become 70–72); round numbers where there are many."""
    groups: list[list[float]] = []
    for size in sizes:
        if groups and size / groups[-1][0] < 1.25:
            groups[-1].append(size)
        else:
            groups.append([size])
    if len(groups) > 9:
        decades = np.arange(np.floor(np.log10(sizes[0])), np.ceil(np.log10(sizes[-1])) + 1)
        round_ones = [float(f"{m}e{int(d)}") for d in decades for m in (1, 3)]
        shown = [t for t in round_ones if sizes[0] / 1.5 <= t <= sizes[-1] * 1.5]
        return shown, [f"{t:g}" for t in shown]
    return [(g[0] * g[-1]) ** 0.5 for g in groups], [f"{g[0]:g}" if len(g) == 1 else f"{g[0]:g}–{g[-1]:g}" for g in groups]


def _names(ax: Axes, paths: dict[str, tuple[pd.Series, str]], side: str) -> None:
    """Names at the lines' ends; those that end at one place are moved apart."""
    end, sign = (-1, 1) if side == "right" else (0, -1)
    at = {name: (path.index[end], path.iloc[end], color) for name, (path, color) in paths.items() if len(path) > 1}
    low, high = ax.get_ylim()
    gap = 8.2 / (72 * ax.bbox.height / ax.figure.dpi) * (high - low)
    for place in {place for place, *_ in at.values()}:
        here = {name: (value, color) for name, (x, value, color) in at.items() if x == place}
        for (name, (_, color)), height in zip(here.items(), style.apart([v for v, _ in here.values()], gap), strict=True):
            ax.annotate(name, (place, height), (9 * sign, 0), textcoords="offset points", va="center", color=color, fontsize=7,
                        ha="left" if sign > 0 else "right", annotation_clip=False, path_effects=[withStroke(linewidth=1.6, foreground="white")])  # fmt: skip
