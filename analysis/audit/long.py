"""Numbers in long form, one row each, as tables: models in rows, metrics of groups in columns.

CSVs of `data/published` and any `results` frame are such.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.audit.grids import Cell, Grid
from analysis.audit.headings import HUMAN, LOWER, RANDOM
from analysis.audit.printed_numbers import parse
from analysis.audit.printed_table import Column, Row, Table

_LEVELS = {"subjects": "subject", "categories": "category", "languages": "language"}
_ROLES = {"p": "p", "t": "other", "points": "other"}
_UNITS = ("percent", "proportion")
_TEXTS = ["artifact", "benchmark", "model", "setting", "group_by", "group", "metric", "unit"]
_NUMBERS = ["value", "printed", "rank", "n", "line"]
_FLAGS = ["suspect", "bold"]
KEY = ["group_by", "group", "metric", "unit"]

Key = tuple[str, str, str, str]  # values of `KEY`


def read(path: Path) -> list[Table]:
    """The tables of a CSV file in long form."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    return tables(frame.assign(line=frame.index + 2, printed=frame["value"]), str(path))


def tables(results: pd.DataFrame, file: str = "") -> list[Table]:
    """A table for each artifact and benchmark.

    Parameters
    ----------
    results : DataFrame
        At least `model`, `group`, `value`; what else of the `results` shape is there is used
        (`printed`: digits as printed, without which numbers count as exact). Damaged cells
        (`suspect`) and those read off figures are left out.
    file : str
        Where they are, for findings.
    """
    frame = results.reindex(columns=[*_TEXTS, *_NUMBERS, *_FLAGS, "source"])
    frame[_TEXTS] = frame[_TEXTS].astype(object).where(frame[_TEXTS].notna(), "")
    frame[_FLAGS] = frame[_FLAGS].astype(str).apply(lambda flags: flags.str.lower() == "true")
    frame["n"] = pd.to_numeric(frame["n"], errors="coerce")
    frame["printed"] = frame["printed"].where(frame["printed"].notna(), frame["value"].map(_digits))
    frame = frame[~frame["suspect"] & frame["value"].notna() & (frame["source"] != "digitized")]
    ranks = frame[frame["rank"].notna()].assign(unit="rank", bold=False)
    frame = pd.concat([frame, ranks.assign(printed=ranks["rank"])])
    several = frame.groupby("artifact")["benchmark"].nunique()
    read_tables = []
    for (artifact, benchmark), part in frame.groupby(["artifact", "benchmark"], sort=False):
        alone = artifact and several[artifact] == 1
        name = artifact if alone else f"{artifact} {benchmark}".strip()
        read_tables.append(_table(part, name, benchmark, file))
    return read_tables


def _digits(value: object) -> object:
    """Digits of a number without noise of its binary fraction."""
    return np.format_float_positional(value, 12, trim="-") if isinstance(value, float) else value


def _table(part: pd.DataFrame, name: str, benchmark: str, file: str) -> Table:
    part = part.assign(key=list(part[KEY].itertuples(index=False, name=None)))
    keys = sorted(part["key"].unique(), key=lambda key: (key[-1] == "rank", key[0] == "average"))
    several = part["metric"].nunique() > 1
    columns = [Column(0, "Model", role="label"), Column(1, "Setting", role="block")]
    columns += [_column(k, key, keys, several) for k, key in enumerate(keys, 2)]
    models = list(dict.fromkeys(zip(part["model"], part["setting"], strict=True)))
    cells = [[Cell(column.name, head=True) for column in columns]]
    cells += [[Cell(text) for text in model] + [Cell() for _ in keys] for model in models]
    numbers = [[None] * len(columns) for _ in models]
    for one in part.to_dict("records"):
        i = models.index((one["model"], one["setting"]))
        j = keys.index(one["key"]) + 2
        if one["group_by"] != "average" and one["n"] > 0:
            columns[j].n = columns[j].n or int(one["n"])
        text = one["printed"]
        number = parse(text) if isinstance(text, str) else None
        if number:
            line = int(one["line"]) if one["line"] > 0 else 0
            numbers[i][j] = replace(number, line=line)
            cells[i + 1][j] = Cell(text, bold=one["bold"])
    rows = []
    for i, (model, setting) in enumerate(models, 1):
        rows.append(Row(i, model, role(model), group=setting))
    grid = Grid(name, cells, file=file, heading=benchmark)
    body = (grid, 1, columns, rows, "rows", numbers)
    return Table(name, file, benchmark, "", [], *body, long=True)


def _column(index: int, key: Key, keys: list[Key], several: bool) -> Column:
    """The column of a group and metric; heads are groups where there are several metrics."""
    by, group, metric, unit = key
    if unit == "rank":
        ranked = [k for k, one in enumerate(keys, 2) if one[:3] == key[:3]]
        return Column(index, "rank", group or metric, "rank", over=tuple(ranked[:1]))
    words = metric.replace("_", " ")
    return Column(
        index,
        metric if several else group,
        group if several else "",
        _ROLES.get(unit, "average" if by == "average" else "part"),
        metric.replace("_at_", "@"),
        "lower" if LOWER.search(words) else "higher",
        over=_parts_of(key, keys),
        unit=unit if unit in _UNITS else "",
    )


def _parts_of(key: Key, keys: list[Key]) -> tuple[int, ...]:
    """Positions of the columns that an average is over."""
    by, group, metric, _ = key
    if by != "average":
        return ()
    levels = [level for level, _, of, _ in keys if of == metric and level != "average"]
    level = _LEVELS.get(group)
    if level not in levels:
        one = len(set(levels)) == 1 or group == "questions"
        level = levels[0] if levels and one else None
    parts = [key for key in keys if key[0] == level and key[2] == metric and key[3] != "rank"]
    return tuple(keys.index(key) + 2 for key in parts)


def role(model: str) -> str:
    """Role of a row by its name."""
    if RANDOM.search(model):
        return "random"
    return "human" if HUMAN.match(model) else "data"
