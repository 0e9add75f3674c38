"""`polyexam look`: logs where they are, in every form, and what it says where it cannot read."""

import json

import pandas as pd
import pytest

import polyexam as px
from analysis.errors import DataError
from analysis.items import read as read_items
from runners.look import benchmarks, look, write
from tests.runners.logs import given
from tests.runners.shell import command
from tests.runners.test_importers import lines, sample

MARKED = [{"text": text, "correct": text == "b", "choice": text} for text in "abc"]
WHEN = "2026-01-02T03-04-05.678901"
QUESTION = {"question": "Which?", "choices": ["one", "two", "three", "four"]}


def rows(answers: str, key: str = "A", **more) -> list[dict]:
    """A row a letter of `answers`: the response of a model."""
    return [
        {"id": i, **QUESTION, "question": f"Which is {i}?", "answer": key, "response": letter}
        | more
        for i, letter in enumerate(answers)
    ]


def boards(*sources, **log) -> list:
    return [one.results[0] for one in look(list(sources), given(**log))]


def accuracy(board) -> dict[str, float]:
    return board.frame.set_index("run")["accuracy"].round(1).to_dict()


def test_two_runs_of_one_harness_are_compared(tmp_path):
    """Two folders of samples: the models are told by the results next to them."""
    sums = [["-0.5", "True"]], [["-2.5", "False"]]
    for model, right in (("m", 30), ("n", 50)):
        documents = []
        for i in range(60):
            doc = {"question": f"Which {i}?", "choices": ["one", "two"], "subject": "law"}
            likely = sums if i < right else sums[::-1]
            documents.append(sample(doc_id=i, resps=likely, doc=doc, target="0", acc=i < right))
        lines(tmp_path / model / f"samples_mmlu_law_{WHEN}.jsonl", *documents)
        run = {"model_name": model, "results": {"mmlu_law": {}}, "n-shot": {"mmlu_law": 5}}
        (tmp_path / model / f"results_{WHEN}.json").write_text(json.dumps(run))
    (one,) = look([tmp_path / "m", tmp_path / "n"], given())
    assert accuracy(one.results[0]) == {"n": 83.3, "m": 50.0}
    both = one.results[1]
    assert both.overall.loc[0, "n"] == 60
    assert both.overall.loc[0, "p"] < 0.001
    assert "n is ahead of m by 33.3 points" in both.sentences[-1]


def test_tasks_of_one_group_are_subjects_of_one_benchmark(tmp_path):
    """But tasks of a package are benchmarks of their own."""
    names = ["pack/mmlu_pro", "pack/mmlu_0_shot", "arc_easy", "arc_challenge"]
    assert benchmarks([*names, "mmlu_law", "mmlu_art"]) == {
        **{name: [name] for name in names},
        "mmlu": ["mmlu_law", "mmlu_art"],
    }
    assert [*benchmarks(["leaderboard_a_x\ny", "leaderboard_a_z", "leaderboard_a"])] == [
        "leaderboard_a"
    ]
    for task in ("mmlu_law", "mmlu_art"):
        file = tmp_path / "two" / f"samples_{task}_{WHEN}.jsonl"
        lines(file, *(sample(doc_id=i) for i in range(3)))
    # the samples of a run may be in its results
    samples = {f"mmlu_{x}": [sample(doc_id=i) for i in range(3)] for x in ("law", "art")}
    run = {"config": {}, "configs": {"a": {"b": {}}}, "bos": [1, 2], "eos": [1, 2]}
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "results.json").write_text(json.dumps(run | {"samples": samples}))
    for home in ("one", "two"):
        (board,) = boards(tmp_path / home, model="m")
        assert board.frame["n"].tolist() == [6]
        assert set(board.answers["subject"]) == {"law", "art"}


def test_questions_alone_have_no_responses(tmp_path):
    """Nor have truths about them."""
    row = {"id": 1, "question": "Which?", "target": "A"}
    with pytest.raises(DataError, match="no column is found that can be read") as caught:
        look([lines(tmp_path / "questions.jsonl", row)], given())
    assert "polyexam look" not in str(caught.value)
    with pytest.raises(DataError, match="plainly the response"):
        look([lines(tmp_path / "truths.jsonl", row | {"easy": True, "seen": False})], given())


def listed(rows: list[dict]) -> str:
    return "\n".join(map(json.dumps, rows))


def renamed(**names: str) -> list[dict]:
    """The rows of one run with other names of columns."""
    return [{names.get(name, name): value for name, value in row.items()} for row in rows("AABA")]


