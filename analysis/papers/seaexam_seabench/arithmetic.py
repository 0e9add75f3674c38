"""SeaExam and SeaBench: score tables, counts behind the judges' agreement, and what they say of the human votes."""

from functools import cache

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.errors import DataError, unknown
from analysis.results import counts, published
from analysis.statistics.intervals import mover, wilson

PAPER = "seaexam_seabench"
LANGUAGES = {"id": "Indonesian", "th": "Thai", "vi": "Vietnamese"}
BENCHMARKS = {
    "seaexam": "SeaExam",
    "mmlu_sea": "MMLU-SEA",
    "seabench": "SeaBench",
    "mt_bench_sea": "MT-bench-SEA",
    "mt_bench_sea_human": "MT-bench-SEA-human",
}
TABLE = {b: "table_08" if b in ("seaexam", "mmlu_sea") else "table_09" for b in BENCHMARKS}
ROUNDING = {"table_08": 0.05, "table_09": 0.005}  # half a unit of the last printed digit
VOTES = 600  # a language: 100 questions, three pairs of models, two turns
MARGINS = (1, 0)


def scores(benchmark: str) -> pd.DataFrame:
    """Printed scores, models x languages, in the table's order: accuracy in percent or judge scores from 1 to 10."""
    if benchmark not in TABLE:
        raise unknown("benchmark of SeaExam and SeaBench", benchmark, TABLE)
    frame = published.results(PAPER, artifact=TABLE[benchmark], benchmark=benchmark, group_by="language")
    wide = frame.pivot(index="model", columns="group", values="value")
    return wide.loc[list(dict.fromkeys(frame["model"])), list(LANGUAGES)]


def questions() -> pd.DataFrame:
    """Questions of SeaExam and MMLU-SEA in each language: `benchmark`, `group_by`, `group`, `n`."""
    exam = published.table(PAPER, 1).query("category == 'total' and language != 'total'")
    per_subject = published.facts(PAPER, "text").set_index(["benchmark", "quantity"])["value"]
    rows = [("seaexam", "language", row.language, int(row.questions.replace(",", ""))) for row in exam.itertuples()]
    rows += [("mmlu_sea", "language", language, int(per_subject["mmlu_sea", "questions"])) for language in LANGUAGES]
    return pd.DataFrame(rows, columns=["benchmark", "group_by", "group", "n"])


def cells() -> pd.DataFrame:
    """SeaExam and MMLU-SEA by language as counts of their questions, source `reconstructed`: the nearest k, with Wilson intervals.

    One decimal of some 2,000 questions leaves one to three k; `correct_low` and `correct_high` are the ends.
    """
    printed = published.results(PAPER, artifact="table_08", group_by="language")
    return counts.reconstruct(printed, questions())


def averages(artifact: str) -> pd.DataFrame:
    """Means over the three printed languages of a score table, with MOVER limits where questions are counted.

    Returns
    -------
    DataFrame
        The `results` shape, source `reconstructed`. Judge scores have no interval: scores of single questions are not published.
    """
    printed = published.results(PAPER, artifact=artifact, group_by="language")
    exams = (
        published.select(cells(), benchmark=list(printed["benchmark"].unique()))
        .set_index(["benchmark", "model", "group"])
        .sort_index()
    )
    rows = []
    keys = ["paper", "artifact", "benchmark", "model", "setting", "metric", "unit"]
    for key, part in printed.groupby(keys, sort=False):
        identity = dict(zip(keys, key, strict=True))
        low = high = n = np.nan
        if part["unit"].eq("percent").all():
            counted = exams.loc[key[2], key[3]]
            _, low, high = mover(counted["value"], counted["ci_low"], counted["ci_high"])
            n = counted["n"].sum()
        limits = {"value": part["value"].mean(), "ci_low": low, "ci_high": high, "n": n}
        rows.append(identity | {"group_by": "average", "group": "languages", "source": "reconstructed", **limits})
    return schemas.check(pd.DataFrame(rows), "results")


