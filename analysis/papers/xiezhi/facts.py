"""Names and orders that Xiezhi's reports share, and its printed scores."""

import numpy as np
import pandas as pd

from analysis.results import published, ranking
from analysis.statistics import intervals

PAPER = "xiezhi"
OPTIONS = 50
BENCHMARKS = {
    "mmlu": "MMLU",
    "ceval": "C-Eval",
    "m3ke": "M3KE",
    "xiezhi_specialty": "Specialty (zh)",
    "xiezhi_interdiscipline": "Interdiscipline (zh)",
    "xiezhi_specialty_en": "Specialty (en)",
    "xiezhi_interdiscipline_en": "Interdiscipline (en)",
}
XIEZHI = [name for name in BENCHMARKS if name.startswith("xiezhi")]
SHOTS = ["0-shot", "1-shot", "3-shot"]
METRIC_TABLES = {f"table_{n:02d}": name for n, name in zip((7, 8, 9, 10), (*XIEZHI[2:], *XIEZHI[:2]), strict=True)}
METRICS = {"mrr": "MRR", "hit_at_1": "Hit@1", "hit_at_4": "Hit@4", "mean_rank": "mean rank"}
RANDOM = {metric: ranking.random_expectation(metric, OPTIONS) for metric in METRICS}


def scores(setting: str | list | None = None, sound: bool = True) -> pd.DataFrame:
    """Table 1's mean reciprocal ranks of models, without the suspect cells unless `sound` is false.

    Where the number of questions is known, with the widest interval that a mean of so many reciprocal ranks can have
    (Wilson's; the paper prints no spread over questions).
    """
    frame = published.results(PAPER, artifact="table_01", metric="mrr", **({"setting": setting} if setting else {}))
    frame = frame[frame["model"] != "Random"]
    if sound:
        frame = frame[~frame["suspect"]]
    return widest(frame.reset_index(drop=True))


def widest(frame: pd.DataFrame) -> pd.DataFrame:
    """`frame` of mean reciprocal ranks with the interval of the worst case where `n` is known."""
    low, n = 1 / OPTIONS, frame["n"].astype(float).to_numpy()
    share = ((frame["value"] - low) / (1 - low)).clip(0, 1).to_numpy(float)
    safe = np.where(np.isnan(n) | np.isnan(share), 0, n)
    ends = intervals.wilson(np.where(safe > 0, share, 0) * safe, safe)
    return frame.assign(ci_low=low + (1 - low) * ends[0], ci_high=low + (1 - low) * ends[1])


def models() -> pd.DataFrame:
    """`published.models` of the paper."""
    return published.models(PAPER)


def beside(benchmark: str) -> pd.DataFrame:
    """Sound 0-shot cells of Table 1 for one benchmark; GPT-4, whose cells are damaged, from the table of four metrics."""
    own = scores("0-shot")
    artifact = next((name for name, of in METRIC_TABLES.items() if of == benchmark), None)
    other = published.results(PAPER, artifact=artifact, metric="mrr", model="GPT-4")
    other = other.assign(model=f"GPT-4 (Table {int(artifact[-2:])})") if artifact else other
    return pd.concat([own[own["benchmark"] == benchmark], widest(other)], ignore_index=True)


def column_order() -> list[tuple[str, str]]:
    """Table 1's columns as printed."""
    frame = published.results(PAPER, artifact="table_01")
    return list(dict.fromkeys(zip(frame["benchmark"], frame["setting"], strict=True)))
