"""A row's key in every form: a label, a number, an option's text, several of them, or a value where
there are no options.
"""

import re
import unicodedata

from analysis import schemas
from analysis.items.checked_rows import Row
from analysis.items.descriptions import Description, Spec
from analysis.items.options import Parts
from analysis.items.values import as_number, value_of


def key_of(row: Row, description: Description, parts: Parts) -> tuple[str | None, dict]:
    """The right option's label; where several are right, or there are no options, they are in the
    metadata as `answers`.
    """
    kind, spec = description.answer_type, description.answer
    metadata = {} if kind in ("choice", "none", "score") else {"answer_type": kind}
    if description.tolerance is not None:
        metadata["tolerance"] = description.tolerance
    keyed = spec is not None and kind not in ("none", "score")
    value = value_of(row, spec, required=True) if keyed else None
    if value is None:
        return None, metadata
    listed = isinstance(value, (list, tuple))
    values = _several(value, spec) if listed or kind == "set" else [value]
    if (
        not parts.options
        and listed
        and len(values) > 1
        and all(re.fullmatch("[A-Z]", str(one)) for one in values)
    ):
        reason = "are letters of options that are not here, or answers to several questions"
        raise row.error(f"{', '.join(map(str, values))} {reason}", spec.place)
    if spec.kind == "value" or (not parts.options and (listed or kind != "choice")):
        return None, metadata | {"answers": values}
    labels = [_label(row, one, spec, parts) for one in values]
    if len(set(labels)) < len(labels):
        reason = "is there twice: answers to several questions are no set of right ones"
        raise row.error(f"{max(labels, key=labels.count)} {reason}", spec.place)
    if listed and len(labels) > 2 and labels != sorted(labels):
        reason = "are in no order: answers to several questions are no set of right ones"
        raise row.error(f"{', '.join(labels)} {reason}", spec.place)
    only = labels[0] if len(labels) == 1 else None
    if only and kind != "set":
        metadata.pop("answer_type", None)
        return only, metadata
    return only, {"answer_type": "set"} | metadata | {"answers": labels}


def _label(row: Row, value: object, spec: Spec, parts: Parts) -> str:
    """The label of the option that a key means."""
    labels = schemas.labels(len(parts.options))
    names, form = {
        "text": (parts.options, lambda text: str(text).strip()),
        # a note may follow a label on a line of its own
        "label": (parts.labels or labels, lambda key: folded(str(key).partition("\n")[0])),
        "number": (range(1, len(labels) + 1), as_number),
        "index": (range(len(labels)), as_number),
    }[spec.kind]
    same = [label for label, name in zip(labels, names, strict=True) if form(name) == form(value)]
    if len(same) == 1:
        return same[0]
    reason = (
        f"{repr(value)[:80]} is the {spec.kind} of {len(same) or 'none'} of {len(labels)} options"
    )
    raise row.error(reason, spec.place)


def _several(value: object, spec: Spec) -> list:
    """`["A", "C"]`, "AC", "A, C" or "A和C" as a list; texts and values stay as they are."""
    if isinstance(value, (list, tuple)):
        return [part for one in value for part in _several(one, spec)]
    if not isinstance(value, str) or spec.kind in ("text", "value"):
        return [value]
    text = unicodedata.normalize("NFKC", value).strip()
    return re.findall(r"\d+|[A-Za-z]", text) or [text]


def folded(value: object) -> str:
    """A label in one form: "a", "(A)", "Ａ." and "A" are the same."""
    return unicodedata.normalize("NFKC", str(value)).strip().strip("()[].: ").upper()
