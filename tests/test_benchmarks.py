"""Native files by their counts and keys, Ti-MMLU's strings taken apart, prompts."""

import json
import re
from collections import Counter

import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.items import names as benchmark_names
from analysis.items import prompts, ti_mmlu
from analysis.items import read as read_items
from tests.conftest import refused
from tests.test_reading import place

TI_MMLU = "tibetan_ti_mmlu_670.jsonl"


# The registry


def test_registry_reads_by_name_and_suggests_the_nearest(native):
    assert {"cmmlu", "ti_mmlu", "safetybench", "ti_safetybench"} <= set(benchmark_names())
    with refused("no such benchmark 'ti-mmlu': did you mean ti_mmlu"):
        read_items("ti-mmlu")
    assert len(read_items("cmmlu", split="dev")) == 335


def test_ti_safetybench_says_why_it_cannot_be_read(tmp_path):
    with refused("no question file of its owners"):
        read_items("ti_safetybench", tmp_path)


# The real files


@pytest.mark.slow
def test_cmmlu_agrees_with_pandas_cell_by_cell(benchmark_files):
    items = read_items("cmmlu", benchmark_files / "cmmlu").set_index("item_id")
    assert len(items) == 11_582
    assert set(items["language"]) == {"zh"}
    for file in sorted((benchmark_files / "cmmlu" / "test").glob("*.csv")):
        other = pd.read_csv(file, dtype=str, keep_default_na=False)
        ours = items.loc[[f"{file.stem}/{row}" for row in other.iloc[:, 0]]]
        assert ours["question"].tolist() == other["Question"].tolist()
        assert ours["answer"].tolist() == other["Answer"].tolist()
        assert ours["options"].tolist() == other[list("ABCD")].to_numpy().tolist()


def test_ti_mmlu(benchmark_files):
    problems: list[DataError] = []
    items = read_items("ti_mmlu", benchmark_files / "ti_mmlu", problems=problems)
    assert Counter(item["rule"] for item in items["metadata"]) == {
        "lines": 604,
        "repaired": 50,
        "inline": 6,
    }
    assert Counter(re.sub(r"\d+", "N", error.reason) for error in problems) == {
        "option labels can be read in N ways": 6,
        "a bracket opens before each option label: it may close the option, or begin the next": 3,
        "is empty": 1,
    }
    assert {error.field for error in problems} == {"polished_ti_content"}
    assert items["subject"].nunique() == 67
    assert set(items["language"]) == {"bo"}
    with refused("can be read in 11 ways") as caught:
        read_items("ti_mmlu", benchmark_files / "ti_mmlu")
    file = benchmark_files / "ti_mmlu" / TI_MMLU
    assert place(caught.value) == (file, 181, "polished_ti_content")
    problems = []
    items = read_items("ti_mmlu", benchmark_files / "ti_mmlu", split="dev", problems=problems)
    assert len(items) == 323
    assert len(problems) == 12


# SafetyBench's two files


QUESTION = {"id": 7, "category": "Offensiveness", "question": "q?", "options": ["yes", "no"]}
KEY = {"category": "Offensiveness", "answer": 1}
BAD_ITEMS = {
    "answer beyond the options": ({}, {"answer": 2}, "answer", "2 is the index of none of 2"),
    "categories differ": ({"category": "Fun"}, {}, "category", "is 'Fun', and 'Offensiveness'"),
    "no key": ({"id": 8}, {}, "id", "test_answers_{split}.json has none for 8"),
    "one option": ({"options": ["yes"]}, {"answer": 0}, "options", "two or more"),
    "an option is a list": ({"options": ["yes", []]}, {}, "options", "option B is not text"),
}


def two_files(folder, question, keys):
    (folder / "test_zh_subset.json").write_text(json.dumps([question]))
    (folder / "test_answers_zh_subset.json").write_text(json.dumps(keys))
    return folder


@pytest.mark.parametrize("question, key, field, reason", BAD_ITEMS.values(), ids=BAD_ITEMS)
def test_bad_items_of_safetybench(question, key, field, reason, tmp_path):
    folder = two_files(tmp_path, QUESTION | question, {"7": KEY | key})
    with refused(re.escape(reason)) as caught:
        read_items("safetybench", folder)
    assert place(caught.value) == (tmp_path / "test_zh_subset.json", 1, field)
    problems: list[DataError] = []
    assert len(read_items("safetybench", folder, problems=problems)) == 0
    assert str(problems[0]) == str(caught.value)


