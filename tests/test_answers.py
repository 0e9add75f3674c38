"""The registry: one road from outputs to answers, which every consumer takes."""

import doctest
import pkgutil
from importlib import import_module

import pandas as pd
import pytest

from analysis import answers, paths
from analysis.answers import methods
from analysis.answers.final_answer import wording
from analysis.results import metrics
from tests.conftest import refused
from tests.frames import items, outputs


def choices(found: pd.DataFrame, method: str) -> list:
    return found.loc[found["method"] == method, "choice"].fillna("-").tolist()


def test_a_fifth_option_is_read_the_same_on_every_road():
    found = answers.extract(outputs(["E", "A B C D E, E"]), items(2, 5, answer="E"))
    assert choices(found, "da") == ["E", "-"]
    assert choices(found, "caa") == ["E", "E"]
    scored = metrics.score(found).query("metric == 'accuracy' and group == 'questions'")
    accuracy = scored.set_index("method")["value"]
    assert accuracy["da"] == 50
    assert accuracy["caa"] == 100


def test_methods_apply_to_what_they_read():
    said = outputs(
        ["A", None, None, "B"],
        scores=[None, {"labels": {"A": -1.0}}, {"options": [0.1, 0.2]}, None],
    )
    asked = items(4, language=["en", "en", "en", "fa"])
    asked.at[0, "options"] = []
    asked.loc[0, "answer"] = None
    found = answers.extract(said, asked).groupby("method")["item_id"].agg(list)
    assert "full_answer" not in found  # plain numbers are a baseline's
    # 0 has no options, the others were asked for scores alone
    assert found["da"] == found["regex_patterns"] == ["3"]
    assert found["single_token"] == ["1"]
    assert answers.extract(outputs(["A"]), items(1, options=[[]], answer=None)).empty


@pytest.mark.parametrize(
    "method, options, reason",
    [
        ("dda", {}, "no such method 'dda': did you mean da"),
        (
            None,
            {"exlude": ["Answer"]},
            "no such option of the methods 'exlude': did you mean exclude",
        ),
        ("da", {"overflow": "all"}, "no such option of the methods 'overflow'"),
        (
            "single_token",
            {},
            "single token reads none of these outputs: it needs log-probabilities",
        ),
        (["da", "pattern"], {}, "own pattern needs the option pattern"),
    ],
)
def test_what_cannot_be_is_said(method, options, reason):
    said, asked = outputs(["A"]), items(1)
    with refused(reason):
        answers.extract(said, asked, method, **options)
    with refused("no such item"):
        answers.extract(said, asked.assign(item_id="other"))


def test_coverage_counts_every_output_once():
    said = outputs(["A", "B", "A or B", "", None, "nothing"], error=[None] * 4 + ["timeout", None])
    table = answers.coverage(
        answers.extract(said, items(6, answer=["A", "A", "A", "A", "A", None]), "da")
    ).iloc[0]
    counts = table[["n", "answered", "several", "empty", "failed", "unread"]].tolist()
    assert counts == [6, 2, 1, 1, 1, 1]
    assert (table["keyed"], table["correct"]) == (5, 1)
    assert table["response_rate"] == pytest.approx(100 / 3)
    assert (table["accuracy"], table["conditional_accuracy"]) == (20, 50)
    none = answers.coverage(answers.extract(outputs(["A"]), items(1, answer=None), "da")).iloc[0]
    assert none["response_rate"] == 100
    assert pd.isna(none["accuracy"])


def typed(responses: list, keys: list, kind: str, n_options: int = 4, **more) -> pd.DataFrame:
    metadata = [{"answer_type": kind, "answers": key} | more for key in keys]
    asked = items(len(keys), n_options, answer=None, metadata=metadata)
    return answers.extract(outputs(responses), asked, "final_answer")


def test_sets_are_right_whole_and_have_credit_for_a_part():
    found = typed(
        ["Answer: A, C", "Answer: A", "Answer: A, B", "Answer: CA", "A or C"],
        [["A", "C"]] * 5,
        "set",
    )
    assert found["choice"].fillna("-").tolist()[:3] == ["A,C", "A", "A,B"]
    assert found["correct"].tolist() == [True, False, False, True, False]
    assert found["credit"].tolist()[:3] == [1, 0.5, 0]


