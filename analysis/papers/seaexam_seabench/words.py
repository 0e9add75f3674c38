"""Captions and findings, with their numbers taken from the frames."""

import pandas as pd

from analysis.papers import public_data
from analysis.papers.seaexam_seabench.arithmetic import BENCHMARKS, LANGUAGES, VOTES

MODELS = 9

SCORES = {
    "table_02": "Accuracy (%, 3-shot) on SeaExam and GPT-4o's score (1-10) on SeaBench.",
    "table_08": "Accuracy (%, 3-shot) on SeaExam and on its counterpart translated by machine.",
    "table_09": "GPT-4o's score (1-10) on SeaBench and on MT-bench translated by machine and by people.",
}
AGREEMENT = {
    "table_03": "Votes (%) equal to people's; scores that differ by one point or less are a tie.",
    "table_11": "Votes behind Table 3.",
    "table_12": "Votes (%) equal to people's; only equal scores are a tie.",
    "table_13": "Votes behind Table 12.",
}
DEFINITIONS = (
    "Every reasonable definition of 'spreads x times as far', computed from the printed scores of nine models; * gives the "
    "printed number within the rounding of the scores. Intervals from drawing models anew are in the CSV. Each of the four printed numbers has "
    "one definition, but the first two, said to show the same, do not share one: +9.3 % is the standard deviation of the models' averages, +8.7 % the mean of the "
    "languages' standard deviations. No definition gives both."
)
TESTS = (
    "Standard deviations across nine models on two benchmarks, compared by Pitman and Morgan's test of paired variances; intervals invert the "
    "test; Holm over the table."
)
FIGURE_4 = (
    "Standard deviation of the scores of nine models in each language and of their averages over the languages. Notes: ratio of the local to the "
    "translated benchmark with its 95 % interval (Pitman and Morgan). An interval that holds 1 leaves open which spreads further."
)
FIGURE_6 = (
    "Standard deviation of each model's three languages: SeaExam in points of accuracy, SeaBench in points after ten times the score, the "
    "reading that gives the printed 1.37 (mean of the nine ratios; the ratio of the means is {other:.2f}). The paper's full-mark rates need the "
    "judgments of single answers."
)
DECLINE = (
    "Accuracy on MMLU-SEA and SeaExam in Indonesian (n = 2,850 and 1,580 questions a model) with Newcombe's interval of the difference. The "
    "paper says that each model declines by more than 4.5 points: {more} of nine do; the mean is {mean:.1f}."
)
TRANSLATION = (
    "GPT-4o's scores on MT-bench translated by people minus by machine, nine models. Mean difference {mean:+.2f}, largest {largest:+.2f}; the "
    "correlation of the 27 scores is {r:.3f}."
)
KAPPA = (
    "Cohen's kappa as far as the printed counts determine it. With ties: the number of human ties is known within bounds, both sides are taken as "
    "equally often preferred. Without ties, chance is 1/2."
)
COUNTS = (
    "Each printed percentage is exactly one integer of its printed n ({n} of {n}). From the counts follow the votes on which both tie, on which "
    "one ties, and bounds of the human ties among all {votes} votes of a language."
)
HUMAN_TIES = (
    "The human votes are the same for all judges and both margins, so the bounds from all 14 pairs of counts of a language intersect. A judge that "
    "always calls a tie reaches this agreement; 33.3 % is that of one that draws its vote."
)
MARGIN = (
    "Pairs that a judge decides where only equal scores tie, split into those that stay decided with a margin of one point and those that the margin "
    "turns into ties (votes without ties; Wilson intervals). The margin raises the agreement by taking away the pairs on which judge and people "
    "agree least."
)
FIGURE_7 = (
    "The paper prints two numbers: safety, 5.02, and that this is 20 % below STEM, which makes STEM {stem:.2f} (bar: what rounding allows). The other "
    "categories stand in its figure without numbers."
)
FIGURE_3 = (
    "The paper gives one number: local benchmarks are nearer to Wild Queries 'by an average of 6 units', without the distances. Drawn here: question sets "
    "that are public, {what}, with 95 % bootstrap intervals. The noise of the sample sizes is taken out; hollow: the paper's formula.{note}"
)
FIGURE_8 = (
    "A sample of at most 150 texts of each set on the first two principal components of all sets of a language; crosses: centroids of the whole sets; the "
    "outermost 2 % on each axis lie outside. "
    "Own question sets; the paper's sets and embedder need outputs."
)
DISTANCES = (
    "Cluster distance of question sets to a target, computed from public files with character n-grams and SVD (256 dimensions). Without noise: the "
    "square is unbiased for the sets' sizes; the paper's formula makes small sets look farther away."
)
DIFFERENCES = (
    "Which of two sets lies nearer to the target, over embedders without a model (n-grams of characters, words), two numbers of dimensions, two "
    "normalisations, and a sentence-transformer trained on English (all-MiniLM-L6-v2). Interval: bootstrap of all three "
    "sets; p: permutation of texts between the two sets (500 each)."
)
THAI = (
    "102 models on 375 questions of three Thai exams (raw outputs published by others, answers extracted here). Noise: mean binomial variance over the "
    "observed variance across models; pairs told apart: exact McNemar tests of all 5,151 pairs, Holm."
)
THAI_CURVE = (
    "Share of the 5,151 pairs of 102 models that an exam of this many questions tells apart (exact McNemar, Holm; mean of 20 draws of questions, band: "
    "95 % of the draws). The three exams have similar accuracies; at the same number of questions they differ by how much their questions separate."
)
JUDGES = (
    "Two judges' scores of the same 6,133 responses of six models to 1,024 real tasks (WildBench): equal scores, scores within one point, Pearson's r "
    "and quadratic-weighted kappa with intervals clustered by task. GPT-4o is the stricter one throughout."
)
LEADERBOARD = "Mean scores that WildBench's leaderboard prints, recomputed from the single scores."
REPEATED = (
    "GPT-4 judged some models of Japanese MT-Bench two or three times. The files do not say whether it saw the same response again, so this bounds its "
    "self-agreement from below; two models whose template was broken get 1 throughout and agree trivially."
)
DEFINITION_FIGURE = (
    "Three of the printed ratios (dashed) against all definitions, with intervals from drawing the nine models anew. Red: the definition that gives the "
    "printed number. Nearly all intervals hold 0: another nine models could show the opposite."
)
DIFFERENCE_FIGURE = (
    "SeaExam minus MMLU-SEA for each model and language with 95 % intervals (Newcombe, questions independent); grey where the interval holds 0. The direction "
    "differs by language, not by model: in Indonesian the local exam is harder, in Vietnamese easier."
)
MARGIN_FIGURE = (
    "Agreement with people (votes without ties, three languages together) on the pairs that the margin of one point keeps and on those that it turns into "
    "ties; notes: how many pairs it takes away."
)
COMPOSITION = (
    "Questions of SeaExam by category in each language: no social sciences in Indonesian, hardly any humanities in Vietnamese."
)
EXAM_PROMPT = (
    "How a question of SeaExam is put to a model, with made-up questions: a heading drawn for each question, three solved questions, shuffled options. The "
    "paper's Figure 2 shows examples of its own."
)
STATISTICS = {
    1: "Questions of SeaExam by MMLU's categories.",
    4: "Questions of SeaExam by M3Exam's subject groups; Table 1's STEM is math and natural science, its humanities are language.",
    6: "Questions of SeaBench by category.",
}
MAPPING = (
    "SeaExam's subjects by category. History and civics stand among the social sciences; MMLU, whose categorization the paper says to follow, has its "
    "history subjects among the humanities."
)
ASPECTS = "What the judge is told to look at first in each category of SeaBench, in own words."
QUERIES = "Queries of real users after the three filters. The printed total is three more than its languages."
CONSTRUCTION = "How SeaExam and SeaBench were made (Section 2, Appendix A), as a diagram of our own with sizes as printed."
FILTER = "The text neither shows nor cites Figure 9. In its place: how conversation logs become Wild Queries (Section 3.1), as a diagram of our own."
PROMPTS = {
    "judge_1": "Parts of the judge's instruction for a first turn, in own words (the paper's Figure 10 is an image).",
    "judge_2": "Parts of the judge's instruction for a second turn, in own words (the paper's Figure 11 is an image).",
    "entities": "Own wording of the instruction that extracts entities (the paper's Figure 12 is an image).",
    "people": "What people are asked, in own words (the paper's Figure 13 is an image).",
}
COUNTRIES = (
    "A stand-in for the paper's picture of entities, which needs an extractor's outputs: countries that annotators of Global-MMLU-lite named in the 200 "
    "MMLU questions that depend on a culture (named at least twice, and the paper's three; Wilson intervals). Half speak of the United States, none of "
    "Indonesia, Thailand or Vietnam."
)


