"""Published numbers: printed tables as strings, or in the `results` shape."""

from collections.abc import Collection
from functools import lru_cache, partial
from pathlib import Path

import pandas as pd

from analysis import answers, papers, schemas
from analysis.errors import DataError, unknown
from analysis.items import names as benchmark_names
from analysis.results import metrics

_METRICS = (
    "accuracy conditional_accuracy response_rate agreement score mrr hit_at_1 hit_at_4 mean_rank"
).split()
_UNITS = "percent proportion score points count t p".split()
SIZE = r"-\d+(\.\d+)?[BM]\d?(?=-|$)"  # of a name
_IDENTITY = "benchmark model setting group_by group metric unit".split()

select = partial(schemas.where, strict=False)


def facts(paper: str, name: str) -> pd.DataFrame:
    """One file of `data/published/<paper>/` as strings exactly as written, empty cells as missing.

    Raises
    ------
    DataError
        If there is no such paper or file.
    """
    folder = papers.folder(paper)
    file = folder / f"{name}.csv"
    if not file.is_file():
        raise unknown(f"file of {paper}", name, sorted(f.stem for f in folder.glob("*.csv")))
    return pd.read_csv(file, dtype=str, keep_default_na=False, na_values=[""])


def table(paper: str, number: int) -> pd.DataFrame:
    """Table `number` of `paper` in long form, every cell as printed."""
    return facts(paper, f"table_{number:02d}")


def models(paper: str) -> pd.DataFrame:
    """The paper's models: `model`, `family`, `parameters_b` (10^9, missing where unpublished),
    `kind`, `access`.
    """
    frame = facts(paper, "models").drop(columns="printed").drop_duplicates("model")
    return frame.assign(parameters_b=frame["parameters_b"].astype(float)).set_index("model")


def guessing(paper: str) -> list[str]:
    """Names of the rows that guess."""
    kind = models(paper)["kind"]
    return list(kind.index[kind == "chance"])


@lru_cache(maxsize=64)
def _results(paper: str, _changed: int) -> pd.DataFrame:
    folder = papers.folder(paper)
    files = sorted([*folder.glob("table_*.csv"), *folder.glob("figure_*.csv")])
    models = facts(paper, "models").set_index("printed")["model"]
    metrics = [*_METRICS, *papers.read(paper).metrics]
    choices = {"model": list(models.index), "metric": metrics, "unit": _UNITS}
    frames = []
    for file in files:
        frame = facts(paper, file.stem)
        if "value" not in frame:
            continue
        for column in _IDENTITY:
            if column not in frame:
                raise DataError("column is missing", file=file, field=column)
        frames.append(frame.assign(artifact=file.stem, line=range(2, len(frame) + 2)))
    both = pd.concat(frames, ignore_index=True)  # a hundred tables one by one take seconds
    _check(both, choices, folder)
    both = _as_results(both, models).assign(paper=paper)
    digitized = both["artifact"].str.startswith("figure_")
    both["source"] = digitized.map({True: "digitized", False: "published"})
    more = ["printed", "printed_model", "decimals", "suspect", "note"]
    return schemas.check(both[[*schemas.columns("results"), *more]], "results")


def _check(frame: pd.DataFrame, choices: dict[str, Collection[str]], folder: Path) -> None:
    """Refuse a name that there is not, a number twice, and what is no number."""
    wrong = {column: ~frame[column].isin(names) for column, names in choices.items()}
    wrong["value"] = _number(frame).isna() & frame["value"].notna() & ~_suspect(frame)
    wrong[None] = frame.duplicated(["artifact", *_IDENTITY[:-1]])
    for field, rows in wrong.items():
        for _, row in frame[rows].iterrows():
            reason = "the same number stands in a row above"
            if field == "value":
                reason = f"{row[field]!r} is not a number"
            elif field:
                reason = str(unknown(field, row[field], choices[field]))
            file = f"{row['artifact']}.csv"
            raise DataError(reason, file=folder / file, line=row["line"], field=field)


def _number(frame: pd.DataFrame) -> pd.Series:
    return pd.to_numeric(frame["value"].str.replace(",", ""), errors="coerce")


def _suspect(frame: pd.DataFrame) -> pd.Series:
    return frame.get("suspect", pd.Series("", index=frame.index)).eq("true")


