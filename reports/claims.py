"""The claims ledger for people: in the terminal, as JSON, and as what the site's page of claims shows."""

import shutil
import textwrap
from pathlib import Path

import pandas as pd

from analysis import catalog, claims, paths
from analysis.artifacts import table_html
from analysis.claims.verdicts import CONTRADICTED, short
from analysis.errors import DataError
from analysis.results import metrics, published
from reports import json_file

SHOWN_ROWS = 8  # printed numbers listed under a claim on the page; the JSON has all
SHORT = {
    "reproduced": "reproduced",
    "reproduced, not significant": "not significant",
    "holds as printed, n unknown": "n unknown",
    "contradicted": "contradicted",
    "depends on definition": "depends",
    "not checkable from what is published": "not checkable",
}


def plain(text: object) -> str:
    """Text that a terminal cannot take for commands."""
    return "".join(c if c.isprintable() else "?" for c in str(text))


def _evidence(row: dict) -> str:
    """Interval, n and p in words."""
    parts = []
    if row["value"] is not None and row["ci_low"] is not None:
        parts.append(f"{short(row['value'])} [{short(row['ci_low'])}, {short(row['ci_high'])}]")
    if row["n"] is not None:
        parts.append(f"n = {short(row['n'])}")
    if row["p"] is not None:
        parts.append("p < 0.001" if row["p"] < 0.001 else f"p = {row['p']:.2g}")
    return ", ".join(parts)


def text(found: pd.DataFrame, verdict: str | None = CONTRADICTED, width: int | None = None) -> str:
    """Counts by paper and verdict, then the claims with one verdict (all, if None)."""
    width = min(width or shutil.get_terminal_size((110, 24)).columns, 130)
    counts = claims.counts(found).rename(columns=SHORT)
    lines = [counts.to_string(), ""]
    part = found if verdict is None else found[found["verdict"] == verdict]
    lines += [f"{verdict or 'all claims'}: {len(part)}", ""]
    for row in claims.records(part):
        stated = f" (stated: {row['stated']})" if row["stated"] else ""
        told = [
            f"{row['claim']}{stated}",
            f"found: {row['found']}" if row["found"] else "",
            row["why"],
            row["note"],
            _evidence(row),
        ]
        mark = "" if verdict else f" [{row['verdict']}]"
        lines.append(plain(f"{row['id']}{mark}  {row['section']}; {', '.join(row['needs'])}"))
        lines += [
            textwrap.fill(plain(entry), width, initial_indent="    ", subsequent_indent="      ") for entry in told if entry
        ]
    return "\n".join(lines)


def write_json(found: pd.DataFrame | None = None, file: Path | None = None) -> Path:
    """Every claim with its verdict, evidence and rows; `reports/claims.json` if no file is named."""
    return json_file.write(claims.records(claims.ledger() if found is None else found), file or paths.SITE / "claims.json")


def read_json() -> pd.DataFrame:
    """The ledger that `write_json` wrote: checking every claim takes seconds, reading what was found does not."""
    return pd.DataFrame(json_file.read(paths.SITE / "claims.json", write_json))


def context(found: pd.DataFrame, audited: dict[str, list[dict]]) -> dict:
    """What `template/claims.html.j2` shows of a ledger and of the consistency checks (`audits.read_json`)."""
    listed = {name: set(paper.artifacts) for name, paper in catalog.load().items()}
    rows = []
    for row in claims.records(found):
        needs = [(name, f"{row['paper']}.html#{name}" if name in listed.get(row["paper"], ()) else None) for name in row["needs"]]
        used = pd.DataFrame(row["rows"][:SHOWN_ROWS])
        rows.append(
            row
            | {
                "anchor": f"{row['paper']}-{row['id']}",
                "css": SHORT[row["verdict"]].replace(" ", "-"),
                "needs": [(name.replace("_0", " ").replace("_", " "), link) for name, link in needs],
                "evidence": _evidence(row),
                "used": table_html(used.rename(columns=str.capitalize)) if len(used) else "",
                "more": max(len(row["rows"]) - SHOWN_ROWS, 0),
            }
        )
    verdicts = [(name, SHORT[name].replace(" ", "-"), told) for name, told in claims.VERDICTS.items()]
    titles = {name: catalog.load()[name].title.split(":")[0] if name in listed else name for name in found["paper"].unique()}
    counts = claims.counts(found).rename_axis("Paper").reset_index()
    counts["Paper"] = counts["Paper"].map(titles).fillna("All")
    audits = [(titles.get(name, name), table_html(pd.DataFrame(checks))) for name, checks in audited.items()]
    return {"rows": rows, "verdicts": verdicts, "titles": titles, "counts": table_html(counts), "audits": audits}


def asked(model: str, benchmarks: list[str], paper: str, instead_of: str | None = None) -> pd.DataFrame:
    """The claims of a paper asked of a model whose outputs are cached (or of a baseline): see `analysis.claims.ask`."""

    frames = [metrics.runs(benchmark, _cached(benchmark)) for benchmark in benchmarks]
    results = pd.concat([frame for frame in frames if len(frame)], ignore_index=True) if any(map(len, frames)) else frames[0]
    if results.empty:
        raise DataError(f"nothing is recorded for {', '.join(benchmarks)}: cache outputs first (make outputs)")
    return claims.ask(results, paper, model, instead_of)


def _cached(benchmark: str) -> pd.DataFrame | None:
    try:
        from runners import cache
    except ImportError:
        return None
    return cache.own(benchmark)


def text_asked(found: pd.DataFrame, model: str) -> str:
    """The claims asked of one model, one line each with what the paper's numbers say."""
    if found.empty:
        return f"no claim can be asked of {plain(model)}: it has none of the numbers that the claims need"
    lines = [f"{len(found)} claims asked of {plain(model)}", ""]
    for row in claims.records(found):
        lines.append(plain(f"{row['id']}  {row['claim']}"))
        lines.append(plain(f"    for {model}: {row['verdict']} ({row['found']}); as printed: {row['for_paper']}"))
    return "\n".join(lines)


def default_paper(benchmark: str) -> str:
    """The paper that prints numbers of a benchmark."""
    for paper in claims.names():
        if benchmark in set(published.results(paper)["benchmark"]):
            return paper
    raise DataError(f"no paper prints numbers of {benchmark!r}", field="benchmark")
