"""How far does each pair of models fall from a benchmark to its translation?"""

import pandas as pd

from analysis import papers
from analysis.answers import baselines
from analysis.errors import DataError
from analysis.papers import published
from analysis.statistics.intervals import adjust, mover
from analysis.statistics.pairing import paired


def translation(paper: papers.Paper, name: str = "") -> papers.Benchmark:
    """The named benchmark, or the first, that translates another one of the paper.

    Raises
    ------
    DataError
        Where there is none.
    """
    choices = [paper.benchmark(name)] if name else paper.benchmarks.values()
    for benchmark in choices:
        if benchmark.source in paper.benchmarks:
            return benchmark
    raise DataError(f"{paper.name} prints no benchmark with its translation", field="paper")


def pairs(paper: str, benchmark: papers.Benchmark) -> pd.DataFrame:
    """Pairs of models on the benchmark that `benchmark` translates and on itself.

    As `pairs.csv` of the paper lists them for the table of its gap.

    Returns
    -------
    DataFrame
        `high_model`, `low_model`, `same_model` (bool).
    """
    table = published.select(published.facts(paper, "pairs"), low_benchmark=benchmark.name)
    return table.assign(same_model=table["same_model"].eq("true"))


def drops(
    pairs: pd.DataFrame, high: pd.DataFrame, low: pd.DataFrame, printed: pd.DataFrame
) -> pd.DataFrame:
    """Score of each pair in each group, and the drop.

    Parameters
    ----------
    pairs : DataFrame
        From `pairs`.
    high, low : DataFrame
        `results` of either end with intervals; groups that both have are shown, of averages what
        the paper prints (`printed`).
    printed : DataFrame
        The low end as printed.

    Returns
    -------
    DataFrame
        `pair`, `same_model`, `group`; `high`, `high_low`, `high_high`; `low`, `low_low`,
        `low_high`, `low_printed`; `drop` with `drop_low`, `drop_high` (in the scores' unit; MOVER,
        taking the ends as independent), `lost` (share of the high value, %), `n`.
    """
    different = pairs["high_model"] + " → " + pairs["low_model"]
    pair = pairs["high_model"].where(pairs["same_model"], different)
    frame = pairs.assign(pair=pair)[["pair", "same_model", "high_model", "low_model"]]
    top = _end(high, "high").rename_axis(["high_model", "group"]).reset_index()
    bottom = _end(low, "low").drop(columns="n_effective")
    cell = ["low_model", "group"]
    frame = frame.merge(top, on="high_model").join(bottom, on=cell, how="inner")
    shown = _end(printed, "low_printed")["low_printed"]
    frame = frame.join(shown, on=cell).reset_index(drop=True)
    estimates, lows, highs = (
        [frame[f"{end}{limit}"] for end in ("high", "low")] for limit in ("", "_low", "_high")
    )
    drop, drop_low, drop_high = mover(estimates, lows, highs, [1, -1])
    frame = frame.assign(drop=drop, drop_low=drop_low, drop_high=drop_high)
    frame["lost"] = 100 * drop / frame["high"].where(frame["high"] > 0)
    frame["n"] = frame.pop("n_effective").astype("Int64")
    return frame.drop(columns=["high_model", "low_model"])


def paired_drops(*benchmarks: str) -> pd.DataFrame:
    """Accuracy of each recorded model on the same items in two benchmarks, by category and over all
    items.

    Returns
    -------
    DataFrame
        `model`, `group`, `n`, `first`, `second`, `difference` (second minus first) with `ci_low`,
        `ci_high` (`pairing.paired`), all in percent; `p` and `p_holm` (Holm over all rows).
    """
    first, second = (
        baselines.recorded(name).set_index(["model", "item_id"]) for name in benchmarks
    )
    shared = second[["category"]].assign(first=first["correct"], second=second["correct"]).dropna()
    rows = []
    for model, both in shared.groupby("model"):
        for group, part in [("all", both), *both.groupby("category", sort=False)]:
            row = {"model": model, "group": group, "n": len(part)}
            row |= part[["first", "second"]].mean()
            rows.append(row | paired(part["second"], part["first"])._asdict())
    frame = pd.DataFrame(rows).rename(columns={"low": "ci_low", "high": "ci_high"})
    frame[["first", "second", "difference", "ci_low", "ci_high"]] *= 100
    return frame.assign(p_holm=adjust(frame["p"]))


def _end(results: pd.DataFrame, name: str) -> pd.DataFrame:
    """The value as `name` and its limits; index model and group (`printed` for an average)."""
    group = results["group"].where(results["group_by"] != "average", "printed")
    names = {"value": name, "ci_low": f"{name}_low", "ci_high": f"{name}_high"}
    first = results.assign(group=group).drop_duplicates(["model", "group"])
    frame = first.reindex(columns=["model", "group", *names, "n_effective"])
    return frame.rename(columns=names).set_index(["model", "group"])
