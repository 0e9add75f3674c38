"""Judgments: parsing, means, votes, people, repetition."""

import numpy as np
import pandas as pd
import pytest

from analysis.answers import judgments
from analysis.errors import DataError
from tests import frames


@pytest.mark.parametrize(
    "text, score",
    [
        ("Good: [[8]]", 8),
        ("[[7.5]] not [[2]]", 7.5),
        ("[[11]]", np.nan),
        ("[[]] [[.]]", np.nan),
        (None, np.nan),
    ],
)
def test_rating_is_the_first_in_double_brackets(text, score):
    assert judgments.rating(text) == pytest.approx(score, nan_ok=True)


def frame(scores: dict[str, list[float]], language: str = "id") -> pd.DataFrame:
    rows = [
        ("b", f"{language}-{place // 2}", place % 2 + 1, model, language, "math", "j", score)
        for model, values in scores.items()
        for place, score in enumerate(values)
    ]
    columns = [*judgments.RESPONSE, "language", "category", "judge", "score"]
    return pd.DataFrame(rows, columns=columns).assign(low=1, high=10)


def test_means_pool_turns_then_average_languages():
    table = pd.concat([frame({"m": [10, 8, 6, np.nan]}), frame({"m": [1, 1, 1, 3]}, language="th")])
    table = pd.concat([table, frame({"x": [np.nan, np.nan]})])  # no score: left out
    found = judgments.means(table)
    assert set(found["model"]) == {"m"}
    found = found.set_index(["metric", "group"])
    assert found.loc[("score", "id"), "value"] == 8
    assert found.loc[("score", "languages"), "value"] == (8 + 1.5) / 2
    assert found.loc[("full_marks", "id"), "value"] == pytest.approx(100 / 3)
    assert found.loc[("score", "id"), ["n", "unparsed"]].tolist() == [3, 1]
    known = found.dropna(subset="ci_low")  # where all scores are the same no width can be told
    assert known["value"].between(known["ci_low"], known["ci_high"]).all()
    assert len(known) == 4
    assert (found.loc["score", "ci_low"].dropna() >= 1).all()


def test_cached_judgments_are_read_and_unparsed_ones_kept():
    items = frames.items(1)
    outputs = frames.outputs(
        ["good [[8]]", "no number", "said nothing"],
        scores=[None, {"score": -1}, {"score": 6.0}],
        turn=pd.array([1, 2, None], "Int64"),
    )
    outputs = outputs.assign(benchmark="b-judgments", item_id="0", model="j", judged="m")
    answer = outputs.head(1).assign(benchmark="b", model="m", judged=None)
    found = judgments.from_outputs(pd.concat([outputs, answer]), items)
    assert found["score"].tolist() == pytest.approx([8, np.nan, 6], nan_ok=True)
    assert found["turn"].tolist() == [1, 2, 1]
    assert set(found["benchmark"]) == {"b"}
    with pytest.raises(DataError, match="no such item"):
        judgments.from_outputs(outputs, items.assign(item_id="1"))
