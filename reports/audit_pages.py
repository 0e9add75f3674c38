"""The audit of the papers' printed tables, as JSON, for the papers' pages and that of claims."""

from pathlib import Path

import pandas as pd

from analysis import claims, paths
from analysis.audit.findings import Finding
from analysis.papers.audits import of_paper
from reports import json_file

SHOWN = 4  # findings of a check that the table tells


def write_json() -> Path:
    """Paper -> its checks, to `reports/audits.json`."""
    return json_file.write(
        {paper: table(paper).to_dict("records") for paper in claims.names()},
        paths.SITE / "audits.json",
    )


def read_json() -> dict[str, list[dict]]:
    """What `write_json` wrote."""
    return json_file.read(paths.SITE / "audits.json", write_json)


def table(paper: str) -> pd.DataFrame:
    """Each check of `polyexam audit`: numbers tested, findings by level, and the first of them."""
    audit = of_paper(paper)
    ordered = audit.ordered()
    rows = []
    for check in dict.fromkeys(one.check for one in [*ordered, *audit.coverage]):
        part = [one for one in ordered if one.check == check]
        levels = [one.level for one in part]
        rows.append(
            {
                "Check": check,
                "Tested": sum(one.tested for one in audit.coverage if one.check == check),
                "Errors": levels.count("error"),
                "Questions": levels.count("question"),
                "Worth a look": levels.count("look"),
                "Found": "; ".join(_sentence(one) for one in part[:SHOWN]),
            }
        )
    return pd.DataFrame(rows)


def _sentence(one: Finding) -> str:
    numbers = f": {one.printed}, expected {one.expected}" if one.expected else ""
    return f"{one.table}, {one.where}{numbers} ({one.why})"
