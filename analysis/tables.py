"""Tables that look like the paper's: printed digits in the printed order, with a mark where the
recomputed number differs.
"""

from collections.abc import Callable

import pandas as pd

from analysis import typeset
from analysis.papers import published

MARK = "†"
_ON = "benchmark model setting group_by group metric".split()
_LIMITS = ["n", "ci_low", "ci_high"]


def beside(printed: pd.DataFrame, recomputed: pd.DataFrame, slack: float = 0.0) -> pd.DataFrame:
    """Join printed numbers with the recomputed ones.

    Parameters
    ----------
    printed : DataFrame
        Rows of `published.results`.
    recomputed : DataFrame
        `results` whose identifying columns fit; an average matches whatever its `group` says it is
        over.
    slack : float
        Difference, beyond half a unit of the last printed digit, that rounded parts explain.

    Returns
    -------
    DataFrame
        `printed` with `recomputed`, `difference`, `n`, `ci_low`, `ci_high` of the recomputed
        number, and `agrees` (missing where nothing was recomputed).
    """
    right = recomputed.assign(group=_as_grouped(recomputed))[[*_ON, "value", *_LIMITS, "source"]]
    right = right.rename(columns={"value": "recomputed", "source": "recomputed_from"})
    both = printed.drop(columns=_LIMITS).merge(right, on=_ON, how="left", validate="m:1")
    difference = both["recomputed"] - both["value"]
    agrees = difference.abs() <= 0.5 * 10.0 ** -both["decimals"].astype(float) + slack + 1e-9
    agrees = agrees.astype("boolean").mask(difference.isna())
    return both.assign(difference=difference, agrees=agrees)


def _as_grouped(results: pd.DataFrame) -> pd.Series:
    """Groups as papers print them: an average does not say over what."""
    return results["group"].mask(results["group_by"] == "average", "printed")


def as_printed(
    beside: pd.DataFrame,
    rows: dict[str, str],
    columns: str = "group",
    names: dict[str, str] | None = None,
) -> pd.DataFrame:
    """The paper's table: cells exactly as printed, `MARK` behind those that the recomputed number
    contradicts.

    Models have the project's names, or, where one stands in two rows of a table, the printed ones
    that tell them apart.

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
    if beside.duplicated([*rows, columns]).any():
        beside = beside.assign(model=beside["printed_model"])
    cells = beside["printed"]
    if "agrees" in beside:
        cells = cells.mask(~beside["agrees"].fillna(True), cells + MARK)
    names = names or {value: value for value in beside[columns]}
    wide = cells.set_axis(pd.MultiIndex.from_frame(beside[[*rows, columns]]))
    wide = wide.unstack(columns, sort=False).rename_axis(columns=None).reset_index()
    return wide.reindex(columns=[*rows, *names]).rename(columns=rows | names)


def agreement(beside: pd.DataFrame, why: str = "the recomputed number differs") -> str:
    """Say in a caption what `MARK` means and whose numbers have it, with a space before; nothing
    where none has.
    """
    if "agrees" not in beside:
        return ""
    differs = ~beside["agrees"].fillna(True)
    models = ", ".join(beside.loc[differs, "model"].unique())
    return f" {MARK} {why} ({models})." if models else ""


def run_rows(results: pd.DataFrame, rows: dict[str, str], names: dict[str, str]) -> pd.DataFrame:
    """Results of runs in the columns of `as_printed`, and as their source the number of
    questions.
    """
    printed = results["value"].map("{:.2f}".format)
    cells = results.assign(group=_as_grouped(results), printed=printed)
    wide = as_printed(cells.drop_duplicates([*rows, "group"]), rows, names=names)
    n = results.groupby(list(rows), sort=False)["n"].max()
    return wide.assign(Source=n.map("run, n = {:,}".format).tolist())


def artifact_name(artifact: str) -> str:
    """How the paper calls a table or figure: `Table 1` for table_01, `Figure 3a` for figure_03a."""
    kind, _, number = artifact.partition("_")
    return f"{kind.capitalize()} {number.lstrip('0')}".strip()


def column_names(paper: str, artifact: str) -> dict[str, str]:
    """Headings of a printed table's columns: its average first, then its groups in the printed
    order.
    """
    return {
        group: "Avg." if group == "printed" else group
        for group in published.order(paper, artifact, "group")
    }


def shown(frame: pd.DataFrame, headings: dict[str, object]) -> pd.DataFrame:
    """A table for readers: headings in their order, a row a row of `frame`.

    Parameters
    ----------
    frame : DataFrame
    headings : dict
        Heading -> a column's name, a function of the frame (`interval`, `estimate`, `p_value`,
        `number` make some), or the values.

    Examples
    --------
    >>> row = {"model": "a", "value": 31.24, "ci_low": 30.1, "ci_high": 32.4, "p": 0.0002}
    >>> headings = {"Model": "model", "95 % interval": interval(), "p": p_value("p")}
    >>> shown(pd.DataFrame([row]), headings).to_dict("records")
    [{'Model': 'a', '95 % interval': '30.1 to 32.4', 'p': '< 0.001'}]
    """

    columns = {}
    for heading, what in headings.items():
        if isinstance(what, str):
            what = frame[what]
        columns[heading] = what(frame) if callable(what) else what
    return pd.DataFrame(columns, index=frame.index)


def number(column: str, decimals: int = 1, signed: bool = False, missing: str = "–") -> Callable:
    """A column as text, each number with its digits; a difference with its sign."""
    return lambda frame: frame[column].map(
        lambda value: missing if pd.isna(value) else typeset.cell(value, decimals, signed)
    )


def interval(
    low: str = "ci_low", high: str = "ci_high", decimals: int = 1, signed: bool = False
) -> Callable:
    """Two columns as "30.1 to 32.4"."""
    lows, highs = number(low, decimals, signed), number(high, decimals, signed)
    return lambda frame: [
        "–" if least == "–" else f"{least} to {most}"
        for least, most in zip(lows(frame), highs(frame), strict=True)
    ]


def estimate(
    value: str = "value",
    low: str = "ci_low",
    high: str = "ci_high",
    decimals: int = 1,
    signed: bool = False,
) -> Callable:
    """Three columns as "31.2 (30.1 to 32.4)", or with signs for a difference."""
    values, intervals = number(value, decimals, signed), interval(low, high, decimals, signed)
    return lambda frame: [
        text if ends == "–" else f"{text} ({ends})"
        for text, ends in zip(values(frame), intervals(frame), strict=True)
    ]


def p_value(column: str = "p") -> Callable:
    """p values with three decimals, small ones as "< 0.001"."""
    return lambda frame: frame[column].map(p_text)


def p_text(p: float) -> str:
    """One p value as `p_value` writes it; a dash where there is none."""
    return "< 0.001" if p < 0.001 else typeset.cell(p, 3)
