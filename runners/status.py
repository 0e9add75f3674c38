"""What the cache holds: coverage beside every score, and why a request is not in it."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from analysis.outputs.lines import records
from runners import cache
from runners.request import difference, key

COUNTS = ["expected", "answered", "truncated", "refused", "failed", "missing", "unparsed"]
REFUSED = ("refusal", "content_filter")
CUT = ("length", "max_tokens", "model_length")


def state(outputs: pd.DataFrame) -> pd.Series:
    """Of each output: `answered`, `truncated` (text, cut at the length limit), `refused` (by model or filter) or `failed`."""
    kind = outputs["error"].astype("str").str.partition(":")[0]  # object where nothing failed
    found = pd.Series("answered", index=outputs.index)
    found = found.mask(outputs["finish_reason"].isin(CUT), "truncated")
    return found.mask(outputs["error"].notna(), "failed").mask(kind.isin(REFUSED), "refused")


def coverage(
    outputs: pd.DataFrame,
    expected: Mapping[str, int] | None = None,
    answers: pd.DataFrame | None = None,
    by: tuple[str, ...] = ("benchmark", "model"),
) -> pd.DataFrame:
    """Counts of outputs by model, that stand beside its scores.

    Parameters
    ----------
    outputs : DataFrame
        With the columns `by`, `error` and `finish_reason`.
    expected : mapping, optional
        Benchmark -> number of requests that make up a whole run; without it, as many as there are.
    answers : DataFrame, optional
        Extracted answers: those without a choice count as unparsed (of the answered and truncated ones).

    Returns
    -------
    DataFrame
        `by`, then `expected` = `answered` + `truncated` + `refused` + `failed` + `missing`, and `unparsed`, which is
        missing without `answers`.
    """
    by = list(by)
    counts = outputs[by].assign(state=state(outputs)).value_counts([*by, "state"]).unstack(fill_value=0)
    table = counts.reindex(columns=["answered", "truncated", "refused", "failed"], fill_value=0).reset_index()
    found = table[["answered", "truncated", "refused", "failed"]].sum(axis=1)
    table["expected"] = table["benchmark"].map(expected or {}).fillna(found).astype(int).clip(lower=found)
    table["missing"] = table["expected"] - found
    table["unparsed"] = pd.Series(pd.NA, index=table.index, dtype="Int64")
    if answers is not None:
        unparsed = answers[answers["choice"].isna()].groupby(by).size().rename("unparsed").reset_index()
        table = table.drop(columns="unparsed").merge(unparsed, how="left", on=by)
        table["unparsed"] = table["unparsed"].fillna(0).astype("Int64")
    return table[[*by, *COUNTS]].rename_axis(columns=None)


def failures(outputs: pd.DataFrame) -> pd.DataFrame:
    """Failed outputs by model and kind of error, with one example each."""
    bad = outputs[outputs["error"].notna()]
    if bad.empty:
        return pd.DataFrame(columns=["benchmark", "model", "kind", "n", "example"])
    kinds = bad.assign(kind=bad["error"].str.partition(":")[0])
    grouped = kinds.groupby(["benchmark", "model", "kind"])["error"]
    return grouped.agg(n="size", example="first").reset_index()


def why(request: dict, folder: Path | None = None) -> str:
    """Whether a request is in the cache; if not, how it differs from the nearest one that is."""
    wanted, nearest, fewest = key(request), None, None
    for path in cache.files(None, None, folder):
        for found, _, _ in records(path):
            if found["key"] == wanted:
                return f"{wanted} is in {path}: " + (f"failed ({found['error']})" if found["error"] else "answered")
            differs = difference(request, found["request"])
            near = (found["item_id"] != request["item_id"], len(differs))
            if fewest is None or near < fewest:
                nearest, fewest, fields = path, near, differs
    if nearest is None:
        return f"{wanted} is not in the cache, which is empty"
    lines = [f"{wanted} is not in the cache; the nearest request, in {nearest}, differs in:"]
    return "\n".join([*lines, *(f"  {name}: {_short(a)} here, {_short(b)} there" for name, (a, b) in fields.items())])


def _short(value) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:80]} ... {text[-30:]}"
