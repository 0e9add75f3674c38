"""Records of every_eval_ever: what is written comes back the same, and real aggregate records
become results.
"""

import json
import shutil
import subprocess
from hashlib import sha256

import pytest

from analysis import schemas
from analysis.errors import DataError
from analysis.items import derived
from runners import cache, exchange, importers, transfer
from tests.runners.logs import given

ITEMS = [
    {"item_id": f"{subject}/{i}", "question": f"{subject} {i}?", "subject": subject}
    | {"options": ["x", "y"], "answer": "B"}
    for subject in ("law", "art")
    for i in range(3)
]


@pytest.fixture
def runs(home):
    """Six items and two runs of one model."""
    derived.write("own", ITEMS)
    base = {"benchmark": "own", "model": "org/m", "revision": "1", "runner": "openai"}
    base |= {"messages": [{"role": "user", "content": "Q?"}]}
    for setting, responses in (("0-shot", "BBBBAB"), ("5-shot", "ABBBB ")):
        for item, text in zip(ITEMS, responses, strict=True):
            request = base | {"setting": setting, "item_id": item["item_id"]}
            transfer.take([cache.record(request, response=text, setting=setting)])
    return home


@pytest.mark.slow
def test_their_own_validator_finds_nothing(runs):
    """`pip install every-eval-ever` in an environment of its own: it needs Python 3.12."""
    if not shutil.which("every_eval_ever"):
        pytest.skip("no every_eval_ever on the path")
    files = exchange.write("own", runs / "records", "us")
    command = ["every_eval_ever", "validate", "--format", "json", *map(str, files)]
    done = subprocess.run(command, cwd=runs / "records", capture_output=True, text=True)
    assert not any(one["errors"] + one["warnings"] for one in json.loads(done.stdout))


def test_written_records_hold_what_the_schema_asks_for(runs):
    files = exchange.write("own", runs / "records", "us")
    aggregates = [json.loads(file.read_text()) for file in files if file.suffix == ".json"]
    assert [a["model_info"]["id"] for a in aggregates] == ["org/m", "org/m"]
    one = aggregates[0]
    scores = {r["evaluation_name"]: r["score_details"] for r in one["evaluation_results"]}
    shares = {name: score["score"] for name, score in scores.items()}
    assert shares == pytest.approx({"own": 5 / 6})
    interval = scores["own"]["uncertainty"]["confidence_interval"]
    assert 0 <= interval["lower"] < 5 / 6 < interval["upper"] <= 1
    detailed = one["detailed_evaluation_results"]
    samples = (runs / "records" / detailed["file_path"]).read_bytes()
    assert sha256(samples).hexdigest() == detailed["checksum"]
    rows = [json.loads(line) for line in samples.splitlines()]
    assert len(rows) == 6
    for row in rows:
        assert row["evaluation_id"] == one["evaluation_id"]
        assert row["input"]["formatted"] == "Q?"
        right = row["output"]["raw"] == ["B"]
        assert row["evaluation"]["is_correct"] == right


def test_samples_come_back_as_outputs_and_aggregates_as_results(runs):
    exchange.write("own", runs / "records", "us")
    back = list(
        importers.records("every-eval-ever", [runs / "records"], given(benchmark="back", items={}))
    )
    assert len(back) == 12
    assert sum(record["given"]["correct"] for record in back) == 9
    assert {record["setting"] for record in back} == {"0-shot", "5-shot"}
    table = exchange.results([runs / "records"])
    schemas.check(table, "results")
    overall = table[table["group"] == "own"].set_index("setting")
    assert overall["value"].to_dict() == pytest.approx({"0-shot": 5 / 6, "5-shot": 4 / 6})
    assert set(table["n"]) == {6}
    assert (table["ci_low"] < table["value"]).all()


def test_real_aggregate_records(benchmark_files):
    folder = benchmark_files / "real_logs" / "harness" / "every_eval_ever" / "gpt2_mmlu" / "data"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    table = exchange.results([folder])
    assert len(table) == 13
    assert table["value"].notna().all()
    mean = table[table["group"] == "Mean score"].iloc[0]
    assert (mean["model"], mean["value"]) == ("Gemini 3 Pro Preview", 0.799)
    assert (mean["unit"], mean["paper"]) == ("proportion", "helm_capabilities")


@pytest.mark.parametrize(
    "content, reason",
    [
        ("{}", "is no aggregate record"),
        ('{"evaluation_results": [{"evaluation_name": "x"}]}', "model_info|score_details"),
        ("[", "is not JSON"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, content, reason):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(DataError, match=reason):
        exchange.results([tmp_path / "a.json"])
