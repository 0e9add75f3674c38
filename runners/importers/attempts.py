"""Ways to tell the runs and questions of logs apart, tried until few outputs collide; where none
does, the command to be corrected.
"""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, takewhile
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analysis.answers import RUN
from analysis.answers.final_answer import wording
from analysis.errors import DataError
from analysis.items.file_formats import TABLE, text
from analysis.items.places import about
from runners import importers
from runners.importers import declared, recognition, table
from runners.importers.base import Log, files, names_of, part, unnumbered

_ROWS = r"^Q(?:uestion)?:? *(?P<question>.*?)^A(?:nswer)?:? *(?P<response>.*?)(?=^#|^Q|\Z)"
_ALL = r"\A(?P<response>.*)\Z"  # where a file is a response
_SAMPLE = re.compile(
    r"(?i)(?<![^\W_])(?:samples?|trial|seed|attempt|rep(?:eat|etition)?|iter(?:ation)?|epoch"
    r"|rollout|run|try|k)(?:_?(?:id|no|num|number|idx|index|n))?$"
)
_BEGIN = 10_000  # characters of a text by which a command is guessed
_PLAIN = "plain text"
_FEWEST = 3  # questions of a log, where others have more
_FIRST = 50  # outputs of each file
_GUESSES = 5  # columns that are tried as responses
_EACH_TIME = "(each time it was asked)"
_ANSWERED = {"response", "choice", "correct"}
_COLLIDE = (
    "{} outputs have the item, model and setting of another one: {}, ... Tell them apart with "
    "--item-id '{{subject}}/{{index}}', --map model={{_stem}} or --map setting={{_stem}}; or say "
    "--samples, if one question was asked several times"
)


class Family(NamedTuple):
    """Files that were read together.

    Attributes
    ----------
    form : str
        Their format.
    sources : list of Path
    records : list of dict
        Empty where they could not be understood.
    log : Log
        How they were read.
    error : DataError, optional
        Why they could not.
    """

    form: str
    sources: list[Path]
    records: list[dict]
    log: Log
    error: DataError | None = None


def understood(
    sources: list[Path], log: Log, command: str, form: str | None = None
) -> list[Family]:
    """Each family of files (see `importers.families`), those that were not understood last: tables
    of scores are none next to logs with responses.

    Parameters
    ----------
    command : str
        As the user gave it.
    form : str, optional
        One format for all.

    Raises
    ------
    DataError
        Where nothing can be read, or outputs collide; it ends with the command to be corrected.
    """
    good, bad = [], []
    families, left = importers.families(sources, log)
    for name, paths in [(form, sources)] if form else families:
        apart = log.varied({})
        try:
            good.append(Family(name, paths, *gathered(name, paths, apart)))
        except DataError as error:
            bad.append(Family(name, paths, [], apart, error))
    if not good and not log.texts:  # plain text next to keys may be the log
        texts = log.varied({})
        texts.texts = True
        return understood(sources, texts, command, form)
    if not good:
        bad.sort(key=_unlikely)
        raise _not_understood(bad, command, sources)
    reasons = [_no_log(one) for one in good]
    kept = [one for one, reason in zip(good, reasons, strict=True) if not reason] or good
    for one, reason in zip(good, reasons, strict=True):
        if one not in kept:
            bad.append(one._replace(records=[], error=DataError(f"{reason}, as others have")))
    if not form:
        for reason in dict.fromkeys(left.values()):
            paths = [path for path in left if left[path] == reason]
            bad.append(Family("table", paths, [], log, DataError(reason)))
    return [*kept, *bad]


