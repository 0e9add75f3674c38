"""Sentences on losses from language to language, as frames of `Languages` tell it."""

from collections import defaultdict

import pandas as pd

from analysis.results.linked import Cube
from analysis.results.shared import ALPHA, more
from analysis.statistics.multiple import below

_NAMED = 8  # runs and languages at most in a sentence; the table has all
_RECALL = "{recall:.0f} % ({recall_low:.0f} to {recall_high:.0f}) in {0}"
_RATES_APART = 5.0  # points between response rates in two languages that a reader must know first
SCOPE = (
    "Intervals and tests speak of other questions of this kind in these translations; prompts, "
    "samples, runs and languages are taken as they are."
)


def basis(cube: Cube, runs: pd.Index, reference: str) -> list[str]:
    """Which of the runs and questions are compared, where not all are."""
    with_reference = {run for run, _ in cube.others(reference)}
    without = [run for run in runs if run not in with_reference]
    notes = []
    if without:
        notes.append(
            f"Left out, without answers in {reference} and another language: {', '.join(without)}."
        )
    if len(cube.correct) < cube.linked:
        notes.append(
            f"Compared on {len(cube.correct):,} of {cube.linked:,} linked questions: those that "
            "every run was asked in all of its languages."
        )
    return notes


def not_read(gates: pd.DataFrame) -> list[str]:
    """Runs and languages that the method does not read.

    Parameters
    ----------
    gates : DataFrame
        Rows of `trust.gate` that are not trusted, with `run` and `language`.
    """
    where = _where(gates.fillna({"read_rate": 0}), "read_rate", " ({read_rate:.0f} %)")
    return [f"Withheld, as too few responses are read: {where}."] if where else []


def verdicts(part: pd.DataFrame) -> list[str]:
    """That a log says right or wrong alone, and not what was answered."""
    if part["answered"].all() and part["choice"].eq("wrong").any():
        return ["The log says right or wrong alone: what was not answered is among what is wrong."]
    return []


def read_rightly(reading: pd.DataFrame, frame: pd.DataFrame) -> list[str]:
    """How rightly responses are read by the labels of `Languages.reading`, by language and script
    over all runs; the range of the losses corrected for it, and which of them changes most.
    """
    if reading.empty:
        return []
    pooled = reading[reading["run"].isna()].dropna(subset="recall").sort_values("recall")
    shares = []
    for name in ("language", "script"):
        rows = pooled.dropna(subset=name)[:_NAMED].to_dict("records")
        shares.append(", ".join(_RECALL.format(row[name], **row) for row in rows))
    notes = [
        "Of the answers that people see these are read rightly, by their labels, the least first: "
        f"{shares[0]}. By script: {shares[1]}."
    ]
    rows = frame.dropna(subset="corrected")
    if len(rows):
        largest = rows.loc[(rows["corrected"] - rows["lost"]).abs().idxmax()]
        text = (
            "The largest change is that of {run} in {language}: {lost:.1f} as read, "
            "{corrected:.1f} ({corrected_low:.1f} to {corrected_high:.1f}) corrected, if the "
            "labelled responses were drawn at random."
        )
        notes.append(
            f"{len(rows)} losses are {rows['corrected'].min():.1f} to "
            f"{rows['corrected'].max():.1f} points when corrected for misreading. "
            + text.format(**largest)
        )
    return notes


def rates(frame: pd.DataFrame, reference: str) -> list[str]:
    """Response rates that differ between languages, which come before any loss."""
    apart = (frame["rate_reference"] - frame["rate"]).abs() > _RATES_APART
    where = _where(
        frame[apart].dropna(subset="lost"), "rate", " ({rate:.0f} against {rate_reference:.0f} %)"
    )
    text = (
        f"Response rates (answered and read) more than {_RATES_APART:g} points from those in "
        f"{reference}: {where}. What is not answered or read counts as wrong."
    )
    return [text] if where else []


def guessing(frame: pd.DataFrame, chance: float) -> list[str]:
    """What guessing gives, and where runs are not above it: there they cannot lose more."""
    if not chance:
        return [
            "What guessing gives is not known, as the log has no options: a run near it has little "
            "to lose, and cannot be told from one that knows the language."
        ]
    where = _where(near_guessing(frame, chance), "value")
    text = f" Within two standard errors of it or below, with little more to lose: {where}."
    return [f"Guessing would score {chance:.1f} %.{text if where else ''}"]


def near_guessing(frame: pd.DataFrame, chance: float) -> pd.DataFrame:
    """Rows of `Languages.frame` within two standard errors of guessing, or below it."""
    noise = (chance * (100 - chance) / frame["clusters"]) ** 0.5
    return frame[frame["value"] < chance + 2 * noise].dropna(subset="lost")


