"""How an item becomes a prompt: templates from `data/prompts/`, filled with question, options and
labels.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter

from analysis import paths, schemas, written
from analysis.errors import DataError, refuse_unknown


@cache
def template(name: str) -> str:
    """Prompt template of a benchmark, from `data/prompts/`; the file says whose wording it is."""
    templates = {}
    for file in sorted(paths.PROMPTS.glob("*.yaml")):
        templates |= written.load(file)["templates"]
    refuse_unknown("prompt template", templates, name)
    return templates[name]


class _Options(tuple):
    """Options as a template shows them, one a line: ``{options}`` as ``A. ...``, ``{options:a)}``
    or ``{options:۱)}`` with that first label.
    """

    def __format__(self, style: str) -> str:
        pairs = zip(self.labels(style), self, strict=True)
        return "\n".join(f"{label}{style[1:] or '.'} {option}" for label, option in pairs)

    def labels(self, style: str) -> list[str]:
        """Labels, of which the first is the first character of `style`."""
        if style[:1] in ("", "A"):
            return schemas.labels(len(self))
        return [chr(ord(style[0]) + index) for index, _ in enumerate(self)]


def shown_labels(template: str, options: Sequence[str]) -> list[str]:
    """Labels that `template` puts before the options: A, B, ... unless it says otherwise (see
    `_Options`).
    """
    styles = (style for _, name, style, _ in Formatter().parse(template) if name == "options")
    return _Options(options).labels(next(styles, ""))


def prompt(item: Mapping, template: str) -> str:
    """Fill `template` with one item.

    Parameters
    ----------
    item : row of an items frame, or mapping
        `question`, `options` and the texts of `metadata` are used.
    template : str
        May hold ``{question}``, ``{options}`` (see `_Options`), ``{labels}`` (theirs: ``A, B``)
        and the names of texts in the item's metadata; a brace that is meant as such is doubled.
    """
    parts = {name: text for name, text in item.get("metadata", {}).items() if isinstance(text, str)}
    parts |= {"question": item["question"], "options": _Options(item["options"])}
    try:
        parts["labels"] = ", ".join(shown_labels(template, item["options"]))
        return template.format_map(parts)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        reason = f"a prompt template holds only {', '.join(f'{{{part}}}' for part in parts)}"
        raise DataError(f"{reason}; {type(error).__name__}: {error}", field="template") from None
