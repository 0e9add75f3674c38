"""What the cache has: coverage for every score."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import pandas as pd

from analysis import paths
from analysis.errors import DataError
from analysis.outputs import batches, files

_STATES = ["answered", "truncated", "refused", "failed"]
COUNTS = ["expected", *_STATES, "missing"]
BY = "benchmark model setting digest sample".split()
_REFUSED = ("refusal:", "content_filter:")
CUT = ("length", "max_tokens", "model_length")  # reasons to finish that cut a text off


def state(outputs: pd.DataFrame) -> pd.Series:
    """Of each output: `answered`, `truncated` (text, cut at the length limit), `refused` (by model
    or filter) or `failed`.
    """
    states = pd.Series("answered", index=outputs.index)
    states = states.mask(outputs["finish_reason"].isin(CUT), "truncated")
    states = states.mask(outputs["error"].notna(), "failed")
    return states.mask(outputs["error"].str.startswith(_REFUSED, na=False), "refused")


def coverage(
    outputs: Iterable[pd.DataFrame],
    expected: Callable[[str], int | None],
    by: Sequence[str],
) -> pd.DataFrame:
    """Counts of outputs by model, shown with its scores.

    Parameters
    ----------
    outputs : iterable of DataFrame
        With the columns `by`, `error` and `finish_reason`; read a frame at a time.
    expected : callable
        Benchmark -> number of requests of a complete run; where it says none, as many as there
        are.

    Returns
    -------
    DataFrame
        `by`, then `expected` = `answered` + `truncated` + `refused` + `failed` + `missing`.
    """
    counts = [frame.assign(state=state(frame)).value_counts([*by, "state"]) for frame in outputs]
    table = pd.concat(counts).groupby([*by, "state"]).sum().unstack("state", fill_value=0)
    table = table.reindex(columns=_STATES, fill_value=0).reset_index()
    there = table[_STATES].sum(axis=1)
    sizes = {name: expected(name) or 0 for name in table["benchmark"].unique()}
    table["expected"] = table["benchmark"].map(sizes).clip(lower=there)
    table["missing"] = table["expected"] - there
    return table[[*by, *COUNTS]].rename_axis(columns=None)


def cached(
    benchmark: str | None = None, models: Sequence[str] | None = None
) -> Iterator[pd.DataFrame]:
    """What `coverage` needs of all outputs, a part at a time; a missing setting is
    shown as `-`, a sample as 0.
    """
    for path in files(benchmark, models):
        for frame in batches(path, [*BY, "error", "finish_reason", "usage"], 1 << 15):
            yield frame.assign(
                setting=frame["setting"].fillna("-"),
                sample=frame["sample"].fillna(0),
                served=[str((usage or {}).get("model") or "") for usage in frame.pop("usage")],
            )


def table(benchmark: str | None, models: Sequence[str] | None) -> pd.DataFrame:
    """Coverage of the cached outputs, with the other names that servers gave the model that
    answered.

    Raises
    ------
    DataError
        Where there are no outputs.
    """
    if not files(benchmark, models):
        raise DataError(f"no outputs in {paths.outputs()}")
    # which makes a model of every option; the site needs none
    from runners import selection

    counts = coverage(cached(benchmark, models), selection.size, by=BY)
    columns = ["benchmark", "model", "served"]
    names = pd.concat(frame[columns] for frame in cached(benchmark, models)).drop_duplicates()
    names = names.query("served != '' and served != model")
    served = names.groupby(columns[:2], as_index=False)["served"].agg(", ".join)
    return counts.merge(served, how="left")
