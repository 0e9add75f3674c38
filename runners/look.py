"""Logs where they are: what they have, a leaderboard and a comparison of it; nothing is written."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analysis import answers as extracted
from analysis import outputs as cached
from analysis import schemas
from analysis.answers import RUN, judgments
from analysis.answers.marking import type_of
from analysis.errors import DataError, unknown
from analysis.items import derived
from analysis.items import read as read_items
from analysis.results import comparisons, judges, leaderboard
from analysis.results.shown import Result
from analysis.text import spreadsheet, visible
from runners import log_keys, log_runs, withholding
from runners.importers import Log, attempts
from runners.importers.base import names_of, scale, unnumbered

# those of all languages, that no paper has for its own
_METHODS = ("final_answer", "given", "single_token", "full_answer", "likelihood")
_KEYLESS = (
    "no accuracy: neither keys nor verdicts are recognized; a file that has keys, with the same "
    "words or ids of the questions, can be named, too"
)
_UNLIKE = (
    "no accuracy: keys are there, but too few are labels of options or numbers, and too few "
    "responses (not 80 %) are a key word by word"
)
_APART = (
    "no question is in two files: each may be a run, or they are parts of one, which --map "
    "model==NAME --map subject={_stem} says"
)
# the word of a benchmark; those of a leaderboard are benchmarks, and mmlu_pro is not mmlu
_TASK = re.compile(r"(?:leaderboard[_:|-])?[^_:|-]*(?:[_:|-](?:prox?|redux|plus)(?=[_:|-]|$))?")
_CODED = re.compile(r"[_:|-][a-z]{2,3}(?:[_:|-][A-Z][a-z]{3})?$")
_GROUPS = 8  # languages, or else subjects, that have columns of their own
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
        The `Leaderboard`; with two runs or more their `Comparison`; or `judges.Scores`.
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
        results = results or _scores(name, _by_column(outputs), items)
        looks.append(Look([*head, *more], results))
    return looks


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
    family = log_keys.with_keys(family, others)
    form, log = family.form, family.log
    frame = pd.DataFrame(family.records, dtype=object)  # texts may have lone surrogates
    frame, twice = log_runs.once(
        log_runs.dated(log_runs.of_parts(log_runs.with_losses(frame, log), log))
    )
    if form == "table" and log_runs.apart(frame, log):
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
            head.append(f"left out, without a key or verdict that is read: {len(keyless):,} more")
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
        if empty := int((failed & ~withholding.chosen(outputs)).sum()):
            judged = outputs["given"].map(
                lambda given: bool({"choice", "correct"} & {*(given or ())})
            )
            wrong = ": wrong, where the log does not say else" * bool(
                judged.any() or _keyed(items).any()
            )
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
    """Ids of questions without a key or a verdict, where others have a key; and those of subjects
    without a verdict, whose keys are texts, where others have a verdict.
    """
    keyed = _keyed(items)
    if not keyed.any():
        return set()
    given = outputs["given"].map(lambda given: given or {})
    judged = given.map(lambda given: "correct" in given)
    scored = given.map(lambda given: given.keys() == {"score"})
    keyless = {*items.loc[~keyed, "item_id"]} & {*outputs.loc[~judged & ~scored, "item_id"]}
    subjects = items.set_index("item_id")["subject"]
    with_verdict = {*outputs.loc[judged, "item_id"].map(subjects)}
    texts = items["answer"].isna() & items["metadata"].map(type_of).isin(["text", "choice"])
    unjudged = items.loc[texts & ~items["subject"].isin(with_verdict), "item_id"]
    return keyless | ({*unjudged} if with_verdict else set())


def _keyed(items: pd.DataFrame, *names: str) -> pd.Series:
    """Whether a question has a key, or one of the names in its metadata."""
    names = {"answers", *names}
    return items["answer"].notna() | items["metadata"].map(lambda more: bool(names & more.keys()))


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
        names = {*outputs["model"], *of_judges["judged"]}
        return [*results, *_scores(name, {"score": of_judges}, items, names)], lines
    withheld = []
    if outputs["given"].notna().any() or _keyed(items).any():
        outputs, withheld = withholding.certain(withholding.judged_wrong(outputs), method)
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
        return _scores(name, {"score": outputs}, items), withheld
    if method is None and answers["correct"].isna().all():
        return [], keyless
    if method is None and (alone := withholding.alone(answers)):
        return [], [*withheld, alone]
    groups = (x for x in ("language", "subject") if 1 < items[x].nunique() <= _GROUPS)
    ranked = partial(leaderboard.ranked, benchmark=name, items=items, by=next(groups, None))
    board = ranked(answers, method=method)
    differences = withholding.differences(board)
    if differences and method is None:
        # a log's own score is what its authors know
        board = ranked(answers, method="given")
    if method is None and (
        off := withholding.off(board, outputs)
        | withholding.none_right(board.answers)
        | withholding.unnamed(board, items)
    ):
        withheld += off.values()
        answers = answers[~_runs(answers).isin([*off])]
        if answers.empty:
            return [], withheld
        board = ranked(answers, method=board.method)
    results = [board]
    runs = board.frame.loc[board.frame["rank"].notna(), "run"].to_list()
    if 1 < len(runs) <= 8:
        shown = board.frame.set_index(RUN).index  # of which runs have their names
        answers = answers[_runs(answers).isin(shown)]
        results.append(comparisons.compared(answers, name, runs, items, method=board.method))
    return results, [*withheld, *differences, *_unread(board, outputs)]


def _runs(frame: pd.DataFrame) -> pd.Index:
    """Model and setting of each row, those of samples together."""
    return extracted.pooled(frame).set_index(RUN).index


def _by_column(outputs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Outputs with the scores of each column that is called a score, by its name."""
    logged = pd.DataFrame([*outputs["scored"].dropna()], outputs.index[outputs["scored"].notna()])
    logged = {name: scores.dropna() for name, scores in logged.items() if scores.notna().any()}
    return {
        name: outputs.assign(given=scores.map(lambda score: {"score": score}))
        for name, scores in logged.items()
    }


