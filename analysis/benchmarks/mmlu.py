"""MMLU: English multiple-choice questions in 57 subjects, a CSV file each, without header."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pandas as pd

from analysis.benchmarks import parsing, reading
from analysis.benchmarks.reading import Column
from analysis.errors import unknown

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
CATEGORIES = {subject: category for category, names in SUBJECTS.items() for subject in names.split()}


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
    if split not in SPLITS:
        raise unknown("split of mmlu", split, SPLITS)
    subjects = sorted(CATEGORIES if subjects is None else subjects)
    if strange := [subject for subject in subjects if subject not in CATEGORIES]:
        raise unknown("subject of mmlu", strange[0], CATEGORIES)
    files = [reading.locate("mmlu", folder, f"{split}/{subject}_{split}.csv", SOURCE) for subject in subjects]
    rows = chain.from_iterable(reading.rows(file, COLUMNS, problems=problems) for file in files)
    place = {(file, line): row for file in files for row, (line, _) in enumerate(parsing.csv_records(file, None))}
    return reading.items("mmlu", "en", rows, lambda row: _item(row, place[row.file, row.line], split), problems)


def _item(row: reading.Row, number: int, split: str) -> dict:
    subject = row.file.stem.removesuffix(f"_{split}")
    return {
        "item_id": f"{subject}/{number}",
        "subject": subject,
        "category": CATEGORIES[subject],
        "question": row["question"],
        "options": [row[label] for label in "ABCD"],
        "answer": row["answer"],
    }
