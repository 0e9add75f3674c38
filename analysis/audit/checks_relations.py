"""Numbers that are computed of others: differences, sums, means, ratios, shares of counts.

What a head or sign calls a difference is one; every other relation of columns (or rows) is accepted
only where chance would not make it fit, neither by its digits nor with a column moved by some rows.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import combinations, permutations

import numpy as np

from analysis.audit.findings import Audit, number
from analysis.audit.printed_table import SCORES, Table
from analysis.statistics.printed_relations import Line, Rule, Way, best_of, moved

_MOST = 0.6  # share of the numbers that a rule has to explain
_SURE, _ENOUGH = 0.8, 4  # share and number that make another one stand out
_FEW = 0.15  # share of numbers that may be wrong: more are computed in another way
_LEAST = 3  # differences
# chance of so many fits, where words name a relation (of errors its square), and where none do
_RARE, _NEVER = 0.0025, 2.5e-7
# level of a number that words say is computed of others, and how many have to fit
_LEVELS = {"change": ("error", 4), "share": ("error", 5), "named": ("question", 5)}
# heads that say what a rule computes
_HEADS = {
    "harmonic": re.compile(r"(?i)\bf-?1"),
    " / ": re.compile(r"(?i)rate|acc|%|share|solved|pass|precision|recall"),
    " + ": re.compile(r"(?i)total|sum\b|both"),
}
_NEAR = 60  # rows around a row of differences that it may be between
_WINDOW = 4  # columns to each side of one that may be computed of them
_LINES = 60  # columns, or rows, of which relations are looked for
_FROM = ("data", "average", "human", "random")
_RELATED = ("part", "n", "other", "size")

_Cell = tuple[int, int]


_OF_TWO: dict[str, Rule] = {
    "{} + {}": lambda a, b: a + b,
    "the mean of {} and {}": lambda a, b: (a + b) / 2,
    "the harmonic mean of {} and {}": lambda a, b: 2 * a * b / (a + b),
    "{} / {}": lambda a, b: a / b,
    "{} / {} in %": lambda a, b: 100 * a / b,
}
_SUM: dict[str, Rule] = {"the sum of {0} and those behind it": lambda *parts: sum(parts)}
_OF_MANY = _SUM | {
    "the mean of {0} and those behind it": lambda *parts: sum(parts) / len(parts),
}
_DIFFERENCES: dict[str, Rule] = {
    "{} - {}": lambda a, b: a - b,
    "({0} - {1}) / {1} in %": lambda a, b: 100 * (a - b) / np.abs(b),
}
_DIFFERENCES |= {
    f"|{name}|": lambda a, b, rule=rule: np.abs(rule(a, b)) for name, rule in _DIFFERENCES.items()
}


def check(table: Table, audit: Audit) -> None:
    """Columns and rows of differences, differences and counts in cells, then any relation."""
    scores, rows = table.cols(*SCORES), table.rows_of(*_FROM)
    columns = [_column(table, k, rows) for k in scores]
    with np.errstate(all="ignore"):
        for j in table.cols("change"):
            _explain(table, audit, _column(table, j, rows), _differences(columns))
        for i in table.rows_of("change"):
            near = sorted(rows, key=lambda k, i=i: abs(k - i))[:_NEAR]
            lines = [_row(table, k, scores) for k in near]
            _explain(table, audit, _row(table, i, scores), _differences(lines))
        _beside(table, audit)
        _in_cells(table, audit)
        _relations(table, audit)


def _line(table: Table, name: str, cells: list[_Cell | None]) -> Line:
    """Numbers of cells, NaN where there is none."""
    both = (table.values, table.half)
    arrays = [np.array([of[cell] if cell else np.nan for cell in cells]) for of in both]
    return Line(name, *arrays, cells)


def _column(table: Table, j: int, rows: list[int]) -> Line:
    return _line(table, table.columns[j].name, [(i, j) for i in rows])


def _row(table: Table, i: int, columns: list[int]) -> Line:
    return _line(table, table.rows[i].label, [(i, j) for j in columns])


def _ways(rules: dict[str, Rule], *parents: Line) -> Iterator[Way]:
    names = [line.name for line in parents]
    for name, rule in rules.items():
        yield Way(name.format(*names), rule, parents)


def _differences(lines: list[Line]) -> Iterator[Way]:
    """Every difference of two lines, absolute and relative."""
    for pair in permutations(lines[:_LINES], 2):
        yield from _ways(_DIFFERENCES, *pair)


def _explain(
    table: Table,
    audit: Audit,
    printed: Line,
    ways: Iterable[Way],
    kind: str = "change",
    fields: int = 1,
) -> Way | None:
    """The way that explains most of the printed numbers; those that it does not are findings.

    A `kind` that words name is believed earlier than a "relation".
    """
    best = best_of(printed, ways, fields)
    if best is None or not best.tested.any():
        if kind == "change":
            shown = np.isfinite(printed.values).sum()
            audit.cover(table, kind, shown, "change unknown", line=printed.name)
        return None
    k, m = int(best.fits.sum()), int(best.tested.sum())
    facts = {"line": printed.name, "definition": best.way.name, "fits": k, "tested": m}
    spread = max(np.nanmax(np.abs(printed.values)), np.ptp(printed.values[best.tested]))
    chance = best.chance(2 * best.allowed[best.fits] / spread)
    believed = k >= 2 and best.share >= _MOST and chance < _RARE
    if kind in ("relation", "share"):
        enough = k > _ENOUGH and best.share >= _SURE and chance < _NEVER
        believed = enough and best.chance(moved(printed, best)) < _NEVER
    if not believed:
        if kind == "change":
            audit.cover(table, kind, m, "change unknown", **facts)
        return None
    audit.cover(table, kind, m, sees=2 * float(best.allowed[best.tested].max()), **facts)
    wrong = np.flatnonzero(np.abs(printed.values - best.expected) > best.allowed)
    level, least = _LEVELS.get(_confirmed(kind, printed, best.way), ("look", m + 1))
    few = len(wrong) <= max(1, _FEW * m) and best.share >= _SURE
    for line in wrong:
        parents = [one.cells[line] for one in best.way.parents if kind == "change"]
        # "12/50" may be subtracted as a count
        counted = any(cell and "/" in table.text_of(*cell) for cell in parents)
        usual = few and k >= least and not counted
        shown = ("question", level)[chance < _RARE**2] if usual else "look"
        values = printed.values[line], best.expected[line]
        if not printed.cells:  # a sum that is printed nowhere
            values = values[::-1]
        decimals = max(0, round(-np.log10(2 * printed.half[line] or 0.2)))
        audit.find(
            table,
            kind,
            shown,
            [one.cells[line] for one in (printed, *best.way.parents) if one.cells],
            printed=number(values[0], decimals),
            expected=number(values[1], max(decimals, 1)),
            size=abs(values[0] - values[1]) / best.allowed[line],
            **facts,
        )
    return best.way


def _confirmed(kind: str, printed: Line, way: Way) -> str:
    """The kind of a relation, with what heads say of it."""
    if kind == "relation" and way.name == way.parents[0].name:
        return "share"
    words = f"{printed.name} {way.name}"
    named = any(part in way.name and head.search(words) for part, head in _HEADS.items())
    return "named" if kind == "relation" and named else kind


def _beside(table: Table, audit: Audit) -> None:
    """Differences in the cells of their numbers, "65.3 (+2.1)"."""
    cells = [
        (i, j)
        for i, row in enumerate(table.numbers)
        for j, one in enumerate(row)
        if one and one.change is not None
    ]
    if len(cells) < _LEAST:
        return
    printed = [table.numbers[i][j] for i, j in cells]
    numbers = _line(table, "the number", cells)
    values = np.array([one.change for one in printed])
    half = np.array([0.5 * 10.0**-one.change_decimals for one in printed])
    ways = []
    for words, row_of in _parents(table):
        parents = [(row_of[i], j) if i in row_of else None for i, j in cells]
        ways += _ways(_DIFFERENCES, numbers, _line(table, words, parents))
    _explain(table, audit, Line("differences beside the numbers", values, half, cells), ways)


def _parents(table: Table) -> Iterator[tuple[str, dict[int, int]]]:
    """Rows that differences of a row may be from: row -> row."""
    data = table.rows_of(*_FROM)
    blocks = [table.rows[i].block for i in data]
    yield "the row above", dict(zip(data[1:], data, strict=False))
    yield "the first row of the block", {i: data[blocks.index(table.rows[i].block)] for i in data}
    for k in data[:_NEAR]:
        yield table.rows[k].label, dict.fromkeys(data, k)


def _in_cells(table: Table, audit: Audit) -> None:
    """Numbers with their counts, "98.5 (197/200)"."""
    shares = {}
    for i, row in enumerate(table.numbers):
        for j, one in enumerate(row):
            if one and one.of and "/" not in one.printed:
                shares[i, j] = 100 * one.right / one.of
    if shares:
        cells, values = list(shares), np.array(list(shares.values()))
        ways = _ways({"{}": lambda a: a}, Line("its count", values, 0 * values, cells))
        _explain(table, audit, _line(table, "the number", cells), ways, "share")


def _relations(table: Table, audit: Audit) -> None:
    """Columns computed of those near them, and those that add up to 1 or 100."""
    rows = table.rows_of("data", "human")
    lines = [_column(table, j, rows) for j in table.cols(*_RELATED)]
    used: set[Line] = set()
    for k, line in enumerate(lines):
        if line in used or len(np.unique(line.values[~np.isnan(line.values)])) < _LEAST:
            continue
        near = lines[max(0, k - _WINDOW) : k], lines[k + 1 : k + 1 + _WINDOW]
        ways = _computed(table, line, *near)
        way = _explain(table, audit, line, ways, "relation", len(lines))
        used.update(way.parents if way else ())
    for total in (1.0, 100.0):
        values = np.full(len(rows), total)
        constant = Line(f"{total:g}", values, 0 * values, [])
        ways = (way for part in _stretches(lines, 2) for way in _ways(_SUM, *part))
        _explain(table, audit, constant, ways, "relation")


def _computed(table: Table, line: Line, left: list[Line], right: list[Line]) -> Iterator[Way]:
    """Ways in which a line may be computed of those to its sides."""
    for one in left + right:
        if any(table.numbers[i][j] and table.numbers[i][j].of for i, j in one.cells):
            yield from _ways({"{}": lambda a: a}, one)
    others = [one for one in left + right if (one.values != line.values).mean() > 0.5]
    for pair in permutations(others, 2):
        yield from _ways(_OF_TWO, *pair)
    for part in [*_stretches(left), *_stretches(right)]:
        yield from _ways(_OF_MANY, *part)


def _stretches(lines: list[Line], least: int = 3) -> list[list[Line]]:
    """Neighbouring lines, so many or more."""
    ends = combinations(range(len(lines) + 1), 2)
    return [lines[a:b] for a, b in ends if least <= b - a <= 2 * _WINDOW]
