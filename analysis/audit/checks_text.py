"""The text against the tables: numbers, differences, what is best, who outperforms whom, counts.

Names and numbers of a sentence point at rows and columns. A number that a cell they point at has is
confirmed; one that is a slip away from it, where chance would not make it so, is contradicted.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations, product
from time import monotonic
from typing import NamedTuple

from analysis.audit import text_statements
from analysis.audit.findings import Audit
from analysis.audit.grids import Paragraph, Unread, short
from analysis.audit.printed_table import Table
from analysis.audit.text_cells import Cell, Cells, across, cells_of, crossings, is_difference, wins
from analysis.audit.text_names import Line, Mention
from analysis.audit.text_statements import Stated

_QUOTED = 160
# points of a row or column: of a name next to the number, in its clause, its sentence, before it
_ADJACENT, _CLAUSE, _SENTENCE, _BEFORE = 3.0, 2.0, 1.0, 0.5
_MOST = 4.0
_RARE = 4  # cells with a number, of which more point at nothing
_CITED = 2.0  # points of a table that the sentence refers to, half of them if the text before it
_LEAST, _SURE = 4.0, 6.5  # points of a cell that is meant where chance helps, and without
_LESS = 2.0  # points less, of a difference
_MARGIN = 2.0  # more points than the cell that has the number
_CHANCE = 0.06  # that a number is a slip away from a cell as well pointed at
_NEXT, _CLOSE = 12, 40  # characters between "best" and its number, a name and what is said of it

_Pairs = list[tuple[Cell, Cell]]


class _Candidate(NamedTuple):
    """What a number may be meant to be: a cell, or the difference of two; whether it is."""

    points: float
    shown: str
    cells: tuple[Cell, ...]
    fits: bool = False


_NOTHING = _Candidate(0.0, "", ())


def check(
    tables: list[Table], paragraphs: list[Paragraph], audit: Audit, end: float
) -> list[Unread]:
    """Each sentence of a document against that document's tables; what is not, as time ends."""
    by_document = defaultdict(list)
    for table in tables:
        by_document[table.grid.document].append(table)
    for document, its in by_document.items():
        texts = [one for one in paragraphs if one.document == document and one.text]
        if not texts:
            continue
        cells, cited = Cells(its), set()
        for paragraph in texts:
            here = text_statements.references(paragraph.text) | {paragraph.table} - {""}
            cited, before, at = here or cited, [], (paragraph.file, paragraph.line)
            for text in text_statements.sentences(paragraph.text):
                if monotonic() > end:
                    return [Unread(document, "its text is not checked to the end: no time")]
                sentence = _Sentence(text, at, cells, audit, cited, before)
                sentence.check()
                before += sentence.mentions
    return []


