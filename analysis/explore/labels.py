"""Own readings of responses, label by label, in one small file; and how rightly each extraction method reads by them.

A label is what the response answers: the label of an option, or `-` where it names none or refuses. The file holds ids and labels, no text.
"""

from pathlib import Path

import ipywidgets as widgets
import numpy as np
import pandas as pd

from analysis import answers, paths, whole
from analysis import outputs as cached
from analysis.errors import DataError
from analysis.explore.text import visible
from analysis.items import read as read_items

FILE = "labels.csv"  # in the folder of the outputs
NONE = "-"
KEYS = ["benchmark", "run", "item_id"]


def read(file: Path | None = None) -> pd.DataFrame:
    """Labels by benchmark, run and item; no rows where there is no file yet.

    Raises
    ------
    DataError
        For a column that is missing.
    """
    file = Path(file or paths.outputs() / FILE)
    if not file.is_file():
        return pd.DataFrame(columns=[*KEYS, "label"], dtype=str)
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    for column in (*KEYS, "label"):
        if column not in frame:
            raise DataError("column is missing", file=file, field=column)
    return frame


def add(benchmark: str, run: str, item_id: str, label: str, file: Path | None = None) -> None:
    """Save a label; an earlier one of the same response gives way. The file is whole at any time."""
    file = Path(file or paths.outputs() / FILE)
    row = pd.DataFrame([[benchmark, run, item_id, label]], columns=[*KEYS, "label"])
    frame = pd.concat([read(file), row]).drop_duplicates(KEYS, keep="last")
    whole.write(file, frame.to_csv(index=False, lineterminator="\n").encode())


def rates(labels: pd.DataFrame | None = None, found: pd.DataFrame | None = None) -> pd.DataFrame:
    """How rightly each method reads the labelled responses.

    Parameters
    ----------
    labels : DataFrame, optional
        Of `read`.
    found : answers, optional
        Answers to the labelled responses, with `run` or `model`; by default extracted from the cached outputs by every method.

    Returns
    -------
    DataFrame
        A row a benchmark and method: `n` labelled, `right` (% read rightly; a response that names none is rightly left unread), `recall` (% of
        those that name an option), `precision` (% of those in which the method found a choice).
    """
    labels = read() if labels is None else labels
    if found is None:
        found = pd.concat([_extracted(name, part) for name, part in labels.groupby("benchmark")] or [pd.DataFrame()])
    if labels.empty or found.empty:
        return pd.DataFrame(columns=["benchmark", "method", "n", "right", "recall", "precision"])
    found = found if "run" in found else found.assign(run=found["model"])
    both = labels.merge(found[[*KEYS, "method", "choice"]], on=KEYS)
    said, named, told = both["choice"].fillna(NONE), both["label"] != NONE, both["choice"].notna()
    right = said == both["label"]
    counts = both.assign(n=1, right=right, hit=right & named, named=named, told=told)
    table = counts.groupby(["benchmark", "method"], sort=False)[["n", "right", "hit", "named", "told"]].sum()
    hit, named, told = (table[name].to_numpy(float) for name in ("hit", "named", "told"))
    share = {"right": table["right"] / table["n"], "recall": hit / np.where(named, named, np.nan)}
    share["precision"] = hit / np.where(told, told, np.nan)
    return table[["n"]].assign(**{name: 100 * value for name, value in share.items()}).reset_index()


def _extracted(benchmark: str, labels: pd.DataFrame) -> pd.DataFrame:
    outputs = answers.once(cached.own(benchmark))
    wanted = outputs.assign(run=outputs["model"]).merge(labels[["run", "item_id"]], on=["run", "item_id"])
    return answers.extract(wanted, read_items(benchmark, problems=[]))


def buttons(browser) -> tuple[widgets.Widget, ...]:
    """A button for each way to read the first unlabelled response to the shown item from which the two methods take different choices."""
    item_id, records = browser.list.value, browser.records
    _, outputs, taken = records.of_item(item_id)
    one, other = (taken[box.value].choice for box in (browser.method, browser.against))
    choices = [(None if pd.isna(a) else a, None if pd.isna(b) else b) for a, b in zip(one, other, strict=True)]
    known = read(browser.file)
    known = set(known.loc[(known["benchmark"] == browser.benchmark.value) & (known["item_id"] == item_id), "run"])
    wanted = set(browser.runs.value) or set(records.runs)
    open_ = [row for row, (a, b) in enumerate(choices) if a != b and outputs["run"].iloc[row] in wanted - known]
    if not open_:
        return (widgets.Label("all responses to this item are labelled"),)
    run = outputs["run"].iloc[open_[0]]

    def button(text: str, label: str) -> widgets.Button:
        made = widgets.Button(description=text, tooltip=f"{run}: {text}", layout={"width": "auto"})
        made.on_click(lambda _: (add(browser.benchmark.value, run, item_id, label, browser.file), browser.after_label()))
        return made

    said = [label for label in dict.fromkeys(choices[open_[0]]) if label is not None]
    head = widgets.Label(f"{visible(run)} answers:")
    return (head, *(button(label, label) for label in said), button("none of these, or refuses", NONE))
