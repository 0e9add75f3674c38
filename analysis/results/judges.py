"""Judgments -> results: mean scores, and how far several judges agree."""

import pandas as pd

from analysis import tables
from analysis.answers import judgments as judged
from analysis.errors import DataError
from analysis.results.shown import Result, forest
from analysis.statistics import agreement as agreements

LANGUAGES = "mean of languages"


class Scores(Result):
    """Mean scores that a log gives to its runs.

    Attributes
    ----------
    benchmark : str
    frame : DataFrame
        `judgments.means` with `score` (its name, and which scores occur), `language`, `run`,
        `judge` (the log's own where it does not say who) and `questions`.
    unscored : list of str
        Runs without any score.
    """

    benchmark: str
    frame: pd.DataFrame
    unscored: list[str]

    @property
    def heading(self) -> str:
        """Benchmark and runs."""
        n = self.frame["run"].nunique()
        return f"{self.benchmark}: mean scores of {n} run{'s' * (n != 1)}"

    @property
    def notes(self) -> list[str]:
        """What has no score."""
        return [f"{run}: without any score" for run in self.unscored]

    @property
    def sentences(self) -> list[str]:
        """What intervals are of."""
        return [
            "Behind a score's name are the lowest and highest. Intervals are of questions drawn."
        ]

    @property
    def table(self) -> pd.DataFrame:
        """A row a score, language, judge and run; what all rows have in common is left out."""
        shown = score_table(self.frame.assign(model=self.frame["run"], setting=self.frame["judge"]))
        shown.insert(0, "Score", self.frame["score"].to_numpy())
        shown.insert(1, "Language", self.frame["language"].to_numpy())
        shown.insert(shown.columns.get_loc("n"), "Questions", self.frame["questions"].to_numpy())
        alike = [name for name in ("Language", "Judge") if shown[name].nunique() < 2]
        if shown["n"].eq(shown["Questions"]).all():
            alike.append("Questions")
        return shown.drop(columns=alike)

    def plot(self, ax=None):
        """Means with intervals, a row a row of the table; returns the axes."""
        names = self.frame[["score", "language", "judge", "run"]]
        varied = names.loc[:, names.nunique() > 1]
        rows = varied.apply(lambda row: ", ".join(row.dropna()), axis=1)
        frame = self.frame.assign(row=rows if len(varied.columns) else self.frame["run"])
        return forest(frame[["row", "value", "ci_low", "ci_high"]], "mean score", None, ax)


def score_table(means: pd.DataFrame) -> pd.DataFrame:
    """Mean scores (`judgments.means`) as a reader wants them, in their order."""
    headings = {
        "Judge": "setting",
        "Model": "model",
        "Mean score": tables.number("value", 2),
        "95 % interval": tables.interval(decimals=2),
        "n": "n",
        "Without a score": "unparsed",
    }
    return tables.shown(means, headings)


def agreement(judgments: pd.DataFrame) -> pd.DataFrame:
    """Agreement of all judges of the same responses, over all and by language, clustered by item.

    Returns
    -------
    DataFrame
        `language` ("all" for all) and the fields of `agreement.Agreement`; languages where fewer
        than two responses have two judges are left out.

    Raises
    ------
    DataError
        Where no two judges judged the same responses.
    """
    rows = []
    for language, part in [("all", judgments), *judgments.groupby("language", sort=False)]:
        # repeated judgments are averaged; people are judges, too
        wide = part.pivot_table("score", judged.RESPONSE, "judge")
        try:
            item = wide.index.get_level_values("item_id")
            agreed = agreements.of_raters(wide, "interval", item)
        except DataError:
            if language == "all":
                raise
            continue
        rows.append({"language": language, **agreed._asdict()})
    return pd.DataFrame(rows)
