"""The trust gate: what is withheld. Does a method read these outputs at all? Asked before any
accuracy, rank, comparison or choice bias is shown.

A failure of reading must never look like a result: a method that finds a choice in a quarter of the
responses gives an accuracy, and it says nothing about the model.
"""

import numpy as np
import pandas as pd

from analysis.answers import ANY, RUN, coverage, label
from analysis.answers.counting import EXACT
from analysis.answers.marking import type_of
from analysis.errors import DataError, refuse_unknown
from analysis.statistics.intervals import wilson

# least share (%) of the responses in words, refusals left out, in which a trusted method finds one
# choice
_READ = 80.0
_MARGIN = 5.0  # points of accuracy beyond which two methods that both read are told apart
_PREFERRED = "final_answer"  # taken for leaderboards wherever it applies and reads
_KEYS = ["benchmark", *RUN]


def gate(answers: pd.DataFrame, chance: float | None = None) -> pd.DataFrame:
    """What each method read of each run, and whether its numbers can be trusted.

    Parameters
    ----------
    answers : answers
        By one method or more.
    chance : float, optional
        Accuracy (%) of guessing. A method whose accuracy lies below it beyond doubt, with most
        responses unread or where another method is beyond doubt above it, is not trusted.

    Returns
    -------
    DataFrame
        The rows and columns of `answers.coverage`, and: `readable` (responses in words that are no
        refusal), `read_rate` (%, answered of readable), `reads_most` (the method that reads most of
        this run's responses) with `most_rate`, `differ` (the
        largest distance in accuracy, in points, to another method that reads the same items of this
        run, `other`), `trusted`, `why` not (empty where trusted), and `note` (what a reader must
        know first; empty where there is nothing to say).
    """
    table = coverage(answers)
    readable = table["n"] - table["empty"] - table["failed"] - table["refused"]
    table = table.assign(
        readable=readable, read_rate=100 * table["answered"] / readable.where(readable > 0)
    )
    reads = table["read_rate"].ge(_READ)
    alike = table["n"].eq(table.groupby(_KEYS)["n"].transform("max"))  # of the same items
    low, high = 100 * np.array(wilson(table["correct"], table["keyed"]))
    above = reads & alike & (low > (chance or 0))
    run = [table[name] for name in _KEYS]
    elsewhere = above.groupby(run).transform("any")
    unread = table["answered"] < table["readable"] / 2
    below = (high < (chance or 0)) & (unread | elsewhere)
    accuracy = table["accuracy"].where(alike)
    counted = reads & alike & ~below
    among = table[["method", "accuracy"]].where(counted).sort_values("accuracy")
    among = among.groupby(run)
    lowest, highest = among.transform("first"), among.transform("last")
    fall, rise = accuracy - lowest["accuracy"], highest["accuracy"] - accuracy
    order = table.assign(below=below).sort_values(["below", "read_rate"], ascending=[True, False])
    most = order.groupby(_KEYS)[["method", "read_rate"]].transform("first")
    cases = [table["readable"].eq(0), ~reads, below]
    why = np.select(cases, ["no responses", "reads too little", "below guessing"], "")
    table = table.assign(
        reads_most=most["method"],
        most_rate=most["read_rate"],
        differ=np.fmax(fall, rise),
        other=lowest["method"].where(fall > rise, highest["method"]),
        trusted=why == "",
        why=why,
    )
    return table.assign(note=[_sentence(row) for _, row in table.iterrows()])


def chance(items: pd.DataFrame) -> float | None:
    """Accuracy (%) of guessing one of the options; an item that wants no label, or several, is
    guessed never. None where no item has options, or a log has keys alone and no options.
    """
    if items["metadata"].map(lambda metadata: "options" in metadata).any():
        return None
    sizes = items["options"].map(len)
    one = sizes.gt(0) & items["metadata"].map(type_of).eq("choice")
    return float(100 * (1 / sizes[one]).sum() / len(items)) if one.any() else None


def _sentence(row: pd.Series) -> str:
    """What a reader must know first about one row of `gate`; empty where there is nothing to say.

    Examples
    --------
    >>> counts = {"method": "da", "answered": 101, "readable": 375, "read_rate": 26.9}
    >>> most = {"reads_most": "caa", "most_rate": 93.1}
    >>> why = {"trusted": False, "why": "reads too little", "differ": float("nan")}
    >>> for part in _sentence(pd.Series(counts | most | why)).split(": "):
    ...     print(part)
    DA does not read these outputs
    it found a choice in 101 of 375 responses (26.9 %). CAA finds most, 93.1 %.
    """
    name, most = (
        text[:1].upper() + text[1:] for text in (label(row["method"]), label(row["reads_most"]))
    )
    if row["why"] == "no responses":
        return (
            f"{name} has nothing to read: every request failed, was refused, or came back "
            "without words."
        )
    if not row["trusted"]:
        counted = (
            f"it found a choice in {row['answered']:,} of {row['readable']:,} responses "
            f"({row['read_rate']:.3g} %)"
        )
        text = f"{name} does not read these outputs: {counted}."
        if row["why"] == "below guessing":
            text = f"{name} is withheld: {counted}, and guesses are right more often."
        if row["reads_most"] == row["method"] or not row["most_rate"] > 0:
            return text
        return f"{text} {most} finds most, {row['most_rate']:.3g} %."
    if row["differ"] > _MARGIN:
        return (
            f"Methods disagree: {label(row['method'])} and "
            f"{label(row['other'])}, which both find choices in most responses, are "
            f"{row['differ']:.1f} points apart."
        )
    return ""


def preferred(answered: pd.Series, reasons: pd.Series) -> str:
    """`_PREFERRED` where it applies, else the method that reads most.

    A log's own verdicts go before a method for which few responses state an answer: a last number
    is but a guess.

    Parameters
    ----------
    answered : Series
        Method -> number of choices.
    reasons : Series
        Why there is a choice or none -> how often, over all methods.
    """
    method = _PREFERRED if _PREFERRED in answered else answered.idxmax()
    stated = answered[method] - reasons.reindex(EXACT[2:]).sum()
    verdicts = reasons[reasons.index.str.endswith("verdict")].sum()
    return "given" if 100 * stated < _READ * verdicts else method


def choose(answers: pd.DataFrame, method: str | None = None) -> str:
    """The method for comparing runs: the one asked for, else `preferred`; "any" where no answers
    depend on one.

    Raises
    ------
    DataError
        Where there are no answers, or none by the method asked for.
    """
    if answers.empty:
        raise DataError("there are no answers to choose a method for")
    read = answers[answers["method"] != ANY]
    if read.empty:
        return ANY
    answered = read["choice"].notna().groupby(read["method"], sort=False).sum()
    if method is None:
        method = preferred(answered, read["why"].value_counts())
    refuse_unknown("method with answers", answered.index, method)
    return method
