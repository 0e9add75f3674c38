"""What each column and row of a grid is taken for, by the words and numbers in it."""

import re

import numpy as np

from analysis.audit import headings, printed_numbers
from analysis.audit.grids import Cell, Grid
from analysis.audit.printed_numbers import Number
from analysis.audit.printed_table import SCORES, Column, Row

_MOST = 0.6  # share of a column's cells
# in their order; heads of some are words of scores as well, and some are integers
_COLUMN_ROLES = {
    "p": headings.P_VALUE,
    "rank": headings.RANK,
    "spread": headings.SPREAD,
    "change": headings.CHANGE,
    "size": headings.SIZE,
    "n": headings.SIZES,
    "other": headings.OTHER,
    "average": headings.AVERAGE,
    "total": headings.TOTAL,
}
_ROW_ROLES = {
    "random": headings.RANDOM,
    "human": headings.HUMAN,
    "n": headings.SIZES,
    "spread": headings.SPREAD,
    "change": headings.CHANGE,
    "average": headings.ROW_AVERAGE,
    "total": headings.TOTAL,
}
_LONGEST = 40  # characters of a name such as "Change"
_INTEGERS = ("rank", "n")
_RANKS = 5  # so many models of a ranking may be left out

_Parsed = list[list[Number | None]]


def is_section(row: list[Cell]) -> bool:
    """Whether a row is a title of those below: one text alone, or spanned."""
    shown = [cell for cell in row if cell.text and not cell.copy]
    if len(shown) != 1 or printed_numbers.parse(shown[0].text):
        return False
    return row[0] is shown[0] or _copies(row) >= len(row) - 2


def _is_title(row: list[Cell]) -> bool:
    """Whether one text spans a head."""
    shown = [cell for cell in row if cell.text and not cell.copy]
    return len(shown) == 1 and _copies(row) >= len(row) - 1


def _copies(row: list[Cell]) -> int:
    return sum(cell.copy for cell in row)


def columns_of(grid: Grid, head: int, parsed: _Parsed) -> list[Column]:
    """The columns below `head` rows of heads; `parsed` has the numbers of all cells."""
    body = [i for i in range(head, len(grid.rows)) if not is_section(grid.rows[i])]
    columns = _titled(grid, head)
    codes = [headings.CODE_OF_A_LANGUAGE.match(column.label) for column in columns]
    for j, column in enumerate(columns):
        shown = [parsed[i][j] for i in body if not printed_numbers.absent(grid.rows[i][j].text)]
        values = list(filter(None, shown))
        if not shown:
            column.role = "empty"
        elif len(values) < _MOST * len(shown):
            column.role = "text"
        elif codes[j] and sum(map(bool, codes)) > 3:  # "sd" is Sindhi, not a deviation
            column.role = "part"
            continue
        else:
            column.role = _column_role(column, values)
        _describe(column)
    _find_labels(grid, body, columns)
    return columns


def _titled(grid: Grid, head: int) -> list[Column]:
    """Columns with their heads; those of one column each tell equal ones apart."""
    heads = [row for row in grid.rows[:head] if not _is_title(row)]
    titles, tops = [], []
    for j in range(len(grid.rows[0])):
        names = list(dict.fromkeys(row[j].text for row in heads if row[j].text)) or [""]
        titles.append(names)
        spanning = [row[j].text for row in heads if _spans(row, j)]
        tops.append([text for text in spanning if text not in ("", names[-1])])
    leaves = [(tuple(top), names[-1]) for top, names in zip(tops, titles, strict=True)]
    columns = []
    for j, names in enumerate(titles):
        above = names[:-1] if leaves.count(leaves[j]) > 1 else dict.fromkeys(tops[j])
        columns.append(Column(j, names[-1], ", ".join(above)))
    return columns


def _spans(row: list[Cell], j: int) -> bool:
    """Whether a head is over several columns: spanned, or repeated as in a CSV file."""
    neighbours = [row[k].text for k in (j - 1, j + 1) if 0 <= k < len(row)]
    return row[j].copy or row[j].text in neighbours


