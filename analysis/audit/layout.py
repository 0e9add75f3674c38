"""Which row and column of a grid is what: a reading, to be shown and corrected."""

import re
import warnings
from collections.abc import Sequence
from itertools import chain

import numpy as np

from analysis.audit import corrections, headings, printed_numbers
from analysis.audit.corrections import Correction
from analysis.audit.grids import Cell, Grid, short
from analysis.audit.printed_numbers import Number
from analysis.audit.printed_table import SCORES, Column, Row, Table
from analysis.audit.roles import columns_of, is_section, rows_of

_UNSHOWN = ("label", "block", "text")  # columns without numbers
_LEAST = 3  # numbers of a table
_DECIMAL_COMMA = re.compile(r"^[-+]?\d{1,3},\d{1,2}(?!\d)")
_DECIMAL_POINT = re.compile(r"^[-+]?\d*\.\d+")


def read(grid: Grid, correction: Correction | None = None, n: int | None = None) -> Table | None:
    """The reading of a grid, or None where it has hardly a number.

    Parameters
    ----------
    grid : Grid
    correction : Correction, optional
        What the YAML file beside the table says of it.
    n : int, optional
        Questions behind every number (``--n``).
    """
    correction = correction or Correction()
    comma = _has_decimal_comma(grid)
    parsed = [[printed_numbers.parse(cell.text, comma) for cell in row] for row in grid.rows]
    head = correction.header_rows
    if head is None:
        head = _head(grid, parsed)
    count = sum(map(bool, chain(*parsed[head:])))
    if correction.skip or count < _LEAST:
        return None
    columns = columns_of(grid, head, parsed)
    fixed = corrections.apply("column", columns, correction.columns)
    rows = rows_of(grid, head, columns, parsed)
    fixed += corrections.apply("row", rows, correction.rows)
    body = [
        [
            parsed[row.index][column.index]
            if column.role not in _UNSHOWN and row.role != "section"
            else None
            for column in columns
        ]
        for row in rows
    ]
    around = (grid.file, grid.heading, grid.caption, grid.text)
    models = correction.models or _models(columns, rows)
    table = Table(grid.name, *around, grid, head, columns, rows, models, body)
    _set_sizes(table, n)
    _set_roles_by_arithmetic(table, fixed)
    _set_directions(table)
    for column in columns:
        column.n = correction.n or column.n
    return table


def _has_decimal_comma(grid: Grid) -> bool:
    """Whether a comma parts the decimals: numbers such as 65,3 and none such as 65.3."""
    texts = [printed_numbers.clean(cell.text) for row in grid.rows for cell in row]
    points = any(_DECIMAL_POINT.match(text) for text in texts)
    return not points and sum(bool(_DECIMAL_COMMA.match(text)) for text in texts) >= _LEAST


def _numeric_share(row: list[Cell], parsed: list[Number | None]) -> float:
    pairs = zip(row[1:], parsed[1:], strict=True)
    shown = [one for cell, one in pairs if not printed_numbers.absent(cell.text) and not cell.copy]
    return sum(map(bool, shown)) / max(len(shown), 1)


def _head(grid: Grid, parsed: list[list[Number | None]]) -> int:
    """How many rows are heads: all th, or above the first rule, or before the first numbers."""
    rows = grid.rows
    shares = [_numeric_share(row, one) for row, one in zip(rows, parsed, strict=True)]
    heads = 0
    while heads < len(rows) - 1 and all(cell.head or not cell.text for cell in rows[heads]):
        heads += 1
    if heads:
        texts = [cell.text for cell in rows[0]]
        spanned = any(cell.copy or not cell.text for cell in rows[0][1:])
        several = spanned or len(set(texts)) < len(texts)
        while several and heads < len(rows) - 1 and _is_second_head(rows[heads], shares[heads]):
            heads += 1
        return heads
    first = next((i for i, share in enumerate(shares) if share >= 0.5), 1)
    while first > 1 and is_section(rows[first - 1]) and not all(map(is_section, rows[:first])):
        first -= 1
    return first


def _is_second_head(row: list[Cell], share: float) -> bool:
    texts = any(cell.text and not printed_numbers.absent(cell.text) for cell in row[1:])
    return not is_section(row) and share == 0 and texts and not row[0].text


