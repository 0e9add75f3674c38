"""Verdicts: from numbers compared to what may be said of a claim."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np
from scipy import stats

from analysis.claims.terms import Estimate, minus
from analysis.errors import DataError, unknown
from analysis.statistics.intervals import adjust

REPRODUCED = "reproduced"
NOT_SIGNIFICANT = "reproduced, not significant"
UNKNOWN_N = "holds as printed, n unknown"
CONTRADICTED = "contradicted"
DEPENDS = "depends on definition"
NOT_CHECKABLE = "not checkable from what is published"
VERDICTS = {
    REPRODUCED: "equal within the printed precision, or the stated relation holds beyond chance",
    NOT_SIGNIFICANT: "the relation holds in the printed numbers, but the data cannot tell it from noise",
    UNKNOWN_N: "the relation holds in the printed numbers; without the number of questions nobody can tell it from noise",
    CONTRADICTED: "the paper's own numbers say otherwise",
    DEPENDS: "holds under one reading of the wording and not under another; all are given",
    NOT_CHECKABLE: "needs data that is not published, or is hidden by rounding",
}
LEVEL = 0.05
Z = float(stats.norm.ppf(0.975))


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    found : str
        The recomputed value or relation, in words.
    value, low, high : float
        The recomputed number with its 95 % interval, NaN where there is none.
    n : float
        Questions behind the least supported number used.
    p : float
        Of the comparison that decides, adjusted by Holm over the claim's comparisons.
    tolerance : str
        How near counts as equal, or what counts as significant, and why.
    why : str
    rows : tuple of int
        Rows of the evidence that were used.
    """

    verdict: str
    found: str = ""
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    n: float = np.nan
    p: float = np.nan
    tolerance: str = ""
    why: str = ""
    rows: tuple[int, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Two estimates and their relation: `state` is True (holds), False (fails) or None (equal as printed, so hidden by rounding).

    `certain`: the interval leaves no room for the other side. `known`: there is an interval, or the relation is one that noise
    cannot break.
    """

    label: str
    a: Estimate
    b: Estimate
    state: bool | None
    p: float
    certain: bool = True
    rule: str = ""
    known: bool = True

    @property
    def text(self) -> str:
        """The two numbers under their label."""
        return f"{self.label} {short(self.a.value)} against {short(self.b.value)}".strip()


def short(value: float) -> str:
    """A number for readers: up to four significant digits after rounding away binary noise."""
    return "–" if np.isnan(value) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def p_value(difference: Estimate) -> float:
    """Two-sided normal p value of a difference from zero, from its interval's width; NaN without an interval."""
    width = difference.high - difference.low
    if np.isnan(width):
        return np.nan
    return erfc(abs(difference.value) / (width / (2 * Z)) / sqrt(2)) if width else float(difference.value == 0)


def compared(label: str, a: Estimate, b: Estimate, relation: str, within: float | None = None) -> Comparison:
    """`a` beside `b`. Relations: ``> < >= <=``; ``=`` (equal to rounding, and `within`), an identity that noise cannot break; ``~`` (at most
    `within` apart), which noise can."""
    difference = minus([a, b])
    d, hidden = difference.value, abs(difference.value) < max(difference.half - 1e-9, 1e-12)
    if relation == "~":
        if within is None:
            raise DataError("the relation ~ needs within")
        inside = abs(d) <= within + 1e-9
        ends = max(abs(difference.low), abs(difference.high)), difference.low > within or difference.high < -within
        known = not np.isnan(difference.low)
        certain = not known or bool(ends[0] <= within if inside else ends[1])
        return Comparison(label, a, b, inside, np.nan, certain, f"at most {short(within)} apart", known)
    if relation == "=":
        allowed = difference.half + (within or 0.0)
        return Comparison(
            label,
            a,
            b,
            abs(d) <= allowed + 1e-9,
            np.nan,
            rule=f"equal within ± {short(allowed)}: rounding{' and the reading' if within else ''}",
        )
    p = p_value(difference)
    if relation in (">=", "<="):
        state = bool(hidden or (d > 0) == (relation == ">="))
        return Comparison(label, a, b, state, p, known=not np.isnan(p))
    if relation not in (">", "<"):
        raise unknown("relation", relation, [">", "<", ">=", "<=", "=", "~"])
    return Comparison(label, a, b, None if hidden else bool((d > 0) == (relation == ">")), p, known=not np.isnan(p))


QUANTIFIERS: dict[str, Callable[[int, int], bool]] = {
    "all": lambda k, n: k == n,
    "most": lambda k, n: 2 * k > n,
    "none": lambda k, n: k == 0,
    "some": lambda k, n: k > 0,
    "minority": lambda k, n: 2 * k < n,
}


def _quantifier(holds: object) -> tuple[str, Callable[[int, int], bool]]:
    if isinstance(holds, dict) and len(holds) == 1:
        ((name, number),) = holds.items()
        tests = {"exactly": lambda k, n: k == number, "at_least": lambda k, n: k >= number, "at_most": lambda k, n: k <= number,
                 "all_but": lambda k, n: n - k <= number}  # fmt: skip
        if name in tests:
            return f"{name.replace('_', ' ')} {number}", tests[name]
    if not isinstance(holds, str) or holds not in QUANTIFIERS:
        raise unknown("quantifier", holds, [*QUANTIFIERS, "exactly", "at_least", "at_most", "all_but"])
    return holds, QUANTIFIERS[holds]


def judge(comparisons: Iterable[Comparison], holds: object = "all") -> Outcome:
    """Verdict of a claim about how many comparisons hold.

    The comparisons' p values are adjusted by Holm. Printed counts decide whether the claim holds; it is `reproduced` only if it also
    holds for every count that noise allows: each comparison that is not significant may go either way. If it would be so only
    because comparisons without an n are taken as printed, that is said (`UNKNOWN_N`).
    """
    comparisons = list(comparisons)
    if not comparisons:
        return Outcome(NOT_CHECKABLE, why="the numbers that it needs are not published")
    name, test = _quantifier(holds)
    adjusted = adjust([c.p for c in comparisons])
    sure = [c.certain and (np.isnan(p) or p < LEVEL) for c, p in zip(comparisons, adjusted, strict=True)]
    n = len(comparisons)
    holding = [c for c in comparisons if c.state]
    failing = [c for c in comparisons if c.state is not None and not c.state]
    printed = {test(k, n) for k in range(len(holding), n - len(failing) + 1)}
    if printed == {False}:
        verdict = CONTRADICTED
    elif len(printed) == 2:
        verdict = NOT_CHECKABLE
    elif not _for_every_count(test, comparisons, sure):
        verdict = NOT_SIGNIFICANT
    else:
        known = [s and c.known for c, s in zip(comparisons, sure, strict=True)]
        verdict = REPRODUCED if _for_every_count(test, comparisons, known) else UNKNOWN_N
    return Outcome(
        verdict,
        found=_found(comparisons, holding, failing),
        **_single(comparisons),
        n=float(np.nanmin([np.inf, *(min(c.a.n if c.a.n == c.a.n else np.inf, c.b.n if c.b.n == c.b.n else np.inf) for c in comparisons)])),
        p=_decisive(verdict, comparisons, adjusted, name),
        tolerance=_tolerance(comparisons),
        why=_why(verdict, name, holding, failing, comparisons, sure),
        rows=tuple(row for c in comparisons for row in (*c.a.rows, *c.b.rows)),
    )  # fmt: skip


def _for_every_count(test: Callable[[int, int], bool], comparisons: list[Comparison], sure: list[bool]) -> bool:
    """Whether a quantifier holds however the comparisons that are not sure turn out."""
    n = len(comparisons)
    lowest = sum(bool(c.state) and s for c, s in zip(comparisons, sure, strict=True))
    highest = n - sum(c.state is False and s for c, s in zip(comparisons, sure, strict=True))
    return all(test(k, n) for k in range(lowest, highest + 1))


def _single(comparisons: list[Comparison]) -> dict:
    """Difference and interval where there is one comparison only."""
    if len(comparisons) > 1:
        return {}
    difference = minus([comparisons[0].a, comparisons[0].b])
    return {"value": difference.value, "low": difference.low, "high": difference.high}


def _decisive(verdict: str, comparisons: list[Comparison], adjusted: np.ndarray, name: str) -> float:
    """The p value that decides: of the weakest comparison that has to hold, or of the strongest that fails."""
    of = {
        state: [p for p, c in zip(adjusted, comparisons, strict=True) if c.state is state and not np.isnan(p)]
        for state in (True, False)
    }
    if verdict == CONTRADICTED:
        return float(min(of[False], default=np.nan))
    return float(max(of[True], default=np.nan)) if name == "all" else np.nan


def _found(comparisons: list[Comparison], holding: list, failing: list) -> str:
    if len(comparisons) == 1:
        return comparisons[0].text
    equal = len(comparisons) - len(holding) - len(failing)
    return f"holds in {len(holding)} of {len(comparisons)}" + (f", equal as printed in {equal}" if equal else "")


def _tolerance(comparisons: list[Comparison]) -> str:
    if comparisons[0].rule:
        return comparisons[0].rule
    if all(e.low == e.high for c in comparisons for e in (c.a, c.b)):
        return "exact: counts"
    if any(not np.isnan(c.p) for c in comparisons):
        many = f", Holm over {len(comparisons)}" if len(comparisons) > 1 else ""
        return f"significant at 5 % two-sided{many}; models taken as independent (conservative on the same questions)"
    return "as printed: no n is published, so there is no interval" if not all(c.known for c in comparisons) else "exact"


def _names(part: list[Comparison], limit: int = 5) -> str:
    more = f" and {len(part) - limit} more" if len(part) > limit else ""
    return "; ".join(c.text for c in part[:limit]) + more


def _why(verdict: str, name: str, holding: list, failing: list, comparisons: list, sure: list) -> str:
    if len(comparisons) == 1:
        if comparisons[0].rule:
            return {
                CONTRADICTED: "the numbers differ by more than that",
                NOT_SIGNIFICANT: "the interval leaves room for more than that",
            }.get(verdict, "")
        noise = "" if sure[0] else "; the difference is within its interval of zero"
        return {
            CONTRADICTED: f"the numbers say the opposite{noise}",
            NOT_SIGNIFICANT: "the difference is within its interval of zero",
            NOT_CHECKABLE: "equal as printed: rounding hides the order",
        }.get(verdict, "")
    parts = [f"asked: {name} of {len(comparisons)}"]
    if failing:
        parts.append(f"fails in {len(failing)}: {_names(failing)}")
    if hidden := [c for c in comparisons if c.state is None]:
        parts.append(f"equal as printed: {_names(hidden)}")
    unsure = [c for c, s in zip(comparisons, sure, strict=True) if c.state and not s]
    if unsure and verdict != CONTRADICTED:
        parts.append(f"not significant in {len(unsure)} of the {len(holding)} that hold: {_names(unsure, 3)}")
    return ". ".join(parts)


def value(found: Estimate | None, stated: float, decimals: int, tolerance: float | None = None) -> Outcome:
    """Verdict of a stated number: `reproduced` if it is the computed one within half its last digit and the rounding of the parts."""
    if found is None:
        return Outcome(NOT_CHECKABLE, why="the numbers that it needs are not published")
    allowed = (0.5 * 10.0**-decimals if tolerance is None else tolerance) + found.half + 1e-9
    verdict = REPRODUCED if abs(found.value - stated) <= allowed else CONTRADICTED
    basis = "half the last stated digit" if tolerance is None else f"{short(tolerance)} for the wording"
    rounding = f" + {short(found.half)} for rounded parts" if found.half else ""
    return Outcome(
        verdict, found=short(found.value), value=found.value, low=found.low, high=found.high, n=found.n,
        tolerance=f"± {short(allowed)}: {basis}{rounding}", rows=found.rows,
        why="" if verdict == REPRODUCED else f"stated {short(stated)}, recomputed {short(found.value)}",
    )  # fmt: skip


def holds(outcome: Outcome) -> bool:
    """Whether the claim is true of the printed numbers, beyond noise or not."""
    return outcome.verdict in (REPRODUCED, NOT_SIGNIFICANT, UNKNOWN_N)


def alternatives(outcomes: dict[str, Outcome]) -> Outcome:
    """Verdict over several readings of the wording: theirs where all agree, `depends on definition` where some hold and some fail."""
    answered = {name: o for name, o in outcomes.items() if o.rows or o.verdict != NOT_CHECKABLE}
    outcomes = answered or outcomes  # a reading for which there are no numbers says nothing
    first = next(iter(outcomes.values()))
    told = "; ".join(f"{name}: {o.found} ({o.verdict})" for name, o in outcomes.items())
    rows = tuple(row for o in outcomes.values() for row in o.rows)
    found = [o.verdict for o in outcomes.values()]
    some = any(holds(o) for o in outcomes.values())
    if some and not all(holds(o) for o in outcomes.values()):
        return replace(
            first, verdict=DEPENDS, found=told, why="readings differ", rows=rows, p=np.nan, value=np.nan, low=np.nan, high=np.nan
        )
    merged = together(list(outcomes.values()))
    verdict = NOT_CHECKABLE if not some and set(found) != {CONTRADICTED} else merged.verdict
    return replace(merged, verdict=verdict, found=told)


def together(outcomes: list[Outcome]) -> Outcome:
    """Verdict of a claim with several parts: its weakest part's."""
    order = [CONTRADICTED, NOT_CHECKABLE, DEPENDS, NOT_SIGNIFICANT, UNKNOWN_N, REPRODUCED]
    worst = min(outcomes, key=lambda o: order.index(o.verdict))
    if len(outcomes) == 1:
        return worst
    return replace(
        worst,
        found="; ".join(o.found for o in outcomes if o.found),
        why=". ".join(dict.fromkeys(o.why for o in outcomes if o.why)),
        rows=tuple(row for o in outcomes for row in o.rows),
    )
