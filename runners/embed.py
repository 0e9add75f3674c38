"""Vectors of texts by sentence-transformers, for what takes an embedder."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from analysis.errors import DataError, not_installed


def embed(texts: Sequence[str], model: str, *, prompt: str | None = None) -> np.ndarray:
    """Vectors of `texts`, in their order. Nothing is kept: save what takes long (`np.save`).

    Parameters
    ----------
    model : str
        Of the hub, or a folder, such as ``BAAI/bge-multilingual-gemma2``. What needs no download
        is in `analysis.statistics.embedding`.
    prompt : str, optional
        Put before each text; some models ask for an instruction.

    Returns
    -------
    array of float32, shape (texts, dimensions)

    Raises
    ------
    DataError
        Where the embedder cannot be loaded, or gives what is no finite number.
    """
    encoder = _loaded(model)
    readable = [text.encode("utf-8", "replace").decode() for text in texts]
    vectors = np.asarray(encoder.encode(readable, prompt=prompt), np.float32)
    if not np.isfinite(vectors).all():
        raise DataError("the embedder gave vectors that are not finite", file=model)
    return vectors


@cache
def _loaded(model: str):
    """The encoder, loaded once: methods embed each response with its options."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise not_installed(error.name, "runners") from None
    try:
        return SentenceTransformer(model, trust_remote_code=False)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0][:300]
        raise DataError(f"the embedder cannot be loaded: {reason}", file=model) from None
