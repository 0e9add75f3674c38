"""Files that appear whole or not at all."""

import os

import pytest

from analysis import whole
from analysis.errors import DataError


def test_what_the_killed_left_is_taken_away_and_the_mode_is_the_usual_one(tmp_path):
    file = tmp_path / "a.json"
    old, other, young = (
        tmp_path / f"{name}.1.partial" for name in ("a.json", "b.json", "a.json.2")
    )
    for left in (old, other, young):
        left.touch()
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    whole.write(file, b"x")
    assert not old.exists()
    assert other.exists()
    assert young.exists()
    assert file.stat().st_mode == (tmp_path / "a.json.2.1.partial").stat().st_mode


def test_errors_of_other_files_are_not_laid_to_the_target(tmp_path):
    with pytest.raises(FileNotFoundError), whole.writing(tmp_path / "a"):
        (tmp_path / "b").read_bytes()
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        whole.write(tmp_path / "file" / "a", b"")
