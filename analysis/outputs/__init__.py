"""Cached raw outputs, read: `<outputs>/<benchmark>/<model>.jsonl`, which `runners` append to.

Reading goes through Parquet copies (see `copies`), which may be deleted at any time.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from analysis import paths as folders
from analysis import schemas
from analysis.errors import DataError, refuse_unknown, unknown
from analysis.outputs import copies, json_lines
from analysis.outputs.copies import FIELDS, MAPPINGS, NUMBERS, digest
from analysis.outputs.json_lines import slug

_DERIVED = ("sample", "digest")
_OF_RUNS = "benchmark item_id model response error setting given scores".split()


def files(
    benchmark: str | None = None, models: Sequence[str] | None = None, folder: Path | None = None
) -> list[Path]:
    """Cache files of the named benchmark and models, sorted; all where nothing is named. What is
    none is left out, with a warning.

    Raises
    ------
    DataError
        Where a named one has no outputs, with the names that have.
    """
    folder = folder or folders.outputs()
    paths = present(folder, benchmark)
    if benchmark and not paths:
        names = {path.parent.name for path in folder.glob("*/*.jsonl")}
        raise unknown("benchmark with outputs", benchmark, sorted(names))
    if models is None:
        return paths
    slugs = {slug(model): model for model in models}
    names = {path.stem for path in paths}
    if missing := slugs.keys() - names:
        raise unknown("model with outputs", slugs[min(missing)], sorted(names))
    return [path for path in paths if path.stem in slugs]


def present(folder: Path, benchmark: str | None) -> list[Path]:
    """Cache files of a benchmark, of all where none is named; maybe none."""
    paths = []
    for path in sorted(folder.glob(f"{slug(benchmark) if benchmark else '*'}/*.jsonl")):
        if problem := json_lines.misplaced(path):
            json_lines.left_out(problem)
        else:
            paths.append(path)
    return paths


def read(
    benchmark: str | None = None,
    model: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    folder: Path | None = None,
    **where: object,
) -> pd.DataFrame:
    """The outputs frame: one row a request, its answer or else its last failure, in the order of
    the files.

    Parameters
    ----------
    benchmark, model : optional
        Which; all by default. Several models as a list.
    columns : sequence of str, optional
        Only these. Leaving out `request` makes the loading of millions several times faster; the
        frame is then not checked against the schema. Beside the fields of a record there are
        `sample`, the number of a repeated run, and `digest`, which tells apart how requests were
        asked, whatever their item and sample.
    **where
        Keep rows whose column equals the value, or is in the list: ``finish_reason="length"``.

    Examples
    --------
    >>> read("cmmlu", "baseline/always-A", finish_reason="length")  # doctest: +SKIP
    """
    wanted = list(columns or FIELDS)
    readable = (*FIELDS, *_DERIVED)
    refuse_unknown("column of the outputs", readable, *wanted)
    models = [model] if isinstance(model, str) else model
    frame = _of_files(files(benchmark, models, folder), [*wanted, *where])
    frame = schemas.where(frame, **where)[wanted] if where else frame[wanted]
    return frame if columns else schemas.check(frame, "outputs")


def _of_files(paths: list, columns: list) -> pd.DataFrame:
    stored = _stored(columns)
    tables = [copies.opened(path).read(stored) for path in paths]
    return _restored(pa.concat_tables([copies.ARROW.empty_table().select(stored), *tables]))


def batches(path: Path, columns: Sequence[str], size: int) -> Iterator[pd.DataFrame]:
    """The outputs of one cache file as `read` gives them, `size` rows at a time, unchecked: for
    more than fits in memory.
    """
    for batch in copies.opened(path).iter_batches(size, columns=_stored(columns)):
        yield _restored(pa.Table.from_batches([batch]))[columns]


def _stored(wanted: Sequence[str]) -> list[str]:
    """Columns of the copies that make the wanted ones."""
    return [*dict.fromkeys("asked" if name == "digest" else name for name in wanted), "exact"]


def _restored(table: pa.Table) -> pd.DataFrame:
    """A frame of what was stored: exact text, mappings, numbers."""
    frame = table.to_pandas()
    copies.restore(frame)
    for name in frame.columns.intersection(MAPPINGS):
        texts = frame[name].to_numpy(object)
        values = [json.loads(text) if isinstance(text, str) else None for text in texts]
        frame[name] = pd.Series(values, dtype=object)
    frame = frame.astype(dict.fromkeys(set(frame) & set(NUMBERS), "Int64"))
    if "asked" in frame:
        frame["digest"] = frame["asked"].map(digest).astype("str")
    return frame


def own(benchmark: str, more: Sequence[str] = (), path: Path | None = None) -> pd.DataFrame:
    """Outputs in a cache file, of all models that are no baselines if left out; no rows where
    nothing is cached.

    Returns
    -------
    DataFrame
        `benchmark`, `item_id`, `model`, `response`, `error`, `setting`, `given`, `scores` and the
        columns `more`. Model and setting are a run: what a model was asked in another revision,
        otherwise under the same name, or several times, has settings such as ``5-shot, revision
        a1``, ``5-shot, request 2``, ``5-shot, sample 2``.
    """
    columns = list(dict.fromkeys([*_OF_RUNS, *more]))
    sources = [path] if path else present(folders.outputs(), benchmark)
    outputs = _of_files(sources, [*columns, "turn", "judged", "revision"])
    if path is None:
        outputs = outputs[~outputs["model"].str.startswith("baseline/")]
    # a function: sample and digest take their time to read
    setting = settings(outputs, lambda: _of_files(sources, _DERIVED).loc[outputs.index])
    return outputs.assign(setting=setting)[columns].reset_index(drop=True)


def settings(outputs: pd.DataFrame, asked: Callable[[], pd.DataFrame]) -> pd.Series:
    """A setting for each output that tells the runs of its model apart."""
    named = outputs["setting"].fillna(schemas.NO_SETTING).astype("str")
    setting = _split(outputs["model"], named, "revision", outputs["revision"])
    doubled = outputs.assign(setting=setting).duplicated(
        ["model", "setting", "item_id", "turn", "judged"], keep=False
    )
    if not doubled.any():
        return setting
    several, details = doubled.groupby([outputs["model"], setting]).transform("any"), asked()
    for name, column in (("request", details["digest"]), ("sample", details["sample"].fillna(0))):
        number = column.groupby([outputs["model"], named]).transform(
            lambda one: pd.factorize(one)[0] + 1
        )
        setting = _split(outputs["model"], setting, name, number.where(several, 1))
    return setting


def _split(model: pd.Series, setting: pd.Series, name: str, value: pd.Series) -> pd.Series:
    """`setting`, with `value` added where a model's setting has several values."""
    several = value.groupby([model, setting]).transform("nunique").gt(1)
    added = setting.where(setting.ne(schemas.NO_SETTING), "") + f", {name} " + value.astype("str")
    return setting.mask(several, added.str.removeprefix(", "))


def query(sql: str, benchmark: str | None = None) -> pd.DataFrame:
    """Run SQL on the table `outputs` with DuckDB, which reads from the disk what it needs: for more
    than fits in memory.

    `request`, `scores` and `usage` are JSON text there: `request->>'$.params.temperature'`; so is
    `asked`, a request without its item. Lone surrogates, which SQL text cannot hold, show as
    U+FFFD; `read` gives them unchanged.
    """
    import duckdb

    sources = [str(copies.made(path)) for path in files(benchmark)]
    if not sources:
        raise DataError(f"no outputs in {folders.outputs()}")
    with duckdb.connect() as connection:
        connection.read_parquet(sources).create_view("outputs")
        return connection.sql(sql).df()