def _as_results(frame: pd.DataFrame, named: pd.Series) -> pd.DataFrame:
    """Tables in the `results` shape; limits are the error of reading off a figure."""
    error = pd.to_numeric(frame.get("max_abs_err", pd.Series(index=frame.index, dtype=float)))
    digits = frame["value"].str.extract(r"\.(\d+)$")[0].str.len()
    table = frame.reindex(columns=["artifact", *_IDENTITY, "n", "note"])
    table["printed_model"] = frame["model"]
    table["model"] = frame["model"].map(named)
    table["printed"] = frame["value"]
    table["value"] = _number(frame)
    table["decimals"] = digits.fillna(0).astype(int)
    table["suspect"] = _suspect(frame)
    table["ci_low"] = table["value"] - error
    table["ci_high"] = table["value"] + error
    return table


def results(paper: str, **where: object) -> pd.DataFrame:
    """Every printed number of `paper` in the `results` shape: source `published`, or `digitized`
    where read off a figure.

    A digitized number's `ci_low` and `ci_high` bound the reading error; printed numbers have none.
    Beside the schema's columns: `printed` (the string), `printed_model`, `decimals` (after the
    point), `suspect`, `note`.

    Parameters
    ----------
    paper : str
    **where
        Keep rows whose column equals the value, or is in the list: ``results("tlue",
        artifact="table_01")``.

    Raises
    ------
    DataError
        For an unknown paper or column, a number that cannot be read, a model that `models.csv` does
        not name, a metric or unit that there is not, a row that stands twice.
    """
    changed = max(file.stat().st_mtime_ns for file in papers.folder(paper).glob("*.*"))
    return select(_results(paper, changed).copy(), **where)


def need(paper: str, what: str, **where: object) -> pd.DataFrame:
    """`results` that a notebook cannot do without.

    Raises
    ------
    DataError
        Where the paper prints none: "<paper> prints no <what>".
    """
    printed = results(paper, **where)
    if printed.empty:
        raise DataError(f"{paper} prints no {what}", field="paper")
    return printed


def in_percent(frame: pd.DataFrame) -> pd.DataFrame:
    """`results` with proportions and their limits as percent; other units stay."""
    rows = frame["unit"] == "proportion"
    parts = frame.columns.intersection(["value", "ci_low", "ci_high", "half"])
    scaled = frame[parts].mask(rows, 100 * frame[parts])
    return frame.assign(**scaled, unit=frame["unit"].mask(rows, "percent"))


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Percentages with limits as wide as the rounding of the printed number (`half`) makes them."""
    low = (frame["ci_low"] - frame["half"]).clip(lower=0)
    high = (frame["ci_high"] + frame["half"]).clip(upper=100)
    return frame.assign(ci_low=low, ci_high=high)


def order(paper: str, artifact: str, column: str) -> list[str]:
    """Distinct values of `column` in the order in which the table prints them."""
    return list(results(paper, artifact=artifact)[column].unique())


def read(paper: str | None = None, benchmark: str | None = None, **where: object) -> pd.DataFrame:
    """Printed and digitized numbers of a paper (of all), and of recorded runs.

    Parameters
    ----------
    paper : str, optional
        All papers if left out.
    benchmark : str, optional
        Only this one; then runs on it are scored and stand below, by `setting` and `method`. What
        papers print as a setting may be either.
    **where
        Such as ``metric="accuracy"``, ``group_by="average"``, ``source="run"``, ``model=["GPT-4o",
        "GPT-4"]``.

    Raises
    ------
    DataError
        For an unknown paper or column, or a value that no row has, with the nearest one.

    Examples
    --------
    >>> from analysis.papers import published
    >>> cell = {"artifact": "table_01", "model": "GPT-4o", "setting": "da", "group": "printed"}
    >>> published.read("tlue", **cell)["value"].item()
    16.0
    >>> published.read("tlue", metric="acuracy")
    Traceback (most recent call last):
    ...
    analysis.errors.DataError: no such metric 'acuracy': did you mean accuracy?
    """
    frames = [results(name) for name in ([paper] if paper else papers.names())]
    both = pd.concat(frames)
    both["method"] = both["setting"]
    if benchmark:
        where = {"benchmark": benchmark, **where}
        runs = not paper and benchmark in benchmark_names()
        scored = answers.read(benchmark) if runs else []
        both = pd.concat([both, metrics.score(scored)]) if len(scored) else both
    return schemas.where(both.reset_index(drop=True), **where)
