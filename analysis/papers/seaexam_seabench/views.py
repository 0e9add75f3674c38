"""SeaExam and SeaBench's tables as a reader wants them."""

import pandas as pd

from analysis import tables
from analysis.items import describe
from analysis.items.thai_exam import EXAMS
from analysis.papers import public_data
from analysis.papers.seaexam_seabench import panels
from analysis.papers.seaexam_seabench.arithmetic import BENCHMARKS, LANGUAGES, PAPER, averages, decline, translation, votes
from analysis.results import published

SLACK = {"percent": 0.05, "score": 0.005}  # the mean of three rounded numbers
VIEWS = {"with ties": "ties", "without ties": "no ties"}
AGREEMENT = {"table_03": 1, "table_11": 1, "table_12": 0, "table_13": 0}  # tie margin


def between(frame: pd.DataFrame, low: str = "ci_low", high: str = "ci_high", digits: int = 1, times: float = 1.0) -> list[str]:
    """Intervals in words, empty where there is none."""
    pairs = zip(times * frame[low], times * frame[high], strict=True)
    return ["" if pd.isna(a) else f"{a:.{digits}f} to {b:.{digits}f}" for a, b in pairs]


def p_text(p: pd.Series) -> list[str]:
    """p values as written in tables."""
    return ["< 0.001" if value < 0.001 else f"{value:.3f}" for value in p]


def score_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables 2, 8 and 9: as printed, the averages recomputed; wide and long."""
    printed = published.results(PAPER, artifact=artifact)
    again = averages(artifact)
    long = pd.concat(
        [
            tables.beside(part, again[again["unit"] == unit], slack=SLACK[unit])
            for unit, part in printed.groupby("unit", sort=False)
        ]
    )
    long = long.assign(column=long["benchmark"] + "/" + long["group"])
    order = [f"{b}/{g}" for b in dict.fromkeys(printed["benchmark"]) for g in [*LANGUAGES, "printed"]]
    names = {key: f"{BENCHMARKS[key.split('/')[0]]} {key.split('/')[1].replace('printed', 'avg.')}" for key in order}
    return tables.as_printed(long, {"printed_model": "Model"}, "column", names), long


def agreement_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables 3, 11, 12 and 13: as printed, beside the exact counts."""
    printed = published.results(PAPER, artifact=artifact)
    counted = published.select(votes(), margin=AGREEMENT[artifact])
    if printed["unit"].iloc[0] == "count":
        counted = counted.assign(
            value=counted["n"].astype(float), metric="votes", unit="count", ci_low=float("nan"), ci_high=float("nan")
        )
    mean = counted.groupby(["benchmark", "model", "setting", "metric"], as_index=False)[["value", "n"]].agg(
        {"value": "mean", "n": "sum"}
    )
    mean = mean.assign(group_by="average", group="printed", ci_low=float("nan"), ci_high=float("nan"), source="reconstructed")
    columns = [*tables.ON, "value", "n", "ci_low", "ci_high", "source"]
    long = tables.beside(printed, pd.concat([counted[columns], mean[columns]]))
    view = long["setting"].str.split(",").str[0]
    long = long.assign(column=view + "/" + long["group"])
    order = [f"{v}/{g}" for v in VIEWS for g in [*LANGUAGES, "printed"]]
    names = {key: f"{VIEWS[key.split('/')[0]]} {key.split('/')[1].replace('printed', 'avg.')}" for key in order}
    return tables.as_printed(long, {"printed_model": "Judge"}, "column", names).fillna(""), long


