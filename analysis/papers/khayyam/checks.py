"""The audit of the printed averages, for readers."""

import pandas as pd

from analysis.papers.khayyam.arithmetic import CATEGORY, DIFFICULTY, METHODS, SUBJECT, cells
from analysis.papers.khayyam.audit import LABEL, pooled_audit
from analysis.results import averages

TABLE = {artifact: f"Table {int(artifact[-2:])}" for group in (CATEGORY, SUBJECT, DIFFICULTY) for artifact in group.values()}


def average_table(compared: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """For each printed average: how many of its 11 numbers each definition gives, the best definition first."""
    found = averages.summarise(compared, ["artifact", "label"])
    misfits = compared[~compared["equal"]].groupby(["artifact", "label", "definition"])["model"].agg(", ".join)
    keys = pd.MultiIndex.from_frame(found[["artifact", "label", "definition"]])
    found = found.assign(misfits=misfits.reindex(keys).to_numpy())
    found = found.sort_values(["label", "artifact", "equal"], ascending=[False, True, False], kind="stable")
    wide = pd.DataFrame(
        {
            "Printed": found["label"],
            "Table": found["artifact"].map(TABLE),
            "Mean over": found["definition"].str.removeprefix("over "),
            "Equal": [f"{e} of {n}" for e, n in zip(found["equal"], found["numbers"], strict=True)],
            "Largest difference (points)": found["largest_difference"],
            "Not equal": found["misfits"].fillna("–").where(found["equal"] >= found["numbers"] - 3, "many"),
        }
    )
    return wide.set_index(["Printed", "Table"]), compared


def same_label() -> pd.DataFrame:
    """ "Avg on all tasks" of each model under regex in Tables 3, 10 and 13, as printed."""
    columns = {}
    for artifact, over in (
        (CATEGORY["regex"], "4 categories"),
        (SUBJECT["regex"], "38 tasks"),
        (DIFFICULTY["regex"], "12 cells"),
    ):
        part = cells(artifact).query("group == 'subjects'").set_index("printed_model")["printed"]
        columns[f"{TABLE[artifact]} ({over})"] = part
    return pd.DataFrame(columns).rename_axis(index="Model")


def pooled_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Categories that the cells by difficulty give, where they differ from the printed ones by more than rounding; and all of them."""
    long = pooled_audit().assign(setting=lambda frame: frame["setting"].map(METHODS))
    off = long[~long["agrees"]]
    names = {
        "model": "Model",
        "setting": "Method",
        "group": "Main category",
        "printed": "Printed %",
        "pooled": "Pooled %",
        "difference": "Difference",
    }
    return off.rename(columns=names)[list(names.values())].set_index(["Model", "Method"]), long


__all__ = ["LABEL", "average_table", "pooled_table", "same_label"]
