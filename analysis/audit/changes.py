"""What an author has accepted or touched: marks in comments of the source, lines that changed since
a git revision.
"""

import re
import subprocess
from functools import cache
from pathlib import Path

from analysis.audit.findings import Audit, Finding
from analysis.audit.printed import Source
from analysis.audit.printed_table import Table
from analysis.errors import DataError

_IGNORE = re.compile(r"polyexam: ignore ([a-z ,]*[a-z])")  # names of checks

_DIFF = ("diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv")
_HUNK = re.compile(r"(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_NO_END = 10**9


def accept_marked(audit: Audit) -> None:
    """Leave out findings whose line, or the one before it, has `polyexam: ignore CHECK`."""

    def is_marked(one: Finding) -> bool:
        near = "\n".join(_lines(one.file)[one.line - 1 : one.line + 1]) if one.line else ""
        return any(one.check in re.split(", *", names) for names in _IGNORE.findall(near))

    audit.leave_out(is_marked)


def keep_changed(source: Source, audit: Audit, revision: str) -> None:
    """Leave out tables whose lines a git revision has, and sentences of files that it has.

    Raises
    ------
    DataError
        Where there is no repository, or no such revision.
    """
    folder = Path(source.tables[0].file).resolve().parent
    # never an option, whatever it begins with
    commit = _git(folder, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")

    @cache
    def spans(file: str) -> list[range]:
        """Lines that are new, and those before which one is gone."""
        path = Path(file).resolve()
        if not _git(path.parent, "ls-tree", "--name-only", commit, path.name):
            return [range(_NO_END)]
        diff = _git(path.parent, *_DIFF, commit, "--", path.name)
        hunks = [(int(start), int(size or 1)) for start, size in _HUNK.findall(diff)]
        return [range(start, start + max(size, 1)) for start, size in hunks]

    def is_touched(table: Table) -> bool:
        first, last = min(table.grid.lines), max(table.grid.lines)
        return any(span.start <= last and first < span.stop for span in spans(table.file))

    touched = list(filter(is_touched, source.tables))
    names = {table.name for table in touched}
    source.unchanged, source.tables = len(source.tables) - len(touched), touched
    audit.coverage = [one for one in audit.coverage if one.table in names]
    audit.findings = [
        one for one in audit.findings if one.table in names or (not one.cells and spans(one.file))
    ]


def _lines(file: str) -> list[str]:
    return ["", *Path(file).read_text("utf-8", "replace").split("\n")]


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise DataError(f"git: {done.stderr.strip()}", field="changed")
    return done.stdout.rstrip()
