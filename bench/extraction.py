"""Processor seconds of extraction, outputs to answers, beside the least that any extraction in
Python does: one `re.findall` a response.

The responses are real (`thai_exam_102models`, 1,144 bytes each), repeated to the number of rows
asked for.
"""

import itertools
import re
import time
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from analysis import answers, paths
from bench import logs
from bench.common import Row, alternately, record

# every rule is tried, on words such as "so" and "correct", too
UNSTATED = 6 * (
    "First we look at the cell, so it is not clear which part of it grows. In 1998 they gave "
    "3.5 mg to 12 patients, and the dose was correct. ความดันในภาชนะเพิ่มขึ้นในขณะที่อุณหภูมิคงที่ "
)
# seconds for a million responses of this length
MOST = {"da": 60, "caa": 60, "regex_patterns": 200, "final_answer": 200}


def repeated(log: pd.DataFrame, rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Outputs, every row a run's own, and items."""
    place, again = np.arange(rows) % len(log), np.arange(rows) // len(log)
    outputs = log.iloc[place][["item_id", "model", "text"]].reset_index(drop=True)
    outputs["model"] += "/" + pd.Series(again.astype(str))
    outputs = outputs.rename(columns={"text": "response"}).assign(benchmark="b")
    items = log.drop_duplicates("item_id")[["item_id", "options"]]
    items = items.assign(benchmark="b", subject="s", category="c", answer="A", question="?")
    # so that the Persian patterns read them, too: none of their forms is there, all are tried
    items = items.assign(language="fa", metadata=[{}] * len(items))
    return outputs.astype({"response": "str"}), items


def compare(name: str, method: str, log: pd.DataFrame, rows: int, most: int) -> None:
    """A row: seconds for a million responses, beside those of `re.findall` alone."""
    outputs, items = repeated(log, rows)
    (ours, _), (least, _) = alternately(
        lambda: answers.extract(outputs, items, method),
        lambda: [re.findall("[A-E]", text) for text in outputs["response"].tolist()],
        repeat=1,
        clock=time.process_time,
    )
    size = outputs["response"].str.len().mean()
    record(
        Row(
            f"extraction {name}",
            f"{rows:,} responses of {size:,.0f} characters, outputs to answers",
            "re.findall alone",
            f"{ours:.2f} s",
            f"{least:.2f} s",
            1e6 * ours / rows,
            most,
            at_least=False,
        )
    )


def main(
    rows: Annotated[int, typer.Option(help="Responses to extract from.")] = 100_000,
) -> None:
    """Print processor seconds of each method; the ratio is seconds for a million responses."""
    log = logs.frame(itertools.islice(logs.thai_exam(paths.benchmarks()), rows))
    for method, most in MOST.items():
        compare(method, method, log, rows, most)
    unstated = log.assign(text=UNSTATED)
    compare("no stated choice", "final_answer", unstated, 10_000, most=1000)


if __name__ == "__main__":
    typer.run(main)
