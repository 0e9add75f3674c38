"""Cluster distance: hand-worked cases, and what noise does to it."""

import numpy as np
import pytest
from scipy.spatial.distance import euclidean

from analysis.errors import DataError
from analysis.statistics import distances


def gaussian(n, centre, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(n, 20))
    vectors[:, 0] += centre
    return vectors


def test_by_hand():
    first, second = [[0, 0], [2, 0]], [[0, 3], [2, 5]]
    assert distances.c_dist(first, second) == 4
    estimate, _, _ = distances.interval(first, second)
    assert estimate == pytest.approx(np.sqrt(16 - 2 / 2 - 4 / 2))


def test_distance_is_euclidean_and_knows_neither_order_nor_place():
    a, b = gaussian(30, 0, seed=4), gaussian(40, 2, seed=5)
    value = distances.c_dist(a, b)
    assert value == pytest.approx(euclidean(a.mean(axis=0), b.mean(axis=0)))
    assert value == pytest.approx(distances.c_dist(b, a))
    assert value == pytest.approx(distances.c_dist(a[::-1] + 5, b + 5))


def test_turns_of_one_conversation_count_once():
    first, second = gaussian(30, 0, seed=4), gaussian(40, 2, seed=5)
    twice, conversations = np.repeat(first, 2, axis=0), np.repeat(np.arange(30), 2)
    together = distances.interval(twice, second, (conversations, None))
    assert together == pytest.approx(distances.interval(first, second))


def test_small_sets_look_far_away_unless_noise_is_taken_out():
    raw, clean = [], []
    for seed in range(200):
        small, large = gaussian(10, 1, seed=seed), gaussian(500, 0, seed=seed + 1000)
        raw.append(distances.c_dist(small, large) ** 2)
        clean.append(distances.interval(small, large, draws=2)[0] ** 2)
    assert np.mean(raw) > 2.5  # the true square is 1, the noise 20 / 10
    assert np.mean(clean) == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize(
    "sets, message",
    [
        ([np.zeros((0, 3))], "rows and columns"),
        ([[[1, np.nan]]], "not finite"),
        ([np.ones((2, 3)), np.ones((2, 4))], "two embedders"),
    ],
)
def test_refuses_what_is_no_set_of_vectors(sets, message):
    with pytest.raises(DataError, match=message):
        distances.same_space(*sets)
