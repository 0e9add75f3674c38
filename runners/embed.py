"""Vectors of texts, each computed once per text and embedder and kept in `<outputs>/.embeddings/<embedder>/`.

A part is a Parquet file that appears whole or not at all, so that runs may be killed, and several may share the folder.
"""

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analysis import paths
from analysis.errors import DataError, not_installed
from analysis.outputs.lines import slug
from analysis.statistics import embedding
from runners.request import key
from runners.secret import scrub

EMBEDDED = "char-ngram-svd"  # needs no download; fitted on the very texts, and so never kept
PART = 2048  # texts between two parts, where they come quickly
SECONDS = 10.0  # between two parts else: what a crash may lose
SCHEMA = pa.schema([("key", pa.binary(32)), ("vector", pa.list_(pa.float32()))])


def embed(
    texts: Sequence[str],
    model: str = EMBEDDED,
    *,
    revision: str | None = None,
    base_url: str | None = None,
    key_env: str = "OPENAI_API_KEY",
    prompt: str | None = None,
    batch_size: int = 32,
    folder: Path | None = None,
    progress: Callable[[int], object] = lambda n: None,
) -> np.ndarray:
    """Vectors of `texts`, in their order.

    Parameters
    ----------
    model : str
        `char-ngram-svd`; a sentence-transformers model of the hub or a folder, such as ``BAAI/bge-multilingual-gemma2``;
        with `base_url`, a model behind an OpenAI-compatible server.
    prompt : str, optional
        Put before each text by a sentence-transformers model; some models ask for an instruction.
    progress : callable
        Called with the number of texts that are done.

    Returns
    -------
    array of float32, shape (texts, dimensions)
    """
    if model == EMBEDDED:
        return embedding.embed({"texts": list(texts)})["texts"]
    texts = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    request = {"model": model, "revision": revision, "prompt": prompt, "runner": "openai" if base_url else "local"}
    keys = [bytes.fromhex(key(request | {"text": text})) for text in texts]
    home = (folder or paths.outputs() / ".embeddings") / slug(model)
    kept = _load(home, set(keys))
    missing = list({k: text for k, text in zip(keys, texts, strict=True) if k not in kept}.items())
    progress(len(texts) - len(missing))
    if missing:
        local = (model, revision, prompt, batch_size)
        with _server(model, base_url, key_env) if base_url else _sentence_transformer(*local) as encode:
            for found in _computed(encode, missing, batch_size, progress):
                _write(home, found)
                kept |= found
    return np.stack([kept[k] for k in keys]) if keys else np.empty((0, 0), np.float32)


def _computed(encode, missing: list[tuple[bytes, str]], size: int, progress) -> Iterator[dict[bytes, np.ndarray]]:
    """Vectors by key, a part at a time; what is done is yielded also where a later batch fails."""
    found: dict[bytes, np.ndarray] = {}
    started, failed = time.monotonic(), None
    for start in range(0, len(missing), size):
        part = missing[start : start + size]
        try:
            vectors = np.asarray(encode([text for _, text in part]), dtype=np.float32)
            if vectors.shape[:1] != (len(part),) or vectors.ndim != 2 or not np.isfinite(vectors).all():
                raise DataError(f"the embedder gave {vectors.shape} finite numbers or less for {len(part)} texts")
        except (Exception, KeyboardInterrupt) as error:
            failed = error
            break
        found |= zip((key for key, _ in part), vectors, strict=True)
        progress(len(part))
        if len(found) >= PART or time.monotonic() - started > SECONDS:
            yield found
            found, started = {}, time.monotonic()
    if found:
        yield found
    if failed:
        raise failed


@contextlib.contextmanager
def _sentence_transformer(model: str, revision: str | None, prompt: str | None, batch_size: int):
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise not_installed(error.name, "runners") from None
    try:
        loaded = SentenceTransformer(model, revision=revision, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise DataError(f"the embedder cannot be loaded: {str(error).strip().splitlines()[0][:300]}", file=model) from None
    yield lambda texts: loaded.encode(texts, batch_size=batch_size, prompt=prompt, show_progress_bar=False)


@contextlib.contextmanager
def _server(model: str, base_url: str, key_env: str):
    try:
        import openai
    except ImportError as error:
        raise not_installed(error.name, "runners") from None
    secret = os.environ.get(key_env) or None

    def encode(texts: list[str]) -> list[list[float]]:
        try:
            answer = client.embeddings.create(model=model, input=texts, encoding_format="float")
        except openai.OpenAIError as error:
            raise DataError(f"the server gave no vectors: {scrub(str(error), secret)[:300]}") from None
        found = {one.index: one.embedding for one in answer.data}
        if sorted(found) != list(range(len(texts))) or len(answer.data) != len(texts):
            raise DataError("the server gave vectors of other texts than it was asked for")
        return [found[i] for i in range(len(texts))]

    with openai.OpenAI(base_url=base_url, api_key=secret or "none", max_retries=8) as client:
        yield encode


def _load(home: Path, wanted: set[bytes]) -> dict[bytes, np.ndarray]:
    kept = {}
    for file in sorted(home.glob("*.parquet")):
        table = pq.read_table(file, schema=SCHEMA)
        for name, vector in zip(table["key"].to_pylist(), table["vector"], strict=True):
            if name in wanted:
                kept[name] = vector.values.to_numpy(zero_copy_only=False)
    return kept


def _write(home: Path, vectors: dict[bytes, np.ndarray]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    table = pa.table([list(vectors), [vector.tolist() for vector in vectors.values()]], schema=SCHEMA)
    name = hashlib.sha256(b"".join(vectors)).hexdigest()[:32]
    descriptor, partial = tempfile.mkstemp(dir=home, suffix=".partial")
    with os.fdopen(descriptor, "wb") as handle:
        pq.write_table(table, handle)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(partial, home / f"{name}.parquet")
