"""A small benchmark for trying things out: eight questions in seven languages, with invented
responses of two invented models.
"""

import pandas as pd

from analysis import paths, schemas, written

_NAME = "example"


def _data() -> dict:
    return written.load(paths.DATA / "example.yaml")


def items() -> pd.DataFrame:
    """The questions.

    Examples
    --------
    >>> sorted(set(items()["language"]))
    ['bo', 'en', 'fa', 'id', 'th', 'vi', 'zh']
    """
    rows = [{**row, "benchmark": _NAME, "metadata": {}} for row in _data()["questions"]]
    return schemas.check(pd.DataFrame(rows), "items")


def outputs() -> pd.DataFrame:
    """The invented responses: what `browse` needs of a cached output.

    Examples
    --------
    >>> outputs()["model"].nunique()
    2
    """
    rows = [
        {"benchmark": _NAME, "item_id": item_id, "model": model, "response": text}
        for model, responses in _data()["responses"].items()
        for item_id, text in responses.items()
    ]
    return pd.DataFrame(rows)
