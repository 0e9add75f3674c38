"""Captions, with their numbers taken from the frames where they depend on them."""

import pandas as pd

from analysis.papers.khayyam.behaviour import CHOICE_FIGURES, EXTRACTION
from analysis.tables import MARK

CAPTION_COMPARISON = "Features of benchmarks as the paper's Table 1 gives them (its check marks were damaged in the text at hand and are read as yes)."
CAPTION_LOSSES = "Kinds of loss in machine translation that the paper's Table 4 shows by examples, described in our own words."
CAPTION_SIZES = (
    "Questions by main category and difficulty: Table 5 (20,805), and beside it the counts read off Figure 4 (20,192, an earlier version of "
    "the data with a fifth category). The whole grew by 613 questions, while Social Science fell from 5,849 to 3,424 and Mathematics rose "
    "from 4,646 to 7,064: the categories were drawn differently as well."
)
CAPTION_YEARS_AND_STAGES = (
    "Questions by year of publication and by educational stage, n = 20,192 (the figures' version of the data)."
)
CAPTION_COMPOSITION = (
    "Questions by main category, difficulty and educational stage, n = 20,192 (the figures' version of the data)."
)
CAPTION_TASKS = "Questions of the 38 tasks by difficulty, n = 20,192, read off the published figure exactly."
CAPTION_OVERVIEW = "How the paper made and analysed the data set (Section 3), as a diagram of our own."
CAPTION_GAPS = (
    "GPT-4's accuracy minus the human one on each of the 38 tasks (Table 10, regex), in points. Bars hold GPT-4's 95 % Wilson interval (n from "
    "Figure 4: 180 to 1,726 questions, another version of the data) and the rounding of both numbers; the human n of a task is not printed. "
    "Only on Theology LPS is GPT-4 not below."
)
CAPTION_LEVELS = (
    "Accuracy (%) by difficulty within each main category (Table 13, regex; the other models lie between 21 and 41), with 95 % Wilson intervals widened by the rounding, n from "
    "Table 5 (678 to 3,303 questions a cell); human bands hold the rounding only. Dashed line: one in four."
)
CAPTION_STAGES = (
    "Accuracy (%) over educational stages, read off Figure 9. Bands: 95 % Wilson intervals widened by the rounding, n from Figure 4 (374 "
    "to 5,722 questions a cell); human bands hold the rounding only. Dashed line: one in four."
)
CAPTION_YEARS = (
    "Accuracy (%) over years of publication, read off Figure 10. Bands: 95 % Wilson intervals widened by the rounding, with n taken as the "
    "year's questions (355 to 4,428) times the difficulty's share of all questions, as no count by year and difficulty is published; human "
    "bands hold the rounding only. Dashed line: one in four."
)
CAPTION_TRENDS = (
    "Change of accuracy in points a year (2014 to 2023), straight lines through the ten readings of Figure 10, with 95 % intervals. "
    "* p < 0.05 after Holm's adjustment over the 15 lines. Years differ in subjects and stages too: this is no effect of time alone."
)
CAPTION_HUMAN_MIX = (
    "Shares of difficulty in per cent: of all questions (Table 5), and the least and most among the questions with human data that the human "
    "accuracies of Tables 3 and 13 allow. Each bound holds by itself; Table 5's three shares together are impossible in Humanities: with 41 % "
    "difficult questions, two in five would have to be easy, and 16 % of all are."
)
CAPTION_OWN = "Accuracy of own outputs in per cent, with 95 % intervals."
CAPTION_BIAS = (
    "Options that models select against the answer key's, n = 20,192 (the figures' version of the data; counts read off to within 2). Distance: "
    "Jensen-Shannon, natural logarithm, with its 95 % interval. χ² tests the selections against the key's distribution; p is adjusted by "
    "Holm within a figure, w is its effect size. Favours: the option selected most beyond the key's share, in points. Models that only some "
    "figures show are missing from the others; the key is the same in all."
)
CAPTION_TRAP_TABLE = "Accuracy on all / on trapped questions as printed (Table 16, regex); 3,889 of 20,805 questions are trapped."
CAPTION_TRAP_DROPS = (
    "Accuracy (%) on untrapped (filled) and trapped (hollow) questions, over all categories, with 95 % Wilson intervals; numbers are the "
    "changes in points. Untrapped is recomputed from the printed pair: n = 16,916 and 3,889 (humans 13,066 and 3,889, taking every trapped "
    "question to have human data). Dashed line: one in four."
)
CAPTION_TRAP_DIFFERENCES = (
    "Drop from untrapped to trapped questions in points with 95 % intervals (Newcombe), and by how much it is smaller than the human drop "
    "(difference in differences; independent intervals combined, as no single answers are published). The last column: how far the "
    "rounding of the printed pair can move a drop. Trapped questions were labelled by what pupils chose, so the human drop is built in."
)
CAPTION_OWN_TRAPS = (
    "Own outputs: proportions right, drop from untrapped to trapped questions with Newcombe's interval, p of Fisher's exact test (Holm); did: "
    "human drop minus the model's on the same questions, with Welch's interval."
)
CAPTION_EFFECTS = (
    "Effect sizes of Table 17: Cohen's d of right minus wrong answers, from the printed t and accuracy, n = 20,805 (humans 16,955), with 95 % "
    "intervals; grey where they hold zero. Differences of 0.2 are called small."
)
CAPTION_BOXES = (
    "Lengths in characters by task, read off Figure 15: smallest to largest (thin), quartiles (bar), median (tick); n = 180 to 1,726 questions "
    "a task, 20,192 in all (the figures' version). Which panel is which is inferred, as the figure has no titles."
)
CAPTION_OWN_LENGTHS = (
    "Own outputs: lengths in characters of right minus wrong answers. Student's t (as in the paper), Welch's t, permutation p; adjusted by "
    "Holm over the table; d is Cohen's."
)
CAPTION_PROMPTS = {
    "prompts": (
        "GPT-3.5 by prompt on 1,000 questions (Table 6), and the differences from prompt-0 in points with 95 % intervals for the largest n that "
        "the printed averages allow a category. The same questions were asked, so paired intervals would be narrower; no answers are published."
    ),
    "cot": (
        "GPT-3.5 with and without chain of thought on 1,000 questions (Table 7). The printed averages leave Humanities at most 154 of them, so "
        "its loss of 8 points is within what such a sample does by chance; the gain in Mathematics is not."
    ),
}
CAPTION_PROMPT_EFFECTS = (
    "Differences from prompt-0 in points, GPT-3.5, regex, 1,000 questions each (chain of thought: another 1,000); 95 % intervals for the "
    "largest n that the printed averages allow a category, not adjusted for their number; grey where they hold zero."
)
CAPTION_TRANSLATION = (
    "GPT-4's accuracy (%) on 50 questions a subject in Persian and in two translations into English (Table 2 a), with 95 % Wilson intervals. The "
    "headings of the three columns are lost in the text at hand, and Table 2 b is lost whole."
)
CAPTION_ORDERS = (
    "The six orders in which the headings may stand: in how many subjects the machine's translation is below the expert's, and the pooled "
    "difference with its 95 % interval (150 questions each, taken as independent). Under no order is the difference certain."
)
CAPTION_METHODS = (
    "Accuracy (%) over all 20,805 questions of the models whose answers were extracted in three ways (Tables 3, 9, 8), with 95 % Wilson "
    "intervals widened by the rounding. Rows of GPT-4, Haiku and GPT-3.5 are copies of regex under every method and left out. Dashed: one in four."
)
CAPTION_MOVES = (
    "How the order of models changes between two extraction methods of the same responses. Persian: Khayyam's open models over 20,805 questions; "
    "Tibetan: TLUE's models on Ti-MMLU. A swapped pair is certain where the two intervals are apart under both methods."
)
CAPTION_WINS = (
    "Tasks (of 38) in which a method's printed accuracy is higher than, equal to, lower than regex's (Tables 10 to 12), and the mean difference "
    "in points."
)
CAPTION_VOTES = (
    "Share of questions that count as right for humans over the share of pupils who choose the key, for 1 to 100 pupils a question who choose "
    "independently; exact binomial. The dashed diagonal is the mean pupil's score. A class that knows 60 % gets nearly everything right by the "
    "vote, a class that guesses gets nothing."
)
CAPTION_VOTE_TABLE = "Per cent of questions that count as right where all pupils guess among four options, by the rule of the text and of the authors' code; exact."
CAPTION_HUMAN_RULES = "Human accuracy (%) of the items by both rules with 95 % Wilson intervals, and the mean pupil's score."
CAPTION_AVERAGES = (
    "Every printed average against each mean of its table's rows: how many of the 11 numbers (humans, nine models, random) agree within the "
    "rounding. 'Avg on all tasks' is a mean of 4 categories, 38 tasks or 12 cells, depending on the table; 'Avg on all questions' weights by "
    "Table 5. Task sizes of Figure 4 belong to another version of the data and do not give the averages of Tables 10 to 12."
)
CAPTION_SAME_LABEL = '"Avg on all tasks" of the same answers in three tables, as printed: three different means under one name.'
CAPTION_POOLED = (
    "Cells by difficulty pooled with Table 5's sizes against the printed categories: these differ by more than rounding explains, all of them human. "
    "The other 126 of 132 agree. Human data covers 16,955 questions, and these are another mix."
)
CAPTION_BOUNDS = "Shares of the main categories in the two samples of 1,000 questions that their printed averages allow (linear program), in per cent."


def caption_lengths(audit: pd.DataFrame) -> str:
    """What the recomputed p values say about the printed ones."""
    odd = audit[~audit["fits"]]
    restored = ", ".join(f"{row.printed_p:g} is the mantissa of {row.printed_p:g}e{row.exponent}" for row in odd.itertuples())
    return (
        f"Table 17 as printed, p recomputed from the printed t with n - 2 degrees of freedom (n = 20,805, humans 16,955), Holm's adjustment over "
        f"{len(audit)} tests, and the effect size. {int(audit['fits'].sum())} of {len(audit)} printed p values agree with their t. "
        f"{MARK} no p value: {restored}."
    )


def caption_choices(figure: str) -> str:
    return (
        f"Selected options (%) by extraction: {EXTRACTION[CHOICE_FIGURES[figure]]}; n = 20,192 questions (the figures' version of the data), counts "
        "read off the published figure to within 2. Thin lines: the answer key. Ordered by the Jensen-Shannon distance (natural logarithm) of the "
        "answered questions' options from the key's, with its 95 % interval."
    )


def caption_own_choices(method: str, n: int) -> str:
    return f"Own outputs: selected options by method {method}, n = {n:,} questions; distance from the answer key with its 95 % interval."
