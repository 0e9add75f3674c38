"""Benchmarks without code: descriptions in every form, what they refuse, and what is inferred where
there is none.
"""

import gzip
import json
from io import StringIO

import pandas as pd
import pytest
import yaml

from analysis.errors import DataError
from analysis.items import derived, describe, descriptions, doctor, finding, inference, names
from analysis.items import read as read_items
from tests.conftest import refused

CSV = "id,question,A,B,C,answer\n7,one?,a,b,c,B\n8,two?,d,e,f,c\n"
TABLE = pd.read_csv(StringIO(CSV))
COLUMNS = {"id": "id", "options": ["A", "B", "C"], "answer": "answer"}


def put(home, file: str, content, **fields):
    """A described benchmark of one file; its home."""
    if isinstance(content, list):
        content = "\n".join(map(json.dumps, content))
    content = content if isinstance(content, bytes) else content.encode()
    home.mkdir(parents=True, exist_ok=True)
    (home / file).write_bytes(content)
    (home / "benchmark.yaml").write_text(yaml.safe_dump({"files": file} | fields))
    return home


def test_a_csv_is_a_benchmark_and_goes_before_the_projects(home):
    folder = home / "data" / "cmmlu"
    put(folder, "q.csv", CSV, language="fa", category="=STEM", **COLUMNS)
    items = read_items("cmmlu")
    columns = ["benchmark", "item_id", "language", "subject", "category", "answer"]
    assert items[columns].to_numpy().tolist() == [
        ["cmmlu", "7", "fa", "all", "STEM", "B"],
        ["cmmlu", "8", "fa", "all", "STEM", "C"],
    ]
    assert "cmmlu" in names()
    for path in (folder, folder / "benchmark.yaml", f"{folder}/", str(folder)):
        assert read_items(path).equals(items)  # a path is taken where a name is


def answer(kind: str) -> dict:
    return {"answer": {"place": "k", "as": kind}}


OPTIONS = {  # options, key, the description's fields
    "list": (["x", "y"], "B", {}),
    "list as JSON text": ('["x", "y"]', "B", {}),
    "mapping": ({"1": "x", "2": "y"}, "2", {}),
    "texts and labels": ({"text": ["x", "y"], "label": ["p", "q"]}, "q", {}),
    "objects": ([{"label": "i", "text": "x"}, {"label": "j", "text": "y"}], "J", {}),
    "nested": ({"in": ["x", "y"]}, "B", {"options": ["o.in.0", "o.in.1"]}),
    "separated": ("x||y", "B", {"options": {"place": "o", "separator": "||"}}),
    "labelled": (["(3) x", "(4) y"], "(4)", {"options": {"place": "o", "labelled": True}}),
    "padded": (["x", "y", ""], 2, {"options": {"place": "o", "empty": "skip"}} | answer("number")),
    "numbers": ([1, 2.5], "1.0", answer("index")),
    "key as text": (["x", "y"], "y", answer("text")),
    "full-width key": (["x", "y"], "（Ｂ）", {}),
    "translated": (["x", "y"], "ข", {"answer": {"place": "k", "map": {"ก": "A", "ข": "B"}}}),
    "in the question": ("q?\nA. x\nB. y", "b", {"question": "o", "options": {"inside": True}}),
    "by a pattern": (
        "q?/x/y",
        "B",
        {"question": "o", "options": {"inside": "(?P<question>.*?)/(?P<A>.*?)/(?P<B>.*)"}},
    ),
}


@pytest.mark.parametrize("options, key, fields", OPTIONS.values(), ids=OPTIONS)
def test_options_and_keys_in_every_form(tmp_path, options, key, fields):
    usual = {"question": "q", "options": "o", "answer": "k"}
    home = put(tmp_path, "f.jsonl", [{"q": "q?", "o": options, "k": key}], **usual | fields)
    item = read_items(home).iloc[0]
    assert (item["question"], item["answer"]) == ("q?", "B")
    assert item["options"] in (["x", "y"], ["1", "2.5"])


SEVERAL = [(["A", "C"], "label"), ("ＡＣ", "label"), ("a, c", "label"), ([0, 2], "index")]
SEVERAL += [(["x x", "z z"], "text")]


