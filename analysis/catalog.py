"""The one list of artifacts, `reports/catalog.yaml`: section (a paper, mostly) -> report (notebook
and parameters) -> artifact.
"""

from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationInfo, field_validator, model_validator

from analysis import papers, paths, written
from analysis.errors import DataError, refuse_unknown
from analysis.written import Written

STATUSES = {
    "reproduced": "recomputed from counts, outputs or files",
    "published values": "drawn from the printed numbers",
    "needs outputs": "drawn as soon as outputs are cached",
    "schematic": "nothing to compute: facts or an own example",
}


class Artifact(Written):
    """One table or figure.

    Attributes
    ----------
    id : str
        Name of its files.
    slot : str
        The name under which the notebook saves it.
    shows : str
        What a figure with the number of one of the paper's plots has: the paper's own numbers,
        values read off its picture, a process drawn anew, or other data.
    """

    id: str = ""
    slot: str
    status: Literal[tuple(STATUSES)]
    title: str
    shows: Literal["", "data", "digitized", "diagram", "stand-in"] = ""

    @property
    def printed(self) -> bool:
        """Whether it is a table or figure of the paper."""
        return self.id.startswith(("table_", "figure_"))


class Report(Written):
    """One notebook with its parameters, and what it makes."""

    paper: str = ""
    name: str = ""
    notebook: str
    parameters: dict[str, Any] = {}
    artifacts: dict[str, Artifact]

    @property
    def id(self) -> str:
        """Section and name: ``paper/report``."""
        return f"{self.paper}/{self.name}"

    @field_validator("artifacts", mode="before")
    @classmethod
    def _named(cls, artifacts: dict) -> dict[str, dict]:
        return {name: {**body, "id": name} for name, body in artifacts.items()}

    @model_validator(mode="after")
    def _has_its_notebook(self) -> "Report":
        if paths.CHECKOUT and not (paths.NOTEBOOKS / self.notebook).is_file():
            raise DataError(f"no such notebook {self.notebook!r}", field="notebook")
        return self


class Section(Written):
    """A section of the site: a paper, or a subject across papers, with its reports."""

    name: str
    title: str
    cite: str
    url: str = ""
    reports: dict[str, Report]

    @field_validator("reports", mode="before")
    @classmethod
    def _named(cls, reports: dict, info: ValidationInfo) -> dict[str, dict]:
        paper = info.data["name"]
        return {name: {**body, "name": name, "paper": paper} for name, body in reports.items()}

    @property
    def short(self) -> str:
        """The title's first words."""
        return self.title.split(":")[0].partition(" (")[0]

    @property
    def artifacts(self) -> dict[str, tuple[Report, Artifact]]:
        """Artifact id -> its report and itself: what the paper prints, then others."""
        pairs = {
            name: (report, artifact)
            for report in self.reports.values()
            for name, artifact in report.artifacts.items()
        }
        printed = sorted(name for name, (_, artifact) in pairs.items() if artifact.printed)
        return {name: pairs[name] for name in dict.fromkeys([*printed, *pairs])}


@cache
def load(file: Path = paths.CATALOG) -> dict[str, Section]:
    """The catalog, checked: name -> `Section`, in the file's order.

    Raises
    ------
    DataError
        With the place in the file: an unknown status or field, a missing field, a notebook that is
        not there.
    """
    sections = {}
    for name, body in written.load(file).items():
        if name in papers.names():  # paper.yaml has its heading
            about = papers.read(name)
            body = {**body, "title": about.title, "cite": about.cite, "url": about.url}
        sections[name] = written.check({**body, "name": name}, Section, file)
    return sections


def reports() -> dict[str, Report]:
    """Every report by its id."""
    return {one.id: one for section in load().values() for one in section.reports.values()}


def report(report_id: str) -> Report:
    """The report ``paper/name``, or ``gallery/entry`` (a folder of `data/gallery`)."""
    section, _, entry = report_id.partition("/")
    if section == "gallery":
        return Report(
            paper=section,
            name=entry,
            notebook="general/gallery.ipynb",
            parameters={"entry": entry},
            artifacts={},
        )
    listed = reports()
    refuse_unknown("report", listed, report_id)
    return listed[report_id]


def slots(paper: str, notebook: str, parameters: dict) -> dict[str, Artifact]:
    """Slot -> artifact for a run of the notebook of this name, in any folder, with these
    parameters; empty where there is none.
    """
    for candidate in load()[paper].reports.values() if paper in load() else ():
        same = [parameters.get(key, value) == value for key, value in candidate.parameters.items()]
        if Path(candidate.notebook).stem == notebook and all(same):
            return {artifact.slot: artifact for artifact in candidate.artifacts.values()}
    return {}
