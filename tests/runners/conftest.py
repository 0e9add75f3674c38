"""Fixtures of the runners' tests."""

import pytest

from runners.journal import Journal
from tests.runners import loopback


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", loopback.KEY)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "b" / "model.jsonl")
