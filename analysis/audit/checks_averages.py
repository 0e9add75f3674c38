"""Printed averages and totals of a table against the definition that explains most of them."""

import re

import numpy as np

from analysis.audit.findings import Audit, number
from analysis.audit.printed_table import Table
from analysis.audit.series import Series, series
from analysis.audit.text_statements import chance_of_slip, is_slip
from analysis.statistics.average_rules import KINDS, Definition, definitions

_ENOUGH = 4  # lines that fit, beside which another one is an error
_SURE = 0.75  # share of the lines that have to fit before another one is called an error
_RARE, _NEVER = 1e-3, 1e-5  # chance of so many fits, of totals and of averages
_SLIP = 0.05  # chance that a number is a slip away from another
_FAR = 2  # times the rounding: averages that are cut are nearer
_SIMPLE = ("plain", "by size")
# what adds up to no total
_NO_COUNT = re.compile(
    r"(?i)%|\b(avg|average|mean|median|per|rate|ratio|score|unique|distinct|types|vocab|max|min)\b"
)
# what may count each question once
_OPEN = re.compile(r"(?i)overall|\ball\b|micro|aggregate|综合|总体|全部|总分")
_NOTED = re.compile(r"[†‡§¶]|\*\s*$")  # a note may say what is averaged


def check(table: Table, audit: Audit) -> None:
    """Every average column and every average row."""
    columns = [(j, True) for j in table.cols("average", "total")]
    rows = [(i, False) for i in table.rows_of("average", "total")]
    for at, down in columns + rows:
        scopes = _all_series(table, at, down)
        explained = _explain(scopes)
        if explained is None:
            continue
        one, definition = explained
        defined = table.long and definition.tested.sum() <= 2  # over what the name says
        facts = _facts(one, definition)
        if definition.believed or defined:
            sees = 2 * np.nanmax(definition.allowed[definition.tested])
            audit.cover(table, "average", facts["tested"], sees=float(sees), **facts)
            for line in np.flatnonzero(definition.tested & ~definition.fits):
                _misfit(audit, one, definition, line)
        else:
            audit.cover(table, "average", facts["tested"], "average unknown", **facts)
            if not table.long:
                _slip(audit, scopes)


def explain(table: Table) -> list[tuple[Series, Definition]]:
    """What explains most numbers of each average column, which chance may do as well (`believed`).

    The audit reports these definitions; `others` are further simple ones of the same numbers.
    """
    explained = (_explain(_all_series(table, j, down=True)) for j in table.cols("average"))
    return list(filter(None, explained))


def _all_series(table: Table, at: int, down: bool) -> list[Series]:
    """An average column or row with each set of parts that it may be over."""
    scopes = _column_scopes(table, at) if down else _row_scopes(table, at)
    distinct = dict.fromkeys(tuple(scope) for scope in scopes if len(scope) >= 2)
    return [series(table, at, list(scope), down) for scope in distinct]


def _column_scopes(table: Table, j: int) -> list[list[int]]:
    """Sets of columns that an average column may be over, the likeliest first."""
    column = table.columns[j]
    if table.long:
        return [list(column.over)]
    counts = [table.cols("part", "n", "other", "size")] * (column.role == "total")
    parts, stops = table.cols("part"), table.cols("average", "total")
    left = max((k for k in stops if k < j), default=-1)
    right = min((k for k in stops if k > j), default=len(table.columns))
    return [
        [k for k in parts if column.top and table.columns[k].top == column.top],
        [k for k in parts if left < k < j],
        [k for k in parts if j < k < right],
        parts,
        [k for k in stops if k > j] if j == min(stops) else [k for k in stops if k < j],
        *counts,
    ]


def _row_scopes(table: Table, i: int) -> list[list[int]]:
    """Sets of rows that an average row may be over, the likeliest first."""
    data, stops = table.rows_of("data"), table.rows_of("average", "total")
    above = max((k for k in stops if k < i), default=-1)
    row, rows = table.rows[i], table.rows
    return [
        [k for k in data if above < k < i],
        [k for k in data if row.group and rows[k].group == row.group],
        [k for k in data if rows[k].block == row.block],
        data,
        [k for k in stops if k < i],
    ]


