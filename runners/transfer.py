"""Outputs in and out: merged from several machines, taken from logs, exported for others."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from analysis.errors import DataError
from analysis.outputs import copies
from analysis.outputs import json_lines as reading
from runners import cache
from runners.journal import Journal

_PART = 4 << 20  # bytes of lines that are appended at once
_SAID = ("response", "scores", "given")  # what two answers to one request may differ in


def merge(sources: Iterable[str]) -> dict[Path, int]:
    """Union of other cache folders with this one: records whose key has no answer here are
    appended.

    Each new record is checked: its line's checksum, its fields, and that its key is that of its
    request.

    Returns
    -------
    dict
        Cache file -> number of records added.
    """
    writer = _Writer()
    for source in sources:
        files = sorted(Path(source).glob("*/*.jsonl"))
        if not files:
            raise DataError("has no cache: looked for <benchmark>/<model>.jsonl", file=source)
        for file in files:
            _merge(file, writer)
    return writer.end()


def _merge(file: Path, writer: "_Writer") -> None:
    """Take from another cache's file the records that say something new."""
    for raw, _, number in reading.lines(file):
        try:
            record = reading.record(raw)
            journal = writer.journal(record)
            if not journal.settled(record):
                cache.verify(record)
                # lines of older versions have no checksum
                line = raw if b',"sum":"' in raw[-20:] else cache.encode(record)
                writer.add(journal, record, line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"is not a record of the cache: {error}; polyexam repair takes it out"
            raise DataError(reason, file=file, line=number) from None


def take(new: list[dict]) -> tuple[dict[Path, int], int]:
    """Append all records, or none where one cannot be read or kept.

    Returns
    -------
    tuple
        Cache file -> number of records added; how many contradict an answer in the cache, and were
        left out.
    """
    writer, differs, lines = _Writer(), 0, []
    for record in new:
        try:
            record = {name: x for name, x in record.items() if name not in ("file", "scored")}
            lines.append(cache.encode(record))
        except DataError as error:
            raise DataError(f"output {record['item_id']!r} cannot be kept: {error}") from None
    for record, line in zip(new, lines, strict=True):
        journal = writer.journal(record)
        if not journal.settled(record):
            writer.add(journal, record, line)
        elif not record["error"]:
            there = journal.answer(record["key"])
            differs += any(there.get(name) != record.get(name) for name in _SAID)
    return writer.end(), differs


class _Writer:
    """The journals that records go to, each opened once; what was added waits until it is worth an
    append.
    """

    def __init__(self):
        self.size = 0
        self.journals: dict[tuple[str, str], Journal] = {}
        self.waiting: dict[Journal, list] = defaultdict(list)
        self.added: dict[Path, int] = {}

    def journal(self, record: dict) -> Journal:
        """The journal of the record's benchmark and model."""
        name = record["benchmark"], record["model"]
        if name not in self.journals:
            self.journals[name] = Journal(cache.file(*name))
            self.added[self.journals[name].path] = 0
        return self.journals[name]

    def add(self, journal: Journal, record: dict, line: bytes) -> None:
        """Take a record that is not settled; of it only the line stays in memory."""
        head = {"key": record["key"], "error": record["error"]}
        self.waiting[journal].append((head, line))
        self.size += len(line)
        if self.size >= _PART:
            self.end()

    def end(self) -> dict[Path, int]:
        """Append what waits; how many records were added to each cache file so far."""
        for journal, part in self.waiting.items():
            self.added[journal.path] += len(journal.write(part))
        self.waiting.clear()
        self.size = 0
        return self.added


def export(benchmark: str, models: list[str] | None, target: Path) -> int:
    """Write the outputs as one file, each request once; the number of rows.

    Mappings are JSON, lone surrogates escapes. CSV is for spreadsheets: an apostrophe is before
    cells that they would take for formulas.
    """
    from analysis.explore.export import save  # which loads what draws leaderboards

    frame = cache.read(benchmark, models)
    for name in copies.MAPPINGS:
        frame[name] = frame[name].map(json.dumps, na_action="ignore")
    for name in ("response", "reasoning"):
        frame[name] = frame[name].map(cache.utf8, na_action="ignore")
    save(frame, target)
    return len(frame)
