"""A majority's vote over the voters' ability: one curve a number of voters."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from analysis.plots import style

SHOWN = (1, 2, 4, 10, 30, 100)


def votes(curves: pd.DataFrame, chance: float = 25.0) -> Figure:
    """One panel a rule.

    Parameters
    ----------
    curves : DataFrame
        `respondents`, `rule`, `share`, `value`, in per cent; of the numbers of respondents those of `SHOWN` are drawn.
    chance : float
        Share that guessing gives, a vertical line.
    """
    style.need(curves, "respondents", "rule", "share", "value")
    from matplotlib import pyplot as plt

    rules = {"exceeds": "the key exceeds the others (text)", "reaches": "the key reaches the others (code)"}
    counts = [k for k in SHOWN if (curves["respondents"] == k).any()]
    colors = dict(zip(counts, colormaps["viridis"](np.linspace(0, 0.85, len(counts))), strict=True))
    figure, grid = plt.subplots(1, len(rules), figsize=(style.TEXT, 2.9), sharey=True, squeeze=False)
    for ax, (rule, name) in zip(grid[0], rules.items(), strict=True):
        ax.plot([0, 100], [0, 100], color=style.GREY, lw=0.8, ls=(0, (4, 3)))
        for k in counts:
            part = curves[(curves["respondents"] == k) & (curves["rule"] == rule)]
            ax.plot(part["share"], part["value"], color=colors[k], lw=1.3, label=f"{k}")
        ax.axvline(chance, color=style.INK, lw=0.7)
        ax.annotate("guessing", (chance, 99), (3, 0), textcoords="offset points", fontsize=6.8, va="top")
        ax.set_title(name, fontsize=8)
        ax.set_xlabel("pupils who choose the key (%)")
        ax.set_xlim(0, 100)
        ax.set_ylim(0, 101)
    grid[0][0].set_ylabel('questions that count as "right" (%)')
    grid[0][1].legend(title="pupils a question", title_fontsize=7, loc="lower right")
    return figure
