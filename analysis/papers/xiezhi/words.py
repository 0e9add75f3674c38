"""Captions and findings of Xiezhi's reports, with their numbers taken from the frames."""

import pandas as pd

from analysis.papers.xiezhi import facts

WORST = "Intervals: the widest that a mean of so many reciprocal ranks can have, as the paper prints no spread over questions."
SUSPECT = "? the text of the table is damaged there (merged or overlaid rows); such cells enter no analysis."


def overall(long: pd.DataFrame) -> str:
    cells = long[long["metric"].eq("mrr") & long["model"].ne("Random")]
    damaged, impossible = int(cells["suspect"].sum()), int((cells["value"] < 1 / facts.OPTIONS).sum())
    return (
        f"MRR of 47 models with 50 options, as printed. {SUSPECT} {damaged} of {len(cells)} cells, {impossible} of them below 1/50, which no "
        "mean reciprocal rank can be. The last two rows are the paper's average and 'variance' over models."
    )


def sums(frame: pd.DataFrame) -> str:
    fits = frame["fits"].dropna()
    return (
        "What the damaged cells of each column must sum to, if the printed average is over all 47 models, beside the sum of what the text "
        f"shows. The readings fit in {int(fits.sum())} of {len(fits)} columns whose cells can all be read: the damage is real."
    )


def spread_definition(frame: pd.DataFrame) -> str:
    known = frame[~frame["suspect"]]
    near = int(((known["printed"] - known["standard_deviation"]).abs() < 0.005).sum())
    return (
        f"The printed 'Performance-Variance' lies within 0.005 of the standard deviation across models in {near} of {len(known)} columns (the "
        "rest of the distance is the damaged cells); the variance is more than six times smaller. Impossible cells are left out (n)."
    )


def below_random(frame: pd.DataFrame) -> str:
    counts = frame["verdict"].value_counts()
    return (
        f"Models whose printed 0-shot MRR on a part of Xiezhi cannot be told from random ranking ({counts.get('as random', 0)}) or lies below it "
        f"({counts.get('below random', 0)} of {len(frame)} sound cells), against the exact variance of a random ranking, n = 14,041 and 10,746 "
        "questions, Holm over all cells. A ranking that is worse than random prefers wrong options for a reason, such as their length."
    )


def categories() -> str:
    return (
        "Table 2 as printed: scores of humans, and the best eight models of each category by 0-shot MRR; then the overall rankings. "
        "? the text shows two readings. 'Xiezhi' is the best of Specialty and Interdiscipline in both languages."
    )


def humans(frame: pd.DataFrame) -> str:
    above = ", ".join(frame.loc[frame["above_average"], "group"])
    return (
        f"The best model's MRR lies above the average human's score in {int(frame['above_average'].sum())} of "
        f"{len(frame)} categories ({above}) and above the top human's in {int(frame['above_top'].sum())}. The two are different things: the human "
        "scores are shares of marks in examinations, an MRR gives part of a point for a right option ranked second or third. No n is printed, so "
        "there are no intervals."
    )


def top_tens(frame: pd.DataFrame) -> str:
    return (
        f"Rank of each model in the paper's four overall rankings; – not among the ten. {int((frame['lists'] == 4).sum())} models are in all four, "
        f"{int((frame['lists'] == 3).sum())} in three."
    )


def few_shot(frame: pd.DataFrame) -> str:
    n = int(frame["models"].iloc[0])
    three = frame[frame["shots"] == "3-shot"]
    return (
        f"Change of MRR from no solved example to one and to three: each of {n} models with sound cells (dots), their mean with a 95 % t interval over "
        f"models (diamonds). With three examples {int(three['rise'].min())} to {int(three['rise'].max())} of the {n} rise, depending on the benchmark; "
        f"{int((frame['p'] < 0.05).sum())} of {len(frame)} mean changes differ from zero (Wilcoxon, Holm). GPT-4 is left out: most of its cells are damaged."
    )


def spreads(frame: pd.DataFrame, setting: str) -> str:
    n = int(frame["models"].iloc[0])
    return (
        f"MRR of the same {n} models on each benchmark, {setting}, and the standard deviation across them with a bootstrap interval over models "
        "(2,000 draws). M3KE is printed without examples only."
    )


def spread_tests(frame: pd.DataFrame) -> str:
    return (
        f"Spread across the same {int(frame['models'].iloc[0])} models on a part of Xiezhi over that on another benchmark, with its 95 % interval and "
        f"Pitman-Morgan test (paired, Holm over the table): {int((frame['p'] < 0.05).sum())} of {len(frame)} ratios differ from one."
    )


def bounds(frame: pd.DataFrame) -> str:
    models = frame[frame["model"] != "Random"]
    bad = models[~models["possible"]]
    return (
        "Hit@1, Hit@4 and mean rank of one ranking of 50 options bound its MRR (a linear programme over the frequencies of the ranks, with room for "
        f"rounding). {len(bad)} of {len(models)} printed MRRs lie outside: they cannot come from the ranking that the other columns describe."
    )


def twice(frame: pd.DataFrame) -> str:
    same = int((frame["difference"] < 0.0005).sum())
    return (
        "MRR in Tables 7-10 beside the same model and part in Table 1 at each number of examples (the tables do not name theirs): "
        f"{same} of {len(frame)} equal one of the three; the median distance to the nearest is {frame['difference'].median():.3f}."
    )


