"""Consistency: numbers held against each other, whoever made them. `run` takes any `results`, `of_paper` a paper's printed tables."""

from analysis.audit.papers import of_paper
from analysis.audit.results import COLUMNS, mrr_bounds, run, summary

__all__ = ["COLUMNS", "mrr_bounds", "of_paper", "run", "summary"]
