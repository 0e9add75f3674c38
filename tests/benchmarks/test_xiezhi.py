"""Xiezhi's reader: on its real files, and on small ones that a test spoils."""

import json

import pytest

from analysis.items import read as read_items

TREE = {"学": {"甲学": ["子学", "丑学"]}, "术": {"乙学": ["丑学"]}}
NAMES = {"学": "Study", "甲学": "First", "子学": "Alpha", "丑学": "Beta"}
NAMES |= {"术": "Craft", "乙学": "Second"}
LABELS = ["学", "甲学", "子学"]
GOOD = {"question": "问？", "labels": LABELS, "answer": "二", "options": "一\n二\n三\n四"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "subjects_tree_chn.json").write_text(json.dumps(TREE), "utf-8")
    (tmp_path / "subjects_trans.json").write_text(json.dumps(NAMES), "utf-8")
    return tmp_path


def read(folder, *records, problems=None):
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    (folder / "xiezhi_spec_chn.v1.1.json").write_text("\n".join(lines), "utf-8")
    return read_items("xiezhi_specialty", folder, problems=problems)


def test_a_question_becomes_an_item(folder):
    item = read(folder, GOOD, GOOD).iloc[0]
    assert (item["item_id"], item["answer"], item["options"]) == ("0", "B", list("一二三四"))
    assert (item["category"], item["subject"], item["language"]) == ("Study", "Alpha", "zh")
    levels = {"category": ["Study"], "first_level": ["First"], "second_level": ["Alpha"]}
    assert item["metadata"] == {"labels": LABELS, **levels}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, part, n",
    [
        ("specialty", "specialty", 14041),
        ("interdiscipline", "interdiscipline", 10746),
        ("specialty", "train", 2478),
    ],
)
def test_every_question_of_the_real_files_is_an_item(benchmark_files, name, part, n):
    items = read_items(f"xiezhi_{name}", benchmark_files / "xiezhi", part=part)
    assert len(items) == n
    assert (items["options"].map(len) == 4).all()
    labels = items["metadata"].map(lambda metadata: len(metadata["labels"]))
    if part != "train":
        assert (labels.le(3) if part == "specialty" else labels.ge(4)).all()
