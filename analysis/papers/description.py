"""Models of what `paper.yaml` can say: a paper, its benchmarks, samples of their questions."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from analysis.errors import DataError, refuse_unknown, unknown
from analysis.written import Written

# what an average is over -> its groups
OVER = {"subjects": "subject", "categories": "category", "languages": "language"}


def _artifact(value: object, info: ValidationInfo) -> object:
    _check_name("artifact", value, info.context["artifacts"])
    return value


def _definition(value: object) -> object:
    if " x " not in str(value):
        _check_name("definition of an average", value, ["questions", *OVER])
    return value


def _check_name(kind: str, name: object, choices) -> None:
    if name not in choices:
        raise DataError(unknown(kind, name, choices).reason)


_Texts = dict[str, str]
_Artifact = Annotated[str, BeforeValidator(_artifact)]
_Definition = Annotated[str, BeforeValidator(_definition)]


class Categories(Written):
    """Which table says the category of each subject, and what a printed category is over."""

    table: _Artifact
    over: Literal["subjects", "questions"]


class Benchmark(Written):
    """One benchmark as a paper prints it.

    Attributes
    ----------
    name, title : str
        Its name here, and how the paper writes it.
    language : str
        Code of its language; empty where the groups are languages.
    source : str
        The benchmark that it translates; empty for originals.
    average : str
        What its printed averages are over: `questions`, or groups that weigh the same (`subjects`,
        `categories`, `languages`).
    average_in : Mapping
        Artifact -> what the averages are over there, where it is something else.
    parallel : bool
        Its languages are translations of one set of questions: what is hard in one is hard in the
        others.
    categories : Categories or None
        Where its categories are made of subjects.
    overlap : tuple of str
        Groups whose questions count in another group as well.
    label : str
        The average, for the axis of a figure.
    rounding : float
        By how much a number recomputed from rounded parts may differ from the printed one, in the
        printed unit.
    chance : float or Mapping
        What guessing gets as a share of 1: one number, or group -> number with `printed` for the
        average. None if unknown.
    options : int or None
        Options of every question, where that is one number.
    groups : tuple of str
        Its main groups in the order of the columns.
    explained : str
        What a caption must say of abbreviations in its tables.
    tables : Mapping
        Role -> artifact, or role -> (name -> artifact).
    """

    name: str = ""
    title: str
    language: str = ""
    source: str = ""
    average: _Definition = "questions"
    average_in: dict[_Artifact, _Definition] = {}
    parallel: bool = False
    categories: Categories | None = None
    overlap: tuple[str, ...] = ()
    label: str = ""
    rounding: float = 0.0
    chance: float | dict[str, float] | None = None
    options: int | None = None
    groups: tuple[str, ...] = ()
    explained: str = ""
    tables: dict[str, _Artifact | dict[str, _Artifact]] = {}

    @model_validator(mode="after")
    def _overlapping_groups_exist(self) -> "Benchmark":
        for group in self.overlap:
            _check_name("group", group, self.groups)
        return self

    def chance_of(self, group: str = "printed") -> float:
        """What guessing gets in a group, or on average, as a share of 1; NaN if unknown."""
        if isinstance(self.chance, Mapping):
            return self.chance.get(group, float("nan"))
        return float("nan") if self.chance is None else self.chance

    def table(self, *roles: str) -> str:
        """The artifact that has the first of these roles that one has."""
        return next(self.tables[role] for role in roles if role in self.tables)

    def over(self, artifact: str, group: str) -> str:
        """What the average called `group` in an artifact is over."""
        return "questions" if group == "questions" else self.average_in.get(artifact, self.average)


class Sample(Written):
    """Rows on other questions than the groups of their tables have: `where` selects them, `n` of
    all questions if one number.
    """

    where: dict[str, list[str]]
    n: int | None = None

    def rows(self, frame: pd.DataFrame) -> pd.Series:
        """Which rows of a `results` frame are on this sample."""
        return frame[list(self.where)].isin(self.where).all(axis=1)


class Paper(Written):
    """What `paper.yaml` says.

    Attributes
    ----------
    name, title, cite, url, version : str
    explained : str
        What a caption must say of its settings and names.
    languages, settings, groups : Mapping
        Code -> name, setting -> how it is written, group -> its name where tables abbreviate it.
    methods : tuple of str
        Settings that are ways to extract answers from the same outputs.
    benchmarks : Mapping
        Name -> `Benchmark`, in the file's order.
    samples : Mapping
        Name -> `Sample`.
    metrics : Mapping
        Metric -> how it is written, where a paper prints one of its own.
    counted_by : Mapping
        Metric -> the metric that prints its n.
    sizes : DataFrame
        `benchmark`, `group_by`, `group`, `n` of `questions.csv`, against which counts can be
        checked.
    estimated : DataFrame
        The same with `sample`, of `questions_estimated.csv`: sizes known about, good for intervals
        only.
    """

    name: str = ""
    title: str
    cite: str
    url: str = ""
    version: str = ""
    explained: str = ""
    languages: _Texts = {}
    settings: _Texts = {}
    groups: _Texts = {}
    methods: tuple[str, ...] = ()
    benchmarks: dict[str, Benchmark] = {}
    samples: dict[str, Sample] = {}
    metrics: _Texts = {}
    counted_by: _Texts = {}
    sizes: Any = Field(default=None, repr=False)
    estimated: Any = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _methods_are_settings(self) -> "Paper":
        for method in self.methods:
            _check_name("setting", method, self.settings)
        return self

    def benchmark(self, name: str) -> Benchmark:
        """One benchmark.

        Raises
        ------
        DataError
            With the nearest name.
        """
        refuse_unknown(f"benchmark of {self.name}", self.benchmarks, name)
        return self.benchmarks[name]

    def benchmark_with(self, roles: Collection[str], name: str) -> Benchmark:
        """The named benchmark, or the first of the paper, that a table of such a role shows.

        Raises
        ------
        DataError
            Where there is none.
        """
        for benchmark in [self.benchmark(name)] if name else self.benchmarks.values():
            if set(roles) & set(benchmark.tables):
                return benchmark
        of = f" of {name}" if name else ""
        raise DataError(f"{self.name} prints no {' or '.join(roles)} table{of}", field="paper")

    def own_sample(self, frame: pd.DataFrame) -> pd.Series:
        """Which rows of a `results` frame are on a sample of their own."""
        masks = {name: sample.rows(frame) for name, sample in self.samples.items()}
        return pd.DataFrame(masks, index=frame.index).any(axis=1)
