"""The site: findings, a page a paper and an artifact, claims, runs, how it was made.

One folder that holds all that its pages lead to; static, with one small script of its own.
"""

import base64
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from analysis import catalog, paths
from reports import (
    audit_pages,
    benchmarks,
    finding_pages,
    made,
    models,
    paper_pages,
    runs,
    templates,
)
from reports import claim_pages as ledger

_MENU = [
    ("index.html", "polyexam"),
    (ledger.PAGE, "Claims"),
    ("gallery.html", "Figures"),
    ("runs.html", "Runs"),
    ("search.html", "Search"),
]


def write() -> Path:
    """Write the site from the catalog and from what has been made; what is missing is shown as
    failed. The folder `reports/site` is replaced by the new one when that is complete.

    Returns
    -------
    Path
        The index page.
    """
    target = paths.SITE / "site"
    with tempfile.TemporaryDirectory(dir=paths.SITE, prefix=".site-") as folder:
        fresh = Path(folder) / "site"
        fresh.mkdir()
        _write(fresh)
        shutil.rmtree(target, ignore_errors=True)
        os.replace(fresh, target)
    return target / "index.html"


def _write(folder: Path) -> None:
    sections, audited, checked = catalog.load(), audit_pages.read_json(), ledger.read_json()
    found = finding_pages.load(checked)
    claims = ledger.for_readers(checked, [name for finding in found for name in finding["claims"]])
    papers = [
        paper_pages.paper(section, folder, claims, audited.get(section.name))
        for section in sections.values()
    ]
    finding_pages.place(found, papers, claims, folder)
    contexts = [runs.context(run) for run in runs.listed()]
    listed = models.contexts(papers, contexts)
    shared = {**_script(), "menu": _MENU, "papers": papers, "findings": found, "models": listed}
    environment = templates.environment(models.linked(listed))

    def page(template: str, name: str, **context: object) -> None:
        """Write one page; raw outputs may hold lone surrogates, files of UTF-8 may not."""
        template = environment.get_template(f"{template}.html.j2")
        html = template.render(here=name, **shared, **context)
        (folder / name).write_bytes(html.encode("utf-8", "replace"))

    for name in ("claims.json", "audits.json"):
        shutil.copyfile(paths.SITE / name, folder / name)
    shown = ledger.context(claims)
    page("claims", ledger.PAGE, **shown)
    for paper in papers:
        page("paper", paper["page"], paper=paper)
        for artifact in paper["artifacts"]:
            page("artifact", artifact["page"], paper=paper, a=artifact)
    boards = benchmarks.contexts(contexts, folder)
    board_of = {board["name"]: board["page"] for board in boards}
    for run in contexts:
        page("run", run["page"], run=run, board=board_of.get(run["benchmark"]))
    for board in boards:
        page("benchmark", board["page"], benchmark=board)
    page("runs", "runs.html", runs=contexts, boards=boards)
    for finding in found:
        page("finding", finding["page"], f=finding)
    for model in listed:
        page("model", model["page"], m=model)
    # pages of `make gallery`, where it has been run, travel with the site
    leaderboards = paths.SITE / "gallery"
    if leaderboards.is_dir():
        notebooks = shutil.ignore_patterns("*.ipynb")
        shutil.copytree(leaderboards, folder / "leaderboards", ignore=notebooks)
    page("gallery", "gallery.html")
    page("search", "search.html", runs=contexts, boards=boards)
    page("made", "made.html", made=made.context(sections))
    page(
        "index",
        "index.html",
        **shown,
        counts={css: n for _, css, n in shown["verdicts"]},
        claims=len(claims),
        statuses=catalog.STATUSES,
        runs=contexts,
        leaderboards=(leaderboards / "index.html").is_file(),
    )


def _script() -> dict[str, str]:
    """The site's script, and its hash for the pages' content-security policy."""
    script = (paths.TEMPLATES / "site.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {"script": script, "script_hash": f"sha256-{digest}"}
