"""What the papers' printed numbers say about their own error: n, an interval and the rounding of each.

One rule for all: an accuracy that is a share of n questions has Wilson's interval; a mean of groups that weigh the same has the
interval of its effective n, ``k^2 / sum(1 / n_g)``. A mean reciprocal rank has the widest interval that its bounds allow.
Where no n is published there is no interval.
"""

from functools import cache

import numpy as np
import pandas as pd

from analysis.papers import seaexam_seabench
from analysis.papers.khayyam import audit as khayyam
from analysis.papers.tlue import arithmetic as tlue
from analysis.results import published
from analysis.statistics.intervals import wilson

SCALE = {"percent": (0.0, 100.0), "proportion": (0.0, 1.0)}
RECIPROCAL_RANK = (1 / 50, 1.0)  # the last of 50 options, the first
HUMAN_SHARE = 16_955 / 20_805  # Khayyam: questions with human answers, of all


def effective(n: pd.Series | list) -> float:
    """Effective number of questions of a mean over groups that weigh the same."""
    n = np.asarray(n, float)
    return float(len(n) ** 2 / (1 / n).sum())


@cache
def _frame(paper: str) -> pd.DataFrame:
    frame = published.results(paper)
    sizes = SIZES[paper](frame) if paper in SIZES else frame["n"].astype(float)
    frame = with_intervals(frame, sizes)
    return pd.concat([frame, _recounted()], ignore_index=True) if paper == "tlue" else frame


def evidence(paper: str) -> pd.DataFrame:
    """`published.results(paper)` with `half` (half a unit of the last printed digit), `n_effective`, and intervals where n is known."""
    return _frame(paper).copy()


def _recounted() -> pd.DataFrame:
    """TLUE beside its printed tables: categories and averages from the exact counts (`counts`), and guessing (`expected`)."""
    frames = []
    for benchmark in tlue.CATEGORIES:
        made = tlue.with_average(tlue.cells(benchmark), benchmark).assign(artifact="counts")
        frames.append(
            made.assign(group=made["group"].where(made["group_by"] != "average", "printed"), n_effective=made["n"].astype(float))
        )
        chance = tlue.random_baseline(benchmark).rename_axis("group").rename("value").reset_index()
        frames.append(chance.assign(
            paper="tlue", artifact="expected", benchmark=benchmark, model="Random", setting="chance", metric="accuracy", unit="percent",
            group_by=["average" if g == "printed" else "category" for g in chance["group"]], source="reconstructed",
            ci_low=chance["value"], ci_high=chance["value"],
        ))  # fmt: skip
    made = pd.concat(frames, ignore_index=True)
    return made.assign(half=0.0, suspect=False, printed=made["value"].map("{:.2f}".format), decimals=2)


def with_intervals(frame: pd.DataFrame, n: pd.Series) -> pd.DataFrame:
    """`results` with `half`, `n_effective` and 95 % intervals from effective numbers of questions (NaN where unknown)."""
    decimals = frame.groupby(["artifact", "metric"])["decimals"].transform("max")  # papers drop trailing zeros
    reading = (frame["ci_high"] - frame["value"]).astype(float)
    half = np.where(frame["source"] == "digitized", reading, 0.5 * 10.0 ** -decimals.astype(float))
    low_end = frame["unit"].map(lambda u: SCALE.get(u, (np.nan, np.nan))[0]).astype(float)
    high_end = frame["unit"].map(lambda u: SCALE.get(u, (np.nan, np.nan))[1]).astype(float)
    reciprocal = frame["metric"] == "mrr"
    low_end, high_end = low_end.mask(reciprocal, RECIPROCAL_RANK[0]), high_end.mask(reciprocal, RECIPROCAL_RANK[1])
    hits = frame["metric"].isin(["hit_at_1", "hit_at_4"])
    low_end, high_end = low_end.mask(hits, 0.0), high_end.mask(hits, 1.0)
    n = n.astype(float).where(frame["model"] != "Random")
    share = ((frame["value"] - low_end) / (high_end - low_end)).clip(0, 1)
    known = (n > 0) & share.notna()
    low, high = (np.full(len(frame), np.nan) for _ in range(2))
    w = wilson((share * n)[known].to_numpy(), n[known].to_numpy())
    for target, end in ((low, w[0]), (high, w[1])):
        target[known.to_numpy()] = (low_end + (high_end - low_end) * pd.Series(end, index=frame.index[known]))[known]
    chance = (frame["model"] == "Random").to_numpy()
    value = frame["value"].to_numpy(float)
    return frame.assign(half=half, n_effective=n, ci_low=np.where(chance, value, low), ci_high=np.where(chance, value, high))


