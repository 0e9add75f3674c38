"""Logs where they are: what they have, a leaderboard and a comparison of it; nothing is written."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analysis import answers as extracted
from analysis import outputs as cached
from analysis import schemas
from analysis.answers import RUN, judgments
from analysis.errors import DataError, unknown
from analysis.items import derived, finding
from analysis.items import read as read_items
from analysis.results import comparisons, judges, leaderboard
from analysis.results.shown import Result
from analysis.text import spreadsheet, visible
from runners import importers
from runners.importers import Log, attempts, table
from runners.importers.base import scale
from runners.importers.table import DIGEST

NOT_READ = (
    "no method reads these outputs: neither options nor keys that can be matched are told; name a "
    "file that has them, with the same words or ids of the questions: polyexam look LOGS FILE"
)
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
        looks.append(Look([*head, *more], results))
    return looks


def parts(sources: list[Path], log: Log, command: str) -> Iterator[tuple]:
    """Each benchmark of logs: its name, what was read and left out, outputs (first turns and
    judgments) and questions; see `look`.
    """
    form, log.items = importers.sniff(sources[0]), {}
    home = sources[0].resolve()
    log.otherwise["benchmark"] = f"={home.name if home.is_dir() else home.parent.name}"
    records, log = _with_keys(form, sources, log, command)
    frame = pd.DataFrame(records, dtype=object)  # texts may have lone surrogates
    frame, twice = _once(_of_parts(frame, log))
    for name, tasks in benchmarks(frame["benchmark"].unique()).items():
        outputs = frame[frame["benchmark"].isin(tasks)]
        items = pd.concat([_items(task, log, outputs) for task in tasks], ignore_index=True)
        if len(tasks) > 1:
            outputs, items = (_as_subjects(part, name) for part in (outputs, items))
        asked = outputs["item_id"].isin(items["item_id"])
        n, runs = len(outputs), len(outputs[["model", "setting"]].drop_duplicates())
        head = [
            f"{name}: {len(items):,} questions, {runs} run{'s' * (runs != 1)}, "
            f"{n:,} outputs ({form})"
        ]
        head += [*log.summary(n, n - int(asked.sum())), *twice]
        first = outputs["turn"].fillna(1).eq(1) | outputs["judged"].notna()
        outputs = outputs[asked & first].reset_index(drop=True)
        samples = outputs["request"].str["sample"]
        about = pd.DataFrame({"sample": samples, "digest": 0})
        outputs["setting"] = cached.settings(outputs, lambda about=about: about)
        yield name, head, outputs, items


def _with_keys(form: str, sources: list[Path], log: Log, command: str) -> tuple[list[dict], Log]:
    """The records of logs, and how they were read: where they have no keys, with a file among them
    that has no responses as the benchmark, if it has the questions: by their words or, where the
    logs have none, by ids that are not numbers of rows of another file.
    """
    records, plain = attempts.gathered(form, sources, log, command)
    guessed = plain.guessed
    known = (
        guessed.get("answer", "") != "(none)"
        if plain.items
        else any(x.get("given") for x in records)
    )
    if known or {"correct", "benchmark"} & (guessed | plain.columns).keys():
        return records, plain
    field = "question" if plain.items and guessed.get("question") != "(none)" else "item_id"
    asked = {item[field] for item in plain.items.values() or records}
    there = {file for source in sources for file in table.files_of(source, log)}
    for file in sorted(there - plain.files):
        with suppress(DataError):
            name = finding.known(file)
            have = {getattr(item, field) for item in plain.stored(name).values()}
            most = len(asked & have) > 0.9 * len(asked)
            if asked == have or (most and not all(map(str.isdecimal, asked))):
                columns = {"benchmark": f"={name}"}
                if plain.items:
                    columns["item_id"] = DIGEST if field == "question" else guessed[field]
                keyed = plain.varied(columns)
                joined = [*importers.records(form, sources, keyed)]
                keyed.guessed["answer"] = f"(in {file})"
                keyed.problems = [one for one in keyed.problems if one.file != file]
                return joined, keyed
    return records, plain


def _of_parts(frame: pd.DataFrame, log: Log) -> pd.DataFrame:
    """Outputs whose models are files' names: where these differ in numbers alone, and no question
    is in two files, the files are parts of one run.
    """
    files = frame["model"].unique()
    alike = len({re.sub(r"\d+", "", name) for name in files}) == 1 < len(files)
    named = "answer" not in log.guessed or {"model", "question"} & log.guessed.keys()
    if named or not alike or frame["item_id"].duplicated().any():
        return frame
    return frame.assign(model=frame["benchmark"])


def _once(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Outputs without runs whose responses are all those of another one: a log saved twice; and
    lines on these.
    """
    runs = frame["benchmark"] + " " + frame["model"] + " " + frame["setting"].fillna("")
    responses = frame["response"].where(frame["response"].str.len() >= _ALIKE)
    texts = (frame["item_id"] + responses).dropna().groupby(runs).agg(frozenset)
    again = texts.index[texts.duplicated() & (texts.map(len) >= _ALIKE)]
    return frame[~runs.isin(again)], [
        f"left out: {name}, whose responses are all those of another run" for name in again
    ]


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
        names = outputs["item_id"].unique()
        rows = [{"item_id": x, "question": f"({x})", "options": [], "metadata": {}} for x in names]
    items = pd.DataFrame(rows, columns=list(derived.FIELDS)).assign(benchmark=benchmark)
    items = items.fillna({"language": "und", "subject": "all"})
    return schemas.check(items[schemas.columns("items")], "items")


