"""The command line `polyexam`: each command is loaded when it is called."""

from importlib import import_module, metadata
from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_command

from analysis import paths
from analysis.errors import DataError
from reports.exit_status import exit_status

_NEEDS_CHECKOUT = ("compact", "gallery", "new-paper", "report", "verify")

# Panel of the help -> module -> its commands, each a function of that name or part of the module's
# `app`, with one line of help.
_PANELS = {
    "Numbers that papers print": {
        "reports.making": {
            "claims": "What the papers' numbers carry: claims by verdict, or asked of your own "
            "model.",
        },
        "reports.audit_file": {
            "audit": "What does not fit in a table of yours, and which gaps are noise.",
            "new-paper": "Draft a paper's files and pages from its tables.",
        },
    },
    "Outputs of models": {
        "reports.planner_command": {
            "plan": "Before a run: how many questions it takes to see a difference.",
        },
        "runners.commands": {
            "look": "Logs of any harness, where they are: leaderboard, comparison, what was lost.",
            "items": "List, fetch and check the questions of benchmarks.",
            "run": "Ask a model every question of a benchmark; goes on where it was stopped.",
            "import": "Take the logs of another program, raw as they are.",
            "status": "How many requests were answered, cut off, refused or failed.",
            "export": "Write a benchmark's outputs as one file.",
            "check": "Are the cached outputs as they were written?",
            "repair": "Take damaged lines out of the cached outputs; nothing is deleted.",
            "merge": "Add the outputs of other caches to this one.",
            "judge": "Let a model judge the answers of others.",
            "gallery": "Keep a published leaderboard as facts, without texts.",
            "compact": "Write the baselines' answers by item id into the repository.",
        },
        "runners.ranking.command": {
            "ranking": "Rank many options by probability.",
        },
    },
    "Reports": {
        "reports.leaderboard_command": {
            "leaderboard": "Every cached run of a benchmark: accuracy, intervals, ranks.",
        },
        "reports.language_pages": {
            "languages": "What runs lose from language to language, and where a translation may "
            "be at fault.",
        },
        "reports.making": {
            "report": "Make reports of the catalog, the claims' ledger, the site (make reports "
            "makes all).",
            "notebook": "Run a notebook with own parameters; one HTML page and its tables and "
            "figures.",
            "verify": "Are the tables and figures made here those of the repository?",
        },
    },
}
PLACES: dict[str, str] = {}  # command -> module


class _Lazy(TyperGroup):
    """Lists commands without loading them; what is called is the module's own command."""

    def resolve_command(self, ctx, args):
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and _loaded(name), rest


def _loaded(name: str):
    if name in _NEEDS_CHECKOUT and not paths.CHECKOUT:
        raise DataError(f"polyexam {name} {paths.NEEDED}")
    module = import_module(PLACES[name])
    if hasattr(module, "app"):
        group = get_command(module.app)
        return group.commands.get(name, group)
    single = typer.Typer(add_completion=False)
    single.command(name)(getattr(module, name.replace("-", "_")))
    return get_command(single)


app = typer.Typer(
    cls=_Lazy,
    name="polyexam",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback that shows locals would show keys
    help="Trustworthy reports on multilingual LLM benchmarks: the papers' numbers, raw outputs "
    "of any harness, your own model.",
    epilog="polyexam COMMAND --help explains each. Guides: docs/ in the repository, "
    "docs/troubleshooting.md first when something fails.",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"polyexam {metadata.version('polyexam')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="The version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


for _panel, _modules in _PANELS.items():
    for _module, _commands in _modules.items():
        for _name, _help in _commands.items():
            PLACES[_name] = _module
            app.command(_name, help=_help, rich_help_panel=_panel)(lambda: None)


def main() -> int:
    """The exit status of the command line: 0 done, 1 failed, 2 something that its user can mend,
    130 interrupted.
    """
    return exit_status(lambda: app(standalone_mode=False, prog_name="polyexam"))


def command(name: str, *words: object, **options: object) -> int:
    """Run a command from Python, its options by keyword; the exit status.

    Raises
    ------
    DataError
        Where the command would name something that its user can mend.
    """
    line = [str(word) for word in words]
    for option, value in options.items():
        flag = f"--{option.replace('_', '-')}"
        for one in value if isinstance(value, list | tuple) else [value]:
            if one is True:
                line.append(flag)
            elif one not in (None, False):
                line += [flag, str(one)]
    try:
        status = _loaded(name).main(line, prog_name=f"polyexam {name}", standalone_mode=False)
    except typer.TyperException as error:
        raise DataError(error.format_message()) from None
    return status or 0
