"""Which average is a printed average: over questions, subjects or categories?"""

import numpy as np
import pandas as pd

from analysis import items, papers, schemas
from analysis.papers import published
from analysis.results import metrics
from analysis.statistics.intervals import mover, stratified, wilson

OVER = ("questions", "subjects")  # what weighs the same: micro, macro
_IDENTITY = "paper artifact benchmark model setting metric unit source".split()


def by_group(
    cells: pd.DataFrame, groups: pd.Series, over: str = "subjects", name: str = "category"
) -> pd.DataFrame:
    """Accuracy of groups of subjects from the subjects' counts.

    Parameters
    ----------
    cells : DataFrame
        `results` at subject level with `correct` and `n`.
    groups : Series
        Subject -> group. Subjects that it does not name are left out, as a join leaves them out;
        one that it names twice counts in both groups.
    over : {"subjects", "questions"}
        Mean of the subjects' accuracies, or of the pooled questions.
    name : str
        What the groups are called (`group_by` of the result).

    Returns
    -------
    DataFrame
        `results`, one row a model, setting and group; intervals by Wilson (questions),
        `statistics.stratified` (subjects with counts), or MOVER (groups that have an interval and
        no counts).
    """
    joined = cells.join(groups.rename("_group"), on="group").dropna(subset="_group")
    joined = joined.assign(group_by=name, group=joined["_group"])
    keys = [*_IDENTITY, "group_by", "group"]
    rows = []
    for key, part in joined.groupby(keys, sort=False):
        rows.append(dict(zip(keys, key, strict=True)) | _mean(part, over))
    return schemas.check(pd.DataFrame(rows), "results")


def _mean(part: pd.DataFrame, over: str) -> dict:
    """Value, n and interval in percent of one group of subjects (or of categories that carry an
    interval already).
    """
    n = part["n"].to_numpy(float, na_value=np.nan)
    counted = "correct" in part and part["correct"].notna().all() and (n > 0).all()
    value = part["value"].mean()  # as given: it may be of numbers as printed
    if over == "questions":
        right, total = part["correct"].sum(), n.sum()
        value = 100 * right / total
        low, high = (100 * end for end in wilson(right, total))
    elif counted:
        _, least, most = stratified(part["correct"].to_numpy(float), n)
        low = min(100 * float(least), value)
        high = max(100 * float(most), value)
    else:
        value, low, high = mover(part["value"], part["ci_low"], part["ci_high"])
    total = None if np.isnan(n).any() else int(n.sum())
    return {"value": value, "n": total, "ci_low": low, "ci_high": high}


def overall(cells: pd.DataFrame, over: str = "subjects") -> pd.DataFrame:
    """Average over everything in `cells` (subjects, categories or languages), named by what it is
    over.
    """
    name = over
    if over != "questions":
        level = cells["group_by"].iloc[0]
        name = next(plural for plural, group_by in papers.OVER.items() if group_by == level)
    everything = pd.Series(name, index=cells["group"].unique())
    return by_group(cells, everything, over, "average")


def as_the_paper(cells: pd.DataFrame, paper: str, benchmark: str) -> pd.DataFrame:
    """The paper's groups and its average of `cells`, in one `results` frame.

    Parameters
    ----------
    cells : DataFrame
        `results` with `correct` and `n` of a benchmark's subjects, or of its groups where these are
        not made of subjects.
    """
    about = papers.read(paper).benchmark(benchmark)
    shown = cells
    if about.categories is not None:
        table = published.facts(paper, about.categories.table)
        groups = table.set_index("subject")["category"]
        shown = by_group(cells, groups, about.categories.over)
    if about.average == "questions":
        average = overall(cells, "questions")
    else:
        average = overall(cells if about.average == "subjects" else shown)
    return pd.concat([shown, average], ignore_index=True)


def of_runs(paper: str, benchmark: str) -> pd.DataFrame:
    """What the baselines and cached outputs get in the paper's groups and by its average; no
    rows where nothing ran in them.
    """
    if benchmark not in items.names():
        return schemas.results()
    of_subjects = papers.read(paper).benchmark(benchmark).categories is not None
    level = "subject" if of_subjects else "category"
    cells = published.select(metrics.runs(benchmark), group_by=level, metric="accuracy")
    return as_the_paper(cells, paper, benchmark) if len(cells) else cells


def summarise(compared: pd.DataFrame) -> pd.DataFrame:
    """For each definition: numbers compared, equal to the printed digits, and the differences' mean
    size and maximum.
    """
    frame = compared.assign(size=compared["difference"].abs())
    groups = frame.groupby(["kind", "artifact", "definition"], sort=False)
    return groups.agg(
        numbers=("agrees", "size"),
        equal=("agrees", "sum"),
        mean_difference=("size", "mean"),
        largest_difference=("size", "max"),
    ).reset_index()
