"""What holds in more than one paper: the same question put to each, in units that may stand beside each other.

Accuracies and reciprocal ranks are told as the share of the way from guessing to perfect, ``(value - chance) / (1 - chance)``, because the
benchmarks have 2 to 50 options. The questions, models and years differ: what may be compared is the direction and the order of size, and
each frame says in `panel` which benchmark a row is from.
"""

import numpy as np
import pandas as pd

from analysis import papers
from analysis.claims.evidence import evidence
from analysis.claims.terms import Estimate, minus
from analysis.results import published
from analysis.statistics import spread
from analysis.statistics.intervals import wilson

PERFECT = 100.0


def above_chance(frame: pd.DataFrame) -> pd.DataFrame:
    """`evidence` rows with value and limits as the share of the way from guessing to perfect, in per cent."""
    scale = np.where(frame["unit"] == "percent", 100.0, 1.0)
    known = {
        b.name: b.chance_of() for paper in papers.names() for b in papers.read(paper).benchmarks.values() if b.chance is not None
    }
    chance = frame["benchmark"].map(known).to_numpy(float)
    columns = {c: PERFECT * (frame[c].to_numpy(float) / scale - chance) / (1 - chance) for c in ("value", "ci_low", "ci_high")}
    return frame.assign(**columns, unit="percent")


def _rows(paper: str, **where: object) -> pd.DataFrame:
    return above_chance(published.select(evidence(paper), suspect=False, **where))


def _estimate(frame: pd.DataFrame, **where: object) -> Estimate:
    row = published.select(frame, **where).iloc[0]
    return Estimate(row["value"], row["ci_low"], row["ci_high"])


def _difference(panel: str, label: str, model: str, first: Estimate, second: Estimate) -> dict:
    d = minus([first, second])
    return {"panel": panel, "row": label, "model": model, "value": d.value, "ci_low": d.low, "ci_high": d.high}


def resource_gap() -> pd.DataFrame:
    """How much is lost from a language with more resources to one with fewer, the same questions in translation.

    Returns
    -------
    DataFrame
        `panel`, `row`, `model`, `value` with `ci_low`, `ci_high`: points of the way from guessing to perfect.
    """
    rows = []
    for artifact, panel in (("table_05", "CMMLU to Ti-MMLU"), ("table_06", "SafetyBench to Ti-SafetyBench")):
        frame = _rows("tlue", artifact=artifact, group="printed")
        for pair in published.select(published.facts("tlue", "pairs"), artifact=artifact).itertuples():
            ends = [
                _estimate(frame, benchmark=b, model=m)
                for b, m in ((pair.high_benchmark, pair.high_model), (pair.low_benchmark, pair.low_model))
            ]
            label = pair.high_model if pair.same_model == "true" else f"{pair.high_model} → {pair.low_model}"
            rows.append(_difference(panel, label, pair.low_model, *ends))
    sea = _rows("seaexam_seabench", artifact="table_08", benchmark="mmlu_sea", group_by="language")
    rows += [
        _difference(
            "MMLU-SEA: Vietnamese to Thai", m, m, _estimate(sea, model=m, group="vi"), _estimate(sea, model=m, group="th")
        )
        for m in dict.fromkeys(sea["model"])
    ]
    xiezhi = _rows(
        "xiezhi", artifact="table_01", setting="0-shot", metric="mrr", benchmark=["xiezhi_specialty", "xiezhi_specialty_en"]
    )
    for m in ("ChatGPT", "BLOOMZ-176B-mt", "LLaMA-65B", "Baize-7B", "ChatGLM-6B"):
        ends = [_estimate(xiezhi, model=m, benchmark=b) for b in ("xiezhi_specialty_en", "xiezhi_specialty")]
        rows.append(_difference("Xiezhi: English to Chinese", m, m, *ends))
    return pd.DataFrame(rows)


