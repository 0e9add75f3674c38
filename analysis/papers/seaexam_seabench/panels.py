"""Frames that SeaExam and SeaBench's figures draw."""

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import DataError, unknown
from analysis.items import describe
from analysis.items.thai_exam import EXAMS
from analysis.papers import public_data
from analysis.papers.seaexam_seabench.arithmetic import (
    BENCHMARKS,
    LANGUAGES,
    PAPER,
    ROUNDING,
    TABLE,
    VOTES,
    decline,
    scores,
    votes,
)
from analysis.results import published
from analysis.statistics import distances as c_dist
from analysis.statistics import spread
from analysis.statistics.intervals import mover, wilson

CLAIMS = {  # what the prose says of spreads: printed ratio, half its last digit, the two benchmarks, across what
    "exams": (1.093, 0.0005, "seaexam", "mmlu_sea", "models"),
    "dialogues": (1.087, 0.0005, "seabench", "mt_bench_sea", "models"),
    "languages": (1.067, 0.0005, "seabench", "mt_bench_sea", "languages"),
    "formats": (1.37, 0.005, "seabench", "seaexam", "languages"),
}
PAIRS = {"Exams": ("seaexam", "mmlu_sea"), "Dialogues": ("seabench", "mt_bench_sea")}
TITLES = {
    "exams": "SeaExam / MMLU-SEA\nacross models",
    "dialogues": "SeaBench / MT-bench-SEA\nacross models",
    "languages": "SeaBench / MT-bench-SEA\nacross languages",
}
SCALE = {"formats": 10.0}  # judge scores from 1 to 10 as if per cent
UNITS = {"Exams": "points of accuracy", "Dialogues": "points of score"}
NAMES = {panel: (BENCHMARKS[first], BENCHMARKS[second]) for panel, (first, second) in PAIRS.items()}
EXAM_NAMES = {key: f"{name} ({n} questions)" for (key, name), n in zip(EXAMS.items(), (164, 116, 95), strict=True)}
MAPPED = {"en": "English", "vi": "Vietnamese"}
REGIONAL = ("Indonesia", "Thailand", "Viet Nam")


def definition_grids(draws: int = 2000, seed: int = 0) -> dict[str, pd.DataFrame]:
    """All definitions of each of the `CLAIMS`, with `fits`: whether it gives the printed number."""
    grids = {}
    for claim, (printed, half, first, second, across) in CLAIMS.items():
        scale = SCALE.get(claim, 1.0)
        rounding = max(scale * ROUNDING[TABLE[first]], ROUNDING[TABLE[second]])
        one, two = scale * scores(first), scores(second)
        grid = spread.definitions(one, two.loc[one.index], across, rounding=rounding, draws=draws, seed=seed)
        grids[claim] = grid.assign(fits=spread.fits(grid, printed, half))
    return grids


def printed_ratios() -> dict[str, float]:
    """Title of each panel of the definitions' figure -> printed ratio."""
    return {title: CLAIMS[claim][0] for claim, title in TITLES.items()}


def spread_tests() -> pd.DataFrame:
    """Pitman-Morgan comparison of both pairs of benchmarks in each language and on average; `pair`, `p_holm` over all eight."""
    parts = [spread.compare(scores(a), scores(b)).assign(pair=pair) for pair, (a, b) in PAIRS.items()]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(p_holm=spread.intervals.adjust(table["p"]))


def across_models(tests: pd.DataFrame) -> pd.DataFrame:
    """Figure 4's rows: standard deviations with the ratio as a note."""
    note = [f"×{r:.2f} ({a:.2f}–{b:.2f})" for r, a, b in zip(tests["ratio"], tests["ci_low"], tests["ci_high"], strict=True)]
    return tests.assign(note=note, row=tests["group"].replace(LANGUAGES | {"average": "Average"}), panel=tests["pair"])


def across_languages(exams: pd.DataFrame, dialogues: pd.DataFrame) -> pd.DataFrame:
    """Figure 5's rows, in the order of SeaBench's spread."""
    order = dialogues.sort_values("first", ascending=False).index
    parts = [table.loc[order].rename_axis("row").reset_index() for table in (exams, dialogues)]
    return pd.concat([part.assign(panel=panel) for panel, part in zip(PAIRS, parts, strict=True)], ignore_index=True)


def spread_labels(of: str = "nine models") -> dict[str, str]:
    """Labels of the x axes of Figures 4 and 5."""
    return {panel: f"SD of {of} ({unit})" for panel, unit in UNITS.items()}


