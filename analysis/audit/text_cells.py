"""The cells of a document's tables by what a text may call them: their digits and their names."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from analysis.audit.printed_numbers import Number, clean
from analysis.audit.printed_table import SCORES, Column, Row, Table
from analysis.audit.text_names import Line, Names
from analysis.audit.text_statements import Stated
from analysis.statistics.average_rules import EPS

_SCALES = ((1.0, 0), (100.0, 2), (0.01, -2))  # and by how many digits the point moves
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_BARE = re.compile(r"(?<![\d.])(?=\.\d)")


class Cell(NamedTuple):
    """A number of a table."""

    table: Table
    row: int
    column: int

    @property
    def number(self) -> Number | None:
        return self.table.numbers[self.row][self.column]

    @property
    def value(self) -> float:
        return self.table.values[self.row, self.column]

    @property
    def digits(self) -> str:
        """It as a text has it, without a sign."""
        return f"{abs(self.value):.{self.number.decimals}f}"

    def shown(self, decimals: int) -> str:
        """It with so many decimals, where it has as many, or is a share in percent."""
        if self.number.decimals == decimals + 2 and abs(self.value) <= 1:
            return f"{100 * abs(self.value):.{decimals}f}"
        return self.digits if self.number.decimals == decimals else ""

    @property
    def lines(self) -> tuple[Line, Line]:
        """Its row and its column."""
        return Line(self.table, False, self.row), Line(self.table, True, self.column)

    @property
    def parts(self) -> tuple[Row, Column]:
        return self.table.rows[self.row], self.table.columns[self.column]

    @property
    def is_score(self) -> bool:
        row, column = self.parts
        return row.role == "data" and column.role in SCORES

    @property
    def is_change(self) -> bool:
        return "change" in [part.role for part in self.parts] or self.number.signed

    @property
    def is_average(self) -> bool:
        return "average" in [part.role for part in self.parts]

    @property
    def lower_is_better(self) -> bool:
        return "lower" in [part.better for part in self.parts]

    @property
    def name(self) -> str:
        """The model's name and its number."""
        return f"{self.table.model(self.row, self.column)} ({self.number.printed})"

    def end(self, line: Line, lowest: bool) -> "Cell":
        """The highest or lowest that its row or column competes with: itself, if of its section."""
        rivals = [cell for cell in cells_of(self.lines[1 - line.by_column]) if cell.is_score]
        rivals = [cell for cell in rivals if cell.is_average == self.is_average] or [self]
        row, better = self.parts[0], min if lowest else max
        near = [cell for cell in rivals if cell.parts[0].section == row.section] or rivals
        near = [cell for cell in near if cell.parts[0].group == row.group] or near
        ends = [better(part, key=lambda cell: cell.value) for part in (rivals, near)]
        return ends[int(ends[1].value == self.value)]


class Cells:
    """The cells of a document's tables.

    Attributes
    ----------
    exact : dict
        Each number as printed -> its cells.
    forms : dict
        The same as percentages and as shares, also with fewer decimals.
    """

    def __init__(self, tables: list[Table]):
        self.tables = tables
        self.names = Names(tables)
        self.exact: dict[str, list[Cell]] = {}
        self.forms: dict[str, list[Cell]] = {}
        for table in tables:
            for i, j in np.ndindex(table.values.shape):
                if table.numbers[i][j]:
                    self._add(Cell(table, i, j), clean(table.text_of(i, j)))

    def _add(self, cell: Cell, shown: str) -> None:
        for text in dict.fromkeys(_DIGITS.findall(_BARE.sub("0", shown))):
            self.exact.setdefault(text, []).append(cell)
            for form in _forms(float(text), len(text.partition(".")[2])):
                self.forms.setdefault(form, []).append(cell)


def _forms(value: float, decimals: int) -> set[str]:
    """A number as it is, as a percentage and as a share, each also with fewer decimals."""
    shown = set()
    for scale, moved in _SCALES:
        most = max(decimals - moved, 0)
        for kept in range(min(most, 1), most + 1):
            shown |= {f"{value * scale + nudge:.{kept}f}" for nudge in (0, EPS)}
    return shown


def cells_of(line: Line) -> list[Cell]:
    """The numbers of a row or column."""
    table = line.table
    if line.by_column:
        cells = [Cell(table, i, line.index) for i in range(len(table.rows))]
    else:
        cells = [Cell(table, line.index, j) for j in range(len(table.columns))]
    return [cell for cell in cells if not np.isnan(cell.value)]


def crossings(lines: Iterable[Line]) -> list[Cell]:
    """The numbers where rows and columns of the same table meet."""
    lines = dict.fromkeys(lines)
    columns = [line for line in lines if line.by_column]
    return [cell for column in columns for cell in cells_of(column) if cell.lines[0] in lines]


def across(cell: Cell, line: Line) -> Cell | None:
    """The number of another row in the same column, or of another column in the same row."""
    other = cell._replace(**{"column" if line.by_column else "row": line.index})
    return other if line.table is cell.table and not np.isnan(other.value) else None


def wins(first: Cell, second: Cell) -> int:
    """1 where the first is better, -1 where it is worse."""
    return int(np.sign(first.value - second.value)) * (-1 if first.lower_is_better else 1)


def is_difference(one: Stated, first: Cell, second: Cell) -> bool:
    """Whether a number is the difference of two cells, absolute or relative."""
    stated = abs(one.value)
    slack = 0.5 * 10.0**-one.decimals + EPS
    rounding = sum(cell.table.half[cell[1:]] for cell in (first, second))
    gap = 100 * abs(first.value - second.value)
    sizes = [(gap, 100 * rounding), (gap / 100, rounding)]
    if "%" in one.text:
        sizes += [(gap / abs(one.value), 0.005 * stated) for one in (first, second) if one.value]
    return any(abs(size - stated) <= slack + loose for size, loose in sizes)
