"""Which outputs of logs are one run: parts of it, copies, and what was lost of it."""

import re
from collections import Counter
from itertools import permutations

import pandas as pd

from runners.importers import Log, recognition
from runners.importers.base import NO_ANSWER, SHOWN, names_of, some

_FILES = 10  # of one folder, that are subjects where none is a model
_MANY = 100  # outputs that two runs do not have in common by chance
_ALIKE = 20  # outputs, and characters of each, that no two runs have in common by chance


def with_losses(frame: pd.DataFrame, log: Log) -> pd.DataFrame:
    """Outputs with how many rows of their file were lost, a share an output; lines with other
    fields behind the last row are no rows.
    """
    bad = {(problem.file, problem.line) for problem in log.problems}
    last = {  # of the good rows
        file: max((row.line for row in rows if (file, row.line) not in bad), default=0)
        for file, (rows, _) in log.read.items()
    }
    behind = re.compile(" fields instead of |is empty$")
    lost = Counter(
        problem.file
        for problem in log.problems
        if problem.line
        and not (
            behind.search(problem.reason) and problem.line > last.get(problem.file, problem.line)
        )
    )
    # a row may have several outputs
    rows = frame.drop_duplicates(["file", "model", "setting", "item_id"])["file"].value_counts()
    return frame.assign(lost=frame["file"].map(lost) / frame["file"].map(rows))


def of_parts(frame: pd.DataFrame, log: Log) -> pd.DataFrame:
    """Outputs whose models are files' names: where these differ in numbers alone, or are many and
    no models, and no question is in two files, the files are parts of one run.
    """
    files = frame["model"].unique()
    alike = len({re.sub(r"\d+", "", name) for name in files}) == 1 < len(files)
    folders = {path.parent for path in frame["file"]}
    topics = len(files) >= _FILES and len(folders) == 1
    topics = topics and not any(map(recognition.MODEL.search, files))
    named = (
        "answer" not in log.guessed or {"model", "question"} & (log.guessed | log.columns).keys()
    )
    if named or not (alike or topics) or frame["item_id"].duplicated().any():
        return frame
    folder = next(
        (x for x in frame["file"].iloc[0].parts[-2::-1] if recognition.MODEL.search(x)), None
    )
    return frame.assign(model=folder or frame["benchmark"])


def run_of(frame: pd.DataFrame) -> pd.Series:
    """The run of each output."""
    return frame["benchmark"] + " " + frame["model"] + " " + frame["setting"].fillna("")


def dated(frame: pd.DataFrame) -> pd.DataFrame:
    """Outputs where files of one run, whose names differ in the time alone, are runs."""
    names = frame["file"].map(lambda file: file.stem)
    times = names.str.replace(r"\d{6,}", "", regex=True)
    run = run_of(frame)
    many = names.groupby(run).transform("nunique") > 1
    alike = times.groupby(run).transform("nunique") == 1
    return frame.assign(setting=frame["setting"].where(~(many & alike), names))


def apart(frame: pd.DataFrame, log: Log) -> bool:
    """Whether runs are files, none of which has a question of another one."""
    columns = log.guessed | log.columns
    if {"model", "setting"} & columns.keys() or columns.get("question") == "(none)":
        return False
    asked = frame[["file", "item_id"]].drop_duplicates()
    return frame["model"].nunique() > 1 and not asked["item_id"].duplicated().any()


def once(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Outputs without files and runs whose responses are all those of another one: a log saved
    twice; and lines on these.
    """
    long = frame["response"].str.len().fillna(0) >= _ALIKE
    responses = frame["response"].map(hash).astype(str)  # they may be long
    answers = frame["item_id"] + responses
    choices = frame["given"].map(lambda given: (given or {}).get("choice")).astype("string")
    records = frame["model"] + answers + frame["given"].map(str)
    records = records[choices.notna() | frame["response"].notna()]
    copies = _equal(responses, frame["file"], _ALIKE, long)
    copies |= _equal(records, frame["file"], _MANY)
    lines = []
    if copies:
        lines.append(f"left out, with the answers of another file: {names_of(sorted(copies))}")
    frame = frame[~frame["file"].isin(copies)]
    runs = run_of(frame)
    silent = (frame["error"].eq(NO_ANSWER) & frame["given"].isna()).groupby(runs).all()
    if silent.any() and not silent.all():
        names = some(sorted(silent.index[silent]), SHOWN)
        lines.append(f"left out, without any answer, as questions that were not asked: {names}")
        frame, runs = frame[~runs.map(silent)], runs[~runs.map(silent)]
    parts = (frame["model"] + frame["item_id"] + choices).dropna().groupby(runs).agg(frozenset)
    parts = parts[parts.map(len) >= _ALIKE]
    again = {x for x, y in permutations(parts.index, 2) if parts[x] < parts[y]}
    again |= _summaries(frame, runs) | _equal(answers, runs, _ALIKE, long)
    again |= _equal(records, runs, _MANY)
    if again:
        lines.append(f"left out, with the answers of another run: {some(sorted(again), SHOWN)}")
    asked = (frame["model"] + frame["item_id"]).groupby(runs).agg(frozenset)
    bare = (frame["given"].isna() & frame["response"].notna()).groupby(runs).all()
    marked = (frame["given"].notna() & frame["response"].isna()).groupby(runs).all()
    scored = asked[bare].isin([*asked[marked]])
    if scored.any():
        lines.append(f"{scored.sum()} runs are the responses to which other files have the scores")
    return frame[~runs.isin({*again, *scored.index[scored]})], lines


def _equal(values: pd.Series, by: pd.Series, least: int, long: pd.Series | None = None) -> set:
    """Groups with all values of an earlier one, and no other, where these are not few, and most are
    long.
    """
    sets = values.groupby(by).agg(frozenset)
    many = sets.map(len) >= least
    if long is not None:
        many &= long.groupby(by).mean() > 0.5
    return {*sets.index[sets.duplicated() & many]}


def _summaries(frame: pd.DataFrame, runs: pd.Series) -> set[str]:
    """Runs that are verdicts alone, all of which another run has next to its responses."""
    verdicts = frame["given"].map(lambda given: (given or {}).get("correct")).dropna()
    verdicts = frame["item_id"] + verdicts.astype(str)
    by_run = verdicts.dropna().groupby(runs).agg(frozenset)
    bare = frame["response"].isna().groupby(runs).all()
    long = [run for run in by_run.index[by_run.map(len) >= _ALIKE] if bare[run]]
    return {run for run in long if by_run[run] in {*by_run[~bare[by_run.index]]}}