# Ti-MMLU's strings


STRINGS = {
    "lines": (
        "Which? \nA. one \nB. two\nC. three\n \nD. four",
        ("Which?", ["one", "two", "three", "four"], "lines"),
    ),
    "spaced": (
        "Which?\nA one\nB two\nC three\nD four",
        ("Which?", ["one", "two", "three", "four"], "spaced"),
    ),
    "inline": (
        "Which A? A. one B. two C.(3) D. four",
        ("Which A?", ["one", "two", "(3)", "four"], "inline"),
    ),
    "degrees": (
        "At 24°\nC. how warm? \nA. 36°\nC. \nB. 37°\nC. \nC. 38°\nC. \nD. 39°C",
        ("At 24°Chow warm?", ["36°C", "37°C", "38°C", "39°C"], "repaired"),
    ),
    "formulas": (
        "What is N\nA. \nD. H?། \nA. F\nA. \nD. \nB. \nC. O2 \nC. /PV\nD. \nC. \nD. Vit\nB. 12",
        ("What is NADH?།", ["FAD", "CO2", "/PVDC", "VitB12"], "repaired"),
    ),
    "options that begin with their letter": (
        "Blood?།\nA. \nA. type།\nB. \nB. type།\nC. \nD. type།\nD. \nC. type",
        ("Blood?།", ["Atype།", "Btype།", "Dtype།", "Ctype"], "repaired"),
    ),
    "a final ga": (
        "ནི། \nA. མི \nC. \nB. མི \nC. མ། \nC. ས། \nD. ར།",
        ("ནི།", ["མིག", "མིག མ།", "ས།", "ར།"], "repaired"),
    ),
    "a final ga, and the label after it on its line": (
        "ནི། \nA. མི \nC. B. ལ། \nC. ས། \nD. ར།",
        ("ནི།", ["མིག", "ལ།", "ས།", "ར།"], "repaired"),
    ),
}


@pytest.mark.parametrize("content, parts", STRINGS.values(), ids=STRINGS)
def test_strings_taken_apart(content, parts):
    assert ti_mmlu.take_apart(content) == parts


def test_bad_rows_of_ti_mmlu(tmp_path):
    good = {
        "subject": "anatomy",
        "loc": "anatomy3",
        "polished_ti_content": STRINGS["lines"][0],
        "answer": "D",
    }
    bad = [
        {"subject": "anatmy", "loc": "anatmy3"},
        {"loc": "anatomy"},
        {"answer": "E"},
        {"polished_ti_content": "?"},
        {},
    ]
    file = tmp_path / TI_MMLU
    file.write_text("\n".join(json.dumps(good | part) for part in [{}, *bad]))
    problems: list[DataError] = []
    item = read_items("ti_mmlu", tmp_path, problems=problems).iloc[0]
    assert (item["item_id"], item["answer"], item["metadata"]["source_item"]) == (
        "anatomy/3",
        "D",
        "cmmlu/anatomy/3",
    )
    fields = ["subject", r"{subject}/{loc:\d+$}", "answer", "polished_ti_content", "item_id"]
    assert [place(problem) for problem in problems] == [
        (file, line, field) for line, field in enumerate(fields, start=2)
    ]


# Prompts


@pytest.mark.parametrize("name", ["cmmlu", "ti_mmlu", "safetybench", "ti_safetybench"])
def test_templates_show_question_options_and_labels(name):
    item = {"question": "q {x}?", "options": ["one", "two {}", "three"]}
    text = prompts.prompt(item, prompts.template(name))
    assert "q {x}?\nA. one\nB. two {}\nC. three\n" in text
    assert "A, B, C" in text
    assert "D" not in text


def test_labels_are_those_before_the_options():
    item = {"question": "q?", "options": ["one", "two"]}
    assert prompts.prompt(item, "{labels}\n{options:a)}") == "a, b\na) one\nb) two"
