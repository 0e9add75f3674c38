"""The text against the tables: numbers, differences, comparisons, counts, what is best.

A statement is contradicted only where its model and column are identified without doubt.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.audit import text_statements
from analysis.audit.findings import Audit
from analysis.audit.grids import Paragraph, short
from analysis.audit.printed_numbers import clean
from analysis.audit.printed_table import SCORES, Column, Row, Table
from analysis.audit.text_statements import GROUP_GOES_ON, MODEL_GOES_ON, Mention, Stated
from analysis.statistics.average_rules import EPS

_SCALES = ((1.0, 0), (100.0, 2), (0.01, -2))  # and by how many digits the point moves
_QUOTED = 160
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_GENERIC = re.compile(
    r"(?i)(all|ours?|base|full|model|method|none|total|average|yes|no|other|accuracy|precision|"
    r"recall|f1([- ]score)?|(macro|micro|weighted) avg|train(ing)?|validation|dev|test|values?)?"
)


_Line = tuple[Table, bool, int]  # whether it is a column, and its position


class _Cell(NamedTuple):
    """A number of a table."""

    table: Table
    row: int
    column: int

    @property
    def value(self) -> float:
        return self.table.values[self.row, self.column]

    @property
    def printed(self) -> str:
        return self.table.numbers[self.row][self.column].printed

    @property
    def half(self) -> float:
        """Half a unit of its last digit."""
        return self.table.half[self.row, self.column]

    @property
    def group(self) -> int:
        """Position of what is not its model."""
        return self.row if self.table.models == "columns" else self.column

    def of(self, model: int) -> "_Cell":
        """The same of another model."""
        by_column = self.table.models == "columns"
        return self._replace(**{"column" if by_column else "row": model})

    @property
    def lines(self) -> set[_Line]:
        """Its row and its column."""
        return {(self.table, False, self.row), (self.table, True, self.column)}

    @property
    def parts(self) -> tuple[Row, Column]:
        return self.table.rows[self.row], self.table.columns[self.column]


_Pair = tuple[_Cell, _Cell]


class _Names:
    """The rows and columns of a document's tables by their names.

    Attributes
    ----------
    models, groups : dict
        Label -> tables, and positions of the rows or columns that have it.
    exact : dict
        Each decimal as printed -> cells.
    digits : set of str
        Each number as printed, as a percentage and as a share, also with fewer decimals.
    quoted : Counter
        How often the text has each decimal.
    """

    def __init__(self, tables: list[Table], texts: list[str]):
        self.tables = tables
        self.quoted = Counter(
            text for one in texts for text in text_statements.DECIMAL.findall(clean(one))
        )
        self.models: dict[str, list[tuple[Table, int]]] = {}
        self.groups: dict[str, list[tuple[Table, int]]] = {}
        self.exact: dict[str, list[_Cell]] = {}
        self.digits: set[str] = set()
        for table in tables:
            for k, part in _lines(table, models=True):
                name = _plain(part.label)
                if len(name) > 1 and not _GENERIC.fullmatch(name):
                    self.models.setdefault(name, []).append((table, k))
            for k, part in _lines(table, models=False):
                for label in _labels(part):
                    self.groups.setdefault(label, []).append((table, k))
            for i, j in np.ndindex(table.values.shape):
                shown = clean(table.text_of(i, j))
                for text in text_statements.DECIMAL.findall(shown) if table.numbers[i][j] else ():
                    self.exact.setdefault(text, []).append(_Cell(table, i, j))
                for text in _DIGITS.findall(shown):
                    self.digits |= _as_printed(float(text), len(text.partition(".")[2]))

    def cells(self, models: set[str], groups: set[str]) -> list[_Cell]:
        """Cells of models in the groups that a sentence names; where it names no model, of all."""
        places = [place for name in models for place in self.models[name]]
        if not models:
            tables = dict.fromkeys(table for name in groups for table, _ in self.groups[name])
            places = [(table, k) for table in tables for k, _ in _lines(table, models=True)]
        cells = []
        for table, i in dict.fromkeys(places):
            for k in _columns(table, groups):
                place = (k, i) if table.models == "columns" else (i, k)
                cells.append(_Cell(table, *place))
        return [cell for cell in cells if not np.isnan(cell.value)]


def check(tables: list[Table], paragraphs: list[Paragraph], audit: Audit) -> None:
    """Each sentence of a document against that document's tables."""
    names = {}
    for document in {table.grid.document for table in tables}:
        texts = [one.text for one in paragraphs if one.document == document]
        names[document] = _Names([t for t in tables if t.grid.document == document], texts)
    for paragraph in paragraphs:
        if paragraph.document in names:
            for sentence in text_statements.sentences(paragraph.text):
                _Sentence(sentence, paragraph, names[paragraph.document], audit).check()


