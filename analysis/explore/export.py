"""Frames for papers and spreadsheets: booktabs LaTeX, CSV, Parquet."""

from pathlib import Path

import pandas as pd

from analysis import typeset_latex
from analysis.errors import DataError, refuse_unknown
from analysis.text import spreadsheet
from analysis.whole import writing


def latex(
    results: pd.DataFrame,
    rows: str | list[str] = "model",
    columns: str = "group",
    *,
    decimals: int = 1,
    caption: str = "",
    label: str = "tab:results",
    **layout: object,
) -> str:
    """Results as a LaTeX table, to be put into a paper with the preamble of docs/tables.tex.

    Parameters
    ----------
    results : DataFrame
        One number a cell: choose metric, setting and source first.
    rows, columns : str or list of str, str
        Columns of `results` that make rows and columns, in the order in which they come.
    decimals : int
    caption, label : str
    **layout
        `width` ("column", "text", "page") and `top` (rows), see `typeset_latex.table`.

    Raises
    ------
    DataError
        For an unknown column, or two numbers for one cell.

    Examples
    --------
    >>> rows = [("model-a", "STEM", 28.04), ("model-a", "Law", 34.02)]
    >>> scores = pd.DataFrame(rows, columns=["model", "group", "value"])
    >>> table = latex(scores, caption="Accuracy (%).", label="tab:accuracy")
    >>> print(next(line for line in table.splitlines() if line.startswith("model-a")))
    model-a & 28.0 & 34.0 \\\\
    """
    rows = [rows] if isinstance(rows, str) else list(rows)
    names = [*rows, columns]
    refuse_unknown("column", results.columns, *names)
    if results.duplicated(names).any():
        raise DataError(
            "two numbers for one cell: choose metric, setting, source or artifact first"
        )
    cells = results.assign(value=results["value"].map(f"{{:.{decimals}f}}".format))
    # rows and columns in the order in which they come
    wide = cells.set_index(names)["value"].unstack(sort=False).fillna("–")
    wide.columns = list(map(str, wide))
    wide = wide.rename_axis([name.capitalize() for name in rows]).reset_index()
    return typeset_latex.table(wide, caption, label, decimals, **layout)


def save(frame: pd.DataFrame, file: str | Path) -> None:
    """Write a frame as CSV (safe for spreadsheets) or Parquet, by the ending of the name.

    The file appears complete or not at all.

    Raises
    ------
    DataError
        For another ending.
    """
    file = Path(file)
    refuse_unknown("format", [".csv", ".parquet"], file.suffix)
    with writing(file) as handle:
        if file.suffix == ".parquet":
            frame.to_parquet(handle, index=False)
        else:
            safe = {"mode": "wb", "lineterminator": "\n", "errors": "backslashreplace"}
            spreadsheet(frame).to_csv(handle, index=False, **safe)
