"""Runs of one benchmark, ranked: accuracy, response rate, ranks and all paired differences.

One extraction method for all runs. Repeated samples of a run are averaged item by item, and items
that belong together (column `cluster` of answers) count together. What the method does not read
(`results.trust`) keeps its row, and gets no accuracy, rank or comparison.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from analysis import tables
from analysis.answers import ANY, matching, pooled, runs, stored, with_clusters
from analysis.errors import DataError, unknown
from analysis.items import with_items
from analysis.results import gallery, metrics, shared, trust
from analysis.results.shown import Result, forest, read_by
from analysis.statistics import pairing, ranks

KEYS = shared.KEYS
BY = ("category", "subject", "language")
_RANKS = (
    "With 95 % confidence all rank intervals together contain the true ranks. That two of them "
    "overlap does not make a tie. "
)
_RANK = ["rank", "rank_low", "rank_high"]
_SCORES = "accuracy ci_low ci_high conditional_accuracy credit".split()


class Leaderboard(Result):
    """Runs of one benchmark, best first, as one method reads them.

    Attributes
    ----------
    benchmark, method : str
    frame : DataFrame
        See `board`.
    by : str or None
        What `groups` are.
    groups : DataFrame
        Runs x groups: accuracy (%); empty where no groups were asked for.
    answers : DataFrame
        By all methods; samples pooled.
    chance : float or None
        Accuracy (%) of guessing.
    """

    benchmark: str
    method: str
    frame: pd.DataFrame
    by: str | None
    groups: pd.DataFrame
    answers: pd.DataFrame
    chance: float | None

    @property
    def heading(self) -> str:
        """Benchmark, method, runs and items."""
        n = self.frame["n"]
        items = f"{n.max():,}" if n.nunique() == 1 else f"{n.min():,} to {n.max():,}"
        count = f"{len(n)} run{'s' * (len(n) != 1)}"
        how = ", exact match" if matching(self.answers, self.method) else ""
        return f"{self.benchmark}{read_by(self.method)}{how}: {count}, {items} items"

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """`shared.pair_frame` of the ranked runs on the items that all answered, the better run
        first; no rows with fewer than two runs, or two items (or clusters).
        """
        table = self.frame[self.frame["rank"].notna()]
        right = shared.best_first(shared.right_answers(self.answers, table))
        clusters = shared.clusters_of(self.answers, right)
        if len(table) < 2 or len(set(clusters)) < 2:
            return pd.DataFrame(columns="first second difference ci_high p".split())
        return shared.pair_frame(right, clusters, table.set_index("run")["response_rate"])

    @property
    def notes(self) -> list[str]:
        """What was not read."""
        return [f"{run}: {note}" for run, note in self.frame[["run", "note"]].to_numpy() if note]

    @property
    def sentences(self) -> list[str]:
        """How answers match, which ranks are open, and which models tie with the best."""
        texts = matching(self.answers, self.method)
        n = self.frame["accuracy"].count()
        # runs with other questions may have another chance
        if self.chance is not None and n and (n == 1 or self.frame["rank"].count() == n):
            texts.append(f"Guessing would score {self.chance:.1f} %.")
        if n > 1 and not self.frame["rank"].count():
            texts.append(
                "Not ranked: few questions are known to have been asked of all these runs."
            )
        return [*texts, *shared.pair_sentences(self.pairs, _RANKS)]

    @property
    def table(self) -> pd.DataFrame:
        """`frame` and `groups` as a reader wants them."""
        frame = self.frame
        headings = {
            "Model": "run",
            "n": "n",
            "Accuracy (%)": _accuracy,
            "95 % interval": tables.interval(),
        }
        if "credit" in frame:
            headings["Credit (%)"] = tables.number("credit")
        headings |= {
            "Response rate (%)": tables.number("response_rate"),
            "Accuracy where answered (%)": tables.number("conditional_accuracy"),
            "Ranks": _open_ranks,
        }
        for name in self.groups:
            headings[f"{name} (%)"] = self.groups[name].reindex(frame["run"]).to_numpy()
        return tables.shown(frame, headings)

    def plot(self, ax=None):
        """Accuracy with intervals, a row a run; returns the axes."""
        frame = self.frame.rename(columns={"run": "row", "accuracy": "value"})
        frame["note"] = np.where(frame["trusted"], None, "not read by this method")
        options = {"reference_label": "guessing", "limits": (0, None)}
        label = "accuracy (%, 95 % intervals)"
        rows = frame[["row", "value", "ci_low", "ci_high", "note"]]
        return forest(rows, label, self.chance, ax, **options)


def read(
    benchmark: str,
    models: Sequence[str] | None = None,
    method: str | None = None,
    *,
    compact: bool = False,
    **options: object,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Answers of a benchmark's runs by all of its methods, samples pooled, and its items.

    Items are None where no files are here: then the recorded baselines are all there is. Of an
    entry of the gallery without own runs the recorded answers, and items without words.

    Parameters
    ----------
    benchmark : str
    models : sequence of str, optional
        Models, or runs such as ``m (5-shot)``; all if left out.
    method : str, optional
        See `trust.choose`.
    compact : bool
        Texts as categories.
    **options
        Of the method, or of all where none is named, such as ``pattern=r"#(\\w)"``.

    Raises
    ------
    DataError
        For an unknown name, or where no run of `benchmark` is cached.
    """
    recorded = gallery.FOLDER / benchmark / "about.yaml"
    if recorded.is_file() and not stored.files(benchmark, set(), None):
        _, items, answers = gallery.read(benchmark)
        return with_clusters(shared.chosen(answers, models).drop(columns="run"), items), items
    answers = stored.read(benchmark, models, **({} if method else options))
    if method is not None and (options or not answers["method"].eq(method).any()):
        # the others stay: only beside them can be said which method reads most
        others = answers[(answers["method"] != ANY) & (answers["method"] != method)]
        answers = stored.read(benchmark, models, {method: options})
        answers = stored.joined([answers, others])
    if answers.empty:
        raise DataError(
            f"no answers to {benchmark}: either it has no outputs (polyexam run, polyexam import), "
            "or its items have neither options nor a key",
            field="benchmark",
        )
    answers = shared.chosen(answers, models).drop(columns="run")
    if not compact:
        answers = stored.texts_as("str", answers)
    try:
        return answers, stored.questions(benchmark).items
    except (DataError, FileNotFoundError):
        return answers, None