@dataclass
class _Sentence:
    """A sentence with the names and numbers in it, and what was cited and named before it."""

    text: str
    at: tuple[str, int]
    cells: Cells
    audit: Audit
    around: set[str]
    before: list[Mention]

    def __post_init__(self):
        self.numbers = list(text_statements.stated(self.text))
        self.cited = text_statements.references(self.text)
        self.where = f"“{short(self.text, _QUOTED)}”"
        self.mentions = self.cells.names.mentions(self.text)

    def check(self) -> None:
        """Its sums and comparisons, then its numbers."""
        if not text_statements.TURNED.search(self.text):
            for word in text_statements.COMPARED.finditer(self.text):
                sign = -1 if word["worse"] else 1
                pairs = self._compared(*word.span())
                self._judge(word[0], pairs, [pair for pair in pairs if wins(*pair) == sign])
            for word in text_statements.BEST.finditer(self.text):
                self._best(word)
        for one in self.numbers:
            self._number(one)

    def _exact(self, one: Stated) -> list[Cell]:
        return self.cells.exact.get(one.digits, [])

    def _points(self, one: Stated) -> dict[Line, float]:
        """How much names, and other numbers, point at rows and columns."""
        points: dict[Line, float] = {}
        for mention in self.before:
            points |= {line: _BEFORE * weight for line, weight in mention.lines.items()}
        for mention in self.mentions:
            if mention.start <= one.start < mention.end:
                continue
            before = self.text[mention.end : one.start]
            gap, near = before or self.text[one.end : mention.start], _CLOSE * bool(before)
            value = _ADJACENT if len(gap) < _NEXT else _CLAUSE if len(gap) < near else _SENTENCE
            for line, weight in mention.lines.items():
                points[line] = max(points.get(line, 0.0), value * weight)
        for digits in {other.digits for other in self.numbers} - {one.digits}:
            cells = self.cells.exact.get(digits, [])
            for line in {line for cell in cells for line in cell.lines if len(cells) <= _RARE}:
                points[line] = points.get(line, 0.0) + 1
        return points

    def _score(self, cell: Cell, points: dict[Line, float]) -> float:
        """How much points at a cell."""
        row, column = (min(points.get(line, 0.0), _MOST) for line in cell.lines)
        number = cell.table.grid.number
        cited = _CITED * ((number in self.cited) or (number in self.around - self.cited) / 2)
        return row + column + cited + bool(row and column)

    def _number(self, one: Stated) -> None:
        """A number that may be a result: of a cell that is named, of another, of one it is not."""
        points = self._points(one)
        candidates = self._candidates(one, points)
        having = [candidate for candidate in candidates if candidate.fits]
        best = having[0] if having else _NOTHING
        near = {line for x in having for cell in x.cells for line in cell.lines}
        texts = {other.digits for other in self.numbers} | {""}
        free = [x for x in candidates if not x.fits and x.shown not in texts]
        top, second = [*free, _NOTHING, _NOTHING][:2]
        if meant := self._meant(one, free, best.points):
            self._contradict("text number", meant.cells, one.text, meant.shown)
        elif near and top.points >= max(_SURE, best.points + 1) and top.points > second.points:
            self._contradict("text number", top.cells, one.text, top.shown, "look")
        elif points.keys() & near:
            self._confirm(one.text, next(x.cells[0] for x in having if x.cells))
        elif not having and (points or self.cited):
            self._contradict("text nowhere", (), one.text, "", "look")

    def _candidates(self, one: Stated, points: dict[Line, float]) -> list[_Candidate]:
        """Cells with the number, or pointed at, and their differences, most pointed at first."""
        having = self.cells.forms.get(one.digits, [])
        crossed = crossings(points)
        candidates = []
        for cell in dict.fromkeys([*having, *crossed]):
            usual = one.decimals and (cell.is_change or not one.difference)
            shown = cell.shown(one.decimals) if usual else ""
            candidates.append(_Candidate(self._score(cell, points), shown, (cell,), cell in having))
        if one.difference:
            plain = [
                x.value for x in self.numbers if (x.difference, x.decimals) == (False, one.decimals)
            ]
            for first, last in combinations(filter(None, plain), 2):
                gaps = [abs(first - last), 100 * abs(last / first - 1)][: 1 + ("%" in one.text)]
                for gap in gaps:
                    fits = abs(gap - abs(one.value)) <= 10.0**-one.decimals
                    candidates.append(_Candidate(_SURE, f"{gap:.{one.decimals}f}", (), fits))
            quoted = [cell for other in self.numbers for cell in self._exact(other)]
            both = product([*crossed, *quoted], points)
            pairs = dict.fromkeys(frozenset((cell, across(cell, line))) for cell, line in both)
            for pair in pairs:
                if None not in pair and len(pair) == 2:
                    score = min(self._score(cell, points) + (cell in quoted) for cell in pair)
                    first, second = sorted(pair, key=lambda cell: cell[1:])
                    gap = f"{abs(first.value - second.value):.{one.decimals}f}"
                    fits = score >= _LEAST and is_difference(one, first, second)
                    candidates.append(_Candidate(score, gap, (first, second), fits))
        return sorted(candidates, key=lambda candidate: (-candidate.points, candidate.shown))

    def _meant(self, one: Stated, free: list[_Candidate], having: float) -> _Candidate | None:
        """What a number is meant to be, where it is a slip away."""
        others = [other for other in self.numbers if other != one and not other.difference]
        # a sentence of other results
        foreign = 2 * sum(bool(self._exact(other)) for other in others) < len(others)
        chance = text_statements.chance_of_slip(one.digits)
        for candidate in free:
            as_good = len({x.shown for x in free if x.points >= candidate.points})
            sure = as_good == 1 and candidate.points >= _SURE - _LESS * one.difference
            enough = candidate.points >= max(_LEAST, having + _MARGIN)
            if not enough or (as_good * chance > _CHANCE and not sure):
                break
            usual = not (foreign and candidate.cells)
            if usual and text_statements.is_slip(one.digits, candidate.shown):
                return candidate
        return None

    def _judge(self, word: str, pairs: _Pairs, won: _Pairs, level: str = "question") -> None:
        """Confirm what is so in as many cells as stated, or in half; contradict what is in none."""
        if not pairs:
            return
        tables, agrees = Counter(first.table for first, _ in pairs), len(won)
        count = text_statements.count(self.text, len(pairs)) if len(tables) == 1 else None
        if count is not None:
            agrees, expected = len(won) == count, f"{len(won)} of {len(pairs)}"
        else:
            expected = pairs[0][1].name
            in_tables = Counter(first.table for first, _ in won)
            if won and not any(2 * in_tables[table] >= tables[table] for table in tables):
                level, agrees = "look", False
        if agrees:
            self._confirm(word, pairs[0][0])
        else:
            self._contradict("text", pairs[0], word, expected, level)

    def _compared(self, start: int, end: int) -> _Pairs:
        """Cells of the names around a place, in the same columns or rows of tables."""
        before = [one.lines for one in self.mentions if start - _CLOSE <= one.end <= start]
        after = [one.lines for one in self.mentions if end <= one.start <= end + _CLOSE]
        both = product(*before[-1:], *after[:1]) if before and after else ()
        lines = [(a, b) for a, b in both if a[:2] == b[:2] and a != b]
        pairs = [(cell, across(cell, b)) for a, b in lines for cell in self._asked(a, start)]
        return [pair for pair in pairs if pair[1]]

    def _asked(self, line: Line, at: int) -> list[Cell]:
        """The scores of a row or column that a clause is about."""
        if self.cited and line.table.grid.number not in self.cited:
            return []
        start, end = text_statements.clause(self.text, at)
        counted = bool(text_statements.COUNT.search(self.text))
        mentions = [one for one in self.mentions if start <= one.start < end and not counted]
        named = {other for mention in mentions for other in mention.lines}
        cells = [cell for cell in cells_of(line) if cell.is_score]
        asked = [cell for cell in cells if cell.lines[1 - line.by_column] in named]
        return asked or [cell for cell in cells if cell.is_average != counted] or cells

    def _best(self, word: re.Match) -> None:
        """What is called best, worst, highest or lowest, and is at no end of anything."""
        its = [x for x in self.mentions if text_statements.is_subject(self.text, *x[1:], word)]
        if not its:
            return
        named = word["of"] != "" or any(one.start == word.end() for one in self.mentions)
        clear = named and not text_statements.NOT_BEST.search(self.text)
        after = [one for one in self.numbers if 0 <= one.start - word.end() < _NEXT]
        quoted = [cell for one in after for cell in self._exact(one)]
        pairs = [(across(cell, line), cell) for line in its[0].lines for cell in quoted]
        pairs = [(cell, best) for cell, best in pairs if cell and cell.is_score]
        for line in () if pairs else its[0].lines:
            for cell in self._asked(line, word.start()):
                turned = cell.lower_is_better != bool(word["worst"])
                lowest = bool(word["lowest"]) or (turned and not word["highest"])
                pairs.append((cell, cell.end(line, lowest)))
        won = [(cell, best) for cell, best in pairs if cell.value == best.value]
        self._judge(word[0].strip(), pairs, won, "question" if clear else "look")

    def _confirm(self, stated: str, cell: Cell) -> None:
        table, *place = cell
        facts = {"where": self.where, "stated": stated, "cell": table.where(*place)}
        self.audit.cover(table, "text", 1, **facts, place=tuple(place))

    def _contradict(
        self,
        kind: str,
        cells: tuple[Cell, ...],
        printed: str,
        expected: str,
        level: str = "question",
    ) -> None:
        table = cells[0].table if cells else self.cells.tables[0]
        positions = [(i, j) for _, i, j in cells]
        facts = {"where": self.where, "at": self.at, "printed": printed, "expected": expected}
        cell = table.where(*positions[0]) if positions else ""
        self.audit.find(table, "text", level, positions, kind, cell=cell, **facts)
