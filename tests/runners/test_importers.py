"""Logs in the forms that other programs write, samples of our own; the field names are theirs."""

import gzip
import json
import zipfile

import pyarrow as pa
import pytest

from analysis.errors import DataError
from runners import importers
from runners.importers.base import NO_ANSWER
from tests.runners.logs import given
from tests.runners.test_request import ODD_TEXT


def lines(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def read(form, source, **options) -> list[dict]:
    return list(importers.records(form, [source], given(**options)))


def fields(records, *names) -> list[tuple]:
    return [tuple(record[name] for name in names) for record in records]


LIKELIHOODS = [[["-1.5", "False"]], [["-0.25", "True"]]]
NAMED = "samples_cmmlu_anatomy_2026-01-02T03-04-05.678901.jsonl"


def sample(**more) -> dict:
    """A row of lm-evaluation-harness 0.4.3 or later: everything nested is text."""
    arguments = {
        f"gen_args_{i}": {"arg_0": "Q?", "arg_1": f" {option}"}
        for i, option in enumerate(("one", "two"))
    }
    row = {"doc_id": 7, "doc": {"q": "Q?"}, "target": "1", "arguments": arguments}
    row |= {"filter": "none", "metrics": ["acc"], "resps": LIKELIHOODS, "filtered_resps": []}
    return row | {"acc": 1.0, "doc_hash": "x"} | more


@pytest.mark.parametrize("as_text", [True, False])
def test_lm_eval_loglikelihoods(tmp_path, as_text):
    plain = {"resps": [[[-1.5, False]], [[-0.25, True]]]}
    plain |= {"arguments": [["Q?", " one"], ["Q?", " two"]]}
    row = sample(**{} if as_text else plain)
    file = lines(tmp_path / NAMED, row, row | {"filter": "strict"})
    (record,) = read("lm-eval", file, model="m", benchmark="cmmlu")
    assert record["item_id"] == "cmmlu_anatomy/7"
    assert record["request"]["prompt"] == "Q?"
    sums = [{"text": " one", "sum": -1.5}, {"text": " two", "sum": -0.25}]
    assert record["scores"]["options"] == sums


def test_lm_eval_text_and_own_item_ids(tmp_path):
    params = {"until": ["\n"], "max_gen_toks": 5}
    arguments = {"gen_args_0": {"arg_0": "Q?", "arg_1": params}}
    row = sample(resps=[[ODD_TEXT, "again"]], arguments=arguments, doc={"row": 3})
    row["target"] = "It is\n#### 18"
    file = lines(tmp_path / NAMED, row)
    records = read("lm-eval", tmp_path, model="m", item_id="s/{doc.row}")
    assert fields(records, "response", "item_id") == [(ODD_TEXT, "s/3"), ("again", "s/3")]
    assert [record["request"]["sample"] for record in records] == [0, 1]
    assert records[0]["request"]["params"] == params
    with pytest.raises(DataError, match="does not say which model"):
        read("lm-eval", file)
    bad = {"doc_id": 6, "resps": None}, {"doc_id": 8, "resps": [[3]]}, {"doc_id": None}
    doc = {"sample_id": "law/7", "option_a": "yes", "option_b": "no"}
    linked = row | {"doc": doc, "target": "B"}
    lines(tmp_path / "sw" / NAMED.replace("anatomy", "sw_law"), linked)
    log = given(model="m", items={})
    list(importers.records("lm-eval", [tmp_path / "sw"], log))
    (item,) = log.items.values()
    assert (item["language"], item["answer"], item["options"]) == ("sw", "B", ["yes", "no"])
    assert item["metadata"] == {"source_item": "law/7"}
    lines(file, row, *(row | change for change in bad))
    log = given(model="m", items={})
    assert len(list(importers.records("lm-eval", [file], log))) == 2
    (kept,) = log.items.values()
    assert kept["metadata"] == {"answer_type": "number", "answers": ["18"]}
    reasons = ("with doc_id, resps", "neither text", "with doc_id, resps")
    for line, (problem, reason) in enumerate(zip(log.problems, reasons, strict=True), start=2):
        assert reason in str(problem)
        assert problem.line == line


def inspect_sample(**more) -> dict:
    content = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": ODD_TEXT}]
    message = {"role": "assistant", "content": content}
    choices = [{"message": message, "stop_reason": "max_tokens"}]
    row = {"id": "s/1", "epoch": 1, "input": "Q?", "target": "A"}
    row |= {"messages": [*ASKED, message], "completed_at": "2026-01-02T03:04:05+00:00"}
    row |= {"output": {"model": "p/m", "choices": choices, "usage": {"total_tokens": 5}}}
    return row | more


ASKED = [{"role": "system", "content": "sys"}, {"role": "user", "content": "Q?"}]
HEAD = {
    "version": 2,
    "status": "success",
    "eval": {"task": "own", "model": "p/m", "model_generate_config": {"temperature": 0.0}},
}


def archived(path, kind, *samples):
    """A log as `.eval`; Zstandard is what the standard library of this Python cannot write."""
    parts = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in ({"header.json": HEAD} | parts).items():
            content = json.dumps(part).encode()
            if kind == "zstandard":
                content = pa.Codec("zstd").compress(content, asbytes=True)
            method = zipfile.ZIP_DEFLATED if kind == "deflated" else zipfile.ZIP_STORED
            archive.writestr(name, content, method)
    if kind != "zstandard":
        return path
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            raw[info.header_offset + 8] = 93
        place = archive.start_dir
    while (place := raw.find(b"PK\x01\x02", place)) >= 0:
        raw[place + 10] = 93
        place += 46
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("kind", ["json", "deflated", "zstandard"])
def test_inspect(tmp_path, kind):
    broken = inspect_sample(id=2, error={"message": "broke"}, output={})
    # what a model wrote as a grade is no verdict
    graded = inspect_sample(scores={"by": {"value": "1", "answer": "a"}})
    samples = [graded, inspect_sample(epoch=2), broken]
    if kind == "json":
        file = lines(tmp_path / "log.json", HEAD | {"samples": samples})
    else:
        file = archived(tmp_path / "log.eval", kind, *samples)
    records = read("inspect", file)
    assert [r["item_id"] for r in records] == ["s/1", "s/1", "2"]
    assert len({r["key"] for r in records}) == 3
    assert records[2]["error"] == "imported: broke"
    names = ("response", "reasoning", "finish_reason", "benchmark", "model")
    assert fields(records[:1], *names) == [(ODD_TEXT, "hm", "length", "own", "p/m")]
    assert records[0]["time"].startswith("2026-01-02")
    assert records[0]["request"]["messages"] == ASKED
    assert records[0]["given"] == {"score": 1.0}


def test_inspect_files_that_are_none(tmp_path):
    (tmp_path / "a.eval").write_bytes(b"PK nonsense")
    with pytest.raises(DataError, match="is not an Inspect log"):
        read("inspect", tmp_path / "a.eval")
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(DataError, match="no `eval`"):
        read("inspect", tmp_path / "a.json")
    whole = archived(tmp_path / "b.eval", "zstandard", inspect_sample()).read_bytes()
    (tmp_path / "b.eval").write_bytes(whole.replace(whole[70:90], b"x" * 20, 1))
    with pytest.raises(DataError, match=r"cannot be read|is not JSON|is not an Inspect log"):
        read("inspect", tmp_path / "b.eval")


def test_opencompass_generation_perplexity_and_parts(tmp_path):
    asked = {"origin_prompt": [{"role": "HUMAN", "prompt": "Q?"}], "gold": "A"}
    labels = {"label: A": {"prompt": "p", "PPL": 1.5}, "label: B": {"PPL": "2.5"}}
    files = {
        "cmmlu_0": {str(i): asked | {"prediction": f"A{i}"} for i in range(2)},
        "cmmlu_1": {"0": {"origin_prompt": "Q", "prediction": ["x", "y"]}},
        "mmlu_5": {"0": {"prediction": "A", **labels}},
    }
    for name, content in files.items():
        lines(tmp_path / "predictions" / "my-model" / f"{name}.json", content)
    records = read("opencompass", tmp_path)
    ids = ["cmmlu_0/0", "cmmlu_0/1", "cmmlu_1/0", "cmmlu_1/0", "mmlu_5/0"]
    assert fields(records, "item_id", "response") == [*zip(ids, ["A0", "A1", *"xyA"], strict=True)]
    assert {(r["benchmark"], r["model"]) for r in records[:3]} == {("cmmlu", "my-model")}
    assert records[0]["request"]["prompt"] == "Q?"
    assert records[4]["scores"] == {"perplexity": {"A": 1.5, "B": 2.5}}


def test_helm(tmp_path):
    text = {"text": ODD_TEXT, "finish_reason": {"reason": "length"}}
    good = {"success": True, "completions": [text, text], "request_datetime": 1_700_000_000}
    state = {"instance": {"id": "id1"}, "num_train_instances": 5, "result": good}
    state |= {"request": {"model": "org/m", "prompt": "Q?", "max_tokens": 5}}
    failed = {"instance": {"id": "id2"}, "result": {"completions": [], "error": "too long"}}
    states = [state, state | failed, state | {"reference_index": 1, "request_mode": "original"}]
    run = tmp_path / "mmlu:subject=anatomy,model=org_m"
    lines(run / "scenario_state.json", {"request_states": states})
    records = read("helm", tmp_path)
    names = ("benchmark", "model", "item_id", "setting", "response", "finish_reason")
    expected = [("mmlu", "org/m", "id1", "5-shot", ODD_TEXT, "length")]
    assert fields(records[:1], *names) == expected
    assert records[2]["error"] == "imported: too long"
    assert records[3]["judged"] == "reference 1 original"
    assert len({r["key"] for r in records}) == len(records) == 5


def test_fastchat_answers_single_and_pairs(tmp_path):
    choices = [{"index": 0, "turns": ["one", "$ERROR$"]}, {"index": 1, "turns": ["two", ""]}]
    answer = {"question_id": 81, "model_id": "m", "choices": choices, "tstamp": 1_700_000_000.5}
    single = {"question_id": 81, "model": "m", "judge": ["gpt-4", "single-v1"], "turn": 1}
    single |= {"user_prompt": "p", "judgment": "[[7]]", "score": "7"}
    pair = {"question_id": 81, "model_1": "m", "model_2": "n", "judge": ["gpt-4", "pair-v2"]}
    pair |= {f"{game}_judgment": f"[[{game}]]" for game in ("g1", "g2")}
    pair |= {"g1_winner": "model_1", "g2_winner": "tie", "turn": 2}
    file = lines(tmp_path / "a.jsonl.gz", answer, single, single, pair)
    records = read("fastchat", file, benchmark="mt_bench")
    errors = [record["error"] for record in records]
    assert errors == [None, errors[1], None, NO_ANSWER, *[None] * 4]
    assert errors[1].startswith("unfinished")
    expected = [("one", 1, None), ("$ERROR$", 2, None), ("two", 1, None), (None, 2, None)]
    expected += [("[[7]]", 1, "m")] * 2 + [("[[g1]]", 2, "m | n"), ("[[g2]]", 2, "n | m")]
    assert fields(records, "response", "turn", "judged") == expected
    assert [r["request"]["sample"] for r in records[4:6]] == [0, 1]
    assert records[4]["scores"] == {"score": 7.0}
    assert records[7]["scores"] == {"winner": "tie"}
    assert records[4]["model"] == "gpt-4"
    lines(file, {"question_id": 81, "model_id": "m", "judgment": "So: [[7]]"})
    assert fields(read("fastchat", file, benchmark="mt_bench"), "judged", "given") == [
        ("m", {"score": 7.0})
    ]
    lines(file, single | {"score": "seven"})
    with pytest.raises(DataError, match="'score': is not a number"):
        read("fastchat", file, benchmark="mt_bench")


def test_every_eval_ever(tmp_path):
    row = {"evaluation_id": "e", "model_id": "m", "evaluation_name": "own", "sample_id": 1}
    row |= {"input": {"raw": "Q?", "reference": ["y"], "choices": ["x", "y"]}}
    row |= {"output": {"raw": ["A", "B"]}, "evaluation": {"is_correct": False, "score": 0.0}}
    row["answer_attribution"] = [{"is_terminal": True, "extracted_value": "A"}]
    talk = [{"role": "assistant", "content": "late"}, {"role": "user", "content": "?"}]
    file = lines(tmp_path / "a.jsonl", row, row | {"sample_id": 2, "output": {}, "messages": talk})
    log = given(items={})
    records = list(importers.records("every-eval-ever", [file], log))
    assert fields(records, "item_id", "response") == [("1", "A"), ("1", "B"), ("2", "late")]
    assert records[0]["given"] == {"choice": "A", "correct": False, "score": 0.0}
    assert log.items["own", "1"]["answer"] == "B"


def test_tables(tmp_path):
    rows = "subject,row,model,text,points\ns,1,m,answer,7\ns,2,m,,8.5\n"
    (tmp_path / "a.csv").write_text(rows, "utf-8")
    columns = {"response": "text", "model": "model", "item_id": "{subject}/{row}"}
    columns |= {"scores.score": "points"}
    records = read("table", tmp_path / "a.csv", benchmark="b", columns=columns)
    scores = [("s/1", {"score": 7}, None), ("s/2", {"score": 8.5}, None)]
    assert fields(records, "item_id", "scores", "error") == scores
    for change in ({"response": "texts"}, {"item_id": "{subject.__class__}"}, {"reponse": "text"}):
        with pytest.raises(DataError, match="no such"):
            read("table", tmp_path / "a.csv", benchmark="b", columns=columns | change)
    row = {"question": "Q?", "options": ["x", "y"], "answer": "B", "output": "B"}
    log = given({"subject": "=law"}, model="m", benchmark="b", items={})
    list(importers.records("table", [lines(tmp_path / "b.jsonl", row)], log))
    assert [item["subject"] for item in log.items.values()] == ["law"]


SPOILT = {
    "a.csv": (b"text,row\nx\n", "has 1 fields instead of 2"),
    "b.jsonl": (b'{"text": 1, "row": 1}\n{"text', r"b\.jsonl:2: is not JSON"),
    "d.jsonl.gz": (gzip.compress(b'{"text": 1}\n')[:-9], "cannot be read"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_cannot_be_read_is_named(tmp_path, name):
    content, message = SPOILT[name]
    (tmp_path / name).write_bytes(content)
    log = given({"response": "text", "item_id": "row"}, benchmark="b", model="m")
    with pytest.raises(DataError, match=message):
        assert len(list(importers.records("table", [tmp_path / name], log))) == 1
        raise log.problems[0]  # a bad line does not keep the others from being read
