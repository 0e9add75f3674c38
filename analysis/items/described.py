"""Items of a described benchmark: the one general reader."""

from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path

import pandas as pd

from analysis import schemas
from analysis.errors import DataError, refuse_unknown
from analysis.items import places
from analysis.items.checked_rows import Row, existing, fault, reject, rows
from analysis.items.descriptions import Description, Join, as_list
from analysis.items.finding import find
from analysis.items.keys import key_of
from analysis.items.options import options_of
from analysis.items.values import list_of, text_of, value_of, values_of


def read(
    benchmark: str | Path,
    folder: Path | str | None = None,
    *,
    problems: list | None = None,
    **chosen,
) -> pd.DataFrame:
    """Items of a benchmark, from its native files, checked: texts are there, the answer is the
    label of an option, no id occurs twice.

    Parameters
    ----------
    benchmark : str or path
        One of `names()`, or a path as for `describe`.
    folder : path, optional
        Its native files; by default where its description says.
    problems : list, optional
        Receives bad rows as `DataError`s, and the rest is read.
    **chosen
        What its description lets choose, such as ``split="dev"`` or ``subject=["anatomy"]``: a
        value or a list.

    Raises
    ------
    DataError
        For an unknown name or choice, absent files, and the first bad row unless `problems`
        collects them.

    Examples
    --------
    >>> read("cmmlu", split="dev")  # doctest: +SKIP
    """
    description = find(benchmark)
    home = Path(folder or description.home)
    names = schemas.columns("items")
    records, blocks = [], []  # a mapping a row, or a list of all, would be most of the memory
    lines = {}  # item_id -> its file and line
    reader = description.reader and import_module(description.reader)
    for row, partners in _rows(description, home, chosen, problems):
        if description.skip and row.find(description.skip):
            continue
        try:
            if partners:
                row.values.update(_partner(row, description.join, partners))
            if reader:
                row.values.update(reader.fields(row, description, home))
            for field, spec in description.fields.items():
                row.values[field] = value_of(row, spec, required=True)
            record = item(row, description)
            name = record["item_id"]
            if name in lines:
                raise row.error(f"{name!r} occurs already at {lines[name]}", "item_id")
        except DataError as error:
            reject(error, problems)
            continue
        lines[name] = f"{row.file}:{row.line}"
        records.append([description.name, *record.values()])
        if len(records) == 2**12:
            blocks.append(pd.DataFrame(records, columns=names))
            records = []
    blocks.append(pd.DataFrame(records, columns=names))
    return schemas.check(pd.concat(blocks, ignore_index=True), "items")


def item(row: Row, description: Description) -> dict:
    """The item of a row, checked."""
    turns = description.turns and list_of(row, values_of(row, description.turns), "turns")
    question = turns[0] if turns else _question(row, description)
    parts = options_of(row, description, question)
    answer, metadata = key_of(row, description, parts)
    metadata = _metadata(row, description.metadata) | metadata
    if turns:
        references = description.references and values_of(row, description.references)
        metadata = {"turns": turns, "references": references} | metadata
    category = description.category and value_of(row, description.category)
    fields = {
        "item_id": str(value_of(row, description.id, required=True)),
        "language": str(value_of(row, description.language, required=True)),
        "subject": str(value_of(row, description.subject, required=True)),
        "category": category and str(category),
        "question": parts.question,
        "options": parts.options,
        "answer": answer,
        "metadata": metadata,
    }
    _check(row, fields)
    return fields


def _rows(
    description: Description, home: Path, chosen: dict, problems: list | None
) -> Iterator[tuple[Row, dict[str, Row]]]:
    """Rows, each with those of the joined file."""
    for file, values in list(_files(description, home, chosen)):
        partners = _partners(description, home, values)
        for row in rows(file, description, problems):
            row.values.update(values)
            yield row, partners


def _files(description: Description, home: Path, chosen: dict) -> Iterator[tuple[Path, dict]]:
    """Each file with what its name says of all its rows."""
    parts = {name: [*description.choose, *places.names(name)] for name in description.files}
    names = set().union(*parts.values())
    refuse_unknown(f"choice of {description.name}", names, *chosen)
    for pattern in parts:
        choices = [_choices(description, part, chosen) for part in dict.fromkeys(parts[pattern])]
        for values in map(dict, product(*filter(None, choices))):
            name = description.named(pattern, values)
            several = "{" in name or "*" in name
            fitting = list(places.paths(home, name)) if several else []
            for file, others in fitting or [(existing(home / name, description.source), {})]:
                yield file, values | others


def _choices(description: Description, part: str, chosen: dict) -> list[tuple[str, str]]:
    """The part of the files' names with each wanted value; nothing where all that are there are
    read.
    """
    names = description.parts.get(part, {})
    one = part in description.choose and part not in description.together
    wanted = as_list(chosen.get(part, list(names)[: 1 if one else None]))
    if names:
        refuse_unknown(f"{part} of {description.name}", names, *wanted)
    return [(part, value) for value in wanted]


def _partners(description: Description, home: Path, values: dict) -> dict[str, Row]:
    """Rows of the joined file, by key."""
    partners = {}
    if description.join is None:
        return partners
    key = description.join.key
    file = home / description.named(description.join.path, values)
    for row in rows(existing(file, description.source)):
        if partners.setdefault(str(row.find(key)), row) is not row:
            raise row.error(f"{row.find(key)!r} occurs twice", key)
    return partners


def _partner(row: Row, join: Join, partners: dict[str, Row]) -> dict:
    """Fields of the row's partner; what both say must be the same."""
    partner = partners.get(str(row.find(join.by)))
    if partner is None:
        raise row.error(f"{join.path} has none for {row.find(join.by)}", join.by)
    fields = {name: x for name, x in partner.values.items() if not name.startswith("_")}
    for name in fields.keys() & row.values.keys():
        if fields[name] != row.values[name]:
            raise row.error(f"is {row.values[name]!r}, and {fields[name]!r} in {join.path}", name)
    return fields


def _question(row: Row, description: Description) -> str:
    """The question's text; of several places (a passage, the question) what is there, a line
    each.
    """
    *before, last = description.question
    texts = [str(part) for spec in before for part in as_list(value_of(row, spec)) if part]
    return "\n".join([*texts, text_of(row, last)])


def _metadata(row: Row, specs: dict | str) -> dict:
    if not isinstance(specs, str):
        return {name: values_of(row, spec) for name, spec in specs.items()}
    metadata = row.find(specs) or {}
    if not isinstance(metadata, dict):
        raise row.error("is not a mapping", specs)
    return metadata


def _check(row: Row, record: dict) -> None:
    options = record["options"]
    if len(options) == 1:
        raise row.error("is not a list of two or more (or no) options", "options")
    for label, option in zip(schemas.labels(len(options)), options, strict=True):
        if reason := fault(option):
            raise row.error(f"option {label} {reason}", "options")
    for number, turn in enumerate(record["metadata"].get("turns") or [], start=1):
        if reason := fault(turn):
            raise row.error(f"turn {number} {reason}", "turns")
