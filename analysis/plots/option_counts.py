"""A metric against the number of options, a line a ranker, with what random ranking gets."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from analysis.plots import style

COLORS = (style.RED, style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.GREY)


def option_counts(frame: pd.DataFrame, expectation: dict[int, float], label: str, ax: Axes | None = None) -> Axes:
    """Draw lines with their intervals, named at their right end.

    Parameters
    ----------
    frame : DataFrame
        `model`, `n_options`, `value`, `ci_low`, `ci_high`.
    expectation : dict
        Number of options -> value of random ranking.
    label : str
        Label of the y axis.
    """
    style.need(frame, "model", "n_options", "value", "ci_low", "ci_high")
    ax = style.axes(ax, 4.6, 3.4)
    counts = sorted(expectation)
    ax.plot(counts, [expectation[n] for n in counts], color=style.INK, lw=0.9, ls=(0, (4, 3)))
    ends = {"random": expectation[counts[-1]]}
    order = frame[frame["n_options"] == counts[-1]].sort_values("value", ascending=False)["model"]
    for model, color in zip(order, np.resize(COLORS, len(order)), strict=True):
        part = frame[frame["model"] == model].sort_values("n_options")
        error = [part["value"] - part["ci_low"], part["ci_high"] - part["value"]]
        ax.errorbar(part["n_options"], part["value"], yerr=error, fmt="o-", ms=3.2, lw=1.2, color=color)
        ends[model.removeprefix("baseline/")] = part["value"].iloc[-1]
    color = {name.removeprefix("baseline/"): c for name, c in zip(order, np.resize(COLORS, len(order)), strict=True)}
    for name, y in _apart(ends, 0.055 * (frame["value"].max())).items():
        ax.annotate(name, (counts[-1], y), (7, 0), textcoords="offset points", fontsize=7, va="center", color=color.get(name, style.INK),
                    annotation_clip=False)  # fmt: skip
    ax.set_xscale("log")
    ax.set_xticks(counts, [str(n) for n in counts])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=0)
    ax.set_ylim(bottom=0)
    ax.grid(axis="y")
    ax.set_xlabel("options a question")
    ax.set_ylabel(label)
    return ax


def _apart(places: dict[str, float], gap: float) -> dict[str, float]:
    """The same places, moved up where a name would cover the one below."""
    moved, last = {}, -np.inf
    for name, y in sorted(places.items(), key=lambda pair: pair[1]):
        moved[name] = last = max(y, last + gap)
    return moved
