"""What does the way in which options were drawn give away? Rankers without knowledge.

Each gives a score an option, the higher the better; none uses the answer. Baselines that choose one
option are in `baselines`, and rank here too.
"""

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import paths
from analysis.answers import baselines
from analysis.errors import DataError
from analysis.papers.xiezhi import option_sampling
from analysis.results import ranking

_COMPANIONS = 3  # confusing options that belong to the question
_COUNTS = (4, 8, 16, 32, 50)  # options a question for which the baselines are recorded
_LEVELS = ["category", "first_level", "second_level"]
_RANK_COLUMNS = ["benchmark", "item_id", *_LEVELS, "model", "better", "tied"]
_TABLE_COLUMNS = "benchmark setting n_options model metric value unit n".split()
_TABLE_COLUMNS += ["ci_low", "ci_high"]
_RANKS = paths.BASELINES / "rankings.parquet"
TABLE, OPTIONS = (paths.BASELINES / f"ranking_{name}.csv" for name in ("option_counts", "options"))


def listed(question: str, options: list[str]) -> np.ndarray:
    """Options in the order of the question."""
    return -np.arange(len(options), dtype=float)


def _shared(options: list[str]) -> np.ndarray:
    """How many different characters each two options share, shape (options, options)."""
    place = {character: i for i, character in enumerate(set("".join(options)))}
    contains = np.zeros((len(options), len(place)), dtype=int)
    for row, option in enumerate(options):
        contains[row, [place[character] for character in option]] = 1
    return contains @ contains.T


def _nearest(question: str, options: list[str]) -> np.ndarray:
    """Jaccard similarity of its characters to those of its three nearest options: the right one
    comes with three like it.
    """
    shared = _shared(options)
    size = shared.diagonal()
    either = size[:, None] + size - shared
    similarity = shared / either - np.eye(len(size))
    return np.sort(similarity, axis=1)[:, -_COMPANIONS:].sum(axis=1)


def _sheltered(question: str, options: list[str]) -> np.ndarray:
    """1 where at most three other options share a character with it, else 0."""
    sharing = (_shared(options) > 0).sum(axis=1) - 1
    return (sharing <= _COMPANIONS).astype(float)


def combined(question: str, options: list[str]) -> np.ndarray:
    """Lexical overlap with the question, plus half of `_nearest` and half of `_sheltered` (weights
    set by hand, not fitted).
    """
    overlap = baselines.lexical_overlap(question, options)
    return overlap + _nearest(question, options) / 2 + _sheltered(question, options) / 2


RANKERS = {
    "baseline/longest-option": baselines.longest_option,
    "baseline/as-listed": listed,
    "baseline/lexical-overlap": baselines.lexical_overlap,
    "baseline/char-ngram": baselines.char_ngram_similarity,
    "baseline/nearest": _nearest,
    "baseline/combined": combined,
}


def rank(items: pd.DataFrame, name: str, ranker: baselines.Scorer) -> pd.DataFrame:
    """Ranks of the right options (see `ranking.rank_frame`); scores that agree to nine digits are
    ties.
    """
    by_item = {
        item.item_id: ranker(item.question, item.options).round(baselines.DIGITS)
        for item in items.itertuples()
    }
    return ranking.rank_frame(items, by_item, name, "0-shot")


def write(
    benchmarks: Iterable[str], widened: Callable[[str, int, str], pd.DataFrame]
) -> list[Path]:
    """Rank the questions of benchmarks by every baseline and write what the reports need: no
    question text.

    `_RANKS`: ranks under the paper's rule with 50 options, an item of a ranker a row. `TABLE`:
    metrics for fewer options and for the published code's rule. `OPTIONS`: fingerprints of the
    drawn options.

    Parameters
    ----------
    widened : callable
        benchmark, number of options, rule -> items with drawn options.
    """
    kept = []
    tables = []
    prints = []
    settings = [("paper", n) for n in _COUNTS] + [("released", _COUNTS[-1])]
    for benchmark, (rule, n) in itertools.product(benchmarks, settings):
        items = widened(benchmark, n, rule)
        ranked = pd.concat(rank(items, *named) for named in RANKERS.items())
        tables.append(ranking.table(ranked).assign(setting=rule, n_options=n))
        prints.append([benchmark, n, rule, option_sampling.fingerprint(items)])
        if (rule, n) == ("paper", _COUNTS[-1]):
            kept.append(ranked.sort_values("item_id", kind="stable"))  # compresses well
    ranks = pd.concat(kept)[_RANK_COLUMNS].astype({"better": "uint8", "tied": "uint8"})
    ranks.to_parquet(_RANKS, compression="zstd", compression_level=19, index=False)
    fingerprints = pd.DataFrame(prints, columns=["benchmark", "n_options", "rule", "sha256"])
    for frame, file in ((pd.concat(tables)[_TABLE_COLUMNS], TABLE), (fingerprints, OPTIONS)):
        frame.to_csv(file, index=False, float_format="%.6g", lineterminator="\n")
    return [_RANKS, TABLE, OPTIONS]


def recorded() -> pd.DataFrame:
    """The committed ranks in the columns that `ranking.table` reads, `n_options` 50."""
    if not _RANKS.is_file():
        reason = "the baselines' ranks are not there: polyexam ranking baselines"
        raise DataError(reason, file=_RANKS)
    ranks = pd.read_parquet(_RANKS).astype({"better": int, "tied": int})
    return ranks.assign(setting="0-shot", n_options=_COUNTS[-1])


def by_option_count() -> pd.DataFrame:
    """The committed metrics by number of options and rule (`setting`)."""
    return pd.read_csv(TABLE)