def scale() -> pd.DataFrame:
    """Above-chance accuracy of families of models over their size: `panel`, `family`, `model`, `parameters_b`, `value` with interval.

    Of several models of one family and size the first of the paper's table is kept.
    """
    parts = {
        "Ti-MMLU (CAA)": ("tlue", {"artifact": "table_01", "group": "printed", "setting": "caa"}),
        "Khayyam (regex)": ("khayyam", {"artifact": "table_03", "group": "questions"}),
        "SeaExam": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "seaexam", "group": "printed"}),
        "Xiezhi-Specialty, English (0-shot)": (
            "xiezhi", {"artifact": "table_01", "benchmark": "xiezhi_specialty_en", "setting": "0-shot", "metric": "mrr"},
        ),
    }  # fmt: skip
    frames = []
    for panel, (paper, where) in parts.items():
        frame = _rows(paper, **where).join(published.models(paper)[["family", "parameters_b"]], on="model")
        frames.append(frame[frame["parameters_b"].notna()].assign(panel=panel))
    columns = ["panel", "family", "model", "parameters_b", "value", "ci_low", "ci_high"]
    made = pd.concat(frames, ignore_index=True)[columns].drop_duplicates(["panel", "family", "parameters_b"])
    return made.sort_values(["panel", "family", "parameters_b"], ignore_index=True)


PAIRS = [
    "Ti-MMLU: DeepSeek-R1 minus DeepSeek-V3",
    "Ti-SafetyBench: DeepSeek-R1 minus DeepSeek-V3",
    "Ti-MMLU: o1-mini minus GPT-4o",
    "Ti-SafetyBench: o1-mini minus GPT-4o",
    "Khayyam: chain of thought minus none, GPT-3.5",
]


def reasoning() -> pd.DataFrame:
    """What reasoning adds: reasoning models minus their chat counterparts (TLUE), chain of thought minus none (Khayyam); points."""
    rows = []
    names = {"table_07": "Ti-MMLU", "table_08": "Ti-SafetyBench"}
    metrics = {"response_rate": "response rate", "accuracy": "accuracy", "conditional_accuracy": "accuracy where answered"}
    for artifact, name in names.items():
        frame = published.select(evidence("tlue"), artifact=artifact, setting="caa")
        for metric, label in metrics.items():
            for first, second in (("DeepSeek-R1", "DeepSeek-V3"), ("o1-mini", "GPT-4o")):
                part = published.select(frame, metric=metric)
                if len(part):
                    ends = [_estimate(part, model=m) for m in (first, second)]
                    rows.append(_difference(f"{name}: {first} minus {second}", label, first, *ends))
    frame = published.select(evidence("khayyam"), artifact="table_07", group=["Mathematics", "Humanities"])
    for group in ("Mathematics", "Humanities"):
        ends = [_estimate(frame, group=group, setting=s) for s in ("regex, cot", "regex, prompt-0")]
        d = minus([Estimate(*(100 * v for v in (e.value, e.low, e.high))) for e in ends])
        rows.append({"panel": "Khayyam: chain of thought minus none, GPT-3.5", "row": f"accuracy, {group}", "model": "GPT-3.5-Turbo",
                     "value": d.value, "ci_low": d.low, "ci_high": d.high})  # fmt: skip
    made = pd.DataFrame(rows)
    return made.sort_values("panel", key=lambda c: c.map({p: i for i, p in enumerate(PAIRS)}), kind="stable", ignore_index=True)


def human_gap() -> pd.DataFrame:
    """People minus the best model, by category; points of the printed scores.

    Khayyam's people are a majority vote of pupils; Xiezhi's are mean exam scores beside a reciprocal rank of 50 options: the two panels,
    and in Xiezhi the two ends, are on different scales.
    """
    khayyam = published.select(evidence("khayyam"), artifact="table_03", group_by="category")
    rows = []
    for group in dict.fromkeys(khayyam["group"]):
        ends = [_estimate(khayyam, group=group, model=m) for m in ("Human", "GPT-4")]
        row = _difference("Khayyam: pupils' majority minus GPT-4", group, "GPT-4", *ends)
        rows.append(row | {c: 100 * row[c] for c in ("value", "ci_low", "ci_high")})
    xiezhi = published.select(evidence("xiezhi"), artifact="table_02", group_by="category", suspect=False)
    for group, part in xiezhi.groupby("group", sort=False):
        people = published.select(part, model="Human (average)")
        best = published.select(part, metric="mrr").sort_values("value").tail(1)
        if len(people):
            value = 100 * (people["value"].iloc[0] - best["value"].iloc[0])
            rows.append({"panel": "Xiezhi: mean exam score minus best MRR", "row": group, "model": best["model"].iloc[0], "value": value,
                         "ci_low": np.nan, "ci_high": np.nan})  # fmt: skip
    return pd.DataFrame(rows)


