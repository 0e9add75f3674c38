"""The Khayyam Challenge's tables as printed, with what was recomputed, and the frames of its figures."""

import numpy as np
import pandas as pd

from analysis import choice_bias, published
from analysis.khayyam import audit
from analysis.khayyam.arithmetic import CATEGORIES, CATEGORY, DIFFICULTY, LEVELS, METHODS, SUBJECT, TRAPPED, cells, questions
from analysis.statistics import mover, wilson
from analysis.tables import MARK

STAGES = ["LPS", "UPS", "LSS", "USS"]
FIGURE_METHOD = {"figure_11": "regex_patterns", "figure_12": "regex", "figure_13": "single_token", "figure_14": "full_answer"}
METHOD_NAME = METHODS | {"regex_patterns": "patterns alone", "regex": "regex (patterns, then nearest option)"}


def _checked(artifact: str) -> pd.DataFrame:
    """Cells of a table with `recomputed` averages and categories beside, and `agrees`."""
    frame = cells(artifact)
    rows, weighted = audit.recomputed_averages(artifact).values()
    known = [rows.assign(group="subjects"), weighted.assign(group="questions")]
    if artifact in SUBJECT.values():
        known = known[:1]  # the 38 tasks' sizes are known in another version of the data only
    computed = pd.concat(known).rename(columns={"value": "recomputed"})
    if artifact in CATEGORY.values():
        parts = audit.pooled_audit().rename(columns={"pooled": "recomputed"})
        computed = pd.concat([computed, parts[["model", "setting", "group", "recomputed"]]])
    frame = frame.merge(computed, "left", ["model", "setting", "group"], validate="1:1")
    agrees = (frame["recomputed"] - frame["value"]).abs() <= 2 * audit.SLACK + 1e-9
    return frame.assign(agrees=agrees.astype("boolean").mask(frame["recomputed"].isna()))


def accuracy_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One of Tables 3 and 8-15: the table as printed, with `MARK` behind what the paper's other numbers contradict, and its long form."""
    long = _checked(artifact)
    marked = long["printed"] + (~long["agrees"].fillna(True)).map({True: MARK, False: ""})
    heading = {"category": "Main category", "subject": "Task"}.get(long["group_by"].iloc[0], "Main category, difficulty")
    shown = long.assign(_cell=marked, _row=long["group"].replace(audit.LABEL).str.replace(" x ", ", "))
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


def methods_by_model() -> pd.DataFrame:
    """Average over all questions of each model under the three methods (Tables 3, 8, 9), for open models, whose rows differ."""
    frame = pd.concat([cells(CATEGORY[method]) for method in METHODS], ignore_index=True)
    rows = frame.query("group == 'questions' and model not in ['Human', 'Random']")
    return rows.assign(language="Persian (fa)", setting=rows["setting"].map(METHODS))


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


def choice_counts(artifact: str) -> pd.DataFrame:
    """Counts of Figures 11-14: a row a model and the answer key, columns A-D and "no answer"."""
    frame = published.results("khayyam", artifact=artifact)
    wide = frame.pivot(index="model", columns="group", values="value").loc[list(dict.fromkeys(frame["model"]))]
    return wide[["A", "B", "C", "D", "no answer"]].astype(int)


def choice_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Choice bias of one figure: for readers, and in full."""
    long = choice_bias.bias(choice_counts(artifact), "Answer key").sort_values("distance").reset_index()
    wide = pd.DataFrame(
        {
            "Model": long["model"],
            "Answered": long["n"],
            "JS distance": long["distance"],
            "95 % interval": [f"{low:.3f} to {high:.3f}" for low, high in zip(long["ci_low"], long["ci_high"], strict=True)],
            "χ² (3 df)": long["chi2"].round().astype(int),
            "p (Holm)": ["< 0.001" if p < 0.001 else f"{p:.3f}" for p in long["p"]],
            "Cohen's w": long["w"],
            "Favours": [f"{most} (+{excess:.1f} points)" for most, excess in zip(long["most"], long["excess"], strict=True)],
            "No answer %": long["unanswered"],
        }
    )
    return wide.set_index("Model"), long.assign(artifact=artifact, extraction=FIGURE_METHOD[artifact])


def caption_choices(artifact: str) -> str:
    return (
        f"Selected options by extraction: {METHOD_NAME[FIGURE_METHOD[artifact]]}; n = 20,192 questions (the figures' version of the data), "
        "counts read off the published figure to within 2. Ordered by the Jensen-Shannon distance (natural logarithm) of the answered "
        "questions' options from the answer key's, with its 95 % interval."
    )


def trap_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 16 as printed, and its long form with the drop from all to trapped questions."""
    frame = cells("table_16")
    which = frame["setting"].str.removeprefix("regex, ").str.removesuffix(" questions")
    wide = frame.assign(which=which).pivot(
        index=["group", "model", "printed_model"], columns="which", values=["printed", "value"]
    )
    wide = wide.loc[list(dict.fromkeys(zip(frame["group"], frame["model"], frame["printed_model"], strict=True)))]
    long = wide["value"].reset_index().rename(columns={"trapped": "trapped_value", "all": "all_value"})
    long["printed"] = (wide[("printed", "all")] + " / " + wide[("printed", "trapped")]).to_numpy()
    long["drop"] = long["all_value"] - long["trapped_value"]
    shown = long.assign(group=long["group"].replace(audit.LABEL)).pivot(index="group", columns="printed_model", values="printed")
    shown = shown.loc[[*CATEGORIES, *audit.LABEL.values()], list(dict.fromkeys(long["printed_model"]))]
    return shown.rename_axis(index="Main category", columns=None), long


