"""The consistency checks of the papers' own numbers, as JSON: what the site's page of claims ends with."""

import json
from pathlib import Path

import pandas as pd

from analysis import audit, claims, paths
from analysis.claims.verdicts import short


def json_file() -> Path:
    """Where the checks' outcomes lie for the site and for other programs."""
    return paths.SITE / "audits.json"


def write_json() -> Path:
    """Paper -> its checks, to `reports/audits.json`."""
    found = {paper: table(paper).to_dict("records") for paper in claims.papers()}
    file = json_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return file


def read_json() -> dict[str, list[dict]]:
    """What `write_json` wrote, written first where it was not."""
    return json.loads((json_file() if json_file().is_file() else write_json()).read_text(encoding="utf-8"))


def table(paper: str) -> pd.DataFrame:
    """How many printed numbers each consistency check tested, how many fail, and the first that do."""
    findings = audit.of_paper(paper)
    table = audit.summary(findings)
    failing = findings[~findings["ok"]]
    told = {name: "; ".join(_failure(row) for row in part.head(3).itertuples()) for name, part in failing.groupby("check")}
    table["such as"] = table["check"].map(lambda name: told.get(name, ""))
    return table.rename(columns=str.capitalize)


def _failure(row) -> str:
    where = ", ".join(str(part) for part in (row.artifact, row.model, row.setting, row.group) if part and part != "printed")
    return f"{where}: {row.metric.replace('_', ' ')} {short(row.value)} beside {short(row.expected)}"
