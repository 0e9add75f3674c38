"""Two sets of labels as overlapping circles: what one has and the other lacks."""

from matplotlib.axes import Axes
from matplotlib.patches import Circle

from analysis.plots import style


def label_sets(
    left: list[str], both: list[str], right: list[str], titles: tuple[str, str], notes: tuple[str, str], ax: Axes | None = None
) -> Axes:
    """Draw the three parts with their members; `notes` say below what the outer parts are.

    Parameters
    ----------
    left, both, right : list of str
        Members of the first set alone, of both, of the second alone.
    titles : tuple of str
        Names of the two sets.
    notes : tuple of str
        What the first set alone and the second alone stand for.
    """
    ax = style.axes(ax, style.TEXT * 0.8, 2.9)
    for x, color in ((-0.55, style.BLUE), (0.55, style.ORANGE)):
        ax.add_patch(Circle((x, 0), 1, fc=color, ec=color, alpha=0.18))
        ax.add_patch(Circle((x, 0), 1, fc="none", ec=color, lw=1.2))
    for x, members in ((-1.0, left), (0, both), (1.0, right)):
        ax.text(x, 0, "\n".join(members), ha="center", va="center", fontsize=7.5, linespacing=1.6)
    for x, title, color in ((-0.9, titles[0], style.BLUE), (0.9, titles[1], style.ORANGE)):
        ax.text(x, 1.1, title, ha="center", fontsize=8, fontweight="bold", color=color)
    for x, note in ((-1.0, notes[0]), (1.0, notes[1])):
        ax.text(x, -1.14, note, ha="center", va="top", fontsize=7)
    ax.set_xlim(-2.1, 2.1)
    ax.set_ylim(-1.55, 1.3)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax
