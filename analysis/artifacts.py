"""Save tables as CSV, LaTeX and HTML, figures as PNG, SVG, PDF and CSV, each with a card (JSON).

Same input, same bytes: no dates, no random ids. Text from data is escaped in HTML and LaTeX.
"""

import base64
import json
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import catalog, paths, schemas, tables, typeset, typeset_latex
from analysis.errors import DataError, refuse_unknown
from analysis.plots import legible, short_numbers, style

_DPI = 300
_PRINTED = re.compile(r"^(Table|Figure) \w+: ")
_NO_GLYPH = "Glyph .* missing"  # matplotlib's warning before it draws a box
_METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}


class Artifacts:
    """The artifacts of one notebook run; the figures' style is applied.

    Parameters
    ----------
    paper : str
        Folder under `figures/`, and the paper's name in the catalog.
    notebook : str
        The notebook's name without its ending.
    source : sequence of str
        The sources of most of its numbers, see `schemas.SOURCES`.
    **parameters
        The parameters that tell this run from others of the same notebook. The catalog then gives
        each slot its artifact id; a run that the catalog does not know saves under
        ``<notebook>_<parameters>_<slot>``.

    Examples
    --------
    >>> save = Artifacts(paper, "resource_gap", benchmark=benchmark)  # doctest: +SKIP
    >>> save.figure("gap", ax, "n = 11,582.", "Every model falls.")  # doctest: +SKIP
    """

    def __init__(
        self,
        paper: str,
        notebook: str,
        *,
        source: Sequence[str] = ("published",),
        **parameters: object,
    ) -> None:
        style.use()
        self.paper = paper
        self.source = source
        self.folder = paths.figures() / paper
        self.folder.mkdir(parents=True, exist_ok=True)
        self._slots = catalog.slots(paper, notebook, parameters)
        names = [value for value in parameters.values() if isinstance(value, str)]
        self._prefix = "_".join([notebook, *names])

    def _name(self, slot: str) -> tuple[str, str]:
        artifact = self._slots.get(slot)
        if artifact is None:
            return f"{self._prefix}_{slot}", slot.replace("_", " ")
        return artifact.id, artifact.title

    def _write(self, file: str, text: str) -> None:
        (self.folder / file).write_text(text, "utf-8")

    def _card(self, name: str, source: Sequence[str] | None, **entries: object) -> None:
        """Write the JSON file from which the site takes caption, alternative text and sources."""
        source = source or self.source
        refuse_unknown("source", schemas.SOURCES, *source)
        entries["source"] = [one for one in schemas.SOURCES if one in source]
        text = json.dumps(entries, ensure_ascii=False, indent=1, sort_keys=True)
        self._write(f"{name}.json", text + "\n")

    def figure(
        self,
        slot: str,
        drawn: Axes | Figure,
        caption: str,
        alt: str,
        *,
        source: Sequence[str] | None = None,
    ) -> HTML:
        """Save a figure as PNG, SVG and PDF with a CSV of its numbers, close it, and return it.

        Parameters
        ----------
        slot : str
            The slot's name in the catalog.
        drawn : Axes or Figure
        caption : str
            What is drawn, with n.
        alt : str
            What is seen, in words and with its numbers: the alternative text, and the sentence
            below the figure.
        source : sequence of str, optional
            The sources of its numbers, where they are others than the notebook's.
        """
        name, title = self._name(slot)
        figure = drawn.get_figure()
        points = style.recorded(figure)
        if len(points):
            self._write(f"{name}.csv", _csv(points))
        caption += draw(figure, self.folder, name)
        self._card(
            name,
            source,
            kind="figure",
            title=title,
            caption=caption,
            alt=alt,
            drawn=short_numbers.numbers(points),
            illegible=legible.problems(figure),
        )
        width = round(150 * figure.get_figwidth())
        image = figure_html(self.folder / f"{name}.png", title, caption, alt, width)
        return HTML(f"{image}<p>{escape(alt)}</p>")

    def table(
        self,
        slot: str,
        frame: pd.DataFrame,
        caption: str,
        *,
        headings: Mapping[str, object] | None = None,
        long: pd.DataFrame | None = None,
        source: Sequence[str] | None = None,
        decimals: int = 2,
    ) -> HTML:
        """Save a table as CSV, LaTeX and HTML, and return it for display.

        Parameters
        ----------
        slot : str
            The slot's name in the catalog.
        frame : DataFrame
            The table as a reader wants it (its index is shown unless it has no name), or, with
            `headings`, its numbers.
        caption : str
            What is seen, with n.
        headings : mapping, optional
            Heading -> what of `frame` stands below it, see `tables.shown`.
        long : DataFrame, optional
            The numbers in long form for the CSV; `frame` if left out.
        source : sequence of str, optional
            The sources of its numbers, where they are others than the notebook's.
        decimals : int
            Digits after the point in HTML and LaTeX; the CSV has up to 10 significant digits.
        """
        name, title = self._name(slot)
        if long is None:
            labelled = headings is None and any(frame.index.names)
            long = frame.reset_index() if labelled else frame
        self._write(f"{name}.csv", _csv(long))
        wide = frame if headings is None else tables.shown(frame, headings)
        html = typeset.html(wide, decimals)
        self._write(f"{name}.html", html)
        # LaTeX numbers tables itself
        legend = _PRINTED.sub("", f"{title}. {caption}")
        legend = legend[:1].upper() + legend[1:]
        tex = typeset_latex.table(wide, legend, f"tab:{self.paper}-{name}", decimals)
        self._write(f"{name}.tex", tex)
        self._card(name, source, kind="table", title=title, caption=caption, alt=caption)
        # wide ones are scrolled by keyboard, too
        return HTML(f'<figure tabindex="0">{_legend(title, caption)}{html}</figure>')


