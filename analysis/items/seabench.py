"""SeaBench: 100 open questions of two turns a language with references, JSON Lines as the authors publish them.

The same file format holds, as it passes through their tools, a model's responses (`<model>_1`, `<model>_2`) and the judge's texts
(`eval_1`, `eval_2`): `responses` and `judgments` read these.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.answers import judgments as judging
from analysis.errors import unknown
from analysis.items import reading
from analysis.items.reading import Column
from analysis.results import published

SOURCE = "https://github.com/DAMO-NLP-SG/SeaBench"
FILE = "public-questions.jsonl"
LANGUAGES = ("id", "th", "vi")
TURNS = (1, 2)
COLUMNS = [
    Column("item_id", "unit_id"),
    Column("language", "lang"),
    Column("category", "type"),
    *(Column(f"user_{turn}") for turn in TURNS),
    *(Column(f"reference_{turn}", required=False) for turn in TURNS),
]
SYSTEM = "You are a helpful assistant."  # Appendix B.1; left out for models that take none


def _aspects() -> dict[str, str]:
    table = published.table("seaexam_seabench", 7)
    return dict(zip(table["category"], table["aspects"], strict=True))


ASPECTS = _aspects()  # category -> what a judge is to look at first, Table 7 in own words
CATEGORIES = {name.lower(): name for name in ASPECTS}


def read(folder: Path | str | None = None, *, languages: Sequence[str] = LANGUAGES, problems: list | None = None) -> pd.DataFrame:
    """Items of SeaBench.

    Parameters
    ----------
    folder : path, optional
        Holds `public-questions.jsonl`; by default `seabench/` inside `paths.benchmarks()`.
    languages : sequence of str
        Which of `LANGUAGES` to keep.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    items
        `item_id` as in the file (``id-1``); `question` is the first turn; `metadata` has `turns`, `references` and `aspects`.
    """
    if strange := [language for language in languages if language not in LANGUAGES]:
        raise unknown("language of seabench", strange[0], LANGUAGES)
    file = reading.locate("seabench", folder, FILE, SOURCE)
    rows = reading.rows(file, COLUMNS, problems=problems)
    return reading.items("seabench", "", (row for row in rows if row["language"] in languages), _item, problems)


def _category(row: reading.Row) -> str:
    if row["category"].lower() not in CATEGORIES:
        raise row.error(str(unknown("category of seabench", row["category"], CATEGORIES)), "type")
    return CATEGORIES[row["category"].lower()]


def _item(row: reading.Row) -> dict:
    category = _category(row)
    return {
        "item_id": row["item_id"],
        "language": row["language"],
        "subject": category.lower(),
        "category": category,
        "question": row["user_1"],
        "options": [],
        "answer": None,
        "metadata": {
            "turns": [row[f"user_{turn}"] for turn in TURNS],
            "references": [row[f"reference_{turn}"] for turn in TURNS],
            "aspects": ASPECTS[category],
        },
    }


def judgments(file: Path | str, model: str, judge: str, *, problems: list | None = None) -> pd.DataFrame:
    """Judgments of one model in a file of the authors' tools, scores read from the judge's texts.

    Parameters
    ----------
    file : path
        JSON Lines with `unit_id`, `lang`, `type`, `eval_1` and `eval_2`.
    model, judge : str
        Who was judged, and by whom: the file does not say.
    problems : list, optional
        Receives bad rows as `DataError`s; without it the first one is raised.

    Returns
    -------
    DataFrame
        See `analysis.answers.judgments`: one row a question and turn, an unparsed score missing.
    """
    columns = [*COLUMNS[:3], *(Column(f"eval_{turn}", required=False) for turn in TURNS)]
    rows = []
    for row in reading.rows(Path(file), columns, problems=problems):
        shared = ("seabench", row["item_id"], row["language"], _category(row), model)
        rows += [(*shared, turn, judge, judging.rating(row[f"eval_{turn}"])) for turn in TURNS]
    names = ["benchmark", "item_id", "language", "category", "model", "turn", "judge", "score"]
    return judging.check(pd.DataFrame(rows, columns=names))
