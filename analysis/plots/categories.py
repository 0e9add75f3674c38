"""Counts by category in several parts, a panel a part with the same order."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def categories(frame: pd.DataFrame, parts: dict[str, str], label: str = "questions") -> Figure:
    """Draw a bar a category, the largest total on top.

    Parameters
    ----------
    frame : DataFrame
        Index: categories; a column a part, counts.
    parts : dict
        Column -> title of its panel.
    label : str
        Label of the x axes.
    """
    from matplotlib import pyplot as plt

    style.need(frame, *parts)
    frame = frame.loc[frame[list(parts)].sum(axis=1).sort_values().index]
    figure, axes = plt.subplots(1, len(parts), figsize=(style.TEXT, 0.8 + 0.21 * len(frame)), sharey=True)
    for ax, (column, title), color in zip(axes, parts.items(), (style.BLUE, style.ORANGE, style.GREEN), strict=False):
        ax.barh(range(len(frame)), frame[column], color=color, height=0.72)
        for y, n in enumerate(frame[column]):
            ax.annotate(f"{n:,}", (n, y), (3, 0), textcoords="offset points", va="center", fontsize=6.5)
        ax.set_title(title)
        ax.set_xlim(0, frame[column].max() * 1.22)
        ax.set_xlabel(label)
        ax.tick_params(axis="x", labelrotation=30)
    axes[0].set_yticks(range(len(frame)), frame.index)
    return figure
