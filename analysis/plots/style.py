"""One look for all figures: fonts that draw every script, one palette per role, the column widths
of a paper.
"""

import contextlib
import os
import re
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import yaml
from anyascii import anyascii
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from scipy.optimize import isotonic_regression

from analysis.errors import DataError

COLUMN, TEXT = 3.3, 6.8  # widths in inches as printed: one column, the whole text
SMALL = 6.0  # points; no text is smaller
DASHED = (0, (4, 3))
GUESSING = "guessing"  # this label keeps its height
_EMBEDDED = "\u202b"  # begins text from right to left
# Travels with matplotlib, so that a figure is laid out alike on every machine.
_FONT = "DejaVu Sans"
SVG_FONTS = f"'{_FONT}', Verdana, sans-serif"

_FOLDER = Path(__file__).parent
_REGISTRY = yaml.safe_load((_FOLDER / "colors.yaml").read_bytes())
PALETTE = _REGISTRY.pop("palette")
BLUE, NAVY, GREEN, OCHRE, MAROON, PINK, PURPLE, INK, GREY = PALETTE.values()
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")
RESOURCE = {"high": OCHRE, "low": BLUE}
METHOD = {"da": OCHRE, "caa": BLUE}
_LOOKS = {
    name.casefold(): (PALETTE[color], marker)
    for section in _REGISTRY.values()
    for name, (color, marker) in section.items()
}