def _no_log(family: Family) -> str | None:
    """Why tables are none of responses, next to others that are."""
    log = family.log
    if family.form != "table":
        return None
    if not _ANSWERED & {*log.guessed, *log.columns}:
        return "has scores, and no column that is plainly the response"
    if len({record["item_id"] for record in family.records}) < _FEWEST:
        return f"does not have {_FEWEST} questions"
    wordless = log.guessed.get("question") == "(none)" and "runs" in log.guessed
    if wordless and not (_ANSWERED | {"item_id", "score"}) & log.guessed.keys():
        return "has neither questions nor ids"  # such as a summary of settings
    rows = next(iter(log.read.get(family.records[0]["file"], ())), ())
    talks = ".?" in str(log.guessed.get("response"))
    if talks and len(recognition.columns_of(*rows[:1])) == 1:  # such as a model was trained on
        return "has nothing next to its conversations"
    return None


def _unlikely(family: Family) -> tuple[bool, bool]:
    """Whether files are plain text, as a README, and whether no name has a model, as those of keys:
    for sorting.
    """
    named = any(recognition.MODEL.search(path.name) for path in family.sources)
    return _PLAIN in family.error.reason, not named


def gathered(form: str, sources: list[Path], log: Log) -> tuple[list[dict], Log]:
    """The records of a family, and how they were read.

    Raises
    ------
    DataError
        Where nothing can be read, or outputs collide.
    """
    collisions = []
    for attempt in _attempts(form, sources, log):
        if collisions and _hopeless(form, sources, attempt):
            continue
        try:
            records = _records(form, sources, attempt)
        except DataError:
            if collisions:  # the first attempt read something
                continue
            raise
        # else a log cannot be meant so
        if len(attempt.collisions) <= 0.05 * attempt.rows:
            again = attempt.guessed.get("sample") == _EACH_TIME and _uneven(_asked(records), RUN)
            if attempt.items and (attempt.collisions or again):
                records, attempt = _repeated(form, sources, attempt, not again)
            if len(records) < 0.1 * len(attempt.problems):
                raise attempt.problems[0]
            return records, attempt
        collisions = collisions or attempt.collisions
    raise DataError(_COLLIDE.format(len(collisions), collisions[0].reason))


def _repeated(form: str, sources: list[Path], log: Log, samples: bool) -> tuple[list[dict], Log]:
    """Records where a question that is asked again counts again; where only some runs have it
    again, its answers are averaged, if it has one key.
    """
    again = log.varied({})
    again.repeats, again.samples = 0, log.samples and samples
    records = _records(form, sources, again)
    asked = _asked(records)
    if _uneven(asked.assign(item_id=unnumbered(asked["item_id"])), ["item_id"]):
        averaged = _sampled(log, _EACH_TIME)
        means = _records(form, sources, averaged)
        if not averaged.collisions:
            return means, averaged
    return records, again


def _asked(records: list[dict]) -> pd.DataFrame:
    """Run and question of each output."""
    return pd.DataFrame(records, columns=[*RUN, "item_id"]).fillna("")


def _uneven(asked: pd.DataFrame, by: list[str]) -> bool:
    """Whether questions were asked unevenly often: those of a run, or one of several runs."""
    return bool(asked.value_counts().groupby(by).nunique().max() > 1)


def _hopeless(form: str, sources: list[Path], attempt: Log) -> bool:
    """Whether many of the first outputs of each file collide, as all of them will."""
    first = attempt.varied({})
    first.samples, first.most = attempt.samples, _FIRST
    with suppress(DataError):
        _records(form, sources, first)
    return len(first.collisions) > 0.1 * first.rows


def _records(form: str, sources: list[Path], attempt: Log) -> list[dict]:
    """The records of one attempt, given up where most collide."""
    records = []
    for record in importers.records(form, sources, attempt):
        records.append(record)
        if attempt.rows % 200 == 0 and len(attempt.collisions) > 0.1 * attempt.rows:
            break
    return records


