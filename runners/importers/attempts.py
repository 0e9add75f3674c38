"""Ways to tell the runs and questions of logs apart, tried until few outputs collide; where none
does, the command to be corrected.
"""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from analysis.answers.final_answer import wording
from analysis.errors import DataError
from analysis.items.places import about
from runners import importers
from runners.importers import table
from runners.importers.base import Log, files

_ROWS = r"^Q(?:uestion)?:? *(?P<question>.*?)^A(?:nswer)?:? *(?P<response>.*?)(?=^#|^Q|\Z)"
_COLLIDE = (
    "{} outputs have the item, model and setting of another one: {}, ... Tell them apart with "
    "--item-id '{{subject}}/{{index}}', --map model={{_stem}} or --map setting={{_stem}}; or say "
    "--samples, if one question was asked several times"
)


def gathered(form: str, sources: list[Path], log: Log, command: str) -> tuple[list[dict], Log]:
    """The records of logs, and how they were read.

    Parameters
    ----------
    command : str
        As the user gave it.

    Raises
    ------
    DataError
        Where nothing can be read, or outputs collide; it ends with the command to be corrected.
    """
    collisions = []
    try:
        for attempt in _attempts(form, sources, log):
            records = []
            for record in importers.records(form, sources, attempt):
                records.append(record)
                # given up where most collide
                if attempt.rows % 200 == 0 and len(attempt.collisions) > attempt.rows / 5:
                    break
            # else a log cannot be meant so
            if len(attempt.collisions) <= 0.05 * attempt.rows:
                if len(records) < 0.1 * len(attempt.problems):
                    raise attempt.problems[0]
                return records, attempt
            collisions = collisions or attempt.collisions
        raise DataError(_COLLIDE.format(len(collisions), collisions[0].reason))
    except DataError as error:
        reason = f"{error.reason}{_correction(error, command, sources, log)}"
        raise DataError(reason, file=error.file, line=error.line, field=error.field) from None


def _attempts(form: str, sources: list[Path], log: Log) -> Iterator[Log]:
    """The caller's log with more and more that tells runs and questions apart."""
    paths = {path.resolve() for source in sources for path in files(source)}
    # files of one name in several folders: a folder is a model, a file a subject
    by_folder = len({path.stem for path in paths}) < len({path.with_suffix("") for path in paths})
    common = os.path.commonpath({path.parent for path in paths})
    run = f"{{_path:^{re.escape(common)}/(.+)/}}" if by_folder else "_stem"
    spoken = _named_by_languages(paths) if form == "table" else None
    if spoken:
        run = {"_stem": "_folder", "_folder": "_stem"}[spoken]
        log = log.varied({"language": spoken})
    # only a look has other names at hand; a harness's outputs that are kept must name their model
    if form == "table" or log.otherwise:
        log.otherwise.setdefault("model", run)
    first = log.varied({})
    yield first
    known = first.guessed | first.columns
    place = known.get("item_id", "_row")
    if spoken:
        yield log.varied({"item_id": f"{{{spoken}}}/{{{place}}}"})
    if "subject" in known:
        yield log.varied({"item_id": f"{{{known['subject']}}}/{{{place}}}"})
    crossed = form == "table" and table.crossed(first)
    by_run = [{"setting": place} for place in (crossed, "_folder", "_stem") if place]
    yield from map(log.varied, by_run)
    if form == "table" and first.items and first.guessed.get("question") != "(none)":
        yield from (log.varied({"item_id": table.DIGEST} | part) for part in ({}, *by_run))
        again = log.varied({})
        again.samples, again.guessed["sample"] = True, "(each time it was asked)"
        yield again
    yield log.varied({"item_id": "_row"})  # runs of one order: their keys agree row by row
    yield log.varied({"item_id": f"{{_stem}}/{{{place}}}"})


def _named_by_languages(paths: set[Path]) -> str | None:
    """The field that has the names of folders, or files, most of which are codes of languages."""
    codes = wording.content()["languages"]
    for field in ("_folder", "_stem"):
        names = {about(path)[field] for path in paths}
        known = [name for name in names if re.split("[_-]", name.lower())[0] in codes]
        if 1 < len(names) < 2 * len(known):
            return field
    return None


def _correction(error: DataError, command: str, sources: list[Path], log: Log) -> str:
    """A line with the complete command and the best guess of what is where, or that there is no
    column of responses.
    """
    columns, words = log.columns, ["polyexam", *command.split(), *map(str, sources)]
    if "plain text" in error.reason:
        return f"\n{shlex.join([*words, '--records', _ROWS])}"
    with suppress(DataError):
        largest = max(table.files_of(sources[0], log), key=os.path.getsize)
        columns = table.guesses(largest, log) | columns
    if error.field == "model":
        columns = log.columns | {"model": "{_stem}"}
    elif "response" not in columns:
        if "response" not in error.reason:
            return ""
        return "\nthere is no column of responses; a benchmark's questions alone are no log"
    for name, place in columns.items():
        words += ["--map", f"{name}={place}"]
    return f"\n{shlex.join(words)}"
