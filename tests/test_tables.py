"""Headings of tables: what stands below them is what the frame holds."""

import pandas as pd

from analysis import tables

FRAME = pd.DataFrame(
    {
        "model": ["a", "b"],
        "value": [31.24, -0.04],
        "ci_low": [30.1, -1.25],
        "ci_high": [32.44, 1.0],
        "p": [0.0002, 0.0421],
    },
    [3, 7],
)


def test_headings_stand_over_columns_functions_and_values():
    shown = tables.shown(
        FRAME, {"Model": "model", "Half": lambda f: f["value"] / 2, "Kind": ["x", "y"], "n": 5}
    )
    assert list(shown.columns) == ["Model", "Half", "Kind", "n"]
    assert list(shown.index) == [3, 7]
    assert shown[["Half", "Kind", "n"]].to_numpy().tolist() == [[15.62, "x", 5], [-0.02, "y", 5]]


def test_numbers_have_a_true_minus_and_no_sign_where_they_round_to_nothing():
    assert tables.number("value")(FRAME).tolist() == ["31.2", "0.0"]
    assert tables.number("ci_low", 2, signed=True)(FRAME).tolist() == ["+30.10", "−1.25"]
    assert tables.interval()(FRAME) == ["30.1 to 32.4", "−1.2 to 1.0"]
    assert tables.estimate(signed=True)(FRAME) == ["+31.2 (+30.1 to +32.4)", "0.0 (−1.2 to +1.0)"]
