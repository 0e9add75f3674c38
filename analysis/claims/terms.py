"""The language of claims: selections of printed numbers and arithmetic with their errors."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.errors import DataError, refuse_unknown
from analysis.papers import published
from analysis.statistics.intervals import mover

_SELECTABLE = "artifact benchmark model setting group_by group metric source".split()
# kinds in models.csv of rows that are no models
_NOT_MODELS = ("chance", "human", "key", "summary", "unreadable")
_FACTS = ("facts", "where", "sum", "distinct", "among")
_SHOWN = "artifact benchmark model setting group metric printed".split()


@dataclass(frozen=True)
class Estimate:
    """A number with its error, as far as that can be computed.

    Attributes
    ----------
    value, low, high : float
        `low` and `high` are the ends of a 95 % interval, NaN where no n is published.
    half : float
        How far rounding (or reading off a figure) may have moved it.
    n : float
        Questions behind it, NaN if unknown.
    rows : tuple of int
        Rows of `Numbers.frame` that it is made of.
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    half: float = 0.0
    n: float = np.nan
    rows: tuple[int, ...] = ()


def exactly(value: float, rows: tuple[int, ...] = ()) -> Estimate:
    """A count, which has no error."""
    return Estimate(float(value), float(value), float(value), rows=rows)


class Numbers:
    """Fast selections from a frame of evidence (see `analysis.claims.evidence`); suspect rows are
    never selected.
    """

    def __init__(self, frame: pd.DataFrame, paper: str):
        self.frame, self.paper = frame.reset_index(drop=True), paper
        self._columns = {
            c: self.frame[c].to_numpy(float, na_value=np.nan)
            for c in ("value", "ci_low", "ci_high", "half", "n_effective")
        }
        usable = ~self.frame["suspect"].to_numpy(bool) & ~np.isnan(self._columns["value"])
        self._usable = set(np.flatnonzero(usable).tolist())

    @cached_property
    def _index(self) -> dict[str, dict[str, set[int]]]:
        index = {}
        for column in _SELECTABLE:
            places = self.frame.groupby(column).indices
            index[column] = {name: set(rows.tolist()) for name, rows in places.items()}
        return index

    def rows(self, where: Mapping) -> list[int]:
        """Rows whose columns equal the given values or are among the given lists."""
        sets = [self._usable]
        for column, wanted in where.items():
            named = (self._index[column][name] for name in self.named(column, wanted))
            sets.append(set().union(*named))
        return sorted(set.intersection(*sorted(sets, key=len)))

    def named(self, column: str, wanted: object) -> list[str]:
        """The wanted names as a list.

        Raises
        ------
        DataError
            Where one is not text, or nothing in the paper's numbers has it, with the nearest name:
            it would select nothing, and say of the paper that it does not print what it does.
        """
        refuse_unknown("column of the printed numbers", _SELECTABLE, column)
        names = wanted if isinstance(wanted, list) else [wanted]
        for name in names:
            if not isinstance(name, str):
                reason = f"{name!r} is not text: quote it (YAML reads OFF, NO and 12 otherwise)"
                raise DataError(reason, field=column)
            refuse_unknown(f"{column} of {self.paper}", self._index[column], name)
        return names

    @cached_property
    def subjects(self) -> list[tuple[str, str] | None]:
        """Benchmark and subject of each row; None where it is not about one subject."""
        columns = self.frame[["benchmark", "group", "group_by"]].itertuples(index=False)
        return [(benchmark, group) if by == "subject" else None for benchmark, group, by in columns]

    def values(self, column: str, where: Mapping) -> list[str]:
        """Distinct values of `column` in the selection, in printed order."""
        return list(self.frame[column].iloc[self.rows(where)].unique())

    def members(self, column: str, where: Mapping) -> list[str]:
        """What "each" means along a column: its `values`, and of models no random, human or summary
        rows.
        """
        names = self.values(column, where)
        if column != "model":
            return names
        return [name for name in names if self._kinds.get(name) not in _NOT_MODELS]

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return published.models(self.paper)["kind"].to_dict()

    def one(self, where: Mapping) -> Estimate | None:
        """The selected number; None where there is none.

        Raises
        ------
        DataError
            Where the selection leaves more than one number.
        """
        rows = self.rows(where)
        if len({self._columns["value"][row] for row in rows}) > 1:
            reason = f"selects {len(rows)} numbers, not one: {dict(where)}"
            raise DataError(reason, field=self.paper)
        return self._estimate(rows[0]) if rows else None

    def term(self, spec: object, context: Mapping | None = None) -> Estimate | None:
        """Value of a term: a number, a selection, facts, or an operation on terms (`OPERATIONS`).

        `context` completes every selection in the term; the term's own columns go first. None where
        a selection is empty.
        """
        context = context or {}
        if isinstance(spec, (int, float)):
            return exactly(spec)
        if not isinstance(spec, Mapping):
            raise DataError(f"is no term: {spec!r}", field=self.paper)
        if "facts" in spec:
            refuse_unknown("key of facts", _FACTS, *spec)
            return self._facts(**spec)
        operation = next((key for key in spec if key in OPERATIONS), None)
        if operation is None:
            return self.one({**context, **spec})
        body = spec[operation]
        if operation == "weighted":
            return weighted([(float(weight), self.term(part, context)) for weight, part in body])
        if isinstance(body, list):
            parts = [self.term(part, context) for part in body]
        else:
            parts = [self._estimate(row) for row in self.rows({**context, **body})]
        if operation == "count":
            return exactly(len(parts), rows_of(parts))
        return OPERATIONS[operation](parts) if parts and None not in parts else None

    def _estimate(self, row: int) -> Estimate:
        return Estimate(*(float(column[row]) for column in self._columns.values()), (row,))

    def _facts(
        self,
        facts: str,
        where: Mapping | None = None,
        sum: str | None = None,
        distinct: str | None = None,
        among: Mapping | None = None,
    ) -> Estimate:
        """A count from a file of facts: rows, distinct values of a column, or the sum of a column.

        `among` keeps rows whose column has a value that another file has: ``{subject:
        questions.group}``.
        """
        table = schemas.where(published.facts(self.paper, facts), **(where or {}))
        for column, place in (among or {}).items():
            file, _, other = place.partition(".")
            listed = _column(published.facts(self.paper, file), other, file)
            table = table[_column(table, column, facts).isin(listed)]
        if sum:
            cells = _column(table, sum, facts).str.replace(",", "")
            return exactly(pd.to_numeric(cells).sum())
        return exactly(_column(table, distinct, facts).nunique() if distinct else len(table))

    @cached_property
    def _records(self) -> list[dict]:
        return records(self.frame[_SHOWN])

    def describe(self, rows: Iterable[int]) -> list[dict]:
        """The rows used, each once, for readers."""
        return [dict(self._records[row]) for row in dict.fromkeys(rows)]