class _Sentence:
    """A sentence with the names and numbers in it."""

    def __init__(self, text: str, paragraph: Paragraph, names: _Names, audit: Audit):
        self.text, self.names, self.audit = text, names, audit
        words = {word for label in names.groups for word in label.split()}
        self.models = text_statements.mentions(text, names.models, words, MODEL_GOES_ON)
        groups = text_statements.mentions(text, names.groups, words, GROUP_GOES_ON)
        self.groups = _outside(groups, self.models)
        self.labels = {part.label for part in self.groups}
        self.all_models = {part.label for part in self.models}
        self.named = self.labels | self.all_models
        self.numbers = _outside(text_statements.stated(text), self.models)
        self.turned = bool(text_statements.TURNED.search(text))
        self.where, self.at = f"“{short(text, _QUOTED)}”", (paragraph.file, paragraph.line)

    def check(self) -> None:
        """Its shares, what it compares or calls best, then its numbers."""
        self._shares()
        self._quotes()
        pairs = self._compared()
        if not pairs:
            self._best()
        for one in self.numbers:
            if one.difference:
                self._difference(one, pairs)
            else:
                self._number(one)

    def _shares(self) -> None:
        """Percentages with their counts, "57 % (171/300)"."""
        for text, share, unit, exact in text_statements.shares(self.text):
            if min(abs(exact - share), abs(100 - exact - share)) >= unit:  # cut, or the others'
                self._contradict("text share", (), text, f"{exact:.2f}")

    def _quotes(self) -> None:
        """Decimals that are not in the cell where names and the sentence's other numbers meet."""
        texts = set(text_statements.DECIMAL.findall(self.text))
        for match in text_statements.decimals(self.text):
            meant = self._owned(match, texts) or self._slipped(match[0], texts)
            if meant:
                self._contradict("text number", meant[:1], match[0])

    def _owned(self, number: re.Match, texts: set[str]) -> list[_Cell]:
        """Cells of the name that a number is of, where none of its cells has the number.

        In the column that has the number, or another of the sentence's numbers and a name in it.
        """
        names = self.names
        label = text_statements.owner(self.text, number, self.models + self.groups)
        lines = [(table, table.models == "columns", k) for table, k in names.models.get(label, ())]
        lines += [(table, table.models != "columns", k) for table, k in names.groups.get(label, ())]
        if any(line in cell.lines for cell in names.exact.get(number[0], ()) for line in lines):
            return []
        cells = []
        for text in texts:
            for cell in names.exact.get(text, ()):
                for table, by_column, k in lines:
                    crossed = cell._replace(**{"column" if by_column else "row": k})
                    same = text == number[0] and label in names.models
                    meant = same or self.named & _labels(cell.parts[not by_column])
                    if table is cell.table and meant and not np.isnan(crossed.value):
                        cells.append(crossed)
        return [] if number[0] in {cell.printed for cell in cells} else cells

    def _slipped(self, text: str, texts: set[str]) -> list[_Cell]:
        """Cells one slip from a number that is in no table, if two things point at them."""
        exact = self.names.exact
        if text in self.names.digits or self.names.quoted[text] > 1:  # repeated, it is no slip
            return []
        others = [cell for other in texts - {text} for cell in exact.get(other, ())]
        lines = {line for cell in others for line in cell.lines}
        meant = []
        for slip, is_rare in text_statements.slips(text).items():
            for cell in exact.get(slip, ()) if slip not in texts else ():
                named = [bool(self.named & _labels(part)) for part in cell.parts]
                if sum(named) + bool(cell.lines & lines) + is_rare > 1:
                    meant.append(cell)
        return meant

    def _number(self, one: Stated) -> None:
        """A number that may be a result."""
        models, groups = self._named(one)
        cells = self.names.cells(models or self.all_models, groups or self.labels)
        equal = [cell for cell in cells if _equal(one, cell)]
        if equal:
            self._confirm(one.text, equal[0])
        else:
            self._look_up(one)

    def _named(self, one: Stated) -> tuple[set[str], set[str]]:
        """Models and groups that the clause of a number names."""
        a, b = text_statements.clause(self.text, one.start)
        return tuple(
            {part.label for part in parts if a <= part.start < b}
            for parts in (self.models, self.groups)
        )

    def _compared(self) -> list[_Pair]:
        """Cells of two models of which one is called better; reports what is not so."""
        better = text_statements.BETTER.search(self.text)
        word = better or text_statements.WORSE.search(self.text)
        if word is None or len(self.models) != 2 or self.turned:
            return []
        one, other = self.models
        pairs = self._pairs(one.label, other.label)
        if not pairs or not one.end <= word.start() < other.start:
            return []
        wins = [_wins(*pair) == (1 if better else -1) for pair in pairs]
        tables = {first[0] for first, _ in pairs}
        count = text_statements.COUNT.search(self.text)
        if count:
            self._count(count, pairs, wins)
        elif any(wins) and (self.labels or not text_statements.ALL.search(self.text)):
            self._confirm(word[0], pairs[wins.index(True)][0])
        elif len(tables) == 1 and not all(wins) and (len(pairs) == 1 or not self.labels):
            worst = pairs[wins.index(False)]
            if any(wins) or self.labels:
                self._contradict("text", worst, word[0], f"{wins.count(False)} of {len(wins)} not")
        return pairs

    def _pairs(self, *models: str) -> list[_Pair]:
        """Cells of two models in the same groups of the same tables, averages apart."""
        first, second = (self.names.cells({model}, self.labels) for model in models)
        others = {(one.table, one.group): one for one in second}
        keys = [(one.table, one.group) for one in first]
        pairs = [(a, others[b]) for a, b in zip(first, keys, strict=True) if b in others]
        parts = [pair for pair in pairs if "average" not in [part.role for part in pair[0].parts]]
        return pairs if self.labels or not parts else parts

    def _count(self, count: re.Match, pairs: list[_Pair], wins: list[bool]) -> None:
        """ "on three of five tasks", where the one table has five."""
        total = text_statements.number_word(count["number"])
        some = total if count["all"] else text_statements.number_word(count["some"] or "")
        if some is None or total != len(pairs) or len({pair[0][0] for pair in pairs}) != 1:
            return
        if wins.count(True) == some:
            self._confirm(count[0], pairs[0][0])
        else:
            self._contradict("text", pairs[0], count[0], f"{wins.count(True)} of {len(wins)}")

    def _difference(self, one: Stated, compared: list[_Pair]) -> None:
        """A difference of two models, or of one model and another row or column."""
        models, groups = self._named(one)
        cells = self.names.cells(models or self.all_models, groups or self.labels)
        pairs = compared or [(cell, other) for cell in cells for other in _rivals(cell)]
        fits = [pair for pair in pairs if _is_difference(one, *pair)]
        if fits:
            self._confirm(one.text, fits[0][0])
        elif len(compared) == 1 and self.groups and not one.hedged and self.numbers == [one]:
            both = " and ".join(cell.printed for cell in pairs[0])
            self._contradict("text by", pairs[0], one.text, both)
        else:
            self._look_up(one)

    def _best(self) -> None:
        """The one model that a sentence calls best, worst, highest or lowest of one group."""
        word = text_statements.BEST.search(self.text)
        names = self.all_models
        if word is None or len(names) != 1 or len(self.labels) != 1 or self.turned:
            return
        cells = self.names.cells(names, self.labels)
        if not _one_a_table(cells) or text_statements.NOT_BEST.search(self.text):
            return
        above = [[other for other in _rivals(cell) if _beats(other, cell, word)] for cell in cells]
        if not all(above):
            self._confirm(word[0], cells[above.index([])])
        elif self.models[0].start < word.start():
            shown = f"{above[0][0].printed} against {cells[0].printed}"
            self._contradict("text best", (above[0][0], cells[0]), word[0], shown)

    def _look_up(self, one: Stated) -> None:
        """A number that no named cell has: in another one, or in none."""
        quoted = {"where": self.where, "printed": one.text}
        table = self.names.tables[0]
        if one.digits in self.names.digits:
            self.audit.cover(table, "text", 1, "text elsewhere", **quoted)
        elif self.models or self.groups:
            quoted["at"] = self.at
            self.audit.find(table, "text", "look", (), "text nowhere", **quoted, size=0.5)

    def _confirm(self, stated: str, cell: _Cell) -> None:
        place = cell.table.where(cell.row, cell.column)
        self.audit.cover(cell.table, "text", 1, where=self.where, stated=stated, cell=place)

    def _contradict(
        self, kind: str, cells: Sequence[_Cell], printed: str, expected: str = ""
    ) -> None:
        table = cells[0].table if cells else self.names.tables[0]
        positions = [(i, j) for _, i, j in cells]
        expected = expected or cells[0].printed
        facts = {"where": self.where, "at": self.at, "printed": printed, "expected": expected}
        cell = table.where(*positions[0]) if positions else ""
        self.audit.find(table, "text", "question", positions, kind, cell=cell, size=1.5, **facts)


