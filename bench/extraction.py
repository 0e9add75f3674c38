"""Speed of the column forms of Direct Answer and Concern All Answer against one call a response, in one process.

The responses are real (`acegpt_arabic_mmlu`, short, and `thai_exam_102models`, long), repeated to the number of rows asked for.
The loop gets Python strings, the column form a pandas column; both give the same choices, or this stops.
"""

import gzip
import itertools
import json
import statistics
import time
import tracemalloc
from pathlib import Path
from typing import Annotated

import pandas as pd
import pyarrow as pa
import typer

from analysis import paths
from analysis.extraction import concern_all_answer, concern_all_answers, direct_answer, direct_answers

CORPORA = {
    "short": ("acegpt_arabic_mmlu/responses/*.jsonl", "response"),
    "long": ("thai_exam_102models/responses_*.jsonl.gz", "text"),
}
METHODS = {"da": (direct_answer, direct_answers), "caa": (concern_all_answer, concern_all_answers)}


def responses(folder: Path, corpus: str) -> list[str]:
    pattern, field = CORPORA[corpus]
    found = []
    for file in sorted(folder.glob(pattern)):
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
            found += [json.loads(line)[field] for line in lines]
    if not found:
        raise typer.BadParameter(f"no {pattern} in {folder}")
    return found


def timed(*functions, repeat: int) -> list[tuple[float, list]]:
    """Median processor seconds and last result of each function; they take turns, so that a busy machine troubles all alike."""
    seconds, results = [[] for _ in functions], [[]] * len(functions)
    for _ in range(repeat):
        for number, function in enumerate(functions):
            start = time.process_time()
            results[number] = function()
            seconds[number].append(time.process_time() - start)
    return [(statistics.median(taken), list(result)) for taken, result in zip(seconds, results, strict=True)]


def peak(function) -> int:
    """Most bytes that Python, numpy and Arrow take during a call."""
    before = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(before)
    pa.set_memory_pool(counted)
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] + counted.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)


def compare(corpus: str, texts: list[str], method: str, repeat: int) -> str:
    """One line of the table."""
    one, many = METHODS[method]
    column = pd.Series(texts, dtype="str")
    rows, size = len(texts), column.nbytes
    calls = (lambda: [one(text, 4) for text in texts]), (lambda: many(column, 4))
    (loop, expected), (fast, found) = timed(*calls, repeat=repeat)
    if found != expected:
        raise SystemExit(f"{corpus}, {method}: the two forms differ")
    memory = peak(lambda: many(column, 4)) / size
    each = f"{corpus:9} {rows:9,}  {size / rows:10.0f}  {method:6}"
    return f"{each}  {loop:6.2f}  {fast:8.3f}  {loop / fast:5.1f}  {memory:11.2f}"


def main(
    rows: Annotated[int, typer.Option(help="Responses to extract from.")] = 1_000_000,
    repeat: Annotated[int, typer.Option(help="Repetitions; the median counts.")] = 3,
    data: Annotated[Path | None, typer.Option(help="Folder of the benchmark files (default: POLYEXAM_DATA).")] = None,
) -> None:
    """Print processor seconds, ratio and memory for short, long and all real responses."""
    texts = {corpus: responses(data or paths.benchmarks(), corpus) for corpus in CORPORA}
    texts["both"] = texts["short"] + texts["long"]
    print("responses      rows  bytes each  method  loop s  column s  ratio  peak / text")
    for corpus, distinct in texts.items():
        repeated = list(itertools.islice(itertools.cycle(distinct), rows))
        for method in METHODS:
            print(compare(corpus, repeated, method, repeat), flush=True)


if __name__ == "__main__":
    typer.run(main)
