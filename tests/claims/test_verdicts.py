"""Verdicts of hand-made comparisons: what is printed, what noise allows, what rounding hides."""

import numpy as np
import pytest

from analysis.claims.terms import OPERATIONS, Estimate, exactly
from analysis.claims.verdicts import (
    CONTRADICTED,
    CONTRADICTED_UNKNOWN_N,
    DEPENDS,
    NOT_CHECKABLE,
    NOT_SIGNIFICANT,
    REPRODUCED,
    UNKNOWN_N,
    WITHIN_CHANCE,
    Outcome,
    alternatives,
    compared,
    judge,
    together,
    value,
)
from analysis.statistics.intervals import wilson
from tests.conftest import refused


def share(k: int, n: int) -> Estimate:
    low, high = wilson(k, n)
    return Estimate(k / n, float(low), float(high), 0.0005, n, (k,))


CLEAR, NEAR, FAR = share(300, 1000), share(310, 1000), share(600, 1000)


def test_two_proportions_have_the_p_value_of_newcombes_interval():
    assert compared("", FAR, CLEAR, ">").p < 1e-30
    assert compared("", NEAR, CLEAR, ">").p == pytest.approx(0.63, abs=0.02)
    assert np.isnan(compared("", Estimate(1.0), Estimate(2.0), ">").p)


@pytest.mark.parametrize(
    "a, relation, b, verdict",
    [
        (FAR, ">", CLEAR, REPRODUCED),
        (NEAR, ">", CLEAR, NOT_SIGNIFICANT),
        (CLEAR, ">", NEAR, WITHIN_CHANCE),
        (CLEAR, ">", FAR, CONTRADICTED),
        (Estimate(1.0), ">", Estimate(2.0), CONTRADICTED_UNKNOWN_N),
        (CLEAR, ">", CLEAR, NOT_CHECKABLE),  # equal as printed
        (CLEAR, ">=", CLEAR, NOT_SIGNIFICANT),
        (Estimate(2.0), ">", Estimate(1.0), UNKNOWN_N),
        (exactly(2), ">", exactly(1), REPRODUCED),  # counts
        (CLEAR, "=", CLEAR, REPRODUCED),
        (CLEAR, "=", NEAR, CONTRADICTED),
    ],
)
def test_one_comparison(a, relation, b, verdict):
    assert judge([compared("", a, b, relation)]).verdict == verdict


def test_near_means_within_and_noise_counts():
    for a, b, within, verdict in (
        (CLEAR, NEAR, 0.1, REPRODUCED),
        (CLEAR, NEAR, 0.02, NOT_SIGNIFICANT),
        (CLEAR, FAR, 0.1, CONTRADICTED),
        (Estimate(1.0), Estimate(1.1), 0.2, UNKNOWN_N),
    ):
        assert judge([compared("", a, b, "~", within=within)]).verdict == verdict
    with refused("needs within"):
        compared("", CLEAR, NEAR, "~")


@pytest.mark.parametrize(
    "holds, verdict",
    [
        ("all", CONTRADICTED),
        ("most", NOT_SIGNIFICANT),  # two of three as printed, one of them within noise
        ("some", REPRODUCED),
        ("none", CONTRADICTED),
        ({"at_least": 2}, NOT_SIGNIFICANT),
        ({"at_most": 2}, REPRODUCED),
        ({"at_most": 1}, WITHIN_CHANCE),
        ({"exactly": 2}, NOT_SIGNIFICANT),
        ("minority", WITHIN_CHANCE),
    ],
)
def test_how_many_hold(holds, verdict):
    three = [
        compared("sure", FAR, CLEAR, ">"),
        compared("noise", NEAR, CLEAR, ">"),
        compared("fails", CLEAR, FAR, ">"),
    ]
    assert judge(three, holds).verdict == verdict


def test_what_rests_on_a_number_without_n_is_no_more_than_printed():
    two = [compared("sure", FAR, CLEAR, ">"), compared("no n", Estimate(2.0), Estimate(1.0), ">")]
    assert judge(two).verdict == UNKNOWN_N
    assert judge(two, "some").verdict == REPRODUCED  # the other carries it
    assert judge([*two, compared("noise", NEAR, CLEAR, ">")]).verdict == NOT_SIGNIFICANT
    opposite = [compared("no n", Estimate(1.0), Estimate(2.0), ">")]
    assert judge(opposite).verdict == CONTRADICTED_UNKNOWN_N
    assert judge([*opposite, compared("sure", CLEAR, FAR, ">")]).verdict == CONTRADICTED


