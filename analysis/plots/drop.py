"""Two values a group, joined by a line: how far each group falls from one benchmark to another."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def drop(
    drops: pd.DataFrame,
    reference: pd.Series | float | None = None,
    names: tuple[str, str] = ("high", "low"),
    panels: int = 2,
) -> Figure:
    """Small multiples, one panel a pair of models; in it a row a group, from the high mark to the low one.

    Parameters
    ----------
    drops : DataFrame
        From `gap.drops`: `pair`, `group`, `high`, `low`, `drop`, limits `high_low`, `high_high`, `low_low`, `low_high`, and
        `low_printed` where the printed low value differs from the recomputed one.
    reference : Series (group -> value) or float, optional
        Random baseline, a short line in each row.
    names : tuple of str
        What the two ends are called.
    panels : int
        Panels side by side.
    """
    style.need(drops, "pair", "group", "high", "low", "drop")
    from matplotlib import pyplot as plt

    pairs = list(dict.fromkeys(drops["pair"]))
    groups = list(dict.fromkeys(drops["group"]))
    lines = -(-len(pairs) // panels)
    figure, grid = plt.subplots(
        lines, panels, figsize=(style.TEXT, 0.55 + lines * (0.45 + 0.24 * len(groups))), sharex=True, sharey=True, squeeze=False
    )
    rows = {group: len(groups) - 1 - i for i, group in enumerate(groups)}
    for ax, pair in zip(grid.flat, pairs, strict=False):
        part = drops[drops["pair"] == pair]
        y = part["group"].map(rows)
        ax.hlines(y, part["low"], part["high"], color="#C9C9C9", lw=2.2, zorder=1)
        for end, role in (("high", "high"), ("low", "low")):
            color = style.RESOURCE[role]
            ax.hlines(y, part[f"{end}_low"], part[f"{end}_high"], color=color, lw=1.2, zorder=3)
            ax.plot(part[end], y, "o", ms=4.5, color=color, ls="none", zorder=4)
        differs = part[(part["low_printed"] - part["low"]).abs() > 0.5]
        ax.plot(
            differs["low_printed"],
            differs["group"].map(rows),
            "o",
            ms=4.5,
            mfc="white",
            mec=style.RESOURCE["low"],
            ls="none",
            zorder=4,
        )
        for end, row, size in zip(part["high"], y, part["drop"], strict=True):
            ax.annotate(style.signed(-size), (end, row), (6, 0), textcoords="offset points", va="center", fontsize=6.5)
        if reference is not None:
            at = part["group"].map(reference) if isinstance(reference, pd.Series) else [reference] * len(part)
            ax.vlines(at, y - 0.33, y + 0.33, color=style.INK, lw=0.9, zorder=2)
        ax.set_title(pair, fontsize=8)
        ax.set_yticks(list(rows.values()), list(rows))
        ax.set_xlim(0, 110)
        ax.set_xticks(range(0, 101, 20))
        ax.set_ylim(-0.6, len(groups) - 0.2)
    for ax in list(grid.flat)[len(pairs) :]:
        ax.set_visible(False)
    for ax in grid[-1]:
        ax.set_xlabel("accuracy (%)")
    handles = [
        plt.Line2D([], [], marker="o", ms=4.5, color=style.RESOURCE[role], lw=1.2, label=name)
        for role, name in zip(("low", "high"), names[::-1], strict=True)
    ]
    if ((drops["low_printed"] - drops["low"]).abs() > 0.5).any():
        handles.insert(
            0, plt.Line2D([], [], marker="o", ms=4.5, mfc="white", mec=style.RESOURCE["low"], ls="none", label="as printed")
        )
    if reference is not None:
        handles.append(plt.Line2D([], [], color=style.INK, lw=0.9, marker="|", ls="none", ms=9, label="random"))
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return figure