@pytest.mark.parametrize("key, kind", SEVERAL)
def test_several_right_answers(tmp_path, key, kind):
    row = {"question": "q?", "o": ["x x", "y y", "z z"], "k": key}
    home = put(tmp_path, "f.jsonl", [row], options="o", answer_type="set", **answer(kind))
    item = read_items(home).iloc[0]
    assert item.isna()["answer"]
    assert item["metadata"] == {"answer_type": "set", "answers": ["A", "C"]}
    assert "['A', 'C']" in doctor.items(str(home))[0]


def test_listed_values_stay_whole(tmp_path):
    row = {"question": "Where?", "k": ["Paris", "the city of light"]}
    home = put(tmp_path, "f.jsonl", [row], answer_type="text", **answer("value"))
    assert read_items(home)["metadata"][0]["answers"] == row["k"]


ROWS = TABLE.to_dict("records")
PATTERN = (
    r"^Q(?P<id>.): (?P<question>.*?)\nA: (?P<A>.*?)\nB: (?P<B>.)\nC: (?P<C>.)\n= (?P<answer>.)"
)
TEXT = "".join(
    "Q{id}: {question}\nA: {A}\nB: {B}\nC: {C}\n= {answer}\n--\n".format(**row) for row in ROWS
)
FILES = {
    "tabs": ("f.tsv", CSV.replace(",", "\t"), {}),
    "semicolons": ("f.csv", CSV.replace(",", ";"), {}),
    "UTF-16": ("f.csv", CSV.encode("utf-16"), {}),
    "gzip": ("f.csv.gz", gzip.compress(CSV.encode()), {}),
    "JSON array": ("f.json", json.dumps(ROWS, indent=1), {}),
    "JSON array in .jsonl": ("f.jsonl", json.dumps(ROWS, indent=1), {}),
    "JSON lines in .json": ("f.json", TABLE.to_json(orient="records", lines=True), {}),
    "JSON by id": ("f.json", json.dumps({row["id"]: row for row in ROWS}), {"id": "_key"}),
    "JSON below other fields": ("f.json", json.dumps({"v": 1, "rows": ROWS}), {}),
    "lists in JSON": (
        "f.json",
        json.dumps([list(TABLE), *TABLE.astype(str).to_numpy().tolist()]),
        {},
    ),
    "parquet": ("f.parquet", TABLE.to_parquet(index=False), {}),
    "text": ("run.log", f"header\n{TEXT}", {"records": PATTERN}),
}


@pytest.mark.parametrize("name, content, fields", FILES.values(), ids=FILES)
def test_files_of_every_kind_hold_the_same(tmp_path, name, content, fields):
    plain = read_items(put(tmp_path / "own", "q.csv", CSV, **COLUMNS))
    other = put(tmp_path / "other", name, content, name="own", **COLUMNS | fields)
    assert read_items(other).equals(plain)


WRONG = {  # fields, reason, the field that is named
    "an unknown field": ({"optoins": "A"}, "did you mean options", "optoins"),
    "an unknown word": (
        {"answer": {"place": "k", "lowr": "x"}},
        "did you mean lower",
        "answer.lowr",
    ),
    "an unknown kind of key": (answer("letters"), "no such value 'letters'", "answer.as"),
    "no files": ({"files": None}, "should be a valid string", "files"),
    "code of a stranger": ({"reader": "subprocess:run"}, "should match pattern", "reader"),
    "a column that is not there": ({"question": "questions"}, "did you mean question", "questions"),
    "a broken pattern": ({"options": {"inside": "("}}, "valid regular", "options.inside"),
    "words for a list": ({"choose": {"split": "test"}}, "valid dictionary", "choose.split"),
}


@pytest.mark.parametrize("change, reason, field", WRONG.values(), ids=WRONG)
def test_descriptions_that_cannot_be(tmp_path, change, reason, field):
    home = put(tmp_path, "q.csv", CSV, **COLUMNS | change)
    with refused(reason) as caught:
        read_items(home)
    assert caught.value.field == field
    assert caught.value.file == home / ("q.csv" if field == "questions" else "benchmark.yaml")