def decline(first: str = "mmlu_sea", second: str = "seaexam") -> pd.DataFrame:
    """Points that each model loses from one exam to the other in each language, with Newcombe's interval (independent questions).

    Returns
    -------
    DataFrame
        `model`, `group` (language), `first`, `second`, `value` (first minus second), `ci_low`, `ci_high`.
    """
    wide = cells().set_index(["model", "group", "benchmark"])[["value", "ci_low", "ci_high"]].unstack("benchmark")
    parts = [np.stack([wide[column, first], wide[column, second]]) for column in ("value", "ci_low", "ci_high")]
    value, low, high = mover(*parts, weights=[1, -1])
    table = pd.DataFrame(
        {"first": parts[0][0], "second": parts[0][1], "value": value, "ci_low": low, "ci_high": high}, wide.index
    )
    return table.reset_index().sort_values(["group", "value"], ascending=[True, False], ignore_index=True)


def translation() -> pd.DataFrame:
    """MT-bench-SEA translated by people against by machine: each model's scores, and their difference by language.

    Returns
    -------
    DataFrame
        `model`, `group` (language), `machine`, `human`, `value` (human minus machine).
    """
    machine, human = scores("mt_bench_sea").stack(), scores("mt_bench_sea_human").stack()
    table = pd.DataFrame({"machine": machine, "human": human, "value": human - machine})
    return table.rename_axis(["model", "group"]).reset_index()


@cache
def _votes() -> pd.DataFrame:
    printed = published.results(PAPER, group_by="language")
    keys = ["model", "setting", "group"]
    n = printed[printed["metric"] == "votes"].set_index(keys)["value"].astype(int)
    frame = printed[printed["metric"] == "agreement"].set_index(keys, drop=False)
    frame = frame.assign(n=n.reindex(frame.index)).reset_index(drop=True)
    low, high = counts.integer_counts(frame["value"], frame["n"], frame["decimals"])
    if (low != high).any():
        bad = frame.loc[low != high].iloc[0]
        raise DataError(f"{bad['model']}, {bad['group']}: {bad['printed']} % is not one integer of {bad['n']}", field="value")
    ci_low, ci_high = wilson(low, frame["n"])
    frame = frame.assign(agree=low, value=100 * low / frame["n"], ci_low=100 * ci_low, ci_high=100 * ci_high)
    view = frame["setting"].str.split(", margin ", expand=True)
    return frame.assign(view=view[0], margin=view[1].astype(int), source="reconstructed")


def votes() -> pd.DataFrame:
    """Exact counts behind Tables 3 and 12: each percentage of Tables 11 and 13's n is one integer.

    Returns
    -------
    DataFrame
        The `results` shape, source `reconstructed`, value in percent with its Wilson interval (votes taken as independent), and
        `view` ("with ties", "without ties"), `margin`, `agree`, beside `printed`.
    """
    return _votes().copy()


