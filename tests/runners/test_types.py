"""Every type of answer, from two small files to a leaderboard: sets, numbers, texts, several
answers, surveys, judges' scores.
"""

import json

import pandas as pd
import pytest

from analysis import answers
from analysis.errors import DataError
from analysis.items import read as read_items
from analysis.results import leaderboard, metrics
from reports import judge_pages
from tests.runners.shell import command

LABELS = {"options": ["1", "2", "4"]}
SETS = [
    LABELS | {"id": "1", "question": "Even?", "answer": ["B", "C"], "points": 6},
    LABELS | {"id": "2", "question": "Odd?", "answer": ["A"], "points": 2},
]
SURVEY = [{"id": i, "question": "Tea?", "A": "tea", "B": "coffee"} for i in ("1", "2")]

WEIGHT = "metadata={{weight: {{place: {}, number: true, least: 0}}}}"


@pytest.fixture
def own(home):
    """Answers to questions, from each model's responses, by the command line."""

    def taken(questions: list[dict], responses: dict, *fields: str) -> pd.DataFrame:
        rows = [
            {"id": str(i), "model": model, "response": text}
            for model, texts in responses.items()
            for i, text in enumerate(texts, 1)
        ]
        for name, lines in (("questions", questions), ("responses", rows)):
            (home / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
        described = (part for field in fields for part in ("--set", field))
        command("items describe questions.jsonl --name own", *described)
        if responses:
            command("import responses.jsonl --benchmark own")
        return answers.read("own")

    return taken


def test_sets_have_credit_and_items_weigh_what_the_benchmark_says(own):
    responses = {
        "m": ["The answer is B and C.", "The answer is B."],
        "n": ["The answer is B.", "The answer is A."],
        "o": ["The answer is A and B.", "A"],
    }
    found = own(SETS, responses, "answer_type=set", WEIGHT.format("points"))
    table = leaderboard.board(found).set_index("model")
    assert table["accuracy"].to_dict() == {"m": 50, "n": 50, "o": 50}
    # a wrong label in a set has no credit
    assert table["credit"].to_dict() == {"m": 75, "n": 100 * (3 + 2) / 8, "o": 25}
    assert set(found["method"]) == {"final_answer"}  # a method of one label reads no sets
    groups = metrics.score(found, by=["subject"]).query("metric == 'credit'")
    assert (groups["ci_low"] < groups["value"]).all()
    assert groups["n"].eq(2).all()


def question(key: object, **more: object) -> dict:
    return {"question": "?", "answer": key} | more


@pytest.mark.parametrize(
    "keys, kind, right, wrong",
    [
        ([56, 1.4142], "number", ["7 * 8 = 56, so the answer is 56.", "1.414"], ["54.", "1.5"]),
        (["Lima", "Vientiane"], "text", ["The answer is Lima.", "vientiane"], ["Cusco", "Pakse"]),
    ],
)
def test_answers_that_are_no_labels(own, keys, kind, right, wrong):
    questions = [question(key, id=str(i)) for i, key in enumerate(keys, 1)]
    fields = [f"answer_type={kind}"] + ["tolerance=0.001"] * (kind == "number")
    table = leaderboard.board(own(questions, {"m": right, "n": wrong}, *fields)).set_index("model")
    assert table["accuracy"].to_dict() == {"m": 100, "n": 0}
    assert table["response_rate"].eq(100).all()


def test_weights_alone_make_credit_and_are_numbers_from_0_on(own):
    options = {"A": "x", "B": "y"}
    questions = [question("A", id=str(i), w=w, **options) for i, w in enumerate((1, 1, 8), 1)]
    with pytest.raises(DataError, match="less than may be"):
        own([questions[0] | {"w": -1}], {}, WEIGHT.format("w"))
        read_items("own")
    row = leaderboard.board(own(questions, {"m": ["A", "A", "B"]}, WEIGHT.format("w")), "da").iloc[
        0
    ]
    assert row["accuracy"] == pytest.approx(200 / 3)
    assert row["credit"] == pytest.approx(20)


def test_a_survey_has_rates_and_no_ranks(own):
    responses = ["A", "As an AI language model, I have no preference."]
    found = own(SURVEY, {"m": responses}, "answer_type=none")
    row = leaderboard.board(found, "final_answer").iloc[0]
    assert row["response_rate"] == 50
    assert pd.isna(row["accuracy"])
    assert pd.isna(row["rank"])
    assert answers.coverage(found[found["method"] == "final_answer"])["refused"].item() == 1


def test_judges_scores_from_zero(own, home):
    questions = [{"id": "1", "question": "?"}, {"id": "2", "question": "!"}]
    own(questions, {}, "answer_type=score", "judge={low: 0, high: 5}")
    rows = "1,m,gpt,0\n2,m,gpt,0\n1,m,human,0\n2,m,human,1\n"
    (home / "j.csv").write_text("id,whom,judge,rating\n" + rows)
    places = "--map model=judge --map judged=whom --map scores.score=rating"
    command(f"import j.csv --benchmark own-judgments {places}")
    judged = judge_pages.read("own", read_items("own"))
    assert judged.groupby("judge")["score"].mean().to_dict() == {"gpt": 0, "human": 0.5}
    assert judge_pages.scores(judged)["n"].tolist() == [2, 2]  # zeros count
    assert judge_pages.agreement(judged)["Responses"].tolist() == [2, 2]