NUMBERED = list(enumerate("AABA"))
BARE = [
    {name: row[name] for name in ("id", "question", "choices", "answer")} for row in rows("AABA")
]
FORMS = {
    "an object a model": (
        "log.jsonl",
        listed(
            [
                b | {"x": {"response": r}, "y": {"response": "B"}}
                for b, r in zip(BARE, "AABA", strict=True)
            ]
        ),
    ),
    "a list in a document a subject": (
        "log.json",
        json.dumps(
            [
                {"subject": subject}
                | {
                    "results": [
                        {"question_number": i, "pred": {"A": "A"}.get(x), "gold": "A"}
                        for i, x in enumerate(part)
                    ]
                }
                for subject, part in (("law", "AA"), ("art", "BA"))
            ]
        ),
    ),
    "a column of letters called correct": (
        "log.jsonl",
        listed(
            [r | {"correct": "A", "is_correct": r["response"] == "A"} for r in renamed(answer="x")]
        ),
    ),
    "lists in objects, models side by side": (
        "log.json",
        json.dumps({"by": "x", "tests": [{"n": 1}], "runs": {m: rows("AABA") for m in "mn"}}),
    ),
    "questions asked twice": ("log.jsonl", listed(rows("AABA") * 2)),
    "a column a model": (
        "log.csv",
        "id,question,A,B,C,answer,explanation,m\u00a0x,y\n"
        + "".join(f"{i},Which {i}?,one,two,three,A,It is A.,{x},B\n" for i, x in NUMBERED),
    ),
    "the model's answer is called answer": (
        "log.jsonl",
        listed(renamed(answer="gold", response="answer")),
    ),
    "lists side by side": (
        "log.json",
        json.dumps({"correct_ans": [1, 1, 1, 1], "model_ans": [1, 1, 2, 1]}),
    ),
    "choices and keys from 0": (
        "log.csv",
        "question,A,B,answer,pred\n0?,a,b,0,0\n1?,a,b,0,0\n2?,a,b,1,1\n3?,a,b,1,0\n",
    ),
    "verdicts on free words": (
        "log.csv",
        "question,gold,response,score\n"
        + "".join(f"{i}?,Rome,In {i} it was surely Rome,{min(i, 1)}\n" for i in range(4)),
    ),
    "words a column a model": (
        "log.csv",
        "text,true_label,x,y\nq?,good,good,bad\nr?,bad,bad,bad\ns?,bad,bad,bad\nt?,good,bad,bad\n",
    ),
    "headings in a text": (
        "log.txt",
        "".join(f"Q: {i}?\nA. one\nB. two\nModel answer: {x}\nA: A\n\n" for i, x in NUMBERED),
    ),
    "marked headings in a text": (
        "log.txt",
        "".join(
            f"### Question {i}\n{i}?\nA. one\nB. two\n### Response\n{x}\n== Answer ==\nA\n\n"
            for i, x in NUMBERED
        ),
    ),
    "a conversation a row": (
        "log.jsonl",
        listed(
            [
                {
                    "chat": [
                        {"role": "user", "content": f"{i}?\nA. one\nB. two"},
                        {"role": "assistant", "content": f"It is {x}."},
                    ],
                    "label": "A",
                }
                for i, x in NUMBERED
            ]
        ),
    ),
    "JSON Lines called CSV": ("log.csv", listed(rows("AABA"))),
    "pairs of choice and key": ("log.json", json.dumps([["A", x] for x in "AABA"])),
    "no line of names": ("log.csv", "".join(f"Which {i}?,one,two,A,{x}\n" for i, x in NUMBERED)),
    "verdicts of samples": (
        "log.jsonl",
        listed(
            [
                {"id": i, "question": f"{i}?", "response": ["w"] * 4, "correct": [1, 1, 0, 1]}
                for i in range(4)
            ]
        ),
    ),
    "verdicts inside, and whose they are": (
        "log.json",
        json.dumps(
            {
                "run": {"model": "m", "items": 4},
                "results": [
                    {"id": i, "response": "words", "eval": {"is_correct": x == "A"}}
                    for i, x in NUMBERED
                ],
            }
        ),
    ),
    "a column with a model's name": (
        "log.csv",
        "q_no,frage,gold,gpt-4o,gpt-4o_paths\n"
        + "".join(f"{i},{i}?,{min(i, 1)},{min(i, 1) if x == 'A' else 7},p\n" for i, x in NUMBERED),
    ),
    "letters of a grader": (
        "log.csv",
        "problem,target,predicted_answer,grade\n"
        + "".join(f"{i}?,Rome,In Rome,{x}\n" for i, x in NUMBERED),
    ),
    "one verdict with a model's name": (
        "log.csv",
        "0,1,2,m_correct\n" + "".join(f"{i}?,a,b,{x == 'A'}\n" for i, x in NUMBERED),
    ),
    "a Markdown table": (
        "log.md",
        "# Run\n\n| # | Question | Expected | OK |\n|---|:-:|---|---|\n"
        + "".join(f"| {i} | {i}? | A | {'✅' if x == 'A' else '❌'} |\n" for i, x in NUMBERED),
    ),
    "promptfoo": (
        "log.json",
        json.dumps(
            {
                "results": {
                    "timestamp": "t",
                    "results": [
                        {"testIdx": i, "promptIdx": 0, "vars": {}, "success": x == "A"}
                        | {"provider": {"id": "m"}, "response": {"output": x}}
                        for i, x in NUMBERED
                    ],
                }
            }
        ),
    ),
    "OpenAI evals": (
        "log.jsonl",
        listed(
            [
                {"spec": {"eval_name": "e", "model_name": "m"}},
                *(
                    {"sample_id": str(i), "type": kind, "data": data}
                    for i, x in NUMBERED
                    for kind, data in (
                        ("sampling", {"prompt": [{"content": f"{i}?"}], "sampled": x}),
                        ("match", {"correct": x == "A"}),
                    )
                ),
            ]
        ),
    ),
    "choices and keys that are words": (
        "log.jsonl",
        listed(
            [
                {"question": f"{i}?", "response": "So.", "choice": f"{x}y", "answer": "Ay"}
                for i, x in NUMBERED
            ]
        ),
    ),
    "EvalScope's reviews": (
        "log.jsonl",
        listed(
            [
                {"index": i, "input": f"{i}?", "target": "A"}
                | {"sample_score": {"score": {"value": {"acc": x == "A"}, "prediction": x}}}
                for i, x in NUMBERED
            ]
        ),
    ),
}


