"""Items with the outputs of every model and what each extraction method made of them: filtered fast, one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis import benchmarks, extraction, extraction_persian
from analysis.errors import DataError, unknown

# What a filter keeps; "disagree" looks at the choices themselves.
SHOW = ("all", "correct", "wrong", "unanswered", "methods disagree", "models disagree")
STATES = ("correct", "wrong", "unanswered")
KEYS = ["item_id", "model"]


def answers(outputs: pd.DataFrame, items: pd.DataFrame, methods: Sequence[str] | None = None) -> pd.DataFrame:
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
    persian = closed["language"].eq("fa").any() if len(closed) else False
    methods = methods or [name for name in known if name != "regex_patterns" or persian]
    labels = extraction.with_items(
        asked[["benchmark", "item_id"]].reset_index(drop=True), items, ["subject", "category", "language"]
    )
    frames = []
    for method in methods:
        if method == "regex_patterns":
            rows = labels["language"].eq("fa").to_numpy()
            found = extraction_persian.extract(asked[rows], closed)
        else:
            rows = slice(None)
            found = extraction.extract(asked, closed, method, max_options=26)
        frames.append(found.assign(**{name: labels[name].to_numpy()[rows] for name in ("subject", "category")}))
    return pd.concat(frames, ignore_index=True)


def read(benchmark: str) -> tuple[pd.DataFrame, list[DataError]]:
    """Items of a benchmark, and the bad rows of its files, which are left out."""
    problems: list[DataError] = []
    return benchmarks.read(benchmark, problems=problems), problems


def once(outputs: pd.DataFrame) -> pd.DataFrame:
    """The first output of each item and model: of a conversation its first turn, of repeated samples the first."""
    return outputs.drop_duplicates(["benchmark", *KEYS]).reset_index(drop=True)


@dataclass(frozen=True)
class Records:
    """One benchmark's items, outputs and answers, ready to be filtered.

    Build it with `Records.of`.

    Attributes
    ----------
    items : DataFrame
        Indexed by `item_id`.
    outputs : DataFrame
        One row an item and model, indexed by `item_id`, in the order of the items.
    answers : DataFrame
        One row an item, model and method, as `answers` gives them, with `state`.
    strange : int
        Outputs to items that are not there, which are left out.
    """

    items: pd.DataFrame
    outputs: pd.DataFrame
    answers: pd.DataFrame
    strange: int = 0

    @classmethod
    def of(cls, items: pd.DataFrame, outputs: pd.DataFrame, models: Sequence[str] | None = None) -> "Records":
        """Records of one benchmark, of all models or of these.

        Raises
        ------
        DataError
            Where items are of several benchmarks, or one of the models has no outputs.
        """
        if items["benchmark"].nunique() > 1:
            raise DataError(f"items of several benchmarks: {', '.join(items['benchmark'].unique())}", field="benchmark")
        known = sorted(outputs["model"].unique())
        for model in models or ():
            if model not in known:
                raise unknown("model with outputs", model, known)
        outputs = once(outputs[outputs["model"].isin(models)] if models else outputs)
        there = outputs["item_id"].isin(items["item_id"])
        strange, outputs = int((~there).sum()), outputs[there]
        found = answers(outputs, items)
        place = pd.Series(np.arange(len(items)), items["item_id"])
        order = np.argsort(outputs["item_id"].map(place).to_numpy(), kind="stable")
        states = np.select([found["choice"].isna(), found["correct"].fillna(False)], ["unanswered", "correct"], "wrong")
        states = pd.Series(states, dtype="str").mask(found["correct"].isna() & found["choice"].notna(), "no key")
        return cls(
            items.set_index("item_id", drop=False),
            outputs.iloc[order].set_index("item_id", drop=False),
            found.assign(state=states),
            strange,
        )

    @property
    def models(self) -> list[str]:
        """Models with outputs, sorted."""
        return sorted(self.outputs["model"].unique())

    @property
    def methods(self) -> list[str]:
        """Extraction methods that were applied."""
        return list(self.answers["method"].unique())

    def select(self, subject: str = "", model: str = "", method: str = "", show: str = "all", text: str = "") -> pd.Index:
        """Ids of the items that fit, in the order of the items.

        Parameters
        ----------
        subject, model, method : str, optional
            Empty for any.
        show : str
            One of `SHOW`: an answer that is correct, wrong or unanswered; a response from which the methods take different choices;
            an item on which the models' choices differ.
        text : str
            Stands in the question or in a response, in any case.

        Raises
        ------
        DataError
            For a name that does not exist, with the nearest one.

        Examples
        --------
        >>> records.select(model="baseline/always-A", method="da", show="wrong")  # doctest: +SKIP
        """
        self._known(subject=(subject, self.items["subject"].unique()), model=(model, self.models))
        self._known(method=(method, self.methods), filter=(show, SHOW))
        ids = self.items.index
        if subject:
            ids = ids[self.items["subject"].eq(subject).to_numpy()]
        if model or show != "all":
            ids = ids[ids.isin(self._answered(model, method, show))]
        return ids[ids.isin(self._holding(text, model))] if text else ids

    @staticmethod
    def _known(**named: tuple[str, Sequence[str]]) -> None:
        for kind, (name, choices) in named.items():
            if name and name not in choices:
                raise unknown(kind, name, choices)

    def _answered(self, model: str, method: str, show: str) -> pd.Index:
        """Ids of the items whose answers fit."""
        part = self.answers
        if model:
            part = part[part["model"] == model]
        if method and show != "methods disagree":
            part = part[part["method"] == method]
        if show in STATES:
            part = part[part["state"] == show]
        elif show != "all":
            part = part[self._differ(part, ["method", "item_id"] if show == "models disagree" else KEYS)]
        return pd.Index(part["item_id"].unique())

    @staticmethod
    def _differ(part: pd.DataFrame, keys: list[str]) -> np.ndarray:
        """Rows of groups that hold two choices or more; none is a choice of its own."""
        codes = pd.Series(pd.factorize(part["choice"])[0], part.index)
        groups = codes.groupby([part[key] for key in keys], sort=False)
        return (groups.transform("min") != groups.transform("max")).to_numpy()

    def _holding(self, text: str, model: str) -> pd.Index:
        """Ids of the items whose question, or response of `model` (of any), holds `text`."""
        asked = self.items.index[self.items["question"].str.contains(text, case=False, regex=False)]
        part = self.outputs if not model else self.outputs[self.outputs["model"] == model]
        said = part.index[part["response"].str.contains(text, case=False, regex=False).fillna(False).to_numpy(bool)]
        return asked.union(said)

    def of_item(self, item_id: str) -> tuple[pd.Series, pd.DataFrame, pd.DataFrame]:
        """One item, its outputs (a row a model) and its answers (a row a model and method).

        Raises
        ------
        DataError
            For an item that does not exist.
        """
        if item_id not in self.items.index:
            raise unknown("item", item_id, self.items.index)
        outputs, found = self.outputs, self.answers
        return self.items.loc[item_id], outputs[outputs.index == item_id], found[found["item_id"] == item_id]
