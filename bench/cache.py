"""Speed of the outputs cache: a million outputs read, against pandas on the same
file, in one run.

The file is written first (about a kilobyte a record, prompts in Chinese, answers in Thai), into a
temporary folder. Each reading runs in a process of its own, whose largest memory is shown beside
its seconds.
"""

import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bench.common import Row, alone, record
from runners import cache
from runners.journal import Journal

COLUMNS = ["item_id", "model", "response", "error", "finish_reason"]
PROMPT = (
    "请回答下面的单项选择题，只写出正确选项的字母。\n\n"
    "{number} 把一年分成春夏秋冬，这样一共得到几个季节？"
    "请从下面给出的四个答案里选出唯一正确的一个\nA. 两个\nB. 四个\nC. 六个\nD. 八个\n答案："
)
ANSWER = "คำตอบที่ถูกต้องคือ {letter} เพราะข้อมูลข้างต้น {number}"


def made(number: int, draw: random.Random) -> dict:
    item_id = f"subject_{number % 67}/{number}"
    request = {"runner": "openai", "model": "model", "revision": "r", "kind": "chat"}
    request |= {"benchmark": "b", "item_id": item_id, "sample": 0}
    request["params"] = {"max_tokens": 1024, "temperature": 0}
    request["messages"] = [{"role": "user", "content": PROMPT.format(number=number)}]
    if draw.random() < 0.01:
        return cache.record(request, error="timeout: no answer in 600 s", turn=1)
    response = ANSWER.format(letter=draw.choice("ABCD"), number=number)
    usage = {"total_tokens": 180}
    return cache.record(
        request, response=response, finish_reason="stop", usage=usage, turn=1, setting="0-shot"
    )


def written(n: int, folder: Path, first: int = 0) -> Path:
    """`n` cached JSON lines, of the questions from number `first` on."""
    path, draw = folder / "b" / "model.jsonl", random.Random(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as handle:
        for number in range(first, first + n):
            handle.write(cache.encode(made(number, draw)))
    return path


def pandas(path: Path) -> int:
    import pandas as pd

    return len(pd.read_json(path, lines=True))


def first(path: Path) -> int:
    return len(cache.read("b", columns=COLUMNS, folder=path.parent.parent))


def index(path: Path) -> int:
    return len(Journal(path))


READINGS = {
    "pandas.read_json(lines=True)": pandas,
    "journal: index of a resumed run": index,
    "load 5 columns, Parquet copy made first": first,
    "load 5 columns": first,
}

# what, reading, times as fast as pandas at least
OURS = [
    ("load outputs, cold", "load 5 columns, Parquet copy made first", 10),
    ("load outputs, warm", "load 5 columns", 100),
]


def main(
    rows: Annotated[int, typer.Option(help="Outputs in the file.")] = 1_000_000,
) -> None:
    taken = {}
    with tempfile.TemporaryDirectory() as temporary:
        path = written(rows, Path(temporary))
        print(f"{rows:,} outputs, {path.stat().st_size / 1e6:,.0f} MB")
        for name, reading in READINGS.items():
            cost = alone(partial, reading, path)
            taken[name] = cost.seconds
            print(f"{name:42} {cost.seconds:7.2f} s {cost.peak:8,.0f} MB {cost.result:>10,} rows")
    peer = "pandas.read_json(lines=True)"
    work = f"{rows:,} cached JSON lines, {len(COLUMNS)} columns"
    for what, reading, target in OURS:
        ours, theirs = taken[reading], taken[peer]
        times = f"{ours:.2f} s", f"{theirs:.1f} s"
        record(Row(what, work, peer, *times, theirs / ours, target))


if __name__ == "__main__":
    typer.run(main)
