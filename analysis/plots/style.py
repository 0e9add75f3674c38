"""One look for all figures: fonts that draw every script, one palette per role, the column widths of a paper."""

import contextlib
import os
from collections.abc import Callable
from functools import cache

import matplotlib as mpl
import pandas as pd
from anyascii import anyascii
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from analysis.errors import DataError

COLUMN, TEXT = 3.4, 7.0  # widths in inches: one column, the whole text

# Okabe and Ito's colour-blind safe palette; black is left for references.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SKY, RED, YELLOW, GREY, INK = "#56B4E9", "#D55E00", "#F0E442", "#8A8A8A", "#222222"

# A model keeps its family's colour in every figure.
FAMILY = {
    "GPT": GREEN, "ChatGPT": GREEN, "o1": "#00553E", "Claude": RED, "Gemini": SKY, "DeepSeek": PURPLE, "Llama": BLUE,
    "LLaMA": BLUE, "Qwen": ORANGE, "baseline": GREY, "Random": GREY, "Human": INK, "human": INK,
    "Aya": "#7B4173", "XVERSE": "#8C6D31", "PersianMind": "#17768F", "mT0": "#4B4E9E", "mGPT": "#B4578A",
    "BLOOM": "#A6431E", "Pythia": "#6B7A1E", "Vicuna": "#9A3E8C", "Baize": "#2B8A7E", "ChatGLM": "#5C5FA8", "GLM": "#5C5FA8", "Gemma": "#1F7A3D",
    "Mistral": "#B8741A", "Sailor": "#2F6DB5", "SeaLLM": "#8F2D56", "SEA-LION": "#6A4C93", "Falcon": "#7D5A3C", "BELLE": "#C2478F",
    "Alpaca": "#4F7F2A", "StableLM": "#35607A", "MOSS": "#576B3B", "Dolly": "#A0522D", "h2oGPT": "#3F6C8F", "DoctorGLM": "#5C5FA8",
}  # fmt: skip
OTHER = GREY
ANSWER = {"correct": BLUE, "wrong": RED, "unanswered": "#BBBBBB"}
RESOURCE = {"high": ORANGE, "low": BLUE}
METHOD = {"da": ORANGE, "caa": BLUE}