SPREADS = {
    "CMMLU's translation (Ti-MMLU, CAA)": ("tlue", {"artifact": "table_01", "group": "printed", "setting": "caa"}),
    "Ti-SafetyBench (CAA)": ("tlue", {"artifact": "table_02", "group": "printed", "setting": "caa"}),
    "Khayyam (regex)": ("khayyam", {"artifact": "table_03", "group": "questions"}),
    "SeaExam, Indonesian": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "seaexam", "group": "id"}),
    "SeaExam, Thai": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "seaexam", "group": "th"}),
    "SeaExam, Vietnamese": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "seaexam", "group": "vi"}),
    "MMLU-SEA, Indonesian": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "mmlu_sea", "group": "id"}),
    "MMLU-SEA, Thai": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "mmlu_sea", "group": "th"}),
    "MMLU-SEA, Vietnamese": ("seaexam_seabench", {"artifact": "table_08", "benchmark": "mmlu_sea", "group": "vi"}),
}


def spreads() -> pd.DataFrame:
    """How far each benchmark spreads its own models, and how much of that drawing the questions alone would make.

    Returns
    -------
    DataFrame
        `benchmark`, `models`, `questions`, `sd` (points of the way from guessing to perfect), `sd_low`, `sd_high` (95 %, models a normal
        sample), `noise` (share of the variance, %).
    """
    from scipy import stats

    rows = []
    for name, (paper, where) in SPREADS.items():
        frame = published.select(evidence(paper), suspect=False, **where)
        frame = frame[~frame["model"].isin(["Human", "Random"])]
        values, n = above_chance(frame)["value"], len(frame)
        sd = values.std(ddof=1)
        low, high = (sd * np.sqrt((n - 1) / stats.chi2.ppf(q, n - 1)) for q in (0.975, 0.025))
        share = frame["value"] / (100 if frame["unit"].iloc[0] == "percent" else 1)
        noise = 100 * spread.noise(share, frame["n_effective"])
        rows.append((name, n, int(frame["n_effective"].iloc[0]), sd, low, high, noise))
    return pd.DataFrame(rows, columns=["benchmark", "models", "questions", "sd", "sd_low", "sd_high", "noise"])


def responses() -> pd.DataFrame:
    """Response rate beside accuracy: TLUE's printed rates; in Khayyam, questions whose answer the patterns found (first version of the data).

    Returns
    -------
    DataFrame
        `panel`, `label`, `model`, `x` (response rate, %), `y` (accuracy, %), `x_low`, `x_high`, `y_low`, `y_high`.
    """
    rows = []
    for artifact, name in (("table_07", "Ti-MMLU"), ("table_08", "Ti-SafetyBench")):
        frame = published.select(evidence("tlue"), artifact=artifact)
        for (model, setting), part in frame.groupby(["model", "setting"], sort=False):
            ends = [_estimate(part, metric=metric) for metric in ("response_rate", "accuracy")]
            rows.append(_point(name, f"{model} {setting.upper()}", model, *ends))
    answered = published.results("khayyam", artifact="figure_11", group="no answer")
    accuracy = published.select(evidence("khayyam"), artifact="table_03", group="questions").set_index("model")
    for row in answered[answered["model"] != "Answer key"].itertuples():
        share = 100 * (1 - row.value / row.n)
        low, high = (100 * float(end) for end in wilson(row.n - row.value, row.n))
        end = accuracy.loc[row.model]
        rows.append(_point("Khayyam (patterns)", row.model, row.model, Estimate(share, low, high),
                           Estimate(*(100 * end[c] for c in ("value", "ci_low", "ci_high")))))  # fmt: skip
    return pd.DataFrame(rows)