def draw(figure: Figure, folder: Path, name: str, kinds: Iterable[str] = _METADATA) -> str:
    """Write a figure to `folder`, the same bytes each time, and close it; a text that no font here
    draws is romanized.

    It is laid out once for all kinds; places are rounded, for the solver's last bits differ from
    run to run.

    Returns
    -------
    str
        What the caption must add: that labels are romanized, and what to install; empty where none
        is.

    Raises
    ------
    DataError
        If a character without a glyph is left: never boxes.
    """
    with warnings.catch_warnings(), plt.rc_context({"svg.hashsalt": name}):
        warnings.filterwarnings("ignore", _NO_GLYPH)
        figure.set_dpi(_DPI)
        figure.draw_without_rendering()
        note = style.romanize(figure)
        if note:
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for ax in figure.axes:
            ax.set_position(np.round(ax.get_position(original=True).bounds, 6))
        warnings.filterwarnings("error", _NO_GLYPH)
        try:
            for kind in kinds:
                figure.savefig(folder / f"{name}.{kind}", dpi=_DPI, metadata=_METADATA[kind])
        except UserWarning as missing:
            raise DataError(f"figure {name}: {missing}") from None
        finally:
            plt.close(figure)
    # its letters are the reader's: the same file whatever fonts are here
    if "svg" in kinds:
        file = folder / f"{name}.svg"
        fonts = ", ".join(f"'{family}'" for family in plt.rcParams["font.family"])
        svg = file.read_text("utf-8").replace(fonts, style.SVG_FONTS)
        file.write_text(svg, "utf-8")
    return note


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def figure_html(png: Path, title: str, caption: str, alt: str, width: int) -> str:
    """The image inside the page, so many pixels wide, with its caption and alternative text."""
    image = base64.b64encode(png.read_bytes()).decode("ascii")
    source = f'alt="{escape(alt, quote=True)}" src="data:image/png;base64,{image}"'
    return f'<figure tabindex="0"><img width="{width}" {source}>{_legend(title, caption)}</figure>'


def _legend(title: str, caption: str) -> str:
    return f"<figcaption><b>{escape(title)}.</b> {escape(caption)}</figcaption>"
