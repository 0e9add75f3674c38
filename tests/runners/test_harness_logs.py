"""Real logs of each harness, imported whole: the accuracy that the log states comes out of what the
log knows itself.
"""

from collections import defaultdict

import pytest

from analysis import answers, outputs
from analysis.items import read as read_items
from runners import importers, importing
from tests.runners.logs import given

INSPECT = {"onet_m6": 0.4, "medqa": 0.4, "mmlu_0_shot": 0.8, "mmlu_pro": 0.6, "race_h": 0.8}
INSPECT |= {"sad_facts_llms": 0.8, "arc_easy": 1.0}
VICUNA = {"mmlu_anatomy": 71 / 135, "mmlu_machine_learning": 48 / 112}
MISTRAL = {"lukaemon_mmlu_anatomy": 0.585185, "lukaemon_mmlu_astronomy": 0.625}
# folder -> format, rows, {benchmark: share right by the log}; None where the log says nothing
HARNESS = {
    "lm_eval/vicuna33b_mmlu": ("lm-eval", 247, VICUNA),
    "lm_eval/llama3_8b_bias_classification": ("lm-eval", 300, {"bias_classification": 185 / 300}),
    "lm_eval/llama31_8b_truthfulqa_multi_eu": (
        "lm-eval",
        300,
        {"truthfulqa-multi_gen_eu": 124 / 300},
    ),
    "helm/gpt2_mmlu_philosophy": ("helm", 10, None),
    "inspect/gpt4o_mmlu_eval_format": ("inspect", 2, {"inspect_evals/mmlu_0_shot": 0.0}),
    "inspect/qwen25_7b_choice_logs": (
        "inspect",
        35,
        {f"inspect_evals/{name}": share for name, share in INSPECT.items()},
    ),
    "opencompass/mistral7b_16bit_mmlu_ppl": ("opencompass", 287, MISTRAL),
    "opencompass/lawbench_zero_shot_1-2": ("opencompass", 1200, None),
    "every_eval_ever/gpt2_mmlu/None_samples.jsonl": ("every-eval-ever", 10, {"mmlu": 0.1}),
    "lighteval": ("lighteval", 2, {"anli:r1": 0.0}),
    "fastchat/llama3_8b_griffin": ("fastchat", 240, None),
}
SLOW = ("lm_eval", "inspect", "opencompass", "fastchat")
PLACES = [
    pytest.param(place, marks=pytest.mark.slow) if place.startswith(SLOW) else place
    for place in HARNESS
]


@pytest.fixture
def logs(benchmark_files):
    folder = benchmark_files / "real_logs"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    return folder


def take(*sources, items=True, **log) -> list[str]:
    return [*importing.take(list(sources), given(**log), items)]


def right(benchmark: str, by: str) -> dict[str, int]:
    """Answers that are the items' keys."""
    own, items = outputs.own(benchmark), read_items(benchmark).set_index("item_id")
    choices = own["given"].map(lambda given: given["choice"])
    return choices.eq(own["item_id"].map(items["answer"])).groupby(own[by]).sum().to_dict()


@pytest.mark.parametrize("place", PLACES)
def test_logs_import_whole_with_the_accuracy_that_they_state(logs, place):
    form, rows, stated = HARNESS[place]
    source = logs / "harness" / place
    assert importers.families([source], given())[0][0][0] == form
    named = {"benchmark": "mt_bench"} if form == "fastchat" else {}
    log = given(items={}, samples=True, **named)
    records = list(importers.records(form, [source], log))
    assert log.rows == rows
    assert len({record["key"] for record in records}) == len(records) >= rows
    graded = defaultdict(list)
    for record in records:
        if record["given"] and "correct" in record["given"]:
            graded[record["benchmark"]].append(record["given"]["correct"])
    if stated is not None:
        shares = {name: sum(marks) / len(marks) for name, marks in graded.items()}
        assert shares == pytest.approx(stated, abs=1e-6)
        assert sum(map(len, graded.values())) == rows


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    [
        "lm_eval/vicuna33b_mmlu",
        "lm_eval/llama3_8b_bias_classification",
        "opencompass/mistral7b_16bit_mmlu_ppl",
        "lighteval",
    ],
)
def test_the_likeliest_options_reproduce_what_the_logs_state(logs, home, place):
    take(logs / "harness" / place)
    for benchmark, share in HARNESS[place][2].items():
        for method in ("given", "likelihood"):
            found = answers.coverage(answers.read(benchmark, method=method))
            assert found["accuracy"].tolist() == pytest.approx([100 * share], abs=1e-4)


@pytest.mark.slow
def test_a_judicial_exam_reads_as_its_authors_read_it(logs, home):
    """LawBench 1-2: the authors count a gold letter that is the only one, which is DA."""
    take(logs / "harness" / "opencompass" / "lawbench_zero_shot_1-2")
    found = answers.coverage(answers.read("1-2", method="da")).set_index("model")["accuracy"]
    printed = {"GPT4": 57.67, "qwen-7b-chat-hf": 32.0, "chatglm2-6b-hf": 10.0}
    assert found.round(2).to_dict() == printed | {"internlm-7b-hf": 5.33}


@pytest.mark.slow
def test_three_models_with_their_questions_in_one_command(logs, home):
    shown = take(logs / "mmlu_pro", benchmark="mmlu_pro", columns={"model": "{_stem}"})
    assert "1500 new items" in "\n".join(shown)
    assert "4500 rows, 4500 outputs" in shown
    counts = {"Llama-2-7b-hf": 270, "Qwen1.5-72B-Chat": 717, "gemini-1.5-pro-002": 1054}
    assert right("mmlu_pro", "model") == counts
    assert read_items("mmlu_pro")["options"].map(len).value_counts()[10] == 1218
