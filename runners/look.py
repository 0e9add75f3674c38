"""Logs where they are: what they have, a leaderboard and a comparison of it; nothing is written."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from html import escape
from itertools import islice, permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import answers as extracted
from analysis import outputs as cached
from analysis import schemas
from analysis.answers import RUN, comparison, judgments
from analysis.answers.marking import type_of
from analysis.errors import DataError, unknown
from analysis.items import derived, finding
from analysis.items import read as read_items
from analysis.items.file_formats import ENDINGS
from analysis.results import comparisons, judges, leaderboard
from analysis.results.shown import Result
from analysis.text import spreadsheet, visible
from runners import importers
from runners.importers import Log, attempts, recognition, summaries, table
from runners.importers.base import SHOWN, files, names_of, scale, some, unnumbered

# those of all languages, that no paper has for its own
_METHODS = ("final_answer", "given", "single_token", "full_answer", "likelihood")
_KEYLESS = (
    "no accuracy: neither keys nor verdicts are recognized; a file that has keys, with the same "
    "words or ids of the questions, can be named, too:"
)
_SCORED = "Means of columns that are called scores; intervals are of questions drawn."
_UNLIKE = (
    "no accuracy: keys are there, but neither labels of options nor numbers, and too few responses "
    "(not 80 %) are a key word by word"
)
_APART = (
    "no question is in two files: each may be a run, or they are parts of one, which --map "
    "model==NAME --map subject={_stem} says"
)
_OWN = ("the choices in the log are {:.1f}", "the log itself says {:.1f}")
_MANY = 100  # outputs, of which not all are wrong, or those of another run, by chance
_SOME = 10  # outputs, of which not all choices are wrong by chance
_ALONE = (
    "withheld: the log marks {} of {:,} outputs as right: they may be a selection, or nothing was "
    "checked; {} shows what is read"
)
_SELECTED = re.compile(r"(?i)(?<![^\W_])(?:fail(?:ed|ures?)?|wrong|incorrect|mistakes?)(?![^\W_])")
# the word of a benchmark; those of a leaderboard are benchmarks, and mmlu_pro is not mmlu
_TASK = re.compile(r"(?:leaderboard[_:|-])?[^_:|-]*(?:[_:|-](?:prox?|redux|plus)(?=[_:|-]|$))?")
_CODED = re.compile(r"[_:|-][a-z]{2,3}(?:[_:|-][A-Z][a-z]{3})?$")
_MOVES = "which can move its accuracy by more than a point"
_MOST = 0.9  # share of the questions that a file of keys must have
_OFTEN = 0.1  # share of the questions with one key
_GROUPS = 8  # languages, or else subjects, that have columns of their own
_NEAR = 2_000  # files and folders among which keys are looked for
_POINT = 1.0  # of accuracy, that a leaderboard may be off
_MUCH = 10.0  # points of accuracy, that are no chance where a log has none
_ALIKE = 20  # outputs, and characters of each, that no two runs have in common by chance
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Logs, looked at</title>
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
table {{ border-collapse: collapse; margin: 1rem 0 }}
td, th {{ padding: .2rem .6rem }}</style></head>
<body>
{}
</body></html>
"""


class Look(NamedTuple):
    """What logs say of one benchmark.

    Attributes
    ----------
    head : list of str
        What was read, and what was left out and why.
    results : list
        The `Leaderboard`; with two runs or more their `Comparison`.
    """

    head: list[str]
    results: list[Result]

    def text(self) -> str:
        """All of it for a terminal."""
        return "\n\n".join(["\n".join(self.head), *(result.text() for result in self.results)])


def look(sources: list[Path], log: Log, method: str | None = None) -> list[Look]:
    """What logs hold, a benchmark each.

    Parameters
    ----------
    log : Log
        What the caller says of them.

    Raises
    ------
    DataError
        Where nothing can be read; the reason ends with a command to be corrected.
    """
    looks = []
    for name, head, outputs, items in parts(sources, log, "look"):
        results, more = _results(name, outputs, items, method)
        if not results and "" not in more:  # which is above a table of means
            scored = _scored(outputs, items)
            if _KEYLESS in more:
                asked = {*items["question"], *items["item_id"]}
                command = ["polyexam", "look", *map(str, sources)]
                more.append(shlex.join([*command, _keys_near(sources, log, asked)]))
            more += scored
        looks.append(Look([*head, *more], results))
    return looks


