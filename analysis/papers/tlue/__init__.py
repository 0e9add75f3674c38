"""TLUE: its arithmetic and its audit; `evidence` is what it hands in beside its printed tables."""

from analysis.papers.tlue.arithmetic import evidence

__all__ = ["evidence"]
