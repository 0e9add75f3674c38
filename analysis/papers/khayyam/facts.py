"""What the Khayyam Challenge is made of: sizes, composition, prompts with a question of our own."""

import textwrap

import pandas as pd

from analysis.items import prompts
from analysis.papers.khayyam.arithmetic import CATEGORIES, LEVELS
from analysis.results import published

OVERVIEW = [
    ("Source", "Learning Ladder\nplatform,\nentrance exams"),
    ("Filtering", "parsed, no images\nor tables, no\nduplicates"),
    ("Review", "typos corrected,\nmissing context\ndropped"),
    ("Metadata", "level, stage, year,\ntrap, what pupils\nchose"),
    ("Questions", "20,805 in\n38 tasks"),
    ("Analysis", "9 models, humans,\n3 extraction\nmethods"),
]
LOSSES = [
    ("Physics", "A unit of measurement that the question asks for is gone", "The answer's scale is undetermined"),
    (
        "Literature",
        "A verse is rendered word by word, similes become statements",
        "The device that is asked for is no longer there",
    ),
    ("Kinship", "Persian tells father's and mother's siblings apart, English does not", "The puzzle has no solution"),
]
EXAMPLE = {
    "question": "حاصل ۷ × ۸ کدام است؟",
    "options": ["۵۴", "۵۶", "۶۴", "۴۸"],
    "metadata": {"subject_name": "ریاضی دوره اول ابتدایی", "subject_words": "Lower Primary School Mathematics"},
}
ENGLISH = {
    "در زیر": "Below you see multiple-choice questions (with answers) about lower primary school mathematics.",
    "سوال": "Question: what is 7 × 8?",
    "گزینه‌ها": "Choices:",
    "جواب: بیایید": "Answer: let us think step by step",
    "جواب": "Answer:",
}
PROMPTS = {"prompt_0": "khayyam", "prompt_1": "khayyam_prompt_1", "prompt_2": "khayyam_prompt_2", "cot": "khayyam_cot"}
STAGES = {
    "LPS": "lower primary (LPS)",
    "UPS": "upper primary (UPS)",
    "LSS": "lower secondary (LSS)",
    "USS": "upper secondary (USS)",
}


def comparison() -> pd.DataFrame:
    """Table 1: features of Persian and English benchmarks."""
    table = published.table("khayyam", 1).drop(columns="suspect").fillna("–")
    heads = [
        "Benchmark",
        "Languages",
        "Type",
        "Tasks",
        "Questions",
        "Descriptive answers",
        "Difficulty levels",
        "Trap",
        "Subjects",
    ]
    return table.set_axis(heads, axis=1)


def losses() -> pd.DataFrame:
    """What gets lost in translation, after Table 4, in our own words."""
    return pd.DataFrame(LOSSES, columns=["Field", "Loss", "Consequence"])


def sizes() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 5 with the counts of the figures' version beside, and its long form."""
    long = published.table("khayyam", 5).astype({"questions": int})
    figure = figure_counts().groupby(["category", "difficulty"], sort=False)["questions"].sum()
    wide = long.pivot(index="category", columns="difficulty", values="questions").loc[[*CATEGORIES, "all"], [*LEVELS, "all"]]
    other = figure.unstack().reindex(columns=LEVELS)
    other["all"] = other.sum(axis=1)
    other.loc["all"] = other.sum()
    both = wide.join(other.add_suffix(" (figures)"), how="outer").loc[[*CATEGORIES, "Other", "all"]]
    return both.astype("Int64").rename_axis(index="Main category"), long


def figure_counts() -> pd.DataFrame:
    """Counts of Figure 4: `subject`, `stage`, `category`, `difficulty`, `questions` (20,192 in all)."""
    return published.facts("khayyam", "figure_04").astype({"questions": int}).drop(columns="max_abs_err")


def by_year_and_stage() -> pd.DataFrame:
    """Figure 2: `panel`, `group`, `questions`."""
    frame = published.facts("khayyam", "figure_02").astype({"questions": int})
    group = frame["group"].replace(STAGES)
    return frame.assign(panel=frame["group_by"].map({"year": "year of publication", "stage": "educational stage"}), group=group)


def composition() -> pd.DataFrame:
    """Figure 3: questions by category, difficulty and stage: `panel`, `group`, `questions`."""
    frame = figure_counts()
    categories = frame.groupby("category")["questions"].sum().sort_values(ascending=False).index
    orders = {"category": categories, "difficulty": LEVELS, "stage": list(STAGES)}
    panels = {"category": "main category", "difficulty": "difficulty", "stage": "educational stage"}
    parts = [
        frame.groupby(column)["questions"].sum().loc[order].rename_axis("group").reset_index().assign(panel=panels[column])
        for column, order in orders.items()
    ]
    return pd.concat(parts, ignore_index=True)


def prompt_lines(name: str, width: int = 40) -> list[tuple[str, str]]:
    """Lines of a printed prompt filled with a question of our own, and their reading in English.

    Parameters
    ----------
    name : str
        Of `PROMPTS`.
    width : int
        Characters after which a line is broken.
    """
    text = prompts.prompt(EXAMPLE, prompts.template(PROMPTS[name])).rstrip("\n")
    lines = []
    for line in text.split("\n"):
        english = next((reading for start, reading in ENGLISH.items() if line.startswith(start)), "")
        parts = textwrap.wrap(line, width) or [""]
        readings = [*textwrap.wrap(english, 52), *[""] * len(parts)]
        lines += list(zip(parts, readings, strict=False))
    return lines


def caption_prompt(number: int, name: str) -> str:
    kind = {"prompt_0": "prompt-0", "prompt_1": "prompt-1", "prompt_2": "prompt-2", "cot": "the chain-of-thought prompt"}[name]
    return f"The paper's {kind} (its Figure {number}) filled with a question of our own, with its reading in English."
