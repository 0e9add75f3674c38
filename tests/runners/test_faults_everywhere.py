"""Every write, sync, rename and cut fails once, at every place of a run, a merge, an import, a
repair, an extraction and an export: what was reported stays, nothing is doubled, no half-written
file is left, and the same command then finishes.
"""

import errno
import io
import os
import shutil

import pandas as pd
import pytest

from analysis import answers, outputs, whole
from analysis.errors import DataError
from analysis.items import read as read_items
from runners import cache, repair, transfer
from runners import journal as journals
from runners.journal import Journal
from runners.run import rounds
from tests.runners import loopback
from tests.runners.shell import command
from tests.runners.singles import singles
from tests.runners.test_cache import made, write
from tests.runners.test_openai_api import hold, plans

N = 12
PATIENT = "ignore:left out"


class FailingOnce:
    """A layer of files below all that is written: counts calls that change files, and lets one of
    them fail.
    """

    def __init__(self, monkeypatch):
        self.calls, self.at = 0, None
        for name in ("fsync", "replace", "ftruncate"):
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))
        for module in (whole, journals):
            monkeypatch.setattr(module, "open", self._open, raising=False)

    def _fails(self) -> bool:
        self.calls += 1
        return self.calls - 1 == self.at

    def _counted(self, call):
        def counted(*given, **options):
            if self._fails():
                raise OSError(errno.EIO, "Input/output error")
            return call(*given, **options)

        return counted

    def _open(self, path, mode, buffering=-1, opener=None):
        layer = self

        class Failing(io.FileIO):
            def write(self, data):
                if layer._fails():
                    super().write(data[: len(data) // 2])  # as a disk that fills up, or dies
                    raise OSError(errno.ENOSPC, "No space left on device")
                return super().write(data)

        if mode == "rb":
            return open(path, mode)
        raw = Failing(path, mode, opener=opener)
        return io.BufferedWriter(raw) if buffering else raw

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


LOG = "id,model,question,A,B,answer,response\n"
LOG += "".join(f"{i},m,what is {i}?,x,y,A,A\n" for i in range(N))


def prepared(folder) -> None:
    """Two caches to merge, one with a damaged line, and a log to import."""
    for part in ("a", "b", "spoilt"):
        write(folder / part, *(made(i, response=f"of s/{i}") for i in range(N)))
    with open(folder / "spoilt/b/m.jsonl", "ab") as spoilt:
        spoilt.write(b"{nonsense\n")
    (folder / "log.csv").write_text(LOG)


def run(folder):
    rounds(singles(REQUESTS), Journal(cache.file("b", "m")), Answers(), "m")


def asked(folder):
    with loopback.serving() as server:
        hold(server, Journal(cache.file("b", "model")), plans(N), concurrency=3)


def merge(folder):
    transfer.merge([str(folder / "a"), str(folder / "b")])


def imported(folder):
    command(f"import {folder}/log.csv --benchmark b --items")
    assert len(read_items("b")) == N


def repaired(folder):
    path = cache.file("b", "m")
    path.parent.mkdir(exist_ok=True)
    if (folder / "spoilt").exists():
        (folder / "spoilt" / "b" / "m.jsonl").rename(path)
        shutil.rmtree(folder / "spoilt")
    list(repair.repair())
    assert not path.exists() or b"{nonsense" not in path.read_bytes()


def extracted(folder):
    """Answers come, stored or not."""
    read = answers.read("b", method="da")
    assert read["correct"].sum() == N


def complete(folder) -> bool:
    frame = cache.read("b")
    keys = reported(folder)
    return len(frame) == N == len(set(keys)) == len(keys) and frame["error"].isna().all()


def reported(folder) -> list[str]:
    return [
        one["key"] for path in folder.glob("b/*.jsonl") for one in outputs.json_lines.records(path)
    ]


@pytest.mark.filterwarnings(PATIENT)
@pytest.mark.parametrize(
    "action",
    [run, merge, repaired]
    + [pytest.param(one, marks=pytest.mark.slow) for one in (asked, imported, extracted)],
)
def test_any_call_may_fail_and_nothing_is_lost(tmp_path, monkeypatch, action):
    def act(folder, action=action):
        monkeypatch.setenv("POLYEXAM_OUTPUTS", str(folder))
        monkeypatch.setenv("POLYEXAM_DATA", str(folder / "items"))
        action(folder)

    prepared(tmp_path / "calm")
    if action is extracted:
        act(tmp_path / "calm", imported)
    for at in range(60):
        shutil.copytree(tmp_path / "calm", tmp_path / str(at))
    failing = FailingOnce(monkeypatch)
    n = failing.times(lambda: act(tmp_path / "calm"))
    assert 3 <= n <= 60
    assert complete(tmp_path / "calm")
    for at in range(n):
        folder = tmp_path / str(at)
        failing.calls, failing.at = 0, at
        try:
            act(folder)
        except (DataError, OSError):
            pass
        finally:
            failing.at = None
        before = set(reported(folder))
        act(folder)
        assert complete(folder) and before <= set(reported(folder)), f"call {at} of {n}"
        assert not list(folder.rglob("*.partial"))


@pytest.mark.filterwarnings(PATIENT)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_an_export_is_there_or_as_it_was(tmp_path, monkeypatch, suffix):
    write(tmp_path, *(made(i, response=f"of {i}") for i in range(N)))
    target, failing = tmp_path / f"all{suffix}", FailingOnce(monkeypatch)
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    n = failing.times(lambda: transfer.export("b", None, target))
    for at in range(n):
        failing.calls, failing.at = 0, at
        try:
            transfer.export("b", None, target)
        except DataError as error:
            assert "cannot be written" in str(error)
        assert len(read(target)) == N
        assert not list(tmp_path.glob("*.partial"))
