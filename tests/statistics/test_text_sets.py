"""Sets of embedded texts: distances to a target and places on a map."""

import numpy as np
import pytest

from analysis.papers.seaexam_seabench import text_sets
from analysis.statistics import distances
from tests.conftest import refused


@pytest.fixture
def sets():
    rng = np.random.default_rng(1)
    return {
        name: rng.normal(size=(n, 5)) + centre
        for name, n, centre in (("far", 60, 3.0), ("near", 300, 1.0), ("target", 40, 0.0))
    }


def test_distances_are_those_of_each_pair(sets):
    table = text_sets.to_target(sets, "target", draws=50).set_index("set")
    assert list(table.index) == ["far", "near"]
    assert table["n"].tolist() == [60, 300]
    assert set(table["n_target"]) == {40}
    raw = distances.c_dist(sets["near"], sets["target"])
    assert table.loc["near", "raw"] == pytest.approx(raw)
    assert (table["value"] < table["raw"]).all()
    assert (table["ci_low"] < table["value"]).all()
    with refused("did you mean target"):
        text_sets.to_target(sets, "targets")


def test_files_are_read_without_being_loaded(sets, tmp_path):
    for name, vectors in sets.items():
        np.save(tmp_path / f"{name}.npy", vectors)
    files = {name: tmp_path / f"{name}.npy" for name in sets}
    found = text_sets.load(files)
    assert list(found) == list(sets)
    assert isinstance(found["far"], np.memmap)
    (tmp_path / "bad.npy").write_bytes(b"no")
    with refused(r"no \.npy file"):
        text_sets.load(files | {"target": tmp_path / "bad.npy"})
