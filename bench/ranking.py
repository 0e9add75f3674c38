"""Fifty options, ranked: questions per second beside lm-evaluation-harness and beside the floor, in one run.

The floor is one plain forward pass of as many tokens as prompt and options have, a question at a time or several. The
harness runs in an environment of its own, on the same model folder, prompts and options:

    python -m venv bench/.venv-lm-eval
    bench/.venv-lm-eval/bin/pip install torch lm-eval==0.4.13 transformers
    POLYEXAM_DATA=... python -m bench.ranking --harness bench/.venv-lm-eval/bin/python
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from analysis import benchmarks
from runners import ranking, shared_prefix

SIZES = (1, 4, 16, 64)  # batch sizes that the harness is tried at
HARNESS = """
import json, sys, time, logging
logging.disable(logging.WARNING)
import torch
torch.set_num_threads(int(sys.argv[3]))
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
task = json.load(open(sys.argv[1]))
requests = [Instance("loglikelihood", {}, (prompt, option), 0) for prompt, options in task["questions"] for option in options]
size = int(sys.argv[4])
model = HFLM(pretrained=task["model"], device=task["device"], dtype="float32", batch_size=size)
model.loglikelihood(requests[:size], disable_tqdm=True)
start = time.perf_counter()
found = model.loglikelihood(requests, disable_tqdm=True)
json.dump({"seconds": time.perf_counter() - start, "sums": [value for value, _ in found]}, open(sys.argv[2], "w"))
"""


def model_folder(folder: Path, texts: list[str], vocabulary: int = 16000) -> None:
    """A Llama-shaped model of about 17 million random parameters, with a byte-level BPE tokenizer trained on `texts`."""
    from tokenizers import ByteLevelBPETokenizer, Tokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=vocabulary, special_tokens=["<pad>", "<s>", "</s>"], show_progress=False)
    made = Tokenizer.from_str(trained.to_str())
    PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<pad>").save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 320, "intermediate_size": 864, "num_hidden_layers": 6, "num_attention_heads": 5}
    ids = {"vocab_size": vocabulary, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    LlamaForCausalLM(LlamaConfig(**sizes, **ids, max_position_embeddings=4096, initializer_range=0.05)).save_pretrained(folder)


def timed(work) -> tuple[float, object]:
    """Seconds and result; the accelerator is waited for."""
    start = time.perf_counter()
    result = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def floor(scorer, asked: list, batches: list[list[int]], all_logits: bool = True) -> float:
    """Seconds of plain forward passes over as many tokens as prompt and options have, in the same batches.

    `all_logits`: the model's output layer at every place, as one plain pass has it; otherwise at the options' places only.
    """
    sizes = [_needed(a) for a in asked]
    kept = [sum(map(len, a.question.options)) + 1 for a in asked]

    def work():
        with torch.inference_mode():
            for part in batches:
                ids = torch.ones(len(part), round(sum(sizes[i] for i in part) / len(part)), dtype=torch.long)
                keep = 0 if all_logits else round(sum(kept[i] for i in part) / len(part))
                scorer.model(input_ids=ids.to(scorer.device), use_cache=False, logits_to_keep=keep)

    return timed(work)[0]


def ours(scorer, requests: list[dict]) -> tuple[float, list[dict]]:
    """Seconds from requests to records, tokenizing included, and the records in the order of the requests."""
    seconds, records = timed(lambda: [record for part in scorer.run(requests) for record in part])
    by_item = {record["item_id"]: record for record in records}
    return seconds, [by_item[request["item_id"]] for request in requests]


def harness(python: str, folder: str, requests: list[dict], size: int, device: str, threads: int) -> dict:
    """Seconds and summed log-probabilities of lm-evaluation-harness at one batch size."""
    with tempfile.TemporaryDirectory() as scratch:
        task, out = Path(scratch) / "task.json", Path(scratch) / "out.json"
        questions = [(request["prompt"], request["candidates"]) for request in requests]
        task.write_text(json.dumps({"model": folder, "questions": questions, "device": device}))
        done = subprocess.run(
            [python, "-c", HARNESS, task, out, str(threads), str(size)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"the harness failed:\n{done.stderr[-2000:]}")
        return json.loads(out.read_text())


def main() -> None:
    """Time the three and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--harness", help="python of an environment with lm-eval 0.4.13; without it only the floor is compared")
    parser.add_argument("--questions", type=int, default=64, help="questions for ours and the floor")
    parser.add_argument("--few", type=int, default=3, help="of them, how many the harness gets at each batch size")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=4096, help="places in one forward pass of ours")
    given = parser.parse_args()
    from runners.ranker import Ranker

    torch.set_num_threads(given.threads)
    items = ranking.items("xiezhi_specialty").sample(given.questions, random_state=0)
    texts = [line for item in items.itertuples() for line in (item.question, *item.options)]
    with tempfile.TemporaryDirectory() as folder:
        model_folder(Path(folder), texts)
        scorer = Ranker(folder, tokens=given.tokens)
        requests = ranking.requests(items, benchmarks.template("xiezhi_zh"), scorer.base("completions", {}))
        asked = [scorer.split(request) for request in requests]
        batches = shared_prefix.fit([a.question for a in asked], scorer.model.config.vocab_size, scorer.way, given.tokens)
        ours(scorer, requests[:8])
        rounds = []
        for _ in range(given.repeats):
            plain, bare = (floor(scorer, asked, batches, all_logits) for all_logits in (True, False))
            rounds.append((*ours(scorer, requests), plain, bare))
        records = rounds[0][1]
        seconds = statistics.median(found for found, *_ in rounds)
        report = {
            "device": str(scorer.device),
            "threads": given.threads,
            "parameters": sum(p.numel() for p in scorer.model.parameters()),
            "way": scorer.way,
            "questions": len(requests),
            "mean prompt tokens": statistics.mean(len(a.question.prompt) for a in asked),
            "mean option tokens": statistics.mean(sum(map(len, a.question.options)) for a in asked),
            "ours: questions per second": len(requests) / seconds,
            "time over floor": statistics.median(found / plain for found, _, plain, _ in rounds),
            "time over floor without the prompt's logits": statistics.median(found / bare for found, _, _, bare in rounds),
            "tokens over floor": _computed(asked, batches) / sum(_needed(a) for a in asked),
        }
        if given.harness:
            few = requests[: given.few]
            runs = {size: harness(given.harness, folder, few, size, scorer.device.type, given.threads) for size in SIZES}
            best = min(runs, key=lambda size: runs[size]["seconds"])
            sums = [sum(option["logprobs"]) for record in records[: given.few] for option in record["scores"]["options"]]
            rates = {size: len(few) / run["seconds"] for size, run in runs.items()}
            report |= {
                "harness: questions per second": rates,
                "harness: best batch size": best,
                "ours over harness": report["ours: questions per second"] / rates[best],
                "largest difference of a score": max(abs(a - b) for a, b in zip(sums, runs[best]["sums"], strict=True)),
            }
    print(json.dumps(report, indent=1))


def _needed(asked) -> int:
    return len(asked.question.prompt) + sum(map(len, asked.question.options))


def _computed(asked: list, batches: list[list[int]]) -> int:
    """Places in the packed batches, padding included."""
    nodes = [len(shared_prefix.tree(a.question.options).tokens) for a in asked]
    return sum(len(p) * (max(len(asked[i].question.prompt) for i in p) + max(nodes[i] for i in p)) for p in batches)


if __name__ == "__main__":
    main()
