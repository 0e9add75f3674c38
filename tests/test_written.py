"""YAML as models: every mistake by file, line, field and the nearest name."""

from typing import Literal

import pytest
from pydantic import Field, field_validator

from analysis import written
from analysis.errors import DataError
from tests.conftest import refused


class Part(written.Written):
    kind: Literal["choice", "number"] = Field("choice", alias="as")
    size: int = 1

    @field_validator("size")
    @classmethod
    def _positive(cls, size):
        if size < 0:
            raise ValueError("is below 0")
        return size


class Book(written.Written):
    title: str
    parts: dict[str, Part] = Field(default_factory=dict)
    notes: list[str] | Part | None = None


MISTAKES = {
    "unknown field": ("title: t\ntitel: x\n", 2, "titel", "did you mean title"),
    "unknown field inside": ("title: t\nparts:\n  a:\n    sise: 1\n", 4, "parts.a.sise", "size"),
    "alias": ("title: t\nparts: {a: {as: numbr}}\n", 2, "parts.a.as", "did you mean number"),
    "missing": ("parts: {}\n", None, "title", "is missing"),
    "type": ("title: t\nparts:\n  a: {size: b}\n", 3, "parts.a.size", "valid integer"),
    "rule": ("title: t\nparts:\n  a:\n    size: -1\n", 4, "parts.a.size", "is below 0"),
    "union": ("title: t\nnotes:\n- a\n- 5\n", 4, "notes.1", "valid string (value '5')"),
    "not YAML": ("title: [t\nparts: b", 2, None, "is not YAML"),
    "no mapping": ("- t", None, None, "should be"),
}


@pytest.mark.parametrize("text, line, field, reason", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_has_its_place(text, line, field, reason, tmp_path):
    file = tmp_path / "book.yaml"
    file.write_text(text)
    with pytest.raises(DataError) as caught:
        written.read(file, Book)
    assert reason in caught.value.reason
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)


def test_files_that_cannot_be_read(tmp_path):
    with refused("No such file"):
        written.read(tmp_path / "none.yaml", Book)
    (tmp_path / "b.yaml").write_bytes(b"title: x\nnotes: \xff")
    with refused(r"b\.yaml: is not UTF-8"):
        written.read(tmp_path / "b.yaml", Book)
