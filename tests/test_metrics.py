"""Rates and averages against hand-worked cases and statsmodels; the labelled form against the array
core.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import schemas
from analysis.results.metrics import score
from analysis.statistics.intervals import stratified
from tests import frames
from tests.conftest import refused

GROUPS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)).map(sorted),
    min_size=1,
    max_size=8,
)


def answers(rows, **columns):
    """Answers from (subject, choice, correct)."""
    subjects, choices, correct = zip(*rows, strict=True)
    frame = frames.answers(
        pd.array(correct, "boolean"),
        choice=pd.Series(choices, dtype="str"),
        why=["one choice" if choice else "no choice" for choice in choices],
        subject=subjects,
    )
    return frame.assign(category=frame["subject"].map({"a": "X", "b": "X", "c": "Y"}), **columns)


HAND = answers(
    [
        # 4 items, 2 answered, 1 correct
        *[("a", "A", True), ("a", "B", False), ("a", None, False), ("a", None, False)],
        *[("b", "A", True), ("b", "A", True)],  # 2, 2, 2
        *[("c", None, False), ("c", None, False), ("c", "C", False), ("c", "C", True)],  # 4, 2, 1
    ]
)


def value(results, group_by, group, metric, column="value"):
    found = results.query("group_by == @group_by and group == @group and metric == @metric")
    assert len(found) == 1
    return found[column].iloc[0]


@pytest.mark.parametrize(
    "group_by, group, response_rate, accuracy, conditional",
    [
        ("subject", "a", 50, 25, 50),
        ("subject", "b", 100, 100, 100),
        ("subject", "c", 50, 25, 50),
        ("category", "X", 100 * 4 / 6, 50, 75),
        ("category", "Y", 50, 25, 50),
        ("average", "questions", 60, 40, 100 * 4 / 6),
        ("average", "subjects", 200 / 3, 50, 200 / 3),
        ("average", "categories", (400 / 6 + 50) / 2, 37.5, 62.5),
    ],
)
def test_hand_worked(group_by, group, response_rate, accuracy, conditional):
    results = score(HAND)
    by_hand = {
        "response_rate": response_rate,
        "accuracy": accuracy,
        "conditional_accuracy": conditional,
    }
    for metric, expected in by_hand.items():
        assert value(results, group_by, group, metric) == pytest.approx(expected)


def test_counts_stand_beside_the_rates():
    results = score(HAND)
    assert value(results, "category", "X", "accuracy", "n") == 6
    assert value(results, "category", "X", "conditional_accuracy", "n") == 4
    assert value(results, "average", "subjects", "accuracy", "n") == 10
    assert value(results, "average", "subjects", "accuracy", "groups") == 3
    assert results.query("metric == 'accuracy' and group == 'a'")[
        ["items", "answered", "correct"]
    ].to_numpy().tolist() == [[4, 2, 1]]
    assert set(results["source"] + results["unit"] + results["method"]) == {"runpercentda"}
    assert list(results.columns[:14]) == schemas.columns("results")


# ------------------------------------------------------------------ intervals


@given(GROUPS)
def test_averages_over_groups(groups):
    correct, answered, n = np.array(groups).T
    for k, of in ((answered, n), (correct, n), (correct, answered)):
        estimate, low, high = (100 * end for end in stratified(k, of))
        if (of > 0).any():
            assert estimate == pytest.approx(
                np.mean([100 * a / b for a, b in zip(k, of, strict=True) if b])
            )
            assert -1e-9 <= low <= estimate <= high <= 100 + 1e-9
        else:
            assert np.isnan([estimate, low, high]).all()


# ------------------------------------------------------------------ several models


def several():
    """Three models by two methods, all different."""
    parts = [HAND[i:].assign(model=f"m{1 + i % 3}", method=f"method {i % 2}") for i in range(6)]
    return pd.concat(parts, ignore_index=True)


@given(st.permutations(["m1", "m2", "m3"]), st.randoms())
@settings(max_examples=3)
def test_a_permutation_of_models_permutes_the_table(order, random):
    frame, names = several(), {f"m{place}": name for place, name in enumerate(order, 1)}
    renamed = frame.replace({"model": names})
    shuffled = renamed.iloc[random.sample(range(len(renamed)), len(renamed))]
    expected = score(frame).replace({"model": names})
    keys = ["model", "method", "group_by", "group", "metric"]
    pd.testing.assert_frame_equal(
        score(shuffled).sort_values(keys, ignore_index=True),
        expected.sort_values(keys, ignore_index=True),
    )


# ------------------------------------------------------------------ refusals


def test_score_refuses_what_it_cannot_use():
    with refused(r"field 'category'.*pass items"):
        score(HAND.drop(columns="category"))
    with refused(r"0, field 'correct'.*without a choice"):
        score(answers([("a", None, True)]))
    with refused(r"field 'choice'.*missing"):
        score(HAND.drop(columns="choice"))
    with refused("no such item"):
        score(HAND, items=frames.items(1, item_id="z"))
