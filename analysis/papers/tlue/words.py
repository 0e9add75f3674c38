"""Captions and findings, with their numbers taken from the frames."""

import pandas as pd

from analysis import tables
from analysis.answers import recorded
from analysis.papers.tlue.arithmetic import BENCHMARKS, category_sizes

CAPTION_RANKS = (
    "Rank of each model by its average, with a 95 % interval from 10,000 draws of the averages within their own intervals."
)
CAPTION_DROPS = (
    "Accuracy at both ends and the drop in percentage points with its 95 % interval (MOVER; the ends taken as independent, as no answers "
    "to single items are published). Rows whose models differ compare two models as well as two languages."
)
CAPTION_DIFFERENCES = (
    "First minus second model in percentage points, with 95 % intervals (MOVER on the counts, models taken as independent) and p values "
    "adjusted by Holm over the table."
)
CAPTION_COUNTS = (
    "Each printed percentage against the integers k of its n questions. 'Single count': rounding leaves one k only. The last column is "
    "the largest distance between 100 k / n and the printed number."
)
CAPTION_DEFINITIONS = (
    "Each kind of printed average held against each definition: how many of the printed numbers equal it to the last digit, and how far "
    "off the rest are (percentage points)."
)
CAPTION_SIZES = (
    "Questions as printed and as counted: rows of CMMLU's 67 test files, whose translation Ti-MMLU is (all 1,742 per-subject percentages are "
    "integer counts of these n), and entries of SafetyBench's answer key. The paper's 11,528 has two digits of 11,582 exchanged, and its "
    "total inherits that."
)
CAPTION_ABBREVIATIONS = "Categories of Ti-SafetyBench with their abbreviations and sizes (entries of SafetyBench's answer key)."
CAPTION_MAPPING = (
    "Category of each subject with its number of questions. † the printed name elementary_it is no subject of the benchmark: the paper's "
    "category means leave elementary_information_and_technology out."
)
CAPTION_OVERVIEW = (
    "Questions by category. Ti-MMLU: 11,582 in 67 subjects of 5 categories; Ti-SafetyBench: 11,435 in 7 categories. The paper's Figure 1 is a "
    "picture of the same composition."
)
CAPTION_CURATION = (
    "The paper's curation process (Section 3), as a diagram of our own: source benchmarks are machine-translated, filtered by rules, "
    "revised by two specialists and 15 annotators, and checked by experts of each domain."
)


def _numbers(beside: pd.DataFrame) -> str:
    """How many of the recomputed numbers equal the printed ones."""
    known = beside["agrees"].dropna()
    return f"{int(known.sum())} of {len(known)} numbers that could be recomputed equal the printed ones"


def caption_overview(beside: pd.DataFrame, benchmark: str) -> str:
    n = category_sizes(benchmark)["printed"]
    dagger = f" {tables.MARK} the counts give another number." if not beside["agrees"].dropna().all() else ""
    over = "over the subjects of a category" if benchmark == "ti_mmlu" else "over the questions of a category"
    return f"Accuracy (%) on {BENCHMARKS[benchmark]}, {over}, n = {n:,}. {_numbers(beside)}.{dagger}"


def caption_subjects(long: pd.DataFrame) -> str:
    method = long["setting"].iloc[0].upper()
    models = long["model"].nunique()
    return f"Accuracy (%) by subject ({method}), {models} models. Counts and Wilson intervals are in the CSV. {_numbers(long)}."


def caption_paired(paired: pd.DataFrame) -> str:
    n = int(paired["n"].max())
    return (
        f"Knowledge-free baselines on the {n} readable questions of Ti-MMLU's public sample (up to 10 a subject) and on the CMMLU questions "
        "they were translated from: difference Tibetan minus Chinese with Tango's 95 % interval, exact McNemar test, Holm over the table."
    )


def caption_forest(average: pd.DataFrame, runs: pd.DataFrame, benchmark: str) -> str:
    n = int(average["n"].max())
    note = "; the subject that Table 18 misnames is left out, as in the paper" if benchmark == "ti_mmlu" else ""
    own = runs.loc[runs["model"].str.startswith(recorded.BASELINE), "n"]
    baseline = f" Baselines ({recorded.BASELINE}…) answered {own.max()} of the questions." if len(own) else ""
    return (
        f"Average accuracy with 95 % intervals, n = {n:,} questions a model{note}. Filled: recomputed from counts (DA orange, CAA blue) or run "
        f"(grey); hollow: printed; dashed: guessing.{baseline}"
    )


def finding_forest(average: pd.DataFrame, chance: float) -> str:
    top = average.loc[average["value"].idxmax()]
    above = average.loc[average["ci_low"] > chance, "model"].nunique()
    total = average["model"].nunique()
    return f"{top['model']} leads with {top['value']:.1f} %; {above} of {total} models are above guessing ({chance:.1f} %) by more than the interval."


