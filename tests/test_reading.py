"""Files and rows: every kind of bad row and spoilt file, by file, line and field."""

import csv
import io
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.errors import DataError
from analysis.items import checked_rows
from analysis.items import read as read_items
from tests.conftest import refused

HEADER = ",Question,A,B,C,D,Answer\n"
GOOD = "0,one?,a,b,c,d,A\n"

QUOTED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
FIELD = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1
).filter(str.strip)


def subject_file(folder: Path, content: str | bytes) -> Path:
    """A CMMLU folder with one subject."""
    file = folder / "test" / "anatomy.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def read_subject(folder: Path, problems: list | None = None) -> pd.DataFrame:
    return read_items("cmmlu", folder, subject=["anatomy"], problems=problems)


def place(error: DataError) -> tuple:
    return error.file, error.line, error.field


# Bad rows of CSV


AFTER = "2,,a,b,c,d,A\n"
BAD_ROWS = {
    "answer outside the options": (
        "1,two?,a,b,c,d,E\n",
        3,
        "Answer",
        "'E' is the label of none of 4 options",
    ),
    "empty question": ("1, ,a,b,c,d,A\n", 3, "Question", "is empty"),
    "no number": (",two?,a,b,c,d,A\n", 3, "{subject}/{}", "is empty"),
    "too few fields": ("1,two?,a,b,c,A\n", 3, None, "has 6 fields instead of 7"),
    "same id twice": (GOOD, 3, "item_id", "'anatomy/0' occurs already at"),
    "NUL byte": ("1,tw\0o?,a,b,c,d,A\n", 3, "Question", "holds a NUL byte"),
    "text after a quote": ('1,"two"?,a,b,c,d,A\n', 3, None, "is not CSV"),
    "quote never closed": ('1,"two?,a,b,c,d,A\n', 3, None, "is not CSV: unexpected end of data"),
    "megabytes": (f"1,{'x' * 2_000_000},a,b,c,d,A\n{AFTER}", 4, "Question", "is empty"),
    "three lines": (f'1,"two\n\nlines?",a,b,c,d,A\n{AFTER}', 6, "Question", "is empty"),
    "old Mac": ('1,"two\rlines?",a,b,c,d,A\r2,,a,b,c,d,A\r', 5, "Question", "is empty"),
    "after a blank line": ("\n1,,a,b,c,d,A\n", 4, "Question", "is empty"),
}


@pytest.mark.parametrize("bad, line, field, reason", BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_are_raised_or_collected(bad, line, field, reason, tmp_path):
    file = subject_file(tmp_path, HEADER + GOOD + bad)
    with refused(re.escape(reason)) as caught:
        read_subject(tmp_path)
    assert place(caught.value) == (file, line, field)
    problems: list[DataError] = []
    kept = read_subject(tmp_path, problems)
    assert [str(problem) for problem in problems] == [str(caught.value)]
    assert "anatomy/0" in kept["item_id"].tolist()


BAD_FILES = {
    "not UTF-8": (
        (HEADER + GOOD).encode() + "1,两?,a,b,c,d,A\n".encode("gb18030"),
        3,
        None,
        "is not UTF-8 (byte 0xc1)",
    ),
    "column twice": (b",Question,A,A,B,C,D,Answer\n", 1, "A", "is the header of several columns"),
    "header alone": (HEADER.encode(), None, None, "holds no rows"),
    "nothing": (b"", None, None, "holds no rows"),
}


def test_a_column_that_is_not_there_is_named(tmp_path):
    file = subject_file(tmp_path, ",Question,A,B,C,Answer\n0,q,a,b,c,A\n")
    reason = "no such column 'D'; there are: , Question, A, B, C, Answer"
    with refused(reason) as caught:
        read_subject(tmp_path)
    assert place(caught.value) == (file, 2, "D")


@pytest.mark.parametrize("problems", [None, []])
@pytest.mark.parametrize("content, line, field, reason", BAD_FILES.values(), ids=BAD_FILES)
def test_what_spoils_a_file_is_always_raised(content, line, field, reason, problems, tmp_path):
    file = subject_file(tmp_path, content)
    with refused(re.escape(reason)) as caught:
        read_subject(tmp_path, problems)
    assert place(caught.value) == (file, line, field)


@QUOTED
@given(fields=st.lists(st.lists(FIELD, min_size=5, max_size=5), min_size=1, max_size=5))
def test_csv_gives_back_what_was_written(fields, tmp_path):
    content = io.StringIO(newline="")
    writer = csv.writer(content, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([i, *row, "D"] for i, row in enumerate(fields))
    file = subject_file(tmp_path, HEADER + content.getvalue() + "x,,,,,,\n")
    problems: list[DataError] = []
    items = read_subject(tmp_path, problems)
    pairs = zip(items["question"], items["options"], strict=True)
    assert [[question, *options] for question, options in pairs] == fields
    before = HEADER + content.getvalue()
    assert place(problems[0]) == (file, 1 + len(re.findall(r"\r\n|\r|\n", before)), "Question")


# JSON


GOOD_LINE = '{"n": 1, "text": "t"}'
BROKEN_LINES = {
    "broken off": ('{"n": 1, "te', "is not JSON: Unterminated string"),
    "too deep": ("[" * 100_000, "is not JSON"),
}


@pytest.mark.parametrize("bad, reason", BROKEN_LINES.values(), ids=BROKEN_LINES)
def test_broken_json_lines(bad, reason, tmp_path):
    file = tmp_path / "f.jsonl"
    file.write_text(f"{GOOD_LINE}\n\n{bad}\n{GOOD_LINE}\n")
    problems: list[DataError] = []
    assert len(list(checked_rows.rows(file, problems=problems))) == 2
    assert [place(problem) for problem in problems] == [(file, 3, None)]
    assert reason in problems[0].reason


BROKEN_DOCUMENTS = {
    "broken off": (f"[{GOOD_LINE},\n", 2, "is not JSON"),
    "nothing": ("", 1, "is not JSON"),
    "inside an element": (f'[{GOOD_LINE},\n{{"n":\n1,\n"text" "t"}}]', 4, "Expecting ':'"),
}


@pytest.mark.parametrize("problems", [None, []])
@pytest.mark.parametrize("content, line, reason", BROKEN_DOCUMENTS.values(), ids=BROKEN_DOCUMENTS)
def test_broken_json_documents(content, line, reason, problems, tmp_path):
    file = tmp_path / "f.json"
    file.write_text(content)
    with refused(re.escape(reason)) as caught:
        list(checked_rows.rows(file, problems=problems))
    assert place(caught.value) == (file, line, None)
