"""Xiezhi-Specialty: 14,041 questions of at most three disciplines; see `xiezhi`."""

from functools import partial

from analysis.items import xiezhi

read = partial(xiezhi.read, part="specialty")
