"""Scores of options from stored log-probabilities, and rankings that chat models write."""

import pytest

from analysis import schemas
from analysis.papers.xiezhi import option_scores
from analysis.results import ranking
from tests.frames import items, outputs

OPTIONS = [
    {"text": "ab", "logprobs": [-1.0, -2.0], "unshifted": [-0.5, -0.5]},
    {"text": "中文字", "logprobs": [-4.0], "unshifted": [-3.0]},
]


@pytest.mark.parametrize(
    "rule, expected",
    [
        ("sum", [-3, -4]),
        ("mean", [-1.5, -4]),
        ("released", [0.5, 3]),
    ],
)
def test_rules_by_hand(rule, expected):
    assert [option_scores.score(option, rule) for option in OPTIONS] == pytest.approx(expected)


FOUR = ["Paris", "Rome", "Oslo", "Bern"]
FIFTY = [f"option text {i}" for i in range(1, 51)]


@pytest.mark.parametrize(
    "response, order",
    [
        ("B, A, D, C", "BADC"),
        ("1. C\n2. A\n3. B\n4. D", "CABD"),
        ("A, E, B, Z", "AB"),
        ("(B) Rome, (A) Paris", "BA"),
        ("Rome\nParis", "BA"),
        ("选项B、选项D", "BD"),
        ("I cannot rank these.", ""),
        (None, ""),
    ],
)
def test_written_rankings(response, order):
    assert "".join(option_scores.written(response, FOUR)) == order


def test_unmentioned_options_are_tied_at_the_end():
    found = option_scores.written("3, 8", FIFTY)
    better, tied = ranking.ranks([option_scores.written_scores(found, FIFTY)], [7])
    assert (better[0], tied[0]) == (1, 0)
    better, tied = ranking.ranks([option_scores.written_scores(found, FIFTY)], [0])
    assert (better[0], tied[0]) == (2, 47)


def test_probabilities_and_words_give_the_same_frame():
    chances = zip(FOUR, (-1, -4, -2, -3), strict=True)
    options = [{"text": text, "logprobs": [x], "unshifted": [x]} for text, x in chances]
    asked = {"messages": [{"content": "q\nA. Paris\nB. Rome\nC. Oslo\nD. Bern"}], "sampling": {}}
    question = schemas.check(items(1, options=[FOUR], answer="C"), "items")
    columns = {"setting": "0-shot", "error": None}
    scored = outputs([None], scores=[{"options": options}], request=[{}], **columns)
    written = outputs(["A, C, D, B"], scores=None, request=[asked], **columns)
    by_score = option_scores.ranked(question, scored)
    by_word = option_scores.ranked(question, written)
    assert by_score["better"].tolist() == by_word["better"].tolist() == [1]
