"""The item browser on answers of 100 models read from files, as long as real ones, in a fresh
process: seconds, CPU seconds and memory of its steps and of the questions of docs/explore.md.

    python -m bench.browsing FOLDER [ITEMS]

The files are written where FOLDER is not there yet, and stay: the second time is warm.
"""

import os
import random
import re
import sys
import time
from pathlib import Path

from analysis import paths
from bench.common import peak
from runners import cache

MODELS = ["alpha", "beta", *(f"model-{number}" for number in range(98))]
# characters before the answer: half of the responses are short, a tenth reason at length
LENGTHS = [0] * 5 + [400] * 2 + [1_500] * 2 + [4_000]
ENDS = ["The answer is A", "B", "So it is C.", "I am not sure", "D) four"]
STEPS = """
import polyexam as px
b = px.browse("mine")
b.subjects.value = ("law",)
b.text.value = "not sure"
b.regex.value, b.text.value = True, "n.t s[uv]re"
"""


def write(n: int) -> None:
    """Files of a benchmark of `n` items and of all runs."""
    from analysis.items import derived

    draw = random.Random(0)
    letters = "".join(draw.choices("etaoin shrdlu ", k=1_000_000))
    options = {"benchmark": "mine", "language": "en", "options": ["one", "two", "three", "four"]}
    items = []
    for place in range(n):
        item = {"item_id": f"i/{place}", "question": f"What is {place}?"}
        item |= {"answer": draw.choice("ABCD"), "subject": draw.choice(["law", "art", "logic"])}
        items.append(options | item)
    derived.write("mine", items)
    for model in MODELS:
        file = cache.file("mine", model)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as handle:
            for item in items:
                start = draw.randrange(900_000)
                text = letters[start : start + draw.choice(LENGTHS)] + "\n" + draw.choice(ENDS)
                request = {"benchmark": "mine", "model": model, "item_id": item["item_id"]}
                request |= {"revision": "1", "runner": "made-up"}
                handle.write(cache.encode(cache.record(request, response=text)))


def main(folder: str, items: str = "10000") -> None:
    """Print the seconds of each step."""
    os.environ |= {f"POLYEXAM_{name}": f"{folder}/{name}" for name in ("OUTPUTS", "DATA")}
    if not Path(folder).exists():
        write(int(items))
    page = (paths.ROOT / "docs" / "explore.md").read_text(encoding="utf-8")
    space = {}
    for line in [*STEPS.strip().split("\n"), *re.findall(r"^\|.*?\| `(px.*?)` \|", page, re.M)]:
        wall, cpu = time.perf_counter(), time.process_time()
        exec(line, space)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{wall:7.2f} s {cpu:7.2f} s CPU {peak():6.0f} MB  {line}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
