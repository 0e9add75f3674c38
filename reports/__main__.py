"""`python -m reports`: what the Makefile calls, and running one notebook with own parameters."""

import sys
from pathlib import Path
from typing import Annotated

import typer
import yaml

from analysis.errors import DataError

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)


@app.command()
def rules(target: Annotated[Path, typer.Argument(help="The file to write.")] = Path("build/reports.mk")) -> None:
    """Write the Make rules of the catalog."""
    from reports import rules

    rules.write(target)


@app.command()
def run(report: Annotated[str, typer.Argument(help="A report of the catalog, such as tlue/leaderboard_ti_mmlu.")]) -> None:
    """Make one catalogued report: artifacts and page."""
    from analysis import catalog
    from reports import run

    page = run.build(catalog.report(report))
    print(f"made {page.relative_to(Path.cwd()) if page.is_relative_to(Path.cwd()) else page}")


@app.command()
def notebook(
    path: Annotated[Path, typer.Argument(help="The notebook.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML page to write; artifacts go to a folder beside it.")],
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="name=value, the value in YAML: -p 'models=[GPT-4o]'.")
    ] = None,
) -> None:
    """Run any notebook with own parameters."""
    from reports import run

    pairs = [item.partition("=") for item in parameter or []]
    for name, equals, _ in pairs:
        if not equals:
            raise DataError("a parameter is given as name=value", field=name)
    print(f"made {run.run_own(path, {name: yaml.safe_load(value) for name, _, value in pairs}, output)}")


@app.command()
def site() -> None:
    """Write the site from what has been made; reports that failed are shown as failed."""
    from reports import site

    print(f"made {site.write()}")


@app.command("claims")
def claims_(
    paper: Annotated[str | None, typer.Option(help="One paper only.")] = None,
    verdict: Annotated[str | None, typer.Option(help="Which claims to list below the counts; 'all' lists every one.")] = None,
    run: Annotated[str | None, typer.Option(help="Ask the claims of this model instead: a cached one, or a baseline.")] = None,
    benchmark: Annotated[
        list[str] | None, typer.Option(help="With --run: a benchmark that it answered; may be repeated.")
    ] = None,
    instead_of: Annotated[str | None, typer.Option(help="With --run: the model of the paper whose place it takes.")] = None,
) -> None:
    """What the papers' numbers carry: counts by paper and verdict, then the contradicted claims; writes reports/claims.json."""
    from analysis import claims
    from analysis.errors import unknown
    from reports import claims as ledger

    if run is not None:
        if not benchmark:
            raise DataError("--run needs --benchmark")
        print(ledger.text_asked(ledger.asked(run, benchmark, paper or ledger.default_paper(benchmark[0]), instead_of), run))
        return
    if verdict not in (None, "all", *claims.VERDICTS):
        raise unknown("verdict", verdict, ["all", *claims.VERDICTS])
    found = claims.ledger(paper)
    print(ledger.text(found, None if verdict == "all" else verdict or "contradicted"))
    if paper is None:
        print(f"\nmade {ledger.write_json(found)}")


@app.command("parameters")
def parameters(path: Annotated[Path, typer.Argument(help="The notebook.")]) -> None:
    """Show a notebook's parameters."""
    from reports import run

    for name, entry in run.declared(path).items():
        print(f"{name}: {entry['type']} = {entry['default']}    {entry['help']}")


def main() -> int:
    try:
        app(standalone_mode=False)
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except typer.TyperException as error:
        print(f"error: {error.format_message()}", file=sys.stderr)
        return 2
    except typer.Abort:
        return 130
    except RuntimeError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
