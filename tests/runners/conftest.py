"""Fixtures of the runners' tests."""

import pytest

from runners.journal import Journal
from tests.runners import loopback


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    """A key, and outputs in the test's own folder (with `home`, in a folder of it)."""
    monkeypatch.setenv("LOOPBACK_KEY", loopback.KEY)
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(tmp_path))


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "b" / "model.jsonl")
