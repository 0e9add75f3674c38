"""`make reports` against papermill's command line, one notebook after another, in a copy of the repository with its environment ready."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
import yaml

from analysis import catalog, paths
from bench.common import Row, record


def copied(folder: Path) -> None:
    """The files that git tracks, as they are now, with the environment linked."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=paths.ROOT, check=True, capture_output=True, text=True).stdout
    for name in tracked.rstrip("\0").split("\0"):
        if (paths.ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(paths.ROOT / name, folder / name)
    (folder / ".venv").symlink_to(Path(sys.prefix))


def make(folder: Path, environment: dict) -> float:
    start = time.perf_counter()
    # The environment is the real one, linked: no stamp of the copy may make pip install the copy into it.
    done = subprocess.run(["make", "-o", ".venv/.light", "reports"], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"make reports failed:\n{done.stderr[-2000:]}")
    return time.perf_counter() - start


def profile(folder: Path, wall: float, environment: dict, sample: catalog.Report) -> str:
    """Where the time of `make reports` goes: cells, kernels' starts, and what is around the notebooks."""
    runs = [json.loads(file.read_text()) for file in folder.glob("reports/*/*.ipynb")]
    whole = sum(run["metadata"]["papermill"]["duration"] for run in runs)
    cells = [(c["metadata"]["papermill"]["duration"], c) for run in runs for c in run["cells"] if "papermill" in c["metadata"]]
    first = sum(next((d for d, c in _code(run) if d), 0.0) for run in runs)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "reports", "run", sample.id], cwd=folder, env=environment, check=True, capture_output=True
    )
    one = time.perf_counter() - start
    done = json.loads((folder / "reports" / sample.paper / f"{sample.name}.ipynb").read_text())
    inside = done["metadata"]["papermill"]["duration"]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "reports", "site"], cwd=folder, env=environment, check=True, capture_output=True)
    site = time.perf_counter() - start
    return (
        f"Where the time goes: {wall:.0f} s wall on {os.cpu_count()} cores; {len(runs)} notebooks {whole:.0f} s one after another, of which cells "
        f"{sum(d or 0 for d, _ in cells):.0f} s (the first cell with imports {first:.0f} s) and kernels' start and end the rest; around one notebook "
        f"(interpreter, checks, page) {one - inside:.1f} s of {one:.1f} s; the site {site:.1f} s on one core, after all notebooks."
    )


def _code(run: dict) -> list[tuple[float, dict]]:
    """Durations of the code cells behind the parameters."""
    found = [c for c in run["cells"] if c["cell_type"] == "code" and "parameters" not in c["metadata"].get("tags", [])]
    found = [c for c in found if "injected-parameters" not in c["metadata"].get("tags", [])]
    return [(c["metadata"]["papermill"]["duration"] or 0.0, c) for c in found]


def one_after_another(folder: Path, environment: dict, reports: list[catalog.Report]) -> float:
    """The peer: `papermill NOTEBOOK OUT -y PARAMETERS` for each report."""
    start = time.perf_counter()
    for report in reports:
        out = folder / "peer" / f"{report.paper}-{report.name}.ipynb"
        out.parent.mkdir(exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "papermill",
            "--no-progress-bar",
            report.notebook,
            str(out),
            "-y",
            yaml.safe_dump(report.parameters),
        ]
        own = environment | {"POLYEXAM_FIGURES": str(folder / "peer" / "figures")}
        subprocess.run(command, cwd=folder / "notebooks", env=own, check=True, capture_output=True)
    return time.perf_counter() - start


def main(touched: Annotated[str, typer.Option(help="The notebook that is changed alone.")] = "scale.ipynb") -> None:
    """Print the ratio for everything, the time of nothing to do, and of one changed notebook."""
    reports = [report for paper in catalog.load().values() for report in paper.reports]
    with tempfile.TemporaryDirectory(prefix="polyexam-bench-") as name:
        folder = Path(name)
        copied(folder)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")} | {
            "PYTHONPATH": name,
            "POLYEXAM_DATA": name,
        }
        ours = make(folder, environment)
        where = profile(folder, ours, environment, reports[0])
        idle = min(make(folder, environment) for _ in range(3))
        os.utime(folder / "notebooks" / touched)
        one = make(folder, environment)
        runs = [
            json.loads(f.read_text())
            for f in folder.glob("reports/*/*.ipynb")
            if any(r.notebook == touched and r.name == f.stem for r in reports)
        ]
        alone = max(run["metadata"]["papermill"]["duration"] for run in runs)
        peer = one_after_another(folder, environment, reports)
    work = f"{len(reports)} notebook runs, environment ready, nothing built"
    record(Row("reports", work, "papermill, one by one", f"{ours:.0f} s", f"{peer:.0f} s", peer / ours, 2, note=where))
    record(Row("reports, nothing to do", "make reports again", "1 s", f"{idle:.2f} s", "1 s", idle, 1, at_least=False))
    note = f"{len(runs)} runs of {touched}, the longest {alone:.1f} s, in parallel."
    record(
        Row(
            "reports, one changed",
            f"{touched} touched",
            "its own time + 2 s",
            f"{one:.1f} s",
            f"{alone + 2:.1f} s",
            one / (alone + 2),
            1,
            at_least=False,
            note=note,
        )
    )


if __name__ == "__main__":
    typer.run(main)
