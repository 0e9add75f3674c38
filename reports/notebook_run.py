"""Running one notebook: parameters checked first, executed in a folder of its own, shown to the
world only when it is complete.
"""

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import papermill
from jupyter_client.manager import AsyncKernelManager
from papermill.exceptions import PapermillExecutionError
from traitlets import default

from analysis import catalog, paths
from analysis.errors import DataError, unknown
from reports import warm
from reports.html import to_html

# names of variables that no kernel gets
_SECRET = re.compile(r"(?i)key|token|secret|passw|credential")
# types that papermill infers from a notebook's parameters cell -> types of values that fit
_TYPES = {"str": str, "int": int, "float": (int, float), "bool": bool, "list": list, "dict": dict}
# What a notebook imports is ours, whatever its folder has; a module of its own can still be
# imported.
_OURS_FIRST = [
    "--InteractiveShellApp.ignore_cwd=True",
    "--InteractiveShellApp.exec_lines=import analysis, reports, runners, sys; sys.path.append('')",
]


class NotebookFailed(RuntimeError):
    """A notebook that did not run to its end, with the failing cell in the message."""


def find(name: Path) -> Path:
    """The notebook at this path, or the one of this name in a folder of `notebooks/`.

    Raises
    ------
    DataError
        With the nearest names, if there is none.
    """
    if name.is_file():
        return name
    notebooks = {file.stem: file for file in sorted(paths.NOTEBOOKS.rglob("[!.]*.ipynb"))}
    if name.stem not in notebooks:
        raise unknown("notebook", name.name, notebooks)
    return notebooks[name.stem]


def declared(notebook: Path) -> dict[str, dict]:
    """The notebook's declared parameters by name, as papermill describes them.

    Raises
    ------
    DataError
        If there is no such notebook, or it is not one.
    """
    # papermill warns of kernels it has no translator for; ours is Python
    with warnings.catch_warnings(action="ignore"):
        try:
            return papermill.inspect_notebook(str(notebook))
        except ValueError as error:
            raise DataError(f"is not a notebook: {error}", file=notebook) from None


def check_parameters(notebook: Path, parameters: dict) -> None:
    """Raise a `DataError` for a parameter that the notebook does not declare, or whose value has
    another type.
    """
    entries = declared(notebook)
    for name, value in parameters.items():
        if name not in entries:
            raise DataError(unknown("parameter", name, entries).reason, file=notebook, field=name)
        wanted = entries[name]["inferred_type_name"].split("[")[0].strip()
        wrong_bool = isinstance(value, bool) and wanted in ("int", "float")
        if wrong_bool or not isinstance(value, _TYPES.get(wanted, object)):
            given = type(value).__name__
            raise DataError(f"{value!r} is {given}, not {wanted}", file=notebook, field=name)


class _KernelOverFiles(AsyncKernelManager):
    """A kernel that is spoken to over sockets in a folder of its own: it needs no network, and no
    two want the same port.
    """

    @default("transport")
    def _transport(self) -> str:
        return "ipc"

    @default("connection_file")
    def _connection_file(self) -> str:
        return os.path.join(os.environ["JUPYTER_RUNTIME_DIR"], "kernel.json")


