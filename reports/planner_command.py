"""`polyexam plan`: how many questions show a difference, or what difference so many questions can
show.
"""

from typing import Annotated

from pydantic import Field, NonNegativeFloat, PositiveInt

from analysis.answers import runs
from analysis.errors import DataError
from analysis.statistics.power import Plan
from analysis.statistics.power import correlation as correlation_of
from runners.spec import Described, takes


class _Asked(Described):
    """What is asked, of cached runs or of what is expected of two models."""

    benchmark: str = ""
    """Take accuracy and correlation from cached outputs to this benchmark,"""
    first: str | None = None
    """of this model"""
    second: str | None = None
    """and this one."""
    width: float | None = None
    """Points of a 95 % interval for other items and prompts: where the variance of --first lies,
    and the items x prompts x samples that take the fewest responses."""

    difference: NonNegativeFloat | None = None
    """Points of accuracy to be shown: prints the questions needed."""
    questions: PositiveInt | None = None
    """Questions at hand: prints the smallest difference they can show."""
    accuracy: Annotated[float, Field(ge=0, le=100)] = 60.0
    """Expected accuracy, in per cent."""
    correlation: Annotated[float, Field(ge=-1, le=0.99)] = 0.0
    """Of the two models' right answers; 0 where they answer different questions."""
    comparisons: PositiveInt = 1
    """How many comparisons are made (Bonferroni)."""
    power: Annotated[float, Field(ge=0.5, le=0.999)] = 0.8
    """How often the difference is to be found."""


@takes()
def plan(asked: _Asked) -> None:
    """Questions needed for a difference, or the difference that so many questions can show, at 5 %
    significance; or what an interval of some width takes.
    """
    if asked.width:
        from analysis.results import variance

        if not asked.benchmark:
            raise DataError("--width needs a --benchmark with cached runs")
        parts = variance.of_runs(asked.benchmark, asked.first)
        print(*variance.sentences(parts), variance.plan(parts, asked.width), sep="\n")
        return
    difference, questions = asked.difference, asked.questions
    accuracy, correlation = asked.accuracy, asked.correlation
    if asked.benchmark:
        models = asked.first, asked.second
        accuracy, correlation, n = _of_runs(asked.benchmark, *models)
        print(
            f"{' and '.join(models)} on {asked.benchmark}: mean accuracy {accuracy:.1f} %, "
            f"correlation {correlation:.2f}, {n:,} shared questions."
        )
        questions = questions if questions or difference is not None else n
    if (difference is None) == (questions is None):
        raise DataError("give a --difference or a number of --questions", field="difference")
    planned = Plan(accuracy / 100, correlation, asked.power, asked.comparisons)
    if difference is not None:
        questions = planned.questions(difference / 100)
    else:
        difference = round(100 * planned.detectable(questions), 1)
        if difference != difference:
            raise DataError(
                f"{questions:,} questions near {accuracy:g} % show no difference at all",
                field="questions",
            )
    print(
        f"{questions:,} questions show a difference of {difference} points {asked.power:.0%} of "
        f"the time, near {accuracy:.1f} % accuracy."
    )


def _of_runs(benchmark: str, first: str | None, second: str | None) -> tuple[float, float, int]:
    """Mean accuracy (%), correlation and number of shared questions of two models."""
    from analysis.results import leaderboard, shared

    if not (first and second):
        raise DataError("a pair of models is named with --first and --second", field="first")
    answers, _ = leaderboard.read(benchmark, [first, second])
    part, _ = leaderboard.by_method(answers)
    table = part[leaderboard.KEYS].drop_duplicates()
    right = shared.right_answers(part, table.assign(run=runs(table)))
    if len(right) < 2:
        raise DataError(f"{first} and {second} share no questions of {benchmark} with a key")
    together = correlation_of(*right.to_numpy().T)
    return 100 * right.to_numpy().mean(), min(together, 0.99), len(right)
