"""Damaged cache files: what is wrong is listed, and taken out; nothing is deleted."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from analysis import paths, whole
from analysis.errors import DataError
from analysis.outputs import json_lines
from runners import cache
from runners.journal import locked


def check() -> Iterator[tuple[Path, int, list[DataError]]]:
    """Each file among the outputs, its good records, and what is wrong with it: its place, lines
    that are no record or whose checksum differs, records whose key is not that of their request.
    """
    for path in sorted(paths.outputs().glob("*/*.jsonl")):
        if problem := json_lines.misplaced(path):
            yield path, 0, [problem]
        else:
            good, bad = _sorted_out(path)
            yield path, len(good), [problem for _, problem in bad]


def _sorted_out(path: Path) -> tuple[list[bytes], list[tuple[bytes, DataError]]]:
    good, bad, offset, line = [], [], 0, 0
    for raw, offset, line in json_lines.lines(path):  # noqa: B007 (used after the loop)
        try:
            cache.verify(json_lines.record(raw))
            good.append(raw)
        except ValueError as error:
            bad.append((raw, DataError(str(error), file=path, line=line)))
    rest = path.read_bytes()[offset:]
    if rest.strip() and json_lines.parsed(rest) is None:
        reason = "is not finished: its writer died, or is at work"
        bad.append((rest + b"\n", DataError(reason, file=path, line=line + 1)))
    return good, bad


def repair() -> Iterator[tuple[Path, int, Path]]:
    """Take bad lines out of the cache files: each file that has any, how many, and where they are
    now. A file that is none of ours is left alone.
    """
    for path, _, problems in check():
        if not problems or json_lines.misplaced(path):
            continue
        with locked(path):
            good, bad = _sorted_out(path)
            content = b"".join(raw for raw, _ in bad)
            name = f"{path.stem}-{hashlib.sha256(content).hexdigest()[:12]}.jsonl"
            taken = paths.outputs() / ".quarantine" / path.parent.name / name
            whole.write(taken, content)  # on the disk before they leave the cache
            whole.write(path, b"".join(good))
        yield path, len(bad), taken
