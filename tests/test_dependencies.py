"""docs/dependencies.md names each direct dependency once, under its extra."""

import re
import tomllib

from analysis import paths

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def declared() -> dict[str, str]:
    """Package -> its extra, none of the core."""
    groups = {"": PROJECT["dependencies"]} | PROJECT["optional-dependencies"]
    return {re.match(r"[\w.-]+", one)[0]: extra for extra in groups for one in groups[extra]}


def listed() -> dict[str, list[str]]:
    text = (paths.ROOT / "docs" / "dependencies.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {row[0]: row[1:] for row in rows if len(row) == 5 and row[0] not in ("package", "---")}


def test_each_dependency_is_listed_under_its_extra():
    assert {name: row[0] for name, row in listed().items()} == declared()
