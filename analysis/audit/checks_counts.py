"""A percentage of n questions is an integer count (GRIM)."""

import numpy as np
from scipy.special import bdtrc

from analysis.audit.findings import Audit
from analysis.audit.printed_table import Table
from analysis.statistics.printed_counts import chance_to_pass, integer_counts

# metrics that are shares of the questions
_SHARES = ("accuracy", "response_rate", "pass@1", "conditional_accuracy")
_MOST = 0.75  # share of a column that has to pass before another number is asked about
_RARE = 1e-4


def check(table: Table, audit: Audit) -> None:
    """Numbers of a column that no count of its n gives, where chance would not make others fit."""
    by_size: dict[tuple[int, int, str], list[int]] = {}
    for j in table.cols("part", "average"):
        for i in table.rows_of("data", "human") if table.columns[j].metric in _SHARES else ():
            shown, n, unit = table.numbers[i][j], table.size(i, j), str(table.units[i, j])
            if shown and n and unit != "score" and not shown.spread:
                by_size.setdefault((j, n, unit), []).append(i)
    for (j, n, unit), rows in by_size.items():
        scale, moved = (100, 2) if unit == "proportion" else (1, 0)
        values = table.values[rows, j] * scale
        decimals = table.usual[rows, j].astype(int) - moved
        low, high = integer_counts(values, n, decimals)
        passes = low <= high
        chance = chance_to_pass(n, int(np.median(decimals)))
        facts = {"n": n, "column": table.columns[j].name}
        facts |= {"fits": int(passes.sum()), "tested": len(rows)}
        audit.cover(table, "integer count", len(rows), power=1 - chance, **facts)
        inner = passes & (values > 0) & (values < 100)  # none and all are counts of any n
        by_chance = bdtrc(inner.sum() - 1, (inner | ~passes).sum(), chance)
        sure = passes.mean() >= _MOST and by_chance < _RARE
        for k in np.flatnonzero(~passes & sure):
            nearest = int(np.rint(values[k] * n / 100))
            audit.find(
                table,
                "integer count",
                "question",
                [(rows[k], j)],
                expected=f"{nearest} of {n}",
                chance=float(by_chance),
                **facts,
            )
