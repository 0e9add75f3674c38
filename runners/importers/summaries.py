"""What a log says itself of its accuracy, next to its rows or in a file next to them."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from analysis.errors import DataError
from analysis.items.file_formats import decode, text
from analysis.items.values import as_number

_ACCURACY = re.compile(
    r"(?i)(?:(?:overall|total|average|avg|mean|final|micro)[ _]?)?(?:acc|accuracy|score|em"
    r"|exact[ _]match|correct_rate|percentage_correct)"
    r"(?:[ _](?:percent|percentage|pct|rate|overall))?"
)
_RIGHT = "correct num_correct correct_count n_correct total_correct".split()
_ALL = "total num_total total_count n_total total_questions num_questions n".split()
_MOST = 3  # numbers of one level that may be of all rows; more are of groups
_RUNNING = re.compile(r"(?im)^\W*accuracy\s*[:=]\s*([\d.]+)")
_SUMMARY = re.compile(r"(?i)[\W_]*(?:summary|results?|metrics?|scores?|stats|accuracy)[\W_]*")


def accuracies(value: object) -> list[float]:
    """Percentages that the outermost level of objects with any says; nothing where it says many."""
    level = [value]
    while level := [one for one in level if isinstance(one, Mapping)]:
        if shares := [share for one in level for share in _shares(one)]:
            return shares if len(shares) <= _MOST else []
        level = [part for one in level for part in one.values()]
    return []


def _shares(fields: Mapping) -> list[float]:
    """What one object says: accuracies by their names, or counts of right answers and of all."""
    numbers = {
        str(name): as_number(str(x).rstrip("%"))
        for name, x in fields.items()
        if isinstance(x, (str, int, float)) and not isinstance(x, bool)
    }
    shares = [x for name, x in numbers.items() if _ACCURACY.fullmatch(name) and 0 <= x <= 100]
    right, of = (next((numbers[x] for x in names if x in numbers), -1) for names in (_RIGHT, _ALL))
    if 0 <= right <= of > 0:
        shares.append(right / of)
    return [100 * share if share <= 1 else share for share in shares]


def _has_rows(document: object) -> bool:
    """Whether a document has rows."""
    parts = [document, *document.values()] if isinstance(document, Mapping) else [document]
    return any(isinstance(part, list) and len(part) > _MOST for part in parts)


def of_run(file: Path, model: str, alone: bool) -> dict[str, list[float]]:
    """File -> the accuracies that it says of a run: the log itself, and JSON documents next to it
    that are named as it is, or have the model's name, or are the only ones of the only run.
    """
    by_file: dict[str, list[float]] = {}
    if file.suffix in (".txt", ".log"):
        lines = _RUNNING.findall(text(file))
        return {file.name: accuracies({"accuracy": lines[-1]})} if lines else {}
    results = Path(file.as_posix().replace("/predictions/", "/results/"))  # of OpenCompass
    for path in sorted({file, *file.parent.glob("*.json"), *results.parent.glob(results.name)}):
        if ".json" not in path.suffixes:
            continue
        with suppress(DataError):
            document = decode(text(path), path)
            if path != file and _has_rows(document):
                continue
            stem = _SUMMARY.sub("", path.stem)
            mine = path == file or stem == _SUMMARY.sub("", file.stem) or (alone and not stem)
            part = document if mine else isinstance(document, Mapping) and document.get(model)
            if shares := accuracies(part):
                by_file[path.name] = shares
    return by_file
