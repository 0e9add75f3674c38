"""Bold is best, underlined second, ranks are an order: most marks tell what they mean."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np

from analysis.audit.findings import Audit
from analysis.audit.printed_table import SCORES, Table

BELIEVED = 3.0  # log of 20: so much likelier that a mark means best than that it falls anywhere
# marks that fit, and their share, beside which another one is an error or a question
_FITS = (5, 0.8), (3, 0.75)
_MOST = 0.6  # share of the marks that has to fit
_MISTAKES = 0.1  # share of wrong marks that is usual; marks of another meaning fall anywhere
UNMARKED, SEVERAL = -0.3, -0.5  # points of cells without a mark, and with marks beside the best
_NUMBERED = 8  # rows by "#", from which on one may be out of order
_RANK = re.compile(r"(?i)rank|place|pos|名")
_ABOUT_MARKS = re.compile(r"(?i)\bbold|highlight|marked|加粗")
_HEDGED = re.compile(
    r"(?i)significan|\bwithin\b|confidence|top[- ]?(\d|two|three|five)|\bours\b|our "
    r"(method|model)s?\b|same level|comparable|indistinguishable|\bgap\b|range|among|except|only"
)
_NO_RIVAL = re.compile(r"(?i)oracle|upper|topline|gold|reference|[†‡§¶]|\*\s*$")

_Cells = list[tuple[int, int]]
_Contest = tuple[_Cells, str]  # cells of which one is marked as best; which direction is better


@dataclass
class Verdict:
    """What marks say of one contest: points for its partition, cells marked wrongly, the best, all,
    and cells that are marked next to the best.
    """

    points: float
    wrong: _Cells
    right: _Cells
    cells: _Cells
    again: _Cells = field(default_factory=list)


def check(table: Table, audit: Audit) -> None:
    """Marks, then ranks."""
    about = " ".join(text for text in [table.caption, *table.text] if _ABOUT_MARKS.search(text))
    hedged = bool(_HEDGED.search(about))
    partitions = dict(_partitions(table))
    for mark in ("bold", "underline"):
        if getattr(table, mark).any():
            _marks(table, audit, mark, partitions, hedged)
    for j in table.cols("rank"):
        _ranks(table, audit, j)


def _partitions(table: Table) -> Iterator[tuple[str, list[_Contest]]]:
    """The ways in which a table's cells may compete, in columns or in rows."""
    rows, columns = table.rows_of("data"), table.cols(*SCORES)
    marked = columns + [j for j in table.cols("other") if table.bold[rows, j].any()]
    for key in ("role", "block", "section", "group"):
        name = f"column by {key}" if key != "role" else "column"
        blocks = _together(rows, [getattr(table.rows[i], key) for i in rows])
        contests = [([(i, j) for i in part], table.columns[j]) for part in blocks for j in marked]
        yield name, [(cells, column.better) for cells, column in contests]
    scores = [table.columns[j] for j in columns]
    kinds = [(one.better, one.metric, one.top) for one in scores]
    contests = [
        ([(i, j) for j in alike], table.rows[i].better or table.columns[alike[0]].better)
        for alike in _together(columns, kinds)
        for i in table.rows_of("data", "human", "average")
    ]
    yield "row", contests


def _together(positions: list[int], keys: list) -> list[list[int]]:
    """Positions of the same key."""
    pairs = sorted(zip(keys, positions, strict=True), key=lambda pair: str(pair[0]))
    return [[at for _, at in part] for _, part in groupby(pairs, key=lambda pair: pair[0])]


def _marks(table: Table, audit: Audit, mark: str, partitions: dict, hedged: bool) -> None:
    """The partition and direction that explain most marks, and what they do not explain."""
    tried = []
    for name, contests in partitions.items():
        for default in ("higher", "lower"):
            judged = [_judge(table, cells, better or default, mark) for cells, better in contests]
            these = list(filter(None, judged))
            tried.append((round(sum(one.points for one in these), 9), name, these))
    best_points, partition, verdicts = max(tried, key=lambda one: one[0])
    fits = sum(one.points > 0 and not one.wrong for one in verdicts)
    misfits = [one for one in verdicts if one.wrong]
    tested = fits + len(misfits)
    place = "best" if mark == "bold" else "second"
    facts = {"mark": mark, "place": place, "partition": partition, "fits": fits, "tested": tested}
    unknown = best_points < BELIEVED or fits < max(2, _MOST * tested)
    kind = "mark unknown" if unknown else "mark"
    audit.cover(table, mark, getattr(table, mark).sum(), kind, **facts)
    if unknown:
        return
    rows = {one.right[0][0] for one in misfits}
    across = partition.startswith("row") == (table.models == "columns")
    usual = across and not hedged and len(rows) == len(misfits)  # else a row may not compete
    # the one cell of a table that is marked next to the best of its contest
    again = [one for one in verdicts for _ in one.again if across and not hedged]
    for one in again if len(again) == 1 else ():
        if _level(fits, tested, _is_explained(table, one, mark, False)) == "error":
            other = table.where(*one.right[0])
            cells = [*one.again, one.right[0]]
            audit.find(table, mark, "question", cells, "mark again", other=other, **facts)
    for one in misfits:
        i, j = one.right[0]
        others = [other.right[0][1] for other in verdicts if other.points > 0]
        turned = not table.columns[j].better and j not in others
        level = _level(fits, tested, _is_explained(table, one, mark, turned)) if usual else "look"
        audit.find(
            table,
            mark,
            level,
            one.wrong + one.right,
            "mark",
            expected=table.numbers[i][j].printed,
            size=2,
            other=table.where(i, j),
            **facts,
        )


