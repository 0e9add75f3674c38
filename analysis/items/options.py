"""A row's options, in every form that a description can tell: columns, lists, mappings, separated
text, or inside the question.
"""

import re
import unicodedata
from typing import NamedTuple

from analysis import schemas
from analysis.items.checked_rows import Row
from analysis.items.descriptions import Description, Options
from analysis.items.file_formats import by_columns, is_list_of
from analysis.items.values import list_of, value_of

_TEXTS, _LABELS = ("text", "content", "option"), ("label", "key")
# A label that is no part of a word, with a mark behind it: "A. ", "(B) ", "C) ", "Ｄ：".
_INSIDE = re.compile(r"(?<![A-Za-zＡ-Ｚ0-9])[(（\[]?([A-Za-zＡ-Ｚ])\s*[.):、：．）\]]\s*")
_LABELLED = re.compile(r"(?s)\s*[(（]?([A-Za-z]|\d{1,2})\s*[).:、．）：](.*)")


class Parts(NamedTuple):
    """A question with its options, and their labels in the row (None where they have none)."""

    question: str
    labels: list[str] | None
    options: list


def options_of(row: Row, description: Description, question: str) -> Parts:
    """The options of a row whose question has that text."""
    spec = description.options
    if spec is None:
        return Parts(question, None, [])
    if spec.labels:  # the texts are in the question, and nobody needs to take it apart
        return Parts(question, list(spec.labels), list(spec.labels))
    if spec.inside:
        question, options = _inside(row, spec.inside, question, description.question[-1].place)
        return Parts(question, list(options), list(options.values()))
    if spec.columns:
        labels, texts = None, [value_of(row, column, not spec.empty) for column in spec.columns]
    else:
        labels, texts = _pairs(row, spec)
    texts = [str(one) if isinstance(one, (int, float)) else one for one in texts]
    if spec.labelled:
        labels, texts = _leading_labels(row, texts)
    if spec.empty:
        pairs = zip(labels or schemas.labels(len(texts)), texts, strict=True)
        filled = {label: text for label, text in pairs if str(text or "").strip()}
        labels, texts = list(filled), list(filled.values())
        texts = [text.strip() for text in texts] if spec.columns else texts
    return Parts(question, labels, texts)


def _pairs(row: Row, spec: Options) -> tuple[list[str] | None, list]:
    """Labels and texts of `{"A": text}`, `{"text": [...], "label": [...]}`, `[{"label", "text"}]`
    or `[text]`.
    """
    value, field = value_of(row, spec.place, required=True), spec.place.place
    if isinstance(value, str) and spec.separator:
        return None, value.split(spec.separator)
    value = list_of(row, value, field)
    if isinstance(value, dict):
        if not (rows := by_columns(value)):
            return list(map(str, value)), list(value.values())
        value = rows
    if not is_list_of(value, dict):
        return None, value
    shared = set.intersection(*map(set, value))
    text = next(filter(shared.__contains__, _TEXTS), None)
    label = next(filter(shared.__contains__, _LABELS), None)
    if text is None:
        raise row.error(f"options have no {' or '.join(_TEXTS)}", field)
    return [str(one[label]) for one in value] if label else None, [one[text] for one in value]


def _leading_labels(row: Row, options: list) -> tuple[list[str], list[str]]:
    """Labels at the beginning of the options' texts, taken away."""
    matches = [_LABELLED.fullmatch(str(option)) for option in options]
    labels = [match and match[1] for match in matches]
    if None in labels or len(set(labels)) < len(labels):
        raise row.error(f"options do not each begin with a label of their own: {labels}", "options")
    return labels, [match[2].strip() for match in matches]


def _inside(
    row: Row, pattern: re.Pattern | bool, question: str, field: str | int
) -> tuple[str, dict[str, str]]:
    """A question apart from the options in its text."""
    if pattern is True:
        text, options = split_options(question)
    else:
        match = pattern.fullmatch(question)
        groups = match.groupdict("") if match else {}
        text = groups.pop("question", "")
        options = {name: option.strip() for name, option in groups.items() if option}
    if not options or not text:
        raise row.error("is no question with labelled options behind it", field)
    return text, options


def split_options(text: str) -> tuple[str, dict[str, str]]:
    """A question and its options by their labels, where both are one text: from the last label A
    on that a label B follows, in the order of the letters; no options without such labels.
    """
    marks = list(_INSIDE.finditer(text))
    runs = (_run(marks[start:], first) for first in "Aa" for start in reversed(range(len(marks))))
    run = next((run for run in runs if len(run) > 1), [])
    if not run:
        return text, {}
    ends = [*(mark.start() for mark in run[1:]), len(text)]
    options = [text[mark.end() : end].strip() for mark, end in zip(run, ends, strict=True)]
    labels = schemas.labels(len(options))
    return text[: run[0].start()].strip(), dict(zip(labels, options, strict=True))


def _run(marks: list[re.Match], first: str) -> list[re.Match]:
    """Marks whose letters follow each other from `first` on."""
    run = []
    for mark in marks:
        if unicodedata.normalize("NFKC", mark[1]) == chr(ord(first) + len(run)):
            run.append(mark)
    return run
