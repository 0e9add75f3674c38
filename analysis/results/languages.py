"""The same questions in several languages: who loses how much, and is it the model or the text?

Runs are compared on the questions that all of them were asked in all languages. What is lost from
the reference language to another is split into what was not answered or not read, and what is wrong
though answered; the two add up.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import tables
from analysis.answers import ANY, labelled, stored
from analysis.answers.labelled import MISREAD
from analysis.errors import DataError
from analysis.items import describe
from analysis.results import leaderboard, linked, loss_sentences, trust
from analysis.results.linked import Cube
from analysis.results.shared import ALPHA, in_points
from analysis.results.shown import Result, read_by
from analysis.statistics.misreading import corrected_loss
from analysis.statistics.pairing import all_pairs
from analysis.statistics.translations import suspects

_CORRECTED = ["corrected", "corrected_low", "corrected_high"]
_OF_READ = ["value", "lost_unread", "lost_wrong", "lost_without"]


class Languages(Result):
    """What runs lose from one language to others, on the same questions.

    Attributes
    ----------
    benchmark, method, reference : str
    frame : DataFrame
        A row a run and language: `run`, `language`, `n` questions, `clusters`, `value_reference`
        and `value` (accuracy, %), `rate_reference` and `rate` (response rate, %); `lost` (points)
        with `ci_low`, `ci_high` and `p`, which hold for all rows together, and `p_single`;
        `lost_unread` and `lost_wrong`, which add up to `lost`; `lost_without`, the loss on the
        questions that are suspected in no language (a sensitivity, no correction). Missing, as
        are accuracies, where the method does not read the run in one of the two languages.
    pairs : DataFrame
        A row a pair of runs and language: `first`, `second`, `language`, `difference` (what the
        first loses less what the second loses, points) with limits and `p` that hold together, and
        `p_single`.
    suspects : DataFrame
        A row a question and language where the models that know the language fail more than the
        question's easiness elsewhere predicts, likeliest first: `question`, `language`, `right`,
        `expected`, `p`, `p_adjusted`, `models`, `item_id`, `item_id_reference`.
    chance : float
        Accuracy (%) of guessing; 0 where there is nothing to choose from.
    margin : float or None
        Points within which two losses count as the same.
    reading : DataFrame
        How rightly runs, languages and scripts are read by people's labels, and the corrected
        accuracy (see `labelled.reading`); no rows without labels. With some `frame` has
        `corrected`, the loss corrected for what is misread in both languages, with
        `corrected_low` and `corrected_high` (`misreading.corrected_loss`; of labels those of each
        loss by itself).
    notes : sequence of str
        What must be known first.
    """

    benchmark: str
    method: str
    reference: str
    frame: pd.DataFrame
    pairs: pd.DataFrame
    suspects: pd.DataFrame
    chance: float
    margin: float | None
    notes: Sequence[str]
    reading: pd.DataFrame

    @property
    def heading(self) -> str:
        """Benchmark, method, runs, languages and questions."""
        runs, others = self.frame["run"].nunique(), self.frame["language"].nunique()
        who = f"{runs} run{'s' * (runs != 1)}"
        where = f"from {self.reference} to {others} language{'s' * (others != 1)}"
        n = f"{self.frame['n'].max():,} questions"
        return f"{self.benchmark}{read_by(self.method)}: {who}, {where}, {n}"

    @property
    def sentences(self) -> list[str]:
        """What guessing gives, who loses less, and what is suspected."""
        return [
            *loss_sentences.guessing(self.frame, self.chance),
            *loss_sentences.pairs(self.pairs, self.frame, self.reference, self.chance, self.margin),
            loss_sentences.suspected(self.suspects, self.frame),
            loss_sentences.SCOPE,
        ]

    @property
    def table(self) -> pd.DataFrame:
        """`frame` as a reader wants it."""
        headings = {
            "Model": "run",
            "Language": "language",
            f"In {self.reference} (%)": tables.number("value_reference"),
            "Accuracy (%)": tables.number("value"),
            "Lost (points)": tables.number("lost", signed=True, missing="withheld"),
            "95 % interval, all together": tables.interval(),
            "of it not answered or read": tables.number("lost_unread", signed=True),
            "of it answered wrongly": tables.number("lost_wrong", signed=True),
            "p (all together)": tables.p_value("p"),
        }
        if len(self.reading):
            headings |= {
                "Lost, corrected (points)": tables.number("corrected", signed=True),
                "95 % interval, corrected": tables.interval(*_CORRECTED[1:]),
            }
        return tables.shown(self.frame, headings)

    def plot(self, ax=None):
        """Loss by language, a panel a run; languages from the largest share of the web down (Common
        Crawl, `data/evidence/languages.csv`), those of unknown share last. Returns the axes.
        """
        from analysis.plots.language_dots import losses

        order = linked.shares(self.frame["language"].unique()).index
        return losses(self.frame, self.reference, list(order), ax)


def languages(
    benchmark: str | Sequence[str],
    models: Sequence[str] | None = None,
    *,
    reference: str | None = None,
    by: str | None = None,
    method: str | None = None,
    margin: float | None = None,
    labels: str | Path | None = None,
) -> Languages:
    """What each run loses from one language to the others, paired by question.

    Parameters
    ----------
    benchmark : str or sequence of str
        One benchmark in several languages, or several whose items are translations of each other.
    models : sequence of str, optional
        Models, or runs such as ``m (5-shot)``; all if left out.
    reference : str, optional
        Language to which the others are compared; if left out, of those that most runs have the
        one with the largest share of the web.
    by : str, optional
        Field of the items' metadata that translations of a question share; see
        `items.grouping.questions_of`.
    method : str, optional
        See `trust.choose`.
    margin : float, optional
        Points within which two runs' losses count as the same.
    labels : path, optional
        A file of people's labels (``benchmark,run,item_id,label``): says how rightly each run is
        read in each language, and corrects its accuracy for misreading. Left out: ``labels.csv`` of
        the outputs' folder, where the item browser saves them.

    Raises
    ------
    DataError
        For an unknown name, where items are not linked, where no question was asked in two
        languages, where `labels` has none of these runs, or `margin` is not above 0.
    """
    names = [benchmark] if isinstance(benchmark, str) else benchmark
    parts = [_read(name, models, method) for name in names]
    answers, items = zip(*parts, strict=True)
    return from_answers(
        stored.joined(answers),
        pd.concat(items, ignore_index=True),
        " and ".join(names),
        reference=reference,
        by=by,
        method=method,
        margin=margin,
        labels=labels and labelled.read(labels),
    )


def _read(
    benchmark: str, models: Sequence[str] | None, method: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    answers, items = leaderboard.read(benchmark, models, method, compact=True)
    if items is None:  # recorded answers are all there is
        items = linked.without_words(describe(benchmark), answers)
    return answers, items


def from_answers(
    answers: pd.DataFrame,
    items: pd.DataFrame,
    benchmark: str,
    *,
    reference: str | None = None,
    by: str | None = None,
    method: str | None = None,
    margin: float | None = None,
    labels: pd.DataFrame | None = None,
) -> Languages:
    """`languages` of answers at hand."""
    if margin is not None and not margin > 0:
        raise DataError("is not above 0", field="margin")
    keyed = linked.where(answers, answers["correct"].notna())
    method = trust.choose(keyed, method)
    part, about = linked.linked(linked.where(keyed, keyed["method"].isin([method, ANY])), items, by)
    gates = linked.unread(part)
    cube = linked.cube(part, about)
    reference = cube.reference(reference)
    unread = set(zip(gates["run"], gates["language"], strict=True))
    frame = _losses(cube, reference, unread)
    correct = cube.correct.drop(columns=[*unread], errors="ignore")
    listed = _suspects(cube, correct, about, reference)
    others = cube.others(reference)
    doubtful = listed.loc[listed["p_adjusted"] < ALPHA, "question"]
    kept = 100 * cube.correct.drop(doubtful).mean()
    frame["lost_without"] = [kept[run, reference] - kept[run, other] for run, other in others]
    withheld = frame["lost"].isna()
    read = [others[row] for row in frame.index[~withheld]]
    frame.loc[withheld, _OF_READ] = np.nan
    frame.loc[[(run, reference) in unread for run, _ in others], "value_reference"] = np.nan
    reading = labelled.read() if labels is None else labels
    if len(reading):
        reading = labelled.reading(reading, keyed[keyed["method"] == method], items)
    if len(reading):
        _correct(frame, reference, reading)
    elif labels is not None:
        raise DataError("has no two labels of a run in a language", field="labels")
    notes = [
        *loss_sentences.verdicts(part),
        *loss_sentences.rates(frame, reference),
        *loss_sentences.read_rightly(reading, frame),
        *loss_sentences.not_read(gates),
        *loss_sentences.basis(cube, part["run"].cat.categories, reference),
    ]
    return Languages(
        benchmark,
        method,
        reference,
        frame,
        _pairs(cube, reference, read),
        listed,
        100 * cube.chance.mean(),
        margin,
        notes,
        reading,
    )


def _losses(cube: Cube, reference: str, unread: Sequence = ()) -> pd.DataFrame:
    """`Languages.frame` of all runs, without `lost_without`; what is not read in one of the two
    languages is in no test.
    """
    others = cube.others(reference)
    if not others:
        raise DataError(f"no run has {reference} and another language", field="reference")
    starts = [(run, reference) for run, _ in others]
    read = [not {(run, reference), (run, other)} & {*unread} for run, other in others]
    first, second = cube.at(starts), cube.at(others)
    tested = all_pairs(cube.correct.to_numpy(), cube.clusters, pairs=(first[read], second[read]))
    points = pd.DataFrame(in_points(tested, "lost"), np.flatnonzero(read))
    value = 100 * cube.correct.mean().to_numpy()
    rate = 100 * cube.answered.to_numpy()
    wrong = rate - value
    frame = pd.DataFrame(others, columns=["run", "language"]).assign(
        n=len(cube.correct),
        clusters=len(set(cube.clusters)),
        value_reference=value[first],
        value=value[second],
        rate_reference=rate[first],
        rate=rate[second],
    )
    return frame.join(points).assign(
        lost_unread=rate[first] - rate[second], lost_wrong=wrong[second] - wrong[first]
    )


def _correct(frame: pd.DataFrame, reference: str, reading: pd.DataFrame) -> None:
    """Give `Languages.frame` the losses that labels correct."""
    key = ["run", "language"]
    labels = reading.dropna(subset=key).set_index(key)[MISREAD]
    sides = [
        frame[key].assign(language=language).join(labels, on=key)[MISREAD]
        for language in (reference, frame["language"])
    ]
    parts = [part.to_numpy().T / 100 for part in (frame[["lost", "ci_low", "ci_high"]], *sides)]
    frame[_CORRECTED] = 100 * corrected_loss(*parts).T


def _pairs(cube: Cube, reference: str, read: list[tuple[str, str]]) -> pd.DataFrame:
    """`Languages.pairs` of the columns that are read: difference in differences, all together."""
    runs, languages = np.array(read, object).reshape(-1, 2).T
    first, second = np.triu_indices(len(read), 1)
    alike = languages[first] == languages[second]
    first, second = first[alike], second[alike]
    correct = cube.correct.to_numpy()
    # a loss lies between -1 and 1: moved and halved it is a share, as the paired test wants it
    share = correct[:, cube.at([(run, reference) for run, _ in read])]
    share -= correct[:, cube.at(read)]
    share += 1
    share /= 2
    points = in_points(all_pairs(share, cube.clusters, pairs=(first, second)), "difference")
    points |= {name: 2 * points[name] for name in ("difference", "ci_low", "ci_high")}
    names = {"first": runs[first], "second": runs[second], "language": languages[first]}
    return pd.DataFrame(names | points)


def _suspects(
    cube: Cube, correct: pd.DataFrame, about: pd.DataFrame, reference: str
) -> pd.DataFrame:
    """`Languages.suspects` by the columns of `correct`, which are read; likeliest first."""
    every = pd.MultiIndex.from_product([cube.languages, cube.correct.columns.unique("run")])
    wide = correct.swaplevel(axis="columns").reindex(columns=every)
    shape = len(wide), len(cube.languages)
    tested = suspects(wide.to_numpy().reshape(*shape, -1), cube.chance)._asdict()
    columns = {name: np.broadcast_to(values, shape).ravel() for name, values in tested.items()}
    key = ["question", "language"]
    frame = pd.DataFrame(
        columns, pd.MultiIndex.from_product([wide.index, cube.languages], names=key)
    )
    frame = frame[frame["right"] < frame["expected"]].sort_values("p").reset_index()
    ids = about.drop_duplicates(key).set_index(key)["item_id"]
    originals = ids.xs(reference, level="language").rename("item_id_reference")
    return frame.join(ids, on=key).join(originals, on="question")