def trap_drops() -> pd.DataFrame:
    """All against trapped questions over all questions, untrapped recomputed: one row a model, in per cent, with limits.

    Untrapped accuracy is (n all - m trapped) / (n - m) with n = 20,805 (humans 16,955) and m = 3,889; limits are Newcombe's for the
    drop from untrapped to trapped and hold sampling, not the rounding (`rounding` says how far that moves the drop).
    """
    frame = cells("table_16").query("group == 'questions'")
    rows = []
    for model, part in frame.groupby("model", sort=False):
        value = part.set_index("setting")["value"] / 100
        whole, trapped = value["regex, all questions"], value["regex, trapped questions"]
        n = int(part["n"].max()) if model != "Human" else 16_955
        k = np.array([whole * n - trapped * TRAPPED, trapped * TRAPPED])
        sizes = np.array([n - TRAPPED, TRAPPED])
        share, lows, highs = k / sizes, *wilson(k, sizes)
        drop, low, high = mover(share, lows, highs, weights=[1, -1])
        rounding = 0.005 * (n + TRAPPED) / (n - TRAPPED) + 0.005
        rows.append(
            {
                "model": model,
                "n": n,
                "all": whole,
                "untrapped": share[0],
                "trapped": share[1],
                "drop": drop,
                "ci_low": low,
                "ci_high": high,
            }
            | {
                "untrapped_low": lows[0],
                "untrapped_high": highs[0],
                "trapped_low": lows[1],
                "trapped_high": highs[1],
                "rounding": rounding,
            }
        )
    out = pd.DataFrame(rows).sort_values("drop", ascending=False)
    percent = out.columns.drop(["model", "n"])
    out[percent] *= 100
    human = out.loc[out["model"] == "Human"].iloc[0]
    did = human["drop"] - out["drop"]
    reach_low = np.hypot(human["drop"] - human["ci_low"], out["ci_high"] - out["drop"])
    reach_high = np.hypot(human["ci_high"] - human["drop"], out["drop"] - out["ci_low"])
    is_human = out["model"] == "Human"
    return out.assign(
        did=did.mask(is_human), did_low=(did - reach_low).mask(is_human), did_high=(did + reach_high).mask(is_human)
    )


def length_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 17 as printed with p recomputed from t, the adjusted p and the effect size; and the audit in full."""
    long = audit.length_audit()
    printed = published.results("khayyam", artifact="table_17").pivot(
        index=["model", "group"], columns="metric", values="printed"
    )

    def p(value: float) -> str:
        return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"

    rows = []
    for row in long.itertuples():
        said = printed.loc[(row.model, row.string)]
        mark = "" if row.fits else MARK
        effect = f"{row.d:+.2f} ({row.d_low:+.2f} to {row.d_high:+.2f})"
        rows.append(
            (row.model, row.string, f"{said['t_statistic']} / {said['p_value']}{mark}", p(row.p), p(row.p_adjusted), effect)
        )
    wide = pd.DataFrame(rows, columns=["Model", "String", "t / p as printed", "p from t", "p (Holm)", "d (95 % interval)"])
    return wide.set_index(["Model", "String"]), long


def prompt_table(artifact: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 6 or 7 as printed, with the differences from prompt-0 and their intervals."""
    frame = published.results("khayyam", artifact=artifact)
    differences = audit.prompt_differences(artifact)
    wide = frame.pivot(index="group", columns="setting", values="printed").loc[list(dict.fromkeys(frame["group"]))]
    wide = wide[list(dict.fromkeys(frame["setting"]))]
    for setting, part in differences.groupby("setting", sort=False):
        text = {row.group: f"{row.difference:+.0f} ({row.ci_low:+.0f} to {row.ci_high:+.0f})" for row in part.itertuples()}
        wide[f"{setting} minus prompt-0 (points)"] = wide.index.map(text)
    n = differences.drop_duplicates("group").set_index("group")
    wide["n allowed"] = [f"{n.loc[g, 'n_low']:,}–{n.loc[g, 'n_high']:,}" if g in n.index else "–" for g in wide.index]
    wide.loc[wide.index == "questions", "n allowed"] = "1,000"
    wide = wide.rename(columns=lambda name: name.replace("regex, ", "").replace("cot", "CoT")).rename(index=audit.LABEL)
    return wide.rename_axis(index="Main category", columns=None), differences


def length_boxes() -> pd.DataFrame:
    """Figure 15: quartiles and extremes of string lengths by task: `string`, `subject`, `questions`, `min` ... `max`."""
    frame = published.facts("khayyam", "figure_15").astype({"length": float, "questions": int})
    wide = frame.pivot(index=["string", "subject", "questions"], columns="statistic", values="length").reset_index()
    return wide.rename_axis(columns=None)


def difficulty_frame() -> pd.DataFrame:
    """Table 13 in long form for a figure: `panel` (category), `x` (difficulty)."""
    frame = cells(DIFFICULTY["regex"]).query("group_by != 'average'").copy()
    frame[["panel", "x"]] = frame["group"].str.split(" x ", expand=True)
    return frame
