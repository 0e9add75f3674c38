"""Marks of one's own: what a response answers, or which key is right. They are kept as labels.csv;
outputs and items stay as they are.
"""

from pathlib import Path

import pandas as pd

from analysis import answers as extraction
from analysis.answers import labelled

KEY = "the key"  # instead of a run: the mark is the item's key


def read(benchmark: str, file: str | Path | None) -> pd.DataFrame:
    """The marks of a benchmark: run (or `KEY`), item and label."""
    return labelled.read(file).query("benchmark == @benchmark")


def marked(answers: pd.DataFrame, items: pd.DataFrame, marks: pd.DataFrame) -> pd.DataFrame:
    """Answers by every method as the marks say; `misread` where one says something else than was
    read.

    A mark of one of several samples of a run counts where `answers` tell samples apart.
    """
    touched = answers["item_id"].isin(marks["item_id"])
    part = answers[touched]
    keys = marks.query("run == @KEY").set_index("item_id")["label"]
    key = part["item_id"].map(keys.combine_first(items.set_index("item_id")["answer"]))
    runs = answers["run"] if "run" in answers else extraction.runs(answers)
    names = pd.MultiIndex.from_arrays([runs[touched], part["item_id"]])
    label = marks.set_index(["run", "item_id"])["label"].reindex(names).set_axis(part.index)
    read = part["choice"].astype("str")
    choice = read.mask(label.notna(), label.where(label != labelled.NONE))
    changed = key.notna() & (label.notna() | part["item_id"].isin(keys.index))
    answers = answers.assign(misread=False)
    answers.loc[touched, "choice"] = choice
    answers.loc[touched, "correct"] = part["correct"].mask(changed, choice.fillna("") == key)
    answers.loc[touched, "misread"] = label.notna() & (label != read.fillna(labelled.NONE))
    return answers
