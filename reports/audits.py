"""The consistency checks of the papers' own numbers, as JSON: what the site's page of claims ends with."""

from pathlib import Path

import pandas as pd

from analysis import claims, paths
from analysis.audit.papers import of_paper
from analysis.audit.results import summary
from analysis.claims.verdicts import short
from reports import json_file


def write_json() -> Path:
    """Paper -> its checks, to `reports/audits.json`."""
    return json_file.write({paper: table(paper).to_dict("records") for paper in claims.names()}, paths.SITE / "audits.json")


def read_json() -> dict[str, list[dict]]:
    """What `write_json` wrote."""
    return json_file.read(paths.SITE / "audits.json", write_json)


def table(paper: str) -> pd.DataFrame:
    """How many printed numbers each consistency check tested, how many fail, and the first that do."""
    findings = of_paper(paper)
    table = summary(findings)
    failing = findings[~findings["ok"]]
    told = {name: "; ".join(_failure(row) for row in part.head(3).itertuples()) for name, part in failing.groupby("check")}
    table["such as"] = table["check"].map(lambda name: told.get(name, ""))
    return table.rename(columns=str.capitalize)


def _failure(row) -> str:
    where = ", ".join(str(part) for part in (row.artifact, row.model, row.setting, row.group) if part and part != "printed")
    numbers = [short(value) for value in (row.value, row.expected)]
    return f"{where}: {f'{row.metric} {numbers[0]} beside {numbers[1]}'.replace('_', ' ') if len(set(numbers)) > 1 else row.why}"
