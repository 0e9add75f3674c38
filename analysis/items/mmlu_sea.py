"""MMLU-SEA: 50 MMLU questions a subject, machine-translated into Indonesian, Thai and Vietnamese; files and prompts as SeaExam's."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.items import seaexam


def read(
    folder: Path | str | None = None,
    split: str = "test",
    *,
    languages: Sequence[str] = ("id", "th", "vi"),
    seed: int | None = 1,
    shots: int = 3,
    headings: Sequence[str] = seaexam.HEADINGS,
    problems: list | None = None,
) -> pd.DataFrame:
    """Items of MMLU-SEA: 2,850 test questions in each of three languages.

    `folder` holds `mmlu-<language>/test.json` and `dev.json`; the rest is as in `analysis.items.seaexam.read`.
    """
    return seaexam._read("mmlu_sea", "mmlu", folder, split, languages, seed, shots, headings, problems)
