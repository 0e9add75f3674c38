"""The small samples: prompts and chain of thought on 1,000 questions, translation on 50 a subject."""

import pandas as pd

from analysis.papers.khayyam.audit import LABEL, prompt_differences, sample_shares, translation_cells
from analysis.results import published

PROMPT_TABLES = {"prompts": "table_06", "cot": "table_07"}


def prompt_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 6 or 7 as printed, with the differences from prompt-0 and their intervals."""
    frame = published.results("khayyam", artifact=artifact)
    differences = prompt_differences(artifact)
    wide = frame.pivot(index="group", columns="setting", values="printed").loc[list(dict.fromkeys(frame["group"]))]
    wide = wide[list(dict.fromkeys(frame["setting"]))]
    for setting, part in differences.groupby("setting", sort=False):
        text = {row.group: f"{row.difference:+.0f} ({row.ci_low:+.0f} to {row.ci_high:+.0f})" for row in part.itertuples()}
        wide[f"{setting} minus prompt-0 (points)"] = wide.index.map(text)
    n = differences.drop_duplicates("group").set_index("group")
    wide["n allowed"] = [f"{n.loc[g, 'n_low']:,}–{n.loc[g, 'n_high']:,}" if g in n.index else "–" for g in wide.index]
    wide.loc[wide.index == "questions", "n allowed"] = "1,000"
    wide = wide.rename(columns=lambda name: name.replace("regex, ", "").replace("cot", "CoT")).rename(index=LABEL)
    return wide.rename_axis(index="Main category", columns=None), differences


def prompt_effects() -> pd.DataFrame:
    """Differences from prompt-0 for a figure: a panel a variant, a row a category."""
    frame = pd.concat([prompt_differences(table) for table in PROMPT_TABLES.values()], ignore_index=True)
    panel = frame["setting"].str.removeprefix("regex, ").str.replace("cot", "chain of thought")
    row = frame["group"].replace({"questions": "all questions"})
    return frame.assign(panel=panel, row=row, value=frame["difference"])


def translation_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 2 (a) with intervals, columns without their headings; and its long form."""
    long = translation_cells()
    cell = [f"{row.printed} ({row.ci_low:.0f}–{row.ci_high:.0f})" for row in long.itertuples()]
    wide = long.assign(_cell=cell).pivot(index="group", columns="setting", values="_cell")
    return wide.loc[list(dict.fromkeys(long["group"]))].rename_axis(index="Subject", columns=None), long


def order_table(orders: pd.DataFrame) -> pd.DataFrame:
    """`audit.translation_orders` for readers."""
    span = [f"{row.difference:+.1f} ({row.ci_low:+.1f} to {row.ci_high:+.1f})" for row in orders.itertuples()]
    below = orders["below"].map("{} of 3".format)
    columns = {f"column {i}": orders[f"column {i}"] for i in (1, 2, 3)}
    return pd.DataFrame(columns | {"Machine below expert": below, "Expert minus machine (points)": span})


def composition_bounds() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Which shares of the categories the printed averages of the samples allow, in per cent."""
    parts = {"prompts (Table 6)": "table_06", "chain of thought (Table 7)": "table_07"}
    long = pd.concat([sample_shares(artifact).assign(sample=name) for name, artifact in parts.items()], ignore_index=True)
    table = (
        published.table("khayyam", 5)
        .query("difficulty == 'all' and category != 'all'")
        .set_index("category")["questions"]
        .astype(int)
    )
    long = long.assign(low=100 * long["low"], high=100 * long["high"], all=100 * long["group"].map(table / table.sum()))
    names = {"sample": "Sample", "group": "Main category", "low": "least %", "high": "most %", "all": "of all questions %"}
    return long.rename(columns=names)[list(names.values())].set_index(["Sample", "Main category"]), long
