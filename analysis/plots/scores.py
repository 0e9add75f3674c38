"""Mean scores of groups in order: recomputed with intervals, printed hollow, groups without any number named as such."""

import pandas as pd
from matplotlib.axes import Axes

from analysis.plots import style


def scores(
    groups: list[str], found: pd.DataFrame, printed: pd.DataFrame, label: str, limits: tuple[float, float], ax: Axes | None = None
) -> Axes:
    """Draw a row a group, best on top, those without a number below.

    Parameters
    ----------
    groups : list of str
        All groups that there are.
    found : DataFrame
        `group`, `value`, `ci_low`, `ci_high`; may be empty.
    printed : DataFrame
        `group`, `value`, `low`, `high` (what rounding allows), `note`.
    label : str
        Of the x axis, with the unit.
    limits : tuple of float
        Ends of the scale.
    """
    known = pd.concat([printed.set_index("group")["value"], found.groupby("group")["value"].mean()])
    known = known[~known.index.duplicated(keep="last")]
    order = sorted(groups, key=lambda group: (group in known, known.get(group, 0.0)))
    rows = {group: i for i, group in enumerate(order)}
    ax = style.axes(ax, style.TEXT * 0.75, 0.8 + 0.25 * len(order))
    for group in groups:
        if group not in known:
            ax.annotate(
                "no number in print",
                (limits[0], rows[group]),
                (6, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=style.GREY,
            )
    if len(found):
        y = found["group"].map(rows)
        ax.hlines(y, found["ci_low"], found["ci_high"], color=style.BLUE, lw=1.2)
        ax.plot(found["value"], y, "o", ms=4.5, color=style.BLUE, ls="none", label="recomputed")
    y = printed["group"].map(rows)
    ax.hlines(y, printed["low"], printed["high"], color=style.INK, lw=1)
    ax.plot(printed["value"], y, "o", ms=6.5, mfc="white", mec=style.INK, mew=0.8, ls="none", label="printed")
    for entry in printed.itertuples():
        ax.annotate(entry.note, (entry.high, rows[entry.group]), (7, 0), textcoords="offset points", va="center", fontsize=7.5)
    ax.set_yticks(range(len(order)), order)
    ax.set_ylim(-0.6, len(order) - 0.4)
    ax.set_xlim(*limits)
    ax.set_xlabel(label)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2, handletextpad=0.2)
    return ax
