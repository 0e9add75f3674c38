"""The planner as a command: both directions, from a user's pair, and what it refuses."""

import re

import pytest

from analysis.errors import DataError
from tests.runners.shell import command

PAIR = "plan --benchmark ti_mmlu --first baseline/longest-option"


def test_there_and_back():
    said = command("plan --difference 3 --accuracy 55")
    needed = int(re.match(r"([\d,]+) questions", said)[1].replace(",", ""))
    assert 4200 < needed < 4400
    assert "difference of 3.0 points" in command(f"plan --questions {needed} --accuracy 55")


def test_pairing_helps():
    counts = [
        int(command(f"plan --difference 5 {more}").split(" questions")[0].replace(",", ""))
        for more in ("--correlation 0.5", "")
    ]
    assert counts[0] * 2 == pytest.approx(counts[1], abs=10)


def test_a_width_says_where_the_variance_lies():
    printed = command(PAIR + " --width 6")
    assert "over 660 items" in printed
    assert "nothing tells what another would change" in printed
    items = re.search(r"takes ([\d,]+) responses: \1 items", printed)[1]
    assert 600 < int(items.replace(",", "")) < 1100


def test_a_pair_of_recorded_models():
    said = command(PAIR + " --second baseline/always-A --difference 2")
    assert "660 shared questions" in said
    assert re.search(r"correlation -?0\.\d\d", said)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("", "--difference or"),
        ("--difference 0", "above 0"),
        ("--benchmark ti_mmlu --first baseline/always-A", "--second"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        command(f"plan {arguments}")
