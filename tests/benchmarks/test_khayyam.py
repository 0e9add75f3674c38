"""Khayyam's description on a made-up file in its native columns, and on rows that a test spoils."""

import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.items import prompts
from analysis.items import read as read_items

OPTIONS = ["یک", "دو", "سه", "چهار"]
ROW = {
    "ID": "7",
    "Question Body": "کدام؟",
    **{f"Choice {number}": text for number, text in enumerate(OPTIONS, 1)},
    "Key": "3",
    "P0": "10",
    "P1": "5",
    "P2": "15",
    "P3": "60",
    "P4": "10",
    "Level": "نسبتا دشوار",
    "Is Trap": "True",
    "Year": "1399",
    "Education Period": "متوسطه 2",
    "final_category_fa": "هندسه دوره دوم متوسطه",
    "Answer": "چون.",
}


@pytest.fixture
def write(tmp_path):
    def write(*rows):
        pd.DataFrame(rows).to_csv(tmp_path / "MPLU_text.csv", index=False)
        return tmp_path

    return write


def test_a_row_becomes_an_item(write):
    item = read_items("khayyam", write(ROW)).iloc[0]
    assert item[["item_id", "answer", "subject", "category", "language"]].tolist() == [
        "7",
        "C",
        "Geometry USS",
        "Mathematics",
        "fa",
    ]
    assert item["options"] == OPTIONS
    assert item["metadata"] == {
        "difficulty": "Difficult",
        "level": "relatively difficult",
        "stage": "USS",
        "year": 2020,
        "trap": True,
        "choice_shares": [5, 15, 60, 10],
        "no_answer_share": 10,
        "explanation": "چون.",
        "subject_name": "هندسه دوره دوم متوسطه",
        "subject_words": "Upper Secondary School Geometry",
    }


@pytest.mark.parametrize(
    "change, field, reason",
    [
        ({"Key": "5"}, "Key", "5.* is the number of none of 4 options"),
        ({"Is Trap": "maybe"}, "Is Trap", "no such value 'maybe'"),
        ({"P2": "-3"}, "P2", "less than may be"),
        ({"ID": "7"}, "item_id", "'7' occurs already at"),
    ],
)
def test_bad_rows_are_named_by_line_and_field(write, change, field, reason):
    folder = write(ROW, ROW | {"ID": "8"} | change)
    with pytest.raises(DataError, match=reason) as caught:
        read_items("khayyam", folder)
    assert (caught.value.line, caught.value.field) == (3, field)


PROMPT = """در زیر سوالات چند گزینه‌ای (با پاسخ) در مورد هندسه دوره دوم متوسطه را مشاهده می‌کنید.
سوال: کدام؟
گزینه‌ها:
{}
جواب:"""


def test_prompts(write):
    item = read_items("khayyam", write(ROW)).iloc[0]
    first, second, third, thought = (
        prompts.prompt(item, prompts.template(name))
        for name in ("khayyam", "khayyam_prompt_1", "khayyam_prompt_2", "khayyam_cot")
    )
    assert first.rstrip("\n") == PROMPT.format("۱) یک\n۲) دو\n۳) سه\n۴) چهار")
    assert second.rstrip("\n") == PROMPT.format("a) یک\nb) دو\nc) سه\nd) چهار")
    assert "(with answer) about Upper Secondary School Geometry\nسوال: " in third
    assert thought == second.rstrip("\n") + " بیایید قدم به قدم فکر کنیم\n"


def test_parsinlu(benchmark_files):
    items = read_items("parsinlu", benchmark_files / "persian_items")
    assert set(items["category"].value_counts()) == {350}
    assert len(items) == 1050
    assert items["options"].map(len).value_counts().to_dict() == {4: 1026, 3: 22, 2: 2}