def ranked(
    answers: pd.DataFrame,
    benchmark: str,
    items: pd.DataFrame | None = None,
    by: str | None = None,
    method: str | None = None,
) -> Leaderboard:
    """Every run of a benchmark, ranked; `items` give the chance level, and languages.

    Parameters
    ----------
    by : str, optional
        Accuracy of each group, too: a column of the items, or a field of their metadata.
    method : str, optional
        See `trust.choose`.

    Examples
    --------
    >>> answers, items = read("ti_mmlu")
    >>> ranked(answers, "ti_mmlu", items).frame.loc[0, "run"]
    'baseline/longest-option'
    """
    answers = pooled(answers)
    chance = None if items is None else trust.chance(items)
    frame = board(answers, method, chance=chance)
    method = trust.choose(answers, method)
    groups = pd.DataFrame() if by is None else by_group(answers, items, frame, by)
    return Leaderboard(benchmark, method, frame, by, groups, answers, chance)


def _accuracy(frame: pd.DataFrame) -> pd.Series:
    return tables.number("accuracy")(frame).where(frame["trusted"], "withheld")


def _open_ranks(frame: pd.DataFrame) -> list[str]:
    """The ranks that the data leave open."""
    shown = []
    for row in frame.itertuples():
        if pd.isna(row.rank_low):
            shown.append("–" if row.trusted else "withheld")
        elif row.rank_low == row.rank_high:
            shown.append(f"{row.rank_low:.0f}")
        else:
            shown.append(f"{row.rank_low:.0f} to {row.rank_high:.0f}")
    return shown


def grouped(answers: pd.DataFrame, items: pd.DataFrame | None, by: str) -> pd.DataFrame:
    """Answers with the column `by` of their items, or that field of their metadata."""
    if by in BY and by in answers:
        return answers
    if items is None:
        raise unknown("grouping", by, BY)
    return with_items(answers, items, [by])