def test_numbers_and_short_texts():
    numbers = {
        "It is 1,207.5 m": "1207.5",
        "٣٫٥ or 3x?": "-",
        "0,125, not 66, 9999999999999999999999999999999": "0.125",
        "合計は３５人 (on May 5th)": "35",
        "The answer is 22 - 8 = 14 (7 x 2)": "14",
        "Es sind 1.000.000 Euro": "1000000",
        "They had 30 then." + " Nobody says more about it." * 9: "-",
        "They walk 6 miles, and after them their older brother": "-",
    }
    found = typed([*numbers], [[1207.49]] * 8, "number", tolerance=0.02)
    assert found["choice"].fillna("-").tolist() == [*numbers.values()]
    assert found["correct"].sum() == 1
    texts = pd.Series(["The answer is **Paris**.", "\ud800"], dtype=object)
    found = typed(texts, [["Rome", "PARIS"], ["?"]], "text", 0)
    assert found["correct"].all()


@pytest.mark.parametrize(
    "text, same",
    [
        ("۳۶", "36"),
        ("كتابي", "کتابی"),
        ("1,000", "1000.00"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_texts_are_compared_in_one_form(text, same):
    options = [text, "another", "a third"]
    found = answers.extract(outputs([same]), items(1, options=[options]), "final_answer")
    assert found["choice"].tolist() == ["A"]


def test_the_logs_verdict_goes_before_our_own():
    logs = [
        {"choice": "b", "correct": True},
        {"correct": True},
        {"correct": False},
        {"choice": "option 2"},
        {"score": 0.5},
        {"choice": None},
        {"choice": "0", "correct": False},  # no label, but chosen
    ]
    outputs_ = outputs([None] * 7, given=logs, scores=[{"x": 1}] * 7)
    found = answers.extract(outputs_, items(7, answer=list("ACCCCAA")), "given")
    assert found["choice"].fillna("-").tolist() == ["B", "C", "wrong", "C", "0.5", "-", "wrong"]
    assert found["correct"].tolist() == [True, True, False, True, pd.NA, False, False]


def test_scores_become_answers_and_bad_ones_name_their_row():
    scores = [{"labels": {"A": -1.0, "B": -2.0}}, {"labels": {"A": -2.0, "B": -1.0}}]
    found = answers.extract(outputs([None] * 2, scores=scores), items(2, 2), "single_token")
    assert found["correct"].tolist() == [True, False]
    said = [{"options": [{"logprobs": [-1.0]}] * n} for n in (2, 3)]
    with refused(r"^1, field 'scores\.options'"):
        answers.extract(outputs([None] * 2, scores=said), items(2, 2), "full_answer")


def test_missing_and_strange_responses():
    said = outputs(["B", "", " ", None], error=[None, None, None, "HTTP 500"])
    for method in ("da", "caa", "final_answer"):
        found = answers.extract(said, items(4), method)
        assert found["why"].tolist()[1:] == ["no response"] * 2 + ["request failed"]
    with refused(r"^1, field 'response': .* not int"):
        answers.extract(outputs(["A", 7]), items(2), "da")
    halves = pd.Series(["\ud83d B", "A"], dtype=object)
    found = answers.extract(outputs(halves).iloc[::-1], items(2), "da")
    assert found["choice"].tolist() == ["A", "B"]
    with refused("same benchmark, item_id"):
        answers.extract(outputs(["A", "B"], item_id="0"), items(1), "da")
    with refused(r"1, field 'model'.*missing"):
        answers.extract(outputs(["A", "B"], model=["m", None]), items(2), "da")


def test_a_pattern_that_runs_away_ends_with_a_sentence(monkeypatch):
    monkeypatch.setattr(methods, "SECONDS", 0.2)
    with refused(r"field 'pattern': .*took more than"):
        methods.own_pattern(f"{'a' * 40}!", "xy", pattern="((a+)+)$")
    assert methods.own_pattern("#B", "xy", pattern=r"#(\w)").choice == "B"


def test_a_board_of_numbers_says_that_accuracy_is_an_exact_match():
    found = typed(["So it is 12.", "Answer: 7", "no"], [[12], [7], [1]], "number", 0)
    assert answers.matching(found, "final_answer") == [
        "Accuracy is an exact match of the number or text with the key; 1 of 2 that are read "
        "state none in words."
    ]
    assert answers.matching(answers.extract(outputs(["A"]), items(1), "da"), "da") == []


def test_the_guide_has_every_method_and_counts_languages():
    guide = (paths.ROOT / "docs" / "extraction.md").read_text("utf-8")
    assert all(f"`{name}`" in guide for name in answers.METHODS)
    assert f"({len(wording.content()['languages'])} languages;" in guide


def test_examples_in_docstrings():
    for module in pkgutil.iter_modules(answers.__path__, "analysis.answers."):
        assert doctest.testmod(import_module(module.name)).failed == 0
