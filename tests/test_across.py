"""The cross-paper frames against printed numbers worked by hand."""

import pytest

from analysis.papers import published
from tests.conftest import run_cells


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the notebook computes, once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYEXAM_FIGURES", str(tmp_path_factory.mktemp("figures")))
        return run_cells("across/what_holds_in_several_papers")


def row(frame, **where):
    return published.select(frame, **where).iloc[0]


@pytest.mark.slow
def test_above_chance_is_the_way_from_guessing_to_perfect(names):
    found = row(names["gap"], row="Llama-3.1-70B")
    assert found["value"] == pytest.approx((69.01 - 23.79) / 0.75)  # chance is taken off both ends
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert row(names["gap"], row="GPT-3.5-Turbo")["value"] == pytest.approx((80.4 - 11.6) / 0.633)