def _models(columns: list[Column], rows: list[Row]) -> str:
    """Whether the models are in rows or in columns."""
    title = next((column.label for column in columns if column.role == "label"), "")
    if headings.MODELS.match(title):
        return "rows"
    across = _share_of_models([column for column in columns if column.role in SCORES])
    down = _share_of_models([row for row in rows if row.role == "data"])
    if headings.GROUPS.match(title):
        return "columns" if down < 0.5 else "rows"
    return "columns" if across > 0.3 and across > 2 * down else "rows"


def _share_of_models(parts: Sequence[Column | Row]) -> float:
    return sum(bool(headings.MODEL_NAME.search(part.label)) for part in parts) / max(len(parts), 1)


def _set_sizes(table: Table, n: int | None) -> None:
    """Sizes: a row or column of n, ``--n``, and (for averages only) what the caption says."""
    sized = table.cols("n")
    stated = [zip(table.columns, table.values[i], strict=True) for i in table.rows_of("n")]
    if len(sized) == 1:
        stated.append(zip(table.rows, table.values[:, sized[0]], strict=True))
    for part, value in chain(*stated):
        if value >= 1:
            part.n = part.n or int(value)
    table.guess = table.n = n
    matches = map(headings.SIZE_IN_TEXT.search, [table.caption, *table.text[:3]])
    size = next(filter(None, matches), None)
    if size and not n:
        table.n = int(size[1].replace(",", ""))


def _set_roles_by_arithmetic(table: Table, fixed: list) -> None:
    """Roles that names leave open and numbers tell, but for those that a correction `fixed`."""
    corrected = {id(part) for part in fixed}
    data, parts = table.rows_of("data"), table.cols("part")
    body = table.values[np.ix_(data, parts)]
    for part, values, printed in (
        *((column, body, table.values[data, k]) for k, column in enumerate(table.columns)),
        *((row, body.T, table.values[k, parts]) for k, row in enumerate(table.rows)),
    ):
        if part.role in ("average", "total") and id(part) not in corrected:
            part.role = _summary_role(part, values, printed)


def _summary_role(part: Column | Row, values: np.ndarray, printed: np.ndarray) -> str:
    """ "total" or "average", whichever is nearer, for parts of shape (lines, parts).

    What lies outside its parts and is no sum is a part itself, as a system called "All".
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # lines without numbers
        shown = ~np.isnan(printed) & ((~np.isnan(values)).sum(axis=1) > 1)
        values, printed = values[shown], printed[shown]
        if not len(printed):
            return part.role
        total, mean = np.nansum(values, axis=1), np.nanmean(values, axis=1)
        nearer = np.median(np.abs(printed - total)) < np.median(np.abs(printed - mean))
        low, high = np.nanmin(values, axis=1), np.nanmax(values, axis=1)
    named = headings.TOTAL.match(part.label)
    if named and nearer:
        return "total"
    inside = ((low <= printed) & (printed <= high)).mean()
    usual = "average" if named else part.role
    return usual if inside > 0.5 or nearer else "data" if isinstance(part, Row) else "part"


def _set_directions(table: Table) -> None:
    """Lower is better for all where the caption says so, or names nothing but error rates."""
    around = f"{table.heading} {table.caption}"
    stated = re.search("lower (is|the) better", table.caption.lower())
    silent = not any(column.better for column in table.columns)
    if stated or (silent and headings.LOWER.search(around) and not headings.HIGHER.search(around)):
        for column in table.columns:
            if column.better != "higher" or "↑" not in column.label:
                column.better = "lower"


def explain(table: Table) -> str:
    """The reading in words: what each column and row was taken for."""
    size = f"{len(table.rows)} rows x {len(table.columns)} columns"
    lines = [f"{table.name}: {size}, {table.head} head row(s); models in {table.models}"]
    if table.grid.unsure:
        lines.append(f"  {table.grid.unsure}")
    for column in table.columns:
        better = f"{column.better} is better" if column.better else ""
        size = f"n = {column.n}" if column.n else ""
        words = ", ".join(filter(None, [column.role, column.metric, better, size]))
        lines.append(f"  column {column.index + 1:>2}  {column.name:<44.44}  {words}")
    for row in table.rows:
        words = row.role + (f", n = {row.n}" if row.n else "")
        if words != "data":
            lines.append(f"  row    {row.index + 1:>2}  {row.label:<44.44}  {words}")
    names = [table.rows[i].label for i in table.rows_of("data")]
    lines.append(f"  {len(names)} data rows: {short(', '.join(names))}")
    return "\n".join(lines)
