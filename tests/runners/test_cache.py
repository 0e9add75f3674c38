import os

import pandas as pd
import pytest

from analysis import outputs
from analysis.outputs import copies
from analysis.outputs.json_lines import slug
from runners import cache
from runners.journal import Journal
from tests.runners.journals import append
from tests.runners.test_request import ODD_TEXT


def made(number: int, model: str = "m", **fields) -> dict:
    request = {
        "benchmark": "b",
        "item_id": f"s/{number}",
        "model": model,
        "revision": "1",
        "runner": "test",
    }
    return cache.record(request | {"text": ODD_TEXT}, **fields)


def write(folder, *records) -> None:
    for record in records:
        file = f"{slug(record['model'])}.jsonl"
        append(Journal(folder / record["benchmark"] / file), record)


def test_everything_survives_the_round_trip(tmp_path):
    written = made(
        1, response=ODD_TEXT, scores={"a": [ODD_TEXT, -0.25]}, usage={"total_tokens": 3}, turn=2
    )
    write(tmp_path, written, made(2, error="timeout: " + ODD_TEXT[:4]))
    for _ in range(2):  # the second time from the Parquet copy
        frame = cache.read("b")
        row = frame.iloc[0]
        assert row["response"] == ODD_TEXT
        assert row["request"] == written["request"]
        assert row["scores"] == written["scores"]
        assert row["turn"] == 2
        assert row["usage"] == {"total_tokens": 3}
        assert frame["response"].isna().tolist() == [False, True]


def test_a_stale_copy_is_made_anew_and_a_damaged_one_too(tmp_path):
    write(tmp_path, made(1, response="A"))
    assert len(cache.read("b")) == 1
    write(tmp_path, made(2, response="B"))
    assert len(cache.read("b")) == 2
    copy = copies.made(cache.file("b", "m"))
    time = copy.stat().st_mtime_ns
    assert copies.made(cache.file("b", "m")).stat().st_mtime_ns == time
    copy.write_bytes(b"PAR1 nonsense")
    assert len(cache.read("b")) == 2
    assert os.listdir(copy.parent) == ["m.parquet"]


def test_both_ways_of_copying_agree(tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    text = ODD_TEXT.replace("\ud800", "")

    def whole(number, **fields):
        return made(number, **fields) | {"request": {"text": text}}

    more = {"scores": {"a": [1, -0.25]}, "usage": {"n": 3}, "turn": 2, "setting": "it's"}
    write(tmp_path, *(whole(i, response=f"{text}{i}", **more) for i in range(5)))
    write(
        tmp_path,
        whole(7, error="first"),
        whole(7, error="last"),
        whole(8, error="x"),
        whole(8, response="B"),
    )
    frames = []
    copy = copies.made(cache.file("b", "m"))
    for large in (0, 1 << 40):
        other = "_quickly" if large else "_line_by_line"
        copy.unlink()
        with monkeypatch.context() as patched:
            patched.setattr(copies, "LARGE", large)
            patched.setattr(copies, other, lambda *_, other=other: pytest.fail(f"took {other}"))
            frames.append(cache.read("b"))
    pd.testing.assert_frame_equal(*frames)
    assert len(frames[0]) == 7
    assert frames[0]["response"].iloc[0] == f"{text}0"


def test_query_with_sql(tmp_path):
    pytest.importorskip("duckdb")
    write(tmp_path, *(made(i, response="AB"[i % 2]) for i in range(5)))
    counts = outputs.query("SELECT response, count(*) AS n FROM outputs GROUP BY 1 ORDER BY 1")
    assert counts["n"].tolist() == [3, 2]
    found = outputs.query("SELECT request->>'$.item_id' AS i FROM outputs ORDER BY 1", "b")
    assert found["i"].tolist() == [f"s/{i}" for i in range(5)]
