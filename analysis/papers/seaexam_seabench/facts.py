"""What SeaExam and SeaBench are made of: their statistics, how they were made, and prompts in own words."""

import textwrap

import pandas as pd

from analysis.items import prompts, seaexam
from analysis.papers.seaexam_seabench.arithmetic import LANGUAGES, PAPER
from analysis.results import published

# Section 2 and Appendix A, in own words: (heading, details).
CONSTRUCTION = [
    ("Exams", "official papers of three\nschool levels, OCR,\nchecked by annotators"),
    ("Four options", "subjective questions and\nsuperfluous options\nremoved"),
    ("SeaExam", "5,451 questions,\nthree languages"),
    ("Native linguists", "ten categories of\nMT-bench's kind, safety\nand life added"),
    ("SeaBench", "300 dialogues of two\nturns, with references"),
]
FILTER = [
    ("Logs", "WildChat-1M,\nLMSYS-Chat-1M"),
    ("Language", "label of the log,\nthen a second opinion"),
    ("Balance", "long conversations out,\nfive user turns at most"),
    ("Is it a query?", "a language model\ndecides"),
    ("Wild Queries", "4,655 by language,\n4,658 in print"),
]
# Figures 10, 11 and 13 in own words: (what is shown, what it is).
JUDGE = {
    1: [
        ("You judge an assistant's answer.", "system"),
        ("Question: ...", "the user's question"),
        ("Look first at: ...", "the category's priority aspects (Table 7)"),
        ("Reference: ...", "the answer that linguists wrote"),
        ("Answer: ...", "the assistant's answer"),
        ("Explain, then rate: [[1]] to [[10]]", "the first number in double brackets counts"),
    ],
    2: [
        ("You judge an assistant's second answer.", "system"),
        ("Question 1: ...  Answer 1: ...", "the first turn, for context"),
        ("Question 2: ...  Answer 2: ...", "the turn to be judged"),
        ("Look first at: ...", "the category's priority aspects (Table 7)"),
        ("Reference: ...", "the second answer that linguists wrote"),
        ("Explain, then rate: [[1]] to [[10]]", "the first number in double brackets counts"),
    ],
}
PEOPLE = [
    ("Question: ...", "the same turn of the same question"),
    ("Answer A: ...   Answer B: ...", "two models, names hidden"),
    ("Which one is better?", "three pairs a question, both turns"),
    ("A, B, or equally good", "first, second, tie"),
]


def _counts(table: pd.DataFrame, label: str, value: str, heading: str) -> pd.DataFrame:
    wide = table.assign(n=table[value].str.replace(",", "").astype(int)).pivot(index=label, columns="language", values="n")
    wide = wide.loc[list(dict.fromkeys(table[label])), [*LANGUAGES, "total"]]
    names = LANGUAGES | {"total": "Total"}
    return (
        wide.rename(columns=names, index={"total": "Total"}).rename_axis(heading, axis=0).rename_axis(None, axis=1).reset_index()
    )


def statistics_table(number: int) -> pd.DataFrame:
    """Tables 1, 4 and 6: questions by category and language."""
    label = {1: "category", 4: "subject_group", 6: "category"}[number]
    return _counts(published.table(PAPER, number), label, "questions", {4: "Subject group"}.get(number, "Category"))


def mapping_table() -> pd.DataFrame:
    """Table 5: subjects of each category."""
    table = published.table(PAPER, 5).fillna({"subject": "–"})
    return (
        table.groupby("category", sort=False)["subject"].agg(", ".join).rename_axis("Category").rename("Subjects").reset_index()
    )


def aspect_table() -> pd.DataFrame:
    """Table 7 in own words."""
    table = published.table(PAPER, 7)
    return pd.DataFrame({"Category": table["category"], "What a judge is to look at first": table["aspects"]})


def query_table() -> pd.DataFrame:
    """Table 10 with the sum of its languages."""
    queries = published.table(PAPER, 10).set_index("language")["queries"].str.replace(",", "").astype(int)
    row = queries.rename(LANGUAGES | {"total": "Total, printed"}).to_frame().T.reset_index(drop=True)
    return row.assign(**{"Sum of the languages": int(queries.drop("total").sum())})


def composition() -> pd.DataFrame:
    """Sizes of SeaExam by category and language, for `plots.card.composition`."""
    table = published.table(PAPER, 1).query("category != 'total' and language != 'total'")
    table = table.assign(
        n=table["questions"].str.replace(",", "").astype(int), benchmark=table["language"].map(LANGUAGES), subjects=1
    )
    return table.rename(columns={"category": "group"}).query("n > 0").reset_index(drop=True)


def exam_prompt() -> list[tuple[str, str]]:
    """How SeaExam's own prompt is put together, with a question made up for it."""
    heading = _wrapped([f"{seaexam.HEADINGS[0].format(subject='math')} {seaexam.INSTRUCTION}"])
    lines = list(zip(heading, ["heading, one of four, drawn", "and what to reply", *[""] * 9], strict=False))
    lines += [("2 + 3 = ?", "three solved questions of the subject"), ("A. 6   B. 5   C. 4   D. 3", "options in drawn order")]
    lines += [("Answer: B", ""), ("4 + 4 = ?", "the question"), ("A. 7   B. 9   C. 8   D. 6", "")]
    return [*lines, ("Answer:", "the first letter A-E counts")]


def entity_prompt() -> list[tuple[str, str]]:
    """Own wording of the instruction that extracts entities, line by line."""
    lines = [line for line in _wrapped(prompts.template("entities").split("\n")) if line]
    return [(line, {"Text:": "a question, or an option"}.get(line, "")) for line in lines]


def _wrapped(lines: list[str], width: int = 44) -> list[str]:
    return [part for line in lines for part in (textwrap.wrap(line, width) or [""])]