@contextlib.contextmanager
def _environment(figures: Path) -> Iterator[None]:
    """What a kernel sees of the environment: no keys, and the user's data from any folder."""
    before = dict(os.environ)
    # /tmp, for the path of a socket may have 100 characters; the user's own profile of IPython
    # decides nothing here
    temporary = "/tmp" if os.access("/tmp", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="polyexam-", dir=temporary) as own:
        os.environ |= warm.ENVIRONMENT | {
            "POLYEXAM_DATA": str(paths.benchmarks().absolute()),
            "POLYEXAM_OUTPUTS": str(paths.outputs().absolute()),
            "POLYEXAM_FIGURES": str(figures),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_RUNTIME_DIR": own,
            "IPYTHONDIR": own,
        }
        for name in filter(_SECRET.search, before):
            del os.environ[name]
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def execute(notebook: Path, parameters: dict, output: Path, figures: Path) -> None:
    """Run `notebook` from its own folder and write the executed notebook to `output`; artifacts go
    to `figures`.

    Raises
    ------
    NotebookFailed
        With the failing cell, if a cell raises, the kernel dies, or a cell was left out.
    """
    name = notebook.name
    try:
        with _environment(figures):
            papermill.execute_notebook(
                str(notebook),
                str(output),
                parameters,
                kernel_name="python3",
                cwd=str(notebook.parent),
                progress_bar=False,
                kernel_manager_class=_KernelOverFiles,
                extra_arguments=["--IPKernelApp.log_level=CRITICAL", *_OURS_FIRST],
            )
    except PapermillExecutionError as error:
        # the notebook refuses, and says in one sentence what is missing
        if error.ename == "DataError":
            raise NotebookFailed(f"{name}: {error.evalue}") from None
        raise NotebookFailed(
            f"{name}, cell {error.exec_count}:{_indented(error.source)}\n"
            f"{error.ename}: {error.evalue}"
        ) from None
    except Exception as error:  # nbclient reports a dead kernel by several types
        raise NotebookFailed(
            f"{name}: {type(error).__name__}: {error} {_last_cell(output)}"
        ) from None
    for cell in _cells(output):
        left_out = cell["cell_type"] == "code" and cell["execution_count"] is None
        if left_out and "".join(cell["source"]).strip():
            raise NotebookFailed(
                f"{name}: the kernel stopped before the last cell {_last_cell(output)}"
            )


def _cells(executed: Path) -> list[dict]:
    return json.loads(executed.read_bytes())["cells"]


def _last_cell(output: Path) -> str:
    """The last cell that was started, from the half-written notebook, for the message."""
    cells = _cells(output) if output.is_file() else []
    started = [cell for cell in cells if cell["metadata"].get("papermill", {}).get("start_time")]
    return f"in cell:{_indented(''.join(started[-1]['source']))}" if started else ""


def _indented(source: str) -> str:
    return "".join(f"\n    {line}" for line in source.splitlines())


def build(report: catalog.Report) -> Path:
    """Make one catalogued report: its artifacts under `figures/`, the executed notebook and its
    page under `reports/`.

    Everything is made in a temporary folder and moved in place at the end, the page last. A report
    that fails leaves no page.

    Raises
    ------
    NotebookFailed
        Also where the notebook made other artifacts than the catalog lists.
    """
    notebook = paths.NOTEBOOKS / report.notebook
    page = paths.SITE / report.paper / f"{report.name}.html"
    page.unlink(missing_ok=True)
    check_parameters(notebook, report.parameters)
    paths.BUILD.mkdir(exist_ok=True)
    prefix = f"{report.paper}-{report.name}-"
    with tempfile.TemporaryDirectory(dir=paths.BUILD, prefix=prefix) as folder:
        executed = Path(folder) / f"{report.name}.ipynb"
        execute(notebook, report.parameters, executed, Path(folder) / "figures")
        made = Path(folder) / "figures" / report.paper
        cards = {card.stem: json.loads(card.read_bytes()) for card in sorted(made.glob("*.json"))}
        names, listed = set(cards), set(report.artifacts)
        if names != listed:
            raise NotebookFailed(
                f"{report.id}: not made: {sorted(listed - names)}; "
                f"not in the catalog: {sorted(names - listed)}"
            )
        for name, card in cards.items():
            if reasons := card.get("illegible"):
                print(f"warning: figure {name}: {reasons[0]}", file=sys.stderr)
        html = executed.with_suffix(".html")
        to_html(executed, html, title=f"{report.paper}: {report.name}")
        for file in sorted(made.glob("*")):
            _move(file, paths.figures() / report.paper)
        _move(executed, page.parent)
        _move(html, page.parent)
    return page


def _move(file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    os.replace(file, folder / file.name)


def run_own(notebook: Path, parameters: dict, output: Path) -> Path:
    """Run any notebook with own parameters; the page goes to `output`, the artifacts to a folder
    beside it, `<name>_files`.
    """
    check_parameters(notebook, parameters)
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.stem}-") as folder:
        made, executed = Path(folder) / "figures", Path(folder) / f"{output.stem}.ipynb"
        execute(notebook.resolve(), parameters, executed, made)
        to_html(executed, executed.with_suffix(".html"), title=output.stem)
        if made.exists():
            shutil.copytree(made, output.with_name(f"{output.stem}_files"), dirs_exist_ok=True)
        os.replace(executed.with_suffix(".html"), output)
    return output
