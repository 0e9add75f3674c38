"""Results that show themselves: text, LaTeX, HTML and a figure from one table and its sentences."""

import base64
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import dataclass_transform

import pandas as pd

from analysis import typeset, typeset_latex
from analysis.answers import ANY, label
from analysis.text import visible

_PICTURES = re.compile("[\u2400-\u243f]")  # of control characters; figures' fonts lack them
_LONG = 34  # letters of a name beside a figure
# JupyterLab puts every cell at the right; a page takes scoped styles out
_LEFT = (
    "<style scoped>table.polyexam .text, table.polyexam th[scope=row] { text-align: start; }"
    "</style>\n"
)


@dataclass_transform(frozen_default=True)
class Result:
    """Base of `Leaderboard` and `Comparison`: what they say and show, in every form.

    A subclass is a frozen dataclass without being marked as one. It has `heading` (one line: what,
    n, method), `notes` (what was not read: before the numbers), `sentences` (what must be said with
    them), `table` (for readers) and `plot`.
    """

    def __init_subclass__(cls) -> None:
        dataclass(cls, frozen=True, repr=False, eq=False)

    @property
    def remarks(self) -> list[str]:
        """Notes and sentences."""
        return [*self.notes, *self.sentences]

    def __repr__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Heading, table and sentences for a terminal; hidden characters are written out."""
        above, below = ("\n".join(map(visible, part)) for part in (self.notes, self.sentences))
        parts = [visible(self.heading), above, terminal(self.table), below]
        return "\n\n".join(filter(None, parts))

    def latex(self, caption: str = "", label: str = "tab:results", **layout: object) -> str:
        """A table for a paper, to be set with the preamble of docs/tables.tex.

        `layout` is `width` ("column", "text", "page") and `top` (rows), see `typeset_latex.table`.
        """
        caption = caption or " ".join([f"{self.heading}.", *self.remarks])
        return typeset_latex.table(_visible(self.table), caption, label, 1, **layout)

    def html(self) -> str:
        """Heading, table and sentences without scripts or styles; every name escaped."""
        above, below = (
            "".join(f"<p>{escape(visible(text))}</p>\n" for text in part)
            for part in (self.notes, self.sentences)
        )
        heading = escape(visible(self.heading))
        return f"<p><b>{heading}</b></p>\n{above}{typeset.html(_visible(self.table), 1)}{below}"

    def _repr_html_(self) -> str:
        from matplotlib import pyplot as plt

        figure = self.plot().figure
        handle = io.BytesIO()
        figure.savefig(handle, format="png", dpi=150)
        plt.close(figure)
        data = base64.b64encode(handle.getvalue()).decode("ascii")
        alt = escape(f"{visible(self.heading)}; as in the table", quote=True)
        image = f'<img alt="{alt}" style="max-width: 100%" src="data:image/png;base64,{data}">'
        # what is wider than the cell is scrolled by keyboard, too
        return f'{_LEFT}<div tabindex="0">{self.html()}{image}</div>'


def _visible(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose hidden characters are written out."""
    cells = table.map(lambda cell: visible(cell) if isinstance(cell, str) else cell)
    return cells.rename(columns=lambda name: visible(str(name)))


def terminal(table: pd.DataFrame) -> str:
    """A table as text that does nothing in a terminal."""
    return _visible(table).to_string(index=False, float_format="{:.1f}".format, na_rep="–")


def read_by(method: str) -> str:
    """How a heading names the method; nothing where every method reads the same."""
    return "" if method == ANY else f", read by {label(method)}"


def forest(frame: pd.DataFrame, label: str, reference: float | None, ax=None, **options):
    """Rows with intervals, in the project's style even where the notebook has another.

    Parameters
    ----------
    frame : DataFrame
        As `analysis.plots.rows.rows` takes it.
    """
    import matplotlib as mpl

    from analysis.plots import style
    from analysis.plots.rows import rows

    frame = frame.assign(row=short(frame["row"]))
    with mpl.rc_context():
        style.use()
        ax = rows(
            frame,
            label=label,
            reference=reference,
            width=style.TEXT,
            height=0.18,
            ax=ax,
            **options,
        )
        ax.figure.draw_without_rendering()
        style.romanize(ax.figure)
    return ax


def short(names: Iterable[str]) -> list[str]:
    """Names that fit next to a figure: long ones lose their middle, equal ones are numbered."""
    half = _LONG // 2
    cut = [
        name if len(name) <= _LONG else f"{name[:half]}…{name[-half:]}"
        for name in (_PICTURES.sub("·", visible(str(name))) for name in names)
    ]
    return [
        f"{name} ({place + 1})" if name in cut[:place] else name for place, name in enumerate(cut)
    ]
