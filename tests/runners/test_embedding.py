"""The sentence encoder's cache, with a tiny real encoder that the test makes."""

import numpy as np
import pytest

from analysis import scored
from analysis.errors import DataError
from runners.embedding import SentenceEmbedder

pytest.importorskip("sentence_transformers")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A transformer of one layer with random weights and mean pooling, over Persian letters and digits."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("encoder")
    letters = [chr(c) for c in range(0x0621, 0x06F0)] + list("0123456789۰۱۲۳۴۵۶۷۸۹abcdefghijklmnopqrstuvwxyz")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *[f"##{letter}" for letter in letters]]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    BertModel(config).save_pretrained(folder)
    whole = Transformer(str(folder))
    SentenceTransformer(modules=[whole, Pooling(whole.get_embedding_dimension())]).save(str(folder / "whole"))
    return folder / "whole"


def test_texts_become_vectors_once(encoder, tmp_path):
    embed = SentenceEmbedder(str(encoder), folder=tmp_path, device="cpu")
    vectors = embed(["تهران", "شیراز", "تهران"])
    assert vectors.shape == (3, 32) and (vectors[0] == vectors[2]).all() and (vectors[0] != vectors[1]).any()
    again = SentenceEmbedder(str(encoder), folder=tmp_path, device="cpu")
    assert (again(["شیراز"]) == vectors[1]).all() and again._encoder is None
    assert np.allclose(again(["شیراز", "\ud800"])[0], vectors[1])


def test_nearest_option(encoder, tmp_path):
    embed = SentenceEmbedder(str(encoder), folder=tmp_path, device="cpu")

    def normed(texts):
        vectors = embed(texts)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    assert scored.nearest(["انار", "سیب"], [["سیب", "انار"], ["سیب", "انار"]], normed).tolist() == [1, 0]


def test_a_broken_file_and_a_missing_encoder(tmp_path):
    embed = SentenceEmbedder(str(tmp_path / "none"), folder=tmp_path, device="cpu")
    with pytest.raises(DataError, match="cannot be loaded"):
        embed(["x"])
    embed.file.write_bytes(b"junk")
    with pytest.raises(DataError, match="no file of vectors"):
        SentenceEmbedder(str(tmp_path / "none"), folder=tmp_path)
