"""A plan of many runs in one file: models x benchmarks x settings x samples, gone through in turn.

A plan is a list of `RunSpec`, as single commands would make them, so that keys, and with them
resuming, are the same.
"""

import sys
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, PositiveInt

from analysis import written
from analysis.errors import DataError
from analysis.text import visible
from runners.spec import RunSpec


class _Entry(BaseModel, extra="allow"):
    """A model or benchmark: its name, and fields of `RunSpec`."""

    name: str


_Named = Annotated[_Entry, BeforeValidator(lambda e: {"name": e} if isinstance(e, str) else e)]
_Entries = Annotated[list[_Named], Field(min_length=1)]


class _Plan(written.Written):
    models: _Entries
    benchmarks: _Entries
    settings: list[dict[str, Any]] = Field([{}], min_length=1)
    samples: PositiveInt = 1


def read(path: Path) -> list[RunSpec]:
    """The runs of a plan, in the order in which they go.

    Raises
    ------
    DataError
        With the file and field of what is no plan.
    """
    plan = written.read(path, _Plan)
    runs = []
    for model, benchmark, setting, sample in product(
        plan.models, plan.benchmarks, plan.settings, range(plan.samples)
    ):
        fields = model.model_extra | benchmark.model_extra | setting
        fields |= {"model": model.name, "benchmark": benchmark.name, "sample": sample}
        runs.append(written.check(fields, RunSpec, path))
    return runs


def carry_out(path: Path, again: bool, dry_run: bool) -> int:
    """Go through a plan, a run after the other; one that fails does not keep the others from going
    on.
    """
    from runners import run

    incomplete = 0
    for spec in read(path):
        given = spec.model_dump(exclude_defaults=True, exclude={"base_url"})
        title = ", ".join(f"{name}={value}" for name, value in given.items())
        print(visible(title), file=sys.stderr)
        try:
            status = run.carry_out(spec.model_copy(update={"again": again, "dry_run": dry_run}))
        except DataError as error:
            print(visible(f"error: {error}"), file=sys.stderr)
            status = 1
        if status == 130:  # interrupted
            return status
        incomplete = incomplete or status
    return incomplete
