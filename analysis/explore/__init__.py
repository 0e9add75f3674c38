"""The front door, `import analysis`: papers, items, outputs, answers, results, an item browser, two models compared."""

import pandas as pd

from analysis import benchmarks, cached, paths, published, recorded, schemas
from analysis import metrics as _metrics
from analysis.errors import DataError, unknown
from analysis.explore.comparison import Comparison, paired
from analysis.explore.records import Records, once
from analysis.explore.records import answers as _extracted
from analysis.explore.records import read as _read
from analysis.explore.shelves import Papers
from analysis.explore.tex import latex

__all__ = ["answers", "browse", "compare", "items", "latex", "outputs", "papers", "results"]

papers = Papers()


def items(benchmark: str, split: str | None = None, **where: object) -> pd.DataFrame:
    """Questions of a benchmark, from its files.

    Parameters
    ----------
    benchmark : str
        One of `analysis.benchmarks.names()`.
    split : str, optional
        Such as ``dev``; the test questions if left out.
    **where
        Keep rows whose column equals the value, or is in the list: ``items("cmmlu", category="STEM")``.

    Raises
    ------
    DataError
        For a name that does not exist, with the nearest one; for absent files, with where they come from.

    Examples
    --------
    >>> analysis.items("cmmlu", category="STEM")  # doctest: +SKIP
    """
    return _where(benchmarks.read(benchmark, **({"split": split} if split else {})), where)


def outputs(benchmark: str | None = None, model: str | list[str] | None = None, **where: object) -> pd.DataFrame:
    """Cached raw outputs, of one benchmark and model or of all.

    Examples
    --------
    >>> analysis.outputs("cmmlu", "baseline/always-A", finish_reason="length")  # doctest: +SKIP
    """

    models = [model] if isinstance(model, str) else model
    return _where(cached.load(benchmark, models), where)


def answers(benchmark: str, **where: object) -> pd.DataFrame:
    """Choices: of the knowledge-free baselines that lie in the repository, and of cached outputs by every extraction method.

    Examples
    --------
    >>> import analysis
    >>> analysis.answers("cmmlu", model="baseline/always-A")["correct"].sum()
    np.int64(2926)
    """
    if benchmark not in benchmarks.names():
        raise unknown("benchmark", benchmark, benchmarks.names())
    own = _cached(benchmark)
    frames = [recorded.baselines(benchmark)]
    if len(own):
        frames.append(_extracted(once(own), _read(benchmark)[0]))
    return _where(pd.concat([frame for frame in frames if len(frame)] or frames, ignore_index=True), where)


def results(paper: str | None = None, benchmark: str | None = None, **where: object) -> pd.DataFrame:
    """Numbers in one shape, whatever their source: printed and digitized ones of a paper (of all), and of recorded runs.

    Parameters
    ----------
    paper : str, optional
        All papers if left out.
    benchmark : str, optional
        Only this one; then runs on it are scored and stand below.
    **where
        Such as ``metric="accuracy"``, ``group_by="average"``, ``source="run"``, ``model=["GPT-4o", "GPT-4"]``.

    Examples
    --------
    >>> import analysis
    >>> analysis.results("tlue", artifact="table_01", model="GPT-4o", setting="da", group="printed")["value"].item()
    16.0
    >>> analysis.results("tlue", metric="acuracy")
    Traceback (most recent call last):
    ...
    analysis.errors.DataError: no such metric 'acuracy': did you mean accuracy?
    """
    frames = [published.results(name) for name in ([paper] if paper else published.papers())]
    if benchmark and not paper:
        found = answers(benchmark) if benchmark in benchmarks.names() else pd.DataFrame()
        frames += [_metrics.score(found)] if len(found) else []
    both = pd.concat(frames, ignore_index=True)
    return _where(both, ({"benchmark": benchmark} if benchmark else {}) | where)


def browse(benchmark: str | None = None, models: list[str] | None = None, *, items=None, outputs=None):
    """The item browser: filter by benchmark, subject, model, correct, wrong, unanswered, disagreement; see every raw output.

    Parameters
    ----------
    benchmark : str, optional
        Shown first; all that have cached outputs can be chosen.
    models : list of str, optional
        Only these: two of them stand side by side, and "models disagree" is about them.
    items, outputs : DataFrame, optional
        Frames at hand instead of a benchmark's files and the cache.

    Examples
    --------
    >>> analysis.browse("cmmlu")  # doctest: +SKIP
    """
    try:
        from analysis.explore import browser
    except ImportError as error:
        raise DataError(f"{error.name} is not installed: pip install 'polyexam[lab]'") from None
    if items is not None or outputs is not None:
        if items is None or outputs is None:
            raise DataError("give both items and outputs, or neither")
        return browser.from_frames(schemas.check(items, "items"), outputs, models)

    names = [name for name in benchmarks.names() if list(paths.outputs().glob(f"{name}/*.jsonl"))]
    if benchmark and benchmark not in names:
        raise unknown("benchmark with cached outputs", benchmark, names)
    if not names:
        raise DataError(f"no outputs in {paths.outputs()}: cache some with make outputs BENCHMARK=... MODEL=...")
    first = [benchmark] if benchmark else []
    return browser.Browser(lambda name: _records(name, models), list(dict.fromkeys([*first, *names])))


def compare(benchmark: str, first: str, second: str, method: str = "da") -> Comparison:
    """Two models on the same items: paired differences by category with intervals, and the items on which they differ.

    ``analysis.browse(benchmark, models=[first, second])`` shows what they wrote.

    Examples
    --------
    >>> import analysis
    >>> both = analysis.compare("ti_mmlu", "baseline/longest-option", "baseline/always-A")
    >>> both.by_category.loc[0, ["n", "difference"]].round(1).tolist()
    [660.0, 6.8]
    """
    return paired(answers(benchmark), benchmark, first, second, method)


def _records(benchmark: str, models: list[str] | None) -> Records:

    columns = ["benchmark", "item_id", "model", "response", "error", "finish_reason"]
    return Records.of(_read(benchmark)[0], cached.load(benchmark, columns=columns), models)


def _cached(benchmark: str) -> pd.DataFrame:

    return cached.own(benchmark)


def _where(frame: pd.DataFrame, where: dict[str, object]) -> pd.DataFrame:
    """Rows that fit; a value that no row has is an error that names the nearest one."""
    for column, wanted in where.items():
        if column not in frame:
            raise unknown("column", column, frame.columns)
        known = frame[column].dropna().unique()
        for value in wanted if isinstance(wanted, (list, tuple, set)) else [wanted]:
            if value not in known:
                raise unknown(column, value, known)
    return published.select(frame, **where)
