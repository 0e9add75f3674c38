"""Tables as text: the columns that a reader sees, and the same as HTML with every string escaped.

`typeset_latex` sets them as LaTeX.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import pandas as pd

# numbers, intervals ("30.1 to 32.4"), both ("31.2 (30.1 to 32.4)"), marks, dashes
_NUMBERS = re.compile(r"(?:[\d\s.,+−–<≥≤±%†?*()e-]|to)*")


@dataclass
class Column:
    """A column as it is shown."""

    heading: str
    cells: list[str]

    @property
    def is_text(self) -> bool:
        """Whether some cell is more than numbers."""
        return not all(map(_NUMBERS.fullmatch, self.cells))


def columns(frame: pd.DataFrame, decimals: int = 2) -> list[Column]:
    """The columns of a table as text: a named index first, headings of several levels as one."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index(allow_duplicates=True)
    shown = []
    for name, values in frame.items():
        parts = name if isinstance(name, tuple) else [name]
        heading = " ".join(map(str, parts)).strip()
        shown.append(Column(heading, [cell(value, decimals) for value in values]))
    return shown


def cell(value: object, decimals: int = 2, signed: bool = False) -> str:
    """A value as text: a true minus sign, commas in thousands, a dash where it is missing.

    What rounds to nothing has no sign.
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "–"
    if pd.api.types.is_bool(value):
        return "yes" if value else "no"
    if pd.api.types.is_number(value):
        digits = 0 if pd.api.types.is_integer(value) else decimals
        rounded = round(float(value), digits) or 0.0
        sign = "+" if signed and rounded else ""
        value = f"{rounded:{sign},.{digits}f}"
    return re.sub(r"^-(?=[\d.])", "−", str(value))


def html(frame: pd.DataFrame, decimals: int = 2) -> str:
    """`frame` as an HTML table without scripts, ids or styles.

    Columns of text have the class `text`; the first names its rows. From three rows on a table is
    `sortable`.
    """
    shown = columns(frame, decimals)
    heads = [f'<th scope="col"{_text_class(column)}>{{}}</th>' for column in shown]
    cells = [f"<td{_text_class(column)}>{{}}</td>" for column in shown]
    if shown and shown[0].is_text:
        cells[0] = '<th scope="row">{}</th>'
    body = [_row(cells, row) for row in zip(*[column.cells for column in shown], strict=True)]
    head = _row(heads, [column.heading for column in shown])
    sortable = " sortable" if len(frame) > 2 else ""
    parts = [f'<table class="polyexam{sortable}"><thead>{head}</thead><tbody>', *body]
    return "\n".join([*parts, "</tbody></table>\n"])


def _text_class(column: Column) -> str:
    return ' class="text"' if column.is_text else ""


def _row(forms: Sequence[str], texts: Sequence[str]) -> str:
    cells = [form.format(escape(text)) for form, text in zip(forms, texts, strict=True)]
    return f"<tr>{''.join(cells)}</tr>"
