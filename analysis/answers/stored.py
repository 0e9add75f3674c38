"""Answers to cached outputs, extracted once for each run file and kept next to the outputs.

A stored file is named by a digest of all that decides what it holds: the state of the outputs, the
items, the methods with their options, and the code that extracts. It may be deleted at any time.
"""

import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pandas as pd
import pyarrow as pa

from analysis import answers, paths, whole
from analysis import outputs as cached
from analysis.answers.baselines import PREFIX, recorded
from analysis.errors import DataError, unknown
from analysis.items import describe
from analysis.items import read as read_items
from analysis.outputs.json_lines import slug

_FOLDER = ".answers"  # in the folder of the outputs
NULLABLE = {pa.bool_(): pd.BooleanDtype()}  # of Arrow
EVERY = ()  # instead of a method: all that apply


class Questions(NamedTuple):
    """Items, with a column `cluster` where any belong together; the rows of the files that are
    none; a digest of the items.
    """

    items: pd.DataFrame
    problems: list[DataError]
    digest: str


def read(
    benchmark: str,
    names: Sequence[str] | None = None,
    method: answers.Asked | None = None,
    **options: object,
) -> pd.DataFrame:
    """Answers of the recorded baselines and of the cached outputs, texts as categories
    (`texts_as`): those of millions would not fit into memory.

    Parameters
    ----------
    benchmark : str
    names : sequence of str, optional
        Only these models, or runs of them such as ``m (5-shot)`` (then all runs of `m`).
    method : optional
        As in `answers.extract`; left out, as the description says, or
        every method that applies; `EVERY`, whatever the description says.
    **options
        Of the methods.

    Raises
    ------
    DataError
        For an unknown benchmark or method, for a name without answers before anything is read, and
        for a method that reads none of the outputs.
    """
    description = describe(benchmark)
    baselines = recorded(description.name)
    run_files = files(description.name, set(baselines["model"]), names)
    if names is not None:
        baselines = baselines[baselines["model"].isin(names)]
    usual = answers.usual(description)
    every = answers.chosen(None, {}) | usual
    named = usual if method is None else method
    wanted = answers.chosen(named, options) if named else every | answers.chosen(None, options)
    # what every method reads is stored together, and serves those who ask for some of them
    together = every if wanted.items() <= every.items() else wanted
    lost = []

    def tables() -> Iterator[pa.Table]:  # one after the other: together they take twice the memory
        yield _table(baselines)
        asked_of = questions(benchmark) if run_files else None
        for file in run_files:
            rows = of_file(file, benchmark, asked_of, together)
            if rows is not None:
                lost.extend(rows.attrs.get("lost", ()))
                yield _table(rows[rows["method"].isin([*wanted, answers.ANY])])

    frame = _below(tables())
    if lost:
        warnings.warn(
            f"{benchmark}: {len(lost):,} outputs to items that its files do not have are left out, "
            f"such as {lost[0]}",
            stacklevel=2,
        )
    missing = wanted.keys() - set(frame["method"].unique())
    if run_files and named and missing:
        raise answers.reads_nothing(min(missing))
    return frame


def joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames below each other, texts as categories."""
    return _below(map(_table, frames))


def _table(frame: pd.DataFrame) -> pa.Table:
    """A frame for Arrow, which joins the categories of a hundred runs fifteen times as fast as
    pandas does.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    for name in frame.select_dtypes(["str", "category"]):
        place = table.column_names.index(name)
        table = table.set_column(place, name, encoded(frame[name]))
    return table


def _below(tables: Iterable[pa.Table]) -> pd.DataFrame:
    """Tables below each other, texts as categories."""
    table = pa.concat_tables(tables, promote_options="permissive")
    columns = {}
    for name in table.column_names:  # a column at a time: all together take twice the memory
        columns[name] = table[name].unify_dictionaries().to_pandas(types_mapper=NULLABLE.get)
        table = table.drop_columns(name)
    return pd.DataFrame(columns, copy=False)


