"""Scores of many models on several benchmarks: a strip of dots a benchmark, with the spread's interval beside."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style


def strips(
    scores: pd.DataFrame,
    spreads: pd.DataFrame,
    names: dict[str, str],
    reference: float | None = None,
    label: str = "mean reciprocal rank",
    top: int = 2,
    axes: tuple[Axes, Axes] | None = None,
) -> Axes:
    """Draw each model's score as a dot, and the standard deviation across models with its interval.

    Parameters
    ----------
    scores : DataFrame
        Models x benchmarks.
    spreads : DataFrame
        `benchmark`, `spread`, `ci_low`, `ci_high`.
    names : dict
        Benchmark -> how it is written, in the order from top to bottom.
    reference : float, optional
        Score of random ranking.
    top : int
        How many of the best models of each benchmark are named.
    axes : pair of Axes, optional
    """
    style.need(spreads, "benchmark", "spread", "ci_low", "ci_high")
    left, right = axes or style.axes(None, style.TEXT, 0.9 + 0.42 * len(names), ncols=2, sharey=True, width_ratios=(3, 1.3))
    order = [name for name in names if name in scores][::-1]
    shift = np.random.default_rng(0)
    for y, name in enumerate(order):
        column = scores[name].sort_values()
        jitter = shift.uniform(-0.16, 0.16, len(column))
        left.scatter(column, y + jitter, s=11, color=[style.color(model) for model in column.index], alpha=0.8, lw=0)
        text = "\nthen ".join(column.index[-top:][::-1])
        left.annotate(text, (column.iloc[-1], y), (6, 0), textcoords="offset points", fontsize=6, va="center", color=style.INK)
    found = spreads.set_index("benchmark").loc[order]
    error = [found["spread"] - found["ci_low"], found["ci_high"] - found["spread"]]
    right.errorbar(found["spread"], range(len(order)), xerr=error, fmt="o", ms=4, color=style.INK, lw=1.1)
    if reference is not None:
        left.axvline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        left.annotate(
            "random", (reference, 1), (2, 2), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=7
        )
    left.set_yticks(range(len(order)), [names[name] for name in order])
    left.set_ylim(-0.6, len(order) - 0.4)
    left.set_xlim(0, scores.to_numpy().max() * 1.22)
    left.set_xlabel(label)
    right.set_xlim(left=0)
    right.set_xlabel("SD across models")
    return left
