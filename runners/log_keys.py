"""Keys of logs that are in other files than the responses."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from analysis.answers import comparison
from analysis.answers.marking import type_of
from analysis.errors import DataError
from analysis.items import derived, finding
from runners import importers
from runners.importers import attempts, recognition, table
from runners.importers.base import files, names_of

_MOST = 0.9  # share of the questions that a file of keys must have


def with_keys(family: attempts.Family, others: list[attempts.Family]) -> attempts.Family:
    """A family as it is or, where it has no keys, with those of files that have no responses: by
    the questions' words or, where the logs have none, by ids that are not numbers of rows of
    another file.
    """
    plain = family.log
    guessed = plain.guessed
    complete = any(record["given"] for record in family.records)
    if plain.items:
        complete = guessed.get("answer") != "(none)"
    if complete or {"correct", "benchmark"} & (guessed | plain.columns).keys():
        return family
    there = {path for one in [family, *others] for source in one.sources for path in files(source)}
    keyed: dict[Path, dict] = {}
    for file in sorted(there - {record["file"] for record in family.records}):
        with suppress(DataError):
            items = table.keys(file, plain) or plain.stored(finding.known(file))
            keyed[file] = {name: item for name, item in items.items() if _has_key(item)}
    worded = plain.items and guessed.get("question") != "(none)"
    return (_by_words if worded else _by_ids)(family, keyed)


def _has_key(item: NamedTuple) -> bool:
    """Whether an item has a key."""
    return isinstance(item.answer, str) or bool({"answers", "reference"} & {*item.metadata})


def _by_ids(family: attempts.Family, keyed: dict[Path, dict]) -> attempts.Family:
    """A family with the items of all key files together, if no two have an id in common."""
    asked = {record["item_id"] for record in family.records}
    alone = [file for file, items in keyed.items() if _covers(items, asked)]
    if alone:
        keyed = {file: keyed[file] for file in alone[:1]}
    have = {item_id: item for items in keyed.values() for item_id, item in items.items()}
    if len(have) < sum(map(len, keyed.values())) or not _covers(have, asked):
        return family
    log = family.log
    texts = {comparison.plain(x) for x in _texts(have.values())}
    responses = [comparison.plain(record["response"] or "") for record in family.records]
    free = sum(one in texts for one in responses) < recognition.SURE * len(responses)
    for record in family.records:
        if item := have.get(record["item_id"]):
            fields = {name: getattr(item, name) for name in derived.FIELDS}
            fields["item_id"] = record["item_id"]
            if free and type_of(item.metadata) == "text":
                fields["metadata"] = {"reference": item.metadata["answers"]}
            log.items[record["benchmark"], record["item_id"]] = fields
    log.guessed["answer"] = f"(in {names_of([*keyed])})"
    return family


def _texts(items: Iterable) -> Iterator[str]:
    """Keys of items that are texts."""
    for item in items:
        if type_of(item.metadata) == "text":
            yield from map(str, item.metadata["answers"])


def _covers(items: dict, asked: set[str]) -> bool:
    """Whether items have most ids that were asked, which are no numbers of rows, or all of them."""
    most = len(asked & items.keys()) > _MOST * len(asked)
    return (most and not all(map(str.isdecimal, asked))) or asked == items.keys()


def _by_words(family: attempts.Family, keyed: dict[Path, dict]) -> attempts.Family:
    """A family read again as answers to the benchmark that a key file is, if that has most of its
    questions.
    """
    plain = family.log
    asked = {item["question"] for item in plain.items.values()}
    for file, items in keyed.items():
        have = {item.question for item in items.values()}
        if len(asked & have) > _MOST * len(asked):
            columns = {"benchmark": f"={finding.known(file)}", "item_id": recognition.DIGEST}
            log = plain.varied(columns)
            joined = [*importers.records(family.form, family.sources, log)]
            log.guessed["answer"] = f"(in {file})"
            log.problems = [one for one in log.problems if one.file != file]
            return family._replace(records=joined, log=log)
    return family
