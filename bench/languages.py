"""`polyexam languages` on 42 languages x 14,000 questions x 20 runs, 12 million stored answers: CPU
seconds and memory, the reading of items and answers included.
"""

import os
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np

from analysis import answers, whole
from analysis.answers import stored
from analysis.items import derived
from analysis.results.languages import languages
from bench.common import alone
from runners import cache
from tests import frames
from tests.made_logs import drawn


def write(n: int) -> None:
    """Items in 42 languages, and the answers of 20 runs as extraction leaves them."""
    ids = [f"l{language:02}/{number}" for language in range(42) for number in range(n)]
    codes, texts = [name[:3] for name in ids], [15 * name for name in ids]
    items = frames.items(len(ids), item_id=ids, language=codes, question=texts)
    derived.write("b", items.to_dict("records"))
    about = [answers.chosen(None, {}), stored.questions("b").digest]
    for run, rows in enumerate(drawn(np.random.default_rng(0), n, np.ones((42, 20))).T):
        file = cache.file("b", f"m{run}")
        whole.write(file, b"")
        target = stored.target_of(file, ".answers", about, "parquet")
        stored._save(frames.answers(rows.ravel(), f"m{run}", item_id=ids), target)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.environ |= {f"POLYEXAM_{name}": f"{folder}/{name}" for name in ("OUTPUTS", "DATA")}
        write(14_000)
        cost = alone(partial, languages, "b")
    print(f"{cost.cpu:.0f} CPU s, at most {cost.peak:,.0f} MB: {cost.result.heading}")
