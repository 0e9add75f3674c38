"""How many questions there are of each kind."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.plots import style

LEVEL = {"Easy": "#9ECAE1", "Medium": "#4292C6", "Difficult": "#08519C"}


def bars(counts: pd.DataFrame, label: str = "questions") -> Figure:
    """One panel a way of dividing the questions, a bar a group, in the order of the rows.

    Parameters
    ----------
    counts : DataFrame
        `panel`, `group`, `questions`.
    """
    style.need(counts, "panel", "group", "questions")
    from matplotlib import pyplot as plt

    parts = {name: part for name, part in counts.groupby("panel", sort=False)}
    tallest = max(map(len, parts.values()))
    figure, grid = plt.subplots(1, len(parts), figsize=(style.TEXT, 0.75 + 0.22 * tallest), squeeze=False)
    for ax, (name, part) in zip(grid[0], parts.items(), strict=True):
        rows = range(len(part), 0, -1)
        ax.barh(rows, part["questions"], color=style.BLUE, height=0.72)
        whole = part["questions"].sum()
        for y, size in zip(rows, part["questions"], strict=True):
            ax.annotate(
                f"{size:,} ({size / whole:.0%})", (size, y), (3, 0), textcoords="offset points", va="center", fontsize=6.5
            )
        ax.set_yticks(list(rows), part["group"])
        ax.set_xlim(0, part["questions"].max() * (1.1 + 0.25 * len(parts)))
        ax.set_ylim(0.3 - (tallest - len(part)), len(part) + 0.7)
        ax.set_title(name, fontsize=8)
        ax.locator_params(axis="x", nbins=3)
        ax.set_xlabel(label)
    return figure


def stacked(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """A bar a subject, divided by difficulty; subjects by size within their category.

    Parameters
    ----------
    counts : DataFrame
        `subject`, `category`, `difficulty`, `questions`.
    """
    style.need(counts, "subject", "category", "difficulty", "questions")
    size = counts.groupby(["category", "subject"])["questions"].sum().reset_index()
    weight = size.groupby("category")["questions"].transform("sum")
    size = size.assign(_w=weight).sort_values(["_w", "questions"], ascending=False)
    ax = style.axes(ax, style.TEXT, 1.0 + 0.155 * len(size))
    row, ticks, labels, previous = 0.0, [], [], None
    cells = counts.pivot_table(index="subject", columns="difficulty", values="questions", aggfunc="sum")
    for entry in size.itertuples():
        if entry.category != previous:
            row -= 0.4 if previous else 0
            ax.text(0, row, f" {entry.category}", fontsize=7.5, fontweight="bold", va="center")
            previous, row = entry.category, row - 1
        left = 0
        for level, color in LEVEL.items():
            ax.barh(row, cells.loc[entry.subject, level], left=left, color=color, height=0.78)
            left += cells.loc[entry.subject, level]
        ax.annotate(f"{left:,.0f}", (left, row), (3, 0), textcoords="offset points", va="center", fontsize=6)
        ticks.append(row)
        labels.append(entry.subject)
        row -= 1
    ax.set_yticks(ticks, labels, fontsize=6.5)
    ax.set_ylim(row + 0.4, 0.8)
    ax.set_xlim(0, size["questions"].max() * 1.08)
    ax.set_xlabel("questions")
    handles = [ax.barh(0, 0, color=color) for color in LEVEL.values()]
    ax.legend(handles, list(LEVEL), loc="lower right", title="difficulty", title_fontsize=7.5)
    return ax
