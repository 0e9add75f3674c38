"""TLUE's own arithmetic: its counts, its category mapping, its averages.

Table 18 names `elementary_it`, which no subject file has: joined as printed, the subject `elementary_information_and_technology`
falls out of every category mean. ``mapping="corrected"`` puts it under Other, where `elementary_it` stands.
"""

from functools import cache

import pandas as pd

from analysis import averages, counts, published
from analysis.errors import unknown

SUBJECT_TABLES = ["table_14", "table_15", "table_16", "table_17"]
BENCHMARKS = {"ti_mmlu": "Ti-MMLU", "ti_safetybench": "Ti-SafetyBench", "cmmlu": "CMMLU", "safetybench": "SafetyBench"}
CATEGORIES = {
    "ti_mmlu": ["STEM", "Humanities", "Social Sciences", "Other", "China specific"],
    "ti_safetybench": ["OFF", "UB", "PH", "MH", "IA", "EM", "PP"],
}
PRINTED_NAME, FILE_NAME = "elementary_it", "elementary_information_and_technology"


def mapping(version: str = "printed") -> pd.Series:
    """Subject -> category: Table 18 as `printed`, or `corrected` so that every one of the 67 subjects has its category."""
    if version not in ("printed", "corrected"):
        raise unknown("mapping", version, ["printed", "corrected"])
    table = published.table("tlue", 18).set_index("subject")["category"]
    return table.rename({PRINTED_NAME: FILE_NAME}) if version == "corrected" else table


def questions() -> pd.DataFrame:
    """How many questions each subject (Ti-MMLU) and category (Ti-SafetyBench) has: `benchmark`, `group_by`, `group`, `n`.

    Rows of CMMLU's test files, of which Ti-MMLU is the translation, and entries of SafetyBench's answer key.
    """
    return published.facts("tlue", "questions").astype({"n": int})


@cache
def _cells(benchmark: str) -> pd.DataFrame:
    if benchmark == "ti_mmlu":
        printed = published.results("tlue", artifact=SUBJECT_TABLES, group_by="subject")
    elif benchmark == "ti_safetybench":
        printed = published.results("tlue", artifact="table_02", group_by="category")
        printed = printed[printed["model"] != "Random"]
    else:
        raise unknown("benchmark of TLUE", benchmark, CATEGORIES)
    return counts.reconstruct(printed, questions())


def cells(benchmark: str) -> pd.DataFrame:
    """The finest counts that the paper allows: Ti-MMLU's 67 subjects (exact), Ti-SafetyBench's 7 categories (to rounding)."""
    return _cells(benchmark).copy()


def by_category(cells: pd.DataFrame, benchmark: str, version: str = "printed", over: str = "subjects") -> pd.DataFrame:
    """Accuracy by the paper's categories, by default as the paper computed them: over subjects, Table 18 as printed.

    Parameters
    ----------
    cells : DataFrame
        `results` with `correct` and `n`: by subject (Ti-MMLU) or by category (Ti-SafetyBench, returned as they are).
    """
    return averages.by_group(cells, mapping(version), over) if benchmark == "ti_mmlu" else cells


def overall(cells: pd.DataFrame, benchmark: str) -> pd.DataFrame:
    """The paper's own average: over the five categories for Ti-MMLU, over the questions for Ti-SafetyBench."""
    if benchmark == "ti_mmlu":
        return averages.overall(by_category(cells, benchmark))
    return averages.overall(cells, "questions")


def definitions(kind: str) -> dict[str, pd.DataFrame]:
    """What a printed number could be: definition -> computed `results`.

    Averages over subjects or categories are made of the parts as printed, which is how the paper's own averages come out to the
    last digit; averages over questions need the counts.

    Parameters
    ----------
    kind : {"category", "average", "safety average"}
        Category columns of Ti-MMLU, its averages, the averages of Ti-SafetyBench.
    """
    ti, safety = cells("ti_mmlu"), cells("ti_safetybench")
    rounded = ti.assign(value=ti["printed"].astype(float))
    printed = published.results("tlue", artifact="table_01", group_by="category")
    kinds = {
        "category": lambda: {
            f"over {over}, Table 18 {version}": averages.by_group(rounded, mapping(version), over)
            for over in averages.OVER
            for version in ("printed", "corrected")
        },
        "average": lambda: {
            "over the printed categories": averages.overall(printed),
            "over subjects": averages.overall(rounded),
            "over questions": averages.overall(ti, "questions"),
        },
        "safety average": lambda: {
            "over categories": averages.overall(safety),
            "over questions": averages.overall(safety, "questions"),
        },
    }
    if kind not in kinds:
        raise unknown("kind of number", kind, kinds)
    return kinds[kind]()


def audit_averages() -> pd.DataFrame:
    """Every printed average and category mean of the two benchmarks beside each definition: `averages.agreement`, with `kind`."""
    wide = ["table_01", "table_09", "table_12"]
    safety = ["table_02", "table_10", "table_13"]
    jobs = {
        "Ti-MMLU category": (published.results("tlue", artifact=wide, group_by="category"), "category", 0.0),
        "Ti-MMLU Avg.": (published.results("tlue", artifact=wide, group_by="average"), "average", 0.0),
        "Ti-MMLU Average row": (published.results("tlue", artifact=SUBJECT_TABLES, group_by="average"), "average", 0.0),
        "Ti-SafetyBench Avg.": (published.results("tlue", artifact=safety, group_by="average"), "safety average", 0.05),
    }
    frames = []
    for name, (printed, kind, slack) in jobs.items():
        on = ["model", "setting", *(["group"] if kind == "category" else [])]
        frames.append(averages.agreement(printed, definitions(kind), on, slack).assign(kind=name))
    return pd.concat(frames, ignore_index=True)