def formats(table: pd.DataFrame) -> tuple[pd.DataFrame, dict, dict]:
    """Figure 6's rows, names and labels; `table` of `spread.within` with SeaBench first."""
    note = [f"×{ratio:.2f}" for ratio in table["ratio"]]
    frame = table.assign(note=note, panel="both").sort_values("ratio", ascending=False).rename_axis("row").reset_index()
    names = {"both": ("SeaBench, ten times the score", "SeaExam, accuracy (%)")}
    return frame, names, {"both": "SD of a model's three languages (points)"}


def declines() -> pd.DataFrame:
    """SeaExam minus MMLU-SEA of each model in each language, models in the order of their mean."""
    table = decline()
    order = table.groupby("model")["value"].mean().sort_values(ascending=False).index
    frame = table.assign(panel=table["group"].map(LANGUAGES), row=pd.Categorical(table["model"], order))
    frame = frame.assign(value=-table["value"], ci_low=-table["ci_high"], ci_high=-table["ci_low"])
    return frame.sort_values(["group", "row"], ignore_index=True).astype({"row": str})


def judges(bounds: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, dict, dict]:
    """Mean over languages of each judge's agreement, the printed means, chance, and the bounds of a judge that always ties."""
    rows = []
    for (view, model, margin), part in votes().groupby(["view", "model", "margin"], sort=False):
        rows.append((view, model, margin, *map(float, mover(part["value"], part["ci_low"], part["ci_high"]))))
    frame = pd.DataFrame(rows, columns=["view", "model", "margin", "value", "ci_low", "ci_high"])
    printed = published.results(PAPER, metric="agreement", group_by="average")
    split = printed["setting"].str.split(", margin ", expand=True)
    printed = printed.assign(view=split[0], margin=split[1].astype(int)).query("model != 'Random'")
    always = {"with ties": tuple(100 * bounds.mean() / VOTES)}
    return frame, printed, {"with ties": 100 / 3, "without ties": 50.0}, always


def margin(pairs: pd.DataFrame) -> tuple[pd.DataFrame, dict, dict, float]:
    """Agreement on the pairs that the margin keeps and on those that it takes away, over all languages."""
    table = pairs[pairs["group"] == "all"].sort_values("value", ascending=False)
    note = [f"takes {n} of {n + kept:,}" for n, kept in zip(table["n"], table["kept_n"], strict=True)]
    low, high = (100 * limit for limit in wilson(table["kept_agree"], table["kept_n"]))
    frame = table.assign(row=table["model"], first=table["kept_value"], second=table["value"], panel="all", note=note)
    frame = frame.assign(first_low=low, first_high=high, second_low=table["ci_low"], second_high=table["ci_high"])
    return (
        frame,
        {"all": ("scores differ by more than 1", "scores differ by 1 or less")},
        {"all": "votes equal to people's (%)"},
        50.0,
    )


def vote_curves() -> tuple[pd.DataFrame, dict[str, str]]:
    """Agreement of two judges over the tie margin, with what chance and the best constant vote reach."""
    table = public_data.recorded("judge_votes")
    tied, decided = (table[table["view"] == view] for view in ("with ties", "without ties"))
    lines = {
        "decided": ("without ties", decided, "rate", "rate_low", "rate_high"),
        "tied": ("with ties", tied, "rate", "rate_low", "rate_high"),
        "constant": ("best constant vote", tied, "constant", "constant", "constant"),
        "chance": ("chance (marginals)", tied, "chance", "chance", "chance"),
    }
    parts = [
        pd.DataFrame({"line": key, "margin": p["margin"], "value": 100 * p[v], "low": 100 * p[a], "high": 100 * p[b]})
        for key, (_, p, v, a, b) in lines.items()
    ]
    return pd.concat(parts, ignore_index=True), {key: line[0] for key, line in lines.items()}


def printed_categories() -> pd.DataFrame:
    """What the paper prints of SeaBench's categories: safety, and STEM by its distance in per cent.

    Returns
    -------
    DataFrame
        `group`, `value`, `low`, `high` (ends that the rounding of 5.02 and 20 % allows), `note`.
    """
    text = published.facts(PAPER, "text").set_index("quantity")["value"].astype(str)
    safety, share = float(text["safety_score"]), float(text["safety_below_stem_percent"]) / 100
    stem = (safety / (1 - share), (safety - 0.005) / (1 - share + 0.005), (safety + 0.005) / (1 - share - 0.005))
    derived = f"{stem[1]:.2f} to {stem[2]:.2f}, from “{100 * share:.0f} % lower”"
    rows = [("Safety", safety, safety - 0.005, safety + 0.005, f"{safety}"), ("STEM", *stem, derived)]
    return pd.DataFrame(rows, columns=["group", "value", "low", "high", "note"])


