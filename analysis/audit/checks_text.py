"""The text against the tables: numbers, differences, comparisons, counts, what is best.

A number is contradicted only where names, or the sentence's other numbers, point at its row and at
its column.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import permutations, product
from typing import NamedTuple

from analysis.audit import text_statements
from analysis.audit.findings import Audit
from analysis.audit.grids import Paragraph, short
from analysis.audit.printed_table import Table
from analysis.audit.text_cells import Cell, Cells, across, cells_of, crossings, is_difference, wins
from analysis.audit.text_names import Line, Mention
from analysis.audit.text_statements import Stated
from analysis.statistics.average_rules import EPS

_QUOTED = 160
# points of a row or column: of a number's own name, of one in its clause, in its sentence
_ADJACENT, _CLAUSE, _SENTENCE = 3.0, 2.0, 1.0
_ALONE = 0.5  # more, if nothing else can be meant
_MOST = 4.0
_IN_SENTENCE, _IN_PARAGRAPH = 2.0, 1.0  # points of a table that is referred to
_ENOUGH = 5.0  # points of a cell that a number may be meant to be
_MARGIN = 3.0  # more points than the cell that has the number
_FEW = 3  # cells with as many points
_DIGITS = 3  # a number with fewer is not one slip away from what is not near
_NEAR = 0.4  # how far off a number may be that is of an older table
_CLOSE = 40  # characters between a name or "best" and what it is said of


class _Candidate(NamedTuple):
    """A cell that a number may be meant to be, with the points of its row, column and table.

    The table has points where the text refers to it, or names both row and column.
    """

    cell: Cell
    row: float
    column: float
    table: float

    @property
    def points(self) -> float:
        return min(self.row, _MOST) + min(self.column, _MOST) + self.table


def check(tables: list[Table], paragraphs: list[Paragraph], audit: Audit) -> None:
    """Each sentence of a document against that document's tables."""
    cells = {}
    for document in {table.grid.document for table in tables}:
        texts = [one.text for one in paragraphs if one.document == document]
        cells[document] = Cells([t for t in tables if t.grid.document == document], texts)
    for paragraph in paragraphs:
        if paragraph.document in cells:
            for sentence in text_statements.sentences(paragraph.text):
                _Sentence(sentence, paragraph, cells[paragraph.document], audit).check()


