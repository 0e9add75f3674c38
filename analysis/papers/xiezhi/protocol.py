"""How Xiezhi was made and is asked: facts of its text, with examples of our own."""

import pandas as pd

from analysis.items import prompts
from analysis.papers.xiezhi import facts
from analysis.results import published

# Invented for this figure: (question, options, right one), Chinese with its reading in English.
EXAMPLES = [
    (("水的沸点是_____", ["100℃", "80℃", "0℃", "37℃"], "100℃"), "water boils at _____"),
    (("光年是_____的单位", ["距离", "时间", "质量", "温度"], "距离"), "a light-year is a unit of _____"),
]
STEPS = [
    ("Collected", "249,587 questions:\n170,000 of exams,\n80,000 from surveys"),
    ("Xiezhi-Meta", "20,124 questions,\nlabelled by ChatGPT,\nchecked by people"),
    ("Annotation model", "a Llama-7B labels\nthe categories, ChatGPT\nthe finer disciplines"),
    ("Sampled", "by number of labels,\nbalanced; sensitive and\nChina-specific ones out"),
    ("Released", "Specialty 14,041\nInterdiscipline 10,746\nin two languages"),
]
LABELS = {"manual": ["History", "World History", "Law"], "model": ["History", "Law", "Ethics"]}  # invented


def example_lines() -> list[tuple[str, str]]:
    """A one-shot prompt in the order of Table 4, a line each with its reading; the model is asked how likely each option is next."""
    template = prompts.template("xiezhi_zh")
    (first, reading), (second, asked) = EXAMPLES
    shown = template.format(question=first[0], options=" / ".join(first[1])) + first[2] + "'''"
    open_end = template.format(question=second[0], options=" / ".join(second[1]))
    notes = [f"question: {reading}", "all options (in the files a line each; 50 in the benchmark)", "its answer, as an example"]
    notes += [f"question: {asked}", "all options", "each option is scored here"]
    return list(zip([*shown.split("\n"), *open_end.split("\n")], notes, strict=True))


def label_parts() -> tuple[list[str], list[str], list[str]]:
    """The invented labels: by hand only, both, by the model only."""
    manual, model = LABELS["manual"], LABELS["model"]
    return ([x for x in manual if x not in model], [x for x in manual if x in model], [x for x in model if x not in manual])


def settings_table() -> pd.DataFrame:
    """Table 3: seeds and parameters as printed."""
    frame = published.table(facts.PAPER, 3)
    return frame.rename(columns={"set_to": "set to"}).set_index(["group", "parameter"])


def prompt_table() -> pd.DataFrame:
    """Table 4: which prompts there are and what they hold, in order."""
    return published.table(facts.PAPER, 4).set_index(["use", "language"])
