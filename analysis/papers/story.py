"""A notebook's words: captions and prose that are written in its own cells, filled with its values.

A markdown cell tagged `words` begins with the slot of a figure or table in bold, on a line of its
own. Then, a paragraph each: the caption; behind ">" what is seen in a figure; prose for readers.
``{name}`` is a value of the notebook, or of `say`, as `str.format` writes it, lists with commas,
numbers with a true minus sign.
"""

import json
import string
from collections.abc import Mapping
from html import escape
from numbers import Real

import pandas as pd
from IPython.display import HTML, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import paths
from analysis.artifacts import Artifacts
from analysis.errors import DataError, refuse_unknown

_TAG = "words"


class Story:
    """Save and show what a notebook makes, each with the words of its cell.

    Parameters
    ----------
    names : dict
        The notebook's ``globals()``.
    paper, notebook, **options
        As `Artifacts` takes them.
    """

    def __init__(self, names: dict, paper: str, notebook: str, **options: object) -> None:
        self._names = names
        self._save = Artifacts(paper, notebook, **options)
        self._words = _words(notebook)

    def figure(
        self, slot: str, drawn: Axes | Figure, words: str = "", say: Mapping = {}, **options: object
    ) -> None:
        """Save a figure (`Artifacts.figure`), show it and its prose.

        `words` names the cell of words where it is not that of the slot; `say` are values for it.
        """
        caption, alt, prose = self._filled(words or slot, say)
        shown = self._save.figure(slot, drawn, caption, alt, **options)
        display(HTML(shown.data + prose))

    def table(
        self, slot: str, frame: pd.DataFrame, words: str = "", say: Mapping = {}, **options: object
    ) -> None:
        """Save a table (`Artifacts.table`), show it and its prose; see `figure`."""
        caption, _, prose = self._filled(words or slot, say)
        shown = self._save.table(slot, frame, caption, **options)
        display(HTML(shown.data + prose))

    def _filled(self, slot: str, say: Mapping) -> tuple[str, str, str]:
        """Caption, alternative text, and prose as HTML."""
        refuse_unknown("cell of words", self._words, slot)
        try:
            names = {**self._names, **say}
            parts = [_Format().vformat(part, (), names) for part in self._words[slot]]
        except (LookupError, AttributeError, ValueError) as error:
            raise DataError(f"words of {slot}: {error}", field=slot) from None
        caption, *rest = [" ".join(part.split()) for part in parts]
        alt = [part.removeprefix("> ") for part in rest if part.startswith("> ")]
        prose = [f"<p>{escape(part)}</p>" for part in rest if not part.startswith("> ")]
        return caption, " ".join(alt), "".join(prose)


def _words(notebook: str) -> dict[str, list[str]]:
    """Slot -> paragraphs, each on one line."""
    (file,) = paths.NOTEBOOKS.rglob(f"{notebook}.ipynb")
    words = {}
    for cell in json.loads(file.read_bytes())["cells"]:
        if _TAG in cell["metadata"].get("tags", []):
            slot, *parts = "".join(cell["source"]).split("\n\n")
            words[slot.strip("*")] = parts
    return words


class _Format(string.Formatter):
    def format_field(self, value: object, spec: str) -> str:
        if pd.api.types.is_list_like(value):
            return ", ".join(self.format_field(item, spec) for item in value) or "none"
        text = super().format_field(value, spec)
        return text.replace("-", "−") if isinstance(value, Real) else text