STRANGE = [5, True, [], [1], "{", "{}", "{x}", "=", "*", "\0", "../../etc", [[1]], {1: 2}, 1e999]
STRANGE += [{"place": None}, {"place": "nope"}, {"map": {}}, {"place": "answer", "groups": [1]}]
STRANGE += [{"place": "answer", "strip": "("}, {"inside": "("}, {"inside": True}, {"labels": "AB"}]
STRANGE += [["question", None], {"place": "subject", "groups": {"a": 5}}, "x" * 1000]


@pytest.mark.slow
@pytest.mark.parametrize("field", sorted(descriptions.Description.model_fields))
def test_strange_values_are_read_or_refused(tmp_path, field):
    for value in STRANGE:
        home = put(tmp_path, "q.csv", CSV, **COLUMNS | {field: value})
        for problems in (None, []):
            try:
                read_items(home, problems=problems)
            except DataError:
                continue


GUESSED = {  # header, rows, fields
    "letters": ("Question A B Answer", ["q? x y B"], {"options": ["A", "B"], "answer": "Answer"}),
    "numbers from 1": ("prompt choice1 choice2 key", ["q? x y 2"], {"answer": "number"}),
    "numbers from 0": ("query opa opb label", ["q? x y 1", "r? x y 0"], {"answer": "index"}),
    "texts": ("question option_a option_b correct", ["q? x y y"], {"answer": "text"}),
}


@pytest.mark.parametrize("header, rows, fields", GUESSED.values(), ids=GUESSED)
def test_a_file_without_description(tmp_path, header, rows, fields):
    file = tmp_path / "exam.csv"
    file.write_text("\n".join([header, *rows]).replace(" ", ","))
    guessed = inference.guessed(file)
    for name, value in fields.items():
        assert guessed[name] == value or guessed[name]["as"] == value
    items = read_items(str(file))
    assert items.loc[0, ["benchmark", "answer"]].tolist() == ["exam", "B"]
    assert items["options"][0] == ["x", "y"]
    (tmp_path / "benchmark.yaml").write_text(inference.text({"name": "exam"} | guessed))
    assert read_items(tmp_path).equals(items)


def test_items_written_down_are_read_again(home):
    item = {"item_id": "1", "question": "q?\u2028x", "options": ["x", "y"], "answer": "B"}
    item |= {"language": "fa", "metadata": {"weight": 2.0}}
    folder, new = derived.write("own", [item, item])
    assert new == 1
    assert describe("own").home == folder
    assert read_items("own").iloc[0][list(item)].to_dict() == item
    assert derived.write("own", [item, item | {"item_id": "2"}])[1] == 1
    with refused("field 'answer': item '1' is there with another answer"):
        derived.write("own", [item | {"answer": "A"}])
    assert len(read_items("own")) == 2
    put(home / "data" / "files", "q.csv", CSV, **COLUMNS)
    with refused("describes files of its own"):
        derived.write("files", [item])


def test_every_description_of_the_project_can_be_loaded():
    for file in descriptions.PROJECT.glob("*.yaml"):
        description = finding.find(file)
        assert description.name == file.stem
        assert description.title
        assert description.source


PASSAGES = [
    {
        "passage": f"Text {n}.",
        "question": "?",
        "options": ["(A)x", "(B) y"],
        "label": "B",
        "answer": None,
        "subdomain": "s",
        "domain": "c",
    }
    for n in range(3)
]


def test_what_a_strangers_file_says_is_guessed(tmp_path):
    """A passage before the question, letters in the options, an empty column that looks like a
    key.
    """
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, PASSAGES)))
    item = read_items(str(tmp_path / "f.jsonl")).iloc[0]
    assert (item["question"], item["options"], item["answer"]) == ("Text 0.\n?", ["x", "y"], "B")
    assert (item["subject"], item["category"]) == ("s", "c")


def test_answers_to_several_questions_are_no_set(tmp_path):
    row = {"question": "1? 2? 3?", "o": ["x", "y"], "k": ["B", "A", "B"]}
    with refused("B is there twice: answers to several questions"):
        read_items(put(tmp_path, "f.jsonl", [row], options="o", answer="k"))
