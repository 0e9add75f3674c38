"""Differences with intervals and tests: runs on the same items, and estimates without items."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import tables
from analysis.answers import ANY, RUN
from analysis.errors import DataError
from analysis.results import leaderboard, shared, trust
from analysis.results.shown import Result, forest, read_by, short
from analysis.statistics.intervals import adjust, interval_p, mover

_ENDS = ["value", "ci_low", "ci_high"]
_CELL = ["setting", "group", "metric"]
_WITHHELD = "difference ci_low ci_high p p_single".split()


class Comparison(Result):
    """Runs (models, or settings of one) on the items that all were asked and that have a key.

    Attributes
    ----------
    benchmark, method : str
    runs : tuple of str
        Two in the order given; more with the most accurate first.
    frame : DataFrame
        A row a `group` ("all" first) and pair of runs (`shared.pair_frame`), and `p_holm` (`p`
        after Holm over the groups; missing for "all", which is no part of that family). Differences
        are missing where the method does not read one of the two.
    differ : DataFrame
        Items on which the choices differ: `benchmark`, `item_id`, `subject`, `category`, each run's
        choice, and for two runs `right`: one of them, "both" or "neither".
    notes : tuple of str
        What must be known first.
    """

    benchmark: str
    method: str
    runs: tuple[str, ...]
    frame: pd.DataFrame
    differ: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def overall(self) -> pd.DataFrame:
        """Rows of `frame` over all items."""
        return self.frame[self.frame["group"] == "all"]

    @property
    def heading(self) -> str:
        """Runs, benchmark, method, items."""
        n = self.frame["n"].iloc[0]
        who = " minus ".join(self.runs) if len(self.runs) == 2 else f"{len(self.runs)} runs"
        judged = self.differ.isin(["right", "wrong"]).any(axis=None)  # in place of a choice
        return (
            f"{who} on {self.benchmark}{read_by(self.method)}: {n:,} items; "
            f"{'choices or verdicts' if judged else 'choices'} differ on {len(self.differ):,}"
        )

    @property
    def sentences(self) -> list[str]:
        """What the test says."""
        if len(self.runs) > 2:
            return shared.pair_sentences(self.overall, "")
        return [_sentence(self.overall.iloc[0])]

    @property
    def table(self) -> pd.DataFrame:
        """Two runs by group; more, each against the best (`frame` has all pairs)."""
        first, *others = self.runs
        tests = {
            "Difference (points)": tables.number("difference", signed=True, missing="withheld"),
            "95 % interval": tables.interval(),
            "p": tables.p_value("p"),
        }
        if len(others) > 1:
            names = [f"{first} leads by (points)", "95 % interval, all pairs together"]
            headings = {
                "Model": "second",
                "Accuracy (%)": tables.number("value_second"),
                "Response rate (%)": tables.number("rate_second"),
            }
            headings |= dict(zip([*names, "p (all pairs)"], tests.values(), strict=True))
            return tables.shown(self._with_best(), headings)
        headings = {"Group": "group", "n": "n"}
        for run, side in zip(self.runs, ("first", "second"), strict=True):
            headings[f"{run} (%)"] = tables.number(f"value_{side}")
            headings[f"{run} answered (%)"] = tables.number(f"rate_{side}")
        headings |= tests
        if len(self.frame) > 1:
            headings["p (Holm)"] = tables.p_value("p_holm")
        return tables.shown(self.frame, headings)

    def _with_best(self) -> pd.DataFrame:
        """Rows of `overall` with the first run."""
        return self.overall[self.overall["first"] == self.runs[0]]

    def plot(self, ax=None):
        """Differences with intervals: a row a group of two runs, or a run against the best."""
        first, second = short(self.runs)[:2]
        frame, row, what = self.frame, "group", f"{first} minus {second}"
        if len(self.runs) > 2:
            frame, row, what = self._with_best(), "second", f"{first} leads by"
        rows = frame[[row, "difference", "ci_low", "ci_high"]]
        rows = rows.set_axis(["row", "value", "ci_low", "ci_high"], axis=1)
        rows["note"] = [f"n = {n:,}" for n in frame["n"]]
        return forest(rows, f"{what} (points, 95 % intervals)", 0, ax)


def compared(
    answers: pd.DataFrame,
    benchmark: str,
    models: Sequence[str] = (),
    items: pd.DataFrame | None = None,
    by: str | None = None,
    method: str | None = None,
) -> Comparison:
    """Runs of one benchmark on the same items, all where none is named; `items` give their groups.

    Repeated samples are averaged item by item, and items that belong together (a passage, a
    translation) count together.

    Parameters
    ----------
    by : str, optional
        A column of the items, or a field of their metadata; categories where they have several, if
        left out.
    method : str, optional
        See `trust.choose`.

    Raises
    ------
    DataError
        For an unknown name, a single model, or no items that all were asked.
    """
    if len(models) == 1 or len(set(models)) < len(models):
        raise DataError(
            f"{models[0]} is to be compared with another model, or with none named all with all",
            field="models",
        )
    answers = shared.chosen(answers, models)
    names = list(models) or list(dict.fromkeys(answers["run"]))
    part, method = leaderboard.by_method(answers, method)
    notes, unread = _gate(answers, method)
    part = part[part["correct"].notna()]
    right = shared.by_run(part.assign(correct=part["correct"].astype(float)), "correct", names)
    if len(names) < 2 or right.empty:
        raise DataError(f"{' and '.join(names)} share no items of {benchmark} that have a key")
    if len(names) > 2:
        right = shared.best_first(right)
    rates = shared.by_run(part.assign(rate=100.0 * part["choice"].notna()), "rate", names)
    groups = _grouped(part, items, right.index, by)
    clusters = shared.clusters_of(part, right)
    frames = []
    for group in ["all", *groups.dropna().unique()]:
        rows = np.ones(len(right), bool) if group == "all" else groups.eq(group).to_numpy()
        pairs = shared.pair_frame(right[rows], clusters[rows], rates[rows].mean())
        pairs.insert(0, "group", group)
        frames.append(pairs)
    frame = pd.concat(frames, ignore_index=True)
    hidden = frame["first"].isin(unread) | frame["second"].isin(unread)
    frame[_WITHHELD] = frame[_WITHHELD].mask(hidden)
    family = frame[frame["group"] != "all"]
    frame["p_holm"] = family.groupby(["first", "second"])["p"].transform(adjust)
    differ = _differ(part, benchmark, right)
    return Comparison(benchmark, method, tuple(right.columns), frame, differ, notes)


def _gate(answers: pd.DataFrame, method: str) -> tuple[tuple[str, ...], set[str]]:
    """Notes on the reading, and the runs that the method does not read."""
    gate = trust.gate(answers).merge(answers[[*RUN, "run"]].drop_duplicates(), on=RUN)
    gate = gate[gate["method"].isin([method, ANY])]
    notes = tuple(f"{run}: {note}" for run, note in gate[["run", "note"]].to_numpy() if note)
    return notes, set(gate.loc[~gate["trusted"], "run"])


def _grouped(
    part: pd.DataFrame, items: pd.DataFrame | None, ids: pd.Index, by: str | None
) -> pd.Series:
    """Group of each item; all missing where there is one group only."""
    column = by or "category"
    part = leaderboard.grouped(part, items, column)
    group = part.drop_duplicates("item_id").set_index("item_id")[column].reindex(ids)
    return group if group.nunique() > 1 else group.mask(group.notna())


def _differ(part: pd.DataFrame, benchmark: str, right: pd.DataFrame) -> pd.DataFrame:
    """Items on which the runs' choices (the most frequent of repeated samples) differ."""
    if "sample" in part:
        modal = part.groupby(["item_id", "run"])["choice"].agg(lambda one: one.mode().get(0))
        choices = modal.unstack("run")
    else:
        choices = part.pivot(index="item_id", columns="run", values="choice")
    choices = choices.reindex_like(right)
    texts = choices.fillna("").to_numpy(object)
    choices = choices[(texts != texts[:, :1]).any(axis=1)]
    about = part.drop_duplicates("item_id").set_index("item_id")[["subject", "category"]]
    frame = about.reindex(choices.index).join(choices)
    frame = frame.rename_axis(columns=None).reset_index()
    frame.insert(0, "benchmark", benchmark)
    if right.shape[1] == 2:
        first, second = right.columns
        a, b = (right.loc[choices.index].to_numpy() > 0.5).T
        frame["right"] = np.select([a & b, a, b], ["both", first, second], "neither")
    return frame


