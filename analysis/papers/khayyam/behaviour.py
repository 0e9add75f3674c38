"""What models do beside being right: which options they select, what traps cost them, how long right answers are."""

import numpy as np
import pandas as pd

from analysis.papers.khayyam.arithmetic import CATEGORIES, HUMAN_QUESTIONS, TRAPPED, cells
from analysis.papers.khayyam.audit import LABEL, length_audit
from analysis.results import published
from analysis.statistics import choice_bias
from analysis.statistics.intervals import mover, wilson
from analysis.tables import MARK

CHOICE_FIGURES = {"figure_11": "regex_patterns", "figure_12": "regex", "figure_13": "single_token", "figure_14": "full_answer"}
EXTRACTION = {
    "regex_patterns": "patterns alone",
    "regex": "patterns, then nearest option",
    "single_token": "single token",
    "full_answer": "full answer",
}
CHOICE_NAMES = {"A": "option 1", "B": "option 2", "C": "option 3", "D": "option 4", "no answer": "none"}


def choice_counts(artifact: str) -> pd.DataFrame:
    """Counts of Figures 11-14: a row a model and the answer key, columns A-D and "no answer"."""
    frame = published.results("khayyam", artifact=artifact)
    wide = frame.pivot(index="model", columns="group", values="value").loc[list(dict.fromkeys(frame["model"]))]
    return wide[["A", "B", "C", "D", "no answer"]].astype(int)


def choice_bias_of(figure: str) -> pd.DataFrame:
    """`choice_bias.bias` of one figure, closest to the key first."""
    return choice_bias.bias(choice_counts(figure), "Answer key").sort_values("distance").reset_index()


def choice_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Choice bias of the four figures: for readers, and in full."""
    long = pd.concat(
        [choice_bias_of(figure).assign(figure=figure, extraction=EXTRACTION[name]) for figure, name in CHOICE_FIGURES.items()]
    )
    wide = pd.DataFrame(
        {
            "Extraction": long["extraction"],
            "Model": long["model"],
            "Answered": long["n"],
            "JS distance": [
                f"{d:.3f} ({a:.3f}–{b:.3f})" for d, a, b in zip(long["distance"], long["ci_low"], long["ci_high"], strict=True)
            ],
            "χ² (3 df)": long["chi2"].round().astype(int),
            "p (Holm)": ["< 0.001" if p < 0.001 else f"{p:.3f}" for p in long["p"]],
            "Cohen's w": long["w"],
            "Favours": [f"{CHOICE_NAMES[m]} (+{e:.1f})" for m, e in zip(long["most"], long["excess"], strict=True)],
            "No answer %": long["unanswered"].map("{:.1f}".format),
        }
    )
    return wide.set_index(["Extraction", "Model"]), long


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
    shown = long.assign(group=long["group"].replace(LABEL)).pivot(index="group", columns="printed_model", values="printed")
    shown = shown.loc[[*CATEGORIES, *LABEL.values()], list(dict.fromkeys(long["printed_model"]))]
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
        n = int(part["n"].max()) if model != "Human" else HUMAN_QUESTIONS
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


def trap_drop_table(drops: pd.DataFrame) -> pd.DataFrame:
    """`trap_drops` for readers."""

    def span(row, value: str, low: str, high: str) -> str:
        return "–" if pd.isna(row[value]) else f"{row[value]:+.1f} ({row[low]:+.1f} to {row[high]:+.1f})"

    rows = {
        row["model"]: {
            "Untrapped": row["untrapped"],
            "Trapped": row["trapped"],
            "Drop (95 % interval)": span(row, "drop", "ci_low", "ci_high"),
            "Less than humans by": span(row, "did", "did_low", "did_high"),
            "Rounding of the drop": f"±{row['rounding']:.1f}",
        }
        for _, row in drops.iterrows()
    }
    return pd.DataFrame(rows).T.infer_objects().rename_axis(index="Model")


def length_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 17 as printed with p recomputed from t, the adjusted p and the effect size; and the audit in full."""
    long = length_audit()
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


def length_effects(audit: pd.DataFrame) -> pd.DataFrame:
    """Effect sizes of Table 17 for a figure: `panel`, `row`, `value`, `ci_low`, `ci_high`."""
    out = audit.rename(columns={"d": "value", "d_low": "ci_low", "d_high": "ci_high", "model": "row"})
    return out.assign(panel="length of the " + out["string"])


def length_boxes() -> pd.DataFrame:
    """Figure 15: quartiles and extremes of string lengths by task: `string`, `subject`, `questions`, `min` ... `max`."""
    frame = published.facts("khayyam", "figure_15").astype({"length": float, "questions": int})
    wide = frame.pivot(index=["string", "subject", "questions"], columns="statistic", values="length").reset_index()
    names = {"question": "questions", "gpt4_response": "GPT-4's responses", "descriptive_answer": "descriptive answers"}
    return wide.rename_axis(columns=None).assign(panel=wide["string"].replace(names))
