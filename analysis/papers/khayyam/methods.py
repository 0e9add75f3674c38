"""Averages of the same models under several extraction methods, by language."""

import pandas as pd

from analysis.errors import unknown
from analysis.papers import tlue
from analysis.papers.khayyam.arithmetic import CATEGORY, CLOSED, METHODS, SUBJECT, cells

COLUMNS = ["language", "benchmark", "model", "setting", "value", "ci_low", "ci_high", "n"]


def _persian() -> pd.DataFrame:
    """Open models over all questions (Tables 3, 9, 8); the closed ones carry their regex rows in every table."""
    frame = pd.concat([cells(CATEGORY[method]) for method in METHODS], ignore_index=True).query("group == 'questions'")
    frame = frame[~frame["model"].isin(["Human", "Random", *CLOSED])]
    return frame.assign(language="Persian", setting=frame["setting"].map(METHODS))


def _tibetan() -> pd.DataFrame:
    """Ti-MMLU's averages by direct answer and concern-all answer."""
    frame = tlue.overall(tlue.cells("ti_mmlu"), "ti_mmlu")
    return frame.assign(language="Tibetan", setting=frame["setting"].str.upper())


AVERAGES = {"khayyam": _persian, "tlue": _tibetan}


def method_averages(papers: list[str]) -> pd.DataFrame:
    """One average a language, model and method: `language`, `benchmark`, `model`, `setting`, `value`, `ci_low`, `ci_high`, `n`."""
    for paper in papers:
        if paper not in AVERAGES:
            raise unknown("paper with several extraction methods", paper, AVERAGES)
    return pd.concat([AVERAGES[paper]()[COLUMNS] for paper in papers], ignore_index=True)


def method_wins() -> tuple[pd.DataFrame, pd.DataFrame]:
    """In how many of the 38 tasks another method prints a higher, an equal, a lower accuracy than regex; mean difference in points."""
    tasks = {
        method: cells(table).query("group_by == 'subject'").set_index(["model", "group"])["value"]
        for method, table in SUBJECT.items()
    }
    rows = []
    for method in list(METHODS)[1:]:
        difference = (tasks[method] - tasks["regex"]).rename("difference").reset_index()
        for model, part in difference[~difference["model"].isin(["Human", "Random", *CLOSED])].groupby("model", sort=False):
            d = part["difference"].round(6)
            rows.append((METHODS[method], model, int((d > 0).sum()), int((d == 0).sum()), int((d < 0).sum()), d.mean()))
    long = pd.DataFrame(rows, columns=["method", "model", "higher", "equal", "lower", "mean_difference"])
    names = {
        "method": "Method",
        "model": "Model",
        "higher": "Higher",
        "equal": "Equal",
        "lower": "Lower",
        "mean_difference": "Mean difference",
    }
    return long.rename(columns=names).set_index(["Method", "Model"]), long
