"""Cluster distance (C-Dist): how far two sets of texts lie apart, as the Euclidean distance of the
centroids of their embeddings.

A centroid of few texts is noisy, and noise only adds to a distance: with n vectors whose variances
sum to s, its square is too large by s/n on average. `interval` takes that away, which makes sets
of different sizes comparable.
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.errors import DataError
from analysis.statistics.intervals import TAIL


def same_space(*sets: ArrayLike) -> list[np.ndarray]:
    """Sets of vectors of one number of dimensions, as arrays.

    Raises
    ------
    DataError
        For what is no set of finite vectors, or two embedders.
    """
    arrays = [np.asarray(vectors, float) for vectors in sets]
    for vectors in arrays:
        if vectors.ndim != 2 or 0 in vectors.shape:
            raise DataError(
                f"vectors must be a table with rows and columns, not of shape {vectors.shape}"
            )
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            raise DataError("vector is not finite", line=int((~finite).argmax()))
    dimensions = {vectors.shape[1] for vectors in arrays}
    if len(dimensions) > 1:
        shown = " and of ".join(map(str, sorted(dimensions)))
        raise DataError(f"vectors of {shown} dimensions: two embedders")
    return arrays


def c_dist(first: ArrayLike, second: ArrayLike) -> float:
    """Euclidean distance of two centroids, of shape (n, dimensions) and (m, dimensions)."""
    first, second = same_space(first, second)
    return float(np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)))


def interval(first: ArrayLike, second: ArrayLike, draws: int = 1000) -> tuple[float, float, float]:
    """C-Dist of two sets without their own noise, with a bootstrap interval of the texts.

    The square of a resampled distance carries the sets' noise twice; both are taken away before the
    root.

    Parameters
    ----------
    first, second : array_like, shape (n, dimensions), (m, dimensions)
    draws
        Of the percentile bootstrap.

    Returns
    -------
    distance, low, high : float
        0 where nothing is left.
    """
    rng = np.random.default_rng(0)
    sets = same_space(first, second)
    noise = sum(_noise(vectors) for vectors in sets)
    resampled = [_centroids(vectors, draws, rng) for vectors in sets]
    square = c_dist(*sets) ** 2 - noise
    squares = ((resampled[0] - resampled[1]) ** 2).sum(axis=1)
    ends = np.quantile(squares, [1 - TAIL, TAIL]) - squares.mean() + square
    distance, low, high = np.sqrt(np.maximum([square, *ends], 0))
    return float(distance), float(low), float(high)


def _noise(vectors: np.ndarray) -> float:
    """Variance of the centroid over all dimensions."""
    n = len(vectors)
    return ((vectors - vectors.mean(axis=0)) ** 2).sum() / max(n - 1, 1) / n


def _centroids(vectors: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Centroids of `draws` resamples, shape (draws, dimensions)."""
    n = len(vectors)
    return rng.multinomial(n, np.full(n, 1 / n), size=draws) @ vectors / n
