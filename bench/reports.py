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

COPIED = ("analysis", "runners", "reports", "notebooks", "data/published", "data/baselines", "data/claims", "data/prompts")


def copied(folder: Path) -> None:
    """The repository's tracked sources, with the environment linked."""
    for name in COPIED:
        if (paths.ROOT / name).is_dir():
            shutil.copytree(
                paths.ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "site", "*.html", "*-checkpoint*")
            )
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(paths.ROOT / name, folder / name)
    (folder / ".venv").symlink_to(Path(sys.prefix))


def make(folder: Path, environment: dict) -> float:
    start = time.perf_counter()
    subprocess.run(["make", "reports"], cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


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
    record(Row("reports", work, "papermill, one by one", f"{ours:.0f} s", f"{peer:.0f} s", peer / ours, 2))
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