# Script -> a sample, fonts that draw it, best first, and Debian's package.
FONTS = {
    "Latin": ("A", ["DejaVu Sans"], "part of matplotlib"),
    "Tibetan": ("བོད", ["Noto Serif Tibetan", "Jomolhari", "Kailasa", "Microsoft Himalaya"], "fonts-noto-core"),
    "Arabic": ("فارسی", ["Noto Sans Arabic", "Noto Naskh Arabic", "Vazirmatn", "Geeza Pro", "Tahoma"], "fonts-noto-core"),
    "Thai": ("ไทย", ["Noto Sans Thai", "Loma", "Thonburi", "Tahoma"], "fonts-noto-core"),
    "Chinese": ("中文", ["Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "PingFang SC"], "fonts-noto-cjk"),
}


def use() -> None:
    """Apply the style to matplotlib; call it once at a notebook's top."""
    mpl.rcParams.update(
        {
            "font.family": _installed(),
            "font.size": 8,
            "axes.titlesize": 9,
            "axes.labelsize": 8,
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": GREY,
            "axes.grid": True,
            "axes.grid.axis": "x",
            "axes.axisbelow": True,
            "grid.color": "#E6E6E6",
            "grid.linewidth": 0.6,
            "xtick.labelsize": 7.5,
            "ytick.labelsize": 7.5,
            "xtick.color": INK,
            "ytick.color": INK,
            "legend.frameon": False,
            "legend.fontsize": 7.5,
            "lines.linewidth": 1.4,
            "figure.figsize": (TEXT, 3.6),
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "white",
            "svg.fonttype": "path",
            "pdf.fonttype": 42,
            "text.parse_math": False,
        }
    )


@cache
def _installed() -> list[str]:
    """The fonts of the list that are here now: matplotlib's own list is as old as its cache."""
    manager = font_manager.fontManager
    for file in sorted({*font_manager.findSystemFonts()} - {entry.fname for entry in manager.ttflist}):
        with contextlib.suppress(OSError, RuntimeError):  # no font, or a damaged one
            manager.addfont(file)
    here = {entry.name for entry in manager.ttflist if os.path.exists(entry.fname)}
    return list(dict.fromkeys(font for _, fonts, _ in FONTS.values() for font in fonts if font in here))


@cache
def _characters() -> frozenset[int]:
    """Code points that the installed fonts of the list can draw."""
    fonts = (font_manager.get_font(font_manager.findfont(name)) for name in _installed())
    return frozenset(code for font in fonts for code in font.get_charmap())


def drawable(text: str) -> bool:
    """Whether every character of `text` has a glyph in the installed fonts (joiners and marks of direction need none)."""
    return all(ord(c) in _characters() or not c.isprintable() or c.isspace() for c in text)


def label(native: str, romanized: str | None = None) -> str:
    """`native` where it can be drawn, else `romanized`: never boxes. Left out, each character without a glyph is transliterated."""
    if drawable(native):
        return native
    return "".join(c if drawable(c) else anyascii(c) or "?" for c in native) if romanized is None else romanized


def romanize(figure: Figure) -> str:
    """Put a romanized label where a text of a laid out `figure` has a character without a glyph; returns what a caption must say."""
    texts = [text for text in figure.findobj(Text) if not drawable(text.get_text())]
    for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
        labels = [text.get_text() for text in axis.get_ticklabels()]
        if not drawable("".join(labels)):  # the axis writes its labels anew each time that it is drawn
            axis.set_ticks(axis.get_ticklocs(), [label(text) for text in labels])
    for text in texts:
        text.set_text(label(text.get_text()))
    packages = " ".join(sorted(set(missing_fonts().values())))
    return f" Romanized where no font here draws the script (Debian: {packages})." if texts else ""


def missing_fonts() -> dict[str, str]:
    """Script -> Debian package to install, for scripts that cannot be drawn here."""
    return {script: package for script, (sample, _, package) in FONTS.items() if not drawable(sample)}


def color(model: str) -> str:
    """The colour that `model` keeps in every figure: its family's, grey for others."""
    hits = [family for family in FAMILY if model.casefold().startswith(family.casefold())]
    return FAMILY[max(hits, key=len)] if hits else OTHER


def axes(ax: Axes | None, width: float = TEXT, height: float = 3.6, **options: object):
    """`ax`, or a new one of this size in inches (several, with ``ncols`` or ``nrows``)."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(width, height), **options)[1]


def panels(
    frame: pd.DataFrame,
    draw: Callable[[pd.DataFrame, Axes], object],
    *,
    by: str = "panel",
    columns: int | None = None,
    height: float = 2.6,
    width: float = TEXT,
    share: bool = True,
) -> Figure:
    """A panel for each value of `by`, titled with it: ``draw(part, ax)`` fills it with its rows.

    Parameters
    ----------
    columns : int, optional
        Panels beside each other; by default all.
    height, width : float
        Of a row of panels, and of the figure, in inches.
    share : bool
        One scale for all panels; the y label then stands at the left ones only.
    """
    from matplotlib import pyplot as plt

    need(frame, by)
    parts = dict(iter(frame.groupby(by, sort=False)))
    columns = min(columns or len(parts), len(parts))
    rows = -(-len(parts) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(width, height * rows), sharex=share, sharey=share, squeeze=False)
    for ax, (name, part) in zip(grid.flat, parts.items(), strict=False):
        draw(part, ax)
        ax.set_title(str(name), fontsize=8)
        if share and ax not in grid[:, 0]:
            ax.set_ylabel("")
        if share and ax not in grid[-1]:
            ax.set_xlabel("")
    for ax in grid.flat[len(parts) :]:
        ax.set_visible(False)
    return figure


def need(frame, *columns: str) -> None:
    """Raise a `DataError` that names the column which a plot lacks, or says that there is nothing to draw."""
    for column in columns:
        if column not in frame:
            raise DataError("column is missing", field=column)
    if len(frame) == 0:
        raise DataError("nothing to draw: no rows")


def signed(value: float, decimals: int = 0) -> str:
    """A difference with its sign, the minus as long as the axis has it: +3, −27; what rounds to nothing has none."""
    rounded = round(float(value), decimals)
    return f"{rounded:+.{decimals}f}".replace("-", "−") if rounded else f"{0:.{decimals}f}"


def apart(positions, gap: float) -> list[float]:
    """Positions of labels moved so that neighbours are at least `gap` apart, in the given order."""
    order = sorted(range(len(positions)), key=lambda i: list(positions)[i])
    placed = [float(list(positions)[i]) for i in order]
    for _ in range(100):
        for i in range(1, len(placed)):
            overlap = gap - (placed[i] - placed[i - 1])
            if overlap > 1e-9:
                placed[i - 1] -= overlap / 2
                placed[i] += overlap / 2
    return [placed[order.index(i)] for i in range(len(placed))]
