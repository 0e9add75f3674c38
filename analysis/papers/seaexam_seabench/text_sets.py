"""How far are several sets of embedded texts from one of them, and where on a map?"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import DataError, brought_by, refuse_unknown
from analysis.statistics import distances

_SHOWN = 150  # texts of each set at most
_Sets = Mapping[str, np.ndarray]  # name -> vectors, shape (texts, dimensions)


def load(files: Mapping[str, str | Path]) -> dict[str, np.ndarray]:
    """Sets of vectors, memory-mapped: name -> array, shape (texts, dimensions).

    Raises
    ------
    DataError
        For a file without numbers.
    """
    sets = {}
    for name, file in files.items():
        try:
            sets[name] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(f"is no .npy file of numbers: {error}", file=file, field=name) from None
    return sets


def to_target(sets: _Sets, target: str, draws: int = 1000) -> pd.DataFrame:
    """C-Dist of each set to the one named `target`.

    Returns
    -------
    DataFrame
        `set`, `target`, `n`, `n_target`, `raw` (the plain distance of the centroids), `value`
        (without the noise of the sets' sizes) with `ci_low`, `ci_high` (bootstrap of the texts).
    """
    refuse_unknown("set", sets, target)
    goal = sets[target]
    rows = []
    for name, vectors in sets.items():
        if name != target:
            raw = distances.c_dist(vectors, goal)
            estimate = distances.interval(vectors, goal, draws=draws)
            rows.append((name, target, len(vectors), len(goal), raw, *estimate))
    columns = "set target n n_target raw value ci_low ci_high".split()
    return pd.DataFrame(rows, columns=columns)


def positions(sets: _Sets, method: str = "pca") -> pd.DataFrame:
    """A sample of each set in the plane of all of them.

    Distances between clusters of a UMAP have no meaning: it is a picture, `c_dist` the number.

    Parameters
    ----------
    method : {"pca", "umap"}
        UMAP needs the extra `lab`.

    Returns
    -------
    DataFrame
        A text a row: `x`, `y`, `set`, `n` (of all its texts), `centre_x`, `centre_y`,
        `explained_x`, `explained_y` (shares of the variance; missing for UMAP).
    """
    refuse_unknown("map", _MAPS, method)
    every = np.concatenate(distances.same_space(*sets.values()))
    flat, explained = _MAPS[method](every)
    rng = np.random.default_rng(0)
    ends = np.cumsum([len(vectors) for vectors in sets.values()])
    parts = []
    for name, places in zip(sets, np.split(flat, ends[:-1]), strict=True):
        n = len(places)
        shown = np.sort(rng.choice(n, min(_SHOWN, n), replace=False))
        x, y = places.mean(axis=0)
        part = pd.DataFrame(places[shown], columns=["x", "y"])
        parts.append(part.assign(set=name, n=n, centre_x=x, centre_y=y))
    x, y = explained
    return pd.concat(parts, ignore_index=True).assign(explained_x=x, explained_y=y)


def _pca(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two principal components, and the share of the variance on each."""
    from sklearn.decomposition import PCA

    model = PCA(2, svd_solver="randomized", random_state=0)
    return model.fit_transform(vectors), model.explained_variance_ratio_


def _umap(vectors: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    with brought_by("lab"):
        from umap import UMAP
    model = UMAP(n_neighbors=min(15, len(vectors) - 1), random_state=0, n_jobs=1)
    return model.fit_transform(vectors), (np.nan, np.nan)


_MAPS = {"pca": _pca, "umap": _umap}
