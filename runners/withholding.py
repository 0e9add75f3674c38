"""Why a run of a log has no accuracy, and where the log says another one than is read."""

import re

import numpy as np
import pandas as pd

from analysis import answers as extracted
from analysis import schemas
from analysis.answers import RUN
from analysis.answers.marking import type_of
from analysis.results import leaderboard
from runners import log_runs
from runners.importers import summaries

_LOGGED = ("the choices in the log are {:.1f}", "the log itself says {:.1f}")
_MANY = 100  # outputs, of which not all are wrong, or those of another run, by chance
_SOME = 10  # outputs, of which not all choices are wrong by chance
_ALONE = (
    "withheld: the log marks {} of {:,} outputs as right: they may be a selection, or nothing was "
    "checked; {} shows what is read"
)
_SELECTED = re.compile(r"(?i)(?<![^\W_])(?:fail(?:ed|ures?)?|wrong|incorrect|mistakes?)(?![^\W_])")
_MOVES = "which can move its accuracy by more than a point"
_FEWEST = 20  # answers, of which one that is often the key is chosen
_OFTEN = 0.1  # share of the questions with one key
_POINT = 1.0  # of accuracy, that a leaderboard may be off
_MUCH = 10.0  # points of accuracy, that are no chance where a log has none


def _explicit(logged: pd.DataFrame) -> pd.Series:
    """Whether a log says what was chosen, or whether it is right."""
    return logged["choice"].notna() | logged["why"].str.contains("verdict")


def alone(answers: pd.DataFrame) -> str | None:
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


def judged_wrong(outputs: pd.DataFrame) -> pd.DataFrame:
    """Outputs where those without an answer are wrong, and no choices, in runs with verdicts."""
    run = log_runs.run_of(outputs)
    judged = outputs["given"].map(lambda given: "correct" in (given or {})).groupby(run)
    unsaid = ~outputs["given"].map(lambda given: any((given or {}).values()))
    empty = unsaid & outputs["error"].notna() & judged.transform("any")
    wrong = pd.Series([{"correct": False, "choice": None}] * len(outputs), outputs.index)
    return outputs.assign(given=outputs["given"].where(~empty, wrong))


def certain(outputs: pd.DataFrame, method: str | None) -> tuple[pd.DataFrame, list[str]]:
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
        empty = int((rows["error"].notna() & ~chosen(rows, "score")).sum())
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


def chosen(outputs: pd.DataFrame, *more: str) -> pd.Series:
    """Whether a log says what an output chose, or has one of more fields."""
    names = ("choice", *more)
    given = outputs["given"].map(lambda given: given or {})
    return given.map(lambda given: any(given.get(name) not in (None, "", []) for name in names))


def _without_verdict(rows: pd.DataFrame) -> int:
    """How many outputs of a run have neither verdict nor choice, where others have a verdict."""
    judged = rows["given"].map(lambda given: "correct" in (given or {}))
    answered = rows["error"].isna() & ~chosen(rows)
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


def off(board: leaderboard.Leaderboard, outputs: pd.DataFrame) -> dict[str, str]:
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


def none_right(answers: pd.DataFrame) -> dict[tuple, str]:
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


def unnamed(board: leaderboard.Leaderboard, items: pd.DataFrame) -> dict[tuple, str]:
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
        if never and len(rows) >= _FEWEST and _OFTEN / 2 < others < 1:
            lines[run] = (
                f"withheld: {_name(run)}: no output is read as {words.get(never[0], never[0])!r}, "
                f"which is often the key, and {100 * others:.0f} % as no key: keys and answers may "
                "have other names"
            )
    return lines


def differences(board: leaderboard.Leaderboard) -> list[str]:
    """Where the accuracy that a log says, or that of its choices, is over a point from ours."""
    logged = board.answers[board.answers["method"] == "given"].astype({"correct": float})
    logged = logged[_explicit(logged).groupby([logged[name] for name in RUN]).transform("any")]
    logged = logged.assign(judged=logged["why"].str.contains("verdict"))
    by_item = logged.groupby([*RUN, "item_id"])[["correct", "judged"]].mean()
    in_log = by_item.groupby(RUN).mean().rename(columns={"correct": "logged"})
    both = board.frame.join(in_log, on=RUN)
    both["logged"] *= 100
    near = (both["logged"] - both["accuracy"]).abs() <= _POINT
    return [
        f"{row.run}: {_LOGGED[row.judged > 0].format(row.logged)} % right, {board.method} reads "
        + ("no accuracy" if np.isnan(row.accuracy) else f"{row.accuracy:.1f} %")
        for row in both[both["logged"].notna() & ~near].itertuples()
    ]
