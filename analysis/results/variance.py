"""Variance components of runs, and what other prompts and items would give."""

from collections.abc import Mapping
from math import prod

import pandas as pd

from analysis.errors import DataError
from analysis.items.grouping import questions_of
from analysis.results import leaderboard, linked
from analysis.statistics.components import SAMPLE, Components, cheapest, components

_MOST = {"prompt": 20, SAMPLE: 10}  # that a plan may ask for


def of_runs(benchmark: str, model: str | None = None, method: str | None = None) -> Components:
    """Components of right and wrong over items, prompts (settings of a model), samples, and models
    and languages, as far as the runs cross them.

    Translations of a question are one item: their variance is that of item x language.

    Raises
    ------
    DataError
        For an unknown name, or where no run of `benchmark` is cached.
    """
    answers, items = leaderboard.read(benchmark, model and [model], method)
    return of_answers(answers, items, method)


def of_answers(
    answers: pd.DataFrame, items: pd.DataFrame | None, method: str | None = None
) -> Components:
    """`of_runs` of answers at hand."""
    part, _ = leaderboard.by_method(answers, method)
    part = part[part["correct"].notna()]
    names = {"item": "item_id", "prompt": "setting", "model": "model"}
    if items is not None and questions_of(items) is not None:
        part, _ = linked.linked(part, items, None)
        names |= {"item": "question", "language": "language"}
    factors = {name: part[column] for name, column in names.items()}
    return components(part["correct"].astype(float), factors)


def sentences(parts: Components) -> list[str]:
    """How much each term adds to the error of the mean, and intervals for other draws.

    Examples
    --------
    >>> crossed = {"item": [*"aabbccdd"], "prompt": [*"xyxyxyxy"]}
    >>> parts = components([1, 1, 0, 1, 0, 0, 1, 1], crossed)
    >>> sentences(parts)[1]
    '95 % interval for other items: 11.8 to 95.4 %.'
    """
    drawn = {name: n for name, n in parts.levels.items() if n > 1}
    errors = []
    for term, variance in parts.variances.items():
        error = 100 * (parts.weights[term] * variance) ** 0.5
        errors.append(f"{' x '.join(term)} {error:.1f}")
    lines = [
        f"Accuracy {100 * parts.mean:.1f} % over {_numbers(drawn)}; standard errors in points: "
        f"{', '.join(errors)}."
    ]
    for names in (["item"], ["item", "prompt"]):
        if all(parts.levels[name] > 1 for name in names):
            low, high = (100 * end for end in parts.interval(names))
            others = " and ".join(f"{name}s" for name in names)
            lines.append(f"95 % interval for other {others}: {low:.1f} to {high:.1f} %.")
    if parts.levels["prompt"] < 2:
        lines.append("One prompt was asked: nothing tells what another would change.")
    return lines


def plan(parts: Components, width: float) -> str:
    """Items, prompts and samples whose interval is `width` points wide, at the fewest responses.

    More prompts and samples are planned only where several were asked: else nothing tells what they
    change.

    Raises
    ------
    DataError
        Where no number of items is enough.
    """
    most = {name: top for name, top in _MOST.items() if parts.levels[name] > 1}
    try:
        sizes = cheapest(parts, width / 100, most)
    except ValueError as error:
        raise DataError(str(error), field="width") from None
    fixed = {name: n for name, n in parts.levels.items() if n > 1 and name not in sizes}
    numbers = sizes | fixed
    responses = f"{prod(numbers.values()):,} responses"
    return f"A 95 % interval {width:g} points wide takes {responses}: {_numbers(numbers)}."


def _numbers(sizes: Mapping[str, int]) -> str:
    return " x ".join(f"{n:,} {name}{'s' * (n > 1)}" for name, n in sizes.items())