def _sentence(row: pd.Series) -> str:
    """What the test of one pair says; what could have been missed where it says nothing."""
    if pd.isna(row["difference"]):
        return "The difference is withheld: the method does not read both."
    if pd.isna(row["p"]):
        return "Not tested: the items are of one cluster, and nothing tells how clusters vary."
    low, high = row["ci_low"], row["ci_high"]
    ahead, behind = row["first"], row["second"]
    if row["difference"] < 0:  # the sentence is about the one ahead
        low, high = -high, -low
        ahead, behind = behind, ahead
    p = tables.p_text(row["p"])
    tested = f"95 % interval {low:+.1f} to {high:+.1f} points, p {'' if p[0] == '<' else '= '}{p}"
    lead = f"{ahead} is ahead of {behind} by {abs(row['difference']):.1f} points"
    if abs(row["difference"]) < 0.05:
        lead = f"{ahead} and {behind} differ by less than 0.05 points"
    n = f"{row['n']:,} questions"
    if row["p"] < shared.ALPHA:
        return f"{lead}, more than chance gives on {n} ({tested})."
    return (
        f"{lead}, which {n} cannot tell from chance ({tested}); a true "
        f"difference of up to {max(abs(low), abs(high)):.1f} points may be hidden."
    )


class Outcomes(NamedTuple):
    """Two-sided tests of one family, counted with their third outcome.

    Only `sentence` words them: what was not tested is not counted as not significant.
    """

    above: int
    below: int
    undecided: int
    untested: int

    @classmethod
    def of_p(cls, difference: pd.Series, p: pd.Series) -> "Outcomes":
        """From p values; a missing one is not tested."""
        sure = p < shared.ALPHA
        return cls._counted(sure & (difference > 0), sure & (difference < 0), p.notna())

    @classmethod
    def of_limits(cls, low: pd.Series, high: pd.Series, null: float = 0.0) -> "Outcomes":
        """From intervals; a missing one tests nothing."""
        return cls._counted(low > null, high < null, low.notna())

    @classmethod
    def _counted(cls, above: pd.Series, below: pd.Series, tested: pd.Series) -> "Outcomes":
        up, down, n = (int(column.sum()) for column in (above, below, tested))
        return cls(up, down, n - up - down, len(tested) - n)

    def sentence(self, what: str, above: str = "above zero", below: str = "below") -> str:
        """How many of `what` are significantly above and below; what was not tested is no result.

        Examples
        --------
        >>> Outcomes(1, 0, 2, 0).sentence("steps", "up", "down")
        '1 of 3 steps are significantly up, 0 down, 2 undecided'
        """
        tested = self.above + self.below + self.undecided
        if not tested:
            return f"none of the {self.untested} {what} is tested: their n is unknown"
        rest = f"; {self.untested} more are not tested: their n is unknown" if self.untested else ""
        counts = f"{self.above} of {tested} {what} are significantly {above}, {self.below} {below}"
        return f"{counts}, {self.undecided} undecided{rest}"


