"""How much the audit of printed tables finds: planted errors by kind, false alarms on clean tables, seconds.

python -m bench.audit [tables of each kind]
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from analysis.audit import printed
from tests.audit import seeded


def run(made: seeded.Made, folder: Path, latex: bool) -> tuple[list, float]:
    """Findings that are errors or questions, and seconds."""
    file = folder / ("table.tex" if latex else "table.md")
    file.write_text(made.latex() if latex else made.markdown(), encoding="utf-8")
    start = time.perf_counter()
    found = printed.check(printed.tables(file)).findings
    return [one for one in found if one.level != "look"], time.perf_counter() - start


def measure(count: int, seed: int = 0, show: bool = False) -> dict:
    """Kind -> (planted, found by cell); `clean` -> (tables, errors, questions); mean seconds."""
    rng, out, seconds = np.random.default_rng(seed), {}, []
    with TemporaryDirectory() as folder:
        alarms = {"error": 0, "question": 0}
        for k in range(count):
            found, spent = run(seeded.clean(rng), Path(folder), k % 2 == 1)
            seconds.append(spent)
            for one in found:
                alarms[one.level] += 1
                if show:
                    print("false alarm:", one)
        out["clean"] = (count, alarms["error"], alarms["question"])
        for kind in seeded.KINDS:
            planted = hits = 0
            while planted < count:
                made = seeded.plant(seeded.clean(rng), kind, rng)
                if made is None:
                    continue
                planted += 1
                found, spent = run(made, Path(folder), planted % 2 == 1)
                seconds.append(spent)
                named = {(i, j - 1) for one in found for i, j in one.cells}
                hit = bool(named & made.cells)
                hits += hit
                if show and not hit:
                    print("missed:", kind, made.cells, [(one.check, one.where) for one in found])
            out[kind] = (planted, hits)
    out["seconds"] = float(np.mean(seconds))
    return out


if __name__ == "__main__":
    measured = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 100, show="-v" in sys.argv)
    for name, value in measured.items():
        print(f"{name:24} {value}")
