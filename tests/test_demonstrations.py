"""Solved examples that share labels with a question."""

import pandas as pd
import pytest

from analysis.items import read as read_items
from analysis.papers.xiezhi import demonstrations
from tests.conftest import refused


def frame(*labels: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "item_id": [str(i) for i in range(len(labels))],
            "metadata": [{"labels": part} for part in labels],
        }
    )


def test_the_draw_depends_on_seed_and_question_alone():
    items, train = frame(*[["a", "b"]] * 5), frame(*[["a", "b"]] * 40)
    whole = demonstrations.choose(items, train, 3)
    assert demonstrations.choose(items.iloc[::-1], train, 3) == whole
    assert demonstrations.choose(items.iloc[[2]], train, 3)["2"] == whole["2"]
    assert demonstrations.choose(items, train, 3, seed=1) != whole
    assert len({tuple(places) for places in whole.values()}) > 1


def test_without_labels_or_with_too_few_examples_it_is_refused():
    with refused("item 0"):
        demonstrations.choose(frame([]), frame(["a"]), 1)
    with refused("only 1"):
        demonstrations.choose(frame(["a"]), frame(["a"]), 2)


@pytest.mark.slow
def test_real_questions_get_examples_with_two_shared_labels_where_they_have_two(benchmark_files):
    folder = benchmark_files / "xiezhi"
    items = read_items("xiezhi_specialty", folder).head(300)
    train = read_items("xiezhi_specialty", folder, part="train")
    chosen = demonstrations.choose(items, train, 3)
    known = [set(metadata["labels"]) for metadata in train["metadata"]]
    for item in items.itertuples():
        shared = [len(set(item.metadata["labels"]) & labels) for labels in known]
        given = [shared[place] for place in chosen[item.item_id]]
        possible = sorted(shared, reverse=True)[:3]
        assert [min(n, 2) for n in given] == [min(n, 2) for n in possible]
