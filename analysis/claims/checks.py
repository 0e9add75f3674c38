"""Checks by name: from a paper's numbers and arguments in YAML to an `Outcome`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from inspect import signature
from itertools import pairwise, product

from analysis import papers, schemas
from analysis.claims import verdicts
from analysis.claims.terms import Numbers
from analysis.claims.verdicts import Comparison, Outcome, compared
from analysis.errors import DataError, refuse_unknown
from analysis.papers import published
from analysis.results.ranking import random_expectation

_Each = Mapping | list | str | None  # columns to go through, with the values wanted of each
_PLACES = ("artifact", "benchmark", "group_by")  # where a term's numbers stand, not whose they are


def run(numbers: Numbers, spec: Mapping) -> Outcome:
    """The outcome of one check: a mapping with one key, the check's name, and its arguments.

    Raises
    ------
    DataError
        For an unknown check, or arguments that it does not take.
    """
    if not isinstance(spec, Mapping) or len(spec) != 1:
        raise DataError("a check is one name with its arguments", field="check")
    ((name, arguments),) = spec.items()
    checks = _checks(numbers.paper)
    refuse_unknown("check", checks, name)
    try:
        # `is` is no name in Python
        arguments = {"is_" if key == "is" else key: value for key, value in arguments.items()}
        signature(checks[name]).bind(numbers, **arguments)
    except (AttributeError, TypeError) as error:
        takes = ", ".join([*signature(checks[name]).parameters][1:])
        raise DataError(f"{name} takes {takes}: {error}", field="check") from None
    return checks[name](numbers, **arguments)


@cache
def _checks(paper: str) -> dict[str, Callable[..., Outcome]]:
    """Checks by name, those that a paper hands in for its claims included."""
    of_paper = papers.handed_in(paper, "CHECKS")
    checks = [value, compare, extreme, monotone, definitions, every]
    checks += [guessing, belongs, consistent_wording, *(of_paper or ())]
    return {function.__name__: function for function in checks}


def contexts(numbers: Numbers, of: Mapping, each: _Each) -> list[dict]:
    """Selections to iterate over: every combination of the columns in `each`, with the values given
    or those present in `of`.

    Models are iterated without random, human and summary rows unless they are named, or `all` is
    asked for.
    """
    if not isinstance(each, Mapping):
        each = dict.fromkeys([each] if isinstance(each, str) else each or [])
    values = []
    for column, wanted in each.items():
        if wanted == "all":
            wanted = numbers.values(column, of)
        elif wanted is None:
            wanted = numbers.members(column, of)
        values.append(wanted)
    return [{**of, **dict(zip(each, names, strict=True))} for names in product(*values)]


def _judge(numbers: Numbers, comparisons: list[Comparison], holds: object) -> Outcome:
    """`verdicts.judge`; comparisons that each rest on another subject of one benchmark rest on
    disjoint questions.
    """
    units = [{numbers.subjects[row] for row in (*c.a.rows, *c.b.rows)} for c in comparisons]
    subjects = set().union(*units)
    disjoint = None not in subjects and [len(unit) for unit in units] == [1] * len(subjects)
    return verdicts.judge(comparisons, holds, disjoint)


def _label(context: Mapping, of: Mapping) -> str:
    """What sets a context apart from what is common; of a term over several numbers, such as a
    range, what it selects.
    """
    parts = []
    for key, value in context.items():
        if isinstance(value, Mapping):
            selected = {name: wanted for name, wanted in value.items() if name not in _PLACES}
            parts.append(_label(selected, of))
        elif not isinstance(value, list) and of.get(key) != value:
            parts.append(str(value))
    return ", ".join(filter(None, parts))


def value(
    numbers: Numbers, term: object, stated: float | int | str, tolerance: float | None = None
) -> Outcome:
    """A stated number equals a term. Give `stated` as text where trailing zeros count."""
    text = str(stated).replace(",", "")
    decimals = len(text.partition(".")[2])
    return verdicts.value(numbers.term(term), float(text), decimals, tolerance)


def compare(
    numbers: Numbers,
    relation: str = ">",
    a: Mapping | float = {},
    b: Mapping | float = {},
    pairs: list | None = None,
    of: Mapping = {},
    each: _Each = None,
    holds: object = "all",
    within: float | None = None,
    chance: bool = True,
) -> Outcome:
    """Term `a` has the `relation` to term `b` in each context, for as many as `holds` says; with
    `pairs` each first term to its second.

    `of` completes all terms. Contexts where a number is missing are left out. Without `chance` the
    relation is one that noise cannot break (two readings of the same outputs, say).
    """
    comparisons = []
    for context in contexts(numbers, of, each):
        for left, right in pairs or [(a, b)]:
            first, second = numbers.term(left, context), numbers.term(right, context)
            if first is None or second is None:
                continue
            selects = left if pairs and isinstance(left, Mapping) else {}
            label = _label({**context, **selects}, of)
            comparison = compared(label, first, second, relation, within)
            comparisons.append(comparison if chance else replace(comparison, p=0.0))
    return _judge(numbers, comparisons, holds)


def extreme(
    numbers: Numbers,
    along: str,
    of: Mapping,
    is_: object,
    lowest: bool = False,
    each: _Each = None,
    among: list | None = None,
    holds: object = "all",
) -> Outcome:
    """The highest (or lowest) number along a column is that of `is`: one name, or whichever is best
    of a list of names.
    """
    wanted = numbers.named(along, is_)
    relation = "<" if lowest else ">"
    comparisons = []
    for context in contexts(numbers, of, each):
        names = among or numbers.members(along, context)
        estimates = {name: numbers.one({**context, along: name}) for name in names}
        printed = [name for name, estimate in estimates.items() if estimate is not None]
        printed.sort(key=lambda name: estimates[name].value, reverse=not lowest)
        ours = [name for name in printed if name in wanted]
        rivals = [name for name in printed if name not in wanted]
        if ours and rivals:
            first, second = estimates[ours[0]], estimates[rivals[0]]
            label, names = _label(context, of), (ours[0], rivals[0])
            comparisons.append(compared(label, first, second, relation, names=names))
    return _judge(numbers, comparisons, holds)


def monotone(
    numbers: Numbers,
    along: str,
    order: list,
    of: Mapping,
    relation: str = "<",
    each: _Each = None,
    holds: object = "all",
    whole: bool = False,
) -> Outcome:
    """Each number along `order` has the `relation` to the next; with `whole`, a context counts
    once, if all its steps do.
    """
    comparisons = []
    for context in contexts(numbers, of, each):
        label = _label(context, of)
        estimates = {name: numbers.one({**context, along: name}) for name in order}
        printed = [name for name in order if estimates[name] is not None]
        steps = [
            compared(label, estimates[one], estimates[two], relation, names=(one, two))
            for one, two in pairwise(printed)
        ]
        comparisons += [weakest(steps)] if whole and steps else steps
    return _judge(numbers, comparisons, holds)


def weakest(steps: list[Comparison]) -> Comparison:
    """The step that decides whether all hold: one that fails, else one hidden by rounding, else the
    least certain.
    """
    rank = {False: 0, None: 1, True: 2}
    return min(steps, key=lambda c: (rank[c.state], -c.p if c.p == c.p else 0))


def definitions(numbers: Numbers, **readings: Mapping) -> Outcome:
    """The claim under each reading of its wording."""
    return verdicts.alternatives({name: run(numbers, spec) for name, spec in readings.items()})


def every(numbers: Numbers, **parts: Mapping) -> Outcome:
    """A claim with several parts by name: all must hold."""
    return verdicts.together({name: run(numbers, part) for name, part in parts.items()})


def guessing(numbers: Numbers, metric: str, options: int, stated: str) -> Outcome:
    """A stated random baseline of a ranking of `options` candidates is its expectation."""
    return value(numbers, random_expectation(metric, options), stated)


def belongs(
    numbers: Numbers, of: Mapping, column: str, to: list, leave_out: Mapping = {}
) -> Outcome:
    """The models of a selection have `column` of `models.csv` among the names in `to`."""
    facts = published.models(numbers.paper)
    models = facts.loc[numbers.members("model", of)]
    schemas.where(facts, **{column: to})  # refuses a wrong name
    for field, wanted in leave_out.items():
        schemas.where(facts, **{field: wanted})
        models = models[~models[field].isin(wanted)]
    inside = models[column].isin(to)
    others = [f"{name} ({value})" for name, value in models.loc[~inside, column].items()]
    rows = numbers.rows({**of, "model": list(models.index)})
    return verdicts.fitting(others, len(models), "exact: chance has no part in it", rows)


def consistent_wording(numbers: Numbers, about: str) -> Outcome:
    """What a paper says of one thing, wherever it does, and its released code does, is the same
    (`wording.csv`: about, place, says).
    """
    rows = schemas.where(published.facts(numbers.paper, "wording"), about=about)
    alike = rows["says"].nunique() == 1
    return Outcome(
        verdicts.REPRODUCED if alike else verdicts.CONTRADICTED,
        found="; ".join(rows["place"] + ": " + rows["says"]),
        p=0.0,
        tolerance="our wording of both",
    )
