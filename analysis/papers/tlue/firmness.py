"""How firm TLUE's rankings are: ranks over resamples, detectable differences, variance components."""

import numpy as np
import pandas as pd

from analysis.papers.tlue.arithmetic import BENCHMARKS, category_sizes, cells, mapping, questions
from analysis.results import published
from analysis.statistics import hierarchical, power, stability

RESAMPLE = {"ti_mmlu": "both", "ti_safetybench": "questions"}  # seven categories are all that there are
CORRELATIONS = (0.0, 0.3, 0.6)
POWER = 0.8
POINTS = 100 * np.sin(2 * np.arcsin(np.sqrt(0.25)))  # a radian on the angular scale at an accuracy of 25 %


def weights(benchmark: str, groups: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Weight of each subject or category in the paper's own average, and its stratum: over five categories, or over questions."""
    if benchmark != "ti_mmlu":
        sizes = category_sizes(benchmark).reindex(groups).to_numpy(float)
        return sizes / sizes.sum(), np.array(groups)
    category = mapping("printed").reindex(groups)
    size = category.map(category.value_counts())
    share = (1 / size / category.nunique()).fillna(0.0)  # the subject that Table 18 misnames is in no category
    return share.to_numpy(), category.fillna("none").to_numpy()


def rank_stability(benchmark: str, method: str, *, seed: int = 0, draws: int = 10_000) -> pd.DataFrame:
    """`stability.ranks` of the paper's average, over resamples of questions and (Ti-MMLU) subjects."""
    correct, n, models, groups = hierarchical.table(published.select(cells(benchmark), setting=method))
    weight, strata = weights(benchmark, groups)
    drawn = stability.draws(correct, n, weight, strata, resample=RESAMPLE[benchmark], seed=seed, draws=draws)
    return stability.ranks(drawn, models, 100 * (correct / n) @ weight)


def stability_table(frames: dict[str, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ranks with how often they are kept, a row a model and method; and the same with every rank's share."""
    long = pd.concat([frame.assign(setting=method) for method, frame in frames.items()], ignore_index=True)
    wide = pd.DataFrame(
        {
            "Method": long["setting"].str.upper(),
            "Rank": long["rank"],
            "Model": long["model"],
            "Accuracy (%)": long["value"],
            "Rank kept (%)": 100 * long["kept"],
            "95 % of ranks": [f"{a:.0f} to {b:.0f}" for a, b in zip(long["low"], long["high"], strict=True)],
        }
    )
    return wide, long


def detectable_table(benchmark: str) -> pd.DataFrame:
    """Smallest difference (points) that is found with a power of 80 %, by what it is measured on."""
    sizes = published.select(questions(), benchmark=benchmark)["n"]
    categories = category_sizes(benchmark).drop("printed")
    rows = {"all questions": sizes.sum(), "median category": categories.median()}
    if benchmark == "ti_mmlu":
        rows |= {"largest subject": sizes.max(), "median subject": sizes.median(), "smallest subject": sizes.min()}
    columns = {
        ("independent" if not c else f"paired, correlation {c:g}"): [
            100 * float(power.detectable(n, 0.25, correlation=c, power=POWER)) for n in rows.values()
        ]
        for c in CORRELATIONS
    }
    return pd.DataFrame({"Measured on": list(rows), "Questions": [round(n) for n in rows.values()], **columns})


def variance_table(benchmark: str = "ti_mmlu") -> pd.DataFrame:
    """Variance components of each method's table of models and subjects: standard deviations and shares."""
    names = {
        "model": "model",
        "subject": "subject",
        "interaction": "model and subject together",
        "sampling": "which questions were drawn",
    }
    rows = []
    for method in ("da", "caa"):
        found = hierarchical.components(*hierarchical.table(published.select(cells(benchmark), setting=method))[:2])
        for part, label in names.items():
            variance = getattr(found, part)
            rows.append(
                (
                    method.upper(),
                    label,
                    np.sqrt(variance),
                    POINTS * np.sqrt(variance),
                    100 * found.shares[part],
                )
            )
    columns = ["Method", "Source", "SD (radians)", "SD at 25 % (points)", "Share of variance (%)"]
    return pd.DataFrame(rows, columns=columns)


def shrunken_table(benchmark: str = "ti_mmlu") -> pd.DataFrame:
    """Raw and shrunken ranks by method."""
    frames = []
    for method in ("da", "caa"):
        correct, n, models, _ = hierarchical.table(published.select(cells(benchmark), setting=method))
        frames.append(hierarchical.shrunken_ranks(hierarchical.components(correct, n), models).assign(Method=method.upper()))
    long = pd.concat(frames, ignore_index=True)
    return pd.DataFrame(
        {
            "Method": long["Method"],
            "Model": long["model"],
            "Raw rank": long["rank_raw"].astype(int),
            "Shrunken rank": long["rank"].astype(int),
            "95 % ranks": [f"{a:.0f} to {b:.0f}" for a, b in zip(long["rank_low"], long["rank_high"], strict=True)],
            "Effect (radians)": long["effect"],
        }
    )


def caption_stability(benchmark: str) -> str:
    drawn = {"both": "questions and subjects within their categories", "questions": "questions"}[RESAMPLE[benchmark]]
    n = category_sizes(benchmark)["printed"]
    return (
        f"Ranks by the paper's average on {BENCHMARKS[benchmark]}, n = {n:,}, over 10,000 resamples of {drawn}. Each model's questions are drawn by "
        "themselves, as it is not published which a model has right: paired draws would move neighbours less."
    )


def finding_stability(frame: pd.DataFrame, method: str) -> str:
    loose = frame[frame["kept"] < 0.95]
    told = ", ".join(f"{row.model} ({100 * row.kept:.0f} %)" for row in loose.itertuples())
    return f"{method.upper()}: {len(frame) - len(loose)} of {len(frame)} models keep their rank in 95 % of resamples; not {told or 'none'}."


CAPTION_DETECTABLE = (
    "Smallest true difference between two models of about 25 % accuracy that a two-sided test at 5 % finds four times in five (percentage points). "
    "Without the answers to single questions two models are compared as independent; with them, paired: the more their answers go together, "
    "the smaller a difference shows."
)
CAPTION_VARIANCE = (
    "Random effects of 13 models and 67 subjects on the angular scale (REML; a complete table, so the analysis of variance gives it), with the known "
    "sampling variance split off the interaction. Shares are of the variance of one cell."
)
CAPTION_SHRUNKEN = (
    "Ranks of the models' effects if the 67 subjects are a sample of subjects, with 95 % intervals from 10,000 draws. All subjects weigh the same here, "
    "unlike in the paper's average over categories."
)
