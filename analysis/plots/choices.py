"""Which options models select: stacked bars against the answer key's."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from analysis.plots import style
from analysis.statistics.choice_bias import NO_ANSWER

SHADES = ["#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#F0E442", "#8C6D31"]


def choices(
    counts: pd.DataFrame, bias: pd.DataFrame, key: str, names: dict[str, str] | None = None, ax: Axes | None = None
) -> Axes:
    """A bar a model in shares of its questions, the key on top, the closest to it next; the distance stands at the end.

    Parameters
    ----------
    counts : DataFrame
        Index model, columns choices and "no answer".
    bias : DataFrame
        `model`, `distance`, `ci_low`, `ci_high`; from `choice_bias.bias`.
    key : str
        The answer key's row.
    names : dict of str to str, optional
        How choices are called in the figure.
    """
    style.need(bias, "model", "distance", "ci_low", "ci_high")
    names = names or {}
    order = [key, *bias.sort_values("distance")["model"]]
    ax = style.axes(ax, style.TEXT, 0.85 + 0.27 * len(order))
    share = 100 * counts.div(counts.sum(axis=1), axis=0)
    left = pd.Series(0.0, index=share.index)
    labels = [column for column in counts if column != NO_ANSWER] + ([NO_ANSWER] if NO_ANSWER in counts else [])
    gold = share.loc[key].cumsum()
    for i, choice in enumerate(labels):
        color = "#D9D9D9" if choice == NO_ANSWER else SHADES[i % len(SHADES)]
        for row, model in enumerate(order):
            width = share.loc[model, choice]
            ax.barh(-row, width, left=left[model], color=color, height=0.74, edgecolor="white", lw=0.6)
            if width >= 4.5:
                light = choice == NO_ANSWER or color in ("#56B4E9", "#E69F00", "#F0E442")
                ax.text(
                    left[model] + width / 2,
                    -row,
                    f"{width:.0f}",
                    ha="center",
                    va="center",
                    fontsize=6.5,
                    color=style.INK if light else "white",
                    zorder=6,
                    path_effects=[withStroke(linewidth=2, foreground=color)],
                )
        middle = gold[choice] - share.loc[key, choice] / 2 if choice != NO_ANSWER else 100
        if choice != NO_ANSWER or share[NO_ANSWER].max() > 0:
            ax.text(
                middle,
                0.62,
                names.get(choice, choice),
                ha="right" if choice == NO_ANSWER else "center",
                fontsize=7,
                color=style.GREY if choice == NO_ANSWER else color,
            )
        left += share[choice]
    for choice in labels[: len(counts.columns) - 2]:
        ax.axvline(gold[choice], color=style.INK, lw=0.6, ls=(0, (2, 2)), zorder=5)
    found = bias.set_index("model")
    ax.text(101.5, 0.62, "JS distance", fontsize=7)
    for row, model in enumerate(order[1:], 1):
        entry = found.loc[model]
        ax.text(101.5, -row, f"{entry['distance']:.3f} ({entry['ci_low']:.3f}–{entry['ci_high']:.3f})", fontsize=6.5, va="center")
    ax.set_yticks([-row for row in range(len(order))], order)
    for tick, model in zip(ax.get_yticklabels(), order, strict=True):
        tick.set_color(style.color(model) if model != key else style.INK)
    ax.set_xlim(0, 122)
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_ylim(-len(order) + 0.4, 1.1)
    ax.set_xlabel("questions (%)", loc="left")
    ax.grid(visible=False)
    ax.spines["left"].set_visible(False)
    return ax
