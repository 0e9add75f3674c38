"""Notebooks run whole or not at all."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from analysis import catalog, paths
from reports import html, notebook_run
from tests.conftest import refused

PARAMETERS = (
    'name: str = "x"  # a name\ncount: int = 3\nshare: float = 0.5\nmany: list = '
    "[]\nflag: bool = False"
)
SAVING = """from analysis import artifacts
import pandas as pd
save = artifacts.Artifacts("own", "notebook", name=name)
save.table("numbers", pd.DataFrame({"a": [1]}), caption="n = 1", source=["run"])"""


def write(path, *cells: str):
    """A notebook whose first cell holds the parameters."""
    first = new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})
    notebook = new_notebook(cells=[first, *(new_code_cell(cell) for cell in cells)])
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "language": "python",
        "display_name": "Python 3",
    }
    nbformat.write(notebook, path)
    return path


def own(*cells: str):
    """The notebook of the house."""
    return write(paths.NOTEBOOKS / "notebook.ipynb", *cells)


@pytest.fixture
def house(home, monkeypatch):
    """An empty house: its own notebooks, figures, reports and build folder."""
    for name in ("NOTEBOOKS", "SITE", "BUILD"):
        monkeypatch.setattr(paths, name, home / name.lower())
    paths.NOTEBOOKS.mkdir()
    return home


def report(**parameters) -> catalog.Report:
    name = "notebook_x_numbers"
    made = {name: catalog.Artifact(id=name, slot="numbers", status="reproduced", title=name)}
    return catalog.Report.model_construct(
        paper="own",
        name="numbers",
        notebook="notebook.ipynb",
        parameters=parameters,
        artifacts=made,
    )


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"nmae": "y"}, "did you mean name"),
        ({"name": 3}, "int, not str"),
        ({"count": True}, "bool, not int"),
        ({"count": 1.5}, "float, not int"),
        ({"flag": "yes"}, "str, not bool"),
    ],
)
def test_parameters_are_checked_before_anything_runs(house, parameters, message):
    own('raise SystemExit("it ran")')
    with refused(message) as caught:
        notebook_run.build(report(**parameters))
    assert caught.value.field == next(iter(parameters))


def test_a_notebook_that_refuses_says_so_in_one_sentence(house):
    text = (
        "from analysis.errors import DataError\nraise DataError('khayyam prints no gap "
        "table', field='paper')"
    )
    notebook = own(text)
    with pytest.raises(notebook_run.NotebookFailed) as failed:
        notebook_run.run_own(notebook, {}, house / "own.html")
    assert str(failed.value) == "notebook.ipynb: field 'paper': khayyam prints no gap table"
    assert not (house / "own.html").exists()


def test_a_notebook_is_found_by_its_path_and_by_its_name_in_a_folder(house):
    (paths.NOTEBOOKS / "general").mkdir()
    notebook = write(paths.NOTEBOOKS / "general" / "leaderboard.ipynb")
    for path in (notebook, "leaderboard", "leaderboard.ipynb"):
        assert notebook_run.find(Path(path)) == notebook
    with refused("did you mean leaderboard"):
        notebook_run.find(Path("leaderbord"))


def test_an_int_may_stand_for_a_float(house):
    notebook_run.check_parameters(own(), {"share": 1, "many": ["a"], "flag": True})


def test_what_is_no_notebook_is_refused(house):
    with refused("no such notebook"):
        notebook_run.find(Path("nothing.ipynb"))
    (paths.NOTEBOOKS / "bad.ipynb").write_text("{")
    with refused("is not a notebook"):
        notebook_run.declared(paths.NOTEBOOKS / "bad.ipynb")


@pytest.mark.slow
def test_a_report_is_made_with_its_artifacts(house):
    own(SAVING)
    page = notebook_run.build(report())
    assert "<table" in page.read_text("utf-8")
    made = {file.name for file in (house / "figures" / "own").iterdir()}
    assert made == {f"notebook_x_numbers.{kind}" for kind in ("csv", "tex", "html", "json")}
    assert os.environ["POLYEXAM_FIGURES"] == str(house / "figures")
    assert list(paths.BUILD.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells, message",
    [
        ((SAVING, "1 / 0"), r"(?s)cell 3.*1 / 0.*ZeroDivisionError"),
        ((SAVING, "import os; os.kill(os.getpid(), 9)", "1"), r"(?s)notebook.ipynb.*os\.kill"),
        (("pass",), "not made: \\['notebook_x_numbers"),
        (
            (SAVING, SAVING.replace('"numbers"', '"more"')),
            "not in the catalog: \\['notebook_x_more",
        ),
    ],
)
def test_a_failing_notebook_leaves_no_report_that_looks_complete(house, cells, message):
    own(SAVING)
    page = notebook_run.build(report())
    own(*cells)
    with pytest.raises(notebook_run.NotebookFailed, match=message):
        notebook_run.build(report())
    assert not page.exists()
    assert list(paths.BUILD.iterdir()) == []


@pytest.mark.slow
def test_own_parameters(house, monkeypatch):
    """And a kernel sees no keys: what a notebook shows may hold any variable."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user-0123456789")
    notebook = own(
        SAVING,
        "import os\nprint(name, count)\nprint(dict(os.environ))",
    )
    page = notebook_run.run_own(notebook, {"name": "mine", "count": 7}, house / "out" / "mine.html")
    text = page.read_text("utf-8")
    assert "mine 7" in text
    assert "POLYEXAM_FIGURES" in text
    assert "sk-of-the-user" not in text
    assert os.environ["OPENAI_API_KEY"]
    assert (house / "out" / "mine_files" / "own" / "notebook_mine_numbers.csv").is_file()


