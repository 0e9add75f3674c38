"""A taxonomy of disciplines on one page: every discipline of the second level with its number of questions, under its category."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style

COLUMNS = 3
COLORS = (style.BLUE, style.RED, style.GREEN, style.PURPLE, style.ORANGE, style.SKY)


def disciplines(frame: pd.DataFrame, count: str) -> Figure:
    """Draw categories as blocks; a bar is the square root of the questions, the number stands beside.

    Parameters
    ----------
    frame : DataFrame
        A discipline a row: `level` (category, first_level, second_level), `discipline`, `category`, `parent`, and `count`.
    count : str
        Column with the number of questions.
    """
    from matplotlib import pyplot as plt

    style.need(frame, "level", "discipline", "category", "parent", count)
    blocks = [_block(frame, name, count) for name in frame.loc[frame["level"] == "category", "discipline"]]
    columns = _fill(blocks)
    rows = max(sum(len(block) + 2 for block in column) for column in columns)
    figure, axes = plt.subplots(1, COLUMNS, figsize=(style.TEXT * 1.15, 0.118 * rows + 0.3), sharey=True)
    widest = np.sqrt(frame.loc[frame["level"] == "first_level", count].max())
    color = {block.attrs["name"]: COLORS[i % len(COLORS)] for i, block in enumerate(blocks)}
    for ax, column in zip(axes, columns, strict=True):
        y = 0
        for block in column:
            _draw(ax, block, y, widest, color[block.attrs["name"]])
            y -= len(block) + 2
        ax.set_xlim(-1.02, 1.35)
        ax.set_ylim(-rows, 1)
        ax.set_axis_off()
    return figure


def _block(frame: pd.DataFrame, category: str, count: str) -> pd.DataFrame:
    own = frame[frame["category"] == category]
    first = own[own["level"] == "first_level"].sort_values(count, ascending=False)
    below = own[own["level"] == "second_level"].groupby("parent").size()
    block = pd.DataFrame(
        {"name": first["discipline"], "n": first[count], "below": first["discipline"].map(below).fillna(0).astype(int)}
    )
    top = own.loc[own["level"] == "category", count].iloc[0]
    block.attrs.update(name=category, n=int(top), below=int(below.sum()))
    return block


def _fill(blocks: list[pd.DataFrame]) -> list[list[pd.DataFrame]]:
    """The largest block first, always into the shortest column."""
    columns: list[list[pd.DataFrame]] = [[] for _ in range(COLUMNS)]
    for block in sorted(blocks, key=len, reverse=True):
        min(columns, key=lambda column: sum(len(b) + 2 for b in column)).append(block)
    return columns


def _draw(ax, block: pd.DataFrame, y: float, widest: float, color: str) -> None:
    name, n = block.attrs["name"], block.attrs["n"]
    ax.text(-1, y, f"{name}  {n:,}", fontsize=7, fontweight="bold", color=color, va="center")
    for i, row in enumerate(block.itertuples(), start=1):
        length = np.sqrt(row.n) / widest
        ax.barh(y - i, length, height=0.7, color=color, alpha=0.75, lw=0)
        ax.text(-0.03, y - i, _short(row.name), fontsize=4.6, ha="right", va="center", color=style.INK)
        below = f" · {row.below}" if row.below else ""
        ax.text(length + 0.02, y - i, f"{row.n:,}{below}", fontsize=4.6, va="center", color=style.INK if row.n else style.RED)


def _short(name: str, most: int = 44) -> str:
    name = name.replace(" (Level 1 subject)", "").replace(" (Level 1 discipline)", "")
    return name if len(name) <= most else name[: most - 1] + "…"
