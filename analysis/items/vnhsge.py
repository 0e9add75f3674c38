"""VNHSGE: questions of Vietnam's high school graduation exams, JSON Lines with question and options in one text."""

import re
from pathlib import Path

import pandas as pd

from analysis.items import reading
from analysis.items.reading import Column

SOURCE = "https://github.com/Xdao85/VNHSGE"
FOLDER = "sea_items"
CATEGORIES = {
    "Biology": "STEM", "Chemistry": "STEM", "Mathematics": "STEM", "Physics": "STEM", "English": "Humanities",
    "CivicEducation": "Social Sciences", "Geography": "Social Sciences", "History": "Social Sciences",
}  # fmt: skip
COLUMNS = [
    Column("item_id", "ID"),
    Column("subject"),
    Column("question", "Question"),
    Column("answer", "Choice", required=False),
    Column("image", "Image_Question", required=False),
    Column("split"),
]
# The first label begins a line; the others may follow on the same one, after a space or the end of a sentence.
OPTIONS = re.compile(
    r"(?P<question>.*?)\n\s*A\s*[.:)]\s*(?P<A>.*?)"
    + "".join(rf"(?:\s+|(?<=[.,;!?$])){label}\s*[.:)]\s*(?P<{label}>.*?)" for label in "BCD")
    + r"\s*",
    re.DOTALL,
)
NUMBER = re.compile(r"\A\s*c[âa]u\s*\d+\s*[.:)]?\s*", re.IGNORECASE)


def read(folder: Path | str | None = None, *, images: bool = False, problems: list | None = None) -> pd.DataFrame:
    """Items of VNHSGE: about 7,000 questions of eight subjects in Vietnamese (the English exam in English).

    Parameters
    ----------
    folder : path, optional
        Holds `vnhsge_vi.jsonl`; by default `sea_items/` inside `paths.benchmarks()`.
    images : bool
        Keep the 176 questions that need an image, which is not shown.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        The number before the question is taken away; `answer` is missing where the file has none; `metadata` has `split` (`train`,
        `eval`, `test`) and `image`.
    """
    file = reading.locate(FOLDER, folder, "vnhsge_vi.jsonl", SOURCE)
    rows = reading.rows(file, COLUMNS, problems=problems)
    return reading.items("vnhsge", "vi", (row for row in rows if images or not row["image"]), _item, problems)


def _item(row: reading.Row) -> dict:
    match = OPTIONS.fullmatch(row["question"])
    if match is None:
        raise row.error("does not hold a question and the options A, B, C and D", "Question")
    return {
        "item_id": row["item_id"],
        "language": "en" if row["subject"] == "English" else "vi",
        "subject": row["subject"],
        "category": CATEGORIES.get(row["subject"]),
        "question": NUMBER.sub("", match["question"], count=1),
        "options": [match[label].strip() for label in "ABCD"],
        "answer": row["answer"],
        "metadata": {"split": row["split"], "image": bool(row["image"])},
    }
