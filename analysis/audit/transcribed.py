"""Printed tables as the files of a paper in `data/published`, for a person to read over.

Filled in is what the reading knows: numbers, models with sizes and families, guessing, n, what
averages are over. What it does not know stays empty.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import yaml

from analysis.audit import checks_averages, long, printed
from analysis.audit.findings import Audit
from analysis.audit.grids import short
from analysis.audit.printed_table import SCORES, Column, Row, Table

_SIZE_IN_NAME = re.compile(r"(?i)(?<![\w.])(\d+(?:\.\d+)?)[ -]?([BM])(?![a-z])")
_SIZE_IN_HEAD = re.compile(r"\(([BM])\)")
_BILLIONS = {"B": 1, "M": 1e-3}
_FAMILY = re.compile(r"[^\W\d_]+")
_KINDS = {"random": "chance", "human": "human"}
_OVER = {"plain": "categories", "by size": "questions"}

_COLUMNS = "benchmark model setting group_by group metric unit n value".split()

_Part = Row | Column
_Cell = tuple[int, int]


def files(path: Path, paper: str) -> dict[str, str]:
    """Content of `paper.yaml`, `models.csv`, a CSV a table, and of `catalog.yaml` with its pages.

    `claims.yaml` has a claim for each number of the text that the audit found in a cell.

    Parameters
    ----------
    path : Path
        What `printed.read` reads.
    paper : str
        Its name here.
    """
    texts, models, benchmarks, reports, claims = {}, {}, {}, {}, []
    source, title = printed.read([path]), path.name
    audit = printed.check(source)
    for number, table in enumerate(source.distinct, 1):
        artifact, benchmark = f"table_{number:02d}", f"{paper}_{number:02d}"
        frame = _numbers(table, benchmark)
        texts[f"{artifact}.csv"] = frame.to_csv(index=False)
        models = {part.name: _model(table, part, cell) for part, _, cell in _cells(table)} | models
        heading = short(table.heading or table.caption or title)
        about = {"title": heading, **_about(table), "tables": {"leaderboard": artifact}}
        benchmarks[benchmark] = about
        claims += _claims(table, artifact, audit)
        if (frame["group_by"] == "average").any():
            slots = {artifact: "by_category", f"ranks_{number:02d}": "ranks"}
            shown = {"status": "published values", "title": heading}
            reports[benchmark] = {
                "notebook": "general/leaderboard.ipynb",
                "parameters": {"paper": paper, "benchmark": benchmark},
                "artifacts": {name: {"slot": slot, **shown} for name, slot in slots.items()},
            }
    about = {"title": title, "cite": title, "benchmarks": benchmarks}
    texts["models.csv"] = pd.DataFrame(models.values()).to_csv(index=False)
    claims = [{"id": f"{paper}-{k:02d}"} | claim for k, claim in enumerate(claims, 1)]
    yamls = {"paper": about, "catalog": {paper: {"reports": reports}}, "claims": claims}
    for name, values in yamls.items():
        texts[f"{name}.yaml"] = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    return texts


def _cells(table: Table) -> Iterator[tuple[_Part, _Part, _Cell]]:
    """Model, group and place of each result."""
    for i in table.rows_of("data", "average", *_KINDS):
        for j in table.cols(*SCORES):
            model, group = table.rows[i], table.columns[j]
            if table.models == "columns":
                model, group = group, model
            if table.numbers[i][j] and model.name and model.role != "average":
                yield model, group, (i, j)


def _claims(table: Table, artifact: str, audit: Audit) -> Iterator[dict]:
    """What the text says of a table's numbers, for `data/claims`."""
    rows = _rows(table, "")
    for one in audit.coverage:
        row, stated = rows.get(one.facts.get("place")), one.facts.get("stated", "").strip("%+ ")
        if one.table == table.name and row and row["value"] == stated:
            term = {"artifact": artifact, "model": row["model"], "group": row["group"]}
            check = {"value": {"term": term, "stated": stated}}
            claim = {"section": "drafted", "kind": "numeric", "claim": one.facts["where"]}
            yield claim | {"stated": stated, "needs": [artifact], "check": check}


def _rows(table: Table, benchmark: str) -> dict[_Cell, dict]:
    """The results by row and column; the only group is an average, too."""
    cells = list(_cells(table))
    alone = len({group.name for _, group, _ in cells}) == 1
    rows = {}
    for model, group, cell in cells:
        average, unit = alone or group.role == "average", str(table.units[cell])
        n = table.size(*cell) or (table.n if average else None)
        row = {"benchmark": benchmark, "model": model.name, "setting": "printed"}
        row["group_by"] = "average" if average else "category"
        row["group"] = "printed" if average else group.name
        row |= {"metric": "score" if unit == "score" else "accuracy", "unit": unit, "n": n}
        rows[cell] = row | {"value": table.numbers[cell[0]][cell[1]].printed}
    return rows


def _numbers(table: Table, benchmark: str) -> pd.DataFrame:
    """The results in the columns of `data/published`."""
    rows = _rows(table, benchmark).values()
    frame = pd.DataFrame(rows, columns=_COLUMNS).astype({"n": "Int64"})
    # rows of the same name are other settings, which a person knows
    again = frame.groupby(["model", "group"]).cumcount()
    frame["setting"] += again.map(lambda count: f" ({count + 1})" if count else "")
    return frame


def _model(table: Table, part: _Part, cell: _Cell) -> dict:
    """A model with what its name, or a column of sizes, says."""
    family, size = _FAMILY.search(part.name), _SIZE_IN_NAME.search(part.name)
    billions = round(float(size[1]) * _BILLIONS[size[2].upper()], 4) if size else None
    for j in table.cols("size"):
        number, head = table.numbers[cell[0]][j], _SIZE_IN_HEAD.search(table.columns[j].label)
        unit = number and (number.magnitude.upper() or (head and head[1]))
        billions = number.value * _BILLIONS[unit] if unit in _BILLIONS else billions
    kind = _KINDS.get(long.role(part.name), "")
    names = {"printed": part.name, "model": part.name, "family": family[0] if family else ""}
    return names | {"parameters_b": billions, "kind": kind, "access": ""}


def _about(table: Table) -> dict:
    """What averages are over and what guessing gets, where the table says so."""
    about = {}
    for _, definition in checks_averages.explain(table):
        if definition.believed and definition.kind in _OVER:
            about["average"] = _OVER[definition.kind]
    for model, group, cell in _cells(table):
        if group.role == "average" and long.role(model.name) == "random":
            about["chance"] = float(table.shares[cell].round(4))
    return about
