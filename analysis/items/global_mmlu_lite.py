"""Global-MMLU-lite: the same 400 MMLU questions in many languages, translated and checked by people, JSON Lines as in SEA-HELM."""

import ast
from pathlib import Path

import pandas as pd

from analysis.errors import unknown
from analysis.items import reading
from analysis.items.reading import Column

SOURCE = "https://github.com/aisingapore/SEA-HELM"
FOLDER = "sea_items"
LABELS = {"က": "A", "ခ": "B", "ဂ": "C", "ဃ": "D"}  # the Burmese file has Burmese letters
LANGUAGES = ("en", "id", "ms", "my", "tl", "vi", "zh")
COLUMNS = [
    Column("prompts", type=list),
    Column("answer", "label"),
    Column("sample", "metadata.sample_id"),
    Column("subject", "metadata.subject"),
    Column("category", "metadata.subject_category"),
    Column("culture", "metadata.cultural_sensitivity_label", required=False),
    Column("countries", "metadata.country", required=False),
]


def read(folder: Path | str | None = None, language: str = "id", *, problems: list | None = None) -> pd.DataFrame:
    """Items of Global-MMLU-lite: 400 a language.

    Parameters
    ----------
    folder : path, optional
        Holds `global_mmlu_lite_<language>_test.jsonl`; by default `sea_items/` inside `paths.benchmarks()`.
    language : str
        One of `LANGUAGES`.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is the place in MMLU, such as ``astronomy/test/58``, the same in all languages; `metadata` has `culture`: `CS`
        where the answer depends on a culture, `CA` where not, and `countries`, which the annotators named.
    """
    if language not in LANGUAGES:
        raise unknown("language of global_mmlu_lite", language, LANGUAGES)
    file = reading.locate(FOLDER, folder, f"global_mmlu_lite_{language}_test.jsonl", SOURCE)
    return reading.items("global_mmlu_lite", language, reading.rows(file, COLUMNS, problems=problems), _item, problems)


def _item(row: reading.Row) -> dict:
    shown = row["prompts"][0] if row["prompts"] and isinstance(row["prompts"][0], dict) else {}
    return {
        "item_id": row["sample"],
        "subject": row["subject"],
        "category": row["category"],
        "question": shown.get("question"),
        "options": [shown.get(f"option_{label}") for label in "abcd"],
        "answer": LABELS.get(row["answer"], row["answer"]),
        "metadata": {"culture": row["culture"], "countries": _countries(row)},
    }


def _countries(row: reading.Row) -> list[str]:
    """Different countries in the annotators' list, which stands in the file as Python text."""
    try:
        named = ast.literal_eval(row["countries"] or "[]")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise row.error(f"is not a list of countries (value {row['countries'][:80]!r})", "metadata.country") from None
    return sorted({str(country) for country in named}) if isinstance(named, list) else []