def _attempts(form: str, sources: list[Path], log: Log) -> Iterator[Log]:
    """The caller's log with more and more that tells runs and questions apart."""
    paths = {path for source in sources for path in files(source)}
    # files of one name in several folders: a folder is a model, a file a subject
    names = {path: path.stem.removeprefix(path.parent.name) or path.stem for path in paths}
    by_folder = len({*names.values()}) < len({path.with_suffix("") for path in paths})
    common = os.path.commonpath(folders := {path.resolve().parent for path in paths})
    few = form == "table" and table.few(paths, log)
    inside = f"{{_path:^{re.escape(common)}/(.+)/}}"
    run = inside if by_folder or (few and len(folders) > 1) else "_folder" if few else "_stem"
    if by_folder and not few:
        models = {name for name in names.values() if recognition.MODEL.search(name)}
        # 3-shot/gpt-4.csv
        if len(models) > 1 and not any(
            recognition.MODEL.search(path.parent.name) for path in paths
        ):
            run = "_stem"
    spoken = _named_by_languages(paths) if form == "table" else None
    if spoken:
        run = "_folder" if "_stem" in spoken else "_stem"
        log = log.varied({"language": spoken})
    elif by_folder and form == "table" and _of_benchmarks(paths, log):
        run, log = "_stem", log.varied({"benchmark": "_folder"})
    # only a look has other names at hand; a harness's outputs that are kept must name their model
    if form == "table" or log.otherwise:
        log.otherwise.setdefault("model", run)
    first = log.varied({})
    yield first
    columns = first.guessed | first.columns
    named = [columns.get("item_id", "_row")]
    if form != "table":
        named = [one.place for one in declared.harness(form).forms[0].record["item_id"]]
    place = named[0]
    wordless = first.guessed.get("question") == "(none)"
    if spoken:
        yield log.varied({"item_id": f"{part(spoken)}/{part(place)}"})
    if columns.get("item_id") == TABLE:
        yield _sampled(log, "(each attempt in its list)")
    worded = form == "table" and "item_id" not in columns and not wordless
    for group in [] if worded else filter(columns.get, ("subject", "language")):
        yield log.varied({"item_id": f"{part(columns[group])}/{part(place)}"})
    crossed, kind = recognition.crossed(first, paths) if form == "table" else (None, None)
    both = crossed and f"{{_stem}}/{part(crossed)}"
    places = (crossed, "_folder", "_stem", both, "{_folder}/{_stem}")
    by_run = [{"setting": place} for place in filter(None, places)]
    if crossed and _SAMPLE.search(crossed):
        by_run.pop(0)
        yield _sampled(log, crossed)
    yield from map(log.varied, by_run)
    if form == "table" and first.items and not wordless:
        yield from (log.varied({"item_id": recognition.DIGEST} | part) for part in ({}, *by_run))
        if kind:
            yield _sampled(log.varied({"setting": kind}), _EACH_TIME)
        yield _sampled(log, _EACH_TIME)
    ids = [f"{{_stem}}/{part(name)}" for name in named]
    if by_folder:
        ids.append(f"{inside}/{ids[0]}")
    if wordless:
        ids = ["_row", *ids, "{_stem}/{_row}"]  # runs of one order: their keys agree row by row
    # files of a harness with other questions under the same ids are runs of their own
    apart = form != "table" or _asked_again(paths, first)
    others = {"setting": "_stem"} if apart else {}
    yield from (log.varied({"item_id": name} | others) for name in ids)
    if form != "table":  # such as judgments again
        yield _sampled(log, _EACH_TIME)


def _sampled(log: Log, how: str) -> Log:
    """The log where outputs to one question are samples of it."""
    again = log.varied({})
    again.samples, again.guessed["sample"] = True, how
    return again


def _of_benchmarks(paths: set[Path], log: Log) -> bool:
    """Whether folders with files of the same names are benchmarks, and the files models: files of a
    folder have questions in common, and those of one name have none.
    """
    asked = {path: recognition.questions(log.read[path][0]) for path in paths if path in log.read}
    pairs = [(x, y) for x, y in combinations(sorted(asked), 2) if asked[x] and asked[y]]
    inside = [bool(asked[x] & asked[y]) for x, y in pairs if x.parent == y.parent]
    across = [bool(asked[x] & asked[y]) for x, y in pairs if x.name == y.name]
    return bool(inside and across) and 2 * sum(inside) > len(inside) and not any(across)


