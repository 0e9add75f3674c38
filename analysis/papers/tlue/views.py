"""TLUE's tables as a reader wants them: the paper's rows and columns, baselines and own runs below."""

import pandas as pd

from analysis import tables
from analysis.answers import ANY, label, recorded
from analysis.papers.tlue.arithmetic import SUBJECT_TABLES, with_average
from analysis.results import averages, metrics, published

# Which printed table holds what, by benchmark.
TABLES = {
    "ti_mmlu": {
        "leaderboard": "table_01",
        "subjects": {
            "subjects_caa_1": "table_14",
            "subjects_caa_2": "table_15",
            "subjects_da_1": "table_16",
            "subjects_da_2": "table_17",
        },
        "gap": "table_05",
        "rates": "table_07",
        "reasoning": "table_09",
        "conditional": "table_11",
        "scale": "table_12",
    },
    "ti_safetybench": {
        "leaderboard": "table_02",
        "subjects": {},
        "gap": "table_06",
        "rates": "table_08",
        "reasoning": "table_10",
        "conditional": None,
        "scale": "table_13",
    },
}
METHODS = {name: label(name) for name in ("da", "caa")} | {ANY: "DA = CAA", "chance": "–"}
SOURCE_BENCHMARK = {"ti_mmlu": "cmmlu", "ti_safetybench": "safetybench"}
ENDS = {
    "ti_mmlu": ("CMMLU (Chinese)", "Ti-MMLU (Tibetan)"),
    "ti_safetybench": ("SafetyBench (Chinese)", "Ti-SafetyBench (Tibetan)"),
}
AVERAGE_LABEL = {"ti_mmlu": "accuracy (%), mean over five categories", "ti_safetybench": "accuracy (%), over questions"}
REASONING_PAIRS = [("DeepSeek-R1", "DeepSeek-V3"), ("o1-mini", "GPT-4o")]
# Printed averages are made of printed parts: half a unit of the parts' last digit for each rounding on the way.
SLACK = {"ti_mmlu": 0.01, "ti_safetybench": 0.05}


def runs(benchmark: str, outputs: pd.DataFrame | None = None, models: list[str] = ()) -> pd.DataFrame:
    """Categories and the paper's average of what has been run: the baselines (always shown) and the cached outputs of `models` (or all)."""
    found = metrics.runs(benchmark, outputs, ["da", "caa"])
    level = "subject" if benchmark == "ti_mmlu" else "category"
    cells = published.select(found, group_by=level, metric="accuracy")
    if models:
        cells = cells[cells["model"].isin(models) | cells["model"].str.startswith(recorded.BASELINE)]
    return with_average(cells, benchmark) if len(cells) else cells


def stack(*frames: pd.DataFrame) -> pd.DataFrame:
    """`results` frames below each other."""
    return pd.concat([frame for frame in frames if len(frame)], ignore_index=True)


