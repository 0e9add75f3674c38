"""Outputs and answers of runs as Arrow tables, kept in files that are read where they are on the
disk: a million answers open in a second, and texts stay there until they are looked at.
"""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import feather

from analysis import answers as extraction
from analysis import outputs as cached
from analysis import schemas, whole
from analysis.answers import stored
from analysis.answers.run_names import KEYS
from analysis.errors import DataError
from analysis.items import describe

_FOLDER = ".browsed"  # in the folder of the outputs
TEXTS = ("response", "error")


def table(
    items: pd.DataFrame,
    outputs: pd.DataFrame,
    answers: pd.DataFrame,
    methods: Sequence[str] = (),
) -> pa.Table:
    """The first output of each item and run, with what each method read of it.

    Parameters
    ----------
    items, outputs, answers : DataFrame
        Outputs to unknown items are left out: `joined` warns of them.
    methods : sequence of str
        Those of `answers` if left out; answers by no method count for each.

    Returns
    -------
    Table
        `place` of the item among `items`, `model`, `setting`, texts as UTF-8 (with lone
        surrogates), and for each method ``method:choice``, ``method:why``, ``method:correct``.
    """
    outputs = extraction.once(outputs)
    outputs = outputs.assign(setting=outputs.get("setting")).fillna({"setting": schemas.NO_SETTING})
    place = pd.Index(items["item_id"]).get_indexer(outputs["item_id"])
    known = place >= 0
    outputs = outputs[known]
    columns = {"place": pa.array(place[known], pa.int32())}
    for name in extraction.RUN:
        columns[name] = stored.encoded(outputs[name])
    for name in TEXTS:
        columns[name] = as_bytes(outputs[name] if name in outputs else [None] * len(outputs))
    of_all = answers["method"] == extraction.ANY
    methods = methods or [name for name in answers["method"].unique() if name != extraction.ANY]
    keys = outputs[KEYS].reset_index(drop=True)
    for method in methods or [extraction.ANY]:
        part = answers[of_all | (answers["method"] == method)].reset_index(drop=True)
        if not part[KEYS].equals(keys):  # to join takes a hundred times as long
            part = keys.merge(part, "left", KEYS)
        columns[f"{method}:choice"] = stored.encoded(part["choice"])
        columns[f"{method}:why"] = stored.encoded(part["why"])
        columns[f"{method}:correct"] = pa.array(part["correct"].astype("boolean"))
    return pa.table(columns, metadata={"lost": str((~known).sum())})


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Tables of `table` below each other, with one warning of the outputs to unknown items."""
    if lost := sum(int(table.schema.metadata[b"lost"]) for table in tables):
        warnings.warn(f"{lost:,} outputs to unknown items are left out", stacklevel=2)
    return pa.concat_tables(tables, promote_options="default")


def methods(tables: Sequence[pa.Table]) -> list[str]:
    """The methods that read any of some tables."""
    columns = {name for table in tables for name in table.column_names}
    return sorted(name.removesuffix(":why") for name in columns if name.endswith(":why"))


def tables(benchmark: str, questions: stored.Questions) -> Iterator[pa.Table]:
    """The `table` of each cached run file, made where the file, the questions or the methods have
    changed since.
    """
    description = describe(benchmark)
    baselines = stored.recorded(description.name)
    files = stored.files(description.name, set(baselines["model"]), None)
    methods = extraction.chosen(None, {}) | extraction.usual(description)
    about = [Path(__file__).read_text("utf-8"), repr(description), questions.digest]
    for number, file in enumerate(files, 1):
        target = stored.target_of(file, _FOLDER, about, "arrow")
        if not target.is_file():
            outputs = cached.own(benchmark, path=file)
            if outputs.empty:
                continue
            answers = stored.of_file(file, benchmark, questions, methods, outputs)
            made = table(questions.items, outputs, answers)
            try:
                with whole.writing(target) as handle:
                    feather.write_feather(made, handle, compression="uncompressed")
            except DataError:  # a folder that cannot be written
                yield made
                continue
            for older in set(target.parent.glob("*.arrow")) - {target}:
                older.unlink()
            print(f"\rruns read for the first time: {number:,} of {len(files):,}", end="")
        yield feather.read_table(target, memory_map=True)


def as_bytes(texts: Sequence[str | None]) -> pa.Array:
    """Text as UTF-8; lone surrogates, which Arrow's text cannot have, too."""
    try:
        plain = pa.array(texts, pa.large_string(), from_pandas=True).cast(pa.large_binary())
        return plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain
    except UnicodeEncodeError:
        encoded = [
            text.encode("utf-8", "surrogatepass") if isinstance(text, str) else None
            for text in np.asarray(texts, object)
        ]
        return pa.array(encoded, pa.large_binary())


def as_text(encoded: bytes | None) -> str | None:
    """A text of `as_bytes`."""
    return None if encoded is None else encoded.decode("utf-8", "surrogatepass")


def containing(chunks: Sequence[pa.Array], text: str, regex: bool) -> np.ndarray:
    """Which texts contain `text`, or what fits it as an expression (RE2).

    Parameters
    ----------
    chunks : sequence of Array
        UTF-8, of `as_bytes`.

    Raises
    ------
    DataError
        For an expression that is none.
    """
    match = pc.match_substring_regex if regex else pc.match_substring
    text = text.encode("utf-8", "surrogatepass")
    try:
        # one after the other: threads would take twice the time of the processor
        hits = [match(chunk.view(pa.large_string()), text, ignore_case=True) for chunk in chunks]
    except pa.ArrowInvalid as error:
        reason = str(error).partition(". ")[0]
        raise DataError(f"is no regular expression: {reason}", field="text") from None
    return pa.chunked_array(hits).fill_null(False).to_numpy()
