"""docs/fidelity.md says of every figure of the papers what ours plots, in the catalog's words; a
stand-in is named as such in its title.
"""

import re

from analysis import catalog, paths


def figures() -> dict[tuple[str, str], catalog.Artifact]:
    """(paper, number as printed) -> artifact."""
    return {
        (section.name, artifact.id.removeprefix("figure_").lstrip("0")): artifact
        for section in catalog.load().values()
        for _, artifact in section.artifacts.values()
        if artifact.id.startswith("figure_")
    }


def test_every_published_figure_has_its_row():
    written, paper = {}, ""
    for line in (paths.ROOT / "docs" / "fidelity.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            paper = line.removeprefix("## ")
        elif row := re.fullmatch(r"\| (\d+\w?) \| (.+?) \| ([\w-]+) \| (.+?) \|", line):
            written[paper, row[1]] = row[3]
    assert written == {key: artifact.shows for key, artifact in figures().items()}
