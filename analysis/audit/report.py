"""An audit to show: text for the terminal, data of a page, JSON, SARIF."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from analysis.audit import changes, noise, printed
from analysis.audit.findings import Audit, Coverage, Finding
from analysis.audit.noise import Gap
from analysis.audit.printed import Source
from analysis.audit.printed_table import Table

if TYPE_CHECKING:
    import pandas as pd

_HEADS = {
    "error": "cannot be right",
    "question": "right only under another definition",
    "look": "worth a look",
}
_SARIF_LEVELS = {"error": "error", "question": "warning", "look": "note"}
SHOWN = 12  # findings of one level that the terminal shows
_MANY = 4  # places that a check looked at, each of which the terminal shows
_LABELS = ("label", "block", "text")


@dataclass(repr=False)
class Report:
    """What was read, what does not fit, and which gaps are noise."""

    source: Source
    audit: Audit
    gaps: list[Gap] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    @property
    def frame(self) -> "pd.DataFrame":
        """A row a finding, by consequence."""
        import pandas as pd  # takes half a second to import

        return pd.DataFrame(map(asdict, self.audit.ordered()))

    def text(self, verbose: bool = False) -> str:
        """The summary for the terminal, by consequence."""
        shown = None if verbose else SHOWN
        lines = [f"{self.source}; {self.text_counts}; {self.counts}"]
        lines += sorted({table.grid.unsure for table in self.source.tables} - {""})
        for level, head in _HEADS.items():
            part = [one for one in self.audit.ordered() if one.level == level]
            lines += [f"{len(part)} {head}"] * bool(part)
            if level == "look" and not verbose:  # folded, but for what was not read
                part = [one for one in part if one.check == "not read"]
            for one in part[:shown]:
                lines += [f"  {one.check}  {self.place(one)}{values(one)}", f"      {reason(one)}"]
            if len(part) > SHOWN and not verbose:
                lines.append(f"  … and {len(part) - SHOWN} more (--verbose shows all)")
        lines += ["", "looked at", *(f"  {line}" for line in self.coverage())]
        if self.sentences:
            lines += ["", "which gaps are noise", *(f"  {line}" for line in self.sentences)]
        else:
            lines += ["", "no gaps looked at: --n 1000 (questions) tells which are noise"]
        return "\n".join(lines)

    @property
    def text_counts(self) -> str:
        """How many sentences were held against the tables, and how many numbers no table has."""
        sentences = {one.facts["where"] for one in self.audit.coverage if one.check == "text"}
        sentences |= {one.where for one in self.audit.findings if one.check == "text"}
        lost = sum(one.kind == "text nowhere" for one in self.audit.findings)
        return f"{len(sentences)} sentences checked, {lost} numbers in the text that no table has"

    __repr__ = text

    @property
    def counts(self) -> str:
        """How many findings there are of each level."""
        levels = [one.level for one in self.audit.findings]
        parts = [f"{levels.count(one)} {head}" for one, head in _HEADS.items() if one in levels]
        text = ", ".join(parts) or "nothing found that does not fit"
        return f"{text}; {self.audit.accepted} accepted" if self.audit.accepted else text

    def place(self, one: Finding) -> str:
        """Table, cell and line of a finding."""
        table = f"[{one.table}] " if one.table and len(self.source.tables) > 1 else ""
        return f"{table}{one.where}" + (f" (line {one.line})" if one.line and one.cells else "")

    def coverage(self) -> list[str]:
        """What each check looked at and could detect; of many places only how many."""
        groups: dict[str, list[Coverage]] = {}
        for one in self.audit.coverage:
            groups.setdefault(one.kind, []).append(one)
        lines = []
        for kind, part in groups.items():
            if len(part) > _MANY:
                tables = len({one.table for one in part})
                lines.append(f"{kind}: {sum(one.tested for one in part)} in {tables} tables")
                continue
            for one in part:
                table = f"[{one.table}] " * (len(self.source.tables) > 1)
                sees = f"; sees {one.sees}" if one.sees else ""
                lines.append(f"{one.check}: {table}{one.says}{sees}")
        return lines

    def json(self) -> str:
        """All of it."""
        values = {
            "source": str(self.source),
            "findings": [one.record() for one in self.audit.ordered()],
            "looked_at": [one.record() for one in self.audit.coverage],
            "gaps": [asdict(gap) for gap in self.gaps],
            "sentences": self.sentences,
        }
        return json.dumps(values, ensure_ascii=False, indent=1)

    def sarif(self, root: Path) -> str:
        """Findings in SARIF 2.1.0, which code hosts show; paths are relative to `root`."""
        results = [
            {
                "ruleId": one.check,
                "level": _SARIF_LEVELS[one.level],
                "partialFingerprints": {"polyexam/v1": one.fingerprint},
                "message": {"text": f"{one.where}{values(one)}. {reason(one)}"},
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": _uri(Path(one.file), root)},
                            "region": {"startLine": max(one.line, 1)},
                        }
                    }
                ],
            }
            for one in self.audit.ordered()
        ]
        names = sorted({one.check for one in self.audit.findings})
        rules = [{"id": name, "help": {"text": f"docs/audit.md: {name}"}} for name in names]
        driver = {"name": "polyexam audit", "version": version("polyexam"), "rules": rules}
        log = {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "results": results}],
        }
        return json.dumps(log, ensure_ascii=False, indent=1)

    def rows(self, table: Table) -> Iterator[list[tuple]]:
        """Rows of a page's table: tag, cell, class and numbers of findings of each cell."""
        marks: dict[tuple[int, int], list] = defaultdict(list)
        for number, one in enumerate(self.audit.ordered(), 1):
            for i, j in one.cells[:1]:
                if one.table == table.name:
                    place = (table.rows[i].index, table.columns[j].index)
                    marks[place].append((number, one.level))
        labels = {column.index for column in table.columns if column.role in _LABELS}
        for r, cells in enumerate(table.grid.rows):
            row = []
            for c, cell in enumerate(cells):
                here = marks[r, c]
                name = here[0][1] if here else "text" if c in labels else ""
                tag = "th" if r < table.head else "td"
                row.append((tag, cell, name, [number for number, _ in here]))
            yield row


