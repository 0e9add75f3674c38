"""Belebele: reading comprehension over the same passages in many languages, translated by people, JSON Lines as in SEA-HELM."""

from pathlib import Path

import pandas as pd

from analysis.errors import unknown
from analysis.items import reading
from analysis.items.reading import Column

SOURCE = "https://github.com/aisingapore/SEA-HELM"
FOLDER = "sea_items"
LANGUAGES = {"en": "en", "id": "id", "th": "th", "vi": "vi", "zh": "zh-s"}
COLUMNS = [Column("number", "id", int), Column("prompts", type=list), Column("answer", "label", int)]


def read(folder: Path | str | None = None, language: str = "id", *, problems: list | None = None) -> pd.DataFrame:
    """Items of Belebele: 895 a language, four options each.

    Parameters
    ----------
    folder : path, optional
        Holds `<language>_belebele.jsonl`; by default `sea_items/` inside `paths.benchmarks()`.
    language : str
        Key of `LANGUAGES`.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is the number in the file, the same question in all languages; `question` is passage and question, and
        `metadata` has the `passage` alone, which several questions share.
    """
    if language not in LANGUAGES:
        raise unknown("language of belebele", language, LANGUAGES)
    file = reading.locate(FOLDER, folder, f"{LANGUAGES[language]}_belebele.jsonl", SOURCE)
    return reading.items("belebele", language, reading.rows(file, COLUMNS, problems=problems), _item, problems)


def _item(row: reading.Row) -> dict:
    shown = row["prompts"][0] if row["prompts"] and isinstance(row["prompts"][0], dict) else {}
    if not 0 <= row["answer"] <= 3:
        raise row.error(f"{row['answer']} is not 0, 1, 2 or 3", "label")
    if reason := reading.fault(shown.get("text")) or reading.fault(shown.get("question")):
        raise row.error(reason, "prompts")
    return {
        "item_id": str(row["number"]),
        "subject": "reading",
        "category": None,
        "question": f"{shown['text']}\n{shown['question']}",
        "options": [shown.get(f"choice{number}") for number in (1, 2, 3, 4)],
        "answer": "ABCD"[row["answer"]],
        "metadata": {"passage": shown["text"]},
    }
