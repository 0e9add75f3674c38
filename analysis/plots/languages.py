"""Scores of models in several languages: a row a model, a mark a language, a panel a benchmark."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style

COLORS = {"id": style.BLUE, "th": style.RED, "vi": style.GREEN}
MARKS = {"id": "o", "th": "s", "vi": "D"}


def languages(frame: pd.DataFrame, names: dict[str, str], titles: dict[str, str], labels: dict[str, str]) -> Figure:
    """Draw one panel a benchmark, models in the first panel's order of their mean.

    Parameters
    ----------
    frame : DataFrame
        `benchmark`, `model`, `group` (language), `value`, `ci_low`, `ci_high` (missing where unknown).
    names : dict
        Language -> how it is written.
    titles, labels : dict
        Benchmark -> title of its panel, label of its x axis with the unit.
    """
    style.need(frame, "benchmark", "model", "group", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    first = frame[frame["benchmark"] == next(iter(titles))]
    order = first.groupby("model")["value"].mean().sort_values().index
    rows = {model: i for i, model in enumerate(order)}
    figure, grid = plt.subplots(1, len(titles), figsize=(style.TEXT, 0.9 + 0.27 * len(order)), sharey=True, squeeze=False)
    for ax, (benchmark, title) in zip(grid[0], titles.items(), strict=True):
        part = frame[frame["benchmark"] == benchmark]
        ends = part.groupby("model")["value"].agg(["min", "max"])
        ax.hlines(ends.index.map(rows), ends["min"], ends["max"], color="#D5D5D5", lw=2.2, zorder=1)
        for shift, (language, name) in zip((0.14, 0, -0.14), names.items(), strict=False):
            own = part[part["group"] == language]
            y = own["model"].map(rows) + shift
            ax.hlines(y, own["ci_low"], own["ci_high"], color=COLORS[language], lw=1, zorder=2)
            ax.plot(own["value"], y, MARKS[language], ms=3.6, color=COLORS[language], ls="none", zorder=3, label=name)
        ax.set_title(title, fontsize=8)
        ax.set_xlabel(labels[benchmark])
    for label in set(labels.values()):  # the same scale where the unit is the same
        own = [ax for ax, benchmark in zip(grid[0], titles, strict=True) if labels[benchmark] == label]
        limits = [limit for ax in own for limit in ax.get_xlim()]
        for ax in own:
            ax.set_xlim(min(limits), max(limits))
    grid[0][0].set_yticks(range(len(order)), order)
    grid[0][0].set_ylim(-0.6, len(order) - 0.4)
    handles, texts = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper right", ncols=len(names), handletextpad=0.1)
    return figure