def by_group(
    answers: pd.DataFrame, items: pd.DataFrame | None, table: pd.DataFrame, by: str
) -> pd.DataFrame:
    """Accuracy (%) of the trusted runs in each group of `by`: runs x groups."""
    trusted = table.loc[table["trusted"], [*KEYS, "run"]]
    answers = grouped(answers, items, by).merge(trusted, on=KEYS).astype({"correct": float})
    # samples of an item count once
    of_items = answers.groupby(["run", by, "item_id"], sort=False)["correct"].mean()
    wide = of_items.groupby(level=["run", by], sort=False).mean().unstack()
    return 100 * wide.reindex(columns=answers[by].dropna().unique())


def by_method(answers: pd.DataFrame, method: str | None = None) -> tuple[pd.DataFrame, str]:
    """The answers by one method (see `trust.choose`) and by "any", and the method's name."""
    chosen = trust.choose(answers, method)
    return answers[answers["method"].isin([chosen, ANY])], chosen


def board(
    answers: pd.DataFrame, method: str | None = None, *, chance: float | None = None
) -> pd.DataFrame:
    """A row a run (model and setting), best first; runs that the method does not read come last,
    without scores.

    Parameters
    ----------
    answers : answers
        Of one benchmark, by all methods: the notes compare them.
    method : str, optional
        See `trust.choose`.
    chance : float, optional
        Accuracy (%) of guessing.

    Returns
    -------
    DataFrame
        `run` (the model, with its setting where it has several), `model`, `setting`, `method`, `n`,
        `accuracy` with `ci_low`, `ci_high` (see `metrics.score`), `response_rate`,
        `conditional_accuracy`, `credit` where there is any (see `credit`), all in percent; `rank`
        with `rank_low`, `rank_high` (simultaneous 95 %, paired where all ranked runs answered the
        same items), missing where fewer than half of the items are shared by all; `trusted`, and
        `why` or `note` where it is not. Without any key `accuracy` and the ranks are missing.
    """
    answers = pooled(answers)
    part, _ = by_method(answers, method)
    gate = trust.gate(answers, chance).set_index(KEYS)[["trusted", "why", "note"]]
    table = _scores(part).join(gate).reset_index()
    table.insert(0, "run", runs(table))
    table[_RANK] = np.nan
    scored = table["trusted"] & table["accuracy"].notna()
    # a fragment has few questions in common with the others
    scored &= table["n"] >= table.loc[scored, "n"].max() / 2
    if scored.sum() > 1:
        table.loc[scored, _RANK] = _ranks(part, table[scored])
    order = {"ascending": [False, False, True], "na_position": "last", "ignore_index": True}
    table = table.sort_values(["trusted", "accuracy", "run"], **order)
    scores = table.columns.intersection(_SCORES)
    table[scores] = table[scores].where(table["trusted"])
    return table


def _scores(answers: pd.DataFrame) -> pd.DataFrame:
    """`n`, accuracy with its limits and the other rates of each run over all questions."""
    scored = metrics.score(answers, by=())
    scored = scored.set_index([*KEYS, "metric"])
    values = scored["value"].unstack(sort=False).astype(float)
    accuracy = scored.xs("accuracy", level="metric").rename(columns={"value": "accuracy"})
    table = scored.xs("response_rate", level="metric")[["n"]].astype(int)
    table = table.join(accuracy[["accuracy", "ci_low", "ci_high"]].astype(float))
    return table.join(values.drop(columns="accuracy"))


def _ranks(answers: pd.DataFrame, table: pd.DataFrame) -> np.ndarray | float:
    """Rank of each run with its limits, from the pairs where all answered the same items; missing
    where most were not asked of all: other questions may be easier.
    """
    right = shared.right_answers(answers, table)
    if len(right) < table["n"].max() / 2:
        return np.nan
    accuracy = table["accuracy"]
    if (table["n"] == len(right)).all():
        pairs = pairing.all_pairs(right.to_numpy(), shared.clusters_of(answers, right))
        low, high = ranks.from_pairs(len(table), pairs)
        return np.column_stack([accuracy.rank(ascending=False), low, high])
    limits = table["ci_low"], table["ci_high"]
    return np.column_stack(ranks.rank_intervals(accuracy, *limits, seed=0))