def _level(fits: int, tested: int, explained: bool) -> str:
    """The level of a mark that does not fit, by how many others do."""
    passed = [fits >= least and fits >= share * tested for least, share in _FITS]
    return ("look", "question", "error")[max(sum(passed) - explained, 0)]


def _is_explained(table: Table, one: Verdict, mark: str, turned: bool) -> bool:
    """Whether a mark may be right: the column may be `turned`, others compete, a row is marked."""
    i, j = (one.wrong or one.again)[0]
    marks, values = getattr(table, mark), {cell: table.values[cell] for cell in one.cells}
    opposite = turned and values[i, j] in (min(values.values()), max(values.values()))
    scores = [k for k in table.cols(*SCORES) if table.numbers[i][k]]
    whole = len(scores) > 1 and marks[i, scores].all()
    row, column = one.right[0]
    rival = f"{table.where(row, column)} {table.text_of(row, column)}"
    unmarked = table.models == "columns" and not marks[:, column].any()
    if opposite or whole or unmarked or _NO_RIVAL.search(rival):
        return True
    sign = 1 if values[one.right[0]] > values[i, j] else -1
    for key in ("block", "section", "group"):
        label = getattr(table.rows[i], key)
        rows = [k for k, row in enumerate(table.rows) if getattr(row, key) == label]
        near = [cell for cell in values if cell[0] in rows]
        best = all(sign * values[cell] <= sign * values[i, j] for cell in near)
        if best and 1 < len(near) < len(values) and marks[rows].sum() > 1:
            return True
    return False


def _judge(table: Table, cells: _Cells, better: str, mark: str) -> Verdict | None:
    """Points for a partition from one contest; None where it says nothing."""
    cells = [cell for cell in cells if not np.isnan(table.values[cell])]
    marked = [cell for cell in cells if getattr(table, mark)[cell]]
    order = sorted((table.values[cell] for cell in cells), reverse=better == "higher")
    values = list(dict.fromkeys(order))
    if len(values) < 2 or len(marked) == len(cells):
        return None
    place = 0 if mark == "bold" else 1
    right = [cell for cell in cells if table.values[cell] == values[place]]
    wrong = [cell for cell in marked if table.values[cell] != values[place]]
    if not marked:
        return Verdict(UNMARKED, [], right, cells)
    if not wrong:
        points = np.log((1 - _MISTAKES) * len(cells) / len(right))
        return Verdict(float(points), [], right, cells)
    if len(marked) > len(wrong):
        return Verdict(SEVERAL, [], right, cells, wrong)
    others = max(len(cells) - len(right), 1)
    return Verdict(float(np.log(_MISTAKES * len(cells) / others)), wrong, right, cells)


def _ranks(table: Table, audit: Audit, j: int) -> None:
    """A rank column against the column whose order it is."""
    rows = [i for i in table.rows_of("data") if not np.isnan(table.values[i, j])]
    if len(rows) < 4:
        return
    ranks = table.values[rows, j]
    orders = [
        (_inversions(ranks, sign * table.values[rows, k]), k)
        for k in table.columns[j].over or table.cols("average", "part", "other")
        for sign in (-1, 1)
        if np.isnan(table.values[rows, k]).mean() <= 0.3
    ]
    wrong, k = min(orders, key=lambda order: len(order[0]), default=([], j))
    facts = {"rank": table.columns[j].name, "column": table.columns[k].name}
    # "#" may number the runs, in an order that is by chance that of a column
    named = _RANK.search(table.columns[j].label)
    sure = len(rows) >= _NUMBERED
    unknown = not orders or len(wrong) > (0.2 * len(rows) if named else sure)
    audit.cover(table, "rank", len(rows), "rank unknown" if unknown else "rank", **facts)
    if unknown:
        return
    level = "error" if table.long else "question" if sure else "look"
    for p, q in wrong:
        a, b = rows[p], rows[q]
        audit.find(
            table,
            "rank",
            level,
            [(b, k), (a, k), (b, j), (a, j)],
            expected=f"rank {ranks[q]:g}",
            other=table.rows[a].label,
            value=table.numbers[a][k].printed,
            fits=len(rows) - len(wrong),
            tested=len(rows),
        )


def _inversions(ranks: np.ndarray, cost: np.ndarray) -> list[tuple[int, int]]:
    """Neighbours in rank of which the lower-ranked is strictly better."""
    order = [k for k in np.argsort(ranks, kind="stable") if not np.isnan(cost[k])]
    return [(p, q) for p, q in pairwise(order) if cost[q] < cost[p] and ranks[q] > ranks[p]]
