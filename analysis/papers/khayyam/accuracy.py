"""The printed accuracies beside what the paper's other numbers make of them, by stage and year, and against humans."""

import numpy as np
import pandas as pd

from analysis.papers.khayyam.arithmetic import CATEGORY, LEVELS, SUBJECT, cells
from analysis.papers.khayyam.audit import SLACK, pooled_audit, recomputed_averages
from analysis.results import published
from analysis.statistics.intervals import wilson

STAGES = ["LPS", "UPS", "LSS", "USS"]


def checked(artifact: str) -> pd.DataFrame:
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
