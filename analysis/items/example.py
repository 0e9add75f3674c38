"""A small benchmark for trying things out: eight questions in seven languages, with invented
responses of two invented models.
"""

import pandas as pd

from analysis import paths, schemas, written


def _data() -> dict:
    return written.load(paths.DATA / "example.yaml")


def items() -> pd.DataFrame:
    """The questions.

    Examples
    --------
    >>> sorted(set(items()["language"]))
    ['bo', 'en', 'fa', 'id', 'th', 'vi', 'zh']
    """
    rows = [{**row, "benchmark": "example", "metadata": {}} for row in _data()["questions"]]
    return schemas.check(pd.DataFrame(rows), "items")


def outputs() -> pd.DataFrame:
    """The invented responses: what `browse` needs of a cached output.

    Examples
    --------
    >>> outputs()["model"].nunique()
    2
    """
    texts = pd.DataFrame(_data()["responses"]).rename_axis("item_id").reset_index()
    return texts.melt("item_id", var_name="model", value_name="response").assign(
        benchmark="example"
    )