def decomposition(votes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Votes of each judge, language and margin, split as far as the counts allow.

    "Without ties" is read as the pairs that both the judge and people decided; with pairs that the judge alone decided no number
    of human ties fits all counts.

    Parameters
    ----------
    votes : DataFrame, optional
        `model`, `group`, `margin`, `view`, `n`, `agree`; the paper's if left out.

    Returns
    -------
    DataFrame
        `model` (judge), `group` (language), `margin`, `n`; `decided` (both chose a side), `agreed_sides`, `agreed_ties`, `mixed`
        (only one of the two called a tie), and `human_ties_low`, `human_ties_high` for all `VOTES` votes of the language.
    """
    votes = _votes() if votes is None else votes
    wide = votes.pivot(index=["model", "group", "margin"], columns="view", values=["n", "agree"]).astype(int)
    table = pd.DataFrame(
        {
            "n": wide["n", "with ties"],
            "decided": wide["n", "without ties"],
            "agreed_sides": wide["agree", "without ties"],
            "agreed_ties": wide["agree", "with ties"] - wide["agree", "without ties"],
        }
    ).reset_index()
    table["mixed"] = table["n"] - table["decided"] - table["agreed_ties"]
    table["human_ties_low"] = table["agreed_ties"]
    table["human_ties_high"] = VOTES - table["decided"]  # each decided pair is one that people decided
    return table


def human_ties(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """How many of a language's votes people called a tie, as all judges' counts together allow.

    The human votes are the same for all judges and margins, so their bounds intersect.

    Parameters
    ----------
    table : DataFrame, optional
        A `decomposition`; the paper's if left out.

    Returns
    -------
    DataFrame
        Index language; `low`, `high` (counts of `VOTES`).
    """
    table = decomposition() if table is None else table
    bounds = table.groupby("group").agg(low=("human_ties_low", "max"), high=("human_ties_high", "min"))
    if (bounds["low"] > bounds["high"]).any():
        raise DataError(f"no number of human ties fits all counts of {bounds.index[bounds['low'] > bounds['high']][0]}")
    return bounds.rename_axis("language")


def kappa_bounds(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Cohen's kappa of each judge with people, as far as the printed counts determine it.

    The tables print agreement, not the votes' shares. The number of human ties is known within `human_ties`; that either side is
    preferred equally often follows from drawing the order of the pair at random, and is assumed.

    Parameters
    ----------
    table : DataFrame, optional
        A `decomposition`; the paper's if left out.

    Returns
    -------
    DataFrame
        `model`, `group`, `margin`; `agreement`, `chance_low`, `chance_high`, `kappa_low`, `kappa_high` (with ties), and
        `kappa_sides` (without ties, where chance is 1/2).
    """
    table = decomposition() if table is None else table
    people = human_ties(table)
    rows = []
    for row in table.itertuples():
        ties = np.arange(people.loc[row.group, "low"], people.loc[row.group, "high"] + 1)
        unscored = VOTES - row.n  # may hide some of the human ties
        ties = np.unique(np.concatenate([ties - hidden for hidden in range(unscored + 1)]))
        ties = ties[(ties >= row.agreed_ties) & (ties <= row.n - row.decided)]
        human, judge = ties / row.n, (row.n - row.decided - ties + row.agreed_ties) / row.n
        chance = human * judge + (1 - human) * (1 - judge) / 2
        agreement = (row.agreed_sides + row.agreed_ties) / row.n
        kappa = (agreement - chance) / (1 - chance)
        sides = 2 * row.agreed_sides / row.decided - 1
        limits = (chance.min(), chance.max(), kappa.min(), kappa.max())
        rows.append((row.model, row.group, row.margin, agreement, *limits, sides))
    names = ["agreement", "chance_low", "chance_high", "kappa_low", "kappa_high", "kappa_sides"]
    return pd.DataFrame(rows, columns=["model", "group", "margin", *names])


def one_point_pairs() -> pd.DataFrame:
    """Agreement on the pairs that the margin of 1 takes away: decided where only equal scores tie, tied where one point does.

    Returns
    -------
    DataFrame
        `model` (judge), `group` (language or "all"); `n`, `agree`, `value`, `ci_low`, `ci_high` (percent), and the same for the
        pairs that stay: `kept_n`, `kept_agree`, `kept_value`.
    """
    wide = decomposition().pivot(index=["model", "group"], columns="margin", values=["decided", "agreed_sides"])
    table = pd.DataFrame(
        {
            "n": wide["decided", 0] - wide["decided", 1],
            "agree": wide["agreed_sides", 0] - wide["agreed_sides", 1],
            "kept_n": wide["decided", 1],
            "kept_agree": wide["agreed_sides", 1],
        }
    ).reset_index()
    total = table.drop(columns="group").groupby("model", as_index=False).sum().assign(group="all")
    table = pd.concat([table, total], ignore_index=True)
    low, high = wilson(table["agree"], table["n"])
    table = table.assign(value=100 * table["agree"] / table["n"], ci_low=100 * low, ci_high=100 * high)
    return table.assign(kept_value=100 * table["kept_agree"] / table["kept_n"])