FLAG = {"answer_inclusion": True}
LETTERS = dict(enumerate("AABA" * 3))
REASONED = {i: {"A": "**Right** (so)"}.get(x, "Wrong. No.") for i, x in LETTERS.items()}
FORMS |= {
    "an object a column": (
        "log.json",
        json.dumps({"gold": dict.fromkeys(LETTERS, "A"), "gpt-4": LETTERS}),
    ),
    "names and lists of values": (
        "log.json",
        json.dumps({"columns": ["gold", "pred"], "index": [0], "data": [["A", x] for x in "AABA"]}),
    ),
    "columns in an object of their benchmark": (
        "log.json",
        json.dumps({"about": {"model": "m"}, "own": {"pred": [*"AABA"] * 3, "gold": ["A"] * 12}}),
    ),
    "objects that follow each other": (
        "log.json",
        "\n".join(json.dumps(row, indent=1) for row in rows("AABA")),
    ),
    "lists of answers and of references": (
        "log.json",
        json.dumps({"predictions": [*"AABA"], "references": ["A"] * 4}),
    ),
    "lines of names and values": (
        "log.txt",
        "".join(f"[{i}/12] predicted: {x} | correct: A\n" for i, x in LETTERS.items()),
    ),
    "several answers a question": (
        "log.csv",
        "q,gold,answer_1,answer_2\n" + "".join(f"Which {i}?,A,{x},B\n" for i, x in NUMBERED),
    ),
    "names and verdicts in another language": (
        "log.csv",
        "pergunta,gabarito,resposta_ia,acerto\n"
        + "".join(f"Qual {i}?,{x}1,A1,{'sim' if x == 'A' else 'não'}\n" for i, x in NUMBERED),
    ),
    "yes and no are answers where they are keys": (
        "log.csv",
        "question,answer,gpt-4\n1?,yes,no\n2?,no,no\n3?,yes,yes\n4?,no,no\n",
    ),
    "a language in the names of columns": (
        "log.csv",
        "id,question_en,question_sw,answer,response_sw\n"
        + "".join(f"{i},{i}?,{i} ni?,A,{x}\n" for i, x in NUMBERED),
    ),
    "classes from 0 and answers from 1": (
        "log.jsonl",
        listed(
            [{"idx": i, "label": i % 2, "prediction": f"{i % 2 + (i == 0) + 1}."} for i in range(4)]
        ),
    ),
    "a key in the object of its question": (
        "log.jsonl",
        listed(
            [
                {
                    "message": x,
                    "question": {"soalan": f"{i}?\nA. satu\nB. dua", "jawapan": "A\n(1)"},
                }
                for i, x in NUMBERED
            ]
        ),
    ),
    "names with marks over their letters": (
        "log.csv",
        "प्रश्न,सही_उत्तर,response\n" + "".join(f"{i}?,A,{x}\n" for i, x in NUMBERED),
    ),
    "a label of a human": (
        "log.csv",
        "Image,Human_Label,LLM_Label\n" + "".join(f"{i},{min(i, 1)},{i // 2}\n" for i in range(4)),
    ),
    "a column that repeats the choice is no verdict": (
        "log.csv",
        "text,label,pred,verdict\n"
        + "".join(f"{i}?,{i % 2},{i % 2 or i // 2},{i % 2 or i // 2}\n" for i in range(4)),
    ),
    "a verdict that is a number, as the choice is": (
        "log.jsonl",
        listed(
            [
                {"id": i, "question": f"{i}?", "pred": int(i > 0), "correct": int(i > 2)}
                for i in range(12)
            ]
        ),
    ),
    "columns that begin with a model": (
        "log.csv",
        "question,correct_answer,kimi_answer,kimi_correct,kimi_raw,own_answer,own_correct,own_raw\n"
        + "".join(f"{i}?,A,{x},{x == 'A'},It is {x}.,B,False,B\n" for i, x in NUMBERED),
    ),
    "an item in an object next to an answer": (
        "log.json",
        json.dumps(
            [
                {"sample": {"question": f"{i}?", "choices": ["a", "b"], "answer": 0}, "answer": x}
                for i, x in NUMBERED
            ]
        ),
    ),
    "classes": (
        "log.csv",
        "text,label,classification\n"
        + "".join(f"{i}?,{'good' if i else 'bad'},{'bad good'.split()[i > 1]}\n" for i in range(4)),
    ),
    "expected and actual answers": (
        "log.yaml",
        "".join(
            f"- {{Question: {i}?, Expected Answer: A, 'Actual Answer ': {x}}}\n"
            for i, x in NUMBERED
        ),
    ),
    "line breaks that nobody has quoted": (
        "log.tsv",
        "id\tquestion\tanswer\tresponse\n"
        + "".join(f"{i}\tWhich\n\nis {i}?\tA\t{x}\n" for i, x in NUMBERED),
    ),
    "a list of wrong answers next to all, and a flag": (
        "log.json",
        json.dumps(
            {
                "all": [
                    {"question": f"{i}?", "expected": "Ay", "actual": f"{x}y"} | FLAG
                    for i, x in NUMBERED
                ],
                "wrong": [{"question": "2?", "expected": "Ay", "actual": "By"} | FLAG],
            }
        ),
    ),
    "averages below, without a question": (
        "log.csv",
        "Question,Expected Answer,Actual Answer ,Accuracy\n"
        + "".join(f"{i}?,yes,It is {x},{int(x == 'A')}\n" for i, x in LETTERS.items())
        + ",,57.0,0.75\n",
    ),
    "a task whose questions have another name, verdicts with reasons, in Python": (
        "log.jsonl",
        "\n".join(
            repr({"id": i, "text" if i else "premise": f"{i}?", "output": "x", "correct": verdict})
            for i, verdict in reversed(REASONED.items())
        ),
    ),
    "choices with their texts, of a model that was asked in two ways": (
        "log.jsonl",
        listed(
            [
                {"id": i, "correct_ans": "A", "model_ans": f"{x}) So", "model_ans_one_shot": "B"}
                for i, x in NUMBERED
            ]
        ),
    ),
    "settings of two columns": (
        "log.jsonl",
        listed(
            [
                {
                    "solution_id": i,
                    "use_a": a,
                    "use_b": b,
                    "score": 1 + (x == "A"),
                    "expected_score": 2,
                }
                for a, b in ((False, True), (True, False), (True, True))
                for i, x in NUMBERED
            ]
        ),
    ),
    "keys of several letters": (
        "log.jsonl",
        listed(
            [
                {"question": f"{i}?", "answer": ("AB", "B", "选项AC", "AD")[i % 4], "output": x}
                for i, x in enumerate(["AB", "B", "A", "AD"] * 3)
            ]
        ),
    ),
    "verdicts with the ends of their answers": (
        "log.jsonl",
        listed(
            [
                {"question": f"{i}?", "answer_m": x * 9, "judge_m": x == "A", "answer_n": "B"}
                | {"judge_n": "nan" if i == 4 else str(i > 7), "improper": i > 10}
                for i, x in enumerate("AAAB" * 3)
            ]
        ),
    ),
    "questions in a list, with answers in lists": (
        "log.json",
        json.dumps(
            [
                {
                    "day": 1,
                    "asked": [
                        QUESTION
                        | {"question": f"{i}?", "answer": "A"}
                        | {"answers": [{"model": "m", "answer": x}]}
                        for i, x in NUMBERED
                    ],
                }
            ]
        ),
    ),
    "an attempt in the list of its question": (
        "log.json",
        json.dumps({"runs": {f"q{i}": [{"passed": n > 0} for n in range(4)] for i in range(5)}}),
    ),
}


