"""The Make rules of the catalog: one target a report, rebuilt when its notebook, its parameters or the library changed."""

import json
from pathlib import Path

from analysis import catalog, paths
from reports.batch import DATA

HEADER = "# Made from reports/catalog.yaml by `python -m reports rules`: do not edit.\n"


def rules(papers: dict[str, catalog.Section]) -> str:
    """The text of `build/reports.mk`; paths are relative to the repository's root.

    A page depends on its notebook, on a file with its catalog entry, and on `$(LIBRARY)`, which the Makefile gives. Where a page
    stands but one of its artifacts is gone, the page is made again (``.PHONY``). Make prints what is to be made; one command
    then makes all of it, so that the libraries are loaded once.
    """
    pages, blocks = [], []
    for paper in papers.values():
        for report in paper.reports:
            page = f"reports/{report.id}.html"
            made = " ".join(f"figures/{report.paper}/{artifact.id}.json" for artifact in report.artifacts)
            pages.append(page)
            blocks.append(
                f"{page}: notebooks/{report.notebook} build/entries/{report.id}.json $(LIBRARY)\n"
                f"\t@echo {report.id}\n"
                f"ifneq ($(words $(wildcard {made})),{len(report.artifacts)})\n.PHONY: {page}\nendif\n"
            )
    data = {name: f"reports/{name}.json" for name in DATA}
    blocks += [f"{file}: $(LIBRARY)\n\t@echo {name}\n" for name, file in data.items()]
    site = f"reports/site/index.html: {' '.join([*data.values(), *pages])} reports/catalog.yaml $(LIBRARY)\n\t@echo site\n"
    return "\n".join([HEADER, site, *blocks])


def _entry(report: catalog.Report) -> Path:
    return paths.BUILD / "entries" / f"{report.id}.json"


def write(target: Path) -> None:
    """Write the rules to `target`, and each report's catalog entry to a file of its own that changes only when the entry does."""
    papers = catalog.load()
    for paper in papers.values():
        for report in paper.reports:
            made = [[a.id, a.slot, a.status, a.title] for a in report.artifacts]
            text = json.dumps(
                {"notebook": report.notebook, "parameters": report.parameters, "artifacts": made}, ensure_ascii=False
            )
            entry = _entry(report)
            if not entry.is_file() or entry.read_text(encoding="utf-8") != text:
                entry.parent.mkdir(parents=True, exist_ok=True)
                entry.write_text(text, encoding="utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(rules(papers), encoding="utf-8")
