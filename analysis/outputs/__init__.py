"""Cached raw outputs, read: `<outputs>/<benchmark>/<model>.jsonl`, which `runners` append to.

Reading goes through Parquet copies (see `copies`), which may be deleted at any time.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis import paths, schemas
from analysis.errors import DataError, unknown
from analysis.outputs import copies
from analysis.outputs.copies import FIELDS, MAPPINGS, parquet
from analysis.outputs.lines import slug

OF_ITEM = (
    "benchmark",
    "item_id",
    "messages",
    "prompt",
    "question",
    "options",
    "candidates",
    "turn",
    "judged",
    "judged_key",
    "sample",
)


def files(benchmark: str | None = None, models: Sequence[str] | None = None, folder: Path | None = None) -> list[Path]:
    """Cache files of the named benchmark and models, sorted; all where nothing is named.

    Raises
    ------
    DataError
        Where a named one has no outputs, with the names that have.
    """
    folder = Path(folder or paths.outputs())
    found = sorted(folder.glob(f"{slug(benchmark) if benchmark else '*'}/*.jsonl"))
    if benchmark and not found:
        raise unknown("benchmark with outputs", benchmark, sorted({p.parent.name for p in folder.glob("*/*.jsonl")}))
    if models is None:
        return found
    slugs = {slug(model): model for model in models}
    if missing := slugs.keys() - {path.stem for path in found}:
        raise unknown("model with outputs", slugs[min(missing)], sorted({path.stem for path in found}))
    return [path for path in found if path.stem in slugs]


def read(
    benchmark: str | None = None,
    model: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    folder: Path | None = None,
    **where: object,
) -> pd.DataFrame:
    """The outputs frame: one row a request, its answer or else its last failure, in the order of the files.

    Parameters
    ----------
    benchmark, model : optional
        Which; all by default. Several models as a list.
    columns : sequence of str, optional
        Only these. Leaving out `request` makes the loading of millions several times faster; the frame is then not
        checked against the schema.
    **where
        Keep rows whose column equals the value, or is in the list: ``finish_reason="length"``.

    Examples
    --------
    >>> read("cmmlu", "baseline/always-A", finish_reason="length")  # doctest: +SKIP
    """
    wanted, whole = list(columns or FIELDS), not columns
    if wrong := [name for name in wanted if name not in FIELDS]:
        raise unknown("column of the outputs", wrong[0], FIELDS)
    columns = [*dict.fromkeys([*wanted, *where]), "exact"]
    models = [model] if isinstance(model, str) else model
    tables = [pq.read_table(parquet(path), columns=columns) for path in files(benchmark, models, folder)]
    table = pa.concat_tables(tables) if tables else copies.ARROW.empty_table().select(columns)
    frame = table.to_pandas()
    copies.restore(frame)
    for name in set(frame) & set(MAPPINGS):
        frame[name] = pd.Series([None if pd.isna(text) else json.loads(text) for text in frame[name]], dtype=object)
    if "turn" in frame:
        frame["turn"] = frame["turn"].astype("Int64")
    frame = schemas.where(frame, **where)[wanted] if where else frame[wanted]
    return schemas.check(frame, "outputs") if whole else frame


def own(benchmark: str, folder: Path | None = None, more: Sequence[str] = ()) -> pd.DataFrame:
    """Outputs of the models that are no baselines, a run by itself each; no rows where nothing is cached.

    Returns
    -------
    DataFrame
        `benchmark`, `item_id`, `model`, `response`, `error`, `setting` and the columns `more`. A model that answered in several settings,
        or several times, is as many runs, and its `model` says which: ``m (5-shot)``, ``m (sample 2)``.
    """
    columns = list(dict.fromkeys(["benchmark", "item_id", "model", "response", "error", "setting", "given", "scores", *more]))
    if not list(((folder or paths.outputs()) / slug(benchmark)).glob("*.jsonl")):
        return pd.DataFrame(columns=columns)
    outputs = read(benchmark, columns=[*dict.fromkeys([*columns, "turn", "judged"])], folder=folder)
    outputs = _named_by_run(outputs, benchmark, folder)
    return outputs.loc[~outputs["model"].str.startswith("baseline/"), columns].reset_index(drop=True)


def _named_by_run(outputs: pd.DataFrame, benchmark: str, folder: Path | None) -> pd.DataFrame:
    """`outputs` with names of models that tell their runs apart."""
    settings = outputs.groupby("model")["setting"].transform(lambda values: values.nunique(dropna=False))
    parts = [outputs["setting"].fillna("no setting").where(settings > 1)]
    keys = ["model", "setting", "item_id", "turn", "judged"]
    doubled = outputs.duplicated(keys, keep=False)
    if doubled.any():
        requests = read(benchmark, columns=["request"], folder=folder)["request"]
        outputs = outputs.assign(
            _sample=[request.get("sample", 0) for request in requests],
            _asked=[digest(request) for request in requests],
        )
        several = outputs["model"].isin(outputs.loc[doubled, "model"])
        for name, label in (("_asked", "request"), ("_sample", "sample")):
            numbers = outputs.groupby("model")[name].transform(lambda values: pd.factorize(values)[0] + 1)
            counts = outputs.groupby("model")[name].transform("nunique")
            parts.append((label + " " + numbers.astype(str)).where(several & (counts > 1)))
    names = pd.concat(parts, axis=1).apply(lambda row: ", ".join(part for part in row if isinstance(part, str)), axis=1)
    return outputs.assign(model=outputs["model"].mask(names.ne(""), outputs["model"] + " (" + names + ")"))


def digest(request: dict) -> str:
    """How a request was asked, whatever its item and sample: parameters, kind, revision, runner, system prompt."""
    system = next((m.get("content") for m in request.get("messages") or () if m.get("role") == "system"), None)
    asked = {name: value for name, value in request.items() if name not in OF_ITEM} | {"system": system}
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()[:8]


def query(sql: str, benchmark: str | None = None, folder: Path | None = None) -> pd.DataFrame:
    """Run SQL on the table `outputs` with DuckDB, which reads from the disk what it needs: for more than fits in memory.

    `request`, `scores` and `usage` are JSON text there: `request->>'$.params.temperature'`. Lone surrogates, which SQL
    text cannot hold, show as U+FFFD; `read` gives them unchanged.
    """
    import duckdb

    found = [str(parquet(path)) for path in files(benchmark, None, folder)]
    if not found:
        raise DataError(f"no outputs in {folder or paths.outputs()}")
    with duckdb.connect() as connection:
        connection.read_parquet(found).create_view("outputs")
        return connection.sql(sql).df()
