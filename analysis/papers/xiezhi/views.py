"""Tables as a reader wants them, from the long frames of `audit`, `composition` and the printed tables."""

import pandas as pd

from analysis.papers.xiezhi import composition, facts
from analysis.results import published, ranking, ranking_baselines

SUSPECT = "?"
PART_TITLES = {"specialty": "Specialty", "interdiscipline": "Interdiscipline", "train": "Train"}


def overall_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 1 as printed, suspect cells with a question mark, and its long form."""
    frame = published.results(facts.PAPER, artifact="table_01")
    marks = frame["suspect"].map({True: SUSPECT, False: ""})
    cells = frame.assign(cell=frame["printed"].fillna("–") + marks)
    order = list(dict.fromkeys(frame["model"]))
    wide = cells.pivot(index="model", columns=["benchmark", "setting"], values="cell").loc[order, facts.column_order()]
    wide.columns = pd.MultiIndex.from_tuples([(facts.BENCHMARKS[b], s) for b, s in wide.columns], names=["benchmark", "examples"])
    return wide.rename_axis("model"), facts.widest(frame)


def category_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 2: human scores and the ranked models of each category, then the overall rankings; and its long form."""
    frame = published.table(facts.PAPER, 2)
    names = published.facts(facts.PAPER, "models").set_index("printed")["model"]
    rows = {}
    for (benchmark, group), part in frame.groupby(["benchmark", "group"], sort=False):
        label = f"{facts.BENCHMARKS.get(benchmark, 'Xiezhi')}, overall" if group == "printed" else group
        people = part[part["metric"] == "score"].set_index("model")
        marks = people["suspect"].eq("true").map({True: SUSPECT, False: ""})
        rows[label] = {f"human {name[7:-1]}": people.loc[name, "value"] + marks[name] for name in people.index}
        ranked = part.dropna(subset="rank")
        rows[label] |= {int(row.rank): f"{names[row.model]} {row.value}" for row in ranked.itertuples()}
    wide = pd.DataFrame.from_dict(rows, orient="index").rename_axis("category")
    return wide.fillna("–").rename(columns=str), published.results(facts.PAPER, artifact="table_02")


def metric_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One of Tables 7-10 as printed: a ranking a metric; suspect cells with a question mark."""
    frame = published.results(facts.PAPER, artifact=artifact)
    cells = frame["model"] + " " + frame["printed"] + frame["suspect"].map({True: SUSPECT, False: ""})
    place = frame.groupby("metric").cumcount() + 1
    wide = frame.assign(cell=cells, rank=place).pivot(index="rank", columns="metric", values="cell")[list(facts.METRICS)]
    return wide.rename(columns=facts.METRICS), frame


def agreement_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Kendall's tau by pair of metrics and benchmark, with the number of models that both columns list."""
    cell = (
        frame["tau"].map("{:.2f}".format)
        + frame["p"].lt(0.05).map({True: "*", False: ""})
        + " ("
        + frame["models"].astype(str)
        + ")"
    )
    pair = frame["first"].map(facts.METRICS) + " and " + frame["second"].map(facts.METRICS)
    wide = frame.assign(cell=cell, pair=pair).pivot(index="pair", columns="benchmark", values="cell")
    return wide.loc[list(dict.fromkeys(pair)), list(facts.METRIC_TABLES.values())].rename(columns=facts.BENCHMARKS)


def model_table() -> pd.DataFrame:
    """Table 11 with the project's names, and whether Table 1 holds a score of the model."""
    frame = published.table(facts.PAPER, 11)
    names = published.facts(facts.PAPER, "models").set_index("printed")["model"]
    scored = set(facts.scores(sound=False)["model"])
    marks = frame["suspect"].eq("true").map({True: f" {SUSPECT}", False: ""})
    out = frame.assign(
        model=frame["model"].map(names) + marks,
        **{"in Table 1": frame["model"].map(names).isin(scored).map({True: "yes", False: "no"})},
    )
    return out.drop(columns=["suspect", "note"]).rename(columns=lambda name: name.replace("_", " ")).fillna("").set_index("model")


def unlisted() -> list[str]:
    """Models with a score in Table 1 that Table 11 does not list."""
    names = published.facts(facts.PAPER, "models").set_index("printed")["model"]
    listed = set(published.table(facts.PAPER, 11)["model"].map(names))
    return [model for model in dict.fromkeys(facts.scores(sound=False)["model"]) if model not in listed]


def bounds_table(frame: pd.DataFrame) -> pd.DataFrame:
    """`audit.rank_bounds` for a reader, impossible ones first."""
    out = frame[frame["model"] != "Random"].sort_values(["possible", "artifact"], kind="stable")
    out = out.assign(
        benchmark=out["benchmark"].map(facts.BENCHMARKS), verdict=out["possible"].map({True: "possible", False: "impossible"})
    )
    columns = {**facts.METRICS, "low": "lowest MRR", "high": "highest MRR", "verdict": "printed MRR is"}
    return out.set_index(["benchmark", "model"])[list(columns)].rename(columns=columns)


