"""The contract of a method, and the one function that makes an answers frame of its readings.

A method reads one value of a run's output (its response, its scores, or what a log says of it) with
the texts of the item's options, and returns a `Reading`. All else is done here: missing responses,
failed requests, reasoning, the item's facts, right and wrong.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.answers.marking import credit
from analysis.errors import DataError

_ROWS = 2**14  # read together, so that texts of an Arrow column become Python's a block at a time
NO_RESPONSE, FAILED, UNREAD = "no response", "request failed", "no answer found"
_CUT_OFF = ("length", "max_tokens")  # finish reasons of a response that broke off


class Reading(NamedTuple):
    """What a method reads in one response.

    Attributes
    ----------
    choice : str or None
        Label of the chosen option; several labels with commas, a number or a text where the item
        asks for that.
    why : str
        The rule that gave the choice, or why there is none.
    places : callable
        Finds where the labels or texts that decided are in the response that was read: a (begin,
        end) each.
    """

    choice: str | None
    why: str
    places: Callable[[str], tuple] = lambda text: ()


def answers_frame(
    method, outputs: pd.DataFrame, facts: pd.DataFrame, options: Mapping
) -> pd.DataFrame:
    """Answers of one method.

    Parameters
    ----------
    method : Method
    outputs : DataFrame
        Rows that the method reads.
    facts : DataFrame
        `options`, `answer`, `metadata`, ... of the item of each row.
    options : mapping
        The method's own options.

    Returns
    -------
    DataFrame
        Answers in the order of `outputs`; `credit` (see `marking.credit`) where any is between 0
        and 1.

    Raises
    ------
    DataError
        For a missing column, or a value of a response or of scores that cannot be used, with its
        row.
    """
    facts = facts.assign(model=outputs["model"].to_numpy())
    readings = _readings(method, outputs, facts, options)
    choices, reasons, _ = zip(*readings, strict=True)
    named = outputs.reindex(columns=schemas.columns("answers"))
    frame = named.reset_index(drop=True).assign(
        method=method.name,
        choice=pd.Series(choices, dtype="str"),
        why=_with_causes(pd.Series(reasons, dtype="str"), outputs),
    )
    keys = facts["answer"].to_numpy(object)  # an array of Arrow gives its elements slowly
    credits = np.array(list(map(credit, choices, keys, facts["metadata"])), float)
    correct = pd.Series(credits >= 1, dtype="boolean").mask(np.isnan(credits))
    if ((credits > 0) & (credits < 1)).any():
        frame = frame.assign(credit=credits)
    if method.source == "given":
        # what a log says of right and wrong goes before our own comparison
        verdicts = pd.Series([log.get("correct") for log in outputs["given"]], dtype="boolean")
        correct = verdicts.combine_first(correct).mask(frame["why"].eq("the log's score"))
    return frame.assign(correct=correct)


def _readings(
    method, outputs: pd.DataFrame, facts: pd.DataFrame, options: Mapping
) -> list[Reading]:
    columns = [facts[name].tolist() for name in ("options", *method.facts)]
    models = outputs["model"].fillna("").tolist()
    readings = dict.fromkeys(range(len(outputs)), Reading(None, NO_RESPONSE))
    for start in range(0, len(outputs), _ROWS):
        block = outputs[method.source].iloc[start : start + _ROWS]
        values = dict(enumerate(block.to_numpy(object), start))
        if method.source == "response":
            texts = {
                row: method.final(_text(row, value), models[row]) for row, value in values.items()
            }
            values = {row: text for row, text in texts.items() if text.strip()}
        about = [[column[row] for row in values] for column in columns]
        read = method.read if method.together else partial(_one_by_one, method, values)
        readings |= dict(zip(values, read([*values.values()], *about, **options), strict=True))
    return [*readings.values()]


def _one_by_one(method, rows, *columns, **options) -> Iterator[Reading]:
    for row, *about in zip(rows, *columns, strict=True):
        try:
            yield method.read(*about, **options)
        except DataError as error:
            raise DataError(error.reason, line=row, field=error.field) from None


def _text(row: int, value: object) -> str:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return ""
    reason = f"a response is text or missing, not {type(value).__name__}"
    raise DataError(reason, line=row, field="response")


def _with_causes(reasons: pd.Series, outputs: pd.DataFrame) -> pd.Series:
    """Reasons with what the output says of a response that is missing or broke off."""
    about = outputs.reindex(columns=["error", "finish_reason"]).reset_index(drop=True)
    failed = reasons.eq(NO_RESPONSE) & about["error"].notna()
    cut = reasons.eq(UNREAD) & about["finish_reason"].isin(_CUT_OFF)
    return reasons.mask(failed, FAILED).mask(cut, f"{UNREAD}: cut off")
