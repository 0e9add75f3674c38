"""Coverage, export, merging of shards, and the command line as a user meets it."""

import pandas as pd
import pytest

from runners import cache, status, transfer
from runners.journal import Journal
from tests.conftest import refused
from tests.runners import loopback
from tests.runners.shell import command
from tests.runners.test_cache import made, write
from tests.runners.test_openai_api import hold, plans


def test_coverage_counts_everything_once(tmp_path):
    errors = ("refusal: no", "content_filter: no", "timeout: slow")
    failed = [made(i, error=error) for i, error in enumerate(errors, 3)]
    cut = made(2, response="A", finish_reason="length")
    write(tmp_path, made(1, response="A"), cut, *failed, made(1, "n", response="B"))
    outputs = cache.read()
    table = status.coverage([outputs], {"b": 10}.get, ["benchmark", "model"]).set_index("model")
    counts = table[["answered", "truncated", "refused", "failed", "missing"]]
    assert counts.loc["m"].tolist() == [1, 1, 2, 1, 5]
    assert (counts.sum(axis=1) == table["expected"]).all()
    assert table.loc["n", "missing"] == 9


def ask(server, folder, todo) -> None:
    assert hold(server, Journal(folder / "b" / "model.jsonl"), todo).failed == 0


def test_shards_merged_equal_one_run(tmp_path, monkeypatch):
    n, todo = 3, plans(20, turns=2)
    with loopback.serving() as server:
        ask(server, tmp_path / "whole", todo)
        for i in range(n):
            ask(server, tmp_path / f"shard{i}", todo[i::n])
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(tmp_path / "merged"))
    sources = [str(tmp_path / f"shard{i}") for i in range(n)]
    assert sum(transfer.merge(sources).values()) == 40
    assert sum(transfer.merge([*sources, str(tmp_path / "whole")]).values()) == 0
    frames = [
        cache.read(folder=folder).sort_values("key").reset_index(drop=True)
        for folder in (None, tmp_path / "whole")
    ]
    pd.testing.assert_frame_equal(*(frame.drop(columns="time") for frame in frames))


def test_merging_keeps_answers_and_mends_failures(tmp_path):
    write(tmp_path, made(1, error="timeout"), made(2, response="A"))
    late = (made(i, error="timeout") for i in (2, 3))
    write(tmp_path / "other", made(1, response="B"), *late)
    transfer.merge([str(tmp_path / "other")] * 2)
    frame = cache.read("b").set_index("item_id")
    assert frame["response"].dropna().to_dict() == {"s/1": "B", "s/2": "A"}
    assert len(frame) == 3
    with refused("has no cache"):
        transfer.merge([str(tmp_path / "none")])


@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_export(tmp_path, kind):
    write(
        tmp_path,
        made(1, error="timeout"),
        made(1, response="\ud800 A"),
        made(2, "n", response="B", turn=1),
    )
    target = tmp_path / f"all{kind}"
    assert transfer.export("b", None, target) == 2
    frame = pd.read_csv(target) if kind == ".csv" else pd.read_parquet(target)
    assert frame["response"].str.endswith(("A", "B")).all()
    assert len(frame) == 2
    with refused("no such format"):
        transfer.export("b", None, tmp_path / "all.xlsx")


@pytest.mark.slow
def test_the_command_line(native, monkeypatch, capfd):
    """What is asked, resumed, refused and shown, and that no key is in any of it."""
    shown = []

    def run(line: str, status: int = 0) -> str:
        shown.append(command(line, status=status))
        return shown[-1]

    with loopback.serving(key=loopback.KEY, script=["400 no", "400 no"]) as server:
        address = f"--base-url {server.url} --key-env LOOPBACK_KEY"
        options = f"--benchmark cmmlu --model model {address} --shots 1"
        options += " --subjects agronomy,anatomy --limit 20"
        dry = run(f"run {options} --dry-run")
        assert "20 requests, 0 answered, 20 open" in dry
        assert "--- user" in dry
        assert not server.asked
        assert "18 answered, 2 failed" in run(f"run {options}", status=1)
        again = run(f"run {options}")
        assert "0 answered, 0 failed, 0 attempts" in again  # refused for good
        assert "2 answered, 0 failed, 2 attempts" in run(f"run {options} --again")
        with refused("a shard is i/n"):
            run(f"run {options} --shard 9/4")
        monkeypatch.setenv("LOOPBACK_KEY", "sk-not-the-key-0123456789")
        monkeypatch.setenv("POLYEXAM_OUTPUTS", str(native / "other"))
        with refused("authentication") as error:
            run(f"run {options}")
        shown.append(str(error.value))
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(native / "outputs"))
    status_ = run("status")
    assert "20" in status_
    assert "1-shot" in status_
    assert "served" in status_
    shown += [path.read_text() for path in native.rglob("*.jsonl")]
    assert not any(loopback.KEY in text or "0123456789" in text for text in shown)
