"""Claims in YAML, and their verdicts as a table."""

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

import numpy as np
import pandas as pd
from pydantic import BeforeValidator, ValidationInfo, field_validator, model_validator

from analysis import catalog, papers, paths, written
from analysis.claims import checks
from analysis.claims.evidence import evidence
from analysis.claims.terms import Numbers
from analysis.claims.verdicts import NOT_CHECKABLE, UNTRUE, VERDICTS, Outcome
from analysis.errors import DataError, refuse_unknown

Kind = Literal["numeric", "ordinal", "quantified", "trend", "fact", "interpretation"]
KINDS = get_args(Kind)
_Text = Annotated[str, BeforeValidator(str)]


class Claim(written.Written):
    """One statement of a paper, reworded.

    Attributes
    ----------
    stated : str
        The value or word that the paper gives.
    counted : str
        What the computed number counts, where `stated` does not say.
    needs : tuple of str
        Artifacts that it rests on.
    check : dict or None
        Name of a check with its arguments; None where `needs_data` says what would be needed.
    misprint : str
        What is wrong in the paper where several claims rest on it: contradicted together they are
        one finding.
    """

    paper: str = ""
    id: _Text
    section: _Text
    claim: _Text
    kind: Kind
    needs: tuple[str, ...]
    stated: _Text = ""
    counted: _Text = ""
    check: dict | None = None
    needs_data: _Text = ""
    note: _Text = ""
    misprint: _Text = ""

    @field_validator("needs")
    @classmethod
    def _artifacts_exist(cls, needs: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        refuse_unknown("artifact of the paper", info.context["artifacts"], *needs)
        return needs

    @model_validator(mode="after")
    def _checked_or_not(self) -> "Claim":
        if (self.check is None) == (not self.needs_data):
            raise DataError("a claim has either a check or needs_data")
        return self


def names() -> list[str]:
    """Papers that have a file of claims."""
    return sorted(file.stem for file in paths.CLAIMS.glob("*.yaml"))


def load(paper: str) -> tuple[Claim, ...]:
    """The claims of `data/claims/<paper>.yaml`, in the file's order.

    Raises
    ------
    DataError
        With file and place: YAML that cannot be read, an unknown field or kind, neither check nor
        needed data.
    """
    claims = written.read(_file(paper), list[Claim], artifacts=_artifacts(paper))
    return tuple(claim.model_copy(update={"paper": paper}) for claim in claims)


def _file(paper: str) -> Path:
    refuse_unknown("paper with claims", names(), paper)
    return paths.CLAIMS / f"{paper}.yaml"


def _artifacts(paper: str) -> set[str]:
    """Tables and figures that a claim may rest on: those with printed numbers or facts, and those
    that the site shows.
    """
    listed = catalog.load().get(paper)
    printed = {file.stem for file in papers.folder(paper).glob("*.csv")}
    return printed | set(listed.artifacts if listed else ())


def examine(claim: Claim, numbers: Numbers) -> Outcome:
    """What a claim's check gives on `numbers`.

    Raises
    ------
    DataError
        If its check cannot be run: the claim's id is in the message.
    """
    if claim.check is None:
        return Outcome(NOT_CHECKABLE, why=f"Needs {claim.needs_data}.")
    try:
        return checks.run(numbers, claim.check)
    except DataError as error:
        raise DataError(str(error), file=_file(claim.paper), field=claim.id) from None


@cache
def _ledger(paper: str, _changed: int) -> pd.DataFrame:
    numbers = Numbers(evidence(paper), paper)
    rows = []
    for claim in load(paper):
        outcome = examine(claim, numbers)
        row = claim.model_dump(exclude={"check", "needs_data"}) | asdict(outcome)
        row["needs"] = list(claim.needs)
        row["rows"] = numbers.describe(outcome.rows)
        row["n"] = np.floor(outcome.n)
        # 0: chance has no part in it
        row["p"] = outcome.p or np.nan
        rows.append(row)
    return pd.DataFrame(rows).rename(columns={"low": "ci_low", "high": "ci_high"})


def ledger(paper: str | None = None) -> pd.DataFrame:
    """The claims of a paper (of all, if left out) with their verdicts.

    Returns
    -------
    DataFrame
        The claim; `verdict`; `found` in words; `value` with its 95 % interval, `n` and
        `p` where they exist; `tolerance`; `why`; `needs`, the artifacts; `rows`, the printed
        numbers used (list of dict).
    """
    chosen = names() if paper is None else [paper]
    frames = [_ledger(name, _file(name).stat().st_mtime_ns) for name in chosen]
    return pd.concat(frames, ignore_index=True)


def counts(ledger: pd.DataFrame) -> pd.DataFrame:
    """How many claims of each paper have each verdict, with totals.

    `findings`: what the contradicted claims come to; those that rest on one misprint are one.
    """
    table = pd.crosstab(ledger["paper"], ledger["verdict"])
    table = table.reindex(columns=list(VERDICTS), fill_value=0).rename_axis(columns=None)
    table["claims"] = table.sum(axis=1)
    wrong = ledger[ledger["verdict"].isin(UNTRUE)]
    findings = wrong["misprint"].where(wrong["misprint"] != "", wrong["id"])
    table["findings"] = findings.groupby(wrong["paper"]).nunique()
    table = table.fillna(0).astype(int)
    table.loc["all"] = table.sum()
    return table