def test_the_whole_statement_is_tested():
    """All: each must be significant. Most: among many, more than one must be, or disjoint questions
    must add up.
    """
    barely = compared("", share(346, 1000), share(300, 1000), ">")
    assert barely.p == pytest.approx(0.028, abs=0.003)
    assert judge([barely]).verdict == judge([barely] * 4).verdict == REPRODUCED
    assert judge([barely] * 4).p == barely.p
    # two of the four may be untrue: Bonferroni over the rest
    assert judge([barely] * 4, "most").verdict == NOT_SIGNIFICANT
    assert judge([barely] * 4, "most", disjoint=True).verdict == REPRODUCED


def test_unknown_quantifiers():
    with refused("quantifier"):
        judge([compared("", FAR, CLEAR, ">")], {"over": 2})


def test_a_stated_number():
    assert value(Estimate(10.63, half=0.005), 10.6, 1).verdict == REPRODUCED
    # the parts were rounded
    assert value(Estimate(10.654, half=0.005), 10.6, 1).verdict == REPRODUCED
    assert value(Estimate(12.0), 10.6, 1, tolerance=2).verdict == REPRODUCED
    assert value(None, 1, 0).verdict == NOT_CHECKABLE


def test_readings():
    yes, no = Outcome(REPRODUCED, rows=(1,)), Outcome(CONTRADICTED, rows=(2,))
    silent, open_ = Outcome(NOT_CHECKABLE), Outcome(NOT_CHECKABLE, rows=(3,))
    for pair, verdict in {
        (yes, no): DEPENDS,
        (yes, yes): REPRODUCED,
        (no, no): CONTRADICTED,
        (no, open_): NOT_CHECKABLE,
        (yes, silent): REPRODUCED,  # without numbers a reading says nothing
    }.items():
        assert alternatives(dict(zip("ab", pair, strict=True))).verdict == verdict
    assert alternatives({"a": yes, "b": no}).rows == (1, 2)


def test_a_claim_with_parts_has_the_p_of_all_of_them():
    """The largest, as each must hold (Berger 1982); never that of the first."""
    strong, weak = Outcome(REPRODUCED, p=1e-9, n=500), Outcome(REPRODUCED, p=0.03, n=50)
    whole = together({"a": strong, "b": weak})
    assert (whole.verdict, whole.p, whole.n) == (REPRODUCED, 0.03, 50)
    assert alternatives({"a": strong, "b": weak}).p == 0.03
    untested = together({"a": strong, "b": Outcome(UNKNOWN_N)})
    assert np.isnan(untested.p)
    assert untested.verdict == UNKNOWN_N
    checkable = together({"a": weak, "b": Outcome(NOT_CHECKABLE)})
    assert checkable.verdict == NOT_CHECKABLE


def test_one_untrue_part_is_enough_if_it_is_beyond_chance_among_them():
    true = Outcome(REPRODUCED, p=1e-9)
    clear, near = Outcome(CONTRADICTED, p=0.001), Outcome(CONTRADICTED, p=0.04)
    chance = Outcome(WITHIN_CHANCE, p=0.4)
    assert together({"a": true, "b": clear}).p == pytest.approx(0.002)  # Bonferroni
    assert together({"a": true, "b": clear, "c": chance}).verdict == CONTRADICTED
    assert together({"a": true, "b": near}).verdict == WITHIN_CHANCE
    assert together({"a": true, "b": Outcome(CONTRADICTED, p=0.0)}).verdict == CONTRADICTED
    unknown = Outcome(CONTRADICTED_UNKNOWN_N)
    assert together({"a": chance, "b": unknown}).verdict == CONTRADICTED_UNKNOWN_N
    assert alternatives({"a": clear, "b": chance}).verdict == WITHIN_CHANCE


@pytest.mark.parametrize(
    "first, second, digits, alike",
    [
        (0.253, 0.253, (3, 3), True),
        (0.253, 0.254, (3, 3), False),  # a whole unit of the last digit
        (34.4, 34, (1, 0), True),
        (34.6, 34, (1, 0), False),
    ],
)
def test_equal_is_half_a_unit_of_each_last_digit(first, second, digits, alike):
    half = [0.5 * 10.0**-count for count in digits]
    a, b = Estimate(first, half=half[0]), Estimate(second, half=half[1])
    assert compared("", a, b, "=").state is alike
    assert (value(a, second, digits[1]).verdict == REPRODUCED) is alike


def test_ratios_have_an_interval():
    """At a denominator without error it is that of the numerator; else wider."""
    top = share(300, 1000)
    ratio = OPERATIONS["over"]([top, exactly(0.5)])
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx(
        (0.6, top.low / 0.5, top.high / 0.5)
    )
    both = OPERATIONS["over"]([top, share(500, 1000)])
    assert both.low < ratio.low < both.value < ratio.high < both.high
