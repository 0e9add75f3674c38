"""Published leaderboards as facts: who chose which option of which question, and no texts.

An entry is a folder of `data/gallery`: `items.parquet` has a row a question, `answers.parquet` the
answers of all runs by all methods, and `about.yaml` says where the logs are from.
"""

import pandas as pd

from analysis import paths, schemas, written
from analysis.answers import RUN
from analysis.answers.baselines import BASELINES, answer
from analysis.answers.stored import digest_of
from analysis.written import Written

FOLDER = paths.DATA / "gallery"
BLIND = sorted(BASELINES.keys() - {"baseline/sentence-encoder"})
OTHER = "other"  # a choice that is no label
KEYS = {"items": ["item_id"], "answers": ["item_id", *RUN, "method"]}


class About(Written):
    """What `about.yaml` says.

    Attributes
    ----------
    files : dict
        Name -> checksum of what the facts were read from.
    method, rule : str
        The method nearest to the publisher's rule, and the rule in words.
    average : str
        What the publisher averages over, such as "subject"; questions if empty.
    published : dict
        "all" or a subject -> run -> accuracy (%), as `printed` has it.
    explained : dict
        Run -> why its published score is another.
    """

    title: str
    source: str
    commit: str
    licence: str
    files: dict[str, str]
    method: str = ""
    rule: str = ""
    average: str = ""
    printed: str = ""
    published: dict[str, dict[str, float]] = {}
    explained: dict[str, str] = {}
    notes: str = ""


def read(name: str) -> tuple[About, pd.DataFrame, pd.DataFrame]:
    """An entry of the gallery.

    Returns
    -------
    About
    items
        With digests instead of words, and a column of choices a baseline.
    answers
        Of all runs by all methods.

    Raises
    ------
    DataError
        For a name that is no folder, or a mistake in `about.yaml`.

    Examples
    --------
    >>> read("thai_exam")[2]["model"].nunique()
    102
    """
    about = written.read(FOLDER / name / "about.yaml", About)
    items, answers = (pd.read_parquet(FOLDER / name / f"{kind}.parquet") for kind in KEYS)
    items["options"] = [[""] * n for n in items["options"]]
    return about, schemas.check(items, "items"), schemas.check(answers, "answers")


def facts(answers: pd.DataFrame, items: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Items and answers without texts, by the names of `KEYS`.

    Questions are digests, options their number, and a choice that is no label is `OTHER`.
    """
    asked = items["item_id"].isin(answers["item_id"])
    items = items.loc[asked, schemas.columns("items")].reset_index(drop=True)
    bare = items.assign(
        question=list(map(digest_of, items[["question", "options"]].to_numpy().tolist())),
        options=items["options"].map(len),
        metadata=[{"source_item": fields.get("source_item")} for fields in items["metadata"]],
    )
    if bare["options"].gt(1).all():
        for name in BLIND:
            bare[name] = answer(items, name)["choice"]
    choice = answers["choice"]
    label = choice.isin(schemas.labels(26)) | choice.isna()
    columns = [*schemas.columns("answers"), "subject", "category"]
    short = answers[columns].assign(
        choice=choice.where(label, OTHER), why=answers["why"].where(choice.isna(), "one choice")
    )
    return {"items": bare, "answers": short}