def _keys_near(sources: list[Path], log: Log, asked: set[str]) -> str:
    """The file near the logs that plainly has keys, to one of the questions or ids that were asked,
    and no responses.
    """
    asked = {one for one in asked if not one.isdecimal()}  # other files have such ids, too
    home = sources[0].resolve().parent
    near = sorted(path for path in islice(home.rglob("*"), _NEAR) if path.name.endswith(ENDINGS))
    logs = {path.resolve() for source in sources for path in files(source)}
    likely = (path for path in near if path not in logs and table.has_keys(path, log, asked))
    return str(next(likely, "FILE_WITH_KEYS"))


def parts(sources: list[Path], log: Log, command: str) -> Iterator[tuple]:
    """Each benchmark of logs: its name, what was read and left out, outputs (first turns and
    judgments) and questions; see `look`.
    """
    log.items, home = {}, sources[0].resolve()
    log.otherwise["benchmark"] = f"={home.name if home.is_dir() else home.parent.name}"
    families = attempts.understood(sources, log, command)
    others = [one for one in families if one.error]
    for number, family in enumerate(families):
        if not family.error:
            yield from _of_family(family, others, number == 0)


def _of_family(
    family: attempts.Family, others: list[attempts.Family], first: bool
) -> Iterator[tuple]:
    """Each benchmark of files that were read together, the first one with lines on files that were
    not read and have no keys of it; see `parts`.
    """
    family = _with_keys(family, others)
    form, log = family.form, family.log
    frame = pd.DataFrame(family.records, dtype=object)  # texts may have lone surrogates
    frame, twice = _once(_dated(_of_parts(_with_losses(frame, log), log)))
    if form == "table" and _apart(frame, log):
        twice.append(_APART)
    left_out, keyed = twice, str(family.log.guessed.get("answer"))
    for one in others if first else ():
        if not all(path.name in keyed for path in one.sources):
            reason = one.error.reason.splitlines()[0].partition(";")[0]
            left_out.append(f"not read: {names_of(one.sources)}: {reason}")
    for name, tasks in benchmarks(frame["benchmark"].unique()).items():
        outputs = frame[frame["benchmark"].isin(tasks)]
        items = pd.concat([_items(task, log, outputs) for task in tasks], ignore_index=True)
        if len(tasks) > 1:
            outputs, items = (_as_subjects(part, name) for part in (outputs, items))
        keyless = _keyless(outputs, items)
        outputs, items = (x[~x["item_id"].isin(keyless)] for x in (outputs, items))
        asked = outputs["item_id"].isin(items["item_id"])
        n = len(outputs)
        head = [f"{name}: {_counts(outputs, items, log)} ({form})"]
        head += [*log.summary(n, n - int(asked.sum())), *left_out]
        left_out = []
        if keyless:
            head.append(f"left out, without a key that is read: {len(keyless):,} more")
        first = outputs["turn"].fillna(1).eq(1) | outputs["judged"].notna()
        outputs = outputs[asked & first].reset_index(drop=True)
        # words may differ from sample to sample
        same = ["model", "setting", "item_id", "turn", "judged"]
        samples = outputs.groupby(same, dropna=False).cumcount()
        about = pd.DataFrame({"sample": samples, "digest": 0})
        outputs["setting"] = cached.settings(outputs, lambda about=about: about)
        if samples.max() > 0:
            head.append("several answers of a run to a question are averaged")
        later = outputs["turn"].dropna().loc[lambda turns: turns > 1].astype(str)
        outputs.loc[later.index, "setting"] += ", turn " + later
        failed = outputs["error"].notna() & outputs["judged"].isna()
        if empty := int((failed & ~_chosen(outputs)).sum()):
            scored = outputs["given"].notna().any() or _keyed(items).any()
            wrong = ": wrong, where the log does not say else" * bool(scored)
            head.append(f"{empty:,} output{'s' * (empty > 1)} without an answer{wrong}")
        yield name, head, outputs, items