def _tlue(frame: pd.DataFrame) -> pd.Series:
    """Counted questions; Ti-MMLU's categories are means over subjects and its average is one over categories or subjects."""
    questions = published.select(tlue.questions(), benchmark="ti_mmlu").set_index("group")["n"]
    table_18 = tlue.mapping("printed")
    by_category = {c: effective(questions.reindex(table_18.index[table_18 == c]).dropna()) for c in table_18.unique()}
    over_categories, over_subjects = effective(list(by_category.values())), effective(questions)
    pooled = tlue.category_sizes("ti_mmlu")
    safety = tlue.category_sizes("ti_safetybench")

    def size(row) -> float:
        if row.benchmark in ("ti_safetybench", "safetybench"):
            return float(safety.get(row.group, np.nan))
        if row.benchmark == "cmmlu":
            return float(pooled.get(row.group, np.nan))
        if row.group_by == "subject":
            return float(questions.get(row.group, np.nan))
        if row.group_by == "category":
            return by_category[row.group]
        return over_subjects if row.artifact in tlue.SUBJECT_TABLES else over_categories

    n = pd.Series([size(row) for row in frame.itertuples()], index=frame.index)
    rates = published.select(frame, metric="response_rate").set_index(["benchmark", "model", "setting"])["value"] / 100
    answered = frame["metric"] == "conditional_accuracy"
    keys = list(zip(frame["benchmark"], frame["model"], frame["setting"], strict=True))
    return n.where(~answered, n * [float(rates.get(key, np.nan)) for key in keys])


def _khayyam(frame: pd.DataFrame) -> pd.Series:
    """Table 5's questions; subjects, stages and years as in the figures, which show an earlier version of the data set (20,192)."""
    sizes = published.facts("khayyam", "questions").set_index(["group_by", "group"])["n"].astype(float)
    tasks = published.facts("khayyam", "figure_04").astype({"questions": float})
    subjects = tasks.groupby("subject")["questions"].sum()
    stages = tasks.groupby(["stage", "difficulty"])["questions"].sum()
    years = published.facts("khayyam", "figure_02").query("group_by == 'year'").set_index("group")["questions"].astype(float)
    difficulty = tasks.groupby("difficulty")["questions"].sum() / tasks["questions"].sum()
    over = {
        "categories": effective(sizes["category"]),
        "cells": effective(sizes["category x difficulty"]),
        "subjects": effective(subjects),
    }
    trapped = float(published.facts("khayyam", "text").set_index("quantity")["value"]["trapped questions"].replace(",", ""))

    samples = {name: khayyam.sample_shares(name).set_index("group")["high"] for name in ("table_06", "table_07")}

    def size(row) -> float:
        if row.artifact in samples:  # of 1,000 questions; a category has at most as many as the rounded averages allow
            return 1000.0 if row.group == "questions" else 1000 * samples[row.artifact].get(row.group, np.nan)
        if "trapped" in row.setting:
            return trapped if row.group == "questions" else np.nan
        if row.group_by == "subject":
            return float(subjects.get(row.group, np.nan))
        if row.group_by == "stage x difficulty":
            return float(stages.get(tuple(row.group.split(" x ")), np.nan))
        if row.group_by == "year x difficulty":
            year, level = row.group.split(" x ")
            return float(years.get(year, np.nan) * difficulty.get(level, np.nan))
        if row.group_by == "average" and row.group == "subjects":
            number = int(row.artifact.split("_")[1])
            return over["subjects" if number in (10, 11, 12) else "cells" if number in (13, 14, 15) else "categories"]
        return float(sizes.get((row.group_by, row.group), np.nan)) if row.metric == "accuracy" else np.nan

    n = pd.Series([size(row) for row in frame.itertuples()], index=frame.index)
    return n.where(frame["model"] != "Human", n * HUMAN_SHARE)


def _seaexam_seabench(frame: pd.DataFrame) -> pd.Series:
    """Questions of each language, and votes; judge scores have no published variance, hence no interval."""
    sizes = seaexam_seabench.questions().set_index(["benchmark", "group"])["n"].astype(float)
    votes = published.select(frame, metric="votes", group_by="language").set_index(["model", "setting", "group"])["value"]

    def size(row) -> float:
        languages = list(seaexam_seabench.LANGUAGES)
        if row.metric == "agreement":
            known = {key: n for key, n in votes.items() if key[:2] == (row.model, row.setting)}
            wanted = known.values() if row.group == "printed" else [known.get((row.model, row.setting, row.group), np.nan)]
            return effective(list(wanted)) if known else np.nan
        if row.metric != "accuracy":
            return np.nan
        return (
            effective([sizes[row.benchmark, g] for g in languages]) if row.group == "printed" else sizes[row.benchmark, row.group]
        )

    return pd.Series([size(row) for row in frame.itertuples()], index=frame.index)


def _xiezhi(frame: pd.DataFrame) -> pd.Series:
    """Questions of the two test sets; the other benchmarks' splits are not stated. Table 2's overall pools both sets."""
    text = published.facts("xiezhi", "text").query("quantity == 'questions'").set_index("benchmark")["value"]
    specialty, interdiscipline = (float(text[name].replace(",", "")) for name in ("xiezhi_specialty", "xiezhi_interdiscipline"))
    sizes = {"xiezhi_specialty": specialty, "xiezhi_interdiscipline": interdiscipline}
    sizes |= {f"{name}_en": n for name, n in list(sizes.items())} | {"xiezhi": specialty + interdiscipline}
    n = frame["benchmark"].map(sizes).astype(float)
    whole = (frame["group_by"] == "average") & frame["metric"].isin(["mrr", "hit_at_1", "hit_at_4"])
    return n.where(whole)


SIZES = {"tlue": _tlue, "khayyam": _khayyam, "seaexam_seabench": _seaexam_seabench, "xiezhi": _xiezhi}
