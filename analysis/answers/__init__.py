"""Raw outputs -> answers: one choice a response, or none and why; and the answers that lie in the repository."""

from collections.abc import Sequence

import pandas as pd

from analysis import outputs as cached
from analysis import schemas
from analysis.answers import letters, persian, recorded
from analysis.errors import DataError, unknown
from analysis.items import names as benchmark_names
from analysis.items import read as read_items
from analysis.items import with_items

KEYS = ["item_id", "model"]


def extract(outputs: pd.DataFrame, items: pd.DataFrame, methods: Sequence[str] | None = None) -> pd.DataFrame:
    """Answers by every extraction method that applies: ``da`` and ``caa``, and ``regex_patterns`` on Persian items.

    Beyond the four options that the printed algorithms know, their rule is extended to 26. Items without options are left out.

    Returns
    -------
    DataFrame
        Answers of each method, one below the other, with `subject` and `category`.

    Raises
    ------
    DataError
        For an unknown method, an output without its item, or two outputs to one item of one model.
    """
    known = ["da", "caa", "regex_patterns"]
    if wrong := [name for name in methods or [] if name not in known]:
        raise unknown("method", wrong[0], known)
    closed = items[items["options"].map(len) > 0]
    asked = outputs[outputs["item_id"].isin(closed["item_id"]) | ~outputs["item_id"].isin(items["item_id"])]
    spoken = closed["language"].eq("fa").any() if len(closed) else False
    methods = methods or [name for name in known if name != "regex_patterns" or spoken]
    labels = with_items(asked[["benchmark", "item_id"]].reset_index(drop=True), items, ["subject", "category", "language"])
    frames = []
    for method in methods:
        if method == "regex_patterns":
            rows = labels["language"].eq("fa").to_numpy()
            found = persian.extract(asked[rows], closed)
        else:
            rows = slice(None)
            found = letters.extract(asked, closed, method, max_options=26)
        frames.append(found.assign(**{name: labels[name].to_numpy()[rows] for name in ("subject", "category")}))
    return pd.concat(frames, ignore_index=True)


def once(outputs: pd.DataFrame) -> pd.DataFrame:
    """The first output of each item and model: of a conversation its first turn, of repeated samples the first."""
    return outputs.drop_duplicates(["benchmark", *KEYS]).reset_index(drop=True)


def read(benchmark: str, **where: object) -> pd.DataFrame:
    """Choices: of the knowledge-free baselines that lie in the repository, and of cached outputs by every extraction method.

    Raises
    ------
    DataError
        For an unknown benchmark, or a value that no row has, with the nearest one.

    Examples
    --------
    >>> from analysis import answers
    >>> answers.read("cmmlu", model="baseline/always-A")["correct"].sum()
    np.int64(2926)
    """
    if benchmark not in benchmark_names():
        raise unknown("benchmark", benchmark, benchmark_names())
    own, frames = cached.own(benchmark), [recorded.baselines(benchmark)]
    if len(own):
        frames.append(extract(once(own), read_items(benchmark, problems=[])))
    return schemas.where(pd.concat([frame for frame in frames if len(frame)] or frames, ignore_index=True), **where)
