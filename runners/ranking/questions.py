"""Questions with drawn options as requests, and their cached rankings."""

import pandas as pd

from analysis import paths, schemas
from analysis.errors import refuse_unknown
from analysis.items import read as read_items
from analysis.outputs import present
from analysis.papers.xiezhi import demonstrations, option_sampling, option_scores
from runners import cache

# The two parts of a benchmark, whose options are drawn from both
_POOLED = {
    "xiezhi_specialty": "xiezhi_interdiscipline",
    "xiezhi_interdiscipline": "xiezhi_specialty",
    "xiezhi_specialty_en": "xiezhi_interdiscipline_en",
    "xiezhi_interdiscipline_en": "xiezhi_specialty_en",
}


def items(
    benchmark: str,
    options: int = 50,
    rule: str = "paper",
    seed: int = 42,
    problems: list | None = None,
) -> pd.DataFrame:
    """Items of a benchmark with drawn options; those of Xiezhi come from both its parts.

    Parameters
    ----------
    problems : list, optional
        Receives items that cannot be read or ranked; without it the first one is raised.
    """
    questions = read_items(benchmark, problems=problems)
    parts = [questions]
    if benchmark in _POOLED:
        parts.append(read_items(_POOLED[benchmark], problems=problems))
    pool = option_sampling.Pool(pd.concat(parts))
    return option_sampling.widen(
        questions, options, pool=pool, rule=rule, seed=seed, problems=problems
    )


def examples(benchmark: str, options: int, rule: str, seed: int) -> pd.DataFrame:
    """Labelled questions of the training part, in the benchmark's language, with drawn options."""
    refuse_unknown("benchmark with labelled examples", _POOLED, benchmark)
    problems = []  # an answer that is twice among its options is no example
    name = "xiezhi_specialty_en" if benchmark.endswith("_en") else "xiezhi_specialty"
    train = read_items(name, part="train", problems=problems)
    return option_sampling.widen(train, options, rule=rule, seed=seed, problems=problems)


def requests(
    asked: pd.DataFrame, template: str, base: dict, solved: pd.DataFrame | None, shots: int = 0
) -> list[dict]:
    """A request an item, whose options are to be scored; before the question the solved examples
    that share its labels.
    """
    chosen = demonstrations.choose(asked, solved, shots) if shots else {}
    close = template[len(template.rstrip("'")) :]  # what opens the answer closes it
    requests = []
    for item in asked.itertuples():
        examples = solved.iloc[chosen[item.item_id]].itertuples() if shots else ()
        parts = [
            _filled(example, template) + example.options[option_sampling.place(example)] + close
            for example in examples
        ]
        about = {
            "benchmark": item.benchmark,
            "item_id": item.item_id,
            "score": "options",
            "candidates": list(item.options),
            "prompt": "\n\n".join([*parts, _filled(item, template)]),
        }
        requests.append(base | about)
    return requests


def _filled(item, template: str) -> str:
    """The prompt of a question, its options a line each, without labels."""
    return template.format(question=item.question, options="\n".join(item.options))


def outputs(benchmark: str) -> pd.DataFrame:
    """Cached rankings of a benchmark, by probability or in words; maybe no rows."""
    columns = "benchmark item_id model setting scores response request error".split()
    if not present(paths.outputs(), benchmark):
        return pd.DataFrame(columns=columns)
    frame = cache.read(benchmark, None, columns)
    rankings = frame["request"].map(lambda request: "sampling" in request)
    return frame[rankings].reset_index(drop=True)


def by_rule(benchmark: str, n_options: int = 50, rule: str = "paper") -> pd.DataFrame:
    """Metrics of every cached model under every way of combining log-probabilities; see
    `option_scores.by_rule`.
    """
    cached = outputs(benchmark)
    if cached.empty:
        return schemas.results()
    return option_scores.by_rule(items(benchmark, n_options, rule, problems=[]), cached)
