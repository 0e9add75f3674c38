"""Fixtures that several tests share."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import settings
from matplotlib import pyplot as plt

from analysis import paths
from analysis.errors import DataError

settings.register_profile("polyexam", deadline=None)  # a busy machine is no failure
settings.load_profile("polyexam")

# a checkout beside the repository, where there is one
SHARED = paths.ROOT.parent / "shared" / "data"


# workers inherit what the first process sets
given = os.environ.setdefault("POLYEXAM_TEST_DATA", os.environ.get("POLYEXAM_DATA") or str(SHARED))
BENCHMARKS = Path(given)
# no test looks at what the user of this checkout has put into its folders
os.environ |= {"POLYEXAM_DATA": "/nowhere/items", "POLYEXAM_OUTPUTS": "/nowhere/outputs"}


@pytest.fixture(scope="session")
def benchmark_files() -> Path:
    """Folder with the benchmarks' native files: ``POLYEXAM_DATA``, else ``../shared/data``; skips
    where neither is.
    """
    if not (BENCHMARKS / "cmmlu").is_dir():
        pytest.skip(f"no benchmark files in {BENCHMARKS} (set POLYEXAM_DATA)")
    return BENCHMARKS


@pytest.fixture(scope="session")
def ledger() -> pd.DataFrame:
    """All claims with their verdicts."""
    from analysis import claims

    return claims.ledger()


def refused(reason: str):
    """What is done here ends with a `DataError` whose message matches."""
    return pytest.raises(DataError, match=reason)


def run_cells(name: str, **parameters: object) -> dict:
    """The cells of a notebook, run in this process, and the names that they define."""
    names: dict = {"display": lambda *shown: None}
    try:
        notebook = json.loads((paths.NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"{name}, {cell['id']}", "exec"), names)
            if "parameters" in cell["metadata"].get("tags", []):
                names |= parameters
    finally:
        plt.close("all")
    return names


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """An empty folder to work in, with folders of its own for items, outputs and figures."""
    for name in ("data", "outputs", "figures"):
        monkeypatch.setenv(f"POLYEXAM_{name.upper()}", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def native(benchmark_files, home, monkeypatch) -> Path:
    """`home` with the benchmarks' native files as the folder of items."""
    monkeypatch.setenv("POLYEXAM_DATA", str(benchmark_files))
    return home


@pytest.fixture
def notebook(home):
    """`run_cells` with artifacts going to ``home / "figures"``, without files and outputs."""
    return run_cells


# What a reason to skip says -> what was wanting, and how to get it.
WANTED = {
    "no benchmark files|real_logs|^no /": "benchmark files (polyexam items fetches what is "
    "open; POLYEXAM_DATA names their folder)",
    "paper text|paper's text": "the papers' texts (not ours to give)",
    "fonts": "fonts (Debian: fonts-noto-core fonts-noto-cjk)",
    "LaTeX|latex": "LaTeX (Debian: texlive-latex-recommended)",
    "Chromium|Playwright": "a browser (Debian: chromium)",
    "make reports": "what make reports makes (make reports)",
    "namespaces": "namespaces (Linux, as root)",
    "could not import|not installed": "packages that only some tests want (the reasons name them)",
}


def pytest_terminal_summary(terminalreporter) -> None:
    """One line at the end: how many tests were skipped for want of what, and how to get it."""
    reasons = [skipped.longrepr[2] for skipped in terminalreporter.stats.get("skipped", [])]
    counts = Counter(
        next((what for said, what in WANTED.items() if re.search(said, reason)), "something else")
        for reason in reasons
    )
    if counts:
        parts = [f"{n} for want of {what}" for what, n in counts.most_common()]
        terminalreporter.write_line(
            f"{len(reasons)} skipped: {'; '.join(parts)}. `-rs` lists them."
        )