def caption_gap(beside: pd.DataFrame) -> str:
    return f"Accuracy (%) in Chinese and Tibetan as printed. {_numbers(beside)}. {tables.MARK} the counts of Tables 14-17 give another number."


def caption_drop(drops: pd.DataFrame, benchmark: str) -> str:
    n = category_sizes(benchmark)["printed"]
    return (
        f"Accuracy in Chinese (orange, printed) and Tibetan (blue, recomputed; hollow where the printed number differs by more than half a "
        f"point), with 95 % intervals, n = {n:,} questions in each language; the number on the line is the change in points, the tick the "
        "expectation of guessing."
    )


def finding_drop(drops: pd.DataFrame) -> str:
    least, most = drops.loc[drops["drop"].idxmin()], drops.loc[drops["drop"].idxmax()]
    return (
        f"Every pair falls in every category: from {least['drop']:.0f} points ({least['pair']}, {least['group']}) to {most['drop']:.0f} "
        f"({most['pair']}, {most['group']})."
        if (drops["drop_low"] > 0).all()
        else "Not every pair falls in every category."
    )


def caption_rates(beside: pd.DataFrame, benchmark: str) -> str:
    if benchmark == "ti_safetybench":
        return "Response rate and accuracy as printed; the conditional accuracy, which the paper does not print here, is their ratio."
    own = beside.dropna(subset="agrees")
    worst = own.loc[own["difference"].abs().idxmax()]
    return (
        f"As printed, beside accuracy / response rate. {int(own['agrees'].sum())} of {len(own)} printed conditional accuracies equal that ratio to "
        f"rounding; the largest difference is {worst['model']} {worst['setting'].upper()}: printed {worst['printed']}, ratio "
        f"{worst['recomputed']:.2f}. The printed ones are means of five categories' conditional accuracies."
    )


def caption_response(benchmark: str) -> str:
    n = category_sizes(benchmark)["printed"]
    return (
        f"Response rate, accuracy and conditional accuracy on {BENCHMARKS[benchmark]} with 95 % intervals, n = {n:,} questions (for the conditional "
        "accuracy: those answered). Conditional accuracy is accuracy / response rate; hollow squares are the paper's own."
    )


def finding_response(computed: pd.DataFrame) -> str:
    top = computed.loc[computed["value"].idxmax()]
    return f"{top['model']} ({top['setting'].upper()}) has the highest conditional accuracy, {top['value']:.1f} %, among the questions it answers."


def caption_conditional(beside: pd.DataFrame) -> str:
    known = beside["agrees"].dropna()
    return (
        f"Conditional accuracy (%) by category as printed. The first column equals the mean of the five categories in {int(known.sum())} of "
        f"{len(known)} rows; response rates by category are not published, so the categories cannot be recomputed."
    )


def caption_scale(benchmark: str) -> str:
    n = category_sizes(benchmark)["printed"]
    return (
        f"Average accuracy on {BENCHMARKS[benchmark]} over model size (logarithmic), 95 % intervals, n = {n:,}. Solid CAA, dashed DA; hollow "
        "circles are printed values."
    )


def finding_scale(average: pd.DataFrame) -> str:
    falls = [
        f"{family} {setting.upper()}"
        for (family, setting), part in average.sort_values("parameters_b").groupby(["family", "setting"])
        if not part["value"].is_monotonic_increasing
    ]
    return (
        f"Accuracy does not grow with every step of size in: {', '.join(falls)}."
        if falls
        else "Accuracy grows with size in every family."
    )


def caption_misfits(misfits: pd.DataFrame, audit: pd.DataFrame) -> str:
    compared = audit.drop_duplicates(["kind", "artifact", "model", "setting", "group"])
    models = ", ".join(sorted(set(misfits["model"] + " " + misfits["setting"].str.upper())))
    return f"{len(misfits)} of {len(compared)} printed averages and category means differ from the definition that all others follow: {models}."


def caption_twice(twice: pd.DataFrame) -> str:
    differ = int((twice["Spread"] > 1e-9).sum())
    return (
        f"{len(twice)} quantities stand in two places or more; {differ} differ. The averages of Table 1 (over categories) and of Tables 14-17 "
        "(over subjects) are different means, which explains differences up to about half a point, and no more than that."
    )


def caption_random(random: pd.DataFrame) -> str:
    moved = int((random["Fits"] != random["Category"]).sum())
    return (
        f"Printed random baseline against the expectation of guessing (%). {moved} of 7 category numbers stand under another category's "
        "heading: each fits the category in the last column (the one-to-one assignment with the least total distance). The average is right."
    )


def caption_impossible(found: pd.DataFrame) -> str:
    models = ", ".join(found["Model"].unique())
    return (
        f"CAA accepts whatever DA accepts, so on the same outputs it cannot have fewer right answers. In {len(found)} subjects it has "
        f"({models}): the two columns do not come from the same outputs, or one is wrong."
    )
