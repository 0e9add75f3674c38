"""How do several papers' numbers compare, in units that they share?

Accuracies and reciprocal ranks are given as the share of the way from guessing to perfect, because
the benchmarks have 2 to 50 options. The questions, models and years differ: what may be compared is
the direction and the order of size.
"""

import pandas as pd

from analysis import papers
from analysis.claims.evidence import evidence
from analysis.papers import published

ENDS = ["value", "ci_low", "ci_high"]


def rows(paper: str, **where: object) -> pd.DataFrame:
    """`evidence` rows that are not suspect, in per cent, with limits that include the rounding."""
    frame = published.select(evidence(paper), suspect=False, **where)
    unit = frame["unit"].replace("score", "proportion")  # a mean reciprocal rank is a share, too
    return published.rounded(published.in_percent(frame.assign(unit=unit)))


def above_chance(paper: str, **where: object) -> pd.DataFrame:
    """The same as ``100 (value - chance) / (1 - chance)``: 0 is guessing, 100 perfect; NaN where no
    chance is known.
    """
    frame = rows(paper, **where)
    benchmarks = papers.read(paper).benchmarks
    chance = 100 * frame["benchmark"].map(lambda name: benchmarks[name].chance_of())
    shares = frame[ENDS].sub(chance, axis=0).div(100 - chance, axis=0)
    return frame.assign(**100 * shares)
