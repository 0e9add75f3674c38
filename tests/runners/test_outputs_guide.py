"""docs/outputs.md, from "A CSV of another benchmark" on, followed word for word with real logs."""

import re
import shlex

import pytest

from analysis import outputs, paths
from analysis.items import read as read_items
from tests.runners.shell import command

BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOGS = {  # what the guide calls a log -> where a real one is
    "lm_eval": "harness/lm_eval/vicuna33b_mmlu",
    "inspect": "harness/inspect/qwen25_7b_choice_logs",
    "opencompass": "harness/opencompass/mistral7b_16bit_mmlu_ppl",
    "helm": "harness/helm/gpt2_mmlu_philosophy",
    "lighteval": "harness/lighteval",
    "fastchat": "harness/fastchat/llama3_8b_griffin",
    "every_eval_ever/samples.jsonl": "harness/every_eval_ever/gpt2_mmlu/None_samples.jsonl",
    "every_eval_ever/data": "harness/every_eval_ever/gpt2_mmlu/data",
    "mmlu_pro": "mmlu_pro",
    "exams": "gaokao_gpt4_zh",
    "plain": "zero_shot_cot_logs",
}


pytestmark = pytest.mark.slow  # real logs


@pytest.fixture(scope="module")
def said(benchmark_files, tmp_path_factory):
    """Each command of the guide and what it printed, in a folder of their own."""
    home, logs = tmp_path_factory.mktemp("guide"), benchmark_files / "real_logs"
    for name, place in LOGS.items():
        if not (logs / place).exists():
            pytest.skip(f"no {logs / place}")
        (home / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "logs" / name).symlink_to(logs / place)
    text = (paths.ROOT / "docs" / "outputs.md").read_text("utf-8")
    guide, shown = text[text.index("## A CSV of another benchmark") :], {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYEXAM_DATA", str(home / "data"))
        patch.setenv("POLYEXAM_OUTPUTS", str(home / "outputs"))
        patch.setenv("COLUMNS", "200")
        patch.chdir(home)
        for language, name, body in BLOCK.findall(guide):
            if name:
                (home / name).write_text(body, "utf-8")
            for line in body.splitlines() if language == "sh" and not name else ():
                shown[line] = command("", *shlex.split(line)[1:])
        yield shown


@pytest.fixture(autouse=True)
def surroundings(said):
    """Those of the guide."""


def of(said: dict, *words: str) -> str:
    (text,) = [text for line, text in said.items() if all(word in line for word in words)]
    return text


def test_a_csv_becomes_a_leaderboard_in_three_commands(said):
    board = of(said, "leaderboard numbers")
    assert re.search(r"m \(5-shot\)\s+4\s+100\.0", board)
    assert re.search(r"m \(0-shot\)\s+4\s+75\.0", board)
    assert "numbers: 4 items, 0 bad rows" in of(said, "items describe")
    assert "4 questions, 2 runs, 8 outputs" in of(said, "look answers.csv")


def test_every_log_comes_in_under_its_names(said):
    imported = [
        re.search(r"[1-9]\d* new outputs", text)
        for line, text in said.items()
        if " import " in line and "--results" not in line
    ]
    assert len(imported) >= 13
    assert all(imported)
    assert re.search(r"lmsys/vicuna-33b.* 135\s+52.6", of(said, "leaderboard mmlu_anatomy"))
    models = {"Llama-2-7b-hf", "Qwen1.5-72B-Chat", "gemini-1.5-pro-002"}
    for name in ("mmlu_pro", "mmlu_again"):
        assert set(outputs.own(name)["model"]) == models
    assert set(outputs.own("mmlu_pro")["setting"]) == {"5-shot"}
    assert outputs.own("aqua")["setting"].nunique() == 2


def test_records_written_for_others_come_back_the_same(said):
    before, after = outputs.own("numbers"), outputs.own("numbers_again")
    assert after["given"].map(lambda given: given["correct"]).sum() == 7
    assert sorted(after["response"]) == sorted(before["response"])
    assert read_items("numbers_again")["answer"].tolist() == ["C", "A", "B", "B"]
    assert "13 results in scores.csv" in of(said, "--results")
