"""Items with the outputs of every run: filtered, sorted, one at a time."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from analysis import answers as extraction
from analysis.answers import labelled, stored
from analysis.errors import refuse_unknown
from analysis.explore import mapped, marks
from analysis.results import trust
from analysis.statistics.reliability import item_rest
from analysis.text import visible

_READ = ["choice", "why", "correct"]
STATES = ["not read", "correct", "wrong", "unanswered", "no key"]
# what a filter keeps: answers by their state or mark, then items by the answers of the runs
_OF_ANSWERS = ("correct", "wrong", "unanswered", "misread", "methods disagree")
_OF_ITEMS = ("models disagree", "all wrong", "only first right", "likely wrong key")
SHOW = ("all", *_OF_ANSWERS, *_OF_ITEMS)
_PREVIEW = 90  # characters of a question in the overview
_STRIP = 40  # runs that the overview marks one by one
_MARKS = np.array(["·", "✓", "✗", "–", "?"])  # of `STATES`
# filters by a column of the items
GROUPS = {"subjects": "subject", "categories": "category", "languages": "language"}
FILTERS = {column: name for name, column in GROUPS.items()}
_ABOUT = "benchmark item_id language subject category question answer".split()


class Records:
    """One benchmark's items, outputs and answers.

    Parameters
    ----------
    items : DataFrame
    tables : sequence of Table
        Of `mapped.table`: a row an output.
    usual : sequence of str
        Methods that go before the others; of them, or of all, that of leaderboards is the first.

    Attributes
    ----------
    items : DataFrame
        Indexed by `item_id`.
    benchmark : str
    place : ndarray of int
        Position of each output's item among the items.
    run : Categorical
        Model and setting of each output in words.
    methods : list of str
        Extraction methods that apply, first the one by which leaderboards read.
    """

    def __init__(
        self, items: pd.DataFrame, tables: Sequence[pa.Table], usual: Sequence[str] = ()
    ) -> None:
        self.items = items.set_index("item_id", drop=False)
        self.benchmark = items["benchmark"].iloc[0]
        self._table = mapped.joined(tables).unify_dictionaries()
        self.place = self._table["place"].to_numpy()
        asked = self._table.select(extraction.RUN).to_pandas()
        asked = asked.groupby(extraction.RUN, observed=True)
        names = asked.size().reset_index()[extraction.RUN].astype("str")
        names["run"] = extraction.runs(names)
        self.run = pd.Categorical(names["run"]).take(asked.ngroup())
        names["pooled"] = extraction.runs(extraction.pooled(names))
        self._names = names.set_index("run", drop=False)[["run", "model", "pooled"]]
        read = mapped.methods(tables)
        usual = [name for name in usual if name in read]
        self.methods = [*dict.fromkeys([*self._preferred(usual or read), *usual, *read])]
        columns = (self._table[f"{name}:choice"] for name in self.methods)
        self._labels = {label for one in columns for label in one.unique().to_pylist()}
        self._marks = pd.DataFrame(columns=labelled.COLUMNS)
        self._choices: dict[str, pd.DataFrame] = {}

    @classmethod
    def of(cls, items: pd.DataFrame, outputs: pd.DataFrame) -> "Records":
        """Records of frames at hand; outputs to unknown items are left out, with a warning."""
        asked = outputs["item_id"].isin(items["item_id"])
        answers = extraction.extract(extraction.once(outputs[asked]), items)
        return cls(items, [mapped.table(items, outputs, answers)])

    def _preferred(self, methods: Sequence[str]) -> list[str]:
        """The one of some methods by which leaderboards read; none where nothing is read."""
        answered, reasons = {}, Counter()
        for name in methods:
            choices, why = self._table[f"{name}:choice"], self._table[f"{name}:why"].drop_null()
            if len(why):
                answered[name] = len(choices) - choices.null_count
                for one in why.value_counts().to_pylist():
                    reasons[one["values"]] += one["counts"]
        return [trust.preferred(pd.Series(answered), pd.Series(reasons))] if answered else []

    def mark(self, file: str | Path) -> None:
        """Take answers and keys as the marks in a file say, instead of earlier marks."""
        self._marks = marks.read(self.benchmark, file)
        keys = self._marks.query("run == @marks.KEY").set_index("item_id")["label"]
        self.items["answer"] = keys.reindex(self.items.index).fillna(self.items["answer"])
        self._choices.clear()

    @property
    def runs(self) -> list[str]:
        """Runs, sorted: a model, or a model in one of its settings."""
        return list(self.run.categories)

    def choices(self, method: str) -> pd.DataFrame:
        """What a method extracted, a row an output: `choice` and `why` (missing where there is
        none), `state` (of `STATES`), all categorical; `keyed`, whether it counts as right or wrong,
        and `misread`, whether a mark says something else.

        Raises
        ------
        DataError
            For a method that does not apply.
        """
        method = method or self.methods[0]
        refuse_unknown("method", self.methods, method)
        if method not in self._choices:
            table = self._table.select([f"{method}:{name}" for name in _READ])
            frame = table.to_pandas(types_mapper=stored.NULLABLE.get).set_axis(_READ, axis=1)
            labels = {*self._labels, *self._marks["label"]} - {None, labelled.NONE}
            frame["choice"] = frame["choice"].cat.set_categories(sorted(labels))
            frame["run"] = self.run
            frame["item_id"] = pd.Categorical.from_codes(self.place, self.items.index)
            frame = marks.marked(frame, self.items, self._marks)
            read, chosen, correct = (frame[name].notna() for name in ("why", "choice", "correct"))
            right = frame.pop("correct").fillna(False)
            state = np.select([~read, ~chosen, right, correct], [0, 3, 1, 2], 4)
            state = pd.Categorical.from_codes(state, STATES)
            self._choices[method] = frame.assign(state=state, keyed=correct)
        return self._choices[method]

    def groups(self, filter: str) -> list[str]:
        """What a filter of `GROUPS` can choose from, sorted."""
        return sorted(self.items[GROUPS[filter]].dropna().unique())

    def named(self, names: Sequence[str]) -> list[str]:
        """The runs of these names: runs, models (all their settings), or runs without the number of
        their sample.

        Raises
        ------
        DataError
            For a name that no run has.
        """
        refuse_unknown("run", np.unique(self._names), *names)
        return list(self._names.index[self._names.isin(names).any(axis=1)])

    def fitting(
        self,
        *,
        runs: Sequence[str] = (),
        method: str = "",
        show: str = "all",
        text: str = "",
        regex: bool = False,
        **of_items: Sequence[str] | None,
    ) -> np.ndarray:
        """Which outputs fit the filters.

        Parameters
        ----------
        runs : sequence of str
            Empty for all.
        method : str, optional
            The method whose choices count; the first that applies if left out.
        show : str
            One of `SHOW`: an answer that is correct, wrong or unanswered, or marked as misread; a
            response from which another method takes another choice; any response to an item on
            which the choices of these runs differ, or that none of them has right, or the first of
            them alone, or on which more than half of the better half of the runs make one wrong
            choice.
        text : str
            Is part of the question or of the response, in any case; with `regex` an expression
            (RE2).
        subjects, categories, languages, ids : sequence of str, optional
            Only these items; empty (but for `ids`) for all.

        Returns
        -------
        ndarray of bool, a value an output

        Raises
        ------
        DataError
            For a name that does not exist, with the nearest one, or an expression that is none.
        """
        refuse_unknown("filter", SHOW, show)
        choices = self.choices(method)
        fits = self._items_fitting(**of_items)[self.place]
        if len(runs):
            fits &= self.run.isin(self.named(runs))
        if show in STATES:
            fits &= choices["state"] == show
        elif show == "misread":
            fits &= choices["misread"]
        elif show == "methods disagree":
            fits &= self.disagree(method)
        elif show in _OF_ITEMS:
            fits &= self._of_items(show, method, fits)[self.place]
        if text:
            asked = mapped.containing([mapped.as_bytes(self.items["question"])], text, regex)
            written = mapped.containing(self._table["response"].chunks, text, regex)
            fits &= asked[self.place] | written
        return fits

    def select(self, **filters) -> pd.Index:
        """Ids of the items of the outputs that fit `filters` (see `fitting`).

        Items without any output fit as long as no filter asks for outputs.
        """
        fits = self._sums(self.fitting(**filters)) > 0
        of_outputs = filters.get("show", "all") != "all" or filters.get("runs")
        if not of_outputs and not filters.get("text"):
            of_items = filters.keys() & {*GROUPS, "ids"}
            fits |= self._items_fitting(**{name: filters[name] for name in of_items})
        return self.items.index[fits]

    def overview(self, runs: Sequence[str] = (), method: str = "") -> pd.DataFrame:
        """How runs did on each item: percentage correct, discrimination, the most popular wrong
        choice with how many runs made it, and of at most `_STRIP` runs a sign for each.
        """
        rows = self.fitting(runs=runs)
        choices = self.choices(method)
        keyed = rows & choices["keyed"]
        right = choices["state"] == "correct"
        votes = self._votes(method, keyed & (choices["state"] == "wrong"))
        labels = ["", *choices["choice"].cat.categories]
        popular = zip(votes.argmax(axis=1), votes.max(axis=1), strict=True)
        with np.errstate(invalid="ignore"):
            share = 100 * self._sums(keyed & right) / self._sums(keyed)
        columns = {
            "item": [*map(visible, self.items.index)],
            "correct (%)": share.round(1),
            "wrong choice": [f"{labels[code]} ({n})" if n else "" for code, n in popular],
        }
        if len(self.run[rows].unique()) <= _STRIP:
            signs = pd.Series(_MARKS[choices["state"].cat.codes[rows]]).groupby(self.place[rows])
            columns["runs"] = signs.sum().reindex(range(len(self.items)), fill_value="").to_numpy()
        columns["discrimination"] = self._discrimination(right, keyed).round(2)
        columns["question"] = self.items["question"].str[:_PREVIEW].map(visible, "ignore")
        return pd.DataFrame(columns, index=self.items.index).dropna(axis=1, how="all")

    def frame(self, rows: np.ndarray, method: str = "") -> pd.DataFrame:
        """The outputs at some positions (which are its index) with their texts, item by item.

        Returns
        -------
        DataFrame
            Columns of the item (`key` is its answer), `run`, `model`, `setting`, `response`,
            `error`, and what `method` read: `choice`, `state`, `why`, `method`.
        """
        rows = rows[np.argsort(self.place[rows], kind="stable")]
        mask = np.zeros(len(self.place), bool)
        mask[rows] = True
        part = self._table.select([*extraction.RUN, *mapped.TEXTS]).filter(pa.array(mask))
        outputs = part.to_pandas().set_axis(np.flatnonzero(mask)).loc[rows]
        for name in mapped.TEXTS:
            outputs[name] = pd.Series(map(mapped.as_text, outputs[name]), rows, object)
        method = method or self.methods[0]
        read = self.choices(method).iloc[rows][["choice", "state", "why"]].astype("str")
        items = self.items[_ABOUT].iloc[self.place[rows]].rename(columns={"answer": "key"})
        frame = pd.concat([items.set_axis(rows), outputs, read], axis=1)
        return frame.assign(run=self.run[rows], method=method)

    def rows_of(self, item_id: str, runs: Sequence[str] = ()) -> np.ndarray:
        """Positions of an item's outputs, of these runs or of all."""
        rows = np.flatnonzero(self.place == self.items.index.get_loc(item_id))
        return rows[self.run[rows].isin(runs)] if len(runs) else rows

    def _items_fitting(self, ids: Sequence[str] | None = None, **groups) -> np.ndarray:
        refuse_unknown("filter", GROUPS, *groups)
        fits = np.ones(len(self.items), bool)
        if ids is not None:
            fits = self.items.index.isin(ids)
        for name, wanted in groups.items():
            if len(wanted):
                refuse_unknown(GROUPS[name], self.groups(name), *wanted)
                fits &= self.items[GROUPS[name]].isin(wanted).to_numpy()
        return fits

    def disagree(self, method: str, rows: slice | np.ndarray = slice(None)) -> np.ndarray:
        """Responses from which another method takes another choice, or none."""
        mine = self.choices(method).iloc[rows]
        fits = False
        for name in self.methods:
            other = self.choices(name).iloc[rows]
            both = (mine["state"] != "not read") & (other["state"] != "not read")
            fits |= both & (mine["choice"].cat.codes != other["choice"].cat.codes)
        return fits.to_numpy()

    def _of_items(self, show: str, method: str, rows: np.ndarray) -> np.ndarray:
        """Items that the answers in `rows` make fit."""
        choices = self.choices(method)
        if show == "models disagree":
            return (self._votes(method, rows) > 0).sum(axis=1) > 1
        keyed = rows & choices["keyed"]
        right = keyed & (choices["state"] == "correct")
        if show == "likely wrong key":
            share = pd.Series(right[keyed]).groupby(self.run[keyed], observed=True).mean()
            good = keyed & self.run.isin(share.index[share >= share.median()])
            votes = self._votes(method, good & (choices["state"] == "wrong"))
            return votes.max(axis=1) > self._sums(good) / 2
        if show == "all wrong":
            return (self._sums(keyed) > 0) & (self._sums(right) == 0)
        runs = self.run.codes.astype(int)
        first = right & (runs == runs[rows].min(initial=len(runs)))
        return (self._sums(right) == 1) & (self._sums(first) == 1)

    def _votes(self, method: str, rows: np.ndarray) -> np.ndarray:
        """How many outputs of each item make each choice; the first column is none. Shape (items,
        choices + 1).
        """
        choices = self.choices(method)
        rows = rows & (choices["state"] != "not read")
        choice = choices["choice"].cat
        width = len(choice.categories) + 1
        cells = self.place[rows].astype(np.int64) * width + choice.codes[rows] + 1
        return np.bincount(cells, minlength=width * len(self.items)).reshape(-1, width)

    def _sums(self, rows: np.ndarray) -> np.ndarray:
        """Outputs an item, of those in `rows`."""
        return np.bincount(self.place[rows], minlength=len(self.items))

    def _discrimination(self, right: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Correlation of each item with the score on the others, over the runs that were asked all
        items that any run was asked.
        """
        wide = np.full((len(self.runs), len(self.items)), np.nan)
        wide[self.run.codes[rows], self.place[rows]] = right[rows]
        wide = pd.DataFrame(wide).dropna(how="all").dropna(axis=1)
        values = np.full(len(self.items), np.nan)
        if len(wide) > 2 and len(wide.columns) > 1:
            values[wide.columns] = item_rest(wide.to_numpy(bool))
        return values
