"""Pictures of what a benchmark is: its composition, how it was made, a prompt."""

import unicodedata

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from analysis.plots import style


def composition(sizes: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Bars of questions by category, a block a benchmark.

    Parameters
    ----------
    sizes : DataFrame
        `benchmark`, `group`, `n`, `subjects`.
    """
    style.need(sizes, "benchmark", "group", "n", "subjects")
    ax = style.axes(ax, style.TEXT, 0.6 + 0.24 * (len(sizes) + sizes["benchmark"].nunique()))
    ticks, labels, row = [], [], 0.0
    colors = [style.BLUE, style.GREEN, style.ORANGE, style.RED]
    for color, (benchmark, part) in zip(colors, sizes.groupby("benchmark", sort=False), strict=False):
        ax.text(0, row, f"{benchmark}: {part['n'].sum():,} questions", fontsize=8, fontweight="bold", va="center", color=color)
        for entry in part.sort_values("n", ascending=False).itertuples():
            row -= 1
            ax.barh(row, entry.n, color=color, height=0.72)
            subjects = f" in {entry.subjects} subjects" if entry.subjects > 1 else ""
            ax.annotate(f"{entry.n:,}{subjects}", (entry.n, row), (3, 0), textcoords="offset points", va="center", fontsize=7)
            ticks.append(row)
            labels.append(entry.group)
        row -= 1.3
    ax.set_yticks(ticks, labels)
    ax.set_ylim(row + 0.7, 0.7)
    ax.set_xlim(0, sizes["n"].max() * 1.25)
    ax.set_xlabel("questions")
    return ax


def flow(steps: list[tuple[str, str]], ax: Axes | None = None) -> Axes:
    """Boxes from left to right with arrows between: (heading, details) each."""
    ax = style.axes(ax, style.TEXT, 1.25)
    width, gap = 1.0, 0.22
    for i, (heading, details) in enumerate(steps):
        left = i * (width + gap)
        last = i == len(steps) - 1
        face = style.BLUE if last else "#EEF3F8"
        ax.add_patch(
            FancyBboxPatch((left, 0), width, 1, boxstyle="round,pad=0,rounding_size=0.06", fc=face, ec=style.BLUE, lw=0.8)
        )
        ink = "white" if last else style.INK
        ax.text(left + width / 2, 0.72, heading, ha="center", va="center", fontsize=7, fontweight="bold", color=ink)
        ax.text(left + width / 2, 0.33, details, ha="center", va="center", fontsize=6.5, color=ink)
        if not last:
            ax.annotate(
                "", (left + width + gap, 0.5), (left + width, 0.5), arrowprops={"arrowstyle": "->", "color": style.BLUE, "lw": 1}
            )
    ax.set_xlim(-0.02, len(steps) * (width + gap) - gap + 0.02)
    ax.set_ylim(-0.03, 1.03)
    ax.set_axis_off()
    return ax


def prompt(lines: list[tuple[str, str]], ax: Axes | None = None) -> Axes:
    """A prompt as the model sees it on the left, its reading in English on the right."""
    ax = style.axes(ax, style.TEXT, 0.5 + 0.28 * len(lines))
    for i, (native, english) in enumerate(lines):
        right = _from_the_right(native)
        shown = f"\u200f{native}" if right else native  # digits and brackets alone do not say that they run from the right
        ax.text(0.51 if right else 0.02, -i, shown, fontsize=10, va="center", ha="right" if right else "left")
        ax.text(0.56, -i, english, fontsize=8, va="center", color=style.GREY)
    ax.add_patch(
        FancyBboxPatch(
            (0, 0.6 - len(lines)), 0.53, len(lines), boxstyle="round,pad=0,rounding_size=0.02", fc="none", ec=style.BLUE
        )
    )
    ax.set_xlim(-0.01, 1)
    ax.set_ylim(0.4 - len(lines), 0.8)
    ax.set_axis_off()
    return ax


def _from_the_right(line: str) -> bool:
    """Whether a line is written from the right: its first letter says it, or Persian and Arabic digits where it has none."""
    kinds = [unicodedata.bidirectional(char) for char in line]
    strong = [kind for kind in kinds if kind in ("L", "R", "AL")]
    return strong[0] != "L" if strong else any(char in "۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩" for char in line)