def _point(panel: str, label: str, model: str, x: Estimate, y: Estimate) -> dict:
    return {
        "panel": panel, "label": label, "model": model, "x": x.value, "x_low": x.low, "x_high": x.high, "y": y.value, "y_low": y.low,
        "y_high": y.high,
    }  # fmt: skip


CAPTIONS = {
    "gap": "Loss from the first language to the second on the same questions in translation, in points of the way from guessing to perfect (two benchmarks "
    "with different numbers of options so stand on one scale), with 95 % intervals, the two ends taken as independent. Rows with an arrow compare "
    "two models as well. Not to be compared across panels: the models, and in Xiezhi Chinese is the original and no language of few resources.",
    "scale": "Above-chance accuracy (Xiezhi: mean reciprocal rank of 50 options) over model size, 95 % intervals; lines join one family (SeaExam has one size of each). Below zero a model "
    "scores less than guessing, which for TLUE is a matter of unanswered questions. Heights are not to be compared between panels; slopes within a "
    "family are, and they have no common sign.",
    "reasoning": "Reasoning models minus their chat counterparts (TLUE, CAA, as printed) and chain of thought minus none (Khayyam), percentage points with 95 % intervals. "
    "The two are different things: other models, and another prompt of the same model.",
    "humans": "People minus the best model by category, percentage points. Hollow: no number of questions is printed. Khayyam's people are a majority vote of "
    "pupils, which is right more often than a pupil; Xiezhi sets a mean exam score against a reciprocal rank, which are no common scale.",
    "spread": "Standard deviation of the models' above-chance accuracies with a 95 % interval (models as a normal sample), and the share of that variance that drawing the "
    "questions alone would make. Each benchmark has its own models, except that SeaExam and MMLU-SEA have the same nine.",
    "response": "Accuracy over response rate with 95 % intervals. Hollow: DA; filled: CAA. Solid line: every answer right; dashed: answers right at 25 %. Khayyam's rate is that of answers "
    "found by patterns in the first version of the data set (20,192 questions), its accuracy that of the tables, where an embedding answers the rest.",
}


def findings(frames: dict[str, pd.DataFrame]) -> dict[str, str]:
    """One sentence a figure, its numbers taken from the frames (keys as in `CAPTIONS`)."""
    gap, size, reason, people, spread_, answers = (frames[name] for name in CAPTIONS)
    lost = (gap["ci_low"] > 0).groupby(gap["panel"], sort=False).agg(["sum", "size"])
    falls = sum(not line["value"].is_monotonic_increasing for _, line in size.groupby(["panel", "family"]) if len(line) > 1)
    lines = sum(len(line) > 1 for _, line in size.groupby(["panel", "family"]))
    rates, right = (reason[reason["row"].str.startswith(start)] for start in ("response rate", "accuracy where"))
    ahead = people[people["value"] > 0].groupby("panel", sort=False).size()
    together = answers.groupby("panel", sort=False)[["x", "y"]].apply(lambda part: part["x"].corr(part["y"], method="spearman"))
    return {
        "gap": "Beyond the interval lost: "
        + "; ".join(f"{row['sum']} of {row['size']} ({name})" for name, row in lost.iterrows())
        + ".",
        "scale": f"Accuracy does not grow at every step in {falls} of {lines} families with more than one size.",
        "reasoning": f"Reasoning models answer less often in {int((rates['ci_high'] < 0).sum())} of {len(rates)} comparisons; where they answer they are "
        f"more often right in {int((right['ci_low'] > 0).sum())} of {len(right)}.",
        "humans": "People are ahead in "
        + "; ".join(f"{n} of {(people['panel'] == name).sum()} categories ({name})" for name, n in ahead.items())
        + ".",
        "spread": f"Drawing the questions makes at most {spread_['noise'].max():.1f} % of the variance across models: the benchmarks tell their own models apart.",
        "response": "Rank correlation of response rate and accuracy: "
        + ", ".join(f"{name} {value:.2f}" for name, value in together.items())
        + ".",
    }