def definition_table(grids: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Ratio by every definition, a column a printed ratio; * where it gives the printed number."""
    columns = {}
    for claim, grid in grids.items():
        printed, _, first, second, across = panels.CLAIMS[claim]
        name = f"{BENCHMARKS[first]} / {BENCHMARKS[second]}, across {across} (printed {printed})"
        cells = [f"{ratio:.3f}{' *' if fits else ''}" for ratio, fits in zip(grid["ratio"], grid["fits"], strict=True)]
        columns[name] = pd.Series(cells, index=[grid["measure"], grid["summary"]])
    first = next(iter(columns.values()))
    return pd.DataFrame(columns).loc[first.index].fillna("").rename_axis(["Measure", "Summary"]).reset_index()


def spread_test_table(tests: pd.DataFrame) -> pd.DataFrame:
    """Pitman-Morgan tests; `tests` with `pair`."""
    return pd.DataFrame(
        {
            "Compared": tests["pair"],
            "Language": tests["group"].replace(LANGUAGES),
            "Models": tests["n"],
            "SD, local": tests["first"],
            "SD, translated": tests["second"],
            "Ratio": tests["ratio"],
            "95 % interval": between(tests, digits=2),
            "p": p_text(tests["p"]),
            "p (Holm)": p_text(tests["p_holm"]),
        }
    )


def decline_table(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Each model's loss from MMLU-SEA to SeaExam in Indonesian, held against the paper's 4.5 points."""
    table = published.select(decline() if table is None else table, group="id")
    return pd.DataFrame(
        {
            "Model": table["model"],
            "MMLU-SEA (%)": table["first"],
            "SeaExam (%)": table["second"],
            "Decline (points)": table["value"],
            "95 % interval": between(table),
            "More than 4.5": table["value"] > 4.5,
        }
    )


def translation_table() -> pd.DataFrame:
    """Human minus machine translation of MT-bench-SEA, a row a model."""
    wide = translation().pivot(index="model", columns="group", values="value")[list(LANGUAGES)]
    return wide.rename(columns=LANGUAGES).assign(Mean=wide.mean(axis=1)).rename_axis("Model").reset_index()


def count_table(table: pd.DataFrame) -> pd.DataFrame:
    """The votes' decomposition, a row a judge, language and margin."""
    return pd.DataFrame(
        {
            "Judge": table["model"],
            "Language": table["group"].map(LANGUAGES),
            "Margin": table["margin"],
            "Votes": table["n"],
            "Both decided": table["decided"],
            "Same side": table["agreed_sides"],
            "Both tie": table["agreed_ties"],
            "One ties": table["mixed"],
            "Human ties, bounds": [f"{a} to {b}" for a, b in zip(table["human_ties_low"], table["human_ties_high"], strict=True)],
        }
    )


def human_tie_table(bounds: pd.DataFrame, n: int) -> pd.DataFrame:
    """How often people tied, and what a judge that always ties would reach."""
    return pd.DataFrame(
        {
            "Language": bounds.index.map(LANGUAGES),
            "Votes": n,
            "Human ties": [f"{low} to {high}" for low, high in bounds.to_numpy()],
            "Agreement of a judge that always ties (%)": [
                f"{100 * a / n:.1f} to {100 * b / n:.1f}" for a, b in bounds.to_numpy()
            ],
        }
    )


def kappa_table(bounds: pd.DataFrame) -> pd.DataFrame:
    """Kappa as far as the counts determine it, the paper's margin of 1 and equal scores alone side by side."""

    def cell(part: pd.DataFrame) -> pd.Series:
        return pd.Series(between(part, "kappa_low", "kappa_high", 2), part.index)

    parts = {margin: part.set_index(["model", "group"]) for margin, part in bounds.groupby("margin")}
    table = pd.DataFrame(
        {
            "Kappa with ties, margin 1": cell(parts[1]),
            "Kappa without ties, margin 1": parts[1]["kappa_sides"],
            "Kappa with ties, margin 0": cell(parts[0]),
            "Kappa without ties, margin 0": parts[0]["kappa_sides"],
        }
    ).reset_index()
    table.insert(1, "Language", table.pop("group").map(LANGUAGES))
    return table.rename(columns={"model": "Judge"})


def margin_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """What the margin of one point takes away."""
    return pd.DataFrame(
        {
            "Judge": pairs["model"],
            "Language": pairs["group"].replace(LANGUAGES),
            "Pairs kept": pairs["kept_n"],
            "Agreement (%)": pairs["kept_value"],
            "Pairs taken away": pairs["n"],
            "Agreement on these (%)": pairs["value"],
            "95 % interval": between(pairs),
        }
    )


def judge_score_table() -> pd.DataFrame:
    """Two judges' scores of the same responses."""
    table = public_data.recorded("judge_scores")
    shown = {"Model": table["model"], "Responses": table["n"]}
    for column, name in {
        "exact": "Equal scores",
        "within_one": "Within one point",
        "pearson": "Pearson r",
        "weighted_kappa": "Weighted kappa",
    }.items():
        shown |= {name: table[column], f"{name}, 95 %": between(table, f"{column}_low", f"{column}_high", 2)}
    return pd.DataFrame(shown | {"GPT-4-turbo minus GPT-4o": table["difference"]})


def leaderboard_table() -> pd.DataFrame:
    """Printed and recomputed means of WildBench's leaderboard."""
    table = public_data.recorded("leaderboard")
    same = (table["value"] - table["printed"]).abs() < 1e-5
    shown = {"Model": table["model"], "Scores": table["n"], "Printed": table["printed"], "Recomputed": table["value"]}
    return pd.DataFrame(shown | {"95 % interval": between(table, digits=2), "Equal": same})


def repeated_table() -> pd.DataFrame:
    """Repeated judgments of the same model and question."""
    table = public_data.recorded("self_agreement")
    return pd.DataFrame(
        {
            "Model judged": table["model"],
            "Questions": table["responses"],
            "Judgments": table["judgments"],
            "Equal (%)": 100 * table["exact"],
            "95 %": between(table, "exact_low", "exact_high", times=100),
            "Within one point (%)": 100 * table["within_one"],
            "Mean distance": table["gap"],
            "SD within": table["sd"],
        }
    )


def thai_table() -> pd.DataFrame:
    """Spread and separability of 102 models on three Thai exams."""
    table = public_data.recorded("thai_exams")
    return pd.DataFrame(
        {
            "Exam": table["exam"].replace(EXAMS | {"all": "All three"}),
            "Questions": table["questions"],
            "Mean accuracy (%)": 100 * table["mean"],
            "SD across models (points)": 100 * table["sd"],
            "Share of the variance that is noise (%)": 100 * table["noise"],
            "Pairs told apart (%)": 100 * table["separable"],
            "Without adjustment (%)": 100 * table["separable_unadjusted"],
        }
    )


def distance_table(table: pd.DataFrame) -> pd.DataFrame:
    """C-Dist of sets of questions, of `panels.distances`."""
    return pd.DataFrame(
        {
            "Texts in": table["language"],
            "Set": table["set"],
            "Texts": table["n"],
            "Target": table["target"],
            "Texts of the target": table["n_target"],
            "C-Dist as in the paper": table["raw"],
            "Without noise": table["value"],
            "95 % interval": between(table, digits=3),
        }
    )


def difference_table() -> pd.DataFrame:
    """Which of two sets lies nearer, over embedders and normalisations."""
    table = panels.compared()
    return pd.DataFrame(
        {
            "First": table["first_set"],
            "Second": table["second_set"],
            "Target": table["target"],
            "Embedder": table["analyzer"] + ", " + table["dimensions"].astype(str),
            "Vectors": table["norm"].replace({"none": "as they are", "unit": "length one"}),
            "C-Dist, first": table["first"],
            "C-Dist, second": table["second"],
            "First minus second": table["difference"],
            "95 % interval": between(table, "low", "high", 3),
            "p": p_text(table["p"]),
        }
    )


def category_table(found: pd.DataFrame | None) -> pd.DataFrame:
    """Categories of SeaBench: printed score, and of own judgments the score, full marks and unparsed judgments of each model."""
    printed = panels.printed_categories().set_index("group")["value"]
    table = pd.DataFrame({"Category": list(describe("seabench").category["map"])})
    table["Printed score"] = table["Category"].map(printed)
    for model, part in () if found is None else found[found["group_by"] == "category"].groupby("model", sort=False):
        wide = part.set_index(["metric", "group"])
        table[f"{model}: score"] = table["Category"].map(wide["value"]["score"])
        table[f"{model}: full marks (%)"] = table["Category"].map(wide["value"]["full_marks"])
        table[f"{model}: unparsed"] = table["Category"].map(wide["unparsed"]["score"])
    return table
