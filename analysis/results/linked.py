"""Answers to questions that are translations of each other: questions x (run, language)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis import paths
from analysis.answers import runs
from analysis.errors import DataError, refuse_unknown
from analysis.items import Description, with_items
from analysis.items.grouping import questions_of
from analysis.results import trust
from analysis.results.shared import clusters_of

_ITEM = ["benchmark", "item_id"]


@dataclass(frozen=True)
class Cube:
    """Questions x (run, language), complete: what is right.

    `answered` is each column's share of responses that are answered and read. `chance` is the
    probability of a right guess of each question, 0 where there is nothing to choose from; `linked`
    counts the questions that any run was asked.
    """

    correct: pd.DataFrame
    answered: pd.Series
    clusters: np.ndarray
    chance: np.ndarray
    linked: int

    @property
    def languages(self) -> list[str]:
        return list(self.correct.columns.unique("language"))

    def others(self, reference: str) -> list[tuple[str, str]]:
        """Run and language of each column whose run has the reference language, too."""
        columns = self.correct.columns
        with_reference = {run for run, language in columns if language == reference}
        return [pair for pair in columns if pair[1] != reference and pair[0] in with_reference]

    def at(self, columns: Sequence[tuple[str, str]]) -> np.ndarray:
        """Positions of columns."""
        return self.correct.columns.get_indexer(columns)

    def reference(self, name: str | None) -> str:
        """The language named, else of those that most runs have the one with the largest share of
        the web. Accuracy decides nothing: losses from the easiest language would be too large.
        """
        languages = self.correct.columns.get_level_values("language")
        if name is not None:
            refuse_unknown("language", self.languages, name)
            return name
        counts = languages.value_counts()
        return shares(counts.index[counts == counts.max()]).index[0]


def shares(languages: Iterable[str]) -> pd.Series:
    """Per cent of the web in each language, the largest first, those that are not listed last.

    Of a code such as ``eng_Latn``, ``pt-BR`` or ``hr-ckm`` the part for the language counts.
    """
    listed = pd.read_csv(paths.EVIDENCE / "languages.csv")
    listed["language"] = listed["language"].str.split()  # two letters, three letters, a name
    percent = listed.explode("language").set_index("language")["percent"]
    names = pd.Index(languages)
    values = percent.reindex(names.str.lower().str.split("[-_]").str[0])
    return values.set_axis(names).sort_values(ascending=False, kind="stable")


def linked(
    answers: pd.DataFrame, items: pd.DataFrame, by: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers with `run`, `question` (which translations share), `language` and `answered`; and
    `question`, `language`, `item_id` and `options` of the linked items.

    Raises
    ------
    DataError
        Where items are not linked, or no run was asked one that is.
    """
    questions = questions_of(items, by)
    if questions is None:
        raise DataError(
            "nothing links questions of two languages: name the metadata field that links "
            "translations (by=)",
            field="by",
        )
    about = items[[*_ITEM, "language", "options"]].assign(question=questions.array)
    shared = about.dropna(subset="question")
    if shared.duplicated(["question", "language"]).mean() > 0.5:
        raise DataError(
            "most items of a language share what is to link translations: name another field (by=)",
            field="by",
        )
    # categories: texts of millions of answers would not fit into memory
    about = about.astype({"question": "category", "language": "category"})
    part = answers.assign(run=runs(answers).astype("category"))
    part = with_items(part, about, ["question", "language"])
    part = where(part, part["question"].notna())
    if part.empty:
        raise DataError("no run was asked a question that is there in two languages")
    part = part.assign(correct=part["correct"].astype(bool), answered=part["choice"].notna())
    return part, shared.astype({"question": object})


def without_words(description: Description, baselines: pd.DataFrame) -> pd.DataFrame:
    """Items of which only the baselines' choices are here: as many options as the baselines had,
    the key where one chose it.
    """
    right = baselines[baselines["correct"]].groupby("item_id")["choice"].first()
    items = baselines.drop_duplicates("item_id")
    return items.assign(
        language=str(description.language.place).removeprefix("="),
        question=f"The words are not here: polyexam items {description.name}",
        options=[["(not here)"] * int(n) for n in items["n_options"]],
        answer=items["item_id"].map(right),
        metadata=[{}] * len(items),
    )


def where(frame: pd.DataFrame, mask: pd.Series) -> pd.DataFrame:
    """Rows of a frame; the frame itself, and no copy, where they are all."""
    return frame if mask.all() else frame[mask]


def unread(part: pd.DataFrame) -> pd.DataFrame:
    """Rows of `trust.gate` of each `run` and `language` that the method does not read."""
    gates = pd.concat(
        trust.gate(rows.assign(benchmark=rows["language"])).assign(run=run)
        for run, rows in _of_runs(part)
    ).rename(columns={"benchmark": "language"})
    return gates[~gates["trusted"]]


def _of_runs(part: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Rows of one run after another: `groupby` would copy all of them at once."""
    for run in sorted(part["run"].unique()):
        yield run, part[part["run"] == run]


def cube(part: pd.DataFrame, about: pd.DataFrame) -> Cube:
    """Means over samples, on the questions that every run was asked in each of its languages.

    Parameters
    ----------
    part, about : DataFrame
        As of `linked`.

    Raises
    ------
    DataError
        Where no question was asked in two languages.
    """
    keys = ["question", "run", "language"]
    cells = (
        rows.groupby(keys)[["correct", "answered"]].mean().unstack(keys[1:])
        for _, rows in _of_runs(part)
    )
    asked = pd.concat(cells, axis=1, sort=True)
    complete = asked.set_axis(asked.index.astype(object)).dropna()
    correct = complete["correct"].copy()  # a part would keep all in memory
    if correct.empty or len(correct.columns.unique("language")) < 2:
        raise DataError(
            "no question was asked of all runs in two languages: name fewer models", field="models"
        )
    options = about.drop_duplicates("question").set_index("question")["options"]
    n = options[correct.index].map(len).to_numpy(float)
    chance = (n > 0) / np.maximum(n, 1)
    return Cube(
        correct, complete["answered"].mean(), clusters_of(part, correct), chance, len(asked)
    )
