"""docs/add_your_own.md, followed word for word in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from analysis import paths
from tests import checkout

GUIDE = paths.ROOT / "docs" / "add_your_own.md"
pytestmark = pytest.mark.slow
BLOCK = re.compile(r"^```(\w+)(?: (file|append)=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> tuple[Path, list[str]]:
    """The copy after the guide, and what its commands printed."""
    root = checkout.copy(tmp_path_factory.mktemp("own") / "polyexam")
    shutil.copytree(paths.ROOT / "docs", root / "docs")
    commands = root / ".venv" / "bin"
    commands.mkdir(parents=True)
    for name, arguments in (("python", ""), ("polyexam", "-m polyexam")):
        (commands / name).write_text(
            f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" {arguments} "$@"\n'
        )
        (commands / name).chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("POLYEXAM_")
    }
    environment["PATH"] = f"{commands}:{environment['PATH']}"
    printed = []
    for language, kind, name, body in BLOCK.findall(GUIDE.read_text("utf-8")):
        if kind:
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "a" if kind == "append" else "w", encoding="utf-8") as handle:
                handle.write(body)
        else:
            assert language == "sh", f"a block is a file, an addition or a command, not {language}"
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", body],
                cwd=root,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, f"{body}\n{done.stdout}\n{done.stderr}"
            printed.append(done.stdout)
    return root, printed


def test_the_benchmark_can_be_read(followed):
    assert any("Four times four is" in text for text in followed[1])


def test_the_toy_benchmark_stands_in_the_reports(followed):
    site = followed[0] / "reports" / "site"
    paper, page = ((site / name).read_text("utf-8") for name in ("toy.html", "toy-scores.html"))
    assert "Scores of every recorded run" in paper
    assert 'href="toy-scores.html"' in paper
    assert "baseline/longest-option" in page
    assert "This was not made" not in paper + page
    assert 'href="toy.html"' in (site / "index.html").read_text("utf-8")
    assert (followed[0] / "figures" / "toy" / "order.svg").is_file()


def test_each_run_has_a_page(followed):
    site = followed[0] / "reports" / "site"
    pages = sorted(site.glob("run-*-toy-*.html"))
    assert [re.sub(r"run-\d+-", "", page.stem) for page in pages] == [
        "toy-baseline-always-A",
        "toy-baseline-longest-option",
    ]


def test_the_claim_is_judged_and_stands_under_its_table(followed):
    claim = (followed[0] / "reports" / "site" / "toy-scores.html").read_text("utf-8")
    assert "Model-1 is above guessing" in claim
    assert "reproduced, not significant" in claim
