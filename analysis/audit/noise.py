"""Which gaps are noise? What each difference of a table can show with its n."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analysis.audit.printed_table import SCORES, Table

_SHARES = ("percent", "proportion")

_Cell = tuple[int, int]


@dataclass(frozen=True)
class Gap:
    """Two neighbours of a ranking, in points.

    `low`, `high`: Newcombe's interval of the difference of two independent samples; `p_low`,
    `p_high`: McNemar's p over all pairings of the answers to the same questions.
    """

    table: str
    column: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_low: float
    p_high: float
    verdict: str
    n: int


def gaps(table: Table, n: int | None = None) -> list[Gap]:
    """Neighbours in the ranking by a table's average, or by each column with an n.

    Parameters
    ----------
    n : int, optional
        Questions behind a number where the table does not say (``--n``).
    """
    compared = []
    first = (table.cols("average") or table.cols("part"))[:1]
    for j in dict.fromkeys([*first, *table.cols("part")]):
        column = table.columns[j]
        # which column the text's n is of is unknown
        size = column.n or (j in first and (n or table.n))
        cells = [(i, j) for i in table.rows_of("data") if not np.isnan(table.values[i, j])]
        if size and len(cells) > 1 and table.units[cells[0]] in _SHARES:
            order = sorted(cells, key=lambda cell: -table.values[cell])
            compared += [_gap(table, column.name, pair, int(size)) for pair in pairwise(order)]
    return compared


def _gap(table: Table, column: str, pair: tuple[_Cell, _Cell], n: int) -> Gap:
    """Two cells: Newcombe's interval and the range of McNemar's p."""
    # scipy.stats and statsmodels take half a second to import
    from analysis.statistics.intervals import mover, wilson
    from analysis.statistics.pairing import over_pairings

    shares = np.array([table.shares[cell] for cell in pair]).clip(0, 1)
    right = np.rint(shares * n)
    ends = [100 * float(end) for end in mover(shares, *wilson(right, [n, n]), [1, -1])]
    pairing = over_pairings(*right, n)
    p_values = float(pairing.p_low), float(pairing.p_high)
    models = [table.model(*cell) for cell in pair]
    return Gap(table.name, column, *models, *ends, *p_values, str(pairing.verdict), n)


def sentences(gaps: list[Gap], table: Table) -> list[str]:
    """Sentences that can be pasted into the paper, one a column."""
    if not gaps:
        return []
    from analysis.statistics.power import Plan  # takes a second to import

    values = table.shares[np.ix_(table.rows_of("data"), table.cols(*SCORES))]
    lines = []
    for column in dict.fromkeys(gap.column for gap in gaps):
        part = [gap for gap in gaps if gap.column == column]
        verdicts = [gap.verdict for gap in part]
        n, middle = part[0].n, float(np.nanmedian(values).clip(0.05, 0.95))
        smallest = 100 * Plan(accuracy=middle).detectable(n)
        lines.append(
            f"With n = {n} questions, differences in {column} below about {smallest:.1f} points "
            "cannot be told from chance for independent samples (80 % power, 5 % level); of "
            f"{len(part)} neighbouring ranks {verdicts.count('impossible')} are not significant "
            f"however the answers are paired (McNemar), {verdicts.count('undetermined')} depend "
            f"on which questions each model has right, and {verdicts.count('certain')} are "
            "significant under every pairing."
        )
    return lines