def _column_role(column: Column, values: list[Number]) -> str:
    name = column.label.replace("_", " ")
    plain = [one.value for one in values]
    integers = all(one.decimals == 0 for one in values)
    if headings.BOUND.search(name) or np.isnan(plain).all():
        return "interval"
    for role, pattern in _COLUMN_ROLES.items():
        most = {"rank": len(plain) + _RANKS, "p": 1}
        if max(plain) > most.get(role, max(plain)):  # counts, or numbers of items; precisions
            continue
        # "mean_accuracy" of a CSV file is a mean over questions
        open_mean = role == "average" and "_" in column.label
        score = (role == "other" or open_mean) and headings.HIGHER.search(name)
        if pattern.search(name) and not score and (integers or role not in _INTEGERS):
            return role
    if 2 * sum(bool(one.magnitude) for one in values) >= len(values):
        return "size"
    signed = any(one.signed for one in values)
    differences = all(one.signed or one.value <= 0 for one in values)
    return "change" if column.index > 0 and signed and differences else "part"


def _describe(column: Column) -> None:
    """Add metric, direction and size, from the head's words."""
    words = f"{column.label} {column.top}"
    for metric, pattern in headings.METRICS.items():
        if re.search(f"(?i){pattern}", words):
            column.metric = metric
            break
    column.better = headings.direction(column.label, column.top)
    column.n = headings.size_in(words)


def _find_labels(grid: Grid, body: list[int], columns: list[Column]) -> None:
    """Which text column names the rows, and which only parts them into blocks."""
    texts = [c.index for c in columns if c.role == "text"]
    texts = [j for j in texts if not headings.ATTRIBUTE.match(columns[j].label)]
    if not texts:
        if _names_rows(columns[0], [grid.rows[i][0].text for i in body]):
            columns[0].role = "label"
        return
    filled, distinct = {}, {}
    for j in texts:
        cells = [grid.rows[i][j] for i in body]
        filled[j] = sum(bool(cell.text) and not cell.copy for cell in cells) > _MOST * len(body)
        distinct[j] = len({cell.text for cell in cells})
    scores = [c.index for c in columns if c.role in SCORES]
    early = [j for j in texts if j < max(scores, default=len(columns))] or texts
    named = [j for j in early if headings.MODELS.match(columns[j].label) and filled[j]][:1]
    label = max(named or early, key=lambda j: (filled[j], distinct[j] > 0.8 * len(body), -j))
    columns[label].role = "label"
    for j in texts:
        few = j < min(scores, default=0) and distinct[j] <= max(1, len(body) // 2)
        if j != label and (few or (j < label and not filled[j])):
            columns[j].role = "block"


def _names_rows(first: Column, texts: list[str]) -> bool:
    """Whether a first column of numbers names the rows all the same."""
    mixed = any(
        printed_numbers.parse(text) is None for text in texts if not printed_numbers.absent(text)
    )
    return mixed or not first.label or bool(headings.LABEL.match(first.label))


def rows_of(grid: Grid, head: int, columns: list[Column], parsed: _Parsed) -> list[Row]:
    """The rows below the heads; a text alone in a row is a section's title."""
    label = next((c.index for c in columns if c.role == "label"), None)
    blocks = [c.index for c in columns if c.role == "block"]
    scored = [c.index for c in columns if c.role not in ("label", "text", "block")]
    rows, section, block, above = [], "", 0, {}
    for i in range(head, len(grid.rows)):
        cells, line = grid.rows[i], grid.lines[i]
        block += i in grid.rules and i > head
        above |= {j: cells[j].text for j in blocks if cells[j].text and not cells[j].copy}
        if is_section(cells):
            section = next(cell.text for cell in cells if cell.text)
            block += 1
            rows.append(Row(i, section, "section", block, section, line=line))
            continue
        name = "" if label is None else cells[label].text
        values = [parsed[i][j] for j in scored if parsed[i][j]]
        group = ", ".join(above[j] for j in blocks if above.get(j))
        row = Row(i, name, _row_role(name, values), block, section, group, line=line)
        row.n, row.better = headings.size_in(name), headings.direction(name)
        rows.append(row)
    return rows


def _row_role(name: str, values: list[Number]) -> str:
    if not values:
        return "other"
    integers = all(one.decimals == 0 and not one.percent for one in values)
    is_model = headings.MODEL_NAME.fullmatch(name) or len(name) > _LONGEST
    for role, pattern in _ROW_ROLES.items():
        usual = not is_model or role != "change" or headings.CHANGE.match(name)
        if pattern.search(name) and usual and (integers or role not in _INTEGERS):
            return role
    signed = any(one.signed or one.value < 0 for one in values)
    return "change" if signed and headings.ROW_CHANGE.search(name) and not is_model else "data"
