"""Item response models find what was planted."""

import numpy as np
import pytest
from scipy import stats

from analysis.statistics import item_response
from analysis.statistics.item_response import fit
from tests.conftest import refused


def planted(rng, models=80, items=60, steep=0.3):
    ability, difficulty = rng.normal(0, 1, models), rng.normal(0, 1.2, items)
    slope = np.exp(rng.normal(0, steep, items)) * 1.3
    return (
        ability,
        difficulty,
        slope,
        rng.random((models, items)) < 1 / (1 + np.exp(-slope * (ability[:, None] - difficulty))),
    )


@pytest.mark.parametrize("model", ["rasch", "2pl"])
def test_what_was_planted_is_found(model):
    rng = np.random.default_rng(4)
    ability, difficulty, slope, right = planted(
        rng, models=400, items=80, steep=0.0 if model == "rasch" else 0.5
    )
    found = fit(right, model)
    assert stats.pearsonr(found.ability, ability).statistic > 0.95
    middle = np.abs(difficulty) < 1.5
    assert np.abs(found.difficulty - difficulty)[middle].mean() < 0.15
    away = np.abs(found.difficulty - difficulty)
    assert np.mean(away < 1.96 * found.difficulty_error) > 0.9
    if model == "rasch":
        assert np.ptp(found.slope) == pytest.approx(0, abs=1e-9)
    else:
        assert stats.spearmanr(found.slope, slope).statistic > 0.85


def test_abilities_have_errors_that_hold_and_items_inform_where_they_are():
    rng = np.random.default_rng(8)
    ability, _, _, right = planted(rng, models=500, items=40)
    found = fit(right)
    scaled = (ability - ability.mean()) / ability.std()
    assert np.mean(np.abs(found.ability - scaled) < 1.96 * found.ability_error) == pytest.approx(
        0.95, abs=0.03
    )
    told = item_response.information(found.slope, found.difficulty, [-4, 0, 4])
    assert told[1] > 3 * told[0]
    assert told[1] > 3 * told[2]


def test_too_little_is_refused_with_a_sentence():
    with refused("20 models and 10 items that all answered, not 5 and 100"):
        fit(np.ones((5, 100)))
    with refused("nothing missing"):
        fit(np.full((30, 20), np.nan))
