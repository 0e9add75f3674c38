"""Texts -> vectors by a sentence encoder, each text once: the vectors stay on the disk.

`SentenceEmbedder()` is LaBSE, which the Khayyam Challenge takes to find the option nearest to a response (`analysis.scored.complete`).
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from analysis import paths
from analysis.errors import DataError
from runners.request import slug

LABSE = "sentence-transformers/LaBSE"


class SentenceEmbedder:
    """A callable: texts -> float32 array, shape (texts, dimensions).

    Parameters
    ----------
    model : str
        A name on the Hugging Face hub, or a folder.
    revision : str
        Branch, tag or commit.
    folder : path, optional
        Where vectors are kept; by default ``.embeddings`` inside the outputs. One file a model and revision, in NumPy's format
        without pickle.
    batch_size : int
    device : str, optional
        By default the first GPU there is.
    """

    def __init__(
        self,
        model: str = LABSE,
        revision: str = "main",
        folder: Path | None = None,
        batch_size: int = 64,
        device: str | None = None,
    ):
        self.name, self.revision, self.batch_size, self.device = model, revision, batch_size, device
        self.file = Path(folder or paths.outputs() / ".embeddings") / f"{slug(f'{model}@{revision}')}.npz"
        self._encoder = None
        self._known = self._read()

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of `texts`; the encoder is loaded when a text is new."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            found = self._encode([text.encode("utf-8", "replace").decode() for text in new.values()])
            self._known |= dict(zip(new, found, strict=True))
            self._write()
        return np.stack([self._known[key] for key in keys]) if keys else np.empty((0, 0), np.float32)

    def _encode(self, texts: list[str]) -> np.ndarray:
        if self._encoder is None:
            from sentence_transformers import SentenceTransformer

            options = {} if Path(self.name).is_dir() else {"revision": self.revision}
            try:
                self._encoder = SentenceTransformer(self.name, device=self.device, **options)
            except (OSError, ValueError) as error:
                raise DataError(f"the encoder cannot be loaded: {str(error).splitlines()[0][:300]}", file=self.name) from None
        return self._encoder.encode(texts, batch_size=self.batch_size, show_progress_bar=len(texts) > 1000, convert_to_numpy=True)

    def _read(self) -> dict[str, np.ndarray]:
        if not self.file.is_file():
            return {}
        try:
            with np.load(self.file, allow_pickle=False) as kept:
                return dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))
        except (ValueError, KeyError, OSError, EOFError) as error:
            raise DataError(f"is no file of vectors ({error}); delete it to embed again", file=self.file) from None

    def _write(self) -> None:
        """Whole or not at all: a killed run leaves the old file."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        part = self.file.with_suffix(".part.npz")
        np.savez_compressed(part, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
        part.replace(self.file)


def named(model: str) -> SentenceEmbedder | None:
    """The encoder of that name; None where the name is empty."""
    return SentenceEmbedder(model) if model else None
