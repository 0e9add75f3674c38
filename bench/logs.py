"""Real logs of other people as one frame: the response, the options, the answer that the log itself
read, and the key.

They lie in the folder of shared data (`real_logs`, `thai_exam_102models`, `acegpt_arabic_mmlu`),
whose README says what they are.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

COLUMNS = ["set", "language", "model", "item_id", "text", "options", "own", "gold"]
HARNESS = "real_logs/harness"
UNKNOWN = [""] * 4  # options whose texts stand in the question


def read(folder: Path) -> pd.DataFrame:
    """Every log: `set`, `language`, `model`, `item_id`, `text`, `options`, `own` (a label, labels
    together, or None), `gold`.
    """
    return frame(row for log in LOGS for row in log(folder))


def frame(rows: Iterable[tuple]) -> pd.DataFrame:
    return pd.DataFrame([*rows], columns=COLUMNS)


def _lines(file: Path) -> Iterator[dict]:
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def letters(text: object, among: str = "[A-J]") -> str | None:
    """Capitals of an extraction, in their order; None for none."""
    return "".join(sorted(set(re.findall(among, str(text or "").upper())))) or None


def _json(file: Path) -> dict:
    return json.loads(file.read_text("utf-8"))


def mmlu_pro(folder: Path) -> Iterator[tuple]:
    for file in sorted((folder / "real_logs/mmlu_pro").glob("*.jsonl")):
        for row in _lines(file):
            text = row.get("generated_text") or row.get("model_outputs")
            yield (
                "mmlu_pro",
                "en",
                file.stem,
                str(row["question_id"]),
                text,
                row["options"],
                row["pred"],
                row["answer"],
            )


def gaokao(folder: Path) -> Iterator[tuple]:
    """The files with one question a prompt; of the physics questions some have several answers."""
    for name in ("Biology", "Math_I", "History", "Physics"):
        file = folder / f"real_logs/gaokao_gpt4_zh/gpt-4-0314_2010-2022_{name}_MCQs.json"
        for row in _json(file)["example"]:
            own, gold = (letters("".join(row[key])) for key in ("model_answer", "standard_answer"))
            yield (
                "gaokao",
                "zh",
                "gpt-4-0314",
                f"{name}/{row['index']}",
                row["model_output"],
                UNKNOWN,
                own,
                gold,
            )


def aqua(folder: Path) -> Iterator[tuple]:
    for name in ("aqua_zero_shot", "aqua_zero_shot_cot"):
        log = (folder / f"real_logs/zero_shot_cot_logs/{name}.log").read_text("utf-8")
        blocks = re.findall(
            r"\nQ: (.*?)\nA: (.*?)\npred_before : .*?\npred_after : (.*?)\n.*?\nGT : (\w)",
            log,
            re.DOTALL,
        )
        for number, (question, text, own, gold) in enumerate(blocks):
            options = re.split(r"\s*\([A-E]\)\s*", question.partition("Answer Choices:")[2])[1:]
            yield "aqua", "en", name, str(number), text, options, letters(own), gold


def simple_evals(folder: Path) -> Iterator[tuple]:
    home = folder / HARNESS / "simple_evals/mmlu_pro_ru_models"
    items = {row["id"]: row for row in _lines(home / "benches/mmlu.jsonl")}
    for file in sorted((home / "results/mmlu").glob("*.jsonl")):
        for row in _lines(file):
            item = items[row["id"]]
            own = row["pred"] if row["pred"].isalpha() else None
            yield (
                "simple_evals",
                "en",
                file.stem[3:],
                row["id"],
                row["answer"],
                [*item["options"].values()],
                own,
                item["target"],
            )


def lawbench(folder: Path) -> Iterator[tuple]:
    for file in sorted(
        (folder / HARNESS / "opencompass/lawbench_zero_shot_1-2/zero_shot").glob("*/1-2.json")
    ):
        for number, row in _json(file).items():
            asked = row["origin_prompt"]
            asked = asked if isinstance(asked, str) else asked[-1]["prompt"]
            options = re.findall(r"[A-D]:(.*?)(?=;[B-D]:|。?$)", asked.strip(), re.DOTALL)
            found = {letter for letter in "ABCD" if letter in row["prediction"]}
            own = found.pop() if len(found) == 1 else None  # the authors' rule
            options = options[-4:] if len(options) >= 4 else UNKNOWN
            yield (
                "lawbench",
                "zh",
                file.parent.name,
                number,
                row["prediction"],
                options,
                own,
                letters(row["refr"]),
            )


def helm(folder: Path) -> Iterator[tuple]:
    for home in sorted((folder / HARNESS / "helm").glob("*/*/")):
        state = _json(home / "scenario_state.json")
        for one in state["request_states"]:
            references = one["instance"]["references"]
            gold = next(
                i for i, reference in enumerate(references) if "correct" in reference["tags"]
            )
            labels = list(one["output_mapping"])
            text = one["result"]["completions"][0]["text"]
            texts = [one["output_mapping"][letter] for letter in labels]
            gold = labels[texts.index(references[gold]["output"]["text"])]
            own = text.strip() if text.strip() in labels else None
            yield "helm", "en", home.parent.name, one["instance"]["id"], text, texts, own, gold


def inspect(folder: Path) -> Iterator[tuple]:
    for file in sorted((folder / HARNESS / "inspect/qwen25_7b_choice_logs").glob("*.json")):
        log = _json(file)
        language = "th" if file.stem.startswith("onet") else "en"
        for sample in log["samples"]:
            if not sample.get("choices"):
                continue
            said = sample["output"]["choices"][0]["message"]["content"]
            said = said if isinstance(said, str) else "".join(part.get("text", "") for part in said)
            (score,) = sample["scores"].values()
            gold = (
                sample["target"] if isinstance(sample["target"], str) else "".join(sample["target"])
            )
            yield (
                "inspect",
                language,
                file.stem,
                str(sample["id"]),
                said,
                sample["choices"],
                letters(score["answer"]),
                gold,
            )


def thai_exam(folder: Path) -> Iterator[tuple]:
    """The log reads nothing itself: `own` is the last value of the key that the prompt asks for."""
    home = folder / "thai_exam_102models"
    items = {
        str(file.relative_to(home / "items")): [*_lines(file)]
        for file in (home / "items").rglob("*.jsonl")
    }
    for file in sorted(home.glob("responses_*.jsonl.gz")):
        for row in _lines(file):
            item = items[row["file"]][row["index"]]
            options = [str(item[key] or "") for key in "abcde" if key in item]
            keys = re.findall(r'"correct_answer_key"\s*:\s*"([a-e])"', row["text"] or "")
            own, name = keys[-1].upper() if keys else None, f"{row['file']}/{row['index']}"
            yield (
                "thai_exam",
                "th",
                row["model"],
                name,
                row["text"],
                options,
                own,
                row["gold"].upper(),
            )


def acegpt(folder: Path) -> Iterator[tuple]:
    home = folder / "acegpt_arabic_mmlu"
    items = {(row["subject"], row["query_id"]): row for row in _lines(home / "items.jsonl")}
    for file in sorted((home / "responses").glob("*.jsonl")):
        for row in _lines(file):
            item = items[row["subject"], row["query_id"]]
            options = re.findall(r"(?m)^\s*[A-D][.:)]\s*(.*)$", item["query"])
            options = options if len(options) == 4 else UNKNOWN
            name = f"{row['subject']}/{row['query_id']}"
            yield (
                "acegpt",
                "ar",
                file.stem,
                name,
                row["response"],
                options,
                row["response_answer"] or None,
                item["answer"],
            )


LOGS = (mmlu_pro, gaokao, aqua, simple_evals, lawbench, helm, inspect, thai_exam, acegpt)
