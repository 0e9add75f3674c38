"""How much the audit of printed tables finds: planted errors by kind, false alarms on clean tables.

python -m bench.audit [tables of each kind]
"""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from analysis import paths
from analysis.audit import printed
from tests.audit import seeded

Source = Callable[[np.random.Generator], seeded.Made]


def findings(table: seeded.Made, latex: bool) -> list:
    """Findings of a table that are errors or questions."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / ("table.tex" if latex else "table.md")
        file.write_text(table.latex() if latex else table.markdown(), encoding="utf-8")
        audit = printed.check(printed.read([file]))
    return [one for one in audit.findings if one.level != "look"]


def clean(source: Source, count: int, rng: np.random.Generator) -> tuple[int, int]:
    """Tables, and alarms that they raise."""
    return count, sum(len(findings(source(rng), k % 2 == 1)) for k in range(count))


def planted(source: Source, kind: str, count: int, rng: np.random.Generator) -> tuple[int, int]:
    """Errors of a kind, and how many are named by a cell; some tables can have none of it."""
    errors = hits = 0
    for _ in range(100 * count):
        table = seeded.plant(source(rng), kind, rng)
        if table is None:
            continue
        errors += 1
        named = {(i, j - 1) for one in findings(table, errors % 2 == 1) for i, j in one.cells}
        hits += bool(named & table.cells)
        if errors == count:
            break
    return errors, hits


def show(title: str, source: Source, count: int) -> None:
    """Measure and print one block of text."""
    rng = np.random.default_rng(0)
    print(f"{title}: of, found by cell")
    print(f"  {'clean':24} {clean(source, count, rng)}")
    for kind in seeded.KINDS:
        print(f"  {kind:24} {planted(source, kind, count, rng)}")


if __name__ == "__main__":
    tables = int([*sys.argv, 20][1])
    show("made tables", seeded.clean, tables)
    folder = paths.benchmarks() / "printed_tables"
    if folder.is_dir():
        published = seeded.real(folder)
        show("published tables", lambda rng: rng.choice(published), tables)