@pytest.mark.parametrize("name, content", FORMS.values(), ids=FORMS)
def test_forms_that_need_no_word(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8-sig")
    board = boards(tmp_path / name)[0]
    assert board.frame["accuracy"].max() == 75
    assert board.frame["n"].tolist()[0] in (4, 5, 12)


def test_text_next_to_keys_is_the_log(tmp_path):
    text = "".join(f"Question: {i}?\nOutput: {x}\n\n" for i, x in NUMBERED)
    (tmp_path / "log.txt").write_text(text)
    lines(tmp_path / "keys.jsonl", *({"question": f"{i}?", "answer": "A"} for i in range(4)))
    (board,) = boards(tmp_path)
    assert accuracy(board) == {"log": 75.0}


def test_ids_alone_join_answers_and_keys_and_two_times_are_two_runs(tmp_path):
    (tmp_path / "predictions.json").write_text(json.dumps(LETTERS))
    (tmp_path / "answer_key.json").write_text(json.dumps(dict.fromkeys(LETTERS, "A")))
    assert accuracy(boards(tmp_path)[0]) == {"predictions": 75.0}
    for time in ("112233", "445566"):
        asked = [row | {"question": f"{time} {row['id']}?"} for row in rows("AABA", model="m")]
        lines(tmp_path / "two" / f"log_{time}.jsonl", *asked)
    assert accuracy(boards(tmp_path / "two")[0]) == {"m (log_112233)": 75.0, "m (log_445566)": 75.0}


def test_a_sheet_may_begin_below_its_title(tmp_path):
    cells = [["Results", *[None] * 3], ["No.", "Gold", "Model\nanswer (A-D)", None]]
    pd.DataFrame([*cells, *([i, "A", x, None] for i, x in NUMBERED)]).to_excel(
        tmp_path / "log.xlsx", header=False, index=False
    )
    assert accuracy(boards(tmp_path / "log.xlsx")[0]) == {"log": 75.0}
    beside = [
        ["No.", "Gold", "response", *[None] * 5],
        *([i, "A", x, *[9] * 5] for i, x in NUMBERED),
    ]
    pd.DataFrame(beside).to_excel(tmp_path / "wide.xlsx", header=False, index=False)
    assert accuracy(boards(tmp_path / "wide.xlsx")[0]) == {"wide": 75.0}


@pytest.mark.parametrize(
    "key, response",
    [
        ("2 + {0} = <<2+{0}>>{1}.\n#### {1}", "Adding gives {1}.\n#### {1}"),
        ("{1}", "2 and {0} is {1}.\nA: {1}"),
        ("{1}", "Q: what is 2 + {0}? The answer is {1}."),
        ("Town {1}", "Town {1}"),
    ],
)
def test_numbers_and_short_texts_are_matched(home, key, response):
    """Two runs without ids, looked at and imported: the words tell the questions apart."""
    logs = [
        {"model": model, "question": f"What is 2 + {i}?", "target": key.format(i, 2 + i)}
        | {"response": response.format(i, 2 + i + (wrong and i % 4 == 0))}
        for model, wrong in (("m", False), ("n", True))
        for i in range(20)
    ]
    shown = boards(lines(home / "log.jsonl", *logs))
    command("import log.jsonl --items --benchmark own")
    for board in (*shown, px.leaderboard("own")):
        assert accuracy(board) == {"m": 100.0, "n": 75.0}
        assert board.frame["rank"].notna().all()
        assert "exact match" in board.heading


def test_free_words_are_not_matched(tmp_path):
    """They would all be wrong."""
    log = lines(tmp_path / "log.jsonl", *rows("ABCD" * 5, "Town", choices=None))
    (one,) = look([log], given())
    assert one.results == []


def test_a_few_keys_of_many_rows_are_the_options_of_each(tmp_path):
    """What is none of them is not read, as an answer in another language."""
    keys = ["true", "half true", "false"] * 20
    logs = [
        {"model": model, "claim": f"It is {i}.", "label": key, "output": form.format(key)}
        | {"pred": "true"}
        for model, form in (("m", "Final answer: {}"), ("n", "C'est une autre langue"))
        for i, key in enumerate(keys)
    ]
    file = lines(tmp_path / "log.jsonl", *logs)
    read = accuracy(look([file], given(), "final_answer")[0].results[0])
    assert read["m"] == 100
    assert pd.isna(read["n"])
    # without a word from the caller the log's own choices count
    (one,) = look([file], given())
    assert accuracy(one.results[0]) == {"m": 33.3, "n": 33.3}
    assert "m: the choices in the log are 33.3 % right, final_answer reads 100.0 %" in one.text()


def test_files_meet_in_the_words_of_their_questions(home):
    """A file a model and exam, ids that begin anew in each, one model's options in another order;
    imported as it is looked at.
    """
    runs = {"m": rows("AABA"), "n": rows("DDBD", "D", choices=QUESTION["choices"][::-1])}
    for model, answers in runs.items():
        for exam in ("law", "art"):
            logs = [row | {"question": f"{exam} {row['id']}?"} for row in answers]
            lines(home / "runs" / f"{exam} of {model}.jsonl", *logs)
    command("import runs --items --benchmark own")
    for board in (*boards(home / "runs"), px.leaderboard("own")):
        assert board.frame["accuracy"].tolist() == [75.0] * 4
    assert len(read_items("own")) == 8


def test_runs_that_are_none_are_not_ranked(tmp_path):
    """Nothing was judged, or the name says that it is a selection; one model's other datasets."""
    lines(tmp_path / "m.jsonl", *rows("AB" * 60, correct=True), *rows("B", correct=False, id=-1))
    lines(tmp_path / "n.jsonl", *rows("CD" * 60, correct=False))
    lines(tmp_path / "failures_of_n.jsonl", *rows("DC" * 20, correct=True))
    (one,) = look([tmp_path], given())
    assert [*accuracy(one.results[0])] == ["m"]
    assert "n: none of 120 verdicts says right, so it may not have been judged" in one.text()
    assert "failures_of_n: it has fewer outputs than others, a selection by its na" in one.text()
    for name, key in (("x", "A"), ("y", "B")):
        asked = [row | {"index": row.pop("id"), "model": "m"} for row in rows("AABA", key)]
        lines(tmp_path / "more" / f"{name}.jsonl", *asked)
    assert accuracy(boards(tmp_path / "more")[0]) == {"m (x)": 75.0, "m (y)": 25.0}


def test_scores_of_judges(tmp_path):
    """They may be in a file of their own, next to one of the responses, or in one a model."""
    for model in "mn":
        judged = {"model": model, "judge": ["j", "single"], "judgment": "Bad.", "score": 7}
        asked = [judged | {"question_id": i, "turn": 1 + i % 2} for i in range(9)]
        lines(tmp_path / "judgments" / f"{model}.jsonl", *asked)
    assert command(f"look {tmp_path / 'judgments'}").count(" 7.00 ") == 2
    both = {"responses": ("response", "So."), "scores": ("judge_score", 7)}
    for name, (column, value) in both.items():
        asked = [{"model": "m", "question_id": i, column: value} for i in range(9)]
        lines(tmp_path / "two" / f"{name}.jsonl", *asked)
    assert "9 questions, 1 run, 9 outputs" in command(f"look {tmp_path / 'two'}")
    text = "model,item_id,score,judge\n"
    for i in range(20):
        text += f"m,{i},{7 + i % 2},j\nn,{i},{3 + i % 2},j\n"
    (tmp_path / "scores.csv").write_text(text)
    shown = command(f"look {tmp_path / 'scores.csv'}")
    assert shown.index("7.50") < shown.index("3.50")
    assert "(3 to 8)" in shown


def test_excel_and_a_batch_with_its_questions(tmp_path):
    frame = pd.DataFrame(rows("AABA")).drop(columns=["choices", "response"])
    frame = frame.assign(A="one", B="two", C="three")
    frame.to_excel(tmp_path / "questions.xlsx", index=False)
    with pd.ExcelWriter(tmp_path / "log.xlsx") as book:
        frame[:2].to_excel(book, sheet_name="overview")
        frame.assign(response=list("AABA")).to_excel(book, index=False)
    assert accuracy(boards(tmp_path / "log.xlsx")[0]) == {"log": 75.0}
    body = {"model": "m", "choices": [{"message": {"content": "The answer is A."}}]}
    batch = [{"custom_id": str(i), "response": {"body": body}} for i in range(5)]
    file = lines(tmp_path / "batch.jsonl", *batch)
    tex = tmp_path / "t.tex"
    shown = command(f"look {file} --benchmark {tmp_path / 'questions.xlsx'} --to {tex}")
    assert "n = 4 of 5: 1 of no question that is here" in shown
    assert r"\label{tab:results-1}" in tex.read_text()
    assert "100.0" in shown


def test_what_is_left_out_is_counted_and_named(tmp_path):
    bad = rows("A" * 20, correct=False)
    bad[3]["answer"], bad[4]["choices"], bad[5]["choices"] = "Z", None, ["one"]
    file = lines(tmp_path / "log.jsonl", *bad)
    with open(file, "a") as log:
        log.write('{"id": 1, "broken\n')
    (one,) = look([file], given())
    assert one.head[2].startswith("n = 20 of 21: 1 row is not JSON")
    assert one.head[-1].startswith("withheld: log: 1 of 21 rows could not be read")


SUMMED = {"summary": {"accuracy": 0.5}, "results": rows("AABA" * 5)}
TWO = [row | {"is_correct": True, "judge_correct": i > 4} for i, row in enumerate(rows("A" * 20))]

HALF = [row | {"correct": i > 4 if i > 1 else None} for i, row in enumerate(rows("A" * 20))]
CLASSES = [
    {
        "question": f"Is {i} true?",
        "answer": ("falso", "real")[i % 2],
        "response": ("fake", "real")[i % 3 > 0],
    }
    for i in range(60)
]

COUNTED = [{"id": i, "label": i % 2, "prediction": 1 + 2 * (i % 3 == 0)} for i in range(60)]


@pytest.mark.parametrize(
    "content, why",
    [
        (json.dumps(SUMMED), "log.json says 50.0 % right, final_answer reads 75.0 %"),
        (json.dumps(TWO), "its verdicts differ: the first 100.0 %, judge_correct 75.0 %"),
        (json.dumps(rows("A" * 100, correct=True)), "the log marks all of 100 outputs as right"),
        (json.dumps(rows("AABA" * 5, correct=False)), "none of 20 verdicts says right, and 75.0 %"),
        (json.dumps(HALF), "2 of 20 outputs have no verdict"),
        (json.dumps([*rows("A" * 9), *rows("A" * 11, response="")]), "11 of 20 outputs have no an"),
        (json.dumps(CLASSES), "no output is read as 'FALSO', which is often the key"),
        (json.dumps(COUNTED), "no output is read as '0', which is often the key, and 33 % as no"),
    ],
)
def test_an_accuracy_that_the_log_contradicts_is_withheld(tmp_path, content, why):
    (tmp_path / "log.json").write_text(content)
    (one,) = look([tmp_path / "log.json"], given())
    assert why in one.head[-1]
    assert not one.results


def test_files_of_a_folder_are_understood_apart(tmp_path):
    """One without a column that the others have, a table of accuracies, other encodings."""
    lines(tmp_path / "a.jsonl", *rows("AABA", robot="x"), *rows("ABBA", robot="y"))
    lines(tmp_path / "b.jsonl", *rows("AAAA"))
    (tmp_path / "means.csv").write_text("system,mean\nx,0.75\ny,0.5\n")
    for name, word, encoding in (("c", "é", "cp1252"), ("d", "是什么", "gb18030")):
        text = "n,text,label,output\n" + "".join(f"{i},{word} {i}?,B,B\n" for i in range(4))
        (tmp_path / f"{name}.csv").write_bytes(text.encode(encoding))
    one, two = look([tmp_path], given())
    assert accuracy(one.results[0]) == {"a (x)": 75.0, "a (y)": 50.0, "b": 100.0}
    assert "not read: means.csv: " in one.text()
    assert accuracy(two.results[0]) == {"c": 100.0, "d": 100.0}


def test_a_question_asked_again_is_counted_again(tmp_path):
    asked = [*rows("A" * 20), rows("AB")[1]]
    (one,) = look([lines(tmp_path / "log.jsonl", *asked)], given())
    assert one.head[1] == "rows that ask a question again, and count again: 1"
    assert accuracy(one.results[0]) == {"log": 95.2}


def test_ids_that_the_caller_names_join_whatever_the_words(tmp_path):
    for model, words in (("m", "Which?"), ("n", "Which ...")):
        asked = [row | {"question": f"{words} {row['id']}"} for row in rows("AABA")]
        lines(tmp_path / f"{model}.jsonl", *asked)
    (tmp_path / "prompts.json").write_text('[[{"role": "user"}]]')
    (one,) = look([tmp_path], given({"item_id": "id"}))
    assert one.head[0].endswith("4 questions, 2 runs, 8 outputs (table)")


def test_files_without_a_common_question_may_be_parts(tmp_path):
    for subject in ("law", "art"):
        asked = [row | {"question": f"{subject} {row['id']}?"} for row in rows("AB")]
        lines(tmp_path / f"{subject}.jsonl", *asked)
    (one,) = look([tmp_path], given())
    assert any("no question is in two files" in line for line in one.head)
    (one,) = look([tmp_path], given({"model": "=m", "subject": "{_stem}"}))
    assert accuracy(one.results[0]) == {"m": 50.0}


def test_files_named_as_their_folder_or_many_of_one_are_subjects(home):
    for model, answers in {"m": "AABA", "n": "ABBA"}.items():
        for n in range(10):
            asked = [row | {"question": f"{n}, {row['id']}?"} for row in rows(answers)]
            lines(home / "both" / model / f"{model}_{n}.jsonl", *asked)
            lines(home / "one" / model / f"topic {n * 'x'}.jsonl", *asked)
    assert accuracy(boards(home / "both")[0]) == {"m": 75.0, "n": 50.0}
    assert accuracy(boards(home / "one" / "m")[0]) == {"m": 75.0}


def test_folders_of_benchmarks_with_keys_in_several_files(tmp_path):
    """Files of models in folders of benchmarks; files of keys next to those of choices."""
    for bench, letters in (("law", "AABA"), ("art", "ABBA")):
        for model in "mn":
            asked = [row | {"question": f"{bench} {row['id']}?"} for row in rows(letters)]
            lines(tmp_path / "runs" / bench / f"{model}.jsonl", *asked)
    found = {board.benchmark: accuracy(board) for board in boards(tmp_path / "runs")}
    assert found == {"law": {"m": 75.0, "n": 75.0}, "art": {"m": 50.0, "n": 50.0}}
    for part in "xy":
        asked = [{"id": f"{part}{i}", "response": letter} for i, letter in NUMBERED]
        lines(tmp_path / "keys" / f"{part}_m.jsonl", *asked)
        keys = [row | {"id": f"{part}{row['id']}"} for row in BARE]
        lines(tmp_path / "keys" / f"questions_{part}.jsonl", *keys)
    (board,) = boards(tmp_path / "keys")
    assert accuracy(board) == {"x_m": 75.0, "y_m": 75.0}


def test_what_is_no_answer_moves_no_accuracy(tmp_path):
    """Annulled questions, lines behind a table, worth of questions, letters of several parts."""
    head = "id,question,A,B,answer,pred,score\n"
    told = "".join(f"{i},{i}?,a,b,{'' if i == 7 else 'A'},A,1\n" for i in range(20))
    (tmp_path / "log.csv").write_text(head + told + "\nSUMMARY\nall 95 %\n")
    (one,) = look([tmp_path / "log.csv"], given())
    assert "left out, without a key or verdict that is read: 1 more" in one.head
    assert one.results[0].frame.loc[0, ["n", "accuracy"]].tolist() == [19, 100]
    wrong = lines(tmp_path / "wrong.jsonl", *rows("B" * 100, pred="B"))
    (one,) = look([wrong], given())
    assert "the log marks none of 100 outputs as right" in one.head[-1]
    told = {"answer": "Due to it.", "response": "So."}
    marked = [
        {"id": i, "question": f"{i}?", "task": "a", "correct": x == "A"} | told for i, x in NUMBERED
    ]
    text = [{"id": "t", "question": "Why?", "task": "b"} | told]
    (one,) = look([lines(tmp_path / "tasks.jsonl", *marked, *text)], given())
    assert one.results[0].frame.loc[0, ["n", "accuracy"]].tolist() == [4, 75]
    (tmp_path / "short.csv").write_text('id,question,answer,response\n1,1?,A,A\n""\n,,\n2,2?,A,A\n')
    (one,) = look([tmp_path / "short.csv"], given())
    assert "1 row has N fields" in one.text() and "short.csv:4: has 3 fields" in one.text()
    failed = [{"question": f"{i}?", "answer": "A", "runs": [{"output": "A"}, None]} for i in "123"]
    assert (
        "3 outputs without an answer"
        in look([lines(tmp_path / "f.jsonl", *failed)], given())[0].text()
    )
    with pytest.raises(DataError, match="no such column 'verdict'"):
        look([tmp_path / "tasks.jsonl"], given({"correct": "verdict"}))
    parts = [{"id": i, "question": "?", "gold": ["A", "C", "B"], "response": "A"} for i in range(9)]
    with pytest.raises(DataError, match="A, C, B are letters of options that are not here"):
        look([lines(tmp_path / "parts.jsonl", *parts)], given())


def test_samples_are_averaged_and_many_small_files_are_one_run(tmp_path):
    five = [row for n in range(5) for row in rows("AABA", trial=n)]
    assert accuracy(boards(lines(tmp_path / "log.jsonl", *five))[0]) == {"log": 75.0}
    for row in rows("AABA" * 5):
        lines(tmp_path / "each" / f"q{row['id']}.jsonl", row)
    assert accuracy(boards(tmp_path / "each")[0]) == {"each": 75.0}


def test_the_last_line_is_the_command_to_correct(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("nr,frage,sagt,loesung\n1,Was ist 1?,Ich glaube es ist A,A\n2,Was?,B es,B\n")
    with pytest.raises(DataError) as caught:
        look([file], given())
    last = str(caught.value).splitlines()[-1]
    assert last == f"polyexam look {file} --map response=sagt"
    assert "50.0" not in command(last.removeprefix("polyexam "))


def test_pages_and_tables_escape_what_models_are_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "<script>x</script>"
    lines(tmp_path / "log.jsonl", *rows("AABA", model=name), *rows("ABBA", model="=1+1|"))
    command("look log.jsonl --html page.html --to table.md")
    for ending in ("csv", "tex", "xlsx"):
        command(f"look log.jsonl --to table.{ending}")
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "=1+1|" in (tmp_path / "table.md").read_text()
    frame = pd.read_excel(tmp_path / "table.xlsx")
    assert frame["accuracy"].tolist() == [75, 50]
    with pytest.raises(DataError, match="no such ending"):
        command("look log.jsonl --to table.doc")
    with pytest.raises(DataError, match="no run can be scored"):
        write([], tmp_path / "table.tex")


def test_runs_are_told_apart_by_a_column_of_any_name(tmp_path):
    both = [*rows("AABA", robot="x"), *rows("ABBA", robot="y")]
    assert accuracy(boards(lines(tmp_path / "log.jsonl", *both))[0]) == {
        "log (x)": 75.0,
        "log (y)": 50.0,
    }


@pytest.mark.parametrize(
    "told, first, right",
    [
        *(("question", 0, True), ("qid", 0, True), ("custom_id", 0, True)),
        *(("id", 0, True), ("id", 1, False)),
    ],
)
def test_keys_may_be_in_a_file_of_their_own(tmp_path, told, first, right):
    """By the words of questions, by ids (a batch has nothing else), and by numbers where all are
    the same.
    """
    asked = [row | {"qid": f"q{row['id']}", "custom_id": str(row["id"])} for row in rows("AABA")]
    answered = [{told: row[told], "response": row["response"]} for row in asked]
    if told == "custom_id":
        for row in answered[:2]:
            body = {"model": "log", "choices": [{"text": row["response"]}]}
            row["response"] = {"body": body}
        for row in answered[2:]:
            reply = {"model": "log", "content": [{"type": "text", "text": row["response"]}]}
            row["result"] = {"type": "succeeded", "message": reply}
    lines(tmp_path / "log.jsonl", *answered)
    keys = [row | {"id": row["id"] + first} for row in asked]
    shown = ["question", "choices", "answer", told]
    lines(tmp_path / "keys.jsonl", *({name: row[name] for name in shown} for row in keys))
    (one,) = look([tmp_path], given())
    assert [accuracy(board) for board in one.results[:1]] == [{"log": 75.0}] * right


@pytest.mark.parametrize(
    "form", ["{language}/{model}", "{model}/{language}", "{model}/run_{language}_1"]
)
def test_files_or_folders_may_be_languages(home, form):
    """The same ids in each are the same question, and count together."""
    runs = {"m": "AABA" * 10, "n": "ABBA" * 10}
    for language in ("sw", "yo", "pt_BR"):
        for model, answers in runs.items():
            logs = [x | {"question": f"{language} {x['question']}"} for x in rows(answers)]
            file = home / "runs" / form.format(language=language, model=model)
            lines(file.with_suffix(".jsonl"), *logs)
    command("import runs --items --benchmark own")
    assert set(read_items("own")["language"]) == {"sw", "yo", "pt_BR"}
    for board in (*boards(home / "runs"), px.leaderboard("own")):
        assert accuracy(board) == {"m": 75.0, "n": 50.0}
        assert board.frame["n"].tolist() == [120, 120]
        assert board.answers["cluster"].nunique() == 40


def test_parts_are_one_run_and_copies_are_left_out(tmp_path):
    long = [
        row | {"response": f"I thought {row['id']} times. The answer is {row['response']}."}
        for row in rows("AABA" * 10)
    ]
    lines(tmp_path / "part" / "out_1.jsonl", *long[:20])
    lines(tmp_path / "part" / "out_2.jsonl", *long[20:])
    assert accuracy(boards(tmp_path / "part")[0]) == {"part": 75.0}
    lines(tmp_path / "copy" / "a.jsonl", *long)
    (tmp_path / "copy" / "b.json").write_text(json.dumps(long))
    (one,) = look([tmp_path / "copy"], given())
    assert accuracy(one.results[0]) == {"a": 75.0}
    pd.DataFrame(long).to_excel(tmp_path / "copy" / "a.xlsx", index=False)
    shorter = [{name: row[name] for name in ("id", "response")} for row in long[:30]]
    lines(tmp_path / "copy" / "some.jsonl", *shorter)
    lines(tmp_path / "copy" / "c.jsonl", *(row | {"id": 100 - row["id"]} for row in long))
    lines(tmp_path / "copy" / "asked.jsonl", *(row | {"response": ""} for row in long))
    (one,) = look([tmp_path / "copy"], given())
    assert accuracy(one.results[0]) == {"a": 75.0}
    assert "not read: a.xlsx, b.json, some.jsonl: has nothing that is not in a.jsonl" in one.head
    assert "left out, with the answers of another file: c.jsonl" in one.head
    assert any("as questions that were not asked" in line for line in one.head)


def test_scores_are_shown_where_nothing_else_is_read_and_turns_are_no_samples(tmp_path):
    pair = {"questions": ["Why?", "So?"], "outputs": ["It is.", "So."]}
    said = {"dialog": [{"role": "user", "content": "Why?"}, {"role": "llm", "content": "So."}]}
    for form in (pair, said):
        logs = [{"id": i, **form, "judged": {"judge_score": 6 + i % 3}} for i in range(9)]
        shown = command(f"look {lines(tmp_path / 'log.jsonl', *logs)}")
        assert shown.count(" 7.00 ") == shown.count("judged.judge_score (6 to 8)") == 1
    rated = [
        {
            "question": f"{i}?",
            "response": {"kind": 1},
            "fluency": i % 3,
            "lang": ["sw", "yo"][i % 2],
        }
        for i in range(9)
    ]
    rated[8]["fluency"] = None
    lines(tmp_path / "log.jsonl", *rated)
    keys = ({"question": f"{i}?", "options": MARKED} for i in range(9))
    lines(tmp_path / "keys.jsonl", *keys)
    shown = command(f"look {tmp_path}")
    assert shown.count("fluency (0 to 2)") == 3
    assert "mean of languages" in shown and " yo " in shown
    command(f"look {tmp_path} --html {tmp_path / 'page.html'} --to {tmp_path / 'means.csv'}")
    assert "mean of languages" in (tmp_path / "page.html").read_text()
    means = pd.read_csv(tmp_path / "means.csv").set_index("language")["value"]
    assert means.round(2).to_dict() == {"yo": 1.0, "sw": 0.75, "mean of languages": 0.88}
    assert "keys.jsonl: no column is plainly the response" in shown


def test_answers_are_responses_where_files_differ_in_them(tmp_path):
    """As models do, and keys do not; an input may be empty, and a request may have failed."""
    for name, answers in {"m": "abcdefgh", "n": "bcdefghi"}.items():
        asked = [
            {"instruction": f"Say {i}.", "input": "", "answer": x * 9}
            for i, x in enumerate(answers)
        ]
        lines(
            tmp_path / "two" / f"{name}.jsonl",
            *({"Questions": x["instruction"], "Answers": x["answer"]} for x in asked),
        )
        lines(tmp_path / f"{name}.jsonl", *asked[:7], asked[7] | {"answer": "[ERROR] none"})
    assert " 8 questions, 2 runs" in look([tmp_path / "two"], given())[0].head[0]
    (one,) = look([tmp_path / "m.jsonl", tmp_path / "n.jsonl"], given())
    assert one.head[0].endswith("8 questions, 2 runs, 16 outputs (table)")
    assert "2 outputs without an answer" in one.head
    about = {"Expert did it correctly 1": True, "Expert was sure 2": False}
    keys = [{"Question": f"{i}?", "Correct Answer": "Ay"} | about for i in range(8)]
    about["Expert was sure 2"] = True
    keys += [{"Question": f"{i}?", "Correct Answer": "Ay"} | about for i in range(8, 16)]
    with pytest.raises(DataError, match="no column is plainly the response"):
        look([lines(tmp_path / "keys.jsonl", *keys)], given())


def test_a_task_of_a_family_may_have_keys_of_another_kind(tmp_path):
    for task, key, other in (("law", "A", "B"), ("yes", "true", "false")):
        options = "\nA. one\nB. two" * (task == "law")
        logs = [
            {"input": f"{task} {i}?{options}", "target": key if i else other, "prediction": key}
            for i in range(60)
        ]
        lines(tmp_path / f"{task}.jsonl", *logs)
    assert accuracy(boards(tmp_path)[0]) == {"law": 98.3, "yes": 98.3}