def _scores(
    name: str, scored: dict[str, pd.DataFrame], items: pd.DataFrame, names: Iterable[str] = ()
) -> list[judges.Scores]:
    """Mean scores by their name, also of the runs that `names` are; none without scores."""
    if not scored:
        return []
    parts = [(score, *_judgments(outputs, items)) for score, outputs in scored.items()]
    means = [_means(judged).assign(score=f"{score} ({scale})") for score, judged, scale in parts]
    frame = pd.concat(means, ignore_index=True)
    names = {*names, *(run for _, judged, _ in parts for run in judged["model"])}
    return [judges.Scores(name, frame, sorted(names - {*frame["run"]}))]


def _judgments(outputs: pd.DataFrame, items: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Judgments of runs, by the log itself where it does not say by whom; which scores occur."""
    logged = outputs["given"].dropna()
    scores = logged.map(lambda given: float(given.get("score", given.get("correct"))))
    outputs = extracted.pooled(outputs).assign(response=None)
    if not outputs["judged"].notna().all():
        outputs = outputs.assign(judged=extracted.runs(outputs), model="the log's own")
    judged = judgments.from_outputs(outputs, items, **scale(scores))
    return judged, f"{scores.min():.3g} to {scores.max():.3g}"


def _means(judged: pd.DataFrame) -> pd.DataFrame:
    """Mean scores, also of languages where these are not many, with how many questions have any."""
    means = judgments.means(judged).query("metric == 'score'")
    if not 1 < judged["language"].nunique() <= _GROUPS:
        means = means[means["group_by"] == "average"]
    means = means.sort_values("value", ascending=False).rename(columns={"model": "run"})
    language = means["group"].where(means["group_by"] == "language", judges.LANGUAGES)
    scored = judged.dropna(subset="score")
    both = pd.concat([scored, scored.assign(language=judges.LANGUAGES)])
    asked = both.groupby(["model", "judge", "language"])["item_id"].nunique()
    rows = zip(means["run"], means["setting"], language, strict=True)
    questions = [asked[row] for row in rows]
    return means.assign(judge=means["setting"], language=language, questions=questions)


def _unread(board: leaderboard.Leaderboard, outputs: pd.DataFrame) -> list[str]:
    """How many questions are in no accuracy."""
    read = board.answers.loc[board.answers["method"] == board.method, "item_id"]
    asked = outputs.loc[_runs(outputs).isin(board.frame.set_index(RUN).index), "item_id"]
    n = len({*asked} - {*read})
    return [f"{n:,} questions are in no accuracy: {board.method} does not read their answers"] * (
        n > 0
    )


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
    boards = [x for x in results if isinstance(x, (leaderboard.Leaderboard, judges.Scores))]
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
