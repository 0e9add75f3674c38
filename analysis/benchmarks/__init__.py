"""Benchmarks by name: how native files become items, and items prompts. One module a benchmark, imported when asked for.

A benchmark's module has `read(folder=None, ..., problems=None) -> items`.
"""

from functools import cache
from importlib import import_module

import pandas as pd
import yaml

from analysis import paths, schemas
from analysis.errors import DataError, unknown

MODULES = {
    "mmlu": "analysis.benchmarks.mmlu",
    "ceval": "analysis.benchmarks.ceval",
    "xiezhi_specialty": "analysis.benchmarks.xiezhi_specialty",
    "xiezhi_interdiscipline": "analysis.benchmarks.xiezhi_interdiscipline",
    "cmmlu": "analysis.benchmarks.cmmlu",
    "ti_mmlu": "analysis.benchmarks.ti_mmlu",
    "safetybench": "analysis.benchmarks.safetybench",
    "ti_safetybench": "analysis.benchmarks.ti_safetybench",
}


def names() -> list[str]:
    """Names of the benchmarks."""
    return list(MODULES)


def read(name: str, folder=None, **options) -> pd.DataFrame:
    """Items of a benchmark, from its native files.

    Parameters
    ----------
    name : str
        One of `names()`.
    folder : path, optional
        Its native files; by default the folder of its name inside `paths.benchmarks()`.
    **options
        What that benchmark's `read` takes, such as ``split``; ``problems=[]`` collects bad rows as `DataError`s and reads
        the rest.

    Raises
    ------
    DataError
        For an unknown name, absent files, and the first bad row unless `problems` collects them.
    """
    if name not in MODULES:
        raise unknown("benchmark", name, MODULES)
    return import_module(MODULES[name]).read(folder, **options)


@cache
def _templates() -> dict[str, str]:
    return {
        name: template
        for file in sorted(paths.PROMPTS.glob("*.yaml"))
        for name, template in yaml.safe_load(file.read_text("utf-8"))["templates"].items()
    }


def template(name: str) -> str:
    """Prompt template of a benchmark, from `data/prompts/`; the file says whose wording it is."""
    if name not in _templates():
        raise unknown("prompt template", name, _templates())
    return _templates()[name]


def prompt(item, template: str) -> str:
    """Fill `template` with one item.

    Parameters
    ----------
    item : row of an items frame, or mapping
        `question` and `options` are used.
    template : str
        May hold ``{question}``, ``{options}`` (a line each, ``A. ...``) and ``{labels}`` (``A, B, C, D``); a brace that is
        meant as such is doubled.
    """
    labels = schemas.labels(len(item["options"]))
    lines = [f"{label}. {option}" for label, option in zip(labels, item["options"], strict=True)]
    parts = {"question": item["question"], "options": "\n".join(lines), "labels": ", ".join(labels)}
    try:
        return template.format_map(parts)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        reason = f"a prompt template holds only {', '.join(f'{{{part}}}' for part in parts)}"
        raise DataError(f"{reason}; {type(error).__name__}: {error}", field="template") from None
