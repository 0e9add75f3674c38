"""South-East Asian benchmarks: the real files, and small ones in the authors' formats."""

import json

import pytest

from analysis.items import describe
from analysis.items import read as read_items
from tests.conftest import refused


def lines(rows: list[dict]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


def test_seaexam_is_read_in_all_languages_or_one(tmp_path):
    """An array in one language, an object a line in another."""
    first = {"question": "?", "choices": ["x", "y", "z", "w"], "answer": 1}
    second = first | {"answer": 4}
    for language, write in {"thai": json.dumps, "indonesian": lines, "vietnamese": lines}.items():
        rows = [first | {"metadata": {"subject": "math"}}, first, second]
        (tmp_path / f"m3exam-{language}").mkdir()
        (tmp_path / f"m3exam-{language}" / "test.json").write_text(write(rows))
    problems = []
    items = read_items("seaexam", tmp_path, problems=problems)
    assert items["item_id"].tolist() == ["id/0", "id/1", "th/0", "th/1", "vi/0", "vi/1"]
    assert set(items["answer"]) == {"B"}
    assert items["category"].tolist()[:1] == ["STEM"]
    assert [(error.line, error.field) for error in problems] == [(3, "answer")] * 3
    assert set(read_items("seaexam", tmp_path, language="th", problems=[])["language"]) == {"th"}
    with refused("did you mean th"):
        read_items("seaexam", tmp_path, language="tha")
    with refused("mmlu-indonesian"):
        read_items("mmlu_sea", tmp_path)


def m3(**change) -> dict:
    row = {
        "question_text": "2 + 2?",
        "background_description": [],
        "options": ["1. 3", "2. 4", "3. 5", "4. 6"],
        "answer_text": "2",
        "subject_category": "math",
        "level": "low",
    }
    return row | change


def test_m3exam_labels_are_told_from_the_options(tmp_path):
    rows = [
        m3(),
        m3(options=["(A) three", "(B) four"], answer_text="(B)", background_description=["Count."]),
        m3(options=["3", "4"]),
        m3(answer_text="7"),
        m3(options=["A. x", "A. y"]),
        m3(options=[1, 2]),
    ]
    (tmp_path / "thai-questions-test.json").write_text(json.dumps(rows), "utf-8")
    problems = []
    items = read_items("m3exam", tmp_path, problems=problems)
    assert items["options"].tolist() == [["3", "4", "5", "6"], ["three", "four"]]
    assert items["answer"].tolist() == ["B", "B"]
    assert items["question"].tolist() == ["2 + 2?", "Count.\n2 + 2?"]
    assert [problem.field for problem in problems] == [
        "options",
        "answer_text",
        "options",
        "options",
    ]


def dialogue(**change) -> dict:
    row = {"unit_id": "id-1", "lang": "id", "type": "safety", "user_1": "One?", "user_2": "Two?"}
    return row | {"reference_1": "Yes.", "reference_2": "No."} | change


def test_seabench_has_turns_references_and_aspects(tmp_path):
    rows = [dialogue(), dialogue(unit_id="th-1", lang="th", type="Life")]
    (tmp_path / "public-questions.jsonl").write_text(lines(rows), "utf-8")
    items = read_items("seabench", tmp_path)
    assert items["category"].tolist() == ["Safety", "Life"]
    assert items["metadata"][0]["turns"] == ["One?", "Two?"]
    assert items["metadata"][0]["references"] == ["Yes.", "No."]
    assert (
        items["metadata"][0]["aspects"]
        == describe("seabench").metadata["aspects"].mapping["Safety"]
    )
    with refused("no such choice of seabench 'language'"):
        read_items("seabench", tmp_path, language=["en"])


@pytest.mark.parametrize("language", describe("global_mmlu_lite").choose["language"])
def test_global_mmlu_lite_is_the_same_in_all_languages(benchmark_files, language):
    problems = []
    items = read_items(
        "global_mmlu_lite", benchmark_files / "sea_items", language=language, problems=problems
    )
    english = read_items("global_mmlu_lite", benchmark_files / "sea_items", language="en")
    assert len(items) + len(problems) == 400
    assert len(problems) == (1 if language == "my" else 0)  # one has no question
    items, english = (
        part.assign(source=part["metadata"].str["source_item"]) for part in (items, english)
    )
    assert set(items["source"]) <= set(english["source"])
    both = items.merge(english, on="source")
    assert (both["answer_x"] == both["answer_y"]).all()
