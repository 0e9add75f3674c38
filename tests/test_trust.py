"""The trust gate and leaderboards: what is not read is never ranked, and what is ranked is told
with its doubts.
"""

import numpy as np
import pandas as pd
import pytest

from analysis.results import leaderboard, trust
from tests.frames import answers


def made(
    model: str,
    method: str,
    right: float,
    read: float,
    key: bool = True,
    why: str = "no choice",
) -> pd.DataFrame:
    """Answers of a model: of the items the first `read` are read, the first `right` right."""
    place = np.arange(200)
    answered, correct = place < 200 * read, place < 200 * right * read
    choice = pd.Series(np.where(answered, "A", None), dtype="str")
    reason = np.where(answered, "one choice", why)
    graded = pd.array(np.where(key, correct, None), dtype="boolean")
    found = answers(correct, model, method=method, choice=choice, why=reason, correct=graded)
    return found.assign(item_id=[f"i{k:03d}" for k in place])


def test_a_method_that_reads_a_quarter_is_not_trusted():
    table = trust.gate(pd.concat([made("m", "da", 0.7, 0.27), made("m", "caa", 0.7, 0.95)]))
    assert table["trusted"].tolist() == [False, True]
    assert "54 of 200 responses (27 %). CAA finds most" in table["note"][0]


def test_a_misreading_below_guessing_is_withheld_and_others_far_apart_are_named():
    readings = [made("m", "da", 0.1, 1.0), made("m", "caa", 0.7, 1.0), made("m", "given", 0.6, 1)]
    table = trust.gate(pd.concat(readings), 25)
    assert table["why"].tolist() == ["below guessing", "", ""]
    assert "CAA and the log's own extraction, which both" in table["note"][1]
    assert table["differ"][1] == pytest.approx(10)
    assert trust.gate(readings[0], 25)["trusted"].all()  # nothing says that the reading is at fault


def test_refusals_and_failures_are_not_failures_to_read():
    refused = made("m", "da", 0.5, 0.4, why="refusal")
    assert trust.gate(refused)["trusted"].all()
    failed = made("m", "da", 0.0, 0.0, why="request failed")
    assert not trust.gate(failed)["trusted"].any()
    assert "nothing to read" in trust.gate(failed)["note"].item()


def test_the_unread_model_keeps_its_row_and_loses_its_rank():
    answers = pd.concat(
        [made("good", "da", 0.8, 1.0), made("poor", "da", 0.5, 1.0), made("unread", "da", 0.9, 0.3)]
    )
    table = leaderboard.board(answers).set_index("model")
    assert table.loc["good", ["rank", "rank_low", "rank_high"]].tolist() == [1, 1, 1]
    assert table.loc["unread", ["rank", "rank_low"]].isna().all()
    assert "does not read" in table.loc["unread", "note"]
    found = leaderboard.ranked(answers, "b").pairs
    assert found[["first", "second"]].to_numpy().tolist() == [["good", "poor"]]
    assert found["difference"].item() == pytest.approx(30)


def test_without_a_key_there_are_rates_and_no_ranks():
    answers = pd.concat([made("a", "da", 0, 0.9, key=False), made("b", "da", 0, 1.0, key=False)])
    table = leaderboard.board(answers)
    assert table["accuracy"].isna().all()
    assert table["rank"].isna().all()
    assert table["response_rate"].tolist() == [90, 100]
    assert leaderboard.ranked(answers, "b").pairs.empty
