"""Papers as data: what each says about its benchmarks, read from `data/published/<paper>/paper.yaml` and checked.

    papers.names()                                              the papers whose tables lie in the repository
    papers.read("tlue").benchmarks["ti_mmlu"].average           what a printed average is over

What data cannot say, a paper hands in as Python: a function of that name in `analysis.papers.<paper>` (`handed_in`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import yaml

from analysis import paths
from analysis.errors import DataError, unknown

OVER = {"subjects": "subject", "categories": "category", "languages": "language"}  # what an average is over -> its groups


@dataclass(frozen=True)
class Categories:
    """Which table says the category of each subject, and what a printed category is over (`subjects` or `questions`)."""

    table: str
    over: str


@dataclass(frozen=True)
class Benchmark:
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
        What its printed averages are over: `questions`, or groups that weigh the same (`subjects`, `categories`, `languages`).
    average_in : Mapping
        Artifact -> what the averages are over there, where it is something else.
    categories : Categories or None
        Where its categories are made of subjects.
    overlap : tuple of str
        Groups whose questions count in another group as well.
    label : str
        The average, for the axis of a figure.
    rounding : float
        By how much a number recomputed from rounded parts may differ from the printed one, in the printed unit.
    chance : float or Mapping
        What guessing gets as a share of 1: one number, or group -> number with `printed` for the average. None if unknown.
    options : int or None
        Options of every question, where that is one number.
    groups : tuple of str
        Its main groups in the order of the columns.
    tables : Mapping
        Role -> artifact, or role -> (name -> artifact).
    """

    name: str
    title: str
    language: str = ""
    source: str = ""
    average: str = "questions"
    average_in: Mapping[str, str] = field(default_factory=dict)
    categories: Categories | None = None
    overlap: tuple[str, ...] = ()
    label: str = ""
    rounding: float = 0.0
    chance: float | Mapping[str, float] | None = None
    options: int | None = None
    groups: tuple[str, ...] = ()
    tables: Mapping = field(default_factory=dict)

    def chance_of(self, group: str = "printed") -> float:
        """What guessing gets in a group, or on average, as a share of 1; NaN if unknown."""
        if isinstance(self.chance, Mapping):
            return self.chance.get(group, float("nan"))
        return float("nan") if self.chance is None else self.chance

    def over(self, artifact: str, group: str) -> str:
        """What the average called `group` in an artifact is over."""
        return "questions" if group == "questions" else self.average_in.get(artifact, self.average)


@dataclass(frozen=True)
class Sample:
    """Rows on other questions than the groups of their tables have: `where` selects them, `n` of all questions if one number."""

    where: Mapping[str, list[str]]
    n: int | None = None

    def rows(self, frame: pd.DataFrame) -> pd.Series:
        """Which rows of a `results` frame are on this sample."""
        return pd.concat([frame[column].isin(names) for column, names in self.where.items()], axis=1).all(axis=1)


