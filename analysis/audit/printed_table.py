"""A table that has been read: columns, rows and numbers with their roles."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from analysis.audit.grids import Grid
from analysis.audit.printed_numbers import Number

SCORES = ("part", "average")
_ROUGH = 0.05  # how far off a number "about 9,300" may be


@dataclass
class Column:
    """A column of the body.

    `top` is the head that spans it with others; `n` its size if the head says one.
    What only data tell: `over`, the columns that an average is over (or a rank is of), and
    `unit`.
    """

    index: int
    label: str
    top: str = ""
    role: str = "part"
    metric: str = ""
    better: str = ""  # "higher", "lower" or unknown
    n: int | None = None
    over: tuple[int, ...] = ()
    unit: str = ""

    @property
    def name(self) -> str:
        """Its label with the head above it."""
        if self.top and self.top != self.label:
            return f"{self.top}: {self.label}"
        return self.label or f"column {self.index + 1}"


@dataclass
class Row:
    """A row of the body.

    `block` counts the stretches between rules or section rows; `group` is a label that spans rows.
    """

    index: int
    label: str
    role: str = "data"
    block: int = 0
    section: str = ""
    group: str = ""
    n: int | None = None
    line: int = 0
    better: str = ""

    @property
    def name(self) -> str:
        return self.label


@dataclass(eq=False)  # the same only as itself
class Table:
    """A table as it was read: its body as arrays of shape (rows, columns), NaN without a number.

    `long`: made of one row a number, so that names are exact. `weights` of the groups by the name
    of an average are what a paper's files tell.
    """

    name: str
    file: str
    heading: str
    caption: str
    text: list[str]
    grid: Grid
    head: int
    columns: list[Column]
    rows: list[Row]
    models: str  # "rows" or "columns"
    numbers: list[list[Number | None]]
    n: int | None = None
    guess: int | None = None
    long: bool = False
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self):
        self.values = self._array(lambda one: one.value)
        self.decimals = self._array(lambda one: one.decimals)
        # decimals that most numbers of the same metric have: authors drop trailing zeros
        across = 0 if self.models == "rows" else 1
        usual = np.apply_along_axis(_mode, across, self.decimals)
        self.usual = np.broadcast_to(np.expand_dims(usual, across), self.decimals.shape)
        rough = self._array(lambda one: _ROUGH * abs(one.value) * one.rough)
        self.half = np.fmax(0.5 * 10.0 ** -np.fmax(self.decimals, self.usual), rough)
        self.bold = self._marks("bold")
        self.underline = self._marks("underline")

    def _array(self, value: Callable[[Number], float]) -> np.ndarray:
        shape = (len(self.rows), len(self.columns))
        numbers = [one for row in self.numbers for one in row]
        values = [np.nan if one is None else value(one) for one in numbers]
        return np.array(values, float).reshape(shape)

    def _marks(self, name: str) -> np.ndarray:
        rows = [self.grid.rows[row.index] for row in self.rows]
        marks = [[getattr(cells[column.index], name) for column in self.columns] for cells in rows]
        return np.array(marks, bool).reshape(len(self.rows), len(self.columns))

    def cols(self, *roles: str) -> list[int]:
        """Positions of the columns with one of the roles."""
        return [j for j, column in enumerate(self.columns) if column.role in roles]

    def rows_of(self, *roles: str) -> list[int]:
        """Positions of the rows with one of the roles."""
        return [i for i, row in enumerate(self.rows) if row.role in roles]

    @cached_property
    def _labels(self) -> Counter:
        return Counter(row.label for row in self.rows if row.role != "section")

    def where(self, i: int, j: int) -> str:
        """A cell in words."""
        row = self.rows[i]
        name = row.label or f"row {i + 1}"
        if self._labels[row.label] > 1:
            name += f" ({row.section or row.group or f'row {i + 1}'})"
        return f"{name} / {self.columns[j].name}"

    def text_of(self, i: int, j: int) -> str:
        """A cell as printed, marks of notes included."""
        return self.grid.rows[self.rows[i].index][self.columns[j].index].text

    def model(self, i: int, j: int) -> str:
        """The model of a cell."""
        return self.columns[j].name if self.models == "columns" else self.rows[i].label

    def size(self, i: int, j: int) -> int | None:
        """How many questions the number is of, where the table says so."""
        number = self.numbers[i][j]
        return (number and number.of) or self.rows[i].n or self.columns[j].n or self.guess

    @cached_property
    def units(self) -> np.ndarray:
        """Unit of each number: "percent", "proportion" or "score", by its sign, name and range."""
        columns = [
            column.unit
            or ("percent" if "%" in column.label + column.top else self._ranged(column.metric))
            for column in self.columns
        ]
        units = np.tile(np.array(columns, "U10"), (len(self.rows), 1))
        units[(units == "proportion") & (self.usual < 2)] = "score"
        units[self._array(lambda one: one.percent) == 1] = "percent"
        units[["%" in row.label for row in self.rows]] = "percent"
        return units

    def _ranged(self, metric: str) -> str:
        """The unit that the range of all numbers of a metric suggests."""
        columns = [j for j in self.cols(*SCORES) if self.columns[j].metric == metric]
        rows = self.rows_of("data", "human", "random", "average")
        values = self.values[np.ix_(rows, columns)]
        values = values[~np.isnan(values)]
        if not values.size:
            return "score"
        low, high = np.quantile(values, [0.1, 0.9])
        if values.min() >= 0 and high <= 1:
            return "proportion"
        if low >= 0 and high <= 100 and np.median(values) > 10:
            return "percent"
        return "score"

    @cached_property
    def shares(self) -> np.ndarray:
        """Values with percentages as shares of 1."""
        return self.values / np.where(self.units == "percent", 100.0, 1.0)


def _mode(values: np.ndarray) -> float:
    """The most frequent number, the largest of several; 0 without numbers."""
    values, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return float(values[counts == counts.max()].max()) if len(values) else 0.0
