"""Python in the documents: what a block imports and names of modules exists."""

import ast
import re
from importlib import import_module

import pytest

from analysis import paths

PAGES = [paths.ROOT / "README.md", *sorted((paths.ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^( *)```python[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
OURS = ("analysis", "runners", "reports")


def blocks():
    for page in PAGES:
        for place, found in enumerate(BLOCK.finditer(page.read_text("utf-8"))):
            text = "\n".join(line.removeprefix(found[1]) for line in found[2].splitlines())
            yield pytest.param(text, id=f"{page.name}-{place}")


@pytest.mark.parametrize("text", list(blocks()))
def test_what_is_imported_and_called_exists(text):
    tree, modules = ast.parse(text), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
            for name in node.names:
                try:
                    modules[name.asname or name.name] = import_module(f"{node.module}.{name.name}")
                except ModuleNotFoundError as error:
                    if error.name and error.name.split(".")[0] not in OURS:
                        pytest.skip(f"{error.name} is not installed")
                    modules[name.asname or name.name] = getattr(
                        import_module(node.module), name.name
                    )
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        ):
            assert hasattr(modules[node.value.id], node.attr), f"{node.value.id}.{node.attr}"
