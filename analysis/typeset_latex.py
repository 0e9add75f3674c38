"""Tables as LaTeX (array, booktabs, graphicx, rotating), no wider than their column, text or page.

TeX cannot say how wide a table will be before it is set, so its place and line breaks are chosen
from estimated widths here; TeX scales down what is still too large.
"""

import re
import textwrap
from collections.abc import Iterable
from math import ceil

import pandas as pd
from anyascii import anyascii
from pylatexenc.latexencode import UnicodeToLatexEncoder

from analysis.errors import refuse_unknown
from analysis.typeset import Column, columns

# float, points across and down for rows (captions have up to 150 of a page of plain article): a
# column of ACL, the text of NeurIPS, that on its side
PLACES = {
    "column": ("table", 219.0, 450.0),
    "text": ("table*", 397.0, 400.0),
    "page": ("sidewaystable*", 520.0, 260.0),
}
_EM, _LINE = 9.3, 11.3  # points of a letter M and of a line in \small
_LEAST = 2 / 3  # of that size: letters of 6 points
_GAP = 7.0  # points between columns
_HEADING = 12  # letters in a line of a heading
_LONG = 150.0  # points from which on a text takes several lines
_SYMBOLS = "†‡−≤≥≠≈→∞±×·²"
# letters that pdfLaTeX's fonts do not have
_OTHER = re.compile(f"([^\0-\u017f\u0391-\u03c9\u2013-\u2026{_SYMBOLS}]+)")
_ENCODER = UnicodeToLatexEncoder(
    replacement_latex_protection="braces-after-macro", unknown_char_policy="replace"
)
_COMMANDS = r"""\providecommand{\native}[2]{#2}
\providecommand{\fitted}[2]{\setbox0\hbox{#2}%
  \ifdim\wd0>\linewidth\setbox0\hbox{\resizebox{\linewidth}{!}{\box0}}\fi
  \ifdim\dimexpr\ht0+\dp0\relax>#1\resizebox*{!}{#1}{\box0}\else\box0\fi}
"""


def _escaped(text: str) -> str:
    """`text` with LaTeX's special characters escaped.

    Other scripts get their romanization as well: ``\\native{中文}{ZhongWen}``.
    """
    parts = _OTHER.split(text)
    parts[::2] = map(_ENCODER.unicode_to_latex, parts[::2])
    parts[1::2] = [rf"\native{{{part}}}{{{_escaped(anyascii(part))}}}" for part in parts[1::2]]
    return "".join(parts)


def table(
    frame: pd.DataFrame,
    caption: str,
    label: str,
    decimals: int = 2,
    *,
    width: str = "column",
    top: int | None = None,
) -> str:
    """`frame` as a LaTeX table; every string from data escaped.

    Other scripts than the Latin are romanized; with fonts that have them,
    ``\\newcommand{\\native}[2]{#1}`` before the table sets them. A table longer than a page goes on
    in another float.

    Parameters
    ----------
    width : {"column", "text", "page"}
        The narrowest place: a column (``table``), the text's width (``table*``), a page on its
        side. What would need letters below 6 points goes to the next.
    top : int, optional
        Only so many first rows, as for a paper's text; the appendix has all.

    Raises
    ------
    DataError
        For another width.
    """
    refuse_unknown("width", PLACES, width)
    shown = columns(frame.iloc[:top], decimals)
    widths = [_width(column) for column in shown]
    across = sum(widths) + _GAP * len(widths)
    wider = list(PLACES)[list(PLACES).index(width) :]
    place = next((place for place in wider if PLACES[place][1] >= _LEAST * across), "page")
    kind, room, down = PLACES[place]
    spec = "".join(map(_spec, shown, widths))
    head = _row(map(_heading, shown, widths))
    legend = rf"\caption{{{_escaped(caption)}}}\label{{{label}}}"
    floats = []
    style = rf"\small\setlength{{\tabcolsep}}{{{_GAP / 2}pt}}"
    for body in _pages(shown, widths, down / _LINE * max(1.0, across / room)):
        rules = f"\\toprule\n{head}\\midrule\n{body}\\bottomrule\n"
        tabular = f"\\begin{{tabular}}{{@{{}}{spec}@{{}}}}\n{rules}\\end{{tabular}}"
        inside = f"\\centering\n{legend}\n{style}\\fitted{{{down}pt}}{{{tabular}}}"
        floats.append(f"\\begin{{{kind}}}\n{inside}\n\\end{{{kind}}}\n")
        legend = r"\addtocounter{table}{-1}\caption{(continued)}"
    return _COMMANDS + "".join(floats)


def _pages(shown: list[Column], widths: list[float], lines: float) -> list[str]:
    """The rows, as many together as fit in about so many lines."""
    pages, used = [""], 0
    for cells in zip(*[column.cells for column in shown], strict=True):
        needed = max(ceil(_points(cell) / width) for cell, width in zip(cells, widths, strict=True))
        if used + needed > lines and pages[-1]:
            pages.append("")
            used = 0
        pages[-1] += _row(map(_escaped, cells))
        used += needed
    return pages


def _width(column: Column) -> float:
    """Width of a column in points: long texts take several lines, five at most."""
    texts = [*_lines(column), *column.cells]
    widest = max(_EM, *map(_points, texts))
    if widest <= _LONG:
        return widest
    words = re.split(r"(?<=-)| ", " ".join(texts))
    return max(_LONG, widest / 5, 1.1 * max(map(_points, words)))


def _spec(column: Column, width: float) -> str:
    if width >= _LONG:
        return rf">{{\raggedright\arraybackslash}}p{{{width:.0f}pt}}"
    return "l" if column.is_text else "r"


def _points(text: str) -> float:
    """Width of a text in points, a little more than Computer Modern's."""
    return _EM * sum(map(_em, _OTHER.sub(lambda match: anyascii(match[0]), text)))


def _em(letter: str) -> float:
    if letter in "mwMWQ%@—" or not letter.isascii():
        return 1.0
    return 0.78 if letter.isupper() else 0.53


def _lines(column: Column) -> list[str]:
    return textwrap.wrap(column.heading, _HEADING, break_long_words=False) or [""]


def _heading(column: Column, width: float) -> str:
    if width >= _LONG:
        return _escaped(column.heading)
    lines = r"\\".join(map(_escaped, _lines(column)))
    return rf"\shortstack{{{lines}}}"


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\\n"
