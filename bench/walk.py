"""How far it is from cached outputs to the page of a leaderboard: the modules of the library that
control goes through.

A stay is a module of `analysis/` or `reports/` that runs at least one function on the way, however
often control comes back to it; crossings are all calls from one such module into another.
"""

import sys
from collections.abc import Callable

from analysis import paths


def walk(way: Callable[[], object]) -> tuple[set[str], set[tuple[str, str]], int]:
    """Modules, pairs of caller and called, and number of crossings of the whole way."""
    stays, steps, crossings = set(), set(), 0
    root = f"{paths.ROOT}/"

    def module(frame) -> str:
        name = frame.f_code.co_filename.removeprefix(root) if frame else ""
        return name if name.startswith(("analysis/", "reports/")) else ""

    def watch(frame, event: str, _argument: object) -> None:
        nonlocal crossings
        if event != "call" or not (here := module(frame)):
            return
        caller = frame.f_back
        while caller and not module(caller):  # through libraries, back to ours
            caller = caller.f_back
        stays.add(here)
        if here != module(caller):
            crossings += 1
            steps.add((module(caller), here))

    way()  # all is imported and stored
    sys.setprofile(watch)
    try:
        way()
    finally:
        sys.setprofile(None)
    return stays, steps, crossings
