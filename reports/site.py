"""The site: a page a paper, a gallery, the runs, how it was made. Static, no scripts, nothing loaded from elsewhere."""

import json
import os
import shutil
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup

from analysis import artifacts, catalog, claims, paths
from analysis.answers import recorded
from analysis.items import names as benchmark_names
from analysis.results import metrics, published
from reports import audits, benchmarks, made, runs, thumbnails
from reports import claims as ledger
from reports.alignment import aligned

PARTS = {"table": ("csv", "tex"), "figure": ("svg", "pdf", "png")}
MOST = 60  # differing numbers listed under a table; the CSV has all
CLAIMS_PAGE = "claims.html"


def write(target: Path | None = None) -> Path:
    """Write the site from the catalog and from what has been made; what is missing is shown as failed.

    Parameters
    ----------
    target : Path, optional
        Folder, replaced as a whole when the new one is complete; `reports/site` if left out.

    Returns
    -------
    Path
        The index page.
    """
    target = Path(target or paths.SITE / "site").resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".site-") as folder:
        fresh = Path(folder) / "site"
        fresh.mkdir()
        _write(fresh, target)
        shutil.rmtree(target, ignore_errors=True)
        os.replace(fresh, target)
    return target / "index.html"


@dataclass(frozen=True)
class _Pages:
    """Writes templates into a folder; every page knows the menu."""

    folder: Path
    environment: jinja2.Environment
    shared: dict

    def __call__(self, template: str, page: str, **context: object) -> None:
        html = self.environment.get_template(template).render(here=page, **self.shared, **context)
        (self.folder / page).write_text(html.encode("utf-8", "replace").decode("utf-8"), encoding="utf-8")


def _write(fresh: Path, target: Path) -> None:
    loader = jinja2.FileSystemLoader(paths.TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    listed = catalog.load()
    claimed, audited = ledger.read_json(), audits.read_json()
    papers = [_paper(paper, target, claimed, audited.get(paper.name)) for paper in listed.values()]
    found = runs.listed()
    menu = [*((p["page"], p["title"].split(":")[0]) for p in papers), ("gallery.html", "Gallery"), (CLAIMS_PAGE, "Claims")]
    menu += [("runs.html", "Runs"), ("made.html", "How it was made")]
    css = (paths.TEMPLATES / "style.css").read_text(encoding="utf-8")
    page = _Pages(fresh, environment, {"css": css, "menu": menu, "papers": papers, "claims_page": CLAIMS_PAGE})
    page("claims.html.j2", CLAIMS_PAGE, **ledger.context(claimed, audited))
    for paper in papers:
        page("paper.html.j2", paper["page"], paper=paper)
    contexts, items = [], {}
    for run in found:
        contexts.append(runs.context(run, fresh, items))
        page("run.html.j2", run.page, run=contexts[-1])
    boards = benchmarks.contexts(contexts, items, fresh)
    for board in boards:
        page("benchmark.html.j2", board["page"], benchmark=board)
    page("runs.html.j2", "runs.html", runs=contexts, boards=boards, baselines=_baselines())
    page("gallery.html.j2", "gallery.html")
    how = made.context(listed)
    page("made.html.j2", "made.html", made=how)
    sums = "".join(f"{file['sha256']}  {file['name']}\n" for file in how["files"])
    (fresh / "checksums.txt").write_text(sums, encoding="utf-8")
    page("index.html.j2", "index.html", statuses=catalog.STATUSES, runs=contexts)


def _paper(paper: catalog.Section, target: Path, claimed: pd.DataFrame, audited: list[dict] | None) -> dict:
    entries = claims.records(claimed[claimed["paper"] == paper.name])
    made_here = [
        _artifact(report, artifact, target) | {"claims": [entry for entry in entries if artifact.id in entry["needs"]]}
        for report, artifact in paper.artifacts.values()
    ]
    out = {name: value for name, value in asdict(paper).items() if name != "reports"}
    verdicts = dict(Counter(entry["verdict"] for entry in entries).most_common())
    checks = artifacts.table_html(pd.DataFrame(audited)) if audited else ""
    return out | {"page": f"{paper.name}.html", "artifacts": made_here, "verdicts": verdicts, "audit": checks}


def _artifact(report: catalog.Report, artifact: catalog.Artifact, target: Path) -> dict:
    """What the templates need of one artifact: its card, its table or picture, its files, its report."""
    folder, page = paths.figures() / report.paper, paths.SITE / report.paper / f"{report.name}.html"
    out = {"id": artifact.id, "title": artifact.title, "status": artifact.status, "made": False, "picture": None, "beside": None}
    out["report"] = os.path.relpath(page, target)
    card = folder / f"{artifact.id}.json"
    if not (card.is_file() and page.is_file()):
        return out
    out |= json.loads(card.read_text(encoding="utf-8")) | {"made": True}
    up = os.path.relpath(folder, target)
    out["files"] = [(kind.upper(), f"{up}/{artifact.id}.{kind}") for kind in PARTS[out["kind"]]]
    if out["kind"] == "figure":
        return out | {"picture": f"{up}/{artifact.id}.svg", "thumbnail": f"{up}/{artifact.id}{thumbnails.SUFFIX}"}
    out["beside"] = _beside(folder / f"{artifact.id}.csv")
    return out | {"html": aligned((folder / f"{artifact.id}.html").read_text(encoding="utf-8"))}


def _beside(file: Path) -> dict | None:
    """Where a table's numbers have printed and recomputed values: how many agree, and those that do not."""
    frame = pd.read_csv(file, dtype={"printed": str}, low_memory=False)
    if not {"printed", "recomputed", "agrees"} <= set(frame.columns):
        return None
    known = frame[frame["recomputed"].notna()]
    differ = known[known["agrees"].astype(str) != "True"]
    if known.empty:
        return None
    summary = f"{len(known):,} printed numbers have a recomputed one beside them; {len(known) - len(differ):,} agree, {len(differ):,} differ"
    names = {
        "model": "Model",
        "setting": "Setting",
        "group": "Group",
        "metric": "Metric",
        "printed": "Printed",
        "recomputed": "Recomputed",
    }
    names |= {"difference": "Difference", "ci_low": "from", "ci_high": "to", "n": "n"}
    shown = differ.reindex(columns=list(names)).rename(columns=names).head(MOST).astype({"n": "Int64"})
    return {"summary": summary, "html": aligned(artifacts.table_html(shown)) if len(shown) else None}


def _baselines() -> Markup | None:
    """Accuracy over questions of the knowledge-free baselines, a row a benchmark and baseline."""
    recorded_here = {name: metrics.runs(name) for name in benchmark_names()}
    frames = [
        published.select(r, group_by="average", group="questions", metric="accuracy") for r in recorded_here.values() if len(r)
    ]
    if not frames:
        return None
    found = pd.concat(frames, ignore_index=True)
    interval = [f"{low:.1f} to {high:.1f}" for low, high in zip(found["ci_low"], found["ci_high"], strict=True)]
    model = found["model"].str.removeprefix(recorded.BASELINE)
    shown = pd.DataFrame(
        {
            "Benchmark": found["benchmark"],
            "Baseline": model,
            "n": found["n"],
            "Accuracy (%)": found["value"],
            "95 % interval": interval,
        }
    )
    return aligned(artifacts.table_html(shown, decimals=1))
