"""A plan of many runs: gone through, resumed, and shown."""

import pytest

from analysis.errors import DataError
from runners import plan
from tests.runners import loopback
from tests.runners.shell import command

pytestmark = pytest.mark.usefixtures("native")


def written(folder, text: str):
    path = folder / "runs.yaml"
    path.write_text(text)
    return path


@pytest.mark.slow
def test_a_plan_is_gone_through_and_resumed(tmp_path):
    with loopback.serving(reply=lambda prompt: "A", script=[None] * 3 + ["400 no"]) as server:
        path = written(
            tmp_path,
            f"""
models:
  - {{name: model, base_url: {server.url}, concurrency: 2}}
  - baseline/always-A
benchmarks: [{{name: safetybench, limit: 4}}]
settings: [{{temperature: 0.0}}, {{temperature: 0.5, max_tokens: 5}}]
samples: 2
""",
        )
        runs = plan.read(path)
        assert len(runs) == 8
        assert runs[-1].model == "baseline/always-A"
        command(f"run {path}", status=1)
        shown = command(f"run {path} --dry-run")
        assert shown.count("model: 4 requests, 4 answered, 0 open") == 3
        assert "model: 4 requests, 3 answered, 0 open, 1 failed for good" in shown
        assert shown.count("always-A: 4 requests, 4 answered, 0 open") == 4
        asked = sum(server.asked.values())
        assert asked == 16
        command(f"run {path} --again")
        assert sum(server.asked.values()) == asked + 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("models: [m]\nbenchmark: [b]", "did you mean benchmarks"),
        ("models: [m]\nbenchmarks: []", "should have at least 1 item"),
        ("models: [m]\nbenchmarks: [b]\nsettings: [{temprature: 1}]", "did you mean temperature"),
        ("models: [m]\nbenchmarks: [b]\nsamples: 0", "should be greater than 0"),
    ],
)
def test_what_is_no_plan_is_named(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        plan.read(written(tmp_path, text))
