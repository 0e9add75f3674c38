"""Rows of marks: a row a thing, a mark an estimate with its interval.

One row of the frame is one mark. Marks of a kind look alike (`Mark`); several kinds may share a
row, above each other in lanes or joined by a bar. Panels show the same rows under several
conditions, or, stacked, rows of their own.
"""

import math
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.path import Path

from analysis.errors import DataError, refuse_unknown
from analysis.plots import style

_DASHES = Path([(0, -3), (0, -1), (0, 1), (0, 3)], [1, 2, 1, 2])
_ENDS = ["ci_low", "ci_high"]


@dataclass(frozen=True)
class Mark:
    """How one kind of estimate is drawn.

    Attributes
    ----------
    label : str
        In the legend; no entry if empty.
    color : str
    shape : str
        A marker of matplotlib, "" for the interval alone, "bar" for the interval as a broad pale
        bar.
    fill : {"full", "hollow", "ring"}
        A ring is drawn around other marks.
    lane : float
        Rows' distance above the row's middle, so that kinds do not cover each other (0.15 is a good
        one).
    size : float
        Of the marker, in points.
    scatter : float
        Rows' distance over which many marks of one row are scattered.
    """

    label: str = ""
    color: str = style.BLUE
    shape: str = "o"
    fill: str = "full"
    lane: float = 0.0
    size: float = 3.3
    scatter: float = 0.0


PRINTED = Mark("printed", style.INK, "|", size=7)


