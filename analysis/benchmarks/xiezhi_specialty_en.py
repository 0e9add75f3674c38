"""Xiezhi-Specialty in English; see `xiezhi`."""

from functools import partial

from analysis.benchmarks import xiezhi

read = partial(xiezhi.read, part="specialty", language="en")
