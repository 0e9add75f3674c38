"""The site: one page a paper with its artifacts in the paper's order, an index with a gallery. Static, no scripts, nothing loaded."""

import json
import os
import shutil
from pathlib import Path

import jinja2

from analysis import catalog, paths
from reports.html import TEMPLATES

PARTS = {"table": ("csv", "tex"), "figure": ("svg", "pdf", "png")}


def write() -> Path:
    """Write `reports/site/` from the catalog and from what has been made; what is missing is shown as failed.

    Returns
    -------
    Path
        The index page.
    """
    target = paths.SITE / "site"
    fresh = paths.BUILD / "site"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    css = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    papers = [_paper(paper) for paper in catalog.load().values()]
    for paper in papers:
        page = environment.get_template("paper.html.j2").render(paper=paper, papers=papers, css=css, statuses=catalog.STATUSES)
        (fresh / f"{paper['name']}.html").write_text(page, encoding="utf-8")
    index = environment.get_template("index.html.j2").render(papers=papers, css=css, statuses=catalog.STATUSES)
    (fresh / "index.html").write_text(index, encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    os.replace(fresh, target)
    return target / "index.html"


def _paper(paper: catalog.Paper) -> dict:
    artifacts = [_artifact(report, artifact) for report, artifact in paper.artifacts.values()]
    return {"name": paper.name, "title": paper.title, "cite": paper.cite, "url": paper.url, "artifacts": artifacts}


def _artifact(report: catalog.Report, artifact: catalog.Artifact) -> dict:
    """What the template needs of one artifact: its card, its table or picture, its files, its report."""
    folder, page = paths.figures() / report.paper, paths.SITE / report.paper / f"{report.name}.html"
    out = {"id": artifact.id, "title": artifact.title, "status": artifact.status, "report": f"../{report.id}.html", "made": False}
    card = folder / f"{artifact.id}.json"
    if not (card.is_file() and page.is_file()):
        return out
    out |= json.loads(card.read_text(encoding="utf-8")) | {"made": True}
    up = os.path.relpath(folder, paths.SITE / "site")
    out["files"] = [(kind.upper(), f"{up}/{artifact.id}.{kind}") for kind in PARTS[out["kind"]]]
    if out["kind"] == "table":
        out["html"] = (folder / f"{artifact.id}.html").read_text(encoding="utf-8")
    else:
        out["picture"] = f"{up}/{artifact.id}.svg"
    return out