HOSTILE = """from IPython.display import HTML, Javascript, Markdown, display
text = '<script>document.title="owned"</script><img src=x onerror="alert(1)">'
text += '<a href="javascript:alert(1)">x</a><svg onload=alert(1)>'
display(HTML(text), Markdown(text), Javascript("document.title='owned'"))
print(text)"""


def test_a_page_lists_its_sections_and_leaves_templates_out():
    words = new_markdown_cell("**gap**\n\n{fall:.1f}", metadata={"tags": ["words"]})
    cells = [new_markdown_cell("# T\n\n## A <i>b</i>"), new_code_cell("x = 1"), words]
    page = html.page(new_notebook(cells=cells), "t")
    assert "{fall" not in page
    assert page.count('class="code"') == 1
    assert 'href="#A-&lt;i&gt;b&lt;/i&gt;"' in page
    assert page.count("show all code") == 1


def test_a_page_runs_nothing_and_loads_nothing(house):
    notebook = own(HOSTILE)
    content = nbformat.read(notebook, as_version=4)
    content.cells.append(
        new_markdown_cell(
            '<script>alert(2)</script> **bold** <iframe src="https://example.org"></iframe>'
        )
    )
    nbformat.write(content, notebook)
    page = notebook_run.run_own(notebook, {}, house / "out.html").read_text("utf-8")
    body = page.split("<body>")[1]
    for bad in ("<script", "<svg", "<iframe", "<img src"):
        assert bad not in body.lower()
    assert not re.search(r"<a\b[^>]*javascript:|<\w+\b[^>]*\son\w+\s*=", body, re.IGNORECASE)
    assert "Content-Security-Policy" in page
    assert "cdn" not in page.lower()
    assert "mathjax" not in page.lower()
    assert "&lt;script&gt;" in body  # visible as text
    assert "<strong>bold</strong>" in body


@pytest.mark.slow
def test_the_command_names_its_failures(house):
    notebook = own("1 / 0")

    def polyexam(*words) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "polyexam", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=paths.ROOT)

    show = ("notebook", notebook, "-o", house / "out.html")
    failed = polyexam(*show)
    assert failed.returncode == 1
    assert "ZeroDivisionError" in failed.stderr
    assert "Traceback" not in failed.stderr
    wrong = polyexam(*show, "-p", "nmae=3")
    assert wrong.returncode == 2
    assert "did you mean name?" in wrong.stderr
    unknown = polyexam("report", "tlue/averagse")
    assert unknown.returncode == 2
    assert "did you mean tlue/averages?" in unknown.stderr


@pytest.mark.slow
def test_what_lies_in_the_notebooks_folder_does_not_hide_what_is_ours(house):
    (paths.NOTEBOOKS / "analysis.py").write_text("raise SystemExit('not this one')")
    (paths.NOTEBOOKS / "reports").mkdir()
    (paths.NOTEBOOKS / "own_module.py").write_text("said = 'mine as well'")
    notebook = own(
        SAVING,
        "import own_module, reports.notebook_run\nprint(own_module.said)",
    )
    assert "mine as well" in notebook_run.run_own(notebook, {}, house / "own.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_a_notebook_needs_no_network_interface(house):
    """Not even the one that a machine has for itself."""
    notebook = own("print(1 + 1)")
    without = [str(paths.ROOT / ".ci" / "without"), "loopback", sys.executable]
    done = subprocess.run(
        [*without, "-m", "polyexam", "notebook", str(notebook), "-o", str(house / "own.html")],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode == 69:
        pytest.skip("no namespaces here")
    assert done.returncode == 0, done.stderr
