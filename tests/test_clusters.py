"""Items that belong together and answers given several times: found by themselves, counted once,
from the cache to the leaderboard.
"""

import numpy as np
import pandas as pd
import pytest

from analysis import answers
from analysis.items.grouping import clusters
from analysis.results import comparisons, leaderboard
from analysis.statistics.intervals import clustered
from tests.conftest import refused
from tests.frames import answers as answers_of
from tests.frames import items

RNG = np.random.default_rng(8)


def test_what_belongs_together_is_told_by_fields_ids_or_words():
    assert clusters(items(4)) is None
    passages = items(
        4, metadata=[{"passage": p} for p in ("long text", "long text", "other", None)]
    )
    assert clusters(passages).to_dict() == {"0": "0", "1": "0", "2": "2", "3": "3"}
    translated = items(
        4, item_id=["en/7", "th/7", "en/8", "vi-9"], language=["en", "th", "en", "vi"]
    )
    assert clusters(translated).to_dict() == {
        "en/7": "en/7",
        "th/7": "en/7",
        "en/8": "en/8",
        "vi-9": "vi-9",
    }
    assert clusters(items(3, question=["same", "same", "other"])).tolist() == ["0", "0", "2"]
    assert clusters(items(3, subject=["s", "t", "s"]), by="subject").tolist() == ["0", "1", "0"]
    with refused("did you mean passage"):
        clusters(passages, by="pasage")
    with refused("no two items share it"):
        answers.with_clusters(answers_of(np.ones(4), "m"), items(4), "question")


def test_an_average_over_languages_counts_translations_once():
    """Three languages of 60 questions, each language weighing the same."""
    ease = RNG.beta(0.5, 0.5, (1200, 60, 1))
    right = (RNG.random((1200, 60, 3)) < ease).reshape(1200, -1).astype(float)
    question, language = np.repeat(np.arange(60), 3), np.tile([0, 1, 2], 60)
    ends = np.array([clustered(row, np.ones_like(row), question, language)[1:] for row in right])
    assert np.mean((ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)) == pytest.approx(0.955, abs=0.02)


def test_samples_are_averaged_item_by_item():
    first, second = RNG.random((2, 50)) < 0.5
    runs = [
        answers_of(side, "m", setting=f"5-shot, sample {k}")
        for k, side in enumerate((first, second), 1)
    ]
    other = answers_of(RNG.random(50) < 0.7, "other", setting="5-shot")
    said = pd.concat([*runs, other], ignore_index=True)
    table = leaderboard.board(said).set_index("run")
    assert set(table.index) == {"m", "other"}
    assert table.loc["m", "n"] == 50
    assert table.loc["m", "accuracy"] == pytest.approx(50 * (first.mean() + second.mean()))
    pairs = leaderboard.ranked(said, "b").pairs
    assert abs(pairs["difference"].iloc[0]) == pytest.approx(
        abs(table.loc["m", "accuracy"] - table.loc["other", "accuracy"])
    )
    both = comparisons.compared(said, "b", ["m", "other"]).frame.loc[0]
    assert both["n"] == 50
    assert both["value_first"] == pytest.approx(table.loc["m", "accuracy"])
    one = comparisons.compared(said, "b", ["m (5-shot, sample 2)", "other"]).frame.loc[0]
    assert one["value_first"] == pytest.approx(100 * second.mean())
