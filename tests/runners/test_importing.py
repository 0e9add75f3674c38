"""The import doctor: what it says of a log, what it refuses, and that nothing is written then."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

import polyexam as px
from analysis import answers, outputs
from analysis.items import describe, places
from analysis.items import file_formats as formats
from analysis.items import read as read_items
from analysis.results import leaderboard
from reports import judge_pages
from tests.conftest import refused
from tests.runners.shell import command

QUESTIONS = "id,question,A,B,answer\n1,one?,x,y,A\n2,two?,x,y,B\n3,three?,x,y,B\n"
ANSWERS = "id,model,response,pred,correct\n1,m,A,A,1\n2,m,The answer is (B).,B,1\n3,m,no idea,,0\n"
DESCRIBE, IMPORT = "items describe questions.csv --name own", "import answers.csv --benchmark own"


@pytest.fixture(autouse=True)
def files(home):
    put(home, "questions.csv", QUESTIONS)
    put(home, "answers.csv", ANSWERS)


def put(home: Path, name: str, text: str) -> Path:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text)
    return home / name


def cached(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "outputs").rglob("*.jsonl"))


def test_a_csv_of_another_benchmark_in_two_commands(home):
    assert "3 items, 0 bad rows" in command(DESCRIBE + " --set language=en")
    shown = command(IMPORT)
    assert "response <- response, model <- model, item_id <- id, choice <- pred" in shown
    assert "3 of 3 items are asked" in shown
    assert "  own, m: 3" in shown
    table = answers.coverage(answers.read("own", method="da")).iloc[0]
    assert (table["n"], table["accuracy"]) == (3, pytest.approx(200 / 3))
    given = pd.DataFrame(outputs.own("own")["given"].tolist())
    assert given["choice"].fillna("").tolist() == ["A", "B", ""]
    assert given["correct"].tolist() == [True, True, False]
    assert "0 new outputs" in command(IMPORT)


def test_options_in_another_order_than_the_benchmarks(home):
    command(DESCRIBE)
    rows = "1,one?,y,x,B,B\n2,two?,y,x,A,A\n3,three?,y,x,A,A\n"
    put(home, "answers.csv", f"id,question,A,B,answer,response\n{rows}")
    command(IMPORT + " --model m")
    assert px.leaderboard("own").frame["accuracy"].tolist() == [100]


def test_a_path_works_in_every_command(home):
    put(home, "mine/q.csv", QUESTIONS)
    put(home, "mine/benchmark.yaml", "files: q.csv\nid: id\noptions: [A, B]\nanswer: answer\n")
    for line in (
        "run --benchmark mine/ --model baseline/always-A",
        "import answers.csv --benchmark mine/benchmark.yaml",
        "status --benchmark ./mine",
        "export --benchmark ./mine --to all.csv",
        "items check ./mine",
        "leaderboard ./mine",
    ):
        shown = command(line)
    assert "66.7" in shown
    assert "baseline/always-A" in shown
    assert cached(home) == ["baseline__always-A.jsonl", "m.jsonl"]
    assert (home / "outputs" / "mine").is_dir()


def test_ids_that_match_nothing_are_refused_and_few_are_counted(home):
    command(DESCRIBE)
    message = "none of 3 ids is an item of own: the log has q1, q2, q3, the benchmark 1, 2, 3"
    with refused(message):
        command(IMPORT + " --item-id q{id}")
    assert cached(home) == []
    put(home, "answers.csv", ANSWERS.replace("3,m", "4,m"))
    assert "2 of 3 items are asked, 1 without item (4)" in command(IMPORT)
    with pytest.warns(UserWarning, match="own: 1 outputs to items that its files do not have"):
        assert len(answers.read("own", "da")) == 2


def test_repeated_samples_are_meant_where_it_is_said(home):
    put(home, "answers.csv", ANSWERS + "1,m,B,B,0\n")
    with refused("or say --samples"):
        command(IMPORT)
    command(IMPORT + " --samples")
    assert outputs.own("own")["setting"].value_counts().to_dict() == {"sample 1": 3, "sample 2": 1}


def test_settings_of_one_model_stay_apart_in_answers(home):
    command(DESCRIBE)
    put(home, "answers.csv", "id,model,setting,response\n1,m,0-shot,A\n1,m,5-shot,B\n1,m,,A\n")
    command(IMPORT)
    found = answers.read("own", method="da")
    assert set(leaderboard.board(found)["setting"]) == {"0-shot", "5-shot", "none"}
    both = px.compare("own", "m (0-shot)", "m (5-shot)", method="da")
    assert both.frame.loc[0, ["n", "difference"]].tolist() == [1, 100]
    with refused(r"there are: m \(0-shot\), m \(5-shot\)"):
        px.compare("own", "m", "m (0-shot)")


def test_a_description_chooses_methods_and_their_options(home, monkeypatch):
    put(home, "answers.csv", "id,model,response\n1,m,Answer: #A\n2,m,Answer #B\n")
    methods = "extraction={pattern: {pattern: '#(.)'}, da: {exclude: [Answer]}}"
    command(DESCRIBE, "--set", methods)
    command(IMPORT)
    choices = answers.read("own").groupby("method")["choice"].agg(list).to_dict()
    assert choices == {"pattern": ["A", "B"], "da": ["A", "B"]}
    # the A of "Answer" is a second letter
    assert answers.read("own", "da")["choice"].isna().tolist() == [False, True]
    monkeypatch.setenv(answers.VARIABLE, "{da: {exclude: [Answer]}}")
    for benchmark in ("own", home / "data" / "own", home / "data" / "own" / "benchmark.yaml"):
        assert answers.read(benchmark)["choice"].tolist() == ["A", "B"]


def test_logs_without_rows_are_refused(home):
    put(home, "a.csv", "id,model,response\n")
    with refused("holds no rows"):
        command("import a.csv --benchmark own")


@pytest.mark.parametrize(
    "more, message",
    [
        ("", r"(?s)no column is plainly the response; .*\n  nr: 1\n  wert: x\n"),
        ("--map response=wert", "the log does not say which item_id: say it with"),
        (
            "--item-id nr --map response=wert --map correct=wert",
            r"a\.csv:2, field 'correct': is neither right nor wrong \(value 'x'\)",
        ),
        ("--map response", "is not name=value"),
    ],
)
def test_columns_are_asked_for_where_they_do_not_tell(home, more, message):
    put(home, "a.csv", "nr,wert\n1,x\n")
    with refused(message):
        command(f"import a.csv --benchmark own --model m {more}")


PLACES = "--map item_id=doc.id --map response=out.1 --map model==m --map setting={_stem}/{_row}"
MAPPED = {  # file, content, words, what becomes of it
    "places": ("a.jsonl", '{"doc": {"id": 1}, "out": ["x", "A"]}', PLACES, "1 A a/0"),
    "part of a field": (
        "a.csv",
        "file,n,response\nx/law.csv,1,A\n",
        r"--item-id {file:(\w+)\.csv}/{n}",
        "law/1 A none",
    ),
    "inside a document": (
        "a.json",
        '{"n": 1, "data": [{"id": 1, "response": "A"}]}',
        "--rows data",
        "1 A none",
    ),
    "an object": ("a.json", '{"1": {"response": "A"}}', "--item-id _key", "1 A none"),
}


@pytest.mark.parametrize("name, content, words, expected", MAPPED.values(), ids=MAPPED)
def test_mappings(home, name, content, words, expected):
    put(home, name, content)
    command(f"import {name} --benchmark own --model m {words}")
    row = outputs.read("own").fillna({"setting": "none"}).iloc[0]
    assert " ".join(row[["item_id", "response", "setting"]]) == expected
    assert row["model"] == "m"


def test_parquet_and_a_log_with_its_items(home):
    rows = pd.DataFrame({"id": range(4), "question": "?", "choices": [["x", "y"]] * 4})
    rows = rows.assign(answer_index=rows["id"] % 2, output="A", pred="A")
    rows.to_parquet("run.parquet")
    shown = command("import run.parquet --benchmark own --items --model m")
    assert "4 new items" in shown
    assert "4 of 4 items are asked" in shown
    items = read_items("own")
    assert items["answer"].tolist() == ["A", "B", "A", "B"]
    assert items["options"][0] == ["x", "y"]
    rows.assign(question="other?").to_parquet("run.parquet")
    with refused("is there with another question"):
        command("import run.parquet --benchmark own --items --model n")
    assert cached(home) == ["m.jsonl"]


def test_scores_by_the_words_of_their_questions(home):
    """With the questions in the table, and in a benchmark that is here."""
    numbers = enumerate(("one", "two", "three"))
    rows = [f"{number}?,{model},j,{i + (model == 'm')}" for i, number in numbers for model in "mn"]
    put(home, "scores.csv", "\n".join(["question,model,judge,score", *rows]))
    command("import scores.csv --items --benchmark essays")
    assert describe("essays").judge == {"low": 0, "high": 3}
    judged = judge_pages.scores(judge_pages.read("essays", read_items("essays")))
    assert judged["Mean score"].tolist() == ["2.00", "1.00"]
    command(DESCRIBE)
    words = "--map model=judge --map judged=model --map scores.score=score"
    command(f"import scores.csv --benchmark own-judgments {words}")
    assert outputs.own("own-judgments")["item_id"].tolist() == ["1", "1", "2", "2", "3", "3"]


def test_the_check_ends_with_an_error_where_rows_are_bad(home):
    command("items check questions.csv")
    put(home, "questions.csv", QUESTIONS + "4,,x,y,A\n")
    shown = command("items check questions.csv", status=1)
    assert "questions.csv:5, field 'question': is empty" in shown


@pytest.mark.slow
def test_a_long_log_needs_little_memory(home):
    """Records are held once, and written in parts."""
    import tracemalloc

    rows = ({"id": number, "response": f"{number} " + "x" * 5000} for number in range(4000))
    put(home, "long.jsonl", "\n".join(map(json.dumps, rows)))
    tracemalloc.start()
    command("import long.jsonl --benchmark own --model m")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(outputs.read("own", columns=["item_id"])) == 4000
    assert peak < 6 * os.path.getsize("long.jsonl")


@pytest.mark.parametrize(
    "name, field, options",
    [
        ("m.jsonl", "response", "--map item_id={id} --map setting={response:((a+)+)$}"),
        ("m.txt", "records", "--item-id _row --records (?P<response>((a+)+)$)"),
    ],
)
def test_a_pattern_that_runs_away_ends_with_a_sentence(home, name, field, options, monkeypatch):
    for module in (formats, places):
        monkeypatch.setattr(module, "SECONDS", 0.5)
    (home / name).write_text(json.dumps({"id": "1", "response": "a" * 40 + "!"}) + "\n")
    with refused(r"the pattern took more than 0\.5 s") as error:
        command(f"import {name} --benchmark own --model m {options}")
    assert error.value.field == field


def test_what_broke_off_or_holds_no_text_is_a_failure(home):
    rows = (0, "A", "stop"), (1, "A", "error"), (2, "\\u0000", "stop")
    row = '{"id": "%s", "model": "m", "response": "%s", "reason": "%s"}\n'
    (home / "log.jsonl").write_text("".join(row % one for one in rows))
    command("import log.jsonl --benchmark own --map finish_reason=reason")
    assert outputs.read("own")["error"].notna().tolist() == [False, True, True]