def _asked_again(paths: set[Path], log: Log) -> bool:
    """Whether most questions were asked of a model in several files, which are settings then."""
    model = log.guessed.get("model")
    read = [log.read[path][0] for path in paths if model and path in log.read]
    asked = [
        (name, one)
        for rows in read
        for name in {str(row.find(model)) for row in rows}
        for one in recognition.questions(rows)
    ]
    times = pd.Series(asked, dtype=object).value_counts()
    return 2 * (times > 1).sum() > len(times)


def _named_by_languages(paths: set[Path]) -> str | None:
    """The place of the part in which names of folders, or files, differ, where most begin there
    with the code of a language.
    """
    codes = {*wording.content()["languages"]}
    for field in ("_folder", "_stem"):
        names = {about(path)[field] for path in paths}
        begin = re.sub(r"[^\W_]+$", "", _common(names))
        end = _common({name[len(begin) :][::-1] for name in names})[::-1]
        end = re.sub(r"^[^\W_]+", "", end)
        parts = {name.removeprefix(begin).removesuffix(end) for name in names}
        spoken = codes & {re.split("[_-]", part.lower())[0] for part in parts}
        if 1 < len(names) < 2 * len(spoken):
            return f"{{{field}:^{re.escape(begin)}(.+?){re.escape(end)}$}}"
    return None


def _common(names: set[str]) -> str:
    """What all names begin with."""
    alike = takewhile(lambda signs: len({*signs}) == 1, zip(*names, strict=False))
    return "".join(signs[0] for signs in alike)


def _not_understood(bad: list[Family], command: str, sources: list[Path]) -> DataError:
    """Why no family was understood; the last line is the complete command with the best guess."""
    error = bad[0].error
    reasons = ((one, one.error.reason.splitlines()[0].partition(";")[0]) for one in bad[1:])
    others = [f"\n{names_of(one.sources)}: {reason}" for one, reason in reasons]
    reason = "".join([error.reason, *others, _correction(bad[0], command, sources)])
    return DataError(reason, file=error.file, line=error.line, field=error.field)


def _correction(family: Family, command: str, sources: list[Path]) -> str:
    """A line with the complete command and a guess that can be read, or that there is no column of
    responses.
    """
    error, log = family.error, family.log
    words = ["polyexam", *command.split(), *map(str, sources)]
    if _PLAIN in error.reason:
        begin = ""
        with suppress(DataError):  # such as in another encoding
            begin = text(error.file)[:_BEGIN]
        rows = re.search(_ROWS, begin, re.MULTILINE | re.DOTALL)
        return f"\n{shlex.join([*words, '--records', _ROWS if rows else _ALL])}"
    columns = dict(log.columns)
    if "--samples" in error.reason:
        words.append("--samples")
    elif error.field == "model":
        columns["model"] = "{_stem}"
    elif "response" in columns:
        return ""  # the caller has said all that could be guessed
    elif "plainly" in error.reason:
        guess = _readable(family)
        if not guess:
            return "\nno column is found that can be read as responses, which a log must have"
        columns |= guess
    else:
        return ""
    for name, place in columns.items():
        words += ["--map", f"{name}={place}"]
    return f"\n{shlex.join(words)}"


def _readable(family: Family) -> dict[str, str]:
    """The likeliest column of responses, or scores, with which a family's largest file can be
    read, by its field.
    """
    log = family.log
    paths = [path for source in family.sources for path in table.files_of(source, log)]
    largest = max(paths, key=os.path.getsize)
    with suppress(DataError):
        for field, place in table.guesses(largest, log)[:_GUESSES]:
            with suppress(DataError):
                if _records("table", [largest], log.varied({field: place})):
                    return {field: place}
    return {}
