"""Averages of a table as series of lines with their parts."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analysis.audit.printed_table import Column, Row, Table
from analysis.statistics.average_rules import Definition, Lines

# a total's lines may be totals, or of counts
_ROWS = ("data", "human", "random", "average", "total")
_COLUMNS = ("part", "average", "change", "total", "n")


@dataclass
class Series(Lines):
    """A column (`down`) or row of averages with its parts.

    `at` is its position in `across`; `lines` are positions of rows (of columns),
    `groups` of columns (of rows).
    """

    table: Table
    at: int
    down: bool
    across: list[Column] | list[Row]
    lines: list[int]
    groups: list[int]
    sizes: dict[str, np.ndarray]

    @property
    def name(self) -> str:
        return self.across[self.at].name

    @property
    def role(self) -> str:
        """ "average" or "total"."""
        return self.across[self.at].role

    @property
    def decimals(self) -> int:
        """Decimals of the averages."""
        return int(max(self.table.decimals[self.cell(k)] for k in range(len(self.lines))))

    def cell(self, line: int, group: int | None = None) -> tuple[int, int]:
        """Where a line's part, or its average, is in the table."""
        place = self.at if group is None else self.groups[group]
        return (self.lines[line], place) if self.down else (place, self.lines[line])

    def cells(self, line: int, groups: Iterable[int]) -> list[tuple[int, int]]:
        """A line's average and its parts."""
        return [self.cell(line), *(self.cell(line, k) for k in groups)]

    def line_text(self, line: int) -> str:
        """A line's average with its names as printed, marks of notes included."""
        i, j = self.cell(line)
        names = f"{self.table.rows[i].label} {self.table.columns[j].label}"
        return f"{names} {self.table.text_of(i, j)}"

    def define(self, one: Definition) -> str:
        """A definition in words."""
        what = "columns" if self.down else "rows"
        parts = f"{len(self.groups)} {what}"
        sentences = {
            "plain": f"the mean of the {parts}",
            "by size": f"the mean weighted by {one.size}",
            "sum": f"the sum of the {parts}",
            "scaled": f"the sum of the {parts} times {one.ratio:.6g}",
        }
        return sentences.get(one.kind, f"the mean of {len(one.groups)} of the {parts}")


def series(table: Table, at: int, scope: list[int], down: bool) -> Series:
    """The averages of column (`down`) or row `at` with their parts in `scope`."""
    arrays = (table.values, table.half, table.usual if down else table.decimals)
    values, half, decimals = arrays if down else (array.T for array in arrays)
    across = table.columns if down else table.rows
    last = None if across[at].role == "total" else 4
    candidates = table.rows_of(*_ROWS[:last]) if down else table.cols(*_COLUMNS[:last])
    lines = [k for k in candidates if not np.isnan(values[k, at])]
    grid = np.ix_(lines, scope)
    half_printed = half[lines, at] if down else 0.5 * 10.0 ** -decimals[lines, at]
    numbers = (values[grid], values[lines, at], half[grid], half_printed)
    sizes = _sizes(table, [across[k] for k in scope], down)
    return Series(*numbers, table, at, down, across, lines, scope, sizes)


def _sizes(table: Table, parts: list, down: bool) -> dict[str, np.ndarray]:
    """Weights that all groups have, by name."""
    sizes = {"n": [part.n for part in parts]}
    if down:
        for name, weights in table.weights.items():
            sizes[name] = [weights.get(part.top or part.label, np.nan) for part in parts]
    return {name: np.array(n, float) for name, n in sizes.items() if None not in n}
