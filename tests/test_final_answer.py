"""The method `final_answer`: what chat responses in many languages say; the sentences here are made
up.
"""

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.answers import final_answer as final
from analysis.answers.final_answer import wording

OPTIONS = ["Paris", "London", "Rome", "Bern"]
LANGUAGES = yaml.safe_load((Path(__file__).parent / "data" / "wordings.yaml").read_text("utf-8"))
KINDS = {final.NO_OPTION: "none", "refusal": "refusal"}


def read(texts: list[str], options: list) -> list[final.Reading]:
    """What each text names, several options together too (in a pass over all)."""
    return final.final_answer(texts, options, metadata=[{"answer_type": "set"}] * len(texts))


def positions(reading: final.Reading) -> tuple[int, ...]:
    """Of the options that were read."""
    return tuple(ord(label) - ord("A") for label in (reading.choice or "").split(",") if label)


def said(texts: list[str], options=OPTIONS) -> list[str]:
    """Positions with commas, or the kind of no answer, of each text."""
    return [
        ",".join(map(str, positions(one)))
        or ("several" if one.why.startswith(final.SEVERAL) else KINDS.get(one.why, "-"))
        for one in read(texts, [options] * len(texts))
    ]


CASES = [
    ("The answer is (B).", "1"),
    ("【答案】D <eoa>", "3"),
    ('{"answer": "b"}', "1"),
    ('```json\n{"correct_answer_key": "c"}\n```', "2"),
    ('{"answer": null}', "none"),
    ('{"correct_answer_key": ["a","c"]}', "0,2"),
    ("So we get \\boxed{\\text{B}}", "1"),
    ("The capital is Rome.", "2"),
    ("No. So the likeliest city is C) Roma (of Italy).", "2"),
    ("No. So the likeliest city is C) Roma, or B) London", "-"),
    ("I think it is Rome, not London.", "-"),
    ("As an AI language model, I cannot answer", "refusal"),
    ("A is the correct answer.", "0"),
    ("The answer is not B.", "-"),
    ("Answer: A, C", "0,2"),
    ("The answer is A bit unclear", "-"),
    ("ལན་ནི་ ཁ།", "1"),
    ("Ответ: С", "2"),
    ("The answer is B. Wait, no. The answer is C.", "2"),
    ("The answer is (B).\nThe answer is (D).", "several"),
    ("The answer is (B).\nThe answer is (D).\nThe answer is (B).", "1"),
    ("The answer is (B).\n\nQ: What is x?\nOptions: (A) 1 (B) 2\nA: The answer is (C).", "1"),
    ("B\n\nQuestion: foo\nAnswer: C", "1"),
    ("Answer choices: (A) x (B) y (C) z", "-"),
    ("A. Paris\nB. London\nC. Rome\nD. Bern", "-"),
    ("Answer: N/A", "none"),
    ("A or B, hard to say", "-"),
    ("＜Answer＞：Ｂ", "1"),
    ("[[ ## answer_letter ## ]]\nB\n\n[[ ## completed ## ]]", "1"),
    ("Answer: C. Rome\n\nWhy not:\n- A. Paris\n- B. London\n- D. Bern", "2"),
    ("Answer: A.\n\nAnswer B (London) is not correct.", "0"),
    ("B (confidence: 0.9)", "1"),
    ("1. x - 오답\n2. x - 오답\n3. x - 정답\n4. x - 오답", "-"),
    ("Let me think. C. Rome\nbecause it is", "2"),
]


