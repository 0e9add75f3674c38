"""M3Exam: official exams of nine countries in their languages, one JSON array a language; SeaExam's model and partly its source."""

import re
from pathlib import Path

import pandas as pd

from analysis import schemas
from analysis.errors import unknown
from analysis.items import reading
from analysis.items.reading import Column
from analysis.items.seaexam import CATEGORIES

SOURCE = "https://github.com/DAMO-NLP-SG/M3Exam"
SPLITS = ("test", "dev")
LANGUAGES = {
    "af": "afrikaans", "en": "english", "it": "italian", "jv": "javanese", "pt": "portuguese", "sw": "swahili", "th": "thai",
    "vi": "vietnamese", "zh": "chinese",
}  # fmt: skip
COLUMNS = [
    Column("question", "question_text"),
    Column("background", "background_description", type=list, required=False),
    Column("options", type=list),
    Column("answer", "answer_text"),
    Column("subject", "subject_category"),
    Column("level", required=False),
]
LABEL = re.compile(r"\s*\(?([A-Za-z]|\d{1,2})\s*[).:、．]\s*")


def read(
    folder: Path | str | None = None, split: str = "test", *, language: str = "th", problems: list | None = None
) -> pd.DataFrame:
    """Items of M3Exam in one language, text questions only.

    Parameters
    ----------
    folder : path, optional
        Holds `<language>-questions-test.json` and `-dev.json`; by default `m3exam/` inside `paths.benchmarks()`.
    split : {"test", "dev"}
    language : str
        Key of `LANGUAGES`.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` is language and number; the background stands before the question. Options lose their own labels; `metadata` has
        `level` (`low`, `mid`, `high`).
    """
    if split not in SPLITS:
        raise unknown("split of m3exam", split, SPLITS)
    if language not in LANGUAGES:
        raise unknown("language of m3exam", language, LANGUAGES)
    file = reading.locate("m3exam", folder, f"{LANGUAGES[language]}-questions-{split}.json", SOURCE)
    rows = reading.rows(file, COLUMNS, problems=problems)
    return reading.items("m3exam", language, rows, lambda row: _item(row, language), problems)


def _item(row: reading.Row, language: str) -> dict:
    if not all(isinstance(option, str) for option in row["options"]):
        raise row.error("holds something that is no text", "options")
    found = [LABEL.match(option) for option in row["options"]]
    labels = [match[1] if match else None for match in found]
    if None in labels or len(set(labels)) < len(labels):
        raise row.error(f"options do not each begin with a label of their own: {labels}", "options")
    answer = row["answer"].strip().strip("().")
    if answer not in labels:
        raise row.error(f"{row['answer']!r} is not the label of an option ({', '.join(labels)})", "answer")
    background = [part for part in row["background"] or () if isinstance(part, str) and part.strip()]
    return {
        "item_id": f"{language}/{row.number}",
        "subject": row["subject"],
        "category": CATEGORIES.get(row["subject"]),
        "question": "\n".join([*background, row["question"]]),
        "options": [option[match.end() :].strip() for option, match in zip(row["options"], found, strict=True)],
        "answer": schemas.labels(len(labels))[labels.index(answer)],
        "metadata": {"level": row["level"]},
    }
