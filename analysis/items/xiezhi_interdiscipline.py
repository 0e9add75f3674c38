"""Xiezhi-Interdiscipline: 10,746 questions of at least four disciplines; see `xiezhi`."""

from functools import partial

from analysis.items import xiezhi

read = partial(xiezhi.read, part="interdiscipline")
