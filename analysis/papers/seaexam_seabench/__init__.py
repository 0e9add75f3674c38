"""SeaExam and SeaBench: their arithmetic, their tables, and the words beside them."""

from analysis.papers.seaexam_seabench import facts, panels, runs, views, words
from analysis.papers.seaexam_seabench.arithmetic import (
    BENCHMARKS,
    LANGUAGES,
    MARGINS,
    PAPER,
    ROUNDING,
    TABLE,
    VOTES,
    averages,
    cells,
    decline,
    decomposition,
    human_ties,
    kappa_bounds,
    one_point_pairs,
    questions,
    scores,
    translation,
    votes,
)

__all__ = [
    "BENCHMARKS", "LANGUAGES", "MARGINS", "PAPER", "ROUNDING", "TABLE", "VOTES", "averages", "cells", "decline", "decomposition",
    "facts", "human_ties", "kappa_bounds", "one_point_pairs", "panels", "questions", "runs", "scores", "translation", "views", "votes", "words",
]  # fmt: skip
