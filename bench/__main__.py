"""`make bench`: every comparison in one go, and `bench/results.md` with the machine named.

Each comparison first makes sure that both sides give the same results. Ratios are judged; seconds
are only shown.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from analysis import paths
from analysis.errors import unknown
from bench.common import Row, machine

COMPARISONS = ("reports", "extraction", "cache", "growth", "cluster", "ranking")
RESULTS, STORE = (paths.ROOT / "bench" / name for name in ("results.md", "results.json"))


def run(name: str, collected: Path) -> dict:
    """Rows of one comparison, what it printed, how long it took and where; a failure becomes a row
    of its own.
    """
    collected.unlink(missing_ok=True)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{name}"],
        cwd=paths.ROOT,
        env=os.environ | {"POLYEXAM_BENCH": str(collected)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines = collected.read_text("utf-8").splitlines() if collected.exists() else []
    rows = [json.loads(line) for line in lines]
    if done.returncode:
        *_, last = ["no output", *done.stdout.strip().splitlines()]
        failed = Row(name, "", "", "failed", "", math.nan, math.nan, note=last)
        rows.append(asdict(failed) | {"ratio": None, "reached": False})
    seconds = round(time.perf_counter() - start)
    printed = done.stdout.strip()
    return {"rows": rows, "printed": printed, "seconds": seconds, "machine": machine()}


def table(rows: list[dict]) -> str:
    """Rows as Markdown."""
    lines = [
        "| what | work | peer | ours | peer's | ratio | to reach | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ratio = target = ""
        if row["ratio"] is not None:
            ratio = f"{row['ratio']:.2f}"
            target = f"{'>=' if row['at_least'] else '<='} {row['target']:g}"
        mark = "reached" if row["reached"] else "**missed**"
        lines.append(
            f"| {row['what']} | {row['work']} | {row['peer']} | {row['ours']} | "
            f"{row['theirs']} | {ratio} | {target} | {mark} |"
        )
    return "\n".join(lines)


def page(results: dict[str, dict]) -> str:
    """`bench/results.md` from the last run of each comparison."""
    machines = " and ".join(sorted({result["machine"] for result in results.values()}))
    rows = [row for result in results.values() for row in result["rows"]]
    notes = "\n".join(f"- **{row['what']}**: {row['note']}" for row in rows if row["note"])
    printed = "\n\n".join(
        f"### {name} ({result['seconds']} s)\n\n```\n{result['printed']}\n```"
        for name, result in results.items()
    )
    made = (
        f"Made by `make bench` on {machines}. Ratios of medians in one run; seconds are shown, not "
        "judged."
    )
    parts = ["# Speed, side by side", made, table(rows)]
    parts += ["## Notes", notes, "## What was printed", printed]
    return "\n\n".join(parts) + "\n"


def main(
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only these comparisons; the others keep their last results."),
    ] = None,
) -> None:
    """Run the comparisons one after another and write the table."""
    names = only or COMPARISONS
    for name in names:
        if name not in COMPARISONS:
            raise typer.BadParameter(str(unknown("comparison", name, COMPARISONS)))
    results = json.loads(STORE.read_text("utf-8")) if STORE.is_file() else {}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            print(f"== {name}", flush=True)
            results[name] = run(name, Path(folder) / "rows.jsonl")
            print(results[name]["printed"], flush=True)
            rows += results[name]["rows"]
    print(table(rows))
    results = {name: results[name] for name in COMPARISONS if name in results}
    STORE.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    RESULTS.write_text(page(results), encoding="utf-8")
    if any(row["ratio"] is None for row in rows):
        raise SystemExit("a comparison failed: see above")


if __name__ == "__main__":
    typer.run(main)
