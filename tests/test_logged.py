"""Choices from probabilities and from what a log says itself, on hand-worked numbers."""

import numpy as np

from analysis.answers import logged
from tests.conftest import refused

LN = np.log
TWO, FOUR = ["a", "b"], list("abcd")


def test_single_token_takes_the_likeliest_label():
    first = {"▁۲": LN(0.3), "۲": LN(0.1), "۴": LN(0.35), "گزینه": LN(0.2), "۵": LN(0.05)}
    top = {"top": [first, {"۱": 0.0}]}
    assert logged.single_token(top, FOUR)[:2] == ("D", "highest of 2 labels")
    labels = {"labels": {"۱": -2.0, "۲": -1.0, "۳": -1.0, "۴": -3.0}}
    assert logged.single_token(labels, FOUR)[:2] == ("B", "highest of 4 labels")
    assert logged.single_token({"labels": {"A": -2.0, "B": -1.0}}, TWO).choice == "B"
    none = logged.single_token({"top": [{"گزینه": -0.1, "22": -1.0}]}, FOUR)
    assert none[:2] == (None, "no label among the first tokens")
    assert logged.single_token({}, FOUR).why == "no scores"


def option(tokens, probabilities):
    return {"tokens": tokens, "logprobs": [LN(p) for p in probabilities]}


OPTIONS = [option(["a"], [0.2]), option(["b", "c"], [0.5, 0.1])]


def test_full_answer_by_equation_1_is_the_mean_not_the_sum():
    # means of the logarithms: ln 0.2 = -1.609 against (ln 0.5 + ln 0.1) / 2 = -1.498; sums would
    # choose the first
    assert logged.full_answer({"options": OPTIONS}, TWO).choice == "B"


def test_the_likeliest_option_by_each_rule():
    scores = {"options": [{"text": " a", "sum": -2.0}, {"text": " bcdefghi", "sum": -4.0}]}
    perplexity = {"perplexity": {"A": 3.0, "B": 2.0}}
    assert logged.likelihood(scores, TWO)[:2] == ("A", "likeliest: sum")
    assert logged.likelihood(scores, TWO, rule="per_byte").choice == "B"
    assert logged.likelihood(perplexity, TWO).choice == "B"
    assert logged.likelihood({"options": OPTIONS}, TWO, rule="per_token").choice == "B"
    with refused("no such rule of the likelihood 'mean'"):
        logged.likelihood(scores, TWO, rule="mean")
    with refused("nothing for the rule per_token"):
        logged.likelihood(scores, TWO, rule="per_token")
    with refused("2 options, but the item has 4"):
        logged.likelihood(scores, FOUR)
