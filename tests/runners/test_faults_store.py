"""What spoilt the cache once, each as it was met: records that are none, flipped bits, names,
links, formulas, copies.
"""

import errno
import json
import shutil

import pytest

from analysis.errors import DataError
from analysis.outputs import copies
from analysis.outputs.json_lines import records
from runners import cache, status, transfer
from runners import journal as journals
from runners.journal import Journal
from tests.conftest import refused
from tests.runners.journals import append
from tests.runners.shell import command
from tests.runners.test_cache import made, write
from tests.runners.test_request import ODD_TEXT


@pytest.mark.parametrize(
    "change, field",
    [
        ({"finish_reason": 5}, "finish_reason"),
        ({"finish_reason": ["stop"]}, "finish_reason"),
        ({"model": "half \ud800"}, "model"),
        ({"usage": {"n": float("nan")}}, None),
        ({"scores": [1]}, "scores"),
        ({"turn": "1"}, "turn"),
        ({"response": 5}, "response"),
        ({"benchmark": ""}, "benchmark"),
        ({"more": 1}, "more"),
    ],
)
def test_every_door_checks_records(tmp_path, change, field):
    bad = made(1, response="A") | change
    with pytest.raises(DataError) as failure:
        append(Journal(tmp_path / "b" / "m.jsonl"), bad)
    assert failure.value.field == field
    with refused("cannot be kept"):
        transfer.take([bad])
    assert not list(tmp_path.rglob("*.jsonl"))
    other = tmp_path / "other" / "b" / "m.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps(made(1, response="A") | change) + "\n")
    with refused(r"m\.jsonl:1: is (not a record|damaged)"):
        transfer.merge([str(other.parent.parent)])


def test_merge_does_not_trust_keys(tmp_path):
    forged = made(1, response="A") | {"key": "0" * 64}
    moved = made(2, response="A")
    moved |= {"item_id": "s/3"}
    for i, bad in enumerate((forged, moved)):
        path = tmp_path / str(i) / "b" / "m.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(bad) + "\n")
        with refused(r"SHA-256|another one than in the request"):
            transfer.merge([str(tmp_path / str(i))])


def test_a_flipped_bit_is_found_wherever_it_is(tmp_path):
    write(tmp_path, made(1, response="An answer"), made(2, response="B"))
    path = cache.file("b", "m")
    raw = path.read_bytes()
    for place in (*range(0, raw.index(b"\n"), 11), *range(raw.index(b"\n") - 9, raw.index(b"\n"))):
        for bit in (0, 5, 6):
            flipped = bytearray(raw)
            flipped[place] ^= 1 << bit
            if flipped[place] in b"\r\n" or raw[place] == 0x0A:
                continue
            path.write_bytes(flipped)
            for read in (Journal, lambda path: list(records(path))):
                with pytest.warns(match=r"m\.jsonl:1: is"):
                    assert len(read(path)) == 1
    with pytest.warns(match=r"1 bad lines, the first: .*m\.jsonl:1: is"):
        assert len(cache.read("b")) == 1


def test_status_tells_settings_and_samples_apart():
    def answers(n: int, **setting) -> list[dict]:
        requests = [made(i)["request"] | setting for i in range(n)]
        return [cache.record(one, response="A", setting="0-shot") for one in requests]

    warm = {"params": {"temperature": 0.5}}
    system = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}]
    records = answers(5) + answers(3, **warm) + answers(2, **warm, sample=1)
    transfer.take(records + answers(1, messages=system))
    table = status.coverage(status.cached(), {"b": 5}.get, by=status.BY)
    assert sorted(table["answered"]) == [1, 2, 3, 5]
    assert (table["answered"] + table["missing"] == 5).all()
    assert table["digest"].nunique() == 3


def test_a_link_in_the_outputs_folder_is_not_written_through(tmp_path):
    target = tmp_path / "precious"
    target.write_text("no line end")
    path = cache.file("b", "m")
    path.parent.mkdir()
    path.symlink_to(target)
    with pytest.raises(DataError):
        append(Journal(path), made(1, response="A"))
    assert target.read_text() == "no line end"


def test_a_spreadsheet_is_given_no_formulas(tmp_path):
    texts = ("=HYPERLINK(1)", "+1", "fine")
    write(tmp_path, *(made(i, response=text) for i, text in enumerate(texts)))
    transfer.export("b", None, tmp_path / "all.csv")
    text = (tmp_path / "all.csv").read_text()
    assert "'=HYPERLINK(1)" in text
    assert "'+1" in text
    assert ",fine," in text


def test_a_copy_has_each_request_once_whatever_happens_to_its_file():
    path = cache.file("b", "m")
    journal = Journal(path)
    append(journal, *(made(i, error="timeout: slow") for i in range(5)))
    append(journal, *(made(i, response=str(i)) for i in range(5, 9)))
    assert len(cache.read("b")) == 9
    append(journal, *(made(i, response="late") for i in range(5)))
    frame = cache.read("b")
    assert len(frame) == 9
    assert (frame["response"] == "late").sum() == 5
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[7:]))  # somebody took lines out: with them two answers
    assert len(cache.read("b")) == 7


def test_who_reads_needs_to_write_nothing(tmp_path, monkeypatch):
    """A folder where no copy can be made (a full or read-only disk): reading goes on."""
    write(tmp_path, made(1, error="late"), made(1, response=ODD_TEXT), made(2, response="B"))
    shutil.rmtree(tmp_path / ".parquet", ignore_errors=True)
    (tmp_path / ".parquet").touch()  # where the folder of the copies would be
    frame = cache.read("b")
    assert frame["response"].tolist() == [ODD_TEXT, "B"]
    (tmp_path / ".parquet").unlink()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(copies.whole.os, "replace", full)
    assert len(cache.read("b")) == 2
    assert not list(tmp_path.rglob("*.partial"))


def test_new_folders_are_on_the_disk_before_a_record_counts(tmp_path, monkeypatch):
    synced, sync = [], journals._sync_folder
    monkeypatch.setattr(
        journals, "_sync_folder", lambda folder: (synced.append(folder), sync(folder))
    )
    append(Journal(tmp_path / "new" / "b" / "m.jsonl"), made(1, response="A"))
    assert set(synced) == {tmp_path, tmp_path / "new", tmp_path / "new" / "b"}


def test_what_a_server_says_does_not_steer_the_terminal(home):
    hostile = "server: \x1b[2J\x1b]0;owned\x07 \u202egnorw \x9b31m"
    write(home / "outputs", made(1, "m\u202e\x1b[2J", error=hostile))
    shown = command("status")
    assert "m" in shown
    assert not set("\x1b\x07\u202e\x9b") & set(shown)
