"""A benchmark is a description next to its files: `benchmark.yaml`. It says where questions,
options and keys are (docs/add_your_own.md); `finding` looks for it.
"""

import math
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    StrictInt,
    StrictStr,
    model_validator,
)

from analysis import paths, written
from analysis.errors import DataError, refuse_unknown
from analysis.items.file_formats import YAML, Layout
from analysis.written import Written

FILE = "benchmark.yaml"
PROJECT = paths.DATA / "items"


def _spec(value: object) -> object:
    return {"place": value} if isinstance(value, (str, int)) else value


def _shorthand(value: object) -> object:
    """Options that are only columns, or only a place, as `Options` has them."""
    return {"columns": value} if isinstance(value, list) else _spec(value)


def _groups(value: object) -> object:
    """Groups with their members, or those of another of the project's benchmarks."""
    if not isinstance(value, str):
        return value
    try:
        return written.load(PROJECT / f"{value}.yaml")["category"]["groups"]
    except (KeyError, TypeError):
        raise ValueError(f"{value} groups no subjects") from None


def _members(groups: dict[str, str | list[str]]) -> dict[str, str]:
    """Member -> group."""
    members = {}
    for group, names in groups.items():
        words = names.split() if isinstance(names, str) else names
        members |= dict.fromkeys(words, group)
    return members


def _constant(value: object) -> object:
    """A language may be its own code, unlike other fields."""
    named = isinstance(value, str) and not value.startswith("=") and "{" not in value
    return f"={value}" if named else value


def as_list(value: object) -> object:
    """One value as a list of one."""
    return value if isinstance(value, list) else [value]


def _choices(value: object) -> object:
    """Choices with what is in the files' names; where that is the same, a list of them."""
    return {str(one): str(one) for one in value} if isinstance(value, list) else value


_Text = Annotated[StrictStr, Field(pattern=r"^[^\x00]+$")]  # no file's name has a NUL


_Groups = Annotated[
    dict[str, StrictStr | list[_Text]], BeforeValidator(_groups), AfterValidator(_members)
]


class Spec(Written):
    """A place (`places`) and how its value is to be read; a place alone may be written without
    `place:`.

    Attributes
    ----------
    mapping : dict, optional
        `map`: values with what they mean.
    groups : dict or str, optional
        Groups with their members, as lists or as words with spaces; or the benchmark whose groups
        they are.
    otherwise
        For a value that is absent, or neither in `map` nor in `groups`; "=" keeps it.
    kind
        `as`, of a key: what it says of the right option.
    listed : bool
        `list`: a list, also one written as text.
    number : bool
        A number, plus `plus`.
    plain : bool
        One form of digits, Persian letters and spaces (`values.plain`).
    """

    place: StrictInt | StrictStr
    mapping: dict | None = Field(None, alias="map")
    groups: _Groups | None = None
    otherwise: Any = None
    listed: bool = Field(False, alias="list")
    lower: bool = False
    plain: bool = False
    number: bool = False
    least: float = -math.inf
    plus: int = 0
    required: bool = False
    kind: Literal["label", "number", "index", "text", "value"] = Field("label", alias="as")

    @property
    def has_otherwise(self) -> bool:
        """Whether an absent value is no error."""
        return "otherwise" in self.model_fields_set

    @cached_property
    def meanings(self) -> dict[str, Any] | None:
        """Value in small letters -> meaning, by `map` or `groups`; None where there is neither."""
        names = self.groups or self.mapping
        return names and {str(name).casefold(): meaning for name, meaning in names.items()}


Where = Annotated[Spec, BeforeValidator(_spec)]
_Places = Where | list[Where]


class Options(Written):
    """Where a row's options are: columns, one place, or inside the question.

    Attributes
    ----------
    labelled : bool
        Each option begins with a label of its own.
    empty : "skip", optional
        Leave out empty options.
    inside : bool or pattern
        In the question's text, by labels in order, or by a pattern with the groups `question`,
        `A`, `B`, ...
    labels : str or list
        The options' labels alone, where their texts are part of the question.
    """

    columns: Annotated[list[Where], Field(min_length=2)] | None = None
    place: Where = Spec(place="options")
    separator: _Text | None = None
    labelled: bool = False
    empty: Literal["skip"] | None = None
    inside: re.Pattern | Literal[True] | None = None
    labels: Annotated[list[_Text] | _Text, Field(min_length=2)] | None = None


