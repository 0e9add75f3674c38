"""Fixtures that several tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from analysis import paths

settings.register_profile("polyexam", deadline=None)  # a busy machine is no failure
settings.load_profile("polyexam")

SHARED = paths.ROOT.parent / "shared" / "data"  # a checkout beside the repository, where there is one


@pytest.fixture(scope="session")
def benchmark_files() -> Path:
    """Folder with the benchmarks' native files: ``POLYEXAM_DATA``, else ``../shared/data``; skips where neither is."""
    folder = Path(os.environ.get("POLYEXAM_DATA") or SHARED)
    if not (folder / "cmmlu").is_dir():
        pytest.skip(f"no benchmark files in {folder} (set POLYEXAM_DATA)")
    return folder