def overview_table(beside: pd.DataFrame, runs: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """The printed table with marks, and below it the rows of `runs`."""
    rows = {"printed_model": "Model", "setting": "Method"}
    wide = tables.as_printed(beside, rows, names=names).assign(Source="published")
    if len(runs):
        own = runs.assign(group=runs["group"].where(runs["group_by"] != "average", "printed"), printed_model=runs["model"])
        wide = pd.concat([wide, tables.run_rows(own, rows, names).assign(Source="run")], ignore_index=True)
    return wide.replace({"Method": METHODS})


def subject_table(artifact: str, cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One of the per-subject tables: as printed with n, and in long form with counts and intervals.

    `cells` are the subjects' counts; the table's last row is the average over subjects.
    """
    assert artifact in SUBJECT_TABLES
    printed = published.results(
        "tlue", artifact=artifact, model=list(cells["model"].unique()), setting=list(cells["setting"].unique())
    )
    if printed.empty:
        return printed, printed
    long = tables.beside(printed, stack(cells, averages.overall(cells)), slack=0.005)
    names = {model: model for model in dict.fromkeys(printed["model"])}
    wide = tables.as_printed(long, {"group": "Subject"}, "model", names).replace({"Subject": {"printed": "Average"}})
    n = long.drop_duplicates("group").set_index("group")["n"].rename(index={"printed": "Average"})
    wide.insert(1, "n", wide["Subject"].map(n).astype(int))
    counts = cells[["model", "setting", "group", "correct"]]
    return wide, long.merge(counts, on=["model", "setting", "group"], how="left").astype({"correct": "Int64"})


def rank_table(ranked: pd.DataFrame) -> pd.DataFrame:
    """Ranks with their intervals, a row a model and method."""
    return pd.DataFrame(
        {
            "Method": ranked["setting"].map(METHODS),
            "Rank": ranked["rank"],
            "95 % ranks": [f"{low:.0f} to {high:.0f}" for low, high in zip(ranked["rank_low"], ranked["rank_high"], strict=True)],
            "Model": ranked["model"],
            "Accuracy (%)": ranked["value"],
            "95 % interval": _intervals(ranked),
        }
    )


def _intervals(frame: pd.DataFrame, low: str = "ci_low", high: str = "ci_high", digits: int = 1) -> list[str]:
    return [f"{a:.{digits}f} to {b:.{digits}f}" for a, b in zip(frame[low], frame[high], strict=True)]


def _category(groups: pd.Series) -> pd.Series:
    return groups.replace({"printed": "Average", "categories": "Average", "questions": "Average"})


def drop_table(drops: pd.DataFrame) -> pd.DataFrame:
    """Drops with intervals, a row a pair and category."""
    return pd.DataFrame(
        {
            "Models": drops["pair"],
            "Same model": drops["same_model"],
            "Category": _category(drops["group"]),
            "Chinese (%)": drops["high"],
            "Tibetan (%)": drops["low"],
            "Drop (points)": drops["drop"],
            "95 % interval": _intervals(drops, "drop_low", "drop_high"),
            "Share lost (%)": drops["lost"],
        }
    )


def rank_change_table(changes: pd.DataFrame) -> pd.DataFrame:
    """Ranks at both ends."""
    return pd.DataFrame(
        {
            "Models": changes["pair"],
            "Rank, Chinese": changes["rank_high"],
            "95 % ranks, Chinese": _intervals(changes, "rank_high_low", "rank_high_high", 0),
            "Rank, Tibetan": changes["rank_low"],
            "95 % ranks, Tibetan": _intervals(changes, "rank_low_low", "rank_low_high", 0),
        }
    )


def paired_table(paired: pd.DataFrame) -> pd.DataFrame:
    """Paired drops of the baselines."""
    return pd.DataFrame(
        {
            "Baseline": paired["model"].str.removeprefix(recorded.BASELINE),
            "Category": paired["group"],
            "n": paired["n"],
            "Chinese (%)": paired["first"],
            "Tibetan (%)": paired["second"],
            "Difference (points)": paired["difference"],
            "95 % interval": _intervals(paired),
            "p (Holm)": [f"{p:.3f}" for p in paired["p_holm"]],
        }
    )


def difference_table(tests: pd.DataFrame) -> pd.DataFrame:
    """Differences between two models, a row a method and category."""
    return pd.DataFrame(
        {
            "First": tests["first"],
            "Second": tests["second"],
            "Method": tests["setting"].map(METHODS),
            "Category": _category(tests["group"]),
            "First (%)": tests["value_first"],
            "Second (%)": tests["value_second"],
            "Difference (points)": tests["difference"],
            "95 % interval": _intervals(tests, digits=2),
            "p (Holm)": [f"{p:.3f}" if p >= 0.001 else "< 0.001" for p in tests["p_holm"]],
        }
    )


def of_families(results: pd.DataFrame, families: list[str], methods: list[str]) -> pd.DataFrame:
    """Rows of the models of `families`, with `family` and `parameters_b`."""
    known = published.models("tlue")[["family", "parameters_b"]]
    joined = results.join(known, on="model")
    return published.select(joined[joined["parameters_b"].notna()], family=families, setting=methods)


def size_steps(families: list[str]) -> list[tuple[str, str]]:
    """Pairs (larger, next smaller) within each family."""
    known = published.models("tlue").dropna(subset="parameters_b")
    steps = []
    for family in families:
        names = known[known["family"] == family].sort_values("parameters_b").index
        steps += list(zip(names[1:], names[:-1], strict=True))
    return steps