def records(frame: pd.DataFrame) -> list[dict]:
    """Rows as plain dictionaries, missing numbers as None: what JSON and templates take."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def _column(table: pd.DataFrame, name: str, file: str) -> pd.Series:
    refuse_unknown(f"column of {file}", table.columns, name)
    return table[name]


def rows_of(parts: Iterable) -> tuple[int, ...]:
    """Rows of several estimates or outcomes together."""
    return tuple(row for part in parts for row in part.rows)


def least_n(parts: Iterable[Estimate]) -> float:
    """Questions behind the least supported of several numbers; NaN where none has an n."""
    return min((part.n for part in parts if np.isfinite(part.n)), default=np.nan)


def _combined(parts: list[Estimate], weights: list[float]) -> Estimate:
    """Weighted sum of independent estimates with its interval (`intervals.mover`)."""
    ends = [[getattr(part, end) for part in parts] for end in ("value", "low", "high")]
    value, low, high = map(float, mover(*ends, weights))
    half = sum(abs(weight) * part.half for weight, part in zip(weights, parts, strict=True))
    return Estimate(value, low, high, half, least_n(parts), rows_of(parts))


def minus(parts: list[Estimate]) -> Estimate:
    """First minus second."""
    return _combined(parts, [1.0, -1.0])


def weighted(parts: list[tuple[float, Estimate | None]]) -> Estimate | None:
    """Mean of terms by weights, from pairs of a weight and a term."""
    weights, estimates = zip(*parts, strict=True)
    if None in estimates:
        return None
    mean = _combined(list(estimates), [weight / sum(weights) for weight in weights])
    return replace(mean, n=sum(part.n for part in estimates))


def _mean(parts: list[Estimate]) -> Estimate:
    return weighted([(1.0, part) for part in parts])


def _sum(parts: list[Estimate]) -> Estimate:
    return _combined(parts, [1.0] * len(parts))


def _over(parts: list[Estimate]) -> Estimate:
    """First over second, with the limits of a ratio of independent estimates (Zou, Donner 2012)."""
    a, b = parts
    if not b.value:
        return Estimate(np.nan, rows=rows_of(parts))
    ratio = a.value / b.value
    half = (b.half * abs(ratio) + a.half) / abs(b.value)
    low = high = np.nan
    if a.low >= 0 and b.low > 0:
        low = _ratio_limit(a.value, b.value, a.low, b.high, -1)
        high = _ratio_limit(a.value, b.value, a.high, b.low, 1)
    return Estimate(ratio, low, high, half, least_n(parts), rows_of(parts))


def _ratio_limit(a: float, b: float, end_a: float, end_b: float, side: int) -> float:
    both = (a * b) ** 2 - end_a * end_b * (2 * a - end_a) * (2 * b - end_b)
    return (a * b + side * max(both, 0.0) ** 0.5) / (end_b * (2 * b - end_b))


def _range(parts: list[Estimate]) -> Estimate:
    """Largest minus smallest; no interval, as the ends are chosen."""
    values = [part.value for part in parts]
    half = 2 * max(part.half for part in parts)
    return Estimate(max(values) - min(values), half=half, rows=rows_of(parts))


def _variance(parts: list[Estimate]) -> Estimate | None:
    """Variance of the numbers, which has no interval; None of fewer than two."""
    if len(parts) < 2:
        return None
    value = np.var([part.value for part in parts], ddof=1)
    return Estimate(value, n=len(parts), rows=rows_of(parts))


def _extreme(choose: Callable, parts: list[Estimate]) -> Estimate:
    return replace(choose(parts, key=attrgetter("value")), rows=rows_of(parts))


OPERATIONS = {
    "count": None,
    "minus": minus,
    "over": _over,
    "mean": _mean,
    "weighted": None,
    "sum": _sum,
    "range": _range,
    "variance": _variance,
    "max": partial(_extreme, max),
    "min": partial(_extreme, min),
}
