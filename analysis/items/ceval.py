"""C-Eval: Chinese multiple-choice questions in 52 subjects, a CSV file each; the answers of its test split are not published."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from analysis.items import by_subject
from analysis.items.reading import Column

SOURCE = "https://huggingface.co/datasets/ceval/ceval-exam"
SPLITS = ("val", "dev")
COLUMNS = [Column("id", type=int), *(Column(name) for name in ["question", *"ABCD", "answer"])]
SUBJECTS = {  # category -> subjects, as C-Eval's own subject mapping groups them
    "STEM": """advanced_mathematics college_chemistry college_physics college_programming computer_architecture
        computer_network discrete_mathematics electrical_engineer high_school_biology high_school_chemistry
        high_school_mathematics high_school_physics metrology_engineer middle_school_biology middle_school_chemistry
        middle_school_mathematics middle_school_physics operating_system probability_and_statistics veterinary_medicine""",
    "Social Science": """business_administration college_economics education_science high_school_geography
        high_school_politics mao_zedong_thought marxism middle_school_geography middle_school_politics
        teacher_qualification""",
    "Humanities": """art_studies chinese_language_and_literature high_school_chinese high_school_history
        ideological_and_moral_cultivation law legal_professional logic middle_school_history modern_chinese_history
        professional_tour_guide""",
    "Other": """accountant basic_medicine civil_servant clinical_medicine environmental_impact_assessment_engineer
        fire_engineer physician plant_protection sports_science tax_accountant urban_and_rural_planner""",
}
CATEGORIES = by_subject.categories(SUBJECTS)
LAYOUT = by_subject.Layout(
    "ceval", "zh", {split: f"{split}/{{subject}}_{split}.csv" for split in SPLITS}, COLUMNS, CATEGORIES, SOURCE, "id"
)


def read(
    folder: Path | str | None = None,
    split: str = "val",
    *,
    subjects: Iterable[str] | None = None,
    problems: list | None = None,
) -> pd.DataFrame:
    """Items of C-Eval: 1,346 (val) or 260 (dev) in 52 subjects, four options each.

    Parameters
    ----------
    folder : path, optional
        Holds `val/` and `dev/`; by default `ceval/` inside `paths.benchmarks()`.
    split : {"val", "dev"}
    subjects : iterable of str, optional
        Only these; every subject's file must be there.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is subject and the file's own id, such as ``law/0``.
    """
    return LAYOUT.read(folder, split, subjects, problems)