class _Sentence:
    """A sentence with the names and numbers in it."""

    def __init__(self, text: str, paragraph: Paragraph, cells: Cells, audit: Audit):
        self.text, self.cells, self.audit = text, cells, audit
        self.numbers = list(text_statements.stated(text))
        self.cited = text_statements.references(text)
        self.around = text_statements.references(paragraph.text) | {paragraph.table}
        self.where, self.at = f"“{short(text, _QUOTED)}”", (paragraph.file, paragraph.line)
        self.points = {one: self._line_points(one) for one in self.numbers}

    @cached_property
    def mentions(self) -> list[Mention]:
        return self.cells.names.mentions(self.text)

    @cached_property
    def held(self) -> Counter:
        """How many of the sentence's numbers each table has."""
        tables = [{cell.table for cell in self._exact(one)} for one in self.numbers]
        return Counter(table for some in tables for table in some)

    def check(self) -> None:
        """Its sums and comparisons, then its numbers."""
        for kind, printed, expected in text_statements.wrong_sums(self.text):
            self._contradict(kind, (), printed, expected)
        pairs = self._compared()
        exchanged = self._exchanged()
        self._best()
        for one in self.numbers:
            if one.difference:
                self._difference(one, pairs)
            elif one.digits not in exchanged:
                self._number(one)

    def _exact(self, one: Stated) -> list[Cell]:
        return self.cells.exact.get(one.digits, [])

    def _table_points(self, table: Table) -> float:
        """Points of a table that the sentence, or else its paragraph, refers to."""
        number = table.grid.number
        if number and number in self.cited:
            return _IN_SENTENCE
        return _IN_PARAGRAPH if number and number in self.around and not self.cited else 0.0

    def _line_points(self, one: Stated) -> tuple[dict[Line, float], Counter]:
        """How much names, and how many other numbers, point at rows and columns."""
        start, end = text_statements.clause(self.text, one.start)
        named: dict[Line, float] = {}
        for mention in self.mentions:
            if mention.start <= one.start < mention.end:
                continue
            points = _CLAUSE if start <= mention.start < end else _SENTENCE
            if text_statements.is_of(self.text, one, mention.start, mention.end):
                points = _ADJACENT
            points += _ALONE * (len(mention.lines) == 1)
            for line in mention.lines:
                named[line] = max(named.get(line, 0.0), points)
        others = {other.digits: other for other in self.numbers if other.digits != one.digits}
        lines = [{line for cell in self._exact(x) for line in cell.lines} for x in others.values()]
        return named, Counter(line for part in lines for line in part)

    def _candidates(self, one: Stated) -> list[_Candidate]:
        """Cells at whose row and column something points, most first."""
        named, held = self.points[one]
        cells = crossings({*named, *held})
        candidates = [
            self._candidate(cell, named, held)
            for cell in cells
            if cell.number.decimals == one.decimals
        ]
        return sorted(candidates, key=lambda candidate: -candidate.points)

    def _candidate(self, cell: Cell, named: dict[Line, float], held: Counter) -> _Candidate:
        """A cell with its points."""
        row, column = (named.get(line, 0.0) + held[line] for line in cell.lines)
        both = all(line in named for line in cell.lines)
        return _Candidate(cell, row, column, self._table_points(cell.table) + both)

    def _number(self, one: Stated) -> None:
        """A number that may be a result: of a cell that is named, of another, of one it is not."""
        named, held = self.points[one]
        having = [
            self._candidate(cell, named, held) for cell in self.cells.forms.get(one.digits, ())
        ]
        having = [candidate for candidate in having if candidate.row or candidate.column]
        best = max(having, key=lambda candidate: candidate.points, default=None)
        meant = None
        if one.decimals and self.cells.quoted[one.digits] == 1:  # repeated, it is no slip
            texts = {other.digits for other in self.numbers}
            free = [x for x in self._candidates(one) if x.cell.digits not in texts]
            meant = self._stale(one, free, having, named)
            if one.digits not in self.cells.forms:
                meant = meant or self._slipped(one, free) or self._slipped_along(one, named, texts)
        if meant:
            self._contradict("text number", [meant], one.text)
        elif best:
            self._confirm(one.text, best.cell)
        else:
            self._look_up(one)

    @staticmethod
    def _slipped(one: Stated, free: list[_Candidate]) -> Cell | None:
        """A cell one slip from a number that is in no table, if few are so well pointed at."""
        for candidate in free:
            as_good = sum(other.points >= candidate.points for other in free)
            if candidate.points < _ENOUGH or as_good > _FEW or not candidate.table:
                break
            distinct = one.significant >= _DIGITS or _is_near(candidate.cell, one)
            if distinct and text_statements.is_slip(one.digits, candidate.cell.digits):
                return candidate.cell
        return None

    def _slipped_along(self, one: Stated, named: dict[Line, float], texts: set[str]) -> Cell | None:
        """The same along its row or column, where only one of the numbers is so near."""
        near = {}
        for line, points in named.items():
            if points >= _ADJACENT and self._is_meant(line.table):
                for cell in cells_of(line):
                    digits = cell.digits
                    if digits not in texts and text_statements.is_slip(one.digits, digits):
                        near[digits] = cell
        return next(iter(near.values())) if len(near) == 1 and one.significant >= _DIGITS else None

    def _stale(
        self,
        one: Stated,
        free: list[_Candidate],
        having: list[_Candidate],
        named: dict[Line, float],
    ) -> Cell | None:
        """The one cell that is pointed at most, where it has a number not far from this one."""
        if one.hedged or not free or (len(free) > 1 and free[1].points >= free[0].points):
            return None
        best = free[0]
        most = max((candidate.points for candidate in having), default=-_MARGIN)
        lines = {line for x in having for line in x.cell.lines if line.table is best.cell.table}
        explained = any(named.get(line, 0.0) >= _CLAUSE for line in lines)
        sure = min(named.get(line, 0.0) for line in best.cell.lines) >= _ADJACENT
        enough = sure or (not explained and best.points >= most + _MARGIN)
        alone = len({candidate.cell.table for candidate in free}) == 1
        meant = best.table and (alone or self._is_meant(best.cell.table))
        strong = enough and meant and best.points >= _ENOUGH
        return best.cell if strong and _is_near(best.cell, one) else None

    def _is_meant(self, table: Table) -> bool:
        """Whether the text refers to a table, or it has half of the sentence's other numbers."""
        return bool(self._table_points(table)) or 2 * self.held[table] >= len(self.numbers) - 1 > 0

    def _exchanged(self) -> set[str]:
        """Two numbers of a row or column, each nearer to the name of the other one."""
        points = {one.digits: named for one, (named, _) in self.points.items()}
        for one, other in permutations(points, 2):
            for cell, line in product(self.cells.exact.get(one, ()), points[one]):
                crossed, its = across(cell, line), cell.lines[line.by_column]
                if crossed is None or crossed.digits != other:
                    continue
                if _is_nearer(points[one], line, its) and _is_nearer(points[other], its, line):
                    self._contradict("text number", [crossed], one, other)
                    return {one, other}
        return set()

    def _best(self) -> None:
        """What is called best, worst, highest or lowest, and is at the other end."""
        word = text_statements.BEST.search(self.text)
        if word is None or text_statements.NOT_BEST.search(self.text):
            return
        near = [one for one in self.numbers if word.end() <= one.start <= word.end() + 1]
        cells = [cell for one in near for cell in self._exact(one)]
        if not near and not self.numbers:
            before = {
                line for one in self.mentions[:1] if one.end <= word.start() for line in one.lines
            }
            named = {line for one in self.mentions[1:] for line in one.lines}
            cells = [cell for cell in crossings(before | named) if before & set(cell.lines)]
        right, wrong = [], []
        for cell in cells:
            lowest, highest = cell.ends()
            turned = cell.lower_is_better and bool(word["word"])
            is_low = bool(word["worst"] or word["lowest"]) != turned
            right += [cell] * (lowest if is_low else highest)
            wrong += [cell] * (highest if is_low else lowest)
        if right:
            self._confirm(word[0], right[0])
        elif cells and len(wrong) == len(cells):
            self._contradict("text best", wrong[:1], word[0].strip(" ("), wrong[0].printed)

    def _compared(self) -> list[tuple[Cell, Cell]]:
        """ "A outperforms B", "on three of five tasks": what is so nowhere, or as often as not."""
        better = text_statements.BETTER.search(self.text)
        word = better or text_statements.WORSE.search(self.text)
        if word is None or text_statements.TURNED.search(self.text):
            return []
        pairs = self._pairs(word.start(), word.end())
        if not pairs:
            return []
        won = [pair for pair in pairs if wins(*pair) == (1 if better else -1)]
        count = text_statements.count(self.text, len(pairs))
        if count == len(won) or (count is None and won):
            self._confirm(word[0], pairs[0][0])
        else:
            self._contradict("text", pairs[0], word[0], f"{len(won)} of {len(pairs)}")
        return pairs

    def _pairs(self, start: int, end: int) -> list[tuple[Cell, Cell]]:
        """Cells of the names around a place, in the same columns or rows of one table."""
        before = [one.lines for one in self.mentions if start - _CLOSE <= one.end <= start]
        after = [one.lines for one in self.mentions if end <= one.start <= end + _CLOSE]
        both = product(*before[-1:], *after[:1]) if before and after else ()
        lines = [(a, b) for a, b in both if a[:2] == b[:2] and a != b]
        if len(lines) != 1:
            return []
        first, second = lines[0]
        named = {line for mention in self.mentions for line in mention.lines} - {first}
        pairs = [(cell, across(cell, second)) for cell in cells_of(first) if cell.is_score]
        pairs = [(a, b) for a, b in pairs if b is not None]
        asked = [pair for pair in pairs if named & set(pair[0].lines)]
        return asked or [pair for pair in pairs if not pair[0].is_average] or pairs

    def _difference(self, one: Stated, pairs: list[tuple[Cell, Cell]]) -> None:
        """A difference of cells that are named, or of one that the sentence quotes and another."""
        stated = abs(one.value)
        slack = 0.5 * 10.0**-one.decimals + 0.02 * stated * one.hedged + EPS
        named, _ = self.points[one]
        cells = [cell for other in self.numbers for cell in self._exact(other)]
        both = (
            (cell, across(cell, line)) for cell in [*cells, *crossings(named)] for line in named
        )
        for first, second in both:
            if second not in (None, first) and is_difference(stated, slack, first, second):
                self._confirm(one.text, first)
                return
        if len(pairs) == len(self.numbers) == 1 and not one.hedged:
            expected = " and ".join(cell.printed for cell in pairs[0])
            self._contradict("text by", pairs[0], one.text, expected)
        else:
            self._look_up(one)

    def _look_up(self, one: Stated) -> None:
        """A number that no named cell has: in another one, or in none."""
        quoted = {"where": self.where, "printed": one.text}
        table = self.cells.tables[0]
        if one.digits in self.cells.forms:
            self.audit.cover(table, "text", 1, "text elsewhere", **quoted)
        elif any(self.points[one]) or self.cited:
            quoted["at"] = self.at
            size = 0.5 + 0.2 * bool(self.cited) + 0.2 * bool(self.held)
            self.audit.find(table, "text", "look", (), "text nowhere", **quoted, size=size)

    def _confirm(self, stated: str, cell: Cell) -> None:
        place = cell.table.where(cell.row, cell.column)
        self.audit.cover(cell.table, "text", 1, where=self.where, stated=stated, cell=place)

    def _contradict(
        self, kind: str, cells: Sequence[Cell], printed: str, expected: str = ""
    ) -> None:
        table = cells[0].table if cells else self.cells.tables[0]
        positions = [(i, j) for _, i, j in cells]
        expected = expected or cells[0].printed
        facts = {"where": self.where, "at": self.at, "printed": printed, "expected": expected}
        cell = table.where(*positions[0]) if positions else ""
        self.audit.find(table, "text", "question", positions, kind, cell=cell, size=1.5, **facts)


def _is_near(cell: Cell, one: Stated) -> bool:
    return abs(cell.value - one.value) <= _NEAR * abs(one.value)


def _is_nearer(points: dict[Line, float], line: Line, other: Line) -> bool:
    """Whether names point at a row or column much more than at another."""
    return points.get(line, 0.0) >= max(_CLAUSE, points.get(other, 0.0) + 1)
