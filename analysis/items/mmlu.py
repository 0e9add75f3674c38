"""MMLU: English multiple-choice questions in 57 subjects, a CSV file each, without header."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.items import by_subject
from analysis.items.reading import Column

SOURCE = "https://people.eecs.berkeley.edu/~hendrycks/data.tar"
SPLITS = ("test", "val", "dev")
COLUMNS = [Column(name, place) for place, name in enumerate(["question", *"ABCD", "answer"])]
SUBJECTS = {  # category -> subjects, as MMLU's own evaluation groups them
    "STEM": """abstract_algebra astronomy college_biology college_chemistry college_computer_science college_mathematics
        college_physics computer_security conceptual_physics electrical_engineering elementary_mathematics
        high_school_biology high_school_chemistry high_school_computer_science high_school_mathematics high_school_physics
        high_school_statistics machine_learning""",
    "Humanities": """formal_logic high_school_european_history high_school_us_history high_school_world_history
        international_law jurisprudence logical_fallacies moral_disputes moral_scenarios philosophy prehistory
        professional_law world_religions""",
    "Social Sciences": """econometrics high_school_geography high_school_government_and_politics
        high_school_macroeconomics high_school_microeconomics high_school_psychology human_sexuality
        professional_psychology public_relations security_studies sociology us_foreign_policy""",
    "Other": """anatomy business_ethics clinical_knowledge college_medicine global_facts human_aging management marketing
        medical_genetics miscellaneous nutrition professional_accounting professional_medicine virology""",
}
CATEGORIES = by_subject.categories(SUBJECTS)
LAYOUT = by_subject.Layout(
    "mmlu", "en", {split: f"{split}/{{subject}}_{split}.csv" for split in SPLITS}, COLUMNS, CATEGORIES, SOURCE
)


def read(
    folder: Path | str | None = None,
    split: str = "test",
    *,
    subjects: Iterable[str] | None = None,
    problems: list | None = None,
) -> pd.DataFrame:
    """Items of MMLU: 14,042 (test), 1,531 (val) or 285 (dev) in 57 subjects, four options each.

    Parameters
    ----------
    folder : path, optional
        Holds `test/`, `val/` and `dev/`; by default `mmlu/` inside `paths.benchmarks()`.
    split : {"test", "val", "dev"}
    subjects : iterable of str, optional
        Only these; every subject's file must be there.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is subject and row number from 0, such as ``anatomy/0``.
    """
    return LAYOUT.read(folder, split, subjects, problems)