def test_what_responses_say():
    texts = [text for text, _ in CASES]
    assert [*zip(texts, said(texts), strict=True)] == CASES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_is_read(language):
    """Made-up responses: what they say, and the place where they say it."""
    options = LANGUAGES[language]["options"]
    rows = [(text, says) for says, texts in LANGUAGES[language]["says"].items() for text in texts]
    found = said([text for text, _ in rows], options)
    wrong = [(*row, one) for row, one in zip(rows, found, strict=True) if row[1] != one]
    assert [row for row in wrong if (row[1], row[2]) != ("-", "several")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_read_is_at_its_place(language):
    """The place of a single answer has the label or the option's text, whatever the response looks
    like around it, marks that nobody sees included.
    """
    options = LANGUAGES[language]["options"]
    texts = [text for texts in LANGUAGES[language]["says"].values() for text in texts]
    texts += ["\u200e" + text.replace(" ", " \u200b") for text in texts]
    parts = [
        (text[begin:end], one.choice)
        for text, one in zip(texts, read(texts, [options] * len(texts)), strict=True)
        for begin, end in one.places(text)
        if len(one.choice) == 1
    ]
    again = read([part for part, _ in parts], [options] * len(parts))
    assert [(part, one.choice) for (part, _), one in zip(parts, again, strict=True)] == parts
    assert len(parts) > len(texts) / 3


@pytest.mark.slow
def test_labelled_responses_of_real_logs_are_read_as_they_were(benchmark_files):
    """Labels of our own reading, before any rule saw the responses; the score must not fall."""
    from bench import reading

    frame = reading.labelled(benchmark_files)
    right = reading.ours(frame)["said"].eq(frame["want"]).sum()
    assert len(frame) == 883
    assert right >= 877


def test_no_label_has_two_positions():
    for alphabet in wording.alphabets():
        assert [wording.labels()[label] for label in alphabet] == [*range(len(alphabet))]


ALPHABETS = [row for row in wording.alphabets() if len(row) >= 4]


def test_every_alphabet_is_read():
    forms = ("{}", "({})", "Answer: {}", "**{}**", "{}.", "Answer: ({})\n", '{{"answer": "{}"}}')
    for place in range(4):
        texts = [form.format(row[place]) for row in ALPHABETS for form in forms]
        assert dict(zip(texts, said(texts), strict=True)) == dict.fromkeys(texts, str(place))


def test_every_language_states_answers():
    """A phrase with a colon, in quotes, in bold print, on the next line; the first word for "is"
    after it.
    """
    texts = []
    for language in wording.content()["languages"].values():
        forms = ("{}: B", "{}：B。", "**{}:** B", '{}: "B"', "{}:\n\nB", "x\n{} : (B)")
        texts += [form.format(phrase) for phrase in language["answer"] for form in forms]
        texts += [f"{language['answer'][0]} {link} B." for link in language.get("is", [])[:1]]
    assert [text for text, read in zip(texts, said(texts), strict=True) if read != "1"] == []


WRAPPERS = """{} ({}) [{}] {{{}}} <{}> #{}# ###{}### _{}_ __{}__ ~{}~ ~~{}~~ *{}* **{}** `{}` '{}'
    "{}" “{}” ‘{}’ «{}» 「{}」 『{}』 【{}】 《{}》 （{}） ${}$ |{}| ={}= {}. {}) {}: {},
    {}; {}! {}。 >{}
    \\({}\\) ^{}^ @{}@ +{}+ &{}& --{}-- “{}.” ({}). **({})**""".split()
CONTEXTS = [
    "{}",
    "The answer is {}",
    "Answer: {}",
    "Answer: {} because it fits",
    "I think {} is correct.",
    "{} is the correct answer.",
    "So we choose {}",
    "The answer is {} person",
    "{} person",
    "both {} and nothing",
    "{} is wrong.",
    "I am {}",
    "答案是{}",
    "答案：{}。",
    "正解は{}です",
    "정답은 {}입니다",
    "{}가 정답입니다",
    "คำตอบคือ {}",
    "Ответ: {}",
    "پاسخ صحیح {}",
    "الإجابة الصحيحة هي {}",
    "La respuesta es {}",
    "Option {}",
    "The answer is\n{}",
    "#### {}",
    '"answer": "{}"',
    '"x": "{}"',
    "\\boxed{{}}",
    "<answer>{}</answer>",
    "[[{}]]",
    "It was {}",
]
SCRIPTS_OF_DIGITS = (0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xED0, 0xF20, 0xFF10, 0x17E0)
DIGITS = [[chr(zero + place) for place in range(1, 10)] for zero in SCRIPTS_OF_DIGITS]


@given(st.data())
@settings(max_examples=10)
def test_no_label_is_read_otherwise_than_its_neighbours(data):
    """Permuting labels permutes the reading: in whatever dress and sentence, all labels of an
    alphabet are read, or none is.
    """
    rows = data.draw(st.lists(st.sampled_from(wording.alphabets() + DIGITS), min_size=40))
    rows += 10 * wording.alphabets()[:2]
    texts, options, keys = [], [], []
    for row in rows:
        wrapper, context = (data.draw(st.sampled_from(some)) for some in (WRAPPERS, CONTEXTS))
        for label in row[:10]:
            texts.append(context.replace("{}", wrapper.replace("{}", label)))
            options.append([f"text {place}" for place in range(len(row[:10]))])
        keys.append((len(row[:10]), wrapper, context))
    readings = iter(read(texts, options))
    for n, wrapper, context in keys:
        choices = [positions(next(readings)) for _ in range(n)]
        if any(choices):
            assert choices == [(place,) for place in range(n)], (wrapper, context)


WITH_TEXT = [
    "{}. {}",
    "{}) {}",
    "({}) {}",
    "Answer: {}. {}",
    "**{}) {}**",
    "Jibu: {}, {}",
    "So, the answer is ({}) {}.",
    "{}: {}",
]
AROUND = ["{}", "{}\n\nbecause of this.", "Let me think.\n{}", "x. {}", "{}\n- not y\n- not z"]


@given(st.data(), st.permutations(["red", "12", "No", "青い", "Celâl"]))
@settings(max_examples=20)
def test_options_may_change_places(data, texts):
    """A label with its option's text, or the text alone, is read the same wherever it stands."""
    row = data.draw(st.sampled_from([row for row in wording.alphabets() if len(row) >= 5]))
    form = data.draw(st.sampled_from([*WITH_TEXT, "{1}"]))
    around = data.draw(st.sampled_from(AROUND))
    responses = [around.replace("{}", form.format(*pair)) for pair in zip(row, texts, strict=False)]
    choices = [positions(one) for one in read(responses, [texts] * 5)]
    if form != "{1}":
        assert choices in ([(place,) for place in range(5)], [()] * 5), (responses, choices)
    else:
        assert all(one in ((), (place,)) for place, one in enumerate(choices)), responses


def test_the_text_of_an_option_may_break_off():
    options = [f"{word} of the options that are here" for word in ("first", "second", "third")]
    assert said(["It is clear.\nSecond of the options th", "Second of"], options) == ["1", "-"]


def test_numbers_that_label_options_are_the_items_business():
    """Where an item's labels are 0, 1, 2, "option 2" is the last one; 4 is no option's number."""
    texts = ["विकल्प 2", "Answer: 0", "उत्तर: १", "3"]
    zero = {"labels": [0, 1, 2]}
    rows = final.final_answer(texts, [["14", "2 kg", "3"]] * 4, metadata=[zero] * 4)
    assert [one.choice for one in rows] == ["C", "A", "B", "C"]
    assert said(texts, ["14", "15", "8"]) == ["1", "-", "0", "2"]


REPEATED = ["The answer is not clear. ", "answer ", "Answer: \n", "Question: x\n", "جواب ", "[["]


def test_a_phrase_said_thousands_of_times_takes_no_longer():
    """40 KB of it: in seconds at most, where a rule that looks at each again takes minutes."""
    began = time.process_time()
    said([phrase * (40_000 // len(phrase)) for phrase in REPEATED])
    assert time.process_time() - began < 0.5 * len(REPEATED)


FORMS = [
    "Answer: {}",
    "The answer is ({}).",
    "答案：{}",
    "\\boxed{{{}}}",
    '{{"answer": "{}"}}',
    "Ответ: {}",
]


def test_an_invented_question_does_not_count():
    """What base models go on with, after the answer, is not about this question."""
    begins = ["\n\nQ: ", "\n\nQuestion: ", "\n\n问题：", "\n\nسؤال: ", "<|im_end|>", "\n\nคำถาม: "]
    goes_on = "Which?\nThe answer is (A).\nThe answer is (C)."
    texts = [form.format("D") + begin + goes_on for form in FORMS for begin in begins]
    assert dict(zip(texts, said(texts), strict=True)) == dict.fromkeys(texts, "3")


@pytest.mark.parametrize(
    "text, choice",
    [
        ("The final answer is $\\frac{3}{4}$.", "3/4"),
        ("12 persons. Confidence score: 90 %", "12"),
        ("90 degrees\n\nQuestion: How many?\nAnswer: 39 million", "90"),
        ("It is 10^(-3).", None),
        ("false\n\nThe article is about 2 other things.", "B"),
    ],
)
def test_what_is_behind_an_answer_is_none(text, choice):
    kind = {} if choice == "B" else {"answer_type": "number"}
    (one,) = final.final_answer([text], [["true", "false"] * (not kind)], [kind])
    assert one.choice == choice


@example("\x01\x02answer\x02 A")
@given(st.text(max_size=300))
@settings(max_examples=90)
def test_any_text_is_read_without_an_error_and_within_the_options(text):
    """And as without what makes it quicker: short texts that recur."""
    (reading,) = read([text], [OPTIONS[:3]])
    (mark,) = final.marked([text])
    why, one = final._verdict(*mark, final.Options(OPTIONS[:3]))
    assert reading.why == why
    assert positions(reading) == (tuple(sorted(one.choices)) if one else ())
    assert all(0 <= choice < 3 for choice in positions(reading))
    assert reading.why
    assert not (reading.choice and reading.why.startswith(final.SEVERAL))
