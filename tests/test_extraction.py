"""DA and CAA against the printed algorithms, hand-worked cases and real responses."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.answers import letters
from analysis.answers.reasoning import strip_reasoning
from tests.conftest import refused
from tests.tlue_algorithms import algorithm_1, algorithm_2, algorithms_3_and_4_filter

# dense in letters, with several bytes a character, halves of surrogate pairs, controls
dense = st.text(
    st.sampled_from("AABBCCDDEZab@[ .\nཀ答😀é\ud83d\ude00\x00\x1f\x7f\u0141"), max_size=40
)
texts = dense | st.text(st.characters(exclude_categories=()), max_size=60)
numbers = st.integers(0, 7)
printed = st.integers(0, 4)  # the printed map of valid choices ends there
excludes = st.lists(st.text(st.sampled_from("ABCDa ཀ\ud83d"), max_size=3), max_size=3)
overflows = st.sampled_from(["first", "all"])


def da(text, n, exclude=()):
    return letters.direct_answer(text, range(n), exclude=exclude).choice


def caa(text, n, exclude=(), overflow="first"):
    return letters.concern_all_answer(text, range(n), exclude=exclude, overflow=overflow).choice


@pytest.mark.parametrize(
    "sequence, n, first, all_",
    [
        ("ABCD", 4, None, None),  # cleared, and nothing is left
        ("ABCDB", 4, "B", "B"),
        ("BABCD", 4, None, None),  # a set after one letter is missed: B A leave, B C D stay
        # first: B leaves, A is dropped, BCDA is cleared; all: B and A are left
        ("BABCDA", 4, "B", None),
        ("ABAAA", 4, "A", None),  # the readings differ: A (B dropped), AAA
        ("BAAAAAA", 4, None, None),  # B stays in "first", too: it is the first of the two
        ("ABAABAABA", 4, None, None),  # B is dropped once, then the third overflow begins with a B
        ("ABDC", 3, None, None),  # D is no letter of three
        ("CACC", 3, "C", None),
        ("ABA", 2, "A", "A"),
        ("AAB", 2, None, None),  # A A leave, B stays
    ],
)
def test_concern_all_answer_by_hand(sequence, n, first, all_):
    assert caa(sequence, n, overflow="first") == first
    assert caa(sequence, n, overflow="all") == all_


def test_why_there_is_no_choice():
    assert letters.concern_all_answer("ABCD", "wxyz").why == "no choice left"
    assert letters.direct_answer("A B", "wxyz").why == "several choices"
    for n in (0, 1, 27):
        for read in (letters.direct_answer, letters.concern_all_answer):
            assert read("A", range(n)).why == "option number not supported"
    with refused("list of strings"):
        da("A", 4, exclude="Answer")
    with refused("did you mean first"):
        caa("A", 4, overflow="firts")


@pytest.mark.parametrize(
    "model, text, final",
    [
        ("Deepseek-r1", "<think>A or B?\nC</think>D", "D"),
        ("Deepseek-r1", "<think>A, B, ... cut off", ""),
        ("Deepseek-r1", "<think>A<think>B</think>C</think>D", "D"),
        ("Deepseek-r1", "A</think>B<think>C", "B"),
        ("O1-mini", "Reasoning\nA? B?\nReasoned for 12 seconds\nC", "\nC"),
        ("o1", "Reasoning Reasoned seconds", "Reasoning Reasoned seconds"),  # two spaces are needed
        # contains "o1", as the paper's rule wants it
        ("yolo100", "Reasoning A Reasoned a few seconds B", " B"),
        ("deepseek-r1-like-o1", "<think>A</think>B", "<think>A</think>B"),  # the first rule wins
    ],
)
def test_strip_reasoning_by_hand(model, text, final):
    assert strip_reasoning(text, model) == final


O1 = "Reasoning|Reasoned | seconds|Reasoned|seconds|A|\n|Reasoning Reasoned  seconds".split("|")


@given(
    st.lists(st.sampled_from(O1)),
    st.lists(st.sampled_from(["<think>", "</think>", "A", "\n", "<", "think>"])),
)
def test_strip_reasoning_is_the_papers_expression_where_tags_are_complete(o1, r1):
    assert strip_reasoning("".join(o1), "o1") == algorithms_3_and_4_filter("".join(o1), "o1")
    rest = algorithms_3_and_4_filter("".join(r1), "Deepseek-r1")
    final = strip_reasoning("".join(r1), "Deepseek-r1")
    assert final == rest if "<think>" not in rest and "</think>" not in rest else final in rest


def test_strip_reasoning_is_linear_in_hostile_text():
    """A backtracking expression needs 10^11 steps here."""
    for text in ("Reasoning" * 200_000, "Reasoning" + "Reasoned " * 200_000):
        assert strip_reasoning(text, "o1") == text
    assert strip_reasoning("<think>" * 200_000, "deepseek-r1") == ""


@given(texts, printed, excludes, overflows)
@settings(max_examples=500)
def test_one_response_is_the_algorithm(text, n, exclude, overflow):
    assert da(text, n, exclude) == algorithm_1(text, exclude, n)
    assert caa(text, n, exclude, overflow) == algorithm_2(text, exclude, n, overflow)


@given(texts, numbers, excludes)
@settings(max_examples=300)
def test_caa_agrees_wherever_da_answers_and_all_only_where_first_does(text, n, exclude):
    """So on the same outputs CAA never answers less often, and is never right less often."""
    first, both = (caa(text, n, exclude, overflow=overflow) for overflow in ("first", "all"))
    assert da(text, n, exclude) in (None, first)
    assert both in (None, first)


@pytest.mark.slow
def test_real_long_responses(benchmark_files):
    """Free text of 102 models; the overflow's reading decides 182 of 38,250 responses."""
    rows = []
    for file in sorted((benchmark_files / "thai_exam_102models").glob("responses_*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line)["text"] for line in lines]
    found = {"da": [da(text, 4) for text in rows]}
    found |= {name: [caa(text, 4, overflow=name) for text in rows] for name in ("first", "all")}
    counts = {name: sum(choice is not None for choice in row) for name, row in found.items()}
    assert counts == {"da": 8236, "first": 8828, "all": 8646}
