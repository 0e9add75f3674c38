"""`make reports` against papermill's command line, one notebook after another, in a copy of the
repository with its environment ready.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import typer
import yaml

from analysis import catalog, paths
from bench.common import Row, alternately, record

TOUCHED = "notebooks/khayyam/what_does_a_trap_cost.ipynb"  # one report
CLAIMS = "data/claims/tlue.yaml"


def copied(folder: Path) -> None:
    """The files that git tracks, as committed or staged, with the environment linked."""
    command = ["git", "checkout-index", "--all", f"--prefix={folder}/"]
    subprocess.run(command, cwd=paths.ROOT, check=True)
    (folder / ".venv").symlink_to(Path(sys.prefix))


def make(folder: Path, environment: dict) -> float:
    """Seconds of `make reports`."""
    start = time.perf_counter()
    # The environment is the real one, linked: no stamp of the copy may make pip install the copy
    # into it.
    command = ["make", "-o", ".venv/.light", "reports"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"make reports failed:\n{done.stderr[-2000:]}")
    return time.perf_counter() - start


def changed(file: Path, environment: dict, clock: Callable[[], float]) -> float:
    """Median seconds of `make reports` after a change of one file."""

    def again() -> float:
        os.utime(file)
        return make(file.parents[2], environment)

    return alternately(again, repeat=3, clock=clock)[0][0]


def one_after_another(
    folder: Path, environment: dict, reports: list[catalog.Report]
) -> dict[str, float]:
    """The peer: seconds of `papermill NOTEBOOK OUT -y PARAMETERS` for each report."""
    seconds = {}
    for report in reports:
        out = folder / "peer" / f"{report.paper}-{report.name}.ipynb"
        out.parent.mkdir(exist_ok=True)
        command = [sys.executable, *"-m papermill --no-progress-bar".split(), report.notebook]
        command += [str(out), "-y", yaml.safe_dump(report.parameters)]
        own = environment | {"POLYEXAM_FIGURES": str(folder / "peer" / "figures")}
        start = time.perf_counter()
        subprocess.run(command, cwd=folder / "notebooks", env=own, check=True, capture_output=True)
        seconds[report.id] = time.perf_counter() - start
    return seconds


def same(folder: Path) -> int:
    """How many tables and figures both made, byte for byte the same."""
    figures = folder / "peer" / "figures"
    theirs = [file for file in figures.rglob("*") if file.is_file()]
    for file in theirs:
        ours = folder / "figures" / file.relative_to(figures)
        assert ours.read_bytes() == file.read_bytes(), f"{ours} differs from papermill's own"
    return len(theirs)


def main() -> None:
    """Print the ratio for everything, the time of nothing to do, and of one changed notebook."""
    reports = catalog.reports().values()
    with tempfile.TemporaryDirectory(prefix="polyexam-bench-") as name:
        folder = Path(name)
        copied(folder)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
        environment |= {"PYTHONPATH": name, "POLYEXAM_DATA": name, "MPLBACKEND": "agg"}
        ours = make(folder, environment)
        idle = min(make(folder, environment) for _ in range(3))
        one = changed(folder / TOUCHED, environment, time.perf_counter)
        claim = changed(folder / CLAIMS, environment, lambda: sum(os.times()[2:4]))
        peer = one_after_another(folder, environment, reports)
        files = same(folder)
    (alone,) = (peer[report.id] for report in reports if f"notebooks/{report.notebook}" == TOUCHED)
    total = sum(peer.values())
    work = f"{len(reports)} notebook runs, nothing built; the same {files} files byte for byte"
    times = f"{ours:.0f} s", f"{total:.0f} s"
    record(Row("reports", work, "papermill, one by one", *times, total / ours, 3))
    limits = (
        ("nothing to do", "a second time", "1 s", idle, 1),
        ("one changed", TOUCHED, "papermill on it + 2 s", one, alone + 2),
        ("a claim edited", CLAIMS, "5 s of CPU", claim, 5),
    )
    for what, work, limit, seconds, most in limits:
        times = f"{seconds:.2f} s", f"{most:.1f} s"
        record(Row(f"reports, {what}", work, limit, *times, seconds / most, 1, at_least=False))


if __name__ == "__main__":
    typer.run(main)
