"""Verdicts of claims, from comparisons of numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.claims import verdict_sentences
from analysis.claims.terms import Estimate, least_n, minus, rows_of
from analysis.errors import DataError, refuse_unknown, unknown
from analysis.statistics import multiple
from analysis.statistics.intervals import ALPHA, interval_p

REPRODUCED = "reproduced"
NOT_SIGNIFICANT = "reproduced, not significant"
UNKNOWN_N = "holds as printed, n unknown"
CONTRADICTED = "contradicted"
WITHIN_CHANCE = "contradicted as printed, within chance"
CONTRADICTED_UNKNOWN_N = "contradicted as printed, n unknown"
DEPENDS = "depends on definition"
NOT_CHECKABLE = "not checkable from what is published"
VERDICTS = {
    REPRODUCED: "equal within the printed precision, or the stated relation is true beyond chance",
    NOT_SIGNIFICANT: "the relation is true of the printed numbers, but the data cannot separate "
    "it from noise",
    UNKNOWN_N: "the relation is true of the printed numbers; without the number of questions "
    "it cannot be tested",
    CONTRADICTED: "the paper's own numbers say otherwise, or its text elsewhere, or the code "
    "and data that it released; beyond chance, where chance has a part in it",
    WITHIN_CHANCE: "the printed numbers say otherwise, but the data do not exclude noise",
    CONTRADICTED_UNKNOWN_N: "the printed numbers say otherwise; without the number of questions "
    "it cannot be tested",
    DEPENDS: "true under one reading of the wording and not under another; all are given",
    NOT_CHECKABLE: "needs data that is not published, or is hidden by rounding",
}
TRUE = (NOT_SIGNIFICANT, UNKNOWN_N, REPRODUCED)  # of the printed numbers, the weakest first
UNTRUE = (WITHIN_CHANCE, CONTRADICTED_UNKNOWN_N, CONTRADICTED)


@dataclass(frozen=True)
class Outcome:
    """The result of a check.

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
        Of the whole statement (see `judge`); for a contradicted one, of its opposite. 0 where
        chance has no part in it (counts, identities, stated numbers), NaN where it was not tested.
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
    """Two estimates and their relation.

    Attributes
    ----------
    state : bool or None
        True (the relation holds), False (it fails), None (equal as printed: rounding hides it).
    p : float
        Of what is printed, were the opposite true; 0 for counts and for identities, which noise
        cannot break; NaN without an interval.
    rule : str
        What counts as equal.
    names : tuple of str
        Whose numbers they are, where the label does not say.
    """

    label: str
    a: Estimate
    b: Estimate
    state: bool | None
    p: float
    rule: str = ""
    names: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The two numbers under their label."""
        return verdict_sentences.pair(self.label, self.names, self.a.value, self.b.value)

    def p_of(self, state: bool, untested: float) -> float:
        """p of "the relation is so" (True) or "is not" (False); 1 if the numbers say otherwise."""
        if self.state is not state:
            return 1.0
        return untested if np.isnan(self.p) else self.p


def equal(difference: float, rounding: float) -> bool:
    """Whether two printed numbers can be roundings of one: each may be half a unit of its last
    digit off, and of two neighbours with the same digits one would have been printed twice.
    """
    return abs(difference) < max(rounding - 1e-9, 1e-9)


def compared(
    label: str,
    a: Estimate,
    b: Estimate,
    relation: str,
    within: float | None = None,
    names: Sequence[str] = (),
) -> Comparison:
    """Compare `a` with `b`.

    Relations: ``> < >= <=``; ``=`` (equal to rounding, and `within`), an identity that noise cannot
    break; ``~`` (at most `within` apart), which noise can: it holds beyond chance by two one-sided
    tests.
    """
    difference = minus([a, b])
    d = difference.value
    alike = equal(d, difference.half)
    if relation == "=":
        near = bool(within) and abs(d) <= difference.half + within + 1e-9
        rule = verdict_sentences.rounding_rule(difference.half, within)
        return Comparison(label, a, b, bool(alike or near), 0.0, rule)
    if relation == "~":
        return _near(label, a, b, difference, within)
    refuse_unknown("relation", [*_ORDERS, "=", "~"], relation)
    state = (d > 0) == relation.startswith(">")
    if alike:
        state = True if relation.endswith("=") else None
    return Comparison(label, a, b, state, _interval_p(difference), names=names)


def _interval_p(difference: Estimate, null: float = 0.0) -> float:
    """`interval_p`, which is 0 for differences without any width only."""
    low, high = difference.low, difference.high
    p = float(interval_p(difference.value, low, high, null))
    return max(p, np.finfo(float).tiny) if low < high else p


def _near(
    label: str, a: Estimate, b: Estimate, difference: Estimate, within: float | None
) -> Comparison:
    """Whether two estimates are at most `within` apart."""
    if not within:
        raise DataError("the relation ~ needs within")
    d = difference.value
    inside = abs(d) <= within + 1e-9
    if inside:
        p = multiple.equivalence(d, difference.low, difference.high, within)
    else:
        p = _interval_p(difference, np.copysign(within, d))
    return Comparison(label, a, b, inside, p, verdict_sentences.near_rule(within))


_ORDERS = (">", "<", ">=", "<=")
_QUANTIFIERS = {  # least and greatest number of n comparisons
    "all": lambda n: (n, n),
    "most": lambda n: (n // 2 + 1, n),
    "none": lambda n: (0, 0),
    "some": lambda n: (1, n),
    "minority": lambda n: (0, (n - 1) // 2),
}
_NUMBERED = {
    "exactly": lambda k, n: (k, k),
    "at_least": lambda k, n: (k, n),
    "at_most": lambda k, n: (0, k),
}


def _quantifier(holds: object, n: int) -> tuple[str, int, int]:
    """Name of a quantifier, and the least and greatest number of `n` comparisons under it."""
    if isinstance(holds, dict) and len(holds) == 1:
        ((name, number),) = holds.items()
        if name in _NUMBERED:
            return f"{name.replace('_', ' ')} {number}", *_NUMBERED[name](number, n)
    if not isinstance(holds, str) or holds not in _QUANTIFIERS:
        raise unknown("quantifier", holds, [*_QUANTIFIERS, *_NUMBERED])
    return holds, *_QUANTIFIERS[holds](n)


def judge(
    comparisons: Sequence[Comparison], holds: object = "all", disjoint: bool = False
) -> Outcome:
    """Verdict of a claim about how many comparisons hold.

    Printed counts decide whether the claim holds. It is `reproduced` only if the whole statement
    holds beyond chance, and `contradicted` only if its opposite does: "all" by the
    intersection-union test, "at least so many" by partial conjunction, "at most so many" by that
    of the failures. What would be so only if comparisons without an n were taken as printed is
    not tested (`UNKNOWN_N`, `CONTRADICTED_UNKNOWN_N`).

    Parameters
    ----------
    comparisons : sequence of Comparison
    holds : str or dict
        One of `_QUANTIFIERS`, or one of `_NUMBERED` with its number.
    disjoint : bool
        No two comparisons rest on the same questions, so that their p values may be multiplied
        (Fisher); else Bonferroni.
    """
    disjoint = disjoint and not any(c.rule for c in comparisons)
    if not comparisons:
        return Outcome(NOT_CHECKABLE, why=verdict_sentences.MISSING)
    n = len(comparisons)
    name, least, most = _quantifier(holds, n)
    holding = sum(c.state is True for c in comparisons)
    failing = sum(c.state is False for c in comparisons)
    greatest = n - failing  # those that rounding hides may hold or not
    verdict, p = NOT_CHECKABLE, np.nan
    if least <= holding and greatest <= most:
        verdict, p = _graded(comparisons, TRUE, (least, most), disjoint)
    elif greatest < least:
        verdict, p = _graded(comparisons, UNTRUE, (0, least - 1), disjoint)
    elif holding > most:
        verdict, p = _graded(comparisons, UNTRUE, (most + 1, n), disjoint)
    # which of them the verdict rests on: of "at most so many", those that fail
    deciding = holding > most if verdict in UNTRUE else least > 0
    ends = [end for c in comparisons for end in (c.a, c.b)]
    outcome = Outcome(
        verdict,
        found=verdict_sentences.counted(comparisons, holding, greatest - holding),
        n=least_n(ends),
        p=p,
        tolerance=verdict_sentences.tolerance(comparisons, name, disjoint),
        why=verdict_sentences.reason(verdict in UNTRUE, deciding, name, comparisons, ALPHA),
        rows=rows_of(ends),
    )
    if n > 1:
        return outcome
    difference = minus(ends)
    return replace(outcome, value=difference.value, low=difference.low, high=difference.high)


def _graded(
    comparisons: Sequence[Comparison],
    verdicts: tuple[str, str, str],
    counts: tuple[int, int],
    disjoint: bool,
) -> tuple[str, float]:
    """Which of three verdicts (chance, untested, sure), and the p of "so many comparisons hold"."""
    chance, untested, sure = verdicts
    cautious = _p(comparisons, *counts, disjoint, untested=1.0)
    generous = _p(comparisons, *counts, disjoint, untested=0.0)
    if cautious < ALPHA:
        return sure, cautious
    # where untested comparisons decide, the statement has no p
    p = cautious if cautious == generous else np.nan
    return (untested if generous < ALPHA else chance), p


def _p(
    comparisons: Sequence[Comparison], least: int, most: int, disjoint: bool, untested: float
) -> float:
    """p of "at least `least` and at most `most` hold", two-sided.

    `untested` is that of comparisons without an interval.
    """
    n = len(comparisons)
    values = [0.0]
    for state, count in ((True, least), (False, n - most)):
        if count > n:
            return 1.0
        if count > 0:
            p = np.array([c.p_of(state, untested) for c in comparisons]) / 2
            values.append(min(1.0, 2 * multiple.at_least(p, count, independent=disjoint)))
    return max(values)


def value(
    computed: Estimate | None, stated: float, decimals: int, tolerance: float | None = None
) -> Outcome:
    """Verdict of a stated number.

    It is `reproduced` if it is the computed one within half its last digit and the rounding of the
    parts; chance has no part in that.
    """
    if computed is None:
        return Outcome(NOT_CHECKABLE, why=verdict_sentences.MISSING)
    unit = 0.5 * 10.0**-decimals if tolerance is None else tolerance
    difference = abs(computed.value - stated)
    # a number without rounding of its own may lie on the edge, from where it is rounded either way
    near = difference <= unit + 1e-9 or equal(difference, unit + computed.half)
    return Outcome(
        REPRODUCED if near else CONTRADICTED,
        found=verdict_sentences.short(computed.value),
        value=computed.value,
        low=computed.low,
        high=computed.high,
        n=computed.n,
        p=0.0,
        tolerance=verdict_sentences.stated_rule(unit, computed.half, tolerance is not None),
        rows=computed.rows,
    )


def fitting(
    misfits: Sequence[str], total: int, tolerance: str, rows: Iterable[int] = ()
) -> Outcome:
    """Verdict of a check that must hold for each of `total` numbers; `misfits` names the others."""
    return Outcome(
        NOT_CHECKABLE if not total else CONTRADICTED if misfits else REPRODUCED,
        found=f"{total - len(misfits)} of {total} fit",
        p=0.0,
        why=f"{'; '.join(misfits)}." if misfits else "",
        tolerance=tolerance,
        rows=tuple(rows),
    )


def holds(outcome: Outcome) -> bool:
    """Whether the claim is true of the printed numbers, beyond noise or not."""
    return outcome.verdict in TRUE


def alternatives(readings: Mapping[str, Outcome]) -> Outcome:
    """Verdict over several readings of the wording.

    Theirs where all agree, with the p of the reading that is least certain; `depends on definition`
    where some hold and some fail.
    """
    # a reading for which there are no numbers says nothing
    spoken = {
        name: o for name, o in readings.items() if o.rows or o.verdict != NOT_CHECKABLE
    } or readings
    outcomes = list(spoken.values())
    true = [holds(o) for o in outcomes]
    verdict, p = DEPENDS if any(true) else NOT_CHECKABLE, np.nan
    for order in (TRUE, UNTRUE):
        if all(o.verdict in order for o in outcomes):
            verdict, p = _weakest(outcomes, order), _greatest_p(outcomes)
    text = verdict_sentences.readings({name: (o.found, holds(o)) for name, o in spoken.items()})
    return _joined(spoken, verdict, text, p)


def together(parts: Mapping[str, Outcome]) -> Outcome:
    """Verdict of a claim with several parts, by name, all of which must hold.

    True parts: that of the weakest, and the largest p (intersection-union). One untrue part is
    enough against it: the smallest p of those, times the number of parts (Bonferroni).
    """
    outcomes = list(parts.values())
    untrue = [o for o in outcomes if o.verdict in UNTRUE]
    if untrue:
        p = min((o.p for o in untrue if not np.isnan(o.p)), default=np.nan)
        p = min(1.0, p * len(outcomes))
        if p < ALPHA:
            verdict = CONTRADICTED
        elif any(np.isnan(o.p) for o in untrue):
            verdict, p = CONTRADICTED_UNKNOWN_N, np.nan
        else:
            verdict = WITHIN_CHANCE
    else:
        verdict = _weakest(outcomes, (NOT_CHECKABLE, DEPENDS, *TRUE))
        p = _greatest_p(outcomes) if verdict in TRUE else np.nan
    text = verdict_sentences.parts({name: o.found for name, o in parts.items()}, "; ")
    return _joined(parts, verdict, text, p)


def _weakest(outcomes: Iterable[Outcome], order: Sequence[str]) -> str:
    return min((o.verdict for o in outcomes), key=order.index)


def _greatest_p(outcomes: Iterable[Outcome]) -> float:
    """p of "all of them" (intersection-union); NaN if one was not tested."""
    return float(np.max([o.p for o in outcomes]))


def _joined(parts: Mapping[str, Outcome], verdict: str, text: str, p: float) -> Outcome:
    """Several outcomes by name as one; a number of one of them is not theirs together."""
    outcomes = list(parts.values())
    if len(outcomes) == 1:
        return replace(outcomes[0], verdict=verdict, found=text, p=p)
    return Outcome(
        verdict,
        found=text,
        n=least_n(outcomes),
        p=p,
        tolerance=verdict_sentences.each_once([o.tolerance for o in outcomes], "; "),
        why=verdict_sentences.parts({name: o.why for name, o in parts.items()}, " "),
        rows=rows_of(outcomes),
    )