class Join(Written):
    """Another file whose rows belong to these: `key` there is `by` here; its fields join the row's,
    and one that is in both must say the same.
    """

    path: _Text
    by: _Text
    key: _Text


_Choices = Annotated[Options, BeforeValidator(_shorthand)]


class Description(Layout):
    """What a benchmark says about itself; docs/add_your_own.md has each field.

    Attributes
    ----------
    files : list of str
        Paths, or patterns such as ``{split}/{subject}.csv``.
    choose : dict of str to dict
        Part of the files' names -> choices -> what the name has for it; one at a time is read, the
        first by default.
    together : list of str
        Parts of `choose` of which all choices are read unless one is asked for: languages whose
        ids differ.
    fields : dict of str to Spec
        Further fields of a row, each of those before it.
    extraction : str, list of str, or dict
        Methods that read the responses, by their names, or with their options (``{da: {exclude:
        [Answer]}}``); all that apply where empty.
    prompt : str, optional
        A template of `data/prompts/`, or a text with ``{question}`` and ``{options}``.
    reader : str, optional
        A module of this package for native files that need code: its function
        `fields(row, description, home)` gives further fields of a row.
    """

    name: _Text
    title: _Text | None = None
    source: _Text = "its owner"
    folder: _Text | None = None
    files: Annotated[list[_Text], BeforeValidator(as_list), Field(min_length=1)]
    join: Join | None = None
    choose: dict[
        StrictStr, Annotated[dict[str, str], Field(min_length=1), BeforeValidator(_choices)]
    ] = {}
    together: list[StrictStr] = []
    fields: dict[str, Where] = {}
    language: Annotated[Where, BeforeValidator(_constant)] = Spec(place="=und")
    id: Where = Spec(place="_row")
    question: Annotated[list[Where], Field(min_length=1), BeforeValidator(as_list)] = [
        Spec(place="question")
    ]
    options: _Choices | None = None
    answer: Where | None = None
    subject: Where = Spec(place="=all")
    category: Where | None = None
    metadata: dict[str, _Places] | _Text = {}
    turns: _Places | None = None
    references: _Places | None = None
    skip: _Text | None = None
    answer_type: Literal["choice", "set", "number", "text", "none", "score"] = "choice"
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    extraction: _Text | list[_Text] | dict[str, dict | None] = []
    prompt: _Text | None = None
    judge: dict[Literal["low", "high"], float] = {}
    reader: Annotated[StrictStr, Field(pattern=r"^analysis\.(items|papers\.\w+)\.\w+$")] | None = (
        None
    )
    _file: Path = PrivateAttr()

    @model_validator(mode="after")
    def _readable(self) -> "Description":
        refuse_unknown("part of choose", self.choose, *self.together)
        return self

    @cached_property
    def parts(self) -> dict[str, dict[str, str]]:
        """Part of the files' names -> its values, each with what the names have for it: choices,
        and what the categories group.
        """
        if self.category is None or not self.category.groups:
            return self.choose
        members = {name: name for name in sorted(self.category.groups)}
        return {**self.choose, self.category.place: members}

    def named(self, pattern: str, values: dict[str, str]) -> str:
        """A pattern of files' names with some of its parts."""
        for part, value in values.items():
            name = self.parts.get(part, {}).get(value, value)
            pattern = pattern.replace(f"{{{part}}}", name)
        return pattern

    @property
    def file(self) -> Path | None:
        """The file of the description; None where it was inferred."""
        return self._file if self._file.suffix in YAML else None

    @property
    def home(self) -> Path:
        """Folder of the native files, unless the caller names another."""
        if self._file.parent == PROJECT:
            return paths.benchmarks() / (self.folder or self.name)
        return self._file.parent / (self.folder or "")


def described(values: object, file: Path) -> Description:
    """The description that `values` give; relative files are looked for next to `file`, those of
    the project's own descriptions in `paths.benchmarks()`.
    """
    if not isinstance(values, Mapping):
        raise DataError("is not a description: fields with values", file=file)
    name = values.get("name") or (file.parent.name if file.name == FILE else file.stem)
    source = file if file.suffix in YAML else None
    description = written.check({**values, "name": str(name)}, Description, source)
    description._file = file
    return description
