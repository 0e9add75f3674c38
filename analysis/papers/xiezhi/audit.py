"""What Xiezhi's printed numbers can and cannot be: bounds, sums, and the same quantity printed twice."""

import re

import numpy as np
import pandas as pd
from scipy import stats

from analysis.papers.xiezhi import facts
from analysis.results import published, ranking
from analysis.statistics import intervals

HALF = 0.0005  # of the last printed digit
MODELS = 47


def reasons() -> pd.DataFrame:
    """Why cells are suspect, with their number, by table."""
    frame = published.results(facts.PAPER)
    frame = frame[frame["suspect"]]
    why = frame["note"].str.replace(r"[;(].*", "", regex=True).str.strip()
    counted = (
        frame.assign(why=why)
        .groupby(["artifact", "why"], sort=False)
        .agg(
            cells=("why", "size"),
            impossible=("value", lambda v: int((v < 1 / facts.OPTIONS).sum())),
            unread=("value", lambda v: int(v.isna().sum())),
        )
    )
    return counted.reset_index()


def column_sums() -> pd.DataFrame:
    """What the suspect cells of each column of Table 1 must sum to, given the printed average of its 47 models.

    `low`, `high` follow from the rounding of the average and of the sound cells; `read` is the sum of what the damaged text
    shows. Cells that cannot be read have no part in `read`.
    """
    frame = published.results(facts.PAPER, artifact="table_01")
    rows = []
    for benchmark, setting in facts.column_order():
        column = frame[(frame["benchmark"] == benchmark) & (frame["setting"] == setting)]
        cells = column[column["metric"].eq("mrr") & column["model"].ne("Random")]
        mean = column.loc[column["metric"].eq("mrr_mean"), "value"].iloc[0]
        sound, suspect = cells[~cells["suspect"]], cells[cells["suspect"]]
        rest, slack = MODELS * mean - sound["value"].sum(), HALF * (MODELS + len(sound))
        read = suspect["value"].sum()
        fits = bool(rest - slack <= read <= rest + slack) if suspect["value"].notna().all() else None
        rows.append([benchmark, setting, len(sound), len(suspect), mean, rest - slack, rest + slack, read, fits])
    columns = ["benchmark", "setting", "sound", "suspect", "printed_average", "low", "high", "read", "fits"]
    return pd.DataFrame(rows, columns=columns).astype({"fits": "boolean"})


def spread_definitions() -> pd.DataFrame:
    """The printed "Performance-Variance" of each column beside the standard deviation and the variance across models.

    Impossible readings are left out; `n` says how many of the 47 models remain. `second` is the other reading of the damaged
    line where there is one.
    """
    frame = published.results(facts.PAPER, artifact="table_01")
    rows = []
    for benchmark, setting in facts.column_order():
        column = frame[(frame["benchmark"] == benchmark) & (frame["setting"] == setting)]
        printed = column[column["metric"].eq("mrr_variance")].iloc[0]
        cells = column.loc[column["metric"].eq("mrr") & column["model"].ne("Random"), "value"]
        cells = cells[cells.between(1 / facts.OPTIONS, 1)]
        other = re.search(r"second reading (\d\.\d+)", str(printed["note"]))
        second = float(other.group(1)) if other else np.nan
        row = [benchmark, setting, len(cells), printed["value"], second, cells.std(), cells.var()]
        rows.append([*row, bool(printed["suspect"])])
    columns = ["benchmark", "setting", "n", "printed", "second", "standard_deviation", "variance", "suspect"]
    return pd.DataFrame(rows, columns=columns)


def below_random(setting: str = "0-shot") -> pd.DataFrame:
    """Sound cells on Xiezhi's parts against random ranking: is the printed MRR lower or higher than chance explains?

    The reciprocal rank of a random ranking has a known variance, so that the test needs the number of questions alone
    (normal approximation with n > 10,000; two-sided, Holm over all cells).
    """
    cells = facts.scores(setting)
    cells = cells[cells["n"].notna()].reset_index(drop=True)
    r = 1 / np.arange(1, facts.OPTIONS + 1)
    error = np.sqrt(r.var() / cells["n"].astype(float))
    z = (cells["value"] - facts.RANDOM["mrr"]) / error
    nearest = np.sign(z) * np.maximum(np.abs(z) - 2 * HALF / error, 0)  # rounded or cut off: in favour of chance
    p = intervals.adjust(2 * stats.norm.sf(np.abs(nearest)))
    verdict = np.where(p >= 0.05, "as random", np.where(z < 0, "below random", "above random"))
    return cells.assign(z=z, p=p, verdict=verdict)