def categories(means: pd.DataFrame | None) -> tuple[list[str], pd.DataFrame, pd.DataFrame, str, tuple[float, float]]:
    """Figure 7's arguments; `means` of own judgments by category, or None."""
    found = pd.DataFrame(columns=["group", "value", "ci_low", "ci_high"])
    if means is not None:
        found = published.select(means, group_by="category", metric="score")
    return list(describe("seabench").category["map"]), found, printed_categories(), "judge score (1-10)", (1, 10)


def distances(vectors: dict[str, str] | None = None, draws: int = 1000) -> tuple[pd.DataFrame, list[str]]:
    """Distances of sets to their target: of own vectors where given, else as recorded; and the sources.

    Parameters
    ----------
    vectors : dict
        Name -> .npy file, shape (texts, dimensions); the last is the target.
    """
    if not vectors:
        table = public_data.recorded("set_distances")
        return table.assign(language=table["language"].map(MAPPED)), ["run"]
    sets = load(vectors)
    *names, target = sets
    rows = []
    for name in names:
        raw = c_dist.c_dist(c_dist.summarise(sets[name]), c_dist.summarise(sets[target]))
        found = c_dist.interval(sets[name], sets[target], draws=draws)
        rows.append(("own", name, target, len(sets[name]), len(sets[target]), raw, *found))
    columns = ["language", "set", "target", "n", "n_target", "raw", "value", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=columns), ["run"]


def load(vectors: dict[str, str]) -> dict[str, np.ndarray]:
    """Own vectors, memory-mapped; a `DataError` names a file that holds none."""
    if len(vectors) < 2:
        raise DataError("two sets at least are needed: a set and its target", field="vectors")
    sets = {}
    for name, file in vectors.items():
        try:
            sets[name] = np.load(Path(file), mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(f"is no .npy file of numbers: {error}", file=file, field=name) from None
    return sets


def compared() -> pd.DataFrame:
    """Recorded differences of distances by the embedders without a model and by a sentence-transformer."""
    table = pd.concat([public_data.recorded("set_differences"), public_data.recorded("set_transformer")], ignore_index=True)
    return table.drop_duplicates(["language", "analyzer", "dimensions", "first", "second"])  # vectors of length one already


def differences() -> pd.DataFrame:
    """Differences of distances over embedders and normalisations, a panel a language."""
    table = compared()
    panel = table["first_set"] + " minus " + table["second_set"] + ",\nto " + table["target"]
    norm = table["norm"].replace({"none": "", "unit": ", length one"})
    row = table["analyzer"] + ", " + table["dimensions"].astype(str) + " dim." + norm
    return table.assign(panel=panel, row=row, value=table["difference"], ci_low=table["low"], ci_high=table["high"])


def positions(vectors: dict[str, str] | None = None, method: str = "pca") -> tuple[pd.DataFrame, dict[str, str], dict[str, str]]:
    """Figure 8's points, titles and targets: of own vectors where given (`method` "pca" or "umap"), else as recorded (PCA)."""
    if method not in ("pca", "umap"):
        raise unknown("map", method, ["pca", "umap"])
    if not vectors:
        return public_data.recorded("set_map"), MAPPED, public_data.TARGETS
    sets = load(vectors)
    flat, explained = c_dist.pca(sets.values()) if method == "pca" else (c_dist.umap(sets.values()), (np.nan, np.nan))
    parts = []
    for name, place in zip(sets, flat, strict=True):
        shown = np.sort(np.random.default_rng(0).choice(len(place), min(public_data.SHOWN, len(place)), replace=False))
        centre = place.mean(axis=0)
        part = pd.DataFrame(place[shown], columns=["x", "y"]).assign(language="own", set=name, n=len(place))
        part = part.assign(centre_x=centre[0], centre_y=centre[1], explained_x=explained[0], explained_y=explained[1])
        parts.append(part)
    return pd.concat(parts, ignore_index=True), {"own": "own sets"}, {"own": list(sets)[-1]}


def countries() -> pd.DataFrame:
    """Countries named at least twice, and the paper's three."""
    table = public_data.recorded("countries")
    return table[(table["questions"] > 1) | table["country"].isin(REGIONAL)].reset_index(drop=True)
