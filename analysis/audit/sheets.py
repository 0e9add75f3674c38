"""CSV and TSV tables as HTML, and rows of cells as one of its tables."""

import csv
import io
from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path

from analysis.errors import DataError


def delimited(text: str, path: Path) -> str:
    """Tables of a CSV or TSV file, parted by empty lines."""
    delimiter = max(",\t;|", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise DataError(str(error), file=path, line=reader.line_num) from error
    parts = groupby(rows, lambda row: any(cell.strip() for cell in row[1]))
    return "\n".join(table(part) for filled, part in parts if filled)


def table(rows: Iterable[tuple[int, list[str]]]) -> str:
    """Rows of cells, each with its line, as a table."""
    shown = ""
    for line, cells in rows:
        row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        shown += f'<tr data-line="{line}">{row}</tr>'
    return f"<table>{shown}</table>"