def benchmarks(names: Iterable[str]) -> dict[str, list[str]]:
    """Benchmark -> its tasks: several whose names begin with one word are one, but tasks of a
    package (``inspect_evals/mmlu_pro``) are benchmarks.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        stem = name if "/" in name else re.split(r"[_:|-]", name)[0]
        groups.setdefault(stem, []).append(name)
    return {stem if len(tasks) > 1 else tasks[0]: tasks for stem, tasks in groups.items()}


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
    if outputs.empty:
        return [], []
    answers = extracted.with_clusters(extracted.extract(outputs, items), items)
    if answers.empty:
        return [], [NOT_READ]
    given = answers["method"].eq("given") & answers["choice"].notna()
    if given.all() and answers["why"].eq("the log's score").any():
        return [], ["", *_judged(outputs, items)]
    board = leaderboard.ranked(answers, name, items, method=method)
    differences = _differences(board)
    if differences and method is None:
        # a log's own score is what its authors know
        board = leaderboard.ranked(answers, name, items, method="given")
    results = [board]
    runs = board.frame.loc[board.frame["rank"].notna(), "run"].to_list()
    if 1 < len(runs) <= 8:
        results.append(comparisons.compared(answers, name, runs, items, method=board.method))
    return results, differences


def _judged(outputs: pd.DataFrame, items: pd.DataFrame) -> list[str]:
    """Mean scores of a table that has nothing but scores, by who gave them."""
    outputs = outputs.dropna(subset="given")
    scores = outputs["given"].map(lambda given: float(given.get("score", given.get("correct"))))
    judge = outputs["setting"].where(outputs["setting"].ne(schemas.NO_SETTING), "the log's own")
    named = outputs.assign(response=None)
    if named["judged"].isna().any():
        named = named.assign(judged=outputs["model"], model=judge)
    limits = scale(scores)
    judged = judgments.from_outputs(named, items, **limits)
    means = judgments.means(judged).query("metric == 'score' and group_by == 'average'")
    table = judges.score_table(means.sort_values("value", ascending=False))
    note = "Scores from {low} to {high}; intervals are of questions drawn.".format(**limits)
    return [*table.map(lambda x: visible(str(x))).to_string(index=False).splitlines(), "", note]


def _differences(board: leaderboard.Leaderboard) -> list[str]:
    """Where the logs' own accuracy is more than a point from ours."""
    logged = board.answers[board.answers["method"] == "given"]
    own = 100 * logged.astype({"correct": float}).groupby(RUN)["correct"].mean()
    both = board.frame.join(own.rename("own"), on=RUN)
    far = both[(both["own"] - both["accuracy"]).abs() > 1]
    return [
        f"{row.run}: the log itself says {row.own:.1f} % right, {board.method} reads "
        f"{row.accuracy:.1f} %"
        for row in far.itertuples()
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