# Scripts that `_FONT` lacks: a sample, fonts that draw it, best first, and Debian's package.
_FONTS = {
    "Tibetan": (
        "བོད",
        ["Noto Serif Tibetan", "Jomolhari", "Kailasa", "Microsoft Himalaya"],
        "fonts-noto-core",
    ),
    "Thai": ("ไทย", ["Noto Sans Thai", "Loma", "Thonburi", "Tahoma"], "fonts-noto-core"),
    "Chinese": (
        "中文",
        ["Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "PingFang SC"],
        "fonts-noto-cjk",
    ),
}


def use() -> None:
    """Apply the style to matplotlib; call it once at a notebook's top."""
    plt.style.use(_FOLDER / "polyexam.mplstyle")
    mpl.rcParams["font.family"] = _installed()


@cache
def _installed() -> list[str]:
    """`_FONT`, and the fonts for other scripts that are here now."""
    manager = font_manager.fontManager
    listed = {entry.fname for entry in manager.ttflist}
    # matplotlib keeps its list on disk: fonts installed since are not in it
    for file in sorted({*font_manager.findSystemFonts()} - listed):
        with contextlib.suppress(OSError, RuntimeError):  # no font, or a damaged one
            manager.addfont(file)
    here = {entry.name for entry in manager.ttflist if os.path.exists(entry.fname)}
    wanted = [font for _, fonts, _ in _FONTS.values() for font in fonts]
    return [_FONT, *(font for font in wanted if font in here)]


@cache
def _characters() -> frozenset[int]:
    """Code points that the installed fonts of the list can draw."""
    fonts = (font_manager.get_font(font_manager.findfont(name)) for name in _installed())
    return frozenset(code for font in fonts for code in font.get_charmap())


def inches(text: str) -> float:
    """Width of the longest line of `text` in letters of `SMALL` points."""
    font = font_manager.FontProperties(family=_installed(), size=SMALL)
    lines = label(text).split("\n")
    return (
        max(text_to_path.get_text_width_height_descent(line, font, False)[0] for line in lines) / 72
    )


def drawable(text: str) -> bool:
    """Whether every character of `text` has a glyph in the installed fonts (joiners and marks of
    direction need none).
    """
    return all(ord(c) in _characters() or not c.isprintable() or c.isspace() for c in text)


def label(native: str, romanized: str | None = None) -> str:
    """`native` where it can be drawn, else `romanized`: never boxes. Left out, each character
    without a glyph is transliterated.
    """
    if drawable(native):
        return native
    if romanized is not None:
        return romanized
    return "".join(c if drawable(c) else anyascii(c) or "?" for c in native)


def romanize(figure: Figure) -> str:
    """Put a romanized label where a text of a laid out `figure` has a character without a glyph;
    returns what a caption must say.
    """
    texts = [text for text in figure.findobj(Text) if not drawable(text.get_text())]
    for text in figure.findobj(Text):
        if _EMBEDDED in text.get_text():  # a PDF gives marks of direction a width, outlines do not
            text.set_path_effects([Normal()])
    if not texts:
        return ""
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            labels = [text.get_text() for text in axis.get_ticklabels()]
            # the axis writes its labels anew each time that it is drawn
            if not drawable("".join(labels)):
                axis.set_ticks(axis.get_ticklocs(), [label(text) for text in labels])
    for text in texts:
        text.set_text(label(text.get_text()))
    return " Romanized, as this machine has no font of the script."


def look(name: str) -> tuple[str, str]:
    """Colour and marker that a model, ranker, language or data set keeps in every figure; one that
    is not listed gets those of its letters.
    """
    full = name.casefold()
    last = full.rsplit("/")[-1]
    for part in (last, full):
        entries = [entry for entry in _LOOKS if part.startswith(entry)]
        if entries:
            return _LOOKS[max(entries, key=len)]
    letters = re.match(r"[^\W\d_]+", last)
    number = zlib.crc32((letters[0] if letters else last).encode())
    row, column = divmod(number, len(_MARKERS))
    return list(PALETTE.values())[column], _MARKERS[row % len(_MARKERS)]


def color(name: str) -> str:
    """The colour of `look`."""
    return look(name)[0]


def shape(name: str, taken: set[str]) -> str:
    """The marker of `look`, or the next one that nothing else in a figure has `taken`; it is then
    taken, too.
    """
    usual = look(name)[1]
    free = [marker for marker in (usual, *_MARKERS, "h", "<", ">") if marker not in taken]
    marker = free[0] if free else usual
    taken.add(marker)
    return marker


def pale(colors: str | pd.Series) -> np.ndarray:
    """Colours as light as a mark needs, so that a narrow interval shows on it: rows of RGB."""
    return 1 - 0.45 * (1 - to_rgba_array(colors)[:, :3])


def axes(ax: Axes | None, height: float = 2.2) -> Axes:
    """`ax`, or a new one of a column's width and this height in inches."""
    return plt.subplots(figsize=(COLUMN, height))[1] if ax is None else ax


def panels(
    frame: pd.DataFrame,
    draw: Callable[..., object],
    *,
    columns: int = 2,
    height: float = 1.5,
    share: bool = True,
    **options: object,
) -> Figure:
    """Fill a panel for each value of the column `panel`, titled with it, with one legend above
    them: ``draw(part, ax=ax, **options)``.

    Parameters
    ----------
    columns : int
        Panels next to each other.
    height : float
        Of a row of panels, in inches.
    share : bool
        One scale for all.
    """
    parts = dict(iter(frame.groupby("panel", sort=False)))
    rows = -(-len(parts) // columns)
    shared = {"sharex": share, "sharey": share, "squeeze": False}
    figure, grid = plt.subplots(rows, columns, figsize=(COLUMN, height * rows), **shared)
    figure.get_layout_engine().set(wspace=0.06)  # ends of the x axes do not run together
    for place, ax in enumerate(grid.flat):
        if place >= len(parts):
            ax.set_visible(False)
            continue
        name = list(parts)[place]
        draw(parts[name], ax=ax, **options)
        ax.set_title(name)
        if not share:
            continue
        if place % columns:
            ax.set_ylabel("")
        if place + columns < len(parts):
            ax.set_xlabel("")
        ax.tick_params(labelbottom=place + columns >= len(parts))
    legend_above(figure)
    return figure


def legend_above(figure: Figure) -> None:
    """A legend of all that is labelled in a figure, above its axes, in as many columns as fit."""
    labels = {}
    for ax in figure.axes:
        handles, names = ax.get_legend_handles_labels()
        labels |= dict(zip(names, handles, strict=True))
    if not labels:
        return
    widest = 0.4 + max(map(inches, labels))
    columns = min(len(labels), max(1, int(figure.get_figwidth() / widest)))
    lines = -(-len(labels) // columns)
    figure.set_figheight(figure.get_figheight() + 0.13 * lines + 0.06)
    figure.legend(
        labels.values(),
        labels.keys(),
        loc="outside upper center",
        ncols=columns,
        borderaxespad=0.2,
    )


def legend_right(ax: Axes) -> None:
    """A legend of what is labelled in `ax`, at its right; no legend above repeats it."""
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    for line in ax.lines:
        line.set_label("_")


def record(figure: Figure, frame: pd.DataFrame) -> None:
    """Keep what a figure shows, for the CSV that is saved with it."""
    figure.numbers = pd.concat([recorded(figure), frame])


def recorded(figure: Figure) -> pd.DataFrame:
    """What a figure shows, as its plot functions recorded it; empty where they did not."""
    return getattr(figure, "numbers", pd.DataFrame())


def need(frame: pd.DataFrame, *columns: str) -> None:
    """Raise a `DataError` that names the column which a plot lacks, or says that there is nothing
    to draw.
    """
    for column in columns:
        if column not in frame:
            raise DataError("column is missing", field=column)
    if len(frame) == 0:
        raise DataError("nothing to draw: no rows")


def signed(value: float, decimals: int) -> str:
    """A difference with its sign, the minus as long as the axis has it: +3, −27; what rounds to
    nothing has none.
    """
    rounded = round(value, decimals)
    if not rounded:
        return f"{0:.{decimals}f}"
    return f"{rounded:+.{decimals}f}".replace("-", "−")


def named(ax: Axes, ends: list[tuple[str, float, float, str]]) -> None:
    """Names (name, x, y, colour) at the right edge, apart from each other; a thin dotted line leads
    to each. What ends in the left half has its name above.
    """
    gap = 8.4 / (72 * ax.bbox.height / ax.figure.dpi) * np.ptp(ax.get_ylim())
    share = ax.transScale + ax.transLimits
    left = [end for end in ends if share.transform(end[1:3])[0] < 0.5]
    for name, *place, ink in left:
        ax.annotate(name, place, (-2, 2), color=ink, ha="right", textcoords="offset points")
    ends = [end for end in ends if end not in left]
    heights = _apart([y for _, _, y, _ in ends], gap, [name == GUESSING for name, *_ in ends])
    for (name, x, y, ink), height in zip(ends, heights, strict=True):
        # from the name's left end, not across other names
        lead = {"arrowstyle": "-", "color": ink, "lw": 0.6, "ls": ":", "relpos": (0, 0.5)}
        ax.annotate(
            name,
            (x, y),
            (1.03, height),
            textcoords=ax.get_yaxis_transform(),
            va="center",
            color=ink,
            annotation_clip=False,
            zorder=1,
            arrowprops=None if name == GUESSING else lead,
        )


def _apart(heights: list[float], gap: float, fixed: list[bool]) -> np.ndarray:
    """Heights of labels in their order, moved as little as possible (least squares) so that
    neighbours are at least `gap` apart.
    """
    order = np.argsort(heights, kind="stable")
    least = gap * np.arange(len(order))
    weights = np.where(fixed, 1e9, 1.0)[order]
    above = np.array(heights)[order] - least
    placed = isotonic_regression(above, weights=weights).x + least
    return placed[np.argsort(order)]