def rank_bounds() -> pd.DataFrame:
    """Tables 7-10: the MRR that Hit@1, Hit@4 and mean rank of the same model allow, and whether the printed one is in it."""
    rows = []
    for artifact, benchmark in facts.METRIC_TABLES.items():
        frame = published.results(facts.PAPER, artifact=artifact)
        wide = frame[~frame["suspect"]].pivot(index="model", columns="metric", values="value")
        for model, row in wide.dropna(subset=["mrr", "hit_at_1", "hit_at_4"]).iterrows():
            low, high = ranking.mrr_range({1: row["hit_at_1"], 4: row["hit_at_4"]}, facts.OPTIONS)
            rank = None if pd.isna(row["mean_rank"]) else float(row["mean_rank"])
            full = ranking.mrr_range({1: row["hit_at_1"], 4: row["hit_at_4"]}, facts.OPTIONS, rank) if rank else (low, high)
            ends = (low, high) if np.isnan(full[0]) else full
            possible = not np.isnan(full[0]) and ends[0] - HALF <= row["mrr"] <= ends[1] + HALF
            rows.append([artifact, benchmark, model, *(row.get(m) for m in facts.METRICS), *ends, np.isnan(full[0]), possible])
    columns = ["artifact", "benchmark", "model", *facts.METRICS, "low", "high", "contradictory", "possible"]
    return pd.DataFrame(rows, columns=columns)


def printed_twice() -> pd.DataFrame:
    """MRR of Tables 7-10 beside the same model and benchmark in Table 1; `nearest` is the setting that comes nearest."""
    ours = facts.scores().pivot(index=["benchmark", "model"], columns="setting", values="value")
    other = published.results(facts.PAPER, artifact=list(facts.METRIC_TABLES), metric="mrr")
    both = other[other["model"] != "Random"].merge(ours.reset_index(), on=["benchmark", "model"])
    distance = both[facts.SHOTS].sub(both["value"], axis=0).abs()
    return both[["artifact", "benchmark", "model", "value", *facts.SHOTS]].assign(
        nearest=distance.idxmin(axis=1), difference=distance.min(axis=1)
    )


def overall() -> pd.DataFrame:
    """Table 2's overall MRR on Xiezhi beside the mean and the best of Table 1's four 0-shot columns."""
    cells = facts.scores("0-shot")
    ours = cells[cells["benchmark"].isin(facts.XIEZHI)].groupby("model")["value"].agg(["mean", "max", "size"])
    printed = published.results(facts.PAPER, artifact="table_02", group_by="average", benchmark="xiezhi")
    ours = ours[ours["size"] == len(facts.XIEZHI)].astype({"size": "Int64"})
    return printed[["model", "value"]].merge(ours, left_on="model", right_index=True, how="left")


def humans() -> pd.DataFrame:
    """Best model of each category beside average and top human, as printed in Table 2."""
    frame = published.results(facts.PAPER, artifact="table_02", group_by="category")
    people = frame[frame["metric"] == "score"].pivot(index="group", columns="model", values="value")
    ranked = frame[frame["metric"] == "mrr"]
    best = ranked.loc[ranked.groupby("group", sort=False)["value"].idxmax()].set_index("group")
    out = people.join(best[["model", "value"]]).loc[list(dict.fromkeys(ranked["group"]))]
    out = out.rename(columns={"value": "best", "Human (average)": "average", "Human (top)": "top"})
    return out.assign(above_average=out["best"] > out["average"], above_top=out["best"] > out["top"]).reset_index()


def top_tens() -> pd.DataFrame:
    """Rank of each model in the four overall rankings of Table 2 (missing: not in the top ten)."""
    frame = published.table(facts.PAPER, 2)
    frame = frame[frame["group_by"] == "average"]
    names = published.facts(facts.PAPER, "models").set_index("printed")["model"]
    wide = frame.assign(model=frame["model"].map(names), rank=frame["rank"].astype(int)).pivot(
        index="model", columns="benchmark", values="rank"
    )
    wide = wide[["xiezhi", "mmlu", "ceval", "m3ke"]].astype("Int64")
    return wide.assign(lists=wide.notna().sum(axis=1)).sort_values(["lists", "xiezhi"], ascending=[False, True])


def few_shot() -> pd.DataFrame:
    """Change of each model's MRR from no solved example to one and to three, on every benchmark with all three."""
    wide = facts.scores().pivot(index=["benchmark", "model"], columns="setting", values="value").dropna(subset=facts.SHOTS)
    parts = [
        wide.assign(change=wide[shots] - wide["0-shot"], shots=shots)[["0-shot", "change", "shots"]] for shots in facts.SHOTS[1:]
    ]
    return pd.concat(parts).reset_index()


