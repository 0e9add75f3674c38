"""How rightly responses are read by people's labels, and accuracy corrected for it."""

import numpy as np
import pytest
from scipy.stats import binomtest

from analysis.answers import labelled
from analysis.errors import DataError
from analysis.results.languages import _CORRECTED, from_answers
from analysis.statistics.misreading import corrected
from tests.test_languages import made_answers, made_items

RIGHT = {("m", "en"): 0.8, ("m", "sw"): 0.8, ("m", "yo"): 0.5}
HALF_READ = {("m", "sw"): 0.5}  # of what is answered in Swahili, half is not read


@pytest.fixture
def made():
    """Items, answers, and the true answers of 150 questions a language."""
    items = made_items()
    truth = made_answers(items, RIGHT)
    part = truth.groupby(truth["item_id"].str[:2]).head(150)
    labels = part.assign(run="m", label=part["choice"])[labelled.COLUMNS]
    return items, made_answers(items, RIGHT, HALF_READ), labels


def test_the_rate_of_reading_and_the_corrected_accuracy(made):
    items, answers, labels = made
    reading = labelled.reading(labels, answers, items)
    assert reading["labelled"].to_list() == [150] * 6 + [450]  # runs, languages, a script
    assert reading["script"].dropna().to_list() == ["Latin"]
    reading = reading[:3].set_index("language")
    assert reading.loc["en", "recall"] == 100
    assert 40 < reading.loc["sw", "recall"] < 60
    assert reading.loc["sw", "accuracy"] < 50 < reading.loc["sw", "ci_low"]
    notes = from_answers(answers, items, "b", labels=labels).notes
    assert "in sw, 100 %" in " ".join(notes)


def test_a_loss_is_corrected_by_what_is_misread_in_both_languages(made):
    items, _, labels = made
    answers = made_answers(items, RIGHT, {("m", "sw"): 0.85})
    row = from_answers(answers, items, "b", labels=labels).frame.loc[0]  # to Swahili
    unread = answers["choice"].isna() & made_answers(items, RIGHT)["correct"]
    missed = unread[200:350].sum()
    # where only one of two is ever right, Tango's limits are Wilson's
    (_, none), (low, high) = (binomtest(k, 150).proportion_ci(method="wilson") for k in (0, missed))
    share, lost = missed / 150, row["lost"] / 100
    below = np.linalg.norm([lost - row["ci_low"] / 100, none, high - share])
    above = np.linalg.norm([row["ci_high"] / 100 - lost, none, share - low])
    expected = lost - share + np.array([0, -below, above])
    assert row[_CORRECTED].to_list() == pytest.approx(100 * expected)


def test_a_label_without_an_option_and_labels_of_others(made):
    items, answers, labels = made
    silent = labels.assign(label=labelled.NONE)
    reading = labelled.reading(silent, answers, items).set_index("language")
    assert reading["named"].eq(0).all()
    assert reading["recall"].isna().all()
    assert reading["corrected"].lt(reading["accuracy"]).all()
    with pytest.raises(DataError, match="no two labels of a run"):
        from_answers(answers, items, "b", labels=labels.assign(run="another"))


def test_labels_of_all_responses_give_their_own_share():
    rng = np.random.default_rng(3)
    truth, read = rng.random((2, 300)) < 0.6
    share, low, high = corrected(read, truth)
    assert share == pytest.approx(truth.mean())
    assert low < share < high
    # two responses a question: the questions alone tell how they vary
    _, first, last = corrected(
        np.repeat(read, 2), np.repeat(truth, 2), np.repeat(np.arange(300), 2)
    )
    assert last - first == pytest.approx(high - low, rel=0.05)
