"""`polyexam audit FILE`: what is wrong with this table?"""

from pathlib import Path
from typing import Annotated

import typer

from analysis import paths, whole
from analysis.errors import DataError, refuse_unknown

_FAIL_ON = ("never", "error", "question", "look")


def audit(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Tables: Markdown, LaTeX, HTML, CSV, TSV or PDF; or a folder of them."),
    ],
    n: Annotated[
        int | None,
        typer.Option(help="Questions behind each number, where the table does not say.", min=1),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how the tables were read, and stop.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write one page with the marked tables.")
    ] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", help="Write everything as JSON ('-': to the terminal).")
    ] = None,
    sarif: Annotated[Path | None, typer.Option(help="Write SARIF for code hosts.")] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="What an earlier --json wrote: its findings are accepted, and left out."),
    ] = None,
    changed: Annotated[
        str | None,
        typer.Option(help="A git revision: only what was touched since."),
    ] = None,
    fail_on: Annotated[
        str, typer.Option(help="Exit with 1 from this level on: error, question, look, never.")
    ] = "error",
    may_be_empty: Annotated[
        bool, typer.Option("--may-be-empty", help="Files without a table are no error (for hooks).")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every finding.")] = False,
) -> None:
    """Audit averages, counts, bold, ranks, differences, relations; say which gaps are noise."""
    from analysis.audit import layout, printed, report

    refuse_unknown("level", _FAIL_ON, fail_on)
    source = printed.read(paths, n, may_be_empty or json_ is not None)
    empty = not (source.tables or may_be_empty)
    if explain:
        print("\n\n".join(map(layout.explain, source.tables)))
        return
    shown = report.of_source(source, n, changed)
    if baseline:
        shown.audit.accept(baseline)
    if json_:
        _put(json_, shown.json())
    if html:
        _put(html, page(shown, paths[0].name))
    if sarif:
        _put(sarif, shown.sarif(Path.cwd()))
    if str(json_) != "-":
        print(shown.text(verbose))
    failing = _FAIL_ON[1 : _FAIL_ON.index(fail_on) + 1]
    if empty or any(one.level in failing for one in shown.audit.findings):
        raise typer.Exit(1 + empty)


def new_paper(
    name: Annotated[str, typer.Argument(help="Small letters, digits, underscores.")],
    source: Annotated[Path, typer.Option("--from", help="Its tables, as audit reads them.")],
) -> None:
    """Draft a paper's files, claims and pages in the catalog, for you to read over."""
    from analysis.audit import transcribed

    folder = paths.PUBLISHED / name
    if folder.exists() or not name.isidentifier():
        raise DataError(f"{name!r} is there already, or no name", field="name")
    texts = transcribed.files(source, name)
    texts[paths.CLAIMS / f"{name}.yaml"] = texts.pop("claims.yaml")
    texts[paths.CATALOG] = paths.CATALOG.read_text("utf-8") + texts.pop("catalog.yaml")
    for file, text in texts.items():
        _put(folder / file, text)


def page(shown: object, title: str) -> str:
    """One page with the marked tables of a `report.Report`."""
    from analysis.audit import report
    from reports import templates

    template = templates.environment().get_template("audit.html.j2")
    return template.render(title=title, report=shown, words=report) + "\n"


def _put(path: Path, text: str) -> None:
    if str(path) == "-":
        print(text)
        return
    whole.write(path, text.encode())
    print(f"made {path}")
