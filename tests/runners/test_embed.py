"""An embedder of sentence-transformers, in its place a class that counts letters."""

import numpy as np
import pytest

from analysis.errors import DataError
from runners import embed

sentence_transformers = pytest.importorskip("sentence_transformers")
pytestmark = pytest.mark.slow  # torch


class Lengths:
    def __init__(self, model, trust_remote_code):
        assert not trust_remote_code

    def encode(self, texts, prompt):
        return [[len(text), np.nan if text == "none" else 1] for text in texts]


def test_vectors_are_those_of_the_model_and_finite(monkeypatch):
    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", Lengths)
    vectors = embed.embed(["cat", "", "ไทย \ud800"], "m")
    assert vectors.dtype == np.float32
    assert vectors[:, 0].tolist() == [3, 0, 5]
    with pytest.raises(DataError, match="not finite"):
        embed.embed(["none"], "m")
