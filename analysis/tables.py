"""Tables that look like the paper's: printed digits in the printed order, with a mark where the recomputed number differs."""

import pandas as pd

from analysis.errors import DataError
from analysis.results import published

MARK = "†"
ON = ["benchmark", "model", "setting", "group_by", "group", "metric"]


def beside(printed: pd.DataFrame, recomputed: pd.DataFrame, slack: float = 0.0) -> pd.DataFrame:
    """Printed numbers with the recomputed ones beside them.

    Parameters
    ----------
    printed : DataFrame
        Rows of `published.results`.
    recomputed : DataFrame
        `results` whose identifying columns fit; an average matches whatever its `group` says it is over.
    slack : float
        Difference, beyond half a unit of the last printed digit, that rounded parts explain.

    Returns
    -------
    DataFrame
        `printed` with `recomputed`, `difference`, `n`, `ci_low`, `ci_high` of the recomputed number, and `agrees` (missing where
        nothing was recomputed).
    """
    right = recomputed.assign(group=recomputed["group"].where(recomputed["group_by"] != "average", "printed"))
    right = right[[*ON, "value", "n", "ci_low", "ci_high", "source"]].rename(
        columns={"value": "recomputed", "source": "recomputed_from"}
    )
    if right.duplicated(ON).any():
        raise DataError("two recomputed numbers for the same cell", field=", ".join(ON))
    both = printed.drop(columns=["n", "ci_low", "ci_high"]).merge(right, on=ON, how="left", validate="many_to_one")
    difference = both["recomputed"] - both["value"]
    agrees = difference.abs() <= 0.5 * 10.0 ** -both["decimals"].astype(float) + slack + 1e-9
    return both.assign(difference=difference, agrees=agrees.astype("boolean").mask(both["recomputed"].isna()))


def as_printed(
    beside: pd.DataFrame, rows: dict[str, str], columns: str = "group", names: dict[str, str] | None = None
) -> pd.DataFrame:
    """The paper's table: cells exactly as printed, `MARK` behind those that the recomputed number contradicts.

    Parameters
    ----------
    beside : DataFrame
        From `beside`, or `published.results` where nothing was recomputed.
    rows : dict of str to str
        Columns that make the row labels -> their headings.
    columns : str
        Column that makes the table's columns.
    names : dict of str to str, optional
        Heading of each column value; only these are shown, in this order.
    """
    marks = ~beside["agrees"].fillna(True) if "agrees" in beside else pd.Series(False, index=beside.index)
    cells = beside.assign(_cell=beside["printed"] + marks.map({True: MARK, False: ""}))
    wide = cells.pivot(index=list(rows), columns=columns, values="_cell")
    seen = pd.MultiIndex.from_frame(cells[list(rows)]).unique()
    names = names or {value: value for value in dict.fromkeys(cells[columns])}
    wide = wide.reindex(index=seen if len(rows) > 1 else seen.get_level_values(0), columns=list(names))
    wide = wide.rename(columns=names).rename_axis(index=rows, columns=None)
    return wide.reset_index()


def run_rows(results: pd.DataFrame, rows: dict[str, str], names: dict[str, str], decimals: int = 2) -> pd.DataFrame:
    """Recomputed results in the columns of `as_printed`, to stand below it."""
    cells = results.assign(_cell=results["value"].map(f"{{:.{decimals}f}}".format))
    wide = cells.pivot_table(index=list(rows), columns="group", values="_cell", aggfunc="first", sort=False)
    return wide.reindex(columns=list(names)).rename(columns=names).rename_axis(columns=None).reset_index().rename(columns=rows)


def column_names(paper: str, artifact: str) -> dict[str, str]:
    """Headings of a printed table's columns: its average first, then its groups in the printed order."""
    return {group: "Avg." if group == "printed" else group for group in published.order(paper, artifact, "group")}