def values(one: Finding) -> str:
    """ ": printed, expected ..." as far as a finding has them."""
    expected = f"expected {one.expected}" if one.expected else ""
    parts = ", ".join(part for part in (one.printed, expected) if part)
    return f": {parts}" if parts else ""


def reason(one: Finding) -> str:
    """Why a finding is one, and what speaks for it."""
    return f"{one.why} ({one.sure})" if one.sure else one.why


def _uri(file: Path, root: Path) -> str:
    path, root = file.resolve(), root.resolve()
    inside = path.relative_to(root) if path.is_relative_to(root) else path.name
    return quote(str(inside))


def of_files(*files: str | Path, n: int | None = None) -> Report:
    """What does not fit in tables, and which of their gaps are noise.

    Parameters
    ----------
    files : path
        Tables, papers or folders of them.
    n : int, optional
        Questions behind each number, where the table does not say.

    Returns
    -------
    Report
        Shows itself as text; `frame` has a row a finding.

    Raises
    ------
    DataError
        For what holds no table.
    """
    return of_source(printed.read(list(map(Path, files)), n), n)


def of_source(source: Source, n: int | None = None, changed: str | None = None) -> Report:
    """The report of tables that were read, or of those that `changed` since a git revision."""
    audit = printed.check(source)
    changes.accept_marked(audit)
    if changed and source.tables:
        changes.keep_changed(source, audit, changed)
    shown = Report(source, audit)
    for table in source.tables:
        gaps = noise.gaps(table, n)
        shown.gaps += gaps
        shown.sentences += noise.sentences(gaps, table)
    return shown
