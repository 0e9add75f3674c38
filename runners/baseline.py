"""Knowledge-free baselines as models: they run through the same cache, and their answers are
committed compactly.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pandas as pd

from analysis import paths, whole
from analysis.answers import baselines
from runners import cache

# counted up when a baseline's rule changes, so that old outputs are not taken for new ones
_REVISION = "1"


@dataclass(frozen=True)
class Baseline:
    """One of `analysis.answers.baselines`, named `baseline/<name>`.

    Attributes
    ----------
    model : str
    seed : int
        Decides the draws of the random baselines; the others ignore it.
    """

    model: str
    seed: int

    def requests(self, items: pd.DataFrame) -> list[dict]:
        """One request an item, with all that the answer may depend on."""
        about = {
            "runner": "baseline",
            "model": self.model,
            "revision": _REVISION,
            "seed": self.seed,
        }
        asked = items[["benchmark", "item_id", "question", "options"]].to_dict("records")
        return [about | item for item in asked]

    def run(self, pending: Iterable[dict]) -> Iterator[list[dict]]:
        """Yield records, a thousand at a time."""
        pending = iter(pending)
        while part := list(islice(pending, 1000)):
            items = pd.DataFrame(part)
            answers = baselines.answer(items, self.model, self.seed)
            rows = zip(part, answers["choice"], answers["scores"], strict=True)
            yield [
                cache.record(request, response=choice, scores={"options": scores.tolist()})
                for request, choice, scores in rows
            ]


def compact(benchmark: str, items: pd.DataFrame) -> Path:
    """Write `data/baselines/<benchmark>.csv`: an item a row, a baseline a column, cells like `B-`
    (chose B, wrong).

    An item without a key gets the choice alone.
    """
    # anatomy/10 comes after anatomy/9
    natural = items["item_id"].str.replace(r"\d+", lambda number: number[0].zfill(12), regex=True)
    items = items.iloc[natural.argsort(kind="stable")].reset_index(drop=True)
    table = items[["item_id", "subject", "category"]].assign(n_options=items["options"].map(len))
    for name in sorted(baselines.BASELINES):
        choices = baselines.answer(items, name)["choice"]
        marks = (items["answer"] == choices).map({True: "+", False: "-"})
        table[name] = choices + marks.mask(items["answer"].isna(), "")
    target = paths.BASELINES / f"{benchmark}.csv"
    whole.write(target, table.to_csv(index=False).encode())
    return target