def agreement(frame: pd.DataFrame) -> str:
    return (
        "Kendall's tau-b between metrics within each table; in brackets the number of models that both columns list; * p < 0.05 (Holm over all "
        f"{len(frame)}). Each column lists its best models only, so the common ones are a selection."
    )


def metric_table(artifact: str, benchmark: str) -> str:
    return (
        f"{facts.BENCHMARKS[benchmark]}: models ranked by each metric, as printed; mean rank is divided by 50. Random: exact expectations are "
        "H(50)/50 = 0.0900, 1/50, 4/50, 51/100. ? damaged in the text."
    )


def models(unlisted: list[str]) -> str:
    return (
        "Table 11 with the project's model names, BELLE's and BLOOMZ's variants spelled out; ? overlaid in the text. Scored in Table 1 but not listed "
        f"here: {', '.join(unlisted)}."
    )


def sizes(frame: pd.DataFrame) -> str:
    n = int(frame["parameters_b"].notna().sum())
    return (
        f"Mean of the four 0-shot MRRs on Xiezhi (Specialty and Interdiscipline, Chinese and English) of {n} open models with four sound cells, by "
        f"number of parameters; lines join the means of a family's sizes. {WORST}"
    )


def size_correlations() -> str:
    return (
        "Size and mean 0-shot MRR: Spearman's correlation with its 95 % interval (Fisher's z, Bonett and Wright; none below five models), Kendall's "
        "tau-b, p of the former (not adjusted)."
    )


def baselines(long: pd.DataFrame, benchmark: str) -> str:
    return (
        f"{facts.BENCHMARKS[benchmark]}: rankers that know nothing, n = {int(long['n'].max()):,}, 50 options drawn by the paper's rule. 'combined' joins overlap with the "
        "question, likeness to the three nearest options, and having a character in common with at most three of the other 49; its weights are set "
        "by hand. Intervals (CSV) by question."
    )


def beside(run: pd.DataFrame, benchmark: str) -> str:
    best = run.loc[run["value"].idxmax()]
    return (
        f"{facts.BENCHMARKS[benchmark]}, 50 options, MRR: rankers that know nothing (filled, 95 % interval by question, n = {int(best['n']):,}) beside "
        f"the 0-shot values printed in Table 1 (hollow, sound cells only; GPT-4's from its other table). {WORST} The options are our own draw by the paper's rule: the paper's own are "
        "not published."
    )


def beside_finding(run: pd.DataFrame, printed: pd.DataFrame) -> str:
    best = run.loc[run["value"].idxmax()]
    beaten = int((printed["value"] < best["value"]).sum())
    return f"{best['model']} reaches {best['value']:.3f} and stands above {beaten} of {len(printed)} printed models."


def option_counts(benchmark: str, n: int) -> str:
    return (
        f"{facts.BENCHMARKS[benchmark]}, n = {n:,}: MRR of rankers that know nothing by number of options, drawn by the paper's rule; the smaller sets lie "
        "inside the larger ones. Random ranking falls with the options; what looks at the options themselves does not."
    )


def released(frame: pd.DataFrame) -> str:
    return (
        "The same rankers with 50 options drawn as the published code draws them: no rule of shared characters, and the right option stays among the "
        "first four. Ranking the options as they are listed then gives the MRR in the first row."
    )


def levels(model: str) -> str:
    return (
        f"MRR of {model} averaged over questions and, unweighted, over the disciplines of each level; a question counts in each of its disciplines. "
        "Intervals: by question; for means over disciplines MOVER (a question of several disciplines is taken as independent ones)."
    )


def taxonomy(frame: pd.DataFrame) -> str:
    return (
        "The taxonomy of the released files: 13 categories, 124 first-level disciplines (rows) and 385 second-level ones (number after the dot). Bars: "
        "square root of the questions of Specialty and Interdiscipline that carry the label; 0 in red. Six names stand at two places, so that there are "
        "516 different names; the paper counts 118 first-level disciplines."
    )


def questions() -> str:
    return (
        "Questions that carry each category's label: Specialty 14,041, Interdiscipline 10,746 and Train 2,478 questions; a question of several categories "
        "counts in each. All 249,587 questions are not published."
    )


def deleted(frame: pd.DataFrame) -> str:
    known = frame["both"].notna()
    return (
        f"The {len(frame)} disciplines that the paper says are deleted from the test parts. {int((frame.loc[known, 'both'] > 0).sum())} of the {int(known.sum())} "
        "that the taxonomy knows label questions of the released test files, Military Science "
        f"{int(frame.xs('Military Science', level='discipline')['both'].iloc[0]):,} of them."
    )


def rules(long: pd.DataFrame, benchmark: str, n_options: int, rule: str) -> str:
    n = int(long["n"].max()) if len(long) else 0
    return (
        f"{facts.BENCHMARKS.get(benchmark, benchmark)}, {n_options} options drawn by the rule '{rule}', n = {n:,}: the same log-probabilities ranked under "
        "each rule. bigram: a character model estimated on the questions of Xiezhi-Train."
    )
