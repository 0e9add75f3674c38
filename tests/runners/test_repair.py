"""Files that somebody spoilt: reading goes on and says so, checking lists it, repairing takes it
out and deletes nothing.
"""

import os
import shutil

import pytest

from analysis import outputs
from runners import cache, repair
from runners.journal import Journal, locked
from tests.runners.journals import append
from tests.runners.shell import command
from tests.runners.test_cache import made, write


@pytest.fixture
def path(home):
    write(home / "outputs", *(made(i, response=f"answer {i}") for i in range(5)))
    return cache.file("b", "m")


DAMAGE = {  # what becomes of the third line
    "flipped": lambda line: line.replace(b"answer 2", b"answer X"),
    "nonsense": lambda line: b"{nonsense\n",
    "halved": lambda line: line[:50] + b"\n",
    "another key": lambda line: cache.encode(made(2, response="answer 2") | {"key": "0" * 64}),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_bad_line_is_taken_out_and_kept(path, damage):
    raw = path.read_bytes()
    lines = raw.splitlines(keepends=True)
    lines[2] = DAMAGE[damage](lines[2])
    path.write_bytes(b"".join(lines))
    spoilt = path.read_bytes()
    assert "m.jsonl:3: " in command("check", status=1)
    assert "1 lines are in " in command("repair")
    assert "0 problems" in command("check")
    (taken,) = path.parent.parent.rglob(".quarantine/b/*")
    assert sorted(spoilt.splitlines()) == sorted(
        path.read_bytes().splitlines() + taken.read_bytes().splitlines()
    )
    assert len(outputs.read("b")) == 4
    assert command("repair") == ""
    append(Journal(path), made(2, response="answer 2"))
    assert len(outputs.read("b")) == 5


def test_a_torn_end_is_kept_when_a_file_is_repaired(path):
    path.write_bytes(path.read_bytes() + b'{"key": "torn')
    assert "m.jsonl:6: is not finished" in command("check", status=1)
    command("repair")
    (taken,) = path.parent.parent.rglob(".quarantine/b/*")
    assert taken.read_bytes() == b'{"key": "torn\n'
    assert len(outputs.read("b")) == 5


@pytest.mark.parametrize(
    "change", [lambda raw: raw.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf".__add__]
)
def test_what_an_editor_does_to_line_ends_and_beginnings_hurts_nothing(path, change):
    path.write_bytes(change(path.read_bytes()))
    assert len(outputs.read("b")) == len(Journal(path)) == 5
    append(Journal(path), made(7, response="A"))
    assert len(outputs.read("b")) == 6
    assert "6 good lines, 0 problems" in command("check")


@pytest.mark.filterwarnings("ignore:left out")
def test_what_is_no_file_of_outputs_is_left_out_and_named(path):
    folder = path.parent
    shutil.copy(path, folder / "m-backup.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    with pytest.warns(match=r"m-backup.jsonl: holds outputs of 'm', whose file is m.jsonl"):
        assert len(outputs.read("b")) == 5
    assert "5" in command("status")
    shown = command("check", status=1)
    assert shown.count("is no file") == 3
    assert "holds outputs of" in shown
    command("repair")
    assert len(list(folder.iterdir())) == 5  # left alone


def test_a_writer_that_waits_goes_on_with_the_repaired_file(path):
    """What a waiting writer appends is not lost with the file that was replaced meanwhile."""
    journal = Journal(path)
    path.write_bytes(path.read_bytes() + b"{nonsense\n")
    with locked(path) as handle:
        repaired = path.with_name("new")
        shutil.copy(path, repaired)
        os.replace(repaired, path)
        handle.flush()
    with pytest.warns(match="m.jsonl:6"):
        append(journal, made(9, response="A"))
    list(repair.repair())
    append(journal, made(10, response="A"))
    assert len(Journal(path)) == len(journal) == 7