def minus(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """First minus second, row by row in their order, with the interval of two independent estimates
    (MOVER).

    Parameters
    ----------
    first, second : DataFrame
        `value`, `ci_low`, `ci_high`; no interval where one of the two has none.

    Returns
    -------
    DataFrame
        The same columns, with a new index.
    """
    both = np.stack([first[_ENDS].T, second[_ENDS].T], axis=1)
    return pd.DataFrame(np.transpose(mover(*both, weights=[1, -1])), columns=_ENDS)


def differences(results: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """First minus second model of each pair, cell by cell (setting, group and metric).

    Without the answers to single items the interval takes the two as independent, which on the same
    questions is on the safe side where their answers agree more than by chance.

    Parameters
    ----------
    results : DataFrame
        `results` with intervals.
    pairs : list of (str, str)
        Names of the two models.

    Returns
    -------
    DataFrame
        `first`, `second`, `setting`, `group`, `metric`, `value_first`, `value_second`, `difference`
        with `ci_low`, `ci_high` (MOVER), `p` (of the same interval, see `intervals.interval_p`),
        `p_holm` (Holm over all rows), `n`.
    """
    cells = results[["model", *_CELL, *_ENDS, "n"]]
    both = pd.DataFrame(pairs, columns=["first", "second"])
    both = both.merge(cells.rename(columns={"model": "first"}), on="first")
    others = cells.rename(columns={"model": "second"})
    both = both.merge(others, on=["second", *_CELL], suffixes=("_first", "_second"))
    estimates = [both[[f"{end}_first", f"{end}_second"]].T for end in _ENDS]
    value, low, high = mover(*estimates, weights=[1, -1])
    p = interval_p(value, low, high)
    tests = {"difference": value, "ci_low": low, "ci_high": high, "p": p, "p_holm": adjust(p)}
    tested = both.assign(**tests, n=both["n_first"])
    return tested[["first", "second", *_CELL, "value_first", "value_second", *tests, "n"]]