def _where(frame: pd.DataFrame, by: str, note: str = "") -> str:
    """Runs, each with its languages and what is noted of them, the least of `by` first; of many the
    first, and a count.
    """
    named = defaultdict(list)
    for row in frame.sort_values(by)[:_NAMED].to_dict("records"):
        named[row["run"]].append(row["language"] + note.format(**row))
    texts = (f"{run} in {', '.join(languages)}" for run, languages in named.items())
    return "; ".join(texts) + more(len(frame), _NAMED)


def pairs(
    tested: pd.DataFrame, frame: pd.DataFrame, reference: str, chance: float, margin: float | None
) -> list[str]:
    """Who loses less than whom, in at least how many languages, and which pairs are undecided.

    Parameters
    ----------
    tested, frame : DataFrame
        `Languages.pairs` and `Languages.frame`.
    chance : float
        Accuracy (%) of guessing.
    """
    starts = frame.drop_duplicates("run").set_index("run")["value_reference"]
    near = near_guessing(frame, chance)
    counts = counts_of(tested, set(zip(near["run"], near["language"], strict=True)))
    less, same, hidden = defaultdict(list), [], []
    for names, rows in tested.dropna(subset="p").groupby(["first", "second"], sort=False):
        shown = {pair: counts[pair] for pair in (names, names[::-1]) if counts[pair]}
        for (run, other), count in shown.items():
            lower = starts[other] - starts[run]
            from_lower = f"{count} of {len(rows)}, from {lower:.1f} points lower"
            less[run].append(f"{other} ({from_lower if lower > 0 else f'{count} of {len(rows)}'})")
        widest = rows[["ci_low", "ci_high"]].abs().to_numpy().max()
        if margin is not None and widest <= margin:
            same.append(" and ".join(names))
        elif not shown and rows["p"].min() >= ALPHA:
            hidden.append(widest)
    sentences = [
        f"{run} loses less than {', '.join(less[run][:_NAMED])}{more(len(less[run]), _NAMED)}."
        for run in [*less][:_NAMED]
    ]
    if less:
        sentences.insert(
            0,
            "Runs that lose fewer points than another, and in how many languages at least (p < "
            "0.05 over all pairs of runs and both directions). A run that starts lower in "
            f"{reference} has less to lose; where it is not told from guessing, if that is known, "
            "a smaller loss does not count. Such runs: "
            f"{len(less)}, of which {_NAMED} at most are named.",
        )
    if same:
        sentences.append(
            f"Losses within {margin:g} points of each other in each language read of both: "
            f"{'; '.join(same)}."
        )
    if hidden:
        sentences.append(
            f"Not told apart: {len(hidden)} of {len(counts) // 2} pairs of runs; true differences "
            f"of up to {max(hidden):.1f} points in a language may be hidden."
        )
    return sentences


def counts_of(
    tested: pd.DataFrame, near: set[tuple[str, str]] = frozenset()
) -> dict[tuple[str, str], int]:
    """In how many languages at least each run loses less than each other.

    In both directions, with Bonferroni over all pairs of runs.

    Parameters
    ----------
    tested : DataFrame
        `Languages.pairs`.
    near : set of (run, language), optional
        Where the run is not told from guessing: there it does not lose less.
    """
    groups = tested.dropna(subset="p").groupby(["first", "second"], sort=False)
    counts = {}
    for names, rows in groups:
        for pair, sign in ((names, 1), (names[::-1], -1)):
            floor = [(pair[0], language) in near for language in rows["language"]]
            counts[pair] = below(
                sign * rows["difference"],
                rows["p_single"].mask(floor, 1),
                ALPHA / (2 * len(groups)),
            )
    return counts


def suspected(suspects: pd.DataFrame, frame: pd.DataFrame) -> str:
    """How many questions are suspected in each language, and what losses are without them."""
    if suspects.empty:
        return "Not tested for wrong keys: that takes two runs above guessing in a language."
    counts = suspects[suspects["p_adjusted"] < ALPHA].value_counts("language").items()
    where = ", ".join(f"{n} in {language}" for language, n in counts)
    change = frame["lost_without"] - frame["lost"]
    without = f" Without them no loss changes by more than {change.abs().max():.1f} points."
    untested = sorted(set(frame["language"]) - set(suspects["language"]))
    few = f" Too few runs know {', '.join(untested)} for a test." if untested else ""
    return (
        "Questions that fail in one language more than their easiness elsewhere predicts, by a "
        f"wrong translation or key or another reason: {where or 'none'} (false discovery rate "
        f"5 % in each language).{without if where else ''}{few} "
        f"{suspects['models'].min()} runs at least are tested in a language: with fewer than 16 "
        "most wrong ones are not seen, with 4 or fewer hardly any is."
    )
