"""Commands that make reports, run a notebook, show the claims and verify what was made."""

import os
from pathlib import Path
from typing import Annotated

import typer
import yaml

from analysis import paths
from analysis.errors import DataError, refuse_unknown


def report(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Reports of the catalog, as PAPER/REPORT; claims and audits, the JSON files; "
            "site, made last."
        ),
    ],
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="How many at a time.")
    ] = os.cpu_count() or 1,
) -> None:
    """Make reports (artifacts and page), the claims' ledger, the papers' consistency checks, the
    site of what has been made.
    """
    from reports import batch

    failed = batch.run(names, jobs)
    if failed:
        raise RuntimeError(f"{len(failed)} of {len(names)}: {', '.join(failed)}")


def notebook(
    path: Annotated[
        Path, typer.Argument(help="The notebook: a file, or its name, such as leaderboard.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The HTML page to write; artifacts go to a folder beside it."
        ),
    ],
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", "-p", help="name=value, the value in YAML: -p 'models=[GPT-4o]'."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="How own outputs are read, if not as the benchmark says."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Of the method, name=value: 'exclude=[\"Answer\"]'."),
    ] = None,
) -> None:
    """Run any notebook with own parameters; `papermill --help-notebook FILE` lists them."""
    from analysis import answers
    from reports import notebook_run
    from runners.spec import assignments

    if option and method is None:
        raise DataError("name the --method that the option is of", field="option")
    if method is not None:
        refuse_unknown("method", answers.METHODS, method)
        os.environ[answers.VARIABLE] = yaml.safe_dump({method: assignments(option)})
    values = assignments(parameter or (), yaml.safe_load)
    print(f"made {notebook_run.run_own(notebook_run.find(path), values, output)}")


def claims(
    paper: Annotated[str | None, typer.Option(help="One paper only.")] = None,
    verdict: Annotated[
        str,
        typer.Option(help="Which claims to list below the counts; 'all' lists every one."),
    ] = "contradicted",
) -> None:
    """What the papers' numbers carry: counts by paper and verdict, then the contradicted claims."""
    from analysis.claims import VERDICTS, ledger_view

    choices = ["all", *VERDICTS]
    refuse_unknown("verdict", choices, verdict)
    print(ledger_view.claims(paper).text(None if verdict == "all" else verdict))


def verify(
    write: Annotated[
        bool, typer.Option("--write", help="Take what was made here for what is expected.")
    ] = False,
) -> None:
    """Compare the tables and figures made here with the checksums in reports/expected.jsonl: what
    is equal, and what differs.
    """
    from reports import verify

    if write:
        print(f"made {verify.write()}")
        return
    compared = verify.compare()
    print(verify.text(compared))
    if verify.wrong(compared):
        own = len(list(paths.outputs().glob("*/*.jsonl")))
        note = f"; {own} files of your own outputs are cached, and reports that show them differ"
        raise RuntimeError("not everything is as expected" + (note if own else ""))