def _explain(scopes: list[Series]) -> tuple[Series, Definition] | None:
    """The best definition over all scopes: a simple one that is not believed if none is."""
    scopes = [one for one in scopes if (~np.isnan(one.parts)).sum(axis=1).max(initial=0) >= 2]
    if not scopes:
        return None
    tried = [(one, d) for one in scopes for d in definitions(one, one.sizes)]
    simple = [(one, d) for one, d in tried if d.kind in _SIMPLE]
    believed = [(one, d) for one, d in tried if d.tested.any() and d.believed]
    best = max(believed or simple[:1], key=_rank)
    lines = len(best[1].fits)
    best[1].others = [d for _, d in simple if d is not best[1] and len(d.fits) == lines]
    return best


def _rank(pair: tuple[Series, Definition]) -> tuple:
    one = pair[1]
    return (one.believed, round(one.share, 2), -KINDS.index(one.kind), one.fits.sum())


def _facts(one: Series, definition: Definition) -> dict:
    return {
        "series": one.name,
        "definition": one.define(definition),
        "fits": int(definition.fits.sum()),
        "tested": int(definition.tested.sum()),
        "chance": definition.chance,
    }


def _misfit(audit: Audit, one: Series, definition: Definition, line: int) -> None:
    """A line that a believed definition does not explain."""
    printed, expected = one.printed[line], definition.expected[line]
    allowed = definition.allowed[line]
    off = abs(printed - expected)
    hints = {
        "also": next((one.define(d) for d in definition.others if d.fits[line]), ""),
        "incomplete": bool(np.isnan(one.parts[line, list(definition.groups)]).any()),
        "noted": bool(_NOTED.search(one.line_text(line))),
        "open": definition.kind == "plain" and bool(_OPEN.search(one.name)),
    }
    exact = one.table.long and (definition.share >= _SURE or len(definition.fits) <= 2)
    level = "question" if exact else "look"
    # a line of fewer decimals than others may be rounded so
    decimals = max(one.table.decimals[cell] for cell in one.cells(line, definition.groups))
    far = off > max(_FAR * allowed, 10.0**-decimals) and not hints["incomplete"]
    if far and _is_sure(one, definition, line):
        level = "question" if any(hints.values()) else "error"
    audit.find(
        one.table,
        one.role,
        level,
        one.cells(line, definition.groups),
        "average",
        expected=number(expected, one.decimals + 1),
        size=off / allowed,
        hints=[hint for hint, holds in hints.items() if holds],
        off=number(off, one.decimals + 1),
        **hints,
        **_facts(one, definition),
    )


def _slip(audit: Audit, scopes: list[Series]) -> None:
    """The one line that is no plain mean, or sum, of its parts, but a slip away from it."""
    for one in scopes:
        definition, add = ("the sum", np.sum) if one.role == "total" else ("the mean", np.mean)
        expected = add(one.parts, axis=1)
        off = np.abs(one.printed - expected) > 10.0**-one.decimals  # more than cut
        wrong = np.flatnonzero(off)
        if len(wrong) != 1:
            continue
        line = wrong[0]
        shown, meant = (number(x[line], one.decimals) for x in (one.printed, expected))
        if is_slip(shown, meant) and chance_of_slip(shown) < _SLIP:
            cells = one.cells(line, range(len(one.groups)))
            facts = {"expected": meant, "definition": f"{definition} of its parts"}
            audit.find(one.table, one.role, "question", cells, "slip", **facts)
            return


def _is_sure(one: Series, definition: Definition, line: int) -> bool:
    """Whether nearly all complete lines fit a plain definition, which chance would not make."""
    complete = definition.tested & ~np.isnan(one.parts[:, list(definition.groups)]).any(axis=1)
    fits = definition.fits[complete].sum()
    total = definition.kind == "sum" and one.role == "total"
    if total and _NO_COUNT.search(one.line_text(line)):
        return False
    enough = fits >= _ENOUGH - (one.table.long or total) and fits >= _SURE * complete.sum()
    # what a name tells exactly needs less
    clear = definition.chance < (_RARE if total else _NEVER) or one.table.long
    return (definition.kind in _SIMPLE or total) and enough and clear
