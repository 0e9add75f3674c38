"""One printed number against everything it could mean: a row a definition, the printed value a line."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def definitions(grids: dict[str, pd.DataFrame], printed: dict[str, float], limits: tuple[float, float] = (-60, 160)) -> Figure:
    """Draw how much more each definition finds, in per cent, with its interval.

    Parameters
    ----------
    grids : dict
        Panel's title -> `measure`, `summary`, `ratio`, `ci_low`, `ci_high`, `fits`.
    printed : dict
        The same titles -> the printed ratio.
    limits : tuple of float
        Of the x axis, in per cent; intervals that go beyond end in an arrow.
    """
    from matplotlib import pyplot as plt

    rows = list(dict.fromkeys((m, s) for grid in grids.values() for m, s in zip(grid["measure"], grid["summary"], strict=True)))
    place = {row: len(rows) - 1 - i for i, row in enumerate(rows)}
    figure, axes = plt.subplots(
        1, len(grids), figsize=(style.TEXT, 0.9 + 0.165 * len(rows)), sharey=True, sharex=True, squeeze=False
    )
    low, high = limits
    for ax, (title, grid) in zip(axes[0], grids.items(), strict=True):
        style.need(grid, "measure", "summary", "ratio", "ci_low", "ci_high", "fits")
        for entry in grid.itertuples():
            y, color = place[entry.measure, entry.summary], style.RED if entry.fits else style.GREY
            value, left, right = (100 * (v - 1) for v in (entry.ratio, entry.ci_low, entry.ci_high))
            ax.plot([max(left, low), min(right, high)], [y, y], color=color, lw=1.1, zorder=2)
            for beyond, edge, mark in ((left < low, low, "<"), (right > high, high, ">")):
                if beyond:
                    ax.plot(edge, y, mark, ms=3, color=color, clip_on=False)
            if low <= value <= high:
                ax.plot(value, y, "o", ms=4 if entry.fits else 3, color=color, zorder=3)
        ax.axvline(0, color=style.INK, lw=0.8, zorder=1)
        ax.axvline(100 * (printed[title] - 1), color=style.RED, lw=0.8, ls=(0, (4, 2)), zorder=1)
        ax.set_title(f"{title}\nprinted {style.signed(100 * (printed[title] - 1), 1)} %", fontsize=7.5)
        ax.set_xlim(low, high)
    axes[0][0].set_yticks(list(place.values()), [f"{measure}, {summary}" for measure, summary in place], fontsize=6.8)
    axes[0][0].set_ylim(-0.7, len(rows) - 0.3)
    figure.supxlabel("spread of the first benchmark over that of the second (%)", fontsize=8)
    return figure
