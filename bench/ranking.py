"""Fifty options, ranked: questions per second beside lm-evaluation-harness and beside the floor, in
one run.

The floor is one plain forward pass of as many tokens as prompt and options have, in the same
batches. The harness runs in an environment of its own (`make bench` makes it), on the same model
folder, prompts and options.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import pandas as pd
import torch
import typer

from analysis import paths
from analysis.errors import DataError
from analysis.items import prompts
from bench.common import Row, alternately, record
from runners.ranking import questions as asking
from runners.ranking import shared_prefix

HARNESS_PYTHON = paths.ROOT / "bench" / ".venv-lm-eval" / "bin" / "python"
PEER = "lm-evaluation-harness 0.4.13"
SIZES = (1, 4, 16, 64)  # batch sizes that the harness is tried at
FEW = 3  # questions that the harness gets at each of them
HARNESS = """
import json, sys, time, logging
logging.disable(logging.WARNING)
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
task = json.load(open(sys.argv[1]))
pairs = [(prompt, option) for prompt, options in task["questions"] for option in options]
requests = [Instance("loglikelihood", {}, pair, 0) for pair in pairs]
size = task["size"]
model = HFLM(pretrained=task["model"], device=task["device"], dtype="float32", batch_size=size)
model.loglikelihood(requests[:size], disable_tqdm=True)
start = time.perf_counter()
found = model.loglikelihood(requests, disable_tqdm=True)
result = {"seconds": time.perf_counter() - start, "sums": [value for value, _ in found]}
json.dump(result, open(sys.argv[2], "w"))
"""


def model_folder(folder: Path, texts: list[str]) -> None:
    """A Llama-shaped model of about 17 million random parameters, with a byte-level BPE tokenizer
    trained on `texts`.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    from tests.runners import models

    tokens = models.tokenizer(None, texts, 16_000)
    tokens.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=320,
        intermediate_size=864,
        num_hidden_layers=6,
        num_attention_heads=5,
        vocab_size=16_000,
        pad_token_id=0,
        max_position_embeddings=4096,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


def floor(scorer, needed: list[int], batches: list[list[int]]) -> None:
    """Plain forward passes over as many tokens as prompt and options have, in the same batches."""
    with torch.inference_mode():
        for batch in batches:
            length = round(sum(needed[i] for i in batch) / len(batch))
            ids = torch.ones(len(batch), length, dtype=torch.long, device=scorer.device)
            scorer.model(input_ids=ids, use_cache=False)


def ours(scorer, requests: list[dict]) -> list[dict]:
    """The records in the order of the requests, tokenizing included."""
    by_item = {record["item_id"]: record for batch in scorer.run(requests) for record in batch}
    return [by_item[request["item_id"]] for request in requests]


def harness(requests: list[dict], **task: object) -> dict:
    """Seconds and summed log-probabilities of lm-evaluation-harness."""
    questions = [(request["prompt"], request["candidates"]) for request in requests]
    with tempfile.TemporaryDirectory() as scratch:
        file, out = Path(scratch) / "task.json", Path(scratch) / "out.json"
        file.write_text(json.dumps(task | {"questions": questions}))
        command = [HARNESS_PYTHON, "-c", HARNESS, file, out]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"the harness failed:\n{done.stderr[-2000:]}")
        return json.loads(out.read_text())


def main(
    questions: Annotated[int, typer.Option(min=1, help="questions for ours and the floor")] = 64,
) -> None:
    """Fifty options a question of Xiezhi, ranked by a Llama-shaped model of 17 M parameters."""
    try:
        items = asking.items("xiezhi_specialty").sample(questions, random_state=0)
    except DataError as error:
        print(f"left out: {error}")
        return
    with tempfile.TemporaryDirectory() as folder:
        model_folder(Path(folder), [*items["question"], *items["options"].explode()])
        compare(folder, items)


def compare(folder: str, items: pd.DataFrame) -> None:
    """Record ours, the floor and the harness on the same questions."""
    from runners.local import Local
    from runners.spec import RunSpec

    scorer = Local(RunSpec(model=folder))
    base = scorer.base("completions", {})
    requests = asking.requests(items, prompts.template("xiezhi_zh"), base, None)
    asked = [scorer.split(request).question for request in requests]
    vocabulary = scorer.model.config.vocab_size
    batches = shared_prefix.fit(asked, vocabulary, scorer.tokens)
    needed = [len(one.prompt) + sum(map(len, one.options)) for one in asked]
    parameters = scorer.model.num_parameters() / 1e6
    work = (
        f"{len(items)} questions x 50 options, {parameters:.1f} M parameters on "
        f"{scorer.device.type}, {torch.get_num_threads()} threads, "
        f"{sum(needed) / len(items):.0f} tokens a question"
    )
    ours(scorer, requests[:8])
    (seconds, records), (plain, _) = alternately(
        lambda: ours(scorer, requests),
        lambda: floor(scorer, needed, batches),
    )
    what, peer = "rank fifty options", "one plain forward pass"
    times, way = (f"{seconds:.2f} s", f"{plain:.2f} s"), f"Way: {scorer.way}."
    record(Row(what, work, peer, *times, seconds / plain, 1.3, False, way))
    if not HARNESS_PYTHON.exists():
        print(f"no {PEER} at {HARNESS_PYTHON}: see the head of bench/ranking.py")
        return
    task = {"model": folder, "device": scorer.device.type}
    runs = {size: harness(requests[:FEW], size=size, **task) for size in SIZES}
    best = min(runs, key=lambda size: runs[size]["seconds"])
    rate, theirs = len(items) / seconds, FEW / runs[best]["seconds"]
    note = f"Batch size {best}, the best of {SIZES}, on {FEW} of the questions."
    rates = (f"{rate:.2f} questions/s", f"{theirs:.3f} questions/s")
    record(Row(what, work, PEER, *rates, rate / theirs, 30, True, note))
    options = [option for one in records[:FEW] for option in one["scores"]["options"]]
    sums = zip((sum(option["logprobs"]) for option in options), runs[best]["sums"], strict=True)
    far = max(abs(one - other) for one, other in sums)
    record(
        Row(
            "largest difference of a score",
            f"{len(options)} options",
            PEER,
            "",
            "",
            far,
            1e-4,
            False,
            f"{far:.1e}",
        )
    )


if __name__ == "__main__":
    typer.run(main)
