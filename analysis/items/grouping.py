"""Which items belong together: one passage, one source, one question in several languages or
several times.

What is hard about one of them is hard about all, so they count as one draw when an interval asks
what other items would have given.
"""

import re

import pandas as pd

from analysis.errors import unknown

_DECLARED = ("cluster", "source_item", "passage")  # fields of `metadata` that say so by their name
_AGREE = 0.75  # share of questions with one key in all languages, where ids alone link them


def clusters(items: pd.DataFrame, by: str | None = None) -> pd.Series | None:
    """The cluster of each item that shares one with others.

    Parameters
    ----------
    items : items
    by : str, optional
        A column of `items` or a field of their `metadata`. Left out: whatever `_DECLARED` fields
        join, a passage and its translations too; else ids that differ in the language alone; else
        questions that are the same to the letter, with the same options.

    Returns
    -------
    Series or None
        Index `item_id`, a name for each item's cluster (its own id where it is alone); None where
        no two items belong together.

    Raises
    ------
    DataError
        For a field that no item has.
    """
    if by is not None:
        return _named(items, column(items, by))
    groups = (_named(items, rule(items)) for rule in (_joined, _translated, _same))
    return next((group for group in groups if group is not None), None)


def column(items: pd.DataFrame, name: str) -> pd.Series:
    """A column of the items, or a field of their metadata as text.

    Raises
    ------
    DataError
        For a field that no item has.
    """
    if name in items:
        return items[name]
    values = _entries(items, name)
    if values.isna().all():
        fields = set().union(*items["metadata"]) - {name}
        raise unknown("field of the items", name, sorted({*items.columns, *fields}))
    return values


def _entries(items: pd.DataFrame, name: str) -> pd.Series:
    """The entry of that name in each item's metadata as text; missing where there is none."""
    values = [metadata.get(name) for metadata in items["metadata"]]
    return pd.Series(values, items.index, object).map(str, na_action="ignore")


def _joined(items: pd.DataFrame) -> pd.Series:
    """Number of each item's group, where sharing any declared field joins."""
    declared = [_entries(items, name) for name in _DECLARED]
    group = pd.Series(range(len(items)), items.index)
    before = None
    while not group.equals(before):  # the lowest number goes through all that is joined
        before = group
        for values in declared:
            group = group.groupby(values).transform("min").fillna(group).astype(int)
    return group


def questions_of(items: pd.DataFrame, by: str | None = None) -> pd.Series | None:
    """The question that each item puts in its language: translations of one have the same.

    Parameters
    ----------
    items : items
        Of one benchmark, or of several that translate each other.
    by : str, optional
        A column of `items` or a field of their `metadata`. Left out: of the field `source_item`,
        ids that several languages have alike, and ids that differ in the language alone, what links
        most questions.

    Returns
    -------
    Series or None
        In the order of `items`; missing where an item has no translation. None where no question is
        there in two languages.

    Raises
    ------
    DataError
        For a field that no item has.
    """
    rules = (
        [column(items, by)]
        if by
        else [_entries(items, "source_item"), _alike(items, items["item_id"]), _translated(items)]
    )
    # a source may have several questions: what tells most of them apart
    question = max((_shared(items, ids) for ids in rules), key=pd.Series.nunique)
    return question if question.notna().any() else None


def _named(items: pd.DataFrame, values: pd.Series) -> pd.Series | None:
    """Clusters by value; None where no value occurs twice."""
    text = values.map(str, na_action="ignore")
    if not text.dropna().duplicated().any():
        return None
    first = items["item_id"].groupby(text).transform("first")  # short names, whatever the value is
    names = first.fillna(items["item_id"])
    return pd.Series(names.to_numpy(), items["item_id"].to_numpy(), name="cluster")


def _translated(items: pd.DataFrame) -> pd.Series:
    """Ids without their language, where another language has the same."""
    code = r"(?i)(^|[^a-z0-9]){}(?=$|[^a-z0-9])"
    bare = [
        re.sub(code.format(language), r"\1*", name)
        for name, language in zip(items["item_id"], items["language"].map(re.escape), strict=True)
    ]
    bare = pd.Series(bare, items.index, object)
    return _alike(items, bare.mask(bare == items["item_id"], None))


def _shared(items: pd.DataFrame, ids: pd.Series) -> pd.Series:
    """Ids that another language has, too."""
    return ids.where(items.groupby(ids)["language"].transform("nunique").gt(1), None)


def _alike(items: pd.DataFrame, ids: pd.Series) -> pd.Series:
    """`_shared`; none where their keys differ (texts, where no item has a key), for numbers may be
    alike by chance.
    """
    ids = _shared(items, ids)
    keys = items["answer"].fillna(_entries(items, "answers"))
    if keys.isna().all():
        keys = items["question"]
    agree = keys.groupby(ids).nunique().eq(1).mean()
    return ids if agree > _AGREE else ids.map({})


def _same(items: pd.DataFrame) -> pd.Series:
    """Number of each question that is the same to the letter, with the same options."""
    keys = [items["language"], items["question"], items["options"].map(tuple)]
    return items.groupby(keys, sort=False).ngroup()
