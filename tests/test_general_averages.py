"""Averages of groups of subjects, the same for every paper."""

import pandas as pd

from analysis.papers import averages, counts


def test_a_subject_in_two_groups_counts_in_both():
    cells = counts.cells("tlue", "ti_mmlu").head(2).assign(model="m", setting="s", artifact="a")
    cells = cells.assign(group=["x", "y"], value=[50.0, 100.0], n=[2, 4], correct=[1, 4])
    groups = pd.Series(["g", "h", "h"], index=["x", "x", "y"])
    means = averages.by_group(cells, groups).set_index("group")["value"]
    assert means.to_dict() == {"g": 50, "h": 75}
