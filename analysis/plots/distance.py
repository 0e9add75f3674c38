"""Distances of sets to their target, nearest on top; and shares of named things."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.plots import style


def distance(frame: pd.DataFrame) -> Figure:
    """Draw C-Dist with its interval, a panel a target; hollow: with the noise of the sample sizes.

    Parameters
    ----------
    frame : DataFrame
        `language`, `set`, `target`, `n`, `n_target`, `raw`, `value`, `ci_low`, `ci_high`.
    """
    style.need(frame, "language", "set", "target", "n", "n_target", "raw", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    groups = list(frame.groupby("language", sort=False))
    most = max(len(part) for _, part in groups)
    figure, grid = plt.subplots(1, len(groups), figsize=(style.TEXT, 1.15 + 0.33 * most), squeeze=False)
    for ax, (language, part) in zip(grid[0], groups, strict=True):
        part = part.sort_values("value", ascending=False).reset_index(drop=True)
        ax.hlines(part.index, part["ci_low"], part["ci_high"], color=style.BLUE, lw=1.3, zorder=2)
        ax.plot(part["value"], part.index, "o", ms=5, color=style.BLUE, ls="none", zorder=3, label="noise taken out")
        ax.plot(
            part["raw"], part.index, "o", ms=6, mfc="none", mec=style.INK, mew=0.7, ls="none", zorder=4, label="paper's formula"
        )
        ax.set_yticks(part.index, [f"{name}\nn = {n:,}" for name, n in zip(part["set"], part["n"], strict=True)])
        ax.set_ylim(-0.6, most - 0.4)
        ax.set_xlim(left=0)
        ax.set_title(f"{language}: to {part['target'][0]} (n = {part['n_target'][0]:,})", fontsize=8)
        ax.set_xlabel("C-Dist")
    handles, texts = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside lower center", ncols=2, handletextpad=0.1)
    return figure


def countries(frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the share of questions that concern each country, most on top.

    Parameters
    ----------
    frame : DataFrame
        `country`, `questions`, `n`, `value`, `ci_low`, `ci_high`, in the order to draw.
    """
    style.need(frame, "country", "questions", "n", "value", "ci_low", "ci_high")
    ax = style.axes(ax, style.TEXT * 0.75, 0.8 + 0.24 * len(frame))
    rows = range(len(frame))[::-1]
    ax.barh(rows, frame["value"], color="#BBD3E6", height=0.66)
    ax.hlines(rows, frame["ci_low"], frame["ci_high"], color=style.BLUE, lw=1.2)
    for y, entry in zip(rows, frame.itertuples(), strict=True):
        ax.annotate(str(entry.questions), (entry.ci_high, y), (4, 0), textcoords="offset points", va="center", fontsize=7)
    ax.set_yticks(rows, frame["country"])
    ax.set_xlim(0, 1.12 * frame["ci_high"].max())
    ax.set_xlabel(f"culturally sensitive questions that concern the country (%, n = {frame['n'].iloc[0]})")
    return ax
