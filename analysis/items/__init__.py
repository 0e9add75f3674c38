"""Benchmarks by name: how native files become items, and `prompts` makes prompts of them. One module a benchmark, imported when asked for.

A benchmark's module has `read(folder=None, ..., problems=None) -> items`.
"""

from importlib import import_module

import pandas as pd

from analysis import schemas
from analysis.errors import DataError, unknown

MODULES = {
    "mmlu": "analysis.items.mmlu",
    "ceval": "analysis.items.ceval",
    "xiezhi_specialty": "analysis.items.xiezhi_specialty",
    "xiezhi_interdiscipline": "analysis.items.xiezhi_interdiscipline",
    "xiezhi_specialty_en": "analysis.items.xiezhi_specialty_en",
    "xiezhi_interdiscipline_en": "analysis.items.xiezhi_interdiscipline_en",
    "cmmlu": "analysis.items.cmmlu",
    "ti_mmlu": "analysis.items.ti_mmlu",
    "safetybench": "analysis.items.safetybench",
    "ti_safetybench": "analysis.items.ti_safetybench",
    "khayyam": "analysis.items.khayyam",
    "parsinlu": "analysis.items.parsinlu",
    "seaexam": "analysis.items.seaexam",
    "mmlu_sea": "analysis.items.mmlu_sea",
    "m3exam": "analysis.items.m3exam",
    "seabench": "analysis.items.seabench",
    "sea_mt_bench": "analysis.items.sea_mt_bench",
    "japanese_mt_bench": "analysis.items.japanese_mt_bench",
    "global_mmlu_lite": "analysis.items.global_mmlu_lite",
    "belebele": "analysis.items.belebele",
    "vnhsge": "analysis.items.vnhsge",
    "thai_exam": "analysis.items.thai_exam",
    "wild_queries": "analysis.items.wild_queries",
}


def names() -> list[str]:
    """Names of the benchmarks."""
    return list(MODULES)


def read(benchmark: str, folder=None, **options) -> pd.DataFrame:
    """Items of a benchmark, from its native files.

    Parameters
    ----------
    benchmark : str
        One of `names()`.
    folder : path, optional
        Its native files; by default the folder of its name inside `paths.benchmarks()`.
    **options
        A column of the items keeps the rows that have this value (or one of a list): ``read("cmmlu", category="STEM")``. All else is for
        the benchmark's own reader, such as ``split``; ``problems=[]`` collects bad rows as `DataError`s and reads the rest.

    Raises
    ------
    DataError
        For an unknown name, absent files, and the first bad row unless `problems` collects them.

    Examples
    --------
    >>> read("cmmlu", category="STEM")  # doctest: +SKIP
    """
    if benchmark not in MODULES:
        raise unknown("benchmark", benchmark, MODULES)
    kept = {name: options.pop(name) for name in schemas.columns("items") if name in options}
    found = import_module(MODULES[benchmark]).read(folder, **options)
    return schemas.where(found, **kept) if kept else found


def with_items(frame: pd.DataFrame, items: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """`frame` with `columns` of the item of each row, in the same order.

    Raises
    ------
    DataError
        If an item of `frame` is not among `items`, or `items` have no such column.
    """
    for column in columns:
        if column not in items:
            raise unknown("column of items", column, items.columns)
    keys = ["benchmark", "item_id"]
    found = frame.merge(items[[*keys, *columns]], "left", keys, validate="m:1", indicator="_found")
    lost = found.pop("_found").eq("left_only").to_numpy()
    if lost.any():
        row = int(lost.argmax())
        name = "/".join(found.loc[row, keys])
        raise DataError(f"no such item {name!r} ({lost.sum()} rows name items that do not exist)", line=row, field="item_id")
    return found
