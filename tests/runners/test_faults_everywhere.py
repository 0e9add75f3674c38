"""Every write, sync, rename and cut fails once, at every place of a run, a merge, an import, a
repair, an export and an extraction: what was reported stays, nothing is doubled, no half-written
file is left, and the same command then finishes.
"""

import errno
import os
import shutil

import pandas as pd
import pytest

from analysis import outputs, whole
from analysis.errors import DataError
from runners import cache, repair, rounds, transfer
from runners import journal as journals
from runners.journal import Journal
from tests.runners.singles import singles
from tests.runners.test_cache import made, write

N = 12
PATIENT = "ignore:left out"


class FailingOnce:
    """Counts the calls of the system that change files, and lets one of them fail."""

    def __init__(self, monkeypatch):
        self.calls, self.at = 0, None
        for name in ("fsync", "replace", "ftruncate"):
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))
        monkeypatch.setattr(journals, "_write", self._halfway(journals._write))

    def _fails(self) -> bool:
        self.calls += 1
        return self.calls - 1 == self.at

    def _counted(self, call):
        def counted(*given, **options):
            if self._fails():
                raise OSError(errno.EIO, "Input/output error")
            return call(*given, **options)

        return counted

    def _halfway(self, call):
        def written(handle, data, size):
            if self._fails():
                handle.write(data[: len(data) // 2])  # as a disk that fills up, or dies
                raise OSError(errno.ENOSPC, "No space left on device")
            return call(handle, data, size)

        return written

    def times(self, action) -> int:
        """How many of the calls an undisturbed `action` makes."""
        self.calls, self.at = 0, None
        action()
        return self.calls


class Answers:
    """A model of this machine that answers three requests at a time."""

    def run(self, pending):
        pending = list(pending)
        for start in range(0, len(pending), 3):
            part = pending[start : start + 3]
            yield [cache.record(one, response=f"of {one['item_id']}") for one in part]


REQUESTS = [made(i)["request"] for i in range(N)]


def prepared(folder) -> None:
    """Two caches to merge, and one with a damaged line."""
    for part in ("a", "b"):
        write(folder / part, *(made(i, response=f"of s/{i}") for i in range(N)))
    spoilt = cache.file("b", "m", folder / "spoilt")
    write(folder / "spoilt", *(made(i, response=f"of s/{i}") for i in range(N)))
    spoilt.write_bytes(spoilt.read_bytes() + b"{nonsense\n")


def run(folder):
    rounds.rounds(singles(REQUESTS), Journal(cache.file("b", "m", folder)), Answers(), "m")


def merge(folder):
    transfer.merge([str(folder / "a"), str(folder / "b")], folder)


def take(folder):
    transfer.take([made(i, response=f"of s/{i}") for i in range(N)], folder)


def repaired(folder):
    path = cache.file("b", "m", folder)
    path.parent.mkdir(exist_ok=True)
    if (folder / "spoilt").exists():
        (folder / "spoilt" / "b" / "m.jsonl").rename(path)
        shutil.rmtree(folder / "spoilt")
    list(repair.repair(folder))
    assert not path.exists() or b"{nonsense" not in path.read_bytes()


def complete(folder) -> bool:
    frame = cache.read("b", folder=folder)
    keys = [one["key"] for one in outputs.json_lines.records(cache.file("b", "m", folder))]
    return len(frame) == N == len(set(keys)) == len(keys) and frame["error"].isna().all()


@pytest.mark.filterwarnings(PATIENT)
@pytest.mark.parametrize("action", [run, merge, take, repaired])
def test_any_call_may_fail_and_nothing_is_lost(tmp_path, monkeypatch, action):
    prepared(tmp_path / "calm")
    for at in range(40):
        shutil.copytree(tmp_path / "calm", tmp_path / str(at))
    failing = FailingOnce(monkeypatch)
    n = failing.times(lambda: action(tmp_path / "calm"))
    assert 3 <= n <= 40
    assert complete(tmp_path / "calm")
    for at in range(n):
        folder = tmp_path / str(at)
        failing.calls, failing.at = 0, at
        reported = set()
        try:
            action(folder)
        except (DataError, OSError):
            pass
        finally:
            failing.at = None
        path = cache.file("b", "m", folder)
        if path.exists():
            reported = {record["key"] for record in outputs.json_lines.records(path)}
        action(folder)
        kept = {record["key"] for record in outputs.json_lines.records(path)}
        assert complete(folder) and reported <= kept, f"call {at} of {n}"
        assert not list(folder.rglob("*.partial"))


@pytest.mark.filterwarnings(PATIENT)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_an_export_is_there_or_as_it_was(tmp_path, monkeypatch, suffix):
    write(tmp_path, *(made(i, response=f"of {i}") for i in range(N)))
    target, failing = tmp_path / f"all{suffix}", FailingOnce(monkeypatch)
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    n = failing.times(lambda: transfer.export("b", None, target, tmp_path))
    for at in range(n):
        failing.calls, failing.at = 0, at
        try:
            transfer.export("b", None, target, tmp_path)
        except DataError as error:
            assert "cannot be written" in str(error)
        assert len(read(target)) == N
        assert not list(tmp_path.glob("*.partial"))


def test_a_file_that_is_written_at_once_is_there_or_as_it_was(tmp_path, monkeypatch):
    """What extraction, embedding and reports write through."""
    target, failing = tmp_path / "answers.parquet", FailingOnce(monkeypatch)
    target.write_bytes(b"before")
    for at in range(failing.times(lambda: whole.write(target, b"before"))):
        failing.calls, failing.at = 0, at
        with pytest.raises(DataError):
            whole.write(target, b"after")
        assert target.read_bytes() == b"before"
        assert len(list(tmp_path.iterdir())) == 1
