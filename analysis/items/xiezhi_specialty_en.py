"""Xiezhi-Specialty in English; see `xiezhi`."""

from functools import partial

from analysis.items import xiezhi

read = partial(xiezhi.read, part="specialty", language="en")
