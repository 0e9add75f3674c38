"""`polyexam languages`: what runs lose from language to language, in the terminal or in files."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.results.languages import languages as compared
from runners.spec import Described, takes


class _Compared(Described):
    """How runs are compared."""

    reference: str | None = None
    """Language to compare with; the one with the largest share of the web if left out."""
    by: str | None = None
    """Field of the items that translations of a question share."""
    method: str | None = None
    """How responses are read."""
    margin: float | None = None
    """Points within which two losses count as the same."""
    labels: Path | None = None
    """People's labels (labels.csv of the browser): how rightly runs are read."""


class _Runs(Described):
    """Which runs, and what is written of them."""

    model: list[str] = []
    """Only this model, or run; may be repeated."""
    to: Path | None = None
    """Also write the losses, as LaTeX where it ends in .tex, else as CSV."""
    suspects: Path | None = None
    """Also write the suspected questions as CSV."""


@takes()
def languages(
    benchmark: Annotated[
        list[str],
        typer.Argument(help="One benchmark in several languages, or several that are linked."),
    ],
    chosen: _Compared,
    runs: _Runs,
) -> None:
    """Points that each run loses from one language to the others on the same questions.

    With intervals and tests that hold for all of them together; what of a loss is not answered or
    not read, and what is wrong; which run loses less; and which questions fail in one language
    alone, where the translation or the key may be at fault.
    """
    result = compared(benchmark, runs.model or None, **dict(chosen))
    print(result)
    if runs.to:
        csv = result.frame.to_csv(index=False)
        runs.to.write_text(result.latex() if runs.to.suffix == ".tex" else csv, "utf-8")
    if runs.suspects:
        result.suspects.to_csv(runs.suspects, index=False)
