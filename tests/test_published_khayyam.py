"""Numbers read off the figures of the Khayyam Challenge."""

from analysis.papers import published

PAPER = "khayyam"


def test_read_off_figures_carry_their_uncertainty():
    frame = published.results(PAPER, source="digitized")
    assert (frame["ci_low"] < frame["value"]).all()
    assert (frame["value"] < frame["ci_high"]).all()
    choices = frame[frame["group_by"] == "choice"]
    totals = choices.groupby(["artifact", "model"])["value"].sum()
    slack = (
        (choices["ci_high"] - choices["value"])
        .groupby([choices["artifact"], choices["model"]])
        .sum()
    )
    assert ((totals - choices["n"].iloc[0]).abs() <= slack).all()
