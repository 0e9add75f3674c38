"""Findings: `data/findings.yaml` with numbers from the artifacts' CSVs and the claims' ledger."""

from pathlib import Path

import pandas as pd

from analysis import paths, tables, written
from analysis.errors import DataError, refuse_unknown
from reports import charts
from reports.templates import html_table

_FILE = "findings.yaml"
_MOST = 70  # rows of the table behind a finding; the CSV has all


class _Source(written.Written):
    """Rows of an artifact's CSV (`where`: column -> value), or a claim.

    `paper` is whose artifact it is; the finding's own if left out.
    """

    paper: str = ""
    artifact: str = ""
    claim: str = ""
    where: dict[str, str | int | float] = {}


class _Number(_Source):
    """A number: a value of the one row, or with `count` the rows for which that is true.

    `value`, `low`, `high` are expressions over the row's columns. `label` is its name beside the
    chart's mark, `hollow` where the paper prints it.
    """

    count: str = ""
    value: str = "value"
    low: str = ""
    high: str = ""
    decimals: int = 0
    printed: bool = True  # in docs/findings.md
    label: str = ""
    hollow: bool = False


class _Behind(_Source):
    """The table of numbers behind a finding: column -> heading."""

    columns: dict[str, str]
    decimals: int = 1


class _Finding(written.Written):
    """One finding; `shown` is the number on its card, `chart` the unit of its labelled numbers."""

    id: str
    paper: str
    headline: str
    text: str
    figure: str
    card: bool = False
    shown: str = ""
    unit: str = ""
    claims: list[str] = []
    numbers: dict[str, _Number] = {}
    chart: str = ""
    behind: _Behind | None = None
    not_shown: str = ""


def load(ledger: pd.DataFrame) -> list[dict]:
    """Every finding with its numbers; `made` is False where an artifact that it needs is absent.

    Parameters
    ----------
    ledger : DataFrame
        `claims.ledger()`, or what `reports.claim_pages.read_json` reads.

    Raises
    ------
    DataError
        If a number's rule does not fit its artifact.
    """
    claims = ledger.set_index("id", drop=False)
    findings = written.read(paths.DATA / _FILE, list[_Finding])
    return [_context(finding, claims) for finding in findings]


def _context(finding: _Finding, claims: pd.DataFrame) -> dict:
    page = f"finding-{finding.id}.html"
    context = dict(finding) | {"page": page, "made": False, "text": "", "number": None}
    try:
        numbers = {
            name: _number(finding.paper, rule, claims) for name, rule in finding.numbers.items()
        }
        behind = finding.behind and _behind(finding.paper, finding.behind, claims)
    except FileNotFoundError:
        return context
    words = {name: number["digits"] for name, number in numbers.items()}
    return context | {
        "made": True,
        "text": finding.text.format(**words),
        "unit": finding.unit.format(**words),
        "numbers": numbers,
        "number": numbers.get(finding.shown),
        "behind": behind,
    }


def _number(paper: str, rule: _Number, claims: pd.DataFrame) -> dict:
    """Value, text and interval of one number of a finding."""
    row = _rows(paper, rule, claims)
    if rule.count:
        value = low = high = int(row.eval(rule.count).sum())
    elif len(row) != 1:
        raise DataError(f"{rule} selects {len(row)} rows, not one")
    else:
        value = _at(row, rule.value)
        low, high = (_at(row, end) if end else value for end in (rule.low, rule.high))
    digits, *ends = (
        f"{number:,.{rule.decimals}f}".replace("-", "−") for number in (value, low, high)
    )
    return {
        "value": value,
        "low": low,
        "high": high,
        "digits": digits,
        "interval": " to ".join(ends) if low < high else "",
        "rule": rule,
    }


def _rows(paper: str, source: _Source, claims: pd.DataFrame) -> pd.DataFrame:
    if source.claim:
        row = claims.loc[[source.claim]]
        stated = pd.to_numeric(row["stated"].str.replace(",", ""), errors="coerce")
        return row.assign(stated=stated, low=row["ci_low"], high=row["ci_high"])
    folder = paths.figures() / (source.paper or paper)
    table = pd.read_csv(folder / f"{source.artifact}.csv", low_memory=False)
    for column, wanted in source.where.items():
        refuse_unknown(f"column of {source.artifact}", table.columns, column)
        table = table[table[column] == wanted]
    return table


def _at(row: pd.DataFrame, expression: str) -> float:
    return float(row[expression].iloc[0] if expression in row else row.eval(expression).iloc[0])


def _behind(paper: str, source: _Behind, claims: pd.DataFrame) -> str:
    headings = {heading: column for column, heading in source.columns.items()}
    rows = _rows(paper, source, claims).head(_MOST).replace({"group": {"printed": "average"}})
    if "artifact" in rows:
        rows["artifact"] = rows["artifact"].map(tables.artifact_name)
    if "n" in rows:  # a float where other rows of the table have none
        rows["n"] = rows["n"].astype("Int64")
    return html_table(tables.shown(rows, headings), source.decimals)


def place(findings: list[dict], papers: list[dict], claims: list[dict], folder: Path) -> None:
    """Add to each finding its artifact, its paper and its claims, and draw its chart."""
    artifact_of = {(paper["name"], a["id"]): a for paper in papers for a in paper["artifacts"]}
    paper_of = {paper["name"]: paper for paper in papers}
    claim_of = {claim["row"]["id"]: claim for claim in claims}
    for finding in findings:
        finding["artifact"] = artifact_of[finding["paper"], finding["figure"]]
        finding["of"] = paper_of[finding["paper"]]
        finding["claims"] = [claim_of[name] for name in finding["claims"]]
        finding["picture"] = _chart(finding, folder) if finding["made"] else ""


def _chart(finding: dict, folder: Path) -> str:
    """Draw the labelled numbers: printed ones hollow; returns the file's name."""
    marks = [
        {
            "row": number["rule"].label,
            "value": number["value"],
            "ci_low": number["low"],
            "ci_high": number["high"],
            "mark": "printed" if number["rule"].hollow else "recomputed",
        }
        for number in finding["numbers"].values()
        if number["rule"].label
    ]
    if not marks:
        return ""

    def plot():
        from analysis.plots import rows, style

        looks = {
            "recomputed": rows.Mark("recomputed", style.BLUE, size=5),
            "printed": rows.Mark("printed in the paper", style.INK, fill="hollow", size=5),
        }
        return rows.rows(pd.DataFrame(marks), looks, label=finding["chart"])

    shows = marks, finding["chart"]
    return charts.draw(plot, shows, folder, f"finding-{finding['id']}")
