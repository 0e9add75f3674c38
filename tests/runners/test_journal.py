import json
import multiprocessing
import random
import resource

import pytest

from analysis import outputs
from analysis.outputs.json_lines import records
from runners import cache
from runners.journal import Journal
from tests.conftest import refused
from tests.runners.journals import append


def made(number: int, error: str | None = None, response: str = "A") -> dict:
    request = {"benchmark": "b", "model": "m", "revision": "1", "runner": "test"}
    request |= {"item_id": str(number)}
    return cache.record(request, response=None if error else response, error=error)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "b" / "m.jsonl"


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_torn_last_line_is_cut_off_and_the_rest_kept(path, cut):
    journal = Journal(path)
    append(journal, made(1), made(2))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    torn = Journal(path)
    assert len(torn) == (2 if cut == 1 else 1)  # without its line end alone the record is whole
    append(torn, made(3))
    assert all(json.loads(line) for line in path.read_bytes().splitlines())
    assert len(Journal(path)) == (3 if cut == 1 else 2)


def test_a_torn_line_longer_than_a_block(path):
    journal = Journal(path)
    append(journal, made(1))
    with open(path, "ab") as handle:
        handle.write(b'{"response": "' + b"x" * 300_000)
    append(journal, made(2))
    assert [found["item_id"] for found in records(path)] == ["1", "2"]


def test_a_full_disk_leaves_the_file_as_it_was(path):
    journal = Journal(path)
    append(journal, made(1))
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # the system writes 20 bytes, then refuses
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        with refused("cannot append"):
            append(journal, made(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert len(append(journal, made(2))) == 1


def test_keys_that_agree_in_half_their_bytes_are_two(path):
    first = made(1)
    second = made(2) | {"key": first["key"][:32] + 32 * "0"}
    journal = Journal(path)
    assert append(journal, first) + append(journal, second) == [first["key"], second["key"]]
    assert len(Journal(path)) == 2
    assert Journal(path).finished(second["key"])
    assert outputs.read("b")["item_id"].tolist() == ["1", "2"]


def test_one_key_of_two_questions_is_an_error(path):
    """Line 3 repeats the answer of line 1, as two writers do; line 4 is another question."""
    lines = [made(1), made(5), made(1), made(2) | {"key": made(1)["key"]}]
    path.parent.mkdir()
    path.write_bytes(b"".join(map(cache.encode, lines[:3])))
    assert outputs.read("b")["item_id"].tolist() == ["1", "5"]
    path.write_bytes(b"".join(map(cache.encode, lines)))
    with refused(r"m\.jsonl:1: has the key of line 4"):
        outputs.read("b")


def _append_all(path, start: int) -> None:
    journal = Journal(path)
    for number in range(start, start + 60):
        append(journal, made(number % 80))


@pytest.mark.slow
def test_writers_at_once_lose_and_double_nothing(path):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_append_all, args=(path, start)) for start in (0, 10, 20, 30)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    keys = [found["key"] for found in records(path)]
    assert len(keys) == len(set(keys)) == 80


def test_a_removed_file_is_noticed(path):
    journal = Journal(path)
    append(journal, made(1))
    path.unlink()
    assert len(append(journal, made(1))) == 1


def test_answers_and_last_failures_count_whatever_comes_in_which_order(path):
    """Against a plain mapping, over many appends of two journals."""
    draw, expected = random.Random(0), {}
    journals = [Journal(path), Journal(path)]
    for _ in range(400):
        number, kind = draw.randrange(30), draw.choice([None, "timeout", "refusal", "refusal"])
        record = made(number, error=kind and f"{kind}: {draw.random()}")
        append(draw.choice(journals), record)
        if expected.get(record["key"], "none yet") is not None:
            expected[record["key"]] = kind
    for journal in (*journals, Journal(path)):
        journal.refresh()
        assert len(journal) == len(expected)
        for key, kind in expected.items():
            assert journal.finished(key) == (kind is None)
            assert (bytes.fromhex(key[:32]) in journal.failures) == (kind is not None)
            assert journal.permanent(key) == (kind == "refusal")
