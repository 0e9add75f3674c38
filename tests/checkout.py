"""Copies of the repository, without what is generated or a user's own."""

import shutil
from pathlib import Path

from analysis import paths

FOLDERS = ("analysis", "data", "notebooks", "reports", "runners")
FILES = ("LICENSE", "Makefile", "README.md", "constraints.txt", "polyexam.py", "pyproject.toml")
GENERATED = shutil.ignore_patterns("__pycache__", "*.html", "site", "claims.json", "audits.json")


def _left_out(folder: str, names: list[str]) -> set[str]:
    own = {"benchmarks", "outputs"} if Path(folder) == paths.ROOT / "data" else set()
    return own | GENERATED(folder, names)


def copy(to: Path) -> Path:
    """The code, its data and its notebooks, in an empty folder."""
    to.mkdir(exist_ok=True)
    for name in FOLDERS:
        shutil.copytree(paths.ROOT / name, to / name, ignore=_left_out)
    for name in (*FILES, "setup.py"):
        shutil.copy(paths.ROOT / name, to)
    return to