def _outside(parts: Iterable, taken: list[Mention]) -> list:
    """Those of the names or numbers that are not within other names."""
    return [one for one in parts if all(one.end <= a.start or one.start >= a.end for a in taken)]


def _plain(text: str) -> str:
    """A name without arrows, counts and marks around it."""
    return re.sub(r"\s*[↑↓]|\s*\(\d+\)$|^\W+|[^\w)+]+$", "", clean(text)).strip()


def _labels(part: Row | Column) -> set[str]:
    """Names of a group: its own, that of the head above it, and what it is."""
    top = part.top if isinstance(part, Column) else part.section
    labels = {_plain(part.label), _plain(top), *["average"] * (part.role == "average")}
    return {label for label in labels if len(label) > 1}


def _as_printed(value: float, decimals: int) -> set[str]:
    """A number as it is, as a percentage and as a share, each also with fewer decimals."""
    shown = set()
    for scale, moved in _SCALES:
        most = max(decimals - moved, 0)
        for kept in range(min(most, 1), most + 1):
            shown |= {f"{value * scale + nudge:.{kept}f}" for nudge in (0, EPS)}
    return shown


def _lines(table: Table, models: bool) -> list[tuple[int, Row | Column]]:
    """Positions and rows (or columns) of the models, or of the groups."""
    if (table.models == "rows") == models:
        return [(i, table.rows[i]) for i in table.rows_of("data", "human", "average")]
    return [(j, table.columns[j]) for j in table.cols(*SCORES)]