@dataclass(frozen=True)
class Paper:
    """What `paper.yaml` says.

    Attributes
    ----------
    name, title, cite, url, version : str
    languages, settings : Mapping
        Code -> name, setting -> how it is written.
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
        `benchmark`, `group_by`, `group`, `n` of `questions.csv`, against which counts can be checked.
    estimated : DataFrame
        The same with `sample`, of `questions_estimated.csv`: sizes known about, good for intervals only.
    """

    name: str
    title: str
    cite: str
    url: str = ""
    version: str = ""
    languages: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    methods: tuple[str, ...] = ()
    benchmarks: Mapping[str, Benchmark] = field(default_factory=dict)
    samples: Mapping[str, Sample] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    counted_by: Mapping[str, str] = field(default_factory=dict)
    sizes: pd.DataFrame = field(default=None, repr=False, compare=False)
    estimated: pd.DataFrame = field(default=None, repr=False, compare=False)

    def benchmark(self, name: str) -> Benchmark:
        """One benchmark.

        Raises
        ------
        DataError
            With the nearest name.
        """
        if name not in self.benchmarks:
            raise unknown(f"benchmark of {self.name}", name, self.benchmarks)
        return self.benchmarks[name]

    def table(self, benchmark: str, role: str) -> str | Mapping[str, str]:
        """The artifact that has a role for a benchmark (its leaderboard, its gap to the source language, ...).

        Raises
        ------
        DataError
            Where the paper prints no such table.
        """
        tables = self.benchmark(benchmark).tables
        if role not in tables:
            raise unknown(f"table of {self.name} for {benchmark}", role, tables)
        return tables[role]

    def having(self, role: str, benchmark: str = "") -> Benchmark:
        """The named benchmark, or the first of the paper, that a table of this role shows.

        Raises
        ------
        DataError
            Where there is none.
        """
        found = [b for b in ([self.benchmark(benchmark)] if benchmark else self.benchmarks.values()) if role in b.tables]
        if not found:
            raise DataError(f"{self.name} prints no {role} table{f' of {benchmark}' if benchmark else ''}", field="paper")
        return found[0]

    def own_sample(self, frame: pd.DataFrame) -> pd.Series:
        """Which rows of a `results` frame are on a sample of their own."""
        masks = [sample.rows(frame) for sample in self.samples.values()]
        return pd.concat(masks, axis=1).any(axis=1) if masks else pd.Series(False, index=frame.index)


def names() -> list[str]:
    """Names of the papers whose tables lie in the repository."""
    return sorted(folder.name for folder in paths.PUBLISHED.iterdir() if folder.is_dir())


def folder(paper: str) -> Path:
    """Where a paper's files lie.

    Raises
    ------
    DataError
        If there is no such paper: the nearest name is told.
    """
    if paper not in names():
        raise unknown("paper", paper, names())
    return paths.PUBLISHED / paper


def read(paper: str) -> Paper:
    """What a paper says about its benchmarks.

    Raises
    ------
    DataError
        For an unknown paper; with file and field: YAML that cannot be read, an unknown or missing field, an artifact that does not
        exist, a definition of averages that there is not.
    """
    file = folder(paper) / "paper.yaml"
    if not file.is_file():
        raise DataError("is missing: every paper has one, with title and cite", file=file)
    return _read(paper, file, tuple(part.stat().st_mtime_ns for part in sorted(file.parent.iterdir())))


@cache
def _read(paper: str, file: Path, _changed: tuple) -> Paper:
    try:
        raw = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise DataError(f"is not YAML: {error}", file=file) from None
    _text_keys(raw, file, "")
    body = _fields(raw, Paper, {"name", "sizes", "estimated"}, {"title", "cite"}, file, "")
    artifacts = sorted(part.stem for part in file.parent.glob("*.csv"))
    body["benchmarks"] = {
        name: _benchmark(name, part, artifacts, file)
        for name, part in _mapping(body.get("benchmarks"), file, "benchmarks").items()
    }
    body["samples"] = {
        name: _sample(part, file, f"samples.{name}") for name, part in _mapping(body.get("samples"), file, "samples").items()
    }
    for key in ("languages", "settings", "metrics", "counted_by"):
        body[key] = {str(k): str(v) for k, v in _mapping(body.get(key), file, key).items()}
    body["methods"] = tuple(body.get("methods") or ())
    for method in body["methods"]:
        if method not in body["settings"]:
            raise DataError(str(unknown("setting", method, body["settings"])), file=file, field="methods")
    made = Paper(
        name=paper, sizes=_sizes(file.parent / "questions.csv"), estimated=_sizes(file.parent / "questions_estimated.csv"), **body
    )
    for name in made.estimated["sample"].dropna().unique():
        if name not in made.samples:
            raise DataError(
                str(unknown("sample", name, made.samples)), file=file.parent / "questions_estimated.csv", field="sample"
            )
    return made


