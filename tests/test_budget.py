"""Rooms hold their budgets of tokens, which rise only by decision, and the product stays plain.

A token is one of Python's lexer without comments, docstrings and layout: lines can be made fewer by
making them longer, tokens cannot.
"""

import ast
import io
import json
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from analysis import paths

# Room -> most tokens of code. A folder counts what lies below it, less its own rows here.
BUDGETS = {
    "analysis": 7_979,
    "analysis/answers": 18_715,
    "analysis/audit": 36_000,
    "analysis/claims": 9_767,
    "analysis/explore": 11_444,
    "analysis/items": 16_879,
    "analysis/outputs": 3_911,
    "analysis/papers": 23_779,
    "analysis/plots": 8_593,
    "analysis/results": 17_454,
    "analysis/statistics": 13_805,
    "runners": 57_102,
    "reports": 17_413,
    "polyexam.py": 490,
    "notebooks": 35_965,
    "bench": 15_053,
    "tests": 134_098,
}
TOKENS_A_STATEMENT = 12.9  # of the product
NOTEBOOKS_A_STATEMENT = 14.0
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def weight(source: str) -> tuple[int, int]:
    """Tokens and statements of Python source, docstrings apart."""
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = sum(
        isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None
        for node in nodes
    )
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    count = sum(token.type not in LAYOUT for token in tokens)
    return count - docstrings, sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def sources(room: str) -> list[str]:
    """Python of a room: its files, or the code cells of its notebooks."""
    folder = paths.ROOT / room
    if room == "notebooks":
        files = sorted(folder.rglob("*.ipynb"))
        cells = [cell for file in files for cell in json.loads(file.read_text("utf-8"))["cells"]]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
    return [file.read_text("utf-8") for file in files if room_of(file) == room]


def room_of(file: Path) -> str:
    """The narrowest room that a file belongs to, empty for what is hidden (environments)."""
    parts = file.relative_to(paths.ROOT).parts
    if any(part.startswith(".") for part in parts):
        return ""
    names = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
    return next(name for name in names if name in BUDGETS)


@pytest.mark.parametrize("room", BUDGETS)
def test_a_room_holds_its_budget(room):
    tokens = sum(weight(source)[0] for source in sources(room))
    assert tokens <= BUDGETS[room], "make it smaller; a budget rises only by a commit that says why"


@pytest.mark.parametrize(
    "rooms, most",
    [
        (BUDGETS.keys() - {"notebooks", "bench", "tests"}, TOKENS_A_STATEMENT),
        ({"notebooks"}, NOTEBOOKS_A_STATEMENT),
    ],
    ids=["product", "notebooks"],
)
def test_code_is_plain(rooms, most):
    weights = [weight(source) for room in rooms for source in sources(room)]
    tokens, statements = map(sum, zip(*weights, strict=True))
    assert tokens / statements <= most


def test_no_line_escapes_the_formatter():
    for room in BUDGETS:
        for source in sources(room):
            assert "fmt: " + "skip" not in source
            assert "fmt: " + "off" not in source


def test_code_is_formatted_and_checked():
    """100 columns and the rules of pyproject.toml, notebooks too."""
    pytest.importorskip("ruff", reason="ruff is not installed")
    for command in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(paths.ROOT)],
            capture_output=True,
            text=True,
            cwd=paths.ROOT,
        )
        assert done.returncode == 0, done.stdout