def _columns(table: Table, groups: set[str]) -> list[int]:
    """The groups of a table that have most of the names; all where no name is asked for."""
    lines = _lines(table, models=False)
    points = [len(_labels(one) & groups) for _, one in lines]
    most = max(points, default=0)
    shown = most or not groups
    return [k for (k, _), point in zip(lines, points, strict=True) if shown and point == most]


def _rivals(cell: _Cell) -> list[_Cell]:
    """Cells of all models in the same group."""
    table = cell.table
    models = table.cols("part") if table.models == "columns" else table.rows_of("data")
    return [other for other in map(cell.of, models) if not np.isnan(other.value)]


def _one_a_table(cells: list[_Cell]) -> bool:
    return len({cell.table for cell in cells}) == len(cells) > 0


def _wins(first: _Cell, second: _Cell) -> int:
    """1 where the first is better, -1 where it is worse."""
    lower = "lower" in [part.better for part in first.parts]
    return int(np.sign(first.value - second.value)) * (-1 if lower else 1)


def _beats(first: _Cell, second: _Cell, word: re.Match) -> bool:
    """Whether the first cell is more what a word says: best, worst, highest, lowest."""
    more = _wins(first, second)
    if word[0].lower() in ("highest", "lowest"):
        more = first.value - second.value
    return more * (-1 if word["low"] else 1) > 0


def _equal(one: Stated, cell: _Cell) -> bool:
    """Whether a number is a cell's to all its digits, as it is or as a percentage."""
    usual = cell.table.usual[cell[1:]]
    half = 0.5001 * 10.0**-one.decimals
    return any(
        abs(one.value - cell.value * scale) <= half * (one.decimals <= usual - moved) + EPS
        for scale, moved in _SCALES
    )


def _is_difference(one: Stated, first: _Cell, second: _Cell) -> bool:
    """Whether a number is the difference of two cells, absolute or relative."""
    stated = abs(one.value)
    slack = 0.5 * 10.0**-one.decimals + 0.02 * stated * one.hedged + EPS
    rounding = first.half + second.half
    gap = 100 * abs(first.value - second.value)
    sizes = [(gap, 100 * rounding), (gap / 100, rounding)]
    sizes += [(gap / abs(cell.value), 0.005 * stated) for cell in (first, second) if cell.value]
    return any(abs(size - stated) <= slack + loose for size, loose in sizes)