def _text_keys(body: object, file: Path, where: str) -> None:
    """YAML reads OFF, NO and 12 as something else than text: such a key would never be found."""
    for key, value in body.items() if isinstance(body, Mapping) else ():
        place = f"{where}.{key}".strip(".")
        if not isinstance(key, str):
            raise DataError(
                f"{key!r} is not text: quote it (YAML reads OFF, NO and 12 as something else)", file=file, field=place
            )
        _text_keys(value, file, place)


def _mapping(body: object, file: Path, where: str) -> Mapping:
    if body is not None and not isinstance(body, Mapping):
        raise DataError("is not a mapping", file=file, field=where)
    return body or {}


def _fields(body: object, kind: type, left_out: set[str], required: set[str], file: Path, where: str) -> dict:
    """`body` as a mapping whose keys are fields of `kind`."""
    body = dict(_mapping(body, file, where or "the file"))
    known = [name for name in kind.__dataclass_fields__ if name not in left_out]
    for key in body:
        if key not in known:
            raise DataError(str(unknown("key", key, known)), file=file, field=where or str(key))
    for key in sorted(required - body.keys()):
        raise DataError(f"{key} is missing", file=file, field=where or key)
    return body


def _benchmark(name: str, body: object, artifacts: list[str], file: Path) -> Benchmark:
    where = f"benchmarks.{name}"
    body = _fields(body, Benchmark, {"name"}, {"title"}, file, where)
    body["tables"] = _mapping(body.get("tables"), file, f"{where}.tables")
    body["average_in"] = _mapping(body.get("average_in"), file, f"{where}.average_in")
    if "categories" in body:
        body["categories"] = Categories(
            **_fields(body["categories"], Categories, set(), {"table", "over"}, file, f"{where}.categories")
        )
    named = [*body["average_in"], *([body["categories"].table] if "categories" in body else [])]
    for role in body["tables"].values():
        named += role.values() if isinstance(role, Mapping) else [role]
    for artifact in named:
        if artifact not in artifacts:
            raise DataError(str(unknown("artifact", artifact, artifacts)), file=file, field=where)
    for over in [body.get("average", "questions"), *body["average_in"].values()]:
        if over not in {"questions", *OVER} and " x " not in str(over):
            raise DataError(str(unknown("definition of an average", over, ["questions", *OVER])), file=file, field=where)
    for key in ("groups", "overlap"):
        body[key] = tuple(body.get(key) or ())
        for group in body[key]:
            if not isinstance(group, str):
                raise DataError(f"{group!r} is not text: quote it", file=file, field=f"{where}.{key}")
    for group in body["overlap"]:
        if group not in body["groups"]:
            raise DataError(str(unknown("group", group, body["groups"])), file=file, field=f"{where}.overlap")
    return Benchmark(name=name, **body)


def _sample(body: object, file: Path, where: str) -> Sample:
    body = _fields(body, Sample, set(), {"where"}, file, where)
    selected = _mapping(body["where"], file, where)
    return Sample({k: v if isinstance(v, list) else [v] for k, v in selected.items()}, body.get("n"))


def _sizes(file: Path) -> pd.DataFrame:
    columns = ["benchmark", "group_by", "group", "n"]
    if not file.is_file():
        return pd.DataFrame(columns=[*columns, "sample"]).astype({"n": int})
    frame = pd.read_csv(
        file,
        dtype={"benchmark": str, "group_by": str, "group": str, "sample": str},
        keep_default_na=False,
        na_values={"sample": [""]},
    )
    for column in columns:
        if column not in frame:
            raise DataError("column is missing", file=file, field=column)
    twice = frame.duplicated([c for c in frame if c != "n"])
    if twice.any():
        raise DataError("a group stands twice", file=file, line=int(twice.to_numpy().argmax()) + 2, field="group")
    return frame.reindex(columns=[*columns, "sample"])


def handed_in(paper: str, name: str) -> Callable | None:
    """The function `name` of `analysis.papers.<paper>`; None where the paper has no Python of its own, or no such function."""
    module = f"analysis.papers.{paper}"
    return getattr(import_module(module), name, None) if find_spec(module) else None