def rows(
    frame: pd.DataFrame,
    marks: Mapping[str, Mark] | None = None,
    *,
    label: str | Mapping[str, str],
    order: Sequence[str] = (),
    join: Collection[str] = (),
    reference: float | Mapping[str, float] | pd.Series | None = None,
    reference_label: str = "",
    limits: tuple[float | None, float | None] = (None, None),
    across: int | None = None,
    width: float = style.COLUMN,
    height: float = 0.155,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows of marks from the top.

    Parameters
    ----------
    frame : DataFrame
        A row a mark: `row` (its label), `value`; where there are,
        `ci_low` and `ci_high` (missing: no interval), `mark` (a key of `marks`), `panel`,
        `color` (before the mark's), `note` (text at the right edge).
    marks : mapping of str to Mark, optional
        How each kind of mark is drawn, later ones above earlier ones; one filled kind if left out.
    label : str or mapping
        Of the x axis, with the unit; panel -> label where they differ, which gives each its own
        scale.
    order : sequence of str
        Rows from the top; as they come if left out.
    join : collection of str
        Kinds of marks whose values in one lane of a row are joined by a grey line.
    reference : float, mapping (panel -> value) or Series (row -> value), optional
        A dashed line, such as guessing; by row a short tick in each.
    reference_label : str
        In the legend.
    limits : tuple
        Ends of the x axis.
    across : int, optional
        Panels next to each other; as many as fit if left out. With 1 they are stacked, each with
        its own rows only.
    width, height : float
        Of the figure and of a row, in inches.
    ax : Axes, optional
        For a single panel.

    Returns
    -------
    Axes
        The first panel's; `figure.axes` has all.

    Raises
    ------
    DataError
        If a column is missing, a kind of mark is unknown, or several panels are to go into one
        `ax`.
    """
    marks = marks or {"": Mark()}
    frame = _tidy(frame, marks, order)
    across, letters, ticks = _space(frame, across, width)
    panels = _rows_by_panel(frame, order, separate=across == 1)
    if ax is not None and len(panels) > 1:
        raise DataError(f"{len(panels)} panels do not fit into one ax", field="panel")
    titles = [_broken(panel, letters) for panel in panels]
    free = isinstance(label, Mapping)
    grid = [ax] if ax else _grid(list(panels.values()), titles, across, width, height, free)
    drawn = {kind: mark for kind, mark in marks.items() if kind in set(frame["mark"])}
    for place, (panel, names) in enumerate(panels.items()):
        axes = grid[place]
        heights = {row: len(names) - 1 - i for i, row in enumerate(names)}
        part = frame[frame["panel"] == panel]
        lane = part["mark"].map({kind: mark.lane for kind, mark in marks.items()})
        part = part.assign(y=part["row"].map(heights) + lane)
        level = reference.get(panel) if isinstance(reference, dict) else reference
        if isinstance(level, pd.Series):
            y = pd.Series(heights).reindex(level.index)
            axes.vlines(level, y - 0.44, y + 0.44, color=style.INK, lw=0.9, ls=style.DASHED)
        elif level is not None:
            axes.axvline(level, color=style.INK, lw=0.8, ls=style.DASHED if level else "-")
        joined = part[part["mark"].isin(join)].groupby("y")["value"].agg(["min", "max"])
        axes.hlines(joined.index, joined["min"], joined["max"], color="#CFCFCF", lw=2, zorder=1)
        for depth, (kind, mark) in enumerate(drawn.items()):
            of_kind = part[part["mark"] == kind]
            if len(of_kind):
                _draw(axes, of_kind, mark, 3 + 0.1 * depth)
        _notes(axes, part)
        if place % across == 0:
            axes.set_yticks(list(heights.values()), [_broken(row) for row in heights])
            axes.set_ylim(-0.65, len(heights) - 0.35)
        axes.set_title(titles[place])
        axes.tick_params(axis="y", length=0)
        axes.tick_params(labelbottom=free or place + across >= len(panels))
        axes.locator_params(axis="x", nbins=ticks, min_n_ticks=3, steps=[1, 2, 2.5, 5, 10])
        if free:
            axes.set_xlabel(_broken(label[panel], letters))
    for axes in grid if limits != (None, None) else ():  # all are drawn: they may share a scale
        axes.set_xlim(*limits)
    figure = grid[0].figure
    if ax is not None:
        ax.set_xlabel(label)
    elif not free:
        figure.supxlabel(_broken(label, 58))
    if reference is not None:
        grid[0].scatter([], [], marker=_DASHES, color=style.INK, label=reference_label)
    style.legend_above(figure)
    columns = ["panel", "row", "mark", "value", *_ENDS, "n", "note"]
    style.record(figure, frame.filter(columns).dropna(axis=1, how="all"))
    return grid[0]


def differences(frame: pd.DataFrame, label: str, *, decimals: int = 0, **options: object) -> Axes:
    """Rows of differences around zero with their numbers at the right; grey where the interval
    has zero in it.
    """
    clear = (frame["ci_low"] > 0) | (frame["ci_high"] < 0)
    color = np.where(clear, style.BLUE, style.GREY)
    note = [style.signed(value, decimals) for value in frame["value"]]
    return rows(frame.assign(color=color, note=note), label=label, reference=0, **options)


def dots(frame: pd.DataFrame) -> Axes:
    """Draw numbers of questions, a panel a part below the other, all on one scale; a dot a group in
    the order of the rows, its number at the right.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `group`, `n`.
    """
    numbers = {"value": frame["n"], "note": frame["n"].map("{:,}".format)}
    marks = frame.assign(row=frame["group"], **numbers)
    ax = rows(marks, label="questions", across=1, limits=(0, None))
    ax.locator_params(axis="x", nbins=4)  # of all panels; thousands take room
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return ax


def lanes(names: Mapping[str, str], colors: Mapping[str, str]) -> dict[str, Mark]:
    """Kinds of marks above each other (name in the legend by kind), behind each a longer tick for
    its printed number, ``printed <kind>``.
    """
    offsets = np.linspace(0.17, -0.17, len(names)) if len(names) > 1 else [0.0]
    marks = {
        kind: Mark(names[kind], colors[kind], lane=lane)
        for kind, lane in zip(names, offsets, strict=True)
    }
    ticks = {f"printed {kind}": replace(PRINTED, lane=mark.lane) for kind, mark in marks.items()}
    return ticks | marks


def _tidy(frame: pd.DataFrame, marks: Mapping[str, Mark], order: Sequence[str]) -> pd.DataFrame:
    """The frame with all columns that `rows` takes, and `ink`, the colour of each mark."""
    style.need(frame, "row", "value")
    optional = {"mark": next(iter(marks)), "panel": "", "note": None, "color": None}
    optional |= dict.fromkeys(_ENDS, np.nan)
    missing = {name: value for name, value in optional.items() if name not in frame}
    frame = frame.reset_index(drop=True).assign(**missing).astype({"row": str, "panel": str})
    refuse_unknown("kind of mark", marks, *frame["mark"].unique())
    if len(order):
        frame = frame[frame["row"].isin(order)]
    of_kind = frame["mark"].map({kind: mark.color for kind, mark in marks.items()})
    return frame.assign(ink=frame["color"].where(frame["color"].notna(), of_kind))


def _space(frame: pd.DataFrame, across: int | None, width: float) -> tuple[int, int, int]:
    """Panels next to each other, as even as they go; letters above each, ticks below."""
    labels = max(style.inches(_broken(row)) for row in frame["row"].unique())
    notes = max((0.08 + style.inches(note) for note in frame["note"].dropna()), default=0.0)
    free = width - 0.15 - labels
    panels = frame["panel"].nunique()
    lines = math.ceil(panels / (across or max(1, int(free / (0.48 + notes)))))
    across = math.ceil(panels / lines)
    room = free / across
    return across, int(room / 0.058), max(1, int((room - notes) / 0.24))


def _rows_by_panel(
    frame: pd.DataFrame, order: Sequence[str], separate: bool
) -> dict[str, list[str]]:
    """Rows from the top: those of each panel, or the same in all."""
    names = list(order) if len(order) else list(frame["row"].unique())
    by_panel = frame.groupby("panel", sort=False)["row"].agg(set)
    everywhere = set(frame["row"])
    return {
        panel: [row for row in names if row in (rows if separate else everywhere)]
        for panel, rows in by_panel.items()
    }


def _grid(
    panels: list[list[str]],
    titles: list[str],
    across: int,
    width: float,
    height: float,
    free: bool,
) -> list[Axes]:
    """One axes a panel, high enough for its rows; each with its own scale if `free`."""
    if any("\n" in _broken(row) for names in panels for row in names):
        height *= 1.4
    tall = [height * len(names) + 0.08 for names in panels[::across]]
    lines = sum(title.count("\n") + 1 for title in titles[::across] if title)
    around = 0.3 + 0.13 * lines + len(tall) * (0.3 if free else 0.1)
    grid = plt.subplots(
        len(tall),
        across,
        figsize=(width, sum(tall) + around),
        sharex=not free,
        sharey=across > 1,
        squeeze=False,
        height_ratios=tall,
    )[1]
    for unused in grid.flat[len(panels) :]:
        unused.set_visible(False)
    return list(grid.flat[: len(panels)])


def _draw(ax: Axes, part: pd.DataFrame, mark: Mark, depth: float) -> None:
    """Marks of one kind, their intervals above them."""
    scatter = np.random.default_rng(0).uniform(-mark.scatter, mark.scatter, len(part))
    part = part.assign(y=part["y"] + scatter)
    ends = part.dropna(subset=_ENDS)
    look = {"colors": ends["ink"], "zorder": depth + 0.05, "lw": 1.2}
    if mark.shape == "bar":
        look |= {"lw": 5, "alpha": 0.35}
    lines = ax.hlines(ends["y"], ends["ci_low"], ends["ci_high"], **look)
    if mark.shape in ("", "bar"):
        lines.set_label(mark.label)
        return
    look = _look(mark, part["ink"], len(ends))
    ax.scatter(part["value"], part["y"], zorder=depth, label=mark.label, **look)


def _look(mark: Mark, inks: pd.Series, intervals: int) -> dict:
    """Size, face and edge of marks; full ones are pale, so that narrow intervals show on them."""
    look = {"marker": mark.shape, "s": mark.size**2, "c": inks, "lw": 0.8, "clip_on": False}
    if mark.shape in "|+x":
        return look | {"lw": 1.4}
    if mark.scatter:
        return look | {"alpha": 0.7, "lw": 0}
    full = style.pale(inks) if intervals else inks
    face = {"full": full, "hollow": "white", "ring": "none"}[mark.fill]
    return look | {"c": face, "edgecolors": inks}


def _notes(ax: Axes, part: pd.DataFrame) -> None:
    """Texts at the right edge."""
    where = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for note in part.dropna(subset="note").drop_duplicates(["row", "note"]).itertuples():
        ink = style.GREY if note.ink == style.GREY else style.INK
        ax.annotate(note.note, (1, round(note.y)), (5, 0), va="center", color=ink, **where)


def _broken(text: str, letters: int = 42) -> str:
    """`text` in lines of so many letters."""
    lines = text.split("\n")
    words = {"break_long_words": False, "break_on_hyphens": False}
    return "\n".join(textwrap.fill(line, max(letters, 8), **words) for line in lines)
