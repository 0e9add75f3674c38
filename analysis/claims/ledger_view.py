"""The ledger of claims, as it shows itself: text, LaTeX, HTML and a figure."""

import textwrap

import pandas as pd

from analysis.claims import verdict_sentences
from analysis.claims.book import counts, ledger
from analysis.claims.terms import records
from analysis.claims.verdicts import CONTRADICTED, UNTRUE, VERDICTS
from analysis.results.shown import Result
from analysis.text import visible


class Ledger(Result):
    """Claims of papers with their verdicts.

    Attributes
    ----------
    frame : DataFrame
        `ledger`: a row a claim.
    """

    frame: pd.DataFrame
    notes = ()

    @property
    def heading(self) -> str:
        """Claims, papers, and how many the numbers contradict."""
        against = self.frame["verdict"].isin(UNTRUE).sum()
        papers = ", ".join(self.frame["paper"].unique())
        return f"{len(self.frame)} claims of {papers}: {against} contradicted as printed"

    @property
    def sentences(self) -> list[str]:
        """What each verdict of the table means."""
        verdicts = set(self.frame["verdict"])
        return [f"{name}: {means}." for name, means in VERDICTS.items() if name in verdicts]

    @property
    def table(self) -> pd.DataFrame:
        """How many claims have each verdict, by paper."""
        by_paper = counts(self.frame)[list(VERDICTS)].T
        by_paper = by_paper[by_paper["all"] > 0].rename_axis(index="Verdict", columns=None)
        return by_paper.reset_index()

    def text(self, verdict: str | None = CONTRADICTED) -> str:
        """Counts by verdict and paper, then the claims with one verdict (all, if None)."""
        part = self.frame if verdict is None else self.frame[self.frame["verdict"] == verdict]
        lines = [
            counts(self.frame).T.to_string(),
            "",
            f"{verdict or 'all claims'}: {len(part)}",
            "",
        ]
        for row in records(part):
            place = "; ".join(filter(None, [row["section"], ", ".join(row["needs"])]))
            stated = f" (stated: {row['stated']})" if row["stated"] else ""
            lines.append(_plain(f"{row['id']} [{row['verdict']}]  {place}"))
            entries = [
                f"{row['claim']}{stated}",
                *verdict_sentences.claim(row),
                verdict_sentences.evidence(row),
            ]
            for entry in map(_plain, entries):
                lines += textwrap.wrap(entry, 110, initial_indent="    ", subsequent_indent=" " * 6)
        return "\n".join(lines)

    def plot(self, ax=None):
        """Each paper's claims by verdict; returns the axes."""
        by_paper = counts(self.frame).drop(index="all")[list(VERDICTS)]
        ax = by_paper.plot.barh(stacked=True, ax=ax, colormap="cividis", xlabel="claims")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize="small")
        return ax


def claims(paper: str | None = None) -> Ledger:
    """The claims of a paper (of all, if left out) with their verdicts.

    Raises
    ------
    DataError
        For a paper without claims.

    Examples
    --------
    >>> from analysis.claims import VERDICTS
    >>> set(claims().frame["verdict"]) <= set(VERDICTS)
    True
    """
    return Ledger(ledger(paper))


def _plain(text: str) -> str:
    """One line that a terminal cannot take for commands."""
    return visible(" ".join(text.split()))
