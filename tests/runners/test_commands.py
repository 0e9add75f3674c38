"""The commands in one process: what they say, and that they refuse what makes no sense."""

import json

import pytest

from analysis.items import read as read_items
from runners import cache
from tests.conftest import refused
from tests.runners import loopback
from tests.runners.shell import command


@pytest.fixture(autouse=True)
def data(native, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.slow
def test_a_local_model_writes_and_scores(tmp_path):
    pytest.importorskip("torch")
    from tests.runners import models

    weights = models.save(tmp_path / "weights", "llama")
    run = f"run --benchmark safetybench --model tiny --weights {weights} --runner local --limit 6"
    run += " --prompt open --max-tokens 4 --kind completions"
    command(run)
    command(run + " --score options")
    frame = cache.read("safetybench", ["tiny"])
    assert len(frame) == 12
    assert frame["error"].isna().all()
    assert (frame["model"] == "tiny").all()
    options = [one for row in frame["scores"].dropna() for one in row.get("options", ())]
    assert options
    assert all(len(one["logprobs"]) == len(one["tokens"]) for one in options)
    shown = command(run + " --score labels --dry-run")
    assert "--- scored\n A" in shown
    assert "6 requests, 0 answered" in shown


def test_answers_are_imported_exported_and_judged(tmp_path):
    item = read_items("japanese_mt_bench").iloc[0]["item_id"]
    answer = {
        "question_id": item,
        "model_id": "m",
        "choices": [{"index": 0, "turns": ["一", "二"]}],
    }
    log, out = tmp_path / "answers.jsonl", tmp_path / "all.parquet"
    log.write_text(json.dumps(answer))
    fill = f"import fastchat {log} --benchmark japanese_mt_bench --setting chat"
    shown = command(fill)
    assert "1 rows, 2 outputs" in shown
    assert "2 new outputs" in shown
    assert "0 new outputs" in command(fill)
    log.write_text(json.dumps(answer).replace(r"\u4e8c", "three"))
    with refused("1 outputs answer requests that the cache has another"):
        command(fill)
    assert "answered" in command("status --benchmark japanese_mt_bench")
    assert "2 outputs" in command(f"export --benchmark japanese_mt_bench --to {out}")
    with loopback.serving(reply=lambda prompt: "[[8]]") as server:
        command(f"judge --benchmark japanese_mt_bench --model model --base-url {server.url}")
    frame = cache.read("japanese_mt_bench-judgments")
    assert frame["judged"].tolist() == ["m", "m"]
    assert frame["response"].unique() == ["[[8]]"]


SERVED = "--model m --base-url http://x"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("--model m", "say --runner local"),
        ("--model baseline/random", "no such baseline"),
        (SERVED + " --score labels", "a server does not score"),
        (SERVED + " --subjects algebra", "no such subject"),
        (SERVED + " --param top_p", "is not name=value"),
        (SERVED + " --prompt chioce", "no such prompt template"),
        ("--model m --runner openai", "set the environment variable OPENAI_API_KEY"),
    ],
)
def test_run_refuses(arguments, message):
    with refused(message):
        command(f"run --benchmark safetybench {arguments}")


def test_what_a_run_would_do_needs_no_key_and_no_server(home):
    one = "--benchmark safetybench --limit 3 --model m --runner openai --price-in 2 --price-out 8"
    shown = command(f"run {one} --dry-run")
    assert "3 requests, 0 answered, 3 open" in shown
    assert "cost: " in shown
    assert "--- user" in shown
    plan = home / "runs.yaml"
    models = [
        {"name": "m", "price_out": 8},
        {"name": "n", "base_url": "http://no-such-host.invalid"},
    ]
    benchmarks = [{"name": "safetybench", "limit": 3}]
    plan.write_text(json.dumps({"models": models, "benchmarks": benchmarks}))
    assert command(f"run {plan} --dry-run").count("3 requests, 0 answered, 3 open") == 2


def test_the_cost_of_what_the_server_counted_is_shown_and_limited():
    with loopback.serving() as server:  # counts 7 tokens an answer
        line = f"run --benchmark safetybench --model model --base-url {server.url} --limit 30"
        line += " --concurrency 1 --price-in 1 --price-out 1e6"
        shown = command(f"{line} --max-cost 20", status=1)
        assert "3 answered, 0 failed, 3 attempts, 21 tokens, cost 21.0000" in shown
        assert "--max-cost 20 is reached; the same command goes on" in shown
        assert "27 answered" in command(line)
        assert sum(server.asked.values()) == 30
