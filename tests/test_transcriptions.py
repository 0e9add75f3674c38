"""Printed tables against the papers' texts, where these are: each row is one of the text, with its
name before its numbers.
"""

import re

import pytest

from analysis import paths
from analysis.papers import published

TEXTS = paths.ROOT.parent / "shared" / "papers"
BY_MODEL, BY_GROUP = ["printed_model", "benchmark", "setting"], ["group", "group_by"]
# paper, what a row is, its tables; other tables are damaged or have their numbers in other orders
TABLES = [
    ("tlue", BY_MODEL, [1, 2, *range(5, 14)]),
    ("tlue", BY_GROUP, range(14, 18)),
    ("khayyam", BY_GROUP, [3, *range(6, 16)]),
    ("seaexam_seabench", ["printed_model"], [2, 3, 8, 9, 11, 12, 13]),
    ("xiezhi", ["printed_model"], [1]),
]
AVERAGES = {
    "printed": "Average",
    "subjects": "Avg on all tasks",
    "questions": "Avg on all questions",
}
CASES = [(paper, by, number) for paper, by, numbers in TABLES for number in numbers]


def plain(text: str) -> str:
    """Words and numbers, one blank between them."""
    return " ".join(re.findall(r"[^\s|%]+", re.sub(r"</?u>", "", text)))


@pytest.mark.parametrize("paper, by, number", CASES)
def test_each_row_stands_in_the_text(paper, by, number):
    file = TEXTS / f"{paper}.txt"
    if not file.is_file():
        pytest.skip(f"no paper text at {file}")
    lines = [plain(line) for line in file.read_text("utf-8").splitlines()]
    frame = published.results(paper, artifact=f"table_{number:02d}")
    if by == BY_GROUP:
        head = plain(" ".join(dict.fromkeys(frame["printed_model"])))
        assert any(head in line for line in lines)
    else:  # its row may have other columns
        frame = frame[frame["model"] != "Random"]
    damaged = frame.groupby("printed_model")["suspect"].transform("any")
    rows = frame[~damaged].groupby(by, sort=False)["printed"].agg(" ".join)
    assert len(rows) > 3
    for (label, *_), numbers in zip(rows.index.to_frame().to_numpy(), rows, strict=True):
        # a model's name is above several rows
        name = "" if by == BY_MODEL else AVERAGES.get(label, label).replace(" x ", " ")
        assert any(line.startswith(name) and f" {numbers} " in f" {line} " for line in lines), label