def _counts(outputs: pd.DataFrame, items: pd.DataFrame, log: Log) -> str:
    """How many questions, runs, outputs and judgments there are."""
    of_judges = outputs["judged"].notna()
    answered = outputs if of_judges.all() else outputs[~of_judges]
    sizes = answered.groupby(["model", "setting"], dropna=False)["item_id"].nunique()
    runs, judged = len(sizes), len(outputs) - len(answered)
    # one that a run has again counts again, under a number
    asked_once = unnumbered(items["item_id"]).nunique()
    questions = f"{asked_once if log.repeats else len(items):,} questions"
    if runs > 1 and sizes.sum() == answered["item_id"].nunique():
        questions = f"up to {sizes.max():,} questions a run"  # which may be the same
    more = f", {judged:,} judgments" * (judged > 0)
    return f"{questions}, {runs} run{'s' * (runs != 1)}, {len(answered):,} outputs{more}"


def _keyless(outputs: pd.DataFrame, items: pd.DataFrame) -> set[str]:
    """Ids of questions without a key or a verdict, where others have a key."""
    given = outputs["given"].map(
        lambda given: "correct" not in (given or {}) and (given or {}).keys() != {"score"}
    )
    keyed = _keyed(items)
    if not keyed.any():
        return set()
    return {*items.loc[~keyed, "item_id"]} & {*outputs.loc[given, "item_id"]}


def _keyed(items: pd.DataFrame, *names: str) -> pd.Series:
    """Whether a question has a key, or one of the names in its metadata."""
    names = {"answers", *names}
    return items["answer"].notna() | items["metadata"].map(lambda more: bool(names & more.keys()))


def _with_losses(frame: pd.DataFrame, log: Log) -> pd.DataFrame:
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


def _with_keys(family: attempts.Family, others: list[attempts.Family]) -> attempts.Family:
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


def _of_parts(frame: pd.DataFrame, log: Log) -> pd.DataFrame:
    """Outputs whose models are files' names: where these differ in numbers alone, or are many and
    no models, and no question is in two files, the files are parts of one run.
    """
    files = frame["model"].unique()
    alike = len({re.sub(r"\d+", "", name) for name in files}) == 1 < len(files)
    folders = {path.parent for path in frame["file"]}
    topics = len(files) >= _SOME and len(folders) == 1
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


def _runs(frame: pd.DataFrame) -> pd.Series:
    """The run of each output."""
    return frame["benchmark"] + " " + frame["model"] + " " + frame["setting"].fillna("")


def _dated(frame: pd.DataFrame) -> pd.DataFrame:
    """Outputs where files of one run, whose names differ in the time alone, are runs."""
    names = frame["file"].map(lambda file: file.stem)
    times = names.str.replace(r"\d{6,}", "", regex=True)
    run = _runs(frame)
    many = names.groupby(run).transform("nunique") > 1
    alike = times.groupby(run).transform("nunique") == 1
    return frame.assign(setting=frame["setting"].where(~(many & alike), names))


def _apart(frame: pd.DataFrame, log: Log) -> bool:
    """Whether runs are files, none of which has a question of another one."""
    columns = log.guessed | log.columns
    if {"model", "setting"} & columns.keys() or columns.get("question") == "(none)":
        return False
    asked = frame[["file", "item_id"]].drop_duplicates()
    return frame["model"].nunique() > 1 and not asked["item_id"].duplicated().any()