def few_shot_by_benchmark(changes: pd.DataFrame) -> pd.DataFrame:
    """Mean change over models with its t interval, how many models rise, and Wilcoxon's signed-rank test (Holm)."""
    rows = []
    for (benchmark, shots), part in changes.groupby(["benchmark", "shots"], sort=False):
        change = part["change"].to_numpy()
        half = stats.t.ppf(0.975, len(change) - 1) * change.std(ddof=1) / np.sqrt(len(change))
        p = stats.wilcoxon(change).pvalue
        rows.append(
            [benchmark, shots, len(change), change.mean(), change.mean() - half, change.mean() + half, (change > 0).sum(), p]
        )
    columns = ["benchmark", "shots", "models", "mean_change", "ci_low", "ci_high", "rise", "p"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(p=intervals.adjust(frame["p"]))


def common_models(setting: str = "0-shot") -> pd.DataFrame:
    """Models x benchmarks: MRR of the models whose cell is sound on every benchmark."""
    wide = facts.scores(setting).pivot(index="model", columns="benchmark", values="value")
    return wide[[b for b in facts.BENCHMARKS if b in wide]].dropna()


def spreads(setting: str = "0-shot", draws: int = 2000, seed: int = 0) -> pd.DataFrame:
    """Standard deviation across the same models on each benchmark, with a bootstrap interval over models."""
    wide = common_models(setting)
    values = wide.to_numpy()

    def deviation(weights: np.ndarray) -> np.ndarray:
        mean = weights @ values / weights.sum()
        return np.sqrt(weights @ (values - mean) ** 2 / (weights.sum() - 1))

    found, low, high = intervals.cluster_bootstrap(deviation, range(len(wide)), draws=draws, seed=seed)
    without = wide.drop(index=[m for m in ("GPT-4", "ChatGPT") if m in wide.index]).std()
    return pd.DataFrame(
        {
            "benchmark": wide.columns,
            "models": len(wide),
            "spread": found,
            "ci_low": low,
            "ci_high": high,
            "open_only": without.to_numpy(),
        }
    )


def spread_tests(setting: str = "0-shot") -> pd.DataFrame:
    """Each of Xiezhi's parts against each other benchmark: ratio of the spreads of the same models (Pitman-Morgan, Holm)."""
    wide = common_models(setting)
    rows = []
    for ours in [b for b in facts.XIEZHI if b in wide]:
        for other in [b for b in wide if b not in facts.XIEZHI]:
            rows.append([ours, other, len(wide), *intervals.pitman_morgan(wide[ours], wide[other])])
    frame = pd.DataFrame(rows, columns=["xiezhi", "other", "models", "ratio", "ci_low", "ci_high", "p"])
    return frame.assign(p=intervals.adjust(frame["p"]))


def metric_agreement() -> pd.DataFrame:
    """Kendall's tau-b between the metrics of each of Tables 7-10, over the models that both columns list.

    A model stands in a column only among its best, so that the common models are a selection; mean rank is turned around.
    """
    rows = []
    for artifact, benchmark in facts.METRIC_TABLES.items():
        frame = published.results(facts.PAPER, artifact=artifact)
        frame = frame[~frame["suspect"] & frame["model"].ne("Random")]
        wide = frame.pivot(index="model", columns="metric", values="value")[list(facts.METRICS)]
        wide["mean_rank"] *= -1
        names = list(facts.METRICS)
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                both = wide[[first, second]].dropna()
                tau = stats.kendalltau(both[first], both[second])
                rows.append([artifact, benchmark, first, second, len(both), tau.statistic, tau.pvalue, len(wide)])
    frame = pd.DataFrame(rows, columns=["artifact", "benchmark", "first", "second", "models", "tau", "p", "listed"])
    return frame.assign(p=intervals.adjust(frame["p"]))


def sizes(setting: str = "0-shot") -> pd.DataFrame:
    """Mean MRR over Xiezhi's four columns of each model with four sound cells, with family and size."""
    cells = facts.scores(setting)
    cells = cells[cells["benchmark"].isin(facts.XIEZHI)]
    parts = []
    for model, part in cells.groupby("model", sort=False):
        if len(part) == len(facts.XIEZHI):
            value, low, high = intervals.mover(part["value"], part["ci_low"], part["ci_high"])
            parts.append([model, float(value), float(low), float(high), int(part["n"].sum())])
    frame = pd.DataFrame(parts, columns=["model", "value", "ci_low", "ci_high", "n"])
    return frame.join(facts.models()[["family", "parameters_b", "kind"]], on="model").assign(setting=setting)


def size_correlations(frame: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of size and MRR over all models of known size, and Kendall's tau within families of three or more."""
    known = frame.dropna(subset="parameters_b")
    groups = {
        "all open models": known,
        "base models": known[known["kind"] == "base"],
        "tuned models": known[known["kind"] != "base"],
    }
    groups |= {name: part for name, part in known.groupby("family") if part["parameters_b"].nunique() >= 3}
    rows = []
    for name, part in groups.items():
        rho, tau = stats.spearmanr(part["parameters_b"], part["value"]), stats.kendalltau(part["parameters_b"], part["value"])
        low, high = fisher(rho.statistic, len(part))
        rows.append(
            [
                name,
                len(part),
                part["parameters_b"].min(),
                part["parameters_b"].max(),
                rho.statistic,
                low,
                high,
                tau.statistic,
                rho.pvalue,
            ]
        )
    return pd.DataFrame(rows, columns=["group", "models", "smallest_b", "largest_b", "rho", "ci_low", "ci_high", "tau", "p"])


def fisher(rho: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of Spearman's correlation by Fisher's z with the variance of Bonett and Wright (2000); NaN below five pairs."""
    if n < 5:
        return np.nan, np.nan
    half = stats.norm.ppf(0.5 + level / 2) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    z = np.arctanh(np.clip(rho, -0.999999, 0.999999))
    return float(np.tanh(z - half)), float(np.tanh(z + half))