def _marks(long: pd.DataFrame) -> str:
    known = long["agrees"].dropna()
    dagger = "" if known.all() else " † the recomputed number differs."
    return f"{int(known.sum())} of {len(known)} numbers that could be recomputed equal the printed ones.{dagger}"


def scores(artifact: str, long: pd.DataFrame) -> str:
    return f"{SCORES[artifact]} {MODELS} models; averages over the three languages are recomputed. {_marks(long)}"


def agreement(artifact: str, long: pd.DataFrame) -> str:
    return f"{AGREEMENT[artifact]} Seven judges, one linguist a language, {VOTES} votes a language. {_marks(long)}"


def figure_languages(benchmark: str) -> str:
    return {
        "percent": "accuracy (%)",
        "score": "judge score (1-10)",
    }["percent" if benchmark in ("seaexam", "mmlu_sea") else "score"]


def caption_languages() -> str:
    return (
        "Printed scores by language, models in the order of their mean on SeaExam. Exams: Wilson intervals of the counts behind the percentages "
        "(1,580 / 2,126 / 1,745 questions of SeaExam, 2,850 a language of MMLU-SEA). Judge scores (100 questions of two turns on SeaBench, 80 on "
        "MT-bench) have no interval: scores of single questions are not published."
    )


def finding_spread(tests: pd.DataFrame) -> str:
    clear = tests[tests["p_holm"] < 0.05]
    names = ", ".join(f"{row.pair} {LANGUAGES.get(row.group, row.group)}" for row in clear.itertuples())
    return f"{len(clear)} of {len(tests)} comparisons of spread are significant after adjustment{': ' + names if names else ''}."