def encoded(texts: pd.Series) -> pa.DictionaryArray | pa.ChunkedArray:
    """Texts as codes into the different ones."""
    return pa.array(texts, from_pandas=True).cast(pa.string()).dictionary_encode()


def texts_as(kind: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with its texts as "category", which takes an eighth of the memory, or as "str"."""
    others = frame.select_dtypes("str" if kind == "category" else "category")
    return frame.astype(dict.fromkeys(others, kind))


def files(name: str, baselines: set[str], names: Sequence[str] | None) -> list[Path]:
    """The run files of the named models, of all where `names` is None."""
    files = {file.stem: file for file in cached.present(paths.outputs(), name)}
    if names is None:
        # baselines of a user's own benchmark are runs; the project's are recorded
        skipped = slug(PREFIX) if baselines else " "
        return [file for stem, file in files.items() if not stem.startswith(skipped)]
    wanted = {}
    for run in names:
        model = run.rpartition(" (")[0] or run
        stem = slug(run) if slug(run) in files else slug(model)
        if stem in files:
            wanted[stem] = files[stem]
        elif run not in baselines:
            models = {unquote(stem.replace("__", "/")) for stem in files}
            raise unknown("model with answers", run, sorted(baselines | models))
    return list(wanted.values())


def of_file(
    file: Path,
    benchmark: str,
    asked_of: Questions,
    methods: dict,
    outputs: pd.DataFrame | None = None,
) -> pd.DataFrame | None:
    """The stored answers of a run file, extracted where there are none yet (from `outputs`, which
    are read if left out); None where it has no complete record yet.
    """
    target = target_of(file, _FOLDER, [methods, asked_of.digest], "parquet")
    with suppress(OSError, pa.ArrowInvalid):
        return pd.read_parquet(target)
    if outputs is None:
        outputs = cached.own(benchmark, path=file)
    if outputs.empty:
        return None
    items = asked_of.items
    of_items = pd.Index(items["item_id"]).get_indexer(outputs["item_id"]) >= 0
    frame = answers.extracted(answers.once(outputs[of_items]), items, methods)
    frame.attrs["lost"] = outputs.loc[~of_items, "item_id"].tolist()
    _save(frame, target)
    return frame


def questions(benchmark: str) -> Questions:
    """Items of a benchmark with their clusters, read again where a file in its folder has changed.

    Raises
    ------
    DataError
        Where its files are not here.
    """
    description = describe(benchmark)
    below, outputs = sorted(description.home.rglob("*")), paths.outputs()
    # outputs, which may be there too, say nothing of the items
    files = [file for file in below if file.is_file() and outputs not in file.parents]
    state = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _read_questions(benchmark, repr(description), str(state))


@lru_cache(maxsize=4)
def _read_questions(benchmark: str, _description: str, _state: str) -> Questions:
    problems = []
    items = read_items(benchmark, problems=problems)
    items = answers.with_clusters(items, items)
    facts = items[["item_id", *answers.FACTS, *(set(items) & {"cluster"})]]
    return Questions(items, problems, digest_of(facts.to_csv()))


def target_of(file: Path, folder: str, about: list, ending: str) -> Path:
    """Where what is made of a run file, this code and `about` is stored."""
    state = file.stat()
    name = digest_of([state.st_size, state.st_mtime_ns, *about, code()])
    return file.parent.parent / folder / file.parent.name / file.stem / f"{name}.{ending}"


def digest_of(content: object) -> str:
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@cache
def code() -> str:
    """A digest of the extraction methods: another version of them extracts again."""
    files = [*Path(__file__).parent.rglob("*.py"), *(paths.DATA / "extraction").iterdir()]
    return digest_of([file.read_bytes().hex() for file in sorted(files)])


def _save(frame: pd.DataFrame, file: Path) -> None:
    """Store answers, and remove those of earlier states but one, which may be of other methods;
    where nothing can be written, neither.
    """
    with suppress(OSError, DataError):
        with whole.writing(file) as handle:
            frame.to_parquet(handle, index=False, compression="zstd")
        for older in sorted(file.parent.glob("*.parquet"), key=os.path.getmtime)[:-2]:
            older.unlink()
