"""Bars of counts: by group in panels, divided into parts, and the options that models choose against the answer key's."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from analysis.plots import style
from analysis.statistics.choice_bias import NO_ANSWER

SHADES = ["#0072B2", "#56B4E9", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#F0E442", "#8C6D31"]
PANELS = (style.BLUE, style.GREEN, style.ORANGE, style.PURPLE)


def bars(frame: pd.DataFrame, label: str = "questions", columns: int | None = None, share: bool = False) -> Figure:
    """A panel a part, a bar a group in the order of the rows, its number at the end.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `group`, `n`; optionally `note`, written behind the number.
    label : str
        Of the x axes.
    columns : int, optional
        Panels beside each other, by default all. With 1 they stand below each other and have one scale.
    share : bool
        All panels have the same groups, named at the left ones only.
    """
    style.need(frame, "panel", "group", "n")
    from matplotlib import pyplot as plt

    parts = dict(iter(frame.groupby("panel", sort=False)))
    columns = columns or len(parts)
    sizes = [len(part) + 0.6 for part in parts.values()]
    rows = -(-len(parts) // columns)
    tall = sum(sizes) + 1.4 * rows if columns == 1 else max(sizes) * rows
    figure, grid = plt.subplots(
        rows, columns, figsize=(style.TEXT, 0.55 + 0.19 * tall), squeeze=False, sharex=columns == 1, sharey=share,
        height_ratios=sizes if columns == 1 else None,
    )  # fmt: skip
    for i, (ax, (name, part)) in enumerate(zip(grid.flat, parts.items(), strict=False)):
        places = range(len(part), 0, -1)
        ax.barh(places, part["n"], color=PANELS[i % len(PANELS)], height=0.72)
        for y, n, note in zip(places, part["n"], part.get("note", [""] * len(part)), strict=True):
            ax.annotate(f"{n:,}{note}", (n, y), (3, 0), textcoords="offset points", va="center", fontsize=6.5)
        ax.set_yticks(list(places), part["group"])
        top = frame["n"].max() if columns == 1 else part["n"].max()
        ax.set_xlim(0, top * (1.15 + 0.12 * columns))
        ax.set_ylim(0.4 - (max(map(len, parts.values())) - len(part) if columns > 1 else 0), len(part) + 0.6)
        ax.set_title(name, fontsize=8)
        ax.locator_params(axis="x", nbins=3 if columns > 1 else 6)
        ax.xaxis.set_major_formatter("{x:,.0f}")
    for ax in grid[-1]:
        ax.set_xlabel(label)
    return figure


def stacked(frame: pd.DataFrame, colors: Mapping[str, str], title: str, label: str = "questions", ax: Axes | None = None) -> Axes:
    """A bar a group, divided into parts; groups by size within their block, the largest block first.

    Parameters
    ----------
    frame : DataFrame
        `group`, `block`, `part`, `n`.
    colors : mapping
        Part -> colour, from left to right.
    title : str
        Of the legend.
    """
    style.need(frame, "group", "block", "part", "n")
    size = frame.groupby(["block", "group"])["n"].sum().reset_index()
    size = size.assign(_w=size.groupby("block")["n"].transform("sum")).sort_values(["_w", "n"], ascending=False)
    ax = style.axes(ax, style.TEXT, 1.0 + 0.155 * len(size))
    row, ticks, labels, previous = 0.0, [], [], None
    cells = frame.pivot_table(index="group", columns="part", values="n", aggfunc="sum")
    for entry in size.itertuples():
        if entry.block != previous:
            row -= 0.4 if previous else 0
            ax.text(0, row, f" {entry.block}", fontsize=7.5, fontweight="bold", va="center")
            previous, row = entry.block, row - 1
        left = 0
        for part, color in colors.items():
            ax.barh(row, cells.loc[entry.group, part], left=left, color=color, height=0.78)
            left += cells.loc[entry.group, part]
        ax.annotate(f"{left:,.0f}", (left, row), (3, 0), textcoords="offset points", va="center", fontsize=6)
        ticks.append(row)
        labels.append(entry.group)
        row -= 1
    ax.set_yticks(ticks, labels, fontsize=6.5)
    ax.set_ylim(row + 0.4, 0.8)
    ax.set_xlim(0, size["n"].max() * 1.08)
    ax.set_xlabel(label)
    handles = [ax.barh(0, 0, color=color) for color in colors.values()]
    ax.legend(handles, list(colors), loc="lower right", title=title, title_fontsize=7.5)
    return ax


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
