"""The printed accuracies: tables with what was recomputed, and the frames of their figures."""

import numpy as np
import pandas as pd

from analysis.papers.khayyam.arithmetic import CATEGORIES, CATEGORY, DIFFICULTY, LEVELS, METHODS, SUBJECT, cells, questions
from analysis.papers.khayyam.audit import LABEL, SLACK, pooled_audit, recomputed_averages, trends
from analysis.results import published
from analysis.statistics.intervals import wilson
from analysis.tables import MARK

STAGES = ["LPS", "UPS", "LSS", "USS"]


def _checked(artifact: str) -> pd.DataFrame:
    """Cells of a table with `recomputed` averages and categories beside, and `agrees`."""
    frame = cells(artifact)
    rows, weighted = recomputed_averages(artifact).values()
    known = [rows.assign(group="subjects"), weighted.assign(group="questions")]
    if artifact in SUBJECT.values():
        known = known[:1]  # the 38 tasks' sizes are known in another version of the data only
    computed = pd.concat(known).rename(columns={"value": "recomputed"})
    if artifact in CATEGORY.values():
        parts = pooled_audit().rename(columns={"pooled": "recomputed"})
        computed = pd.concat([computed, parts[["model", "setting", "group", "recomputed"]]])
    frame = frame.merge(computed, "left", ["model", "setting", "group"], validate="1:1")
    agrees = (frame["recomputed"] - frame["value"]).abs() <= 2 * SLACK + 1e-9
    return frame.assign(agrees=agrees.astype("boolean").mask(frame["recomputed"].isna()))


def accuracy_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One of Tables 3 and 8-15: the table as printed, with `MARK` behind what the paper's other numbers contradict, and its long form."""
    long = _checked(artifact)
    marked = long["printed"] + (~long["agrees"].fillna(True)).map({True: MARK, False: ""})
    heading = {"category": "Main category", "subject": "Task"}.get(long["group_by"].iloc[0], "Main category, difficulty")
    shown = long.assign(_cell=marked, _row=long["group"].replace(LABEL).str.replace(" x ", ", "))
    wide = shown.pivot(index="_row", columns="printed_model", values="_cell")
    wide = wide.loc[list(dict.fromkeys(shown["_row"])), list(dict.fromkeys(shown["printed_model"]))]
    return wide.rename_axis(index=heading, columns=None), long.drop(columns=["note"])


def caption_accuracy(artifact: str, long: pd.DataFrame) -> str:
    """What the table shows, its n, and how much of it could be recomputed."""
    known = long["agrees"].dropna()
    method = METHODS[long["setting"].iloc[0]]
    n = "n = 20,805 questions, 16,955 with human data"
    if artifact in SUBJECT.values():
        n += "; intervals in the CSV take the tasks' sizes from Figure 4 (20,192 questions, another version of the data)"
    dagger = (
        ""
        if known.all()
        else f" {MARK} human numbers that Table 5's sizes do not give: pupils answered another mix of questions."
    )
    return (
        f"Accuracy as printed, answers extracted by {method}; {n}. {int(known.sum())} of {len(known)} numbers that could be recomputed "
        f"agree within their rounding. The rows of GPT-4, Haiku and GPT-3.5 are the same under every method: those of regex.{dagger}"
    )


def by_category() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 3 with intervals, and the readings of Figure 1's radar: panels of categories and the average over questions."""
    table = cells("table_03").query("group != 'subjects'")
    table = table.assign(panel=table["group"].replace({"questions": "All questions"}))
    radar = published.results("khayyam", artifact="figure_01", group=CATEGORIES)
    return table, radar.assign(panel=radar["group"])


def caption_category() -> str:
    sizes = questions().query("group_by == 'category'").set_index("group")["n"]
    n = ", ".join(f"{category} {sizes[category]:,}" for category in CATEGORIES)
    return (
        f"Accuracy (%) by main category, regex extraction: Table 3 with 95 % Wilson intervals widened by the rounding (n: {n}, together "
        "20,805; human data 16,955 in all, not divided by category: rounding only). Hollow: readings of the radar chart (Figure 1), which "
        "shows an earlier version of the data (20,192 questions). Dashed: one in four."
    )


def difficulty_frame() -> pd.DataFrame:
    """Table 13 for a figure, the models that Figures 9 and 10 show: `panel` (category), `x` (difficulty)."""
    frame = cells(DIFFICULTY["regex"]).query("group_by != 'average'")
    frame = frame[frame["model"].isin(published.order("khayyam", "figure_09", "model"))].copy()
    frame[["panel", "x"]] = frame["group"].str.split(" x ", expand=True)
    return frame


def by_ordered_group(artifact: str) -> pd.DataFrame:
    """Figures 9 and 10: `x` (stage or year), `difficulty`, `model`, `value` in per cent with limits and `n`.

    Stage and difficulty together have known sizes in the figures' version of the data; for years the total is known, and n is that
    times the difficulty's share of all questions. Human limits hold the reading's rounding only.
    """
    frame = published.results("khayyam", artifact=artifact)
    frame[["x", "difficulty"]] = frame["group"].str.split(" x ", expand=True)
    tasks = published.facts("khayyam", "figure_04").astype({"questions": int})
    if artifact == "figure_09":
        n = tasks.groupby(["stage", "difficulty"])["questions"].sum()
    else:
        years = published.facts("khayyam", "figure_02").query("group_by == 'year'").set_index("group")["questions"].astype(int)
        share = tasks.groupby("difficulty")["questions"].sum() / tasks["questions"].sum()
        n = pd.Series({(year, level): round(count * share[level]) for year, count in years.items() for level in LEVELS})
    n = pd.MultiIndex.from_frame(frame[["x", "difficulty"]]).map(n).to_numpy(float)
    low = np.clip(frame["ci_low"], 0, 1).to_numpy()
    high = np.clip(frame["ci_high"], 0, 1).to_numpy()
    human = frame["model"].eq("Human").to_numpy()
    limits = [np.where(human, end, wilson(end * n, n)[side]) for side, end in enumerate((low, high))]
    return frame.assign(value=100 * frame["value"], ci_low=100 * limits[0], ci_high=100 * limits[1], n=n, unit="percent")


def task_gaps() -> pd.DataFrame:
    """GPT-4 minus human accuracy of the 38 tasks in points: `subject`, `value`, `ci_low`, `ci_high`.

    Limits hold GPT-4's sampling (n from Figure 4) and the rounding of both; how many questions of a task have human data is unknown.
    """
    frame = cells(SUBJECT["regex"]).query("group_by == 'subject'").set_index("group")
    model, human = (frame[frame["model"] == name] for name in ("GPT-4", "Human"))
    gap = pd.DataFrame(
        {
            "value": model["value"] - human["value"],
            "ci_low": model["ci_low"] - human["ci_high"],
            "ci_high": model["ci_high"] - human["ci_low"],
            "n": model["n"],
        }
    )
    return gap.sort_values("value").rename_axis("subject").reset_index()


def trend_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Slopes over the years for readers, and in full."""
    long = trends()
    cell = [
        f"{row.slope:+.1f} ({row.ci_low:+.1f} to {row.ci_high:+.1f}){'*' if row.p < 0.05 else ''}" for row in long.itertuples()
    ]
    wide = long.assign(_cell=cell).pivot(index="model", columns="difficulty", values="_cell")
    return wide.loc[list(dict.fromkeys(long["model"])), LEVELS].rename_axis(index="Model", columns=None), long
