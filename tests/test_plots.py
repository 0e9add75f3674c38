"""What all figures share."""

import pytest

from analysis.plots import style


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [(3.4, 0, "+3"), (-26.6, 0, "−27"), (-0.4, 0, "0"), (0.0004, 3, "0.000"), (-0.0126, 3, "−0.013"), (float("nan"), 0, "+nan")],
)
def test_a_difference_has_its_sign(value, decimals, written):
    assert style.signed(value, decimals) == written