def figure_5(first: pd.DataFrame, second: pd.DataFrame) -> str:
    more = int((second["ratio"] > 1).sum())
    return (
        "Standard deviation of each model's three languages on the local and the translated benchmark. SeaBench spreads further for "
        f"{more} of {len(second)} models (Wilcoxon p = {second.attrs['p']:.2f}), SeaExam for {int((first['ratio'] > 1).sum())} (p = {first.attrs['p']:.2f})."
    )


def caption_agreement(bounds: pd.DataFrame) -> str:
    low, high = 100 * bounds["low"].mean() / VOTES, 100 * bounds["high"].mean() / VOTES
    return (
        f"Votes equal to people's, mean over three languages, with 95 % intervals (MOVER on Wilson limits, votes taken as independent; {VOTES} votes a "
        "language come from 100 questions, so the true ones are wider). Hollow: printed. Dashed: a judge that draws its vote; band: one that always "
        f"ties, {low:.0f} to {high:.0f} %, as the counts bound it."
    )


def caption_votes() -> str:
    table = public_data.recorded("judge_votes")
    n, pairs, tasks = int(table["n"].max()), int(table["pairs"].max()), int(table["tasks"].max())
    return (
        f"Two judges (GPT-4-turbo, GPT-4o) on {n:,} pairs of responses ({pairs} pairs of six models, {tasks:,} real tasks), over the margin within which "
        "scores tie; bands: 95 %, clustered by task. Agreement rises with the margin whatever the judges are worth: chance and the best constant vote rise with it."
    )


def exam_names() -> dict[str, str]:
    return {key: BENCHMARKS[key] for key in ("seaexam", "mmlu_sea", "seabench", "mt_bench_sea")}


def translation(table: pd.DataFrame) -> str:
    largest = table.loc[table["value"].abs().idxmax(), "value"]
    r = table["machine"].corr(table["human"])
    return TRANSLATION.format(mean=table["value"].mean(), largest=largest, r=r)


def finding_decline(table: pd.DataFrame) -> str:
    clear = table[(table["ci_low"] > 0) | (table["ci_high"] < 0)]
    parts = []
    for key, name in LANGUAGES.items():
        own = clear[clear["group"] == key]
        parts.append(
            f"{name}: {(own['value'] > 0).sum()} models clearly lower on SeaExam, {(own['value'] < 0).sum()} clearly higher"
        )
    return "; ".join(parts) + "."


def finding_judges(frame: pd.DataFrame) -> str:
    top = frame[(frame["margin"] == 1) & (frame["view"] == "with ties")].sort_values("value", ascending=False)
    first, second = top.iloc[0], top.iloc[1]
    return (
        f"With ties, {first['model']} agrees most ({first['value']:.1f} %, {first['ci_low']:.1f} to {first['ci_high']:.1f}), then {second['model']} "
        f"({second['value']:.1f} %); their intervals overlap."
    )


def figure_7(means: pd.DataFrame | None, stem: float) -> str:
    text = FIGURE_7.format(stem=stem)
    if means is None:
        return text + " They appear here as soon as judgments are given."
    n = int(means.loc[(means["group_by"] == "average") & (means["metric"] == "score"), "n"].sum())
    return f"{text} Filled: mean scores of own judgments, n = {n:,}, with 95 % intervals clustered by question."


def figure_3(table: pd.DataFrame) -> str:
    own = table["language"].iloc[0] == "own"
    what = "own vectors" if own else "embedded without download (character n-grams, SVD)"
    note = "" if own else " The Vietnamese target is itself a translation: no Vietnamese queries of users are public."
    return FIGURE_3.format(what=what, note=note)


def finding_distance(table: pd.DataFrame) -> str:
    parts = []
    for language, part in table.groupby("language", sort=False):
        ordered = part.sort_values("value")
        parts.append(
            f"{language}: nearest to {part['target'].iloc[0]} is {ordered['set'].iloc[0]}, farthest {ordered['set'].iloc[-1]}"
        )
    return "; ".join(parts) + "."