def baseline_table(ranked: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Metrics of the baselines on one part beside the exact random expectation, and the long form with intervals."""
    long = ranking.table(ranked, artifact="baselines")
    wide = long.pivot(index="model", columns="metric", values="value")[list(facts.METRICS)]
    wide.loc["random ranking (exact)"] = facts.RANDOM
    return wide.sort_values("mrr", ascending=False).rename(columns=facts.METRICS), long


def discipline_scores(ranked: pd.DataFrame, model: str) -> pd.DataFrame:
    """MRR of one baseline over groups of every level of the taxonomy: micro and macro averages, with the number of groups."""
    own = ranked[ranked["model"] == model]
    parts = [ranking.table(own, ["mrr"], artifact="baselines").assign(groups=1)]
    for level, over in zip(
        ranking_baselines.LEVELS, ("categories", "first-level disciplines", "second-level disciplines"), strict=True
    ):
        found = ranking.table(own, ["mrr"], level, artifact="baselines")
        counts = found.groupby("benchmark").size()
        parts.append(ranking.macro(found, over).assign(groups=lambda f, counts=counts: f["benchmark"].map(counts)))
    return pd.concat(parts, ignore_index=True)


def deleted_table() -> pd.DataFrame:
    """Table 5: each discipline that the paper deletes, with its questions in the released test files."""
    frame = composition.deleted().sort_values(["reason", "questions"], ascending=[True, False], kind="stable")
    return frame.rename(columns={"questions": "both"}).set_index(["reason", "discipline"])


def requirement_table() -> pd.DataFrame:
    """Table 6's requirements in our words, and what a count in the released files can say about them."""
    frame = published.table(facts.PAPER, 6)
    tests = [part for part in composition.PARTS if part != "train"]
    total = {q: sum(composition.fact(part, q) for part in tests) for q in composition.facts()["quantity"].unique()}
    military = composition.deleted().set_index("discipline").loc["Military Science", "questions"]
    found = {
        "1": f"{total['points at a figure or table']} questions have words that point at a figure or table",
        "2": "no markup found; every line is read",
        "6": f"{military:,} questions are labelled Military Science",
        "8": f"{total['label whose parent is no label']} questions have a label without its parent",
        "9": f"{total['repeated in the same part']} repeat a question of the same part",
    }
    ours = frame["dataset"].ne("Xiezhi-Meta")
    return (
        frame.assign(**{"counted in the released test files": frame["requirement"].map(found).where(ours)})
        .fillna("–")
        .set_index("dataset")
    )


def sizes_table() -> pd.DataFrame:
    """Sizes that the paper prints beside those counted."""
    printed = {
        ("xiezhi_specialty", "questions"): composition.fact("specialty", "questions"),
        ("xiezhi_interdiscipline", "questions"): composition.fact("interdiscipline", "questions"),
        ("xiezhi_train", "questions"): composition.fact("train", "questions"),
    }
    levels = composition.covered().set_index("level")
    printed |= {
        ("xiezhi", "disciplines"): levels.loc["all", "disciplines"],
        ("xiezhi", "categories"): levels.loc["category", "places"],
        ("xiezhi", "first-level disciplines"): levels.loc["first_level", "places"],
        ("xiezhi", "second-level disciplines"): levels.loc["second_level", "places"],
    }
    text = published.facts(facts.PAPER, "text")
    rows = [[r.benchmark, r.quantity, r.value, printed.get((r.benchmark, r.quantity))] for r in text.itertuples()]
    frame = pd.DataFrame(rows, columns=["what", "quantity", "printed", "counted"]).astype({"counted": "Int64"})
    same = frame["printed"].str.replace(",", "").astype(int) == frame["counted"]
    return frame.assign(agrees=same.astype("boolean").mask(frame["counted"].isna())).set_index("what")


def composition_table() -> pd.DataFrame:
    """What the released files hold, a quantity a row."""
    frame = composition.facts()
    frame = frame[~frame["quantity"].isin(["labels", "categories"])]
    named = frame["quantity"] + frame["group"].map(lambda g: "" if g == "all" else f" {g}")
    wide = frame.assign(quantity=named).pivot(index="quantity", columns="part", values="n")
    return wide.loc[list(dict.fromkeys(named)), list(composition.PARTS)].rename(columns=PART_TITLES)


def label_table() -> pd.DataFrame:
    """Questions by number of categories."""
    frame = published.select(composition.facts(), quantity="categories")
    wide = frame.pivot(index="group", columns="part", values="n").fillna(0).astype(int)
    return wide.loc[sorted(wide.index, key=int), list(composition.PARTS)].rename(columns=PART_TITLES).rename_axis("categories")


def with_marks(frame: pd.DataFrame) -> pd.DataFrame:
    """Human comparison for a reader."""
    out = frame.rename(columns={"group": "category", "best": "best model's MRR", "average": "average human", "top": "top human"})
    out["above average"] = out.pop("above_average")
    out["above top"] = out.pop("above_top")
    return out.set_index("category")


def names(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """`frame` with benchmarks written out and words for column names."""
    columns = columns or ("benchmark",)
    written = frame.assign(**{column: frame[column].map(facts.BENCHMARKS) for column in columns})
    return written.rename(columns=lambda name: name.replace("_", " "))


def rules_table(own: pd.DataFrame, benchmark: str, n_options: int, rule: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Metrics by rule of combining log-probabilities: own models' (`option_scores.by_rule`) and the character bigram model's."""
    names = {"baseline/bigram-sum": "sum", "baseline/bigram-mean": "per_character"}
    recorded = published.select(ranking_baselines.by_option_count(), benchmark=benchmark, n_options=n_options, model=list(names))
    recorded = published.select(recorded, setting=rule)
    recorded = recorded.assign(setting="0-shot, " + recorded["model"].map(names), model="baseline/bigram")
    long = pd.concat([own, recorded], ignore_index=True)
    split = long["setting"].str.split(", ", n=1, expand=True).reindex(columns=[0, 1])
    cells = long.assign(examples=split[0], rule=split[1])
    wide = cells.pivot(index=["model", "examples", "rule"], columns="metric", values="value").reindex(columns=list(facts.METRICS))
    return wide.rename(columns=facts.METRICS), long
