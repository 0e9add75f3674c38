"""Schemas of the frames at the four stations: items -> outputs -> answers -> results.

Every station is one tidy frame. `check` returns the frame or raises a `DataError` that names
column, row and reason. Columns that a schema does not name are kept.
"""

from collections.abc import Iterable
from functools import partial
from string import ascii_uppercase

import pandas as pd
import pandera.pandas as pa

from analysis.errors import DataError, refuse_unknown

_OUTSIDE = "answer is not the label of an option"
NO_SETTING = "none"  # of answers whose output names no setting
SUFFIX = "-judgments"  # of the benchmark's name under which a judge's texts are cached
SOURCES = ("published", "digitized", "reconstructed", "run")


def labels(n_options: int) -> list[str]:
    """Choice labels of a question: A, B, ... up to 26 options, else 1, 2, ..."""
    if n_options <= 26:
        return list(ascii_uppercase[:n_options])
    return [str(i + 1) for i in range(n_options)]


def _answer_is_an_option(frame: pd.DataFrame) -> pd.Series:
    ok = [
        pd.isna(answer) or answer in labels(len(options))
        for answer, options in zip(frame["answer"], frame["options"], strict=True)
    ]
    return pd.Series(ok, frame.index, bool)


_schema = partial(pa.DataFrameSchema, coerce=True)
_TEXT = pa.Column(str, pa.Check.str_length(min_value=1, error="is empty"))
_OPTIONAL = pa.Column(str, nullable=True)
_NUMBER = pa.Column(float, nullable=True)
# not coerced: the `str` type of pandas holds no lone surrogates, and raw text may
_ANYTHING = pa.Column(nullable=True)
_OPTIONS = pa.Check(
    lambda value: isinstance(value, list | tuple) and len(value) != 1,
    element_wise=True,
    error="is not a list of two or more (or no) options",
)
_NAMED = "paper artifact benchmark model setting group_by group metric".split()
_STATIONS = {
    "items": _schema(
        {
            **dict.fromkeys(["benchmark", "item_id", "language", "subject"], _TEXT),
            "category": _OPTIONAL,
            "question": _TEXT,
            "options": pa.Column(checks=_OPTIONS),
            "answer": _OPTIONAL,
            "metadata": pa.Column(),
        },
        checks=pa.Check(_answer_is_an_option, error=_OUTSIDE),
    ),
    "outputs": _schema(
        {
            **dict.fromkeys("key benchmark item_id model revision runner".split(), _TEXT),
            "request": pa.Column(),
            **dict.fromkeys(["response", "scores"], _ANYTHING),
            "finish_reason": _OPTIONAL,
            "usage": _ANYTHING,
            "error": _OPTIONAL,
            "time": _TEXT,
        },
    ),
    "answers": _schema(
        {
            **dict.fromkeys(["benchmark", "item_id", "model", "setting", "method"], _TEXT),
            "choice": _OPTIONAL,
            "why": _TEXT,
            "correct": pa.Column("boolean", nullable=True),
        },
    ),
    "results": _schema(
        {
            **dict.fromkeys(_NAMED, _TEXT),
            "value": _NUMBER,
            "unit": _TEXT,
            "n": pa.Column("Int64", pa.Check.ge(0, error="is negative"), nullable=True),
            **dict.fromkeys(["ci_low", "ci_high"], _NUMBER),
            "source": pa.Column(
                str, pa.Check.isin(SOURCES, error=f"is none of {', '.join(SOURCES)}")
            ),
        },
    ),
}
# columns whose values no two rows share; `sample` where the same is asked several times
_KEYS = {
    "items": ["benchmark", "item_id"],
    "outputs": ["key"],
    "answers": ["benchmark", "item_id", "model", "setting", "method", "sample"],
    "results": [],
}


def check(frame: pd.DataFrame, station: str) -> pd.DataFrame:
    """Return `frame` in the schema's types, or refuse it.

    Answers that say no setting get `NO_SETTING`.

    Raises
    ------
    DataError
        With the first offending column, its row (zero-based position) and the reason.
    """
    if station == "answers":
        setting = pd.Series(frame.get("setting"), frame.index, dtype=object)
        frame = frame.assign(setting=setting.fillna(NO_SETTING))
    for column in columns(station):
        if column not in frame:
            raise DataError(f"{station}: column is missing", field=column)
    try:
        frame = _STATIONS[station].validate(frame, lazy=True)
    except pa.errors.SchemaErrors as failure:
        raise _first(frame, station, failure.failure_cases) from None
    keys = [name for name in _KEYS[station] if name in frame]
    if keys and (repeated := frame.duplicated(keys)).any():
        field = ", ".join(keys)
        reason = f"{station}: the same {field} stands in another row"
        raise DataError(reason, line=int(repeated.argmax()), field=field)
    return frame


def results(rows: Iterable[dict] = ()) -> pd.DataFrame:
    """Rows as checked results."""
    return check(pd.DataFrame(rows, columns=columns("results")), "results")


def _first(frame: pd.DataFrame, station: str, cases: pd.DataFrame) -> DataError:
    check, field, value, place = cases.iloc[0][["check", "column", "failure_case", "index"]]
    row = None if pd.isna(place) else int(frame.index.get_indexer_for([place])[0])
    if check == _OUTSIDE:
        field, value = "answer", frame["answer"].iloc[row]
    words = {"not_nullable": "is missing", "coerce_dtype": "is not a number"}
    reason = words.get(check.partition("(")[0], check)
    return DataError(f"{station}: {reason} (value {str(value)[:80]!r})", line=row, field=field)


def columns(station: str) -> list[str]:
    """Names of the columns that a station must have, in order."""
    return list(_STATIONS[station].columns)


def where(frame: pd.DataFrame, strict: bool = True, **wanted: object) -> pd.DataFrame:
    """Rows of `frame` whose columns equal the given values (or are among the given lists), index
    renewed.

    Raises
    ------
    DataError
        For a column that is not there, or, if `strict`, a value that no row has, with the nearest
        one.
    """
    for column, value in wanted.items():
        refuse_unknown("column", frame.columns, column)
        values = value if pd.api.types.is_list_like(value) else [value]
        if strict:
            choices = frame[column].dropna().unique()
            refuse_unknown(column, choices, *values)
        frame = frame[frame[column].isin(values)]
    return frame.reset_index(drop=True)