def _once(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Outputs without runs whose responses are all those of another one: a log saved twice; and
    lines on these.
    """
    runs = _runs(frame)
    long = frame["response"].str.len().fillna(0) >= _ALIKE
    responses = frame["response"].map(hash).astype(str)  # they may be long
    answers = frame["item_id"] + responses
    choices = frame["given"].map(lambda given: (given or {}).get("choice")).astype("string")
    parts = (frame["model"] + frame["item_id"] + choices).dropna().groupby(runs).agg(frozenset)
    parts = parts[parts.map(len) >= _ALIKE]
    again = {x for x, y in permutations(parts.index, 2) if parts[x] < parts[y]}
    again |= _summaries(frame, runs)
    records = frame["model"] + answers + frame["given"].map(str)
    records = records[choices.notna() | frame["response"].notna()]
    tables = records.groupby(frame["file"]).agg(frozenset)
    copies = tables.index[tables.duplicated() & (tables.map(len) >= _MANY)]
    again |= {*runs[frame["file"].isin(copies)]}
    for one, least in ((answers[long], _ALIKE), (records, _MANY)):
        alike = one.groupby(runs).agg(frozenset)
        again |= {*alike.index[alike.duplicated() & (alike.map(len) >= least)]}
    lines = []
    if again:
        lines.append(f"left out, with the answers of another run: {some(sorted(again), SHOWN)}")
    asked = (frame["model"] + frame["item_id"]).groupby(runs).agg(frozenset)
    bare = (frame["given"].isna() & frame["response"].notna()).groupby(runs).all()
    marked = (frame["given"].notna() & frame["response"].isna()).groupby(runs).all()
    scored = asked[bare].isin([*asked[marked]])
    if scored.any():
        lines.append(f"{scored.sum()} runs are the responses to which other files have the scores")
    return frame[~runs.isin({*again, *scored.index[scored]})], lines


def _summaries(frame: pd.DataFrame, runs: pd.Series) -> set[str]:
    """Runs that are verdicts alone, all of which another run has next to its responses."""
    verdicts = frame["given"].map(lambda given: (given or {}).get("correct")).dropna()
    verdicts = frame["item_id"] + verdicts.astype(str)
    by_run = verdicts.dropna().groupby(runs).agg(frozenset)
    bare = frame["response"].isna().groupby(runs).all()
    long = [run for run in by_run.index[by_run.map(len) >= _ALIKE] if bare[run]]
    return {run for run in long if by_run[run] in {*by_run[~bare[by_run.index]]}}


def _items(benchmark: str, log: Log, outputs: pd.DataFrame) -> pd.DataFrame:
    """The items of a benchmark that the caller names and the outputs ask, else those that the logs
    carry, else those whose files are here.
    """
    rows = [item for (name, _), item in log.items.items() if name == benchmark]
    if not rows or "benchmark" in log.columns:
        with suppress(DataError):
            there = read_items(benchmark, problems=[])
            if not rows or there["item_id"].isin(outputs["item_id"]).any():
                return there
    if not rows:
        names = outputs.loc[outputs["benchmark"] == benchmark, "item_id"].unique()
        rows = [{"item_id": x, "question": f"({x})", "options": [], "metadata": {}} for x in names]
    items = pd.DataFrame(rows, columns=list(derived.FIELDS), dtype=object)
    items = items.assign(benchmark=benchmark)
    items = items.fillna({"language": "und", "subject": "all"})
    return schemas.check(items[schemas.columns("items")], "items")


def benchmarks(names: Iterable[str]) -> dict[str, list[str]]:
    """Benchmark -> its tasks: several whose names begin with one word are one, but tasks of a
    package (``inspect_evals/mmlu_pro``) are benchmarks, and so are two that differ in no code of a
    language (``arc_easy``, ``arc_challenge``).
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        stem = name if "/" in name else _TASK.match(name)[0]
        groups.setdefault(stem, []).append(name)
    by_benchmark = {}
    for tasks in groups.values():
        coded = all(_CODED.search(name) for name in tasks)
        for part in [tasks] if len(tasks) != 2 or coded else [[name] for name in tasks]:
            by_benchmark[_common(part)] = part
    return by_benchmark


def _common(tasks: list[str]) -> str:
    """What names of tasks begin with, to the end of a word."""
    both = f"{min(tasks)}\0{max(tasks)}"  # a name may have line breaks
    return re.match(r"(?s)(.*)(?:[_:|-].*)?\0\1(?:[_:|-]|\Z)", both)[1]


def _as_subjects(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Rows of several tasks as rows of one benchmark, with the task in the id."""
    frame = frame.assign(item_id=frame["benchmark"] + "/" + frame["item_id"], benchmark=name)
    if "subject" in frame:
        frame["subject"] = frame["subject"].str.removeprefix(f"{name}_")
    return frame


def _results(
    name: str, outputs: pd.DataFrame, items: pd.DataFrame, method: str | None
) -> tuple[list[Result], list[str]]:
    """Leaderboard and comparison of outputs whose questions are here, and lines to be read with
    them.
    """
    of_judges = outputs[outputs["judged"].notna()]
    if of_judges["given"].notna().any():  # pairs have no scores
        outputs = outputs.drop(of_judges.index)
        results, lines = [], []
        if _keyed(items).any() and len(outputs):
            results, lines = _results(name, outputs, items, method)
        return results, [*lines, "", *_judged(of_judges, items)]
    withheld = []
    if outputs["given"].notna().any() or _keyed(items).any():
        outputs, withheld = _certain(_judged_wrong(outputs), method)
    if outputs.empty:
        return [], withheld
    methods = extracted.chosen([method] if method else _METHODS, {})
    answers = extracted.extracted(outputs, items, methods)
    if answers.empty and method:
        raise extracted.reads_nothing(method)
    keyless = [*withheld, _UNLIKE if _keyed(items, "reference").any() else _KEYLESS]
    if answers.empty:
        return [], keyless
    answers = extracted.with_clusters(schemas.check(answers, "answers"), items)
    given = answers["method"].eq("given") & answers["choice"].notna()
    read = given.all() or not _keyed(items).any()
    if read and answers["why"].eq("the log's score").any():
        return [], [*withheld, "", *_judged(outputs, items)]
    if method is None and answers["correct"].isna().all():
        return [], keyless
    if method is None and (alone := _alone(answers)):
        return [], [*withheld, alone]
    groups = (x for x in ("language", "subject") if 1 < items[x].nunique() <= _GROUPS)
    ranked = partial(leaderboard.ranked, benchmark=name, items=items, by=next(groups, None))
    board = ranked(answers, method=method)
    differences = _differences(board)
    if differences and method is None:
        # a log's own score is what its authors know
        board = ranked(answers, method="given")
    if method is None and (
        off := _off(board, outputs) | _none_right(board.answers) | _unnamed(board, items)
    ):
        withheld += off.values()
        runs_of = extracted.pooled(answers).set_index(["model", "setting"]).index
        answers = answers[~runs_of.isin([*off])]
        if answers.empty:
            return [], withheld
        board = ranked(answers, method=board.method)
    results = [board]
    runs = board.frame.loc[board.frame["rank"].notna(), "run"].to_list()
    if 1 < len(runs) <= 8:
        results.append(comparisons.compared(answers, name, runs, items, method=board.method))
    return results, [*withheld, *differences, *_unread(board, outputs)]


def _explicit(logged: pd.DataFrame) -> pd.Series:
    """Whether a log says what was chosen, or whether it is right."""
    return logged["choice"].notna() | logged["why"].str.contains("verdict")


def _alone(answers: pd.DataFrame) -> str | None:
    """Why outputs that are all wrong, or all right, as the log has them, have no accuracy."""
    given = answers["method"].eq("given") & answers["why"].ne("the log's score")
    logged = answers[given & _explicit(answers[given]).any()]
    # choices of which none is the key may be compared with what is no key
    many = _MANY if logged["why"].str.contains("verdict").any() else _SOME
    marks = {*logged["correct"].dropna()}
    if len(marks) != 1 or len(logged) < (_MANY if True in marks else many):
        return None
    others = answers.loc[~given & answers["choice"].notna(), "method"].value_counts()
    others = others.drop("any", errors="ignore")
    option = f"--method {others.idxmax() if len(others) else 'given'}"
    return _ALONE.format("all" if True in marks else "none", len(logged), option)


def _judged_wrong(outputs: pd.DataFrame) -> pd.DataFrame:
    """Outputs where those without an answer are wrong, and no choices, in runs with verdicts."""
    run = _runs(outputs)
    judged = outputs["given"].map(lambda given: "correct" in (given or {})).groupby(run)
    unsaid = ~outputs["given"].map(lambda given: any((given or {}).values()))
    empty = unsaid & outputs["error"].notna() & judged.transform("any")
    wrong = pd.Series([{"correct": False, "choice": None}] * len(outputs), outputs.index)
    return outputs.assign(given=outputs["given"].where(~empty, wrong))


def _certain(outputs: pd.DataFrame, method: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Outputs of the runs that are certain, and lines on the others: rows that were lost, or have
    no verdict, can move the accuracy by more than a point, or verdicts in several columns differ by
    more.
    """
    pooled = extracted.pooled(outputs)
    sure, lines = pd.Series(True, outputs.index), []
    runs = outputs.groupby([pooled["model"], pooled["setting"]])
    most = runs.size().max()
    for run, rows in runs:
        name = _name(run)
        lost, reasons = rows["lost"].sum(), []
        n = lost + len(rows)
        if len(rows) < most and (word := _SELECTED.search(name)):
            reasons.append(f"it has fewer outputs than others, a selection by its name: {word[0]}")
        empty = int((rows["error"].notna() & ~_chosen(rows, "score")).sum())
        if 2 * empty > len(rows):
            reasons.append(f"{empty:,} of {len(rows):,} outputs have no answer: it may have failed")
        if lost > _POINT / 100 * n:
            many = f"{lost:,.0f} of {n:,.0f}" if lost >= 1 else f"some of {n:,.0f}"
            reasons.append(f"{many} rows could not be read, {_MOVES}")
        unjudged = _without_verdict(rows)
        if method in (None, "given") and unjudged > _POINT / 100 * len(rows):
            reasons.append(f"{unjudged:,} of {len(rows):,} outputs have no verdict, {_MOVES}")
        if more := ", ".join(_verdicts(rows["given"])):
            reasons.append(f"its verdicts differ: {more}; choose with --map correct=COLUMN")
        lines += [f"withheld: {name}: {reason}" for reason in reasons]
        sure[rows.index] = not reasons
    return outputs[sure].reset_index(drop=True), lines


def _name(run: tuple[str, str]) -> str:
    """A run as a line names it."""
    return " ".join(one for one in dict.fromkeys(run) if one != schemas.NO_SETTING)


def _chosen(outputs: pd.DataFrame, *more: str) -> pd.Series:
    """Whether a log says what an output chose, or has one of more fields."""
    names = ("choice", *more)
    given = outputs["given"].map(lambda given: given or {})
    return given.map(lambda given: any(given.get(name) not in (None, "", []) for name in names))


def _without_verdict(rows: pd.DataFrame) -> int:
    """How many outputs of a run have neither verdict nor choice, where others have a verdict."""
    judged = rows["given"].map(lambda given: "correct" in (given or {}))
    answered = rows["error"].isna() & ~_chosen(rows)
    return int((answered & ~judged).sum()) if judged.any() else 0


def _verdicts(given: pd.Series) -> list[str]:
    """Shares of right answers by several columns, where they differ by more than a point."""
    marks = [one for one in given.dropna() if one.get("others")]
    table = pd.DataFrame([{"the first": x["correct"]} | x["others"] for x in marks])
    # a verdict that only some rows have is a second opinion on these
    means = 100 * table.apply(lambda marks: marks.fillna(table["the first"])).astype(float).mean()
    if len(means) < 2 or means.max() - means.min() <= _POINT:
        return []
    return [f"{name} {mean:.1f} %" for name, mean in means.items()]


def _judged(outputs: pd.DataFrame, items: pd.DataFrame) -> list[str]:
    """Mean scores of a table that has nothing but scores, by who gave them."""
    table, limits = _means(outputs, items)
    note = "Scores from {low} to {high}; intervals are of questions drawn.".format(**limits)
    return [*_lines(table), "", note]


def _means(outputs: pd.DataFrame, items: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    """Mean scores of runs that have any, as a reader wants them, and the scale."""
    logged = outputs["given"].dropna()
    scores = logged.map(lambda given: float(given.get("score", given.get("correct"))))
    scored = outputs["given"].notna() | outputs["judged"].notna()
    outputs = outputs[scored.groupby(_runs(outputs)).transform("any")]
    judge = outputs["setting"].where(outputs["setting"].ne(schemas.NO_SETTING), "the log's own")
    named = outputs.assign(response=None)
    by = named["judged"].notna().all()
    if not by:
        named = named.assign(judged=outputs["model"], model=judge)
    limits = scale(scores)
    judged = judgments.from_outputs(named, items, **limits)
    means = judgments.means(judged).query("metric == 'score' and group_by == 'average'")
    # repeated judgments are no further questions
    asked = judged.dropna(subset="score").groupby(["model", "judge"])["item_id"].nunique()
    runs = pd.MultiIndex.from_frame(means[["model", "setting"]])
    means = means.assign(n=asked[runs].to_numpy())
    table = judges.score_table(means.sort_values("value", ascending=False))
    table = table.rename(columns={"n": "Questions"})
    if judge.nunique() == 1:
        table = table.drop(columns="Judge")  # the log's own
    elif not by:
        table = table.rename(columns={"Judge": "Setting"})
    return table, limits


def _lines(table: pd.DataFrame) -> list[str]:
    """A table as lines of text."""
    return table.map(lambda x: visible(str(x))).to_string(index=False).splitlines()


def _scored(outputs: pd.DataFrame, items: pd.DataFrame) -> list[str]:
    """Mean scores by each column that is called a score."""
    logged = pd.DataFrame([*outputs["scored"].dropna()], outputs.index[outputs["scored"].notna()])
    tables = []
    for name, scores in logged.items():
        given = scores.dropna().map(lambda score: {"score": score})
        table, limits = _means(outputs.assign(given=given), items)
        table.insert(0, "Score", f"{name} ({limits['low']} to {limits['high']})")
        tables.append(table)
    return ["", _SCORED, "", *_lines(pd.concat(tables))] if tables else []


def _off(board: leaderboard.Leaderboard, outputs: pd.DataFrame) -> dict[str, str]:
    """Runs of which a summary that is next to their rows says another accuracy, and a line each."""
    files = extracted.pooled(outputs)[[*RUN, "file"]].drop_duplicates()
    several = files.duplicated(RUN, keep=False) | files.duplicated("file", keep=False)
    runs = board.frame.dropna(subset="accuracy").merge(files[~several], on=RUN)
    lines = {}
    for row in runs.itertuples():
        for name, shares in summaries.of_run(row.file, row.model, len(files) == 1).items():
            nearest = min(shares, key=lambda share: abs(share - row.accuracy))
            # 0.2 may be a percentage
            if min(abs(x - row.accuracy) for x in (nearest, nearest / 100)) > _POINT:
                lines[row.model, row.setting] = (
                    f"withheld: {row.run}: {name} says {nearest:.1f} % right, {board.method} reads "
                    f"{row.accuracy:.1f} %; --method {board.method} shows it"
                )
    return lines


def _none_right(answers: pd.DataFrame) -> dict[tuple, str]:
    """Runs with wrong verdicts alone, of which another method reads some right, and a line each."""
    judged = answers["why"].str.contains("verdict") | answers["method"].ne("given")
    means = answers[judged].astype({"correct": float}).groupby([*RUN, "method"])["correct"]
    means = means.agg(["mean", "size"]).unstack()
    lines = {}
    for run, row in means.iterrows():
        shares = 100 * row["mean"]
        read = shares.drop("given", errors="ignore").max()
        verdicts = row["size"].get("given", 0)
        if shares.get("given") == 0 and verdicts >= _SOME and read > _MUCH:
            why = f"and {read:.1f} % of what can be read is: they may be of another column"
        elif shares.get("given") == 0 and verdicts >= _MANY:
            why = "so it may not have been judged; --method given shows it"
        else:
            continue
        lines[run] = f"withheld: {_name(run)}: none of {verdicts:,.0f} verdicts says right, {why}"
    return lines


def _unnamed(board: leaderboard.Leaderboard, items: pd.DataFrame) -> dict[tuple, str]:
    """Runs that never choose what is often the key, while others of their choices are no key: the
    two may be named, or counted, in other ways; and a line each.
    """
    kinds = items["metadata"].map(type_of)
    words = items["metadata"].where(kinds.isin(["number", "text"]))
    words = words.map(lambda more: more["answers"][0], "ignore")
    keys = items["answer"].astype(object).fillna(words).where(kinds.ne("set"))
    keys = keys.set_axis(items["item_id"]).dropna()
    answers = board.answers[board.answers["method"] == board.method]
    answers = answers[answers["item_id"].isin(keys.index) & ~answers["why"].str.contains("verdict")]
    options = [*{*map(tuple, items["options"])}]
    classes = options[0] if len(options) == 1 else ()  # the same of each question
    words = dict(zip(schemas.labels(len(classes)), classes, strict=True))
    lines = {}
    for run, rows in answers.groupby(RUN):
        counts = keys[rows["item_id"]].value_counts(normalize=True)
        often = counts.index[counts > _OFTEN]
        never = [key for key in often if not rows["choice"].eq(key).any()]
        others = 1 - rows["choice"].isin(counts.index).mean()
        if never and len(rows) >= _ALIKE and _OFTEN / 2 < others < 1:
            lines[run] = (
                f"withheld: {_name(run)}: no output is read as {words.get(never[0], never[0])!r}, "
                f"which is often the key, and {100 * others:.0f} % as no key: keys and answers may "
                "have other names"
            )
    return lines


def _unread(board: leaderboard.Leaderboard, outputs: pd.DataFrame) -> list[str]:
    """How many questions are in no accuracy."""
    read = board.answers.loc[board.answers["method"] == board.method, "item_id"]
    runs = extracted.pooled(outputs).set_index(RUN).index
    asked = outputs.loc[runs.isin(board.frame.set_index(RUN).index), "item_id"]
    n = len({*asked} - {*read})
    return [f"{n:,} questions are in no accuracy: {board.method} does not read their answers"] * (
        n > 0
    )


def _differences(board: leaderboard.Leaderboard) -> list[str]:
    """Where a log's own accuracy, or that of the choices in it, is more than a point from ours."""
    logged = board.answers[board.answers["method"] == "given"].astype({"correct": float})
    logged = logged[_explicit(logged).groupby([logged[name] for name in RUN]).transform("any")]
    logged = logged.assign(judged=logged["why"].str.contains("verdict"))
    by_item = logged.groupby([*RUN, "item_id"])[["correct", "judged"]].mean()
    own = by_item.groupby(RUN).mean()
    both = board.frame.join(own.rename(columns={"correct": "own"}), on=RUN)
    both["own"] *= 100
    near = (both["own"] - both["accuracy"]).abs() <= _POINT
    return [
        f"{row.run}: {_OWN[row.judged > 0].format(row.own)} % right, {board.method} reads "
        + ("no accuracy" if np.isnan(row.accuracy) else f"{row.accuracy:.1f} %")
        for row in both[both["own"].notna() & ~near].itertuples()
    ]


def page(looks: list[Look]) -> str:
    """One HTML page that needs nothing else."""
    parts = []
    for one in looks:
        parts += [f"<p>{escape(visible(line))}</p>" for line in one.head]
        parts += [result._repr_html_() for result in one.results]
    return _PAGE.format("\n".join(parts))


def write(looks: list[Look], file: Path) -> None:
    """Write the results in the form that the file's ending says: CSV, Excel, LaTeX or Markdown."""
    results = [result for one in looks for result in one.results]
    if not results:
        raise DataError("no run can be scored: there is no table to write", file=file)
    boards = [one for one in results if isinstance(one, leaderboard.Leaderboard)]
    frame = pd.concat(board.frame.assign(benchmark=board.benchmark) for board in boards)
    match file.suffix:
        case ".csv":
            text = frame.to_csv(index=False)
        case ".tex":
            # each its own label: \ref to one that is there twice would lead to either
            tables = [one.latex(label=f"tab:results-{n}") for n, one in enumerate(results, 1)]
            text = "\n".join(tables)
        case ".md":
            text = "\n".join(f"```\n{result.text()}\n```\n" for result in results)
        case ".xlsx":
            spreadsheet(frame).to_excel(file, index=False)
            return
        case ending:
            raise unknown("ending", ending, (".csv", ".xlsx", ".tex", ".md"))
    file.write_text(text, "utf-8", "backslashreplace")
