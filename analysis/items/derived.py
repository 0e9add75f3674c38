"""Items as files: a frame of items, from a log or elsewhere, becomes a described benchmark that
`items.read` finds by its name.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from analysis import whole
from analysis.errors import DataError
from analysis.items import descriptions, finding, inference
from analysis.items.file_formats import json_lines

_ITEMS = "items.jsonl"
FIELDS = "item_id language subject category question options answer metadata".split()
_DESCRIPTION = {
    "files": _ITEMS,
    "language": {"place": "language"},
    "id": "item_id",
    "answer": {"place": "answer", "otherwise": None},
    "options": "options",
    "subject": "subject",
    "category": "category",
    "metadata": "metadata",
}


def write(name: str, items: Iterable[Mapping], **more: object) -> tuple[Path, int]:
    """Keep items as the benchmark `name`: `items.jsonl` and `benchmark.yaml` in its folder; further
    items join those that are there.

    Parameters
    ----------
    items : iterable of mappings
        With `item_id`, `question`, `options`, `answer` and what else of `FIELDS` is known.
    **more
        Further fields of a new description, such as `answer_type`.

    Returns
    -------
    tuple
        The folder, and how many items are new.

    Raises
    ------
    DataError
        Where an item is there already with other words, or the folder has a description of another
        kind.
    """
    home = finding.folder(name)
    file, description = home / _ITEMS, home / descriptions.FILE
    if (descriptions.PROJECT / f"{name}.yaml").is_file() or (
        description.is_file() and not file.is_file()
    ):
        raise DataError(f"{name} describes files of its own; name another benchmark", file=home)
    rows = json_lines(file) if file.is_file() else ()
    kept = {row["item_id"]: row for _, row in rows}
    before = len(kept)
    for item in map(_plain, items):
        same = kept.setdefault(item["item_id"], item)
        for field in ("question", "options", "answer"):
            if same.get(field) != item[field]:
                raise DataError(
                    f"item {item['item_id']!r} is there with another {field}: take other ids",
                    file=file,
                    field=field,
                )
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in kept.values())
    text = "".join(f"{line}\n" for line in lines)
    whole.write(file, text.encode("utf-8", "backslashreplace"))
    if not description.is_file():
        whole.write(description, inference.text({"name": name, **_DESCRIPTION, **more}).encode())
    return home, len(kept) - before


def _plain(item: Mapping) -> dict:
    """An item as it is written: missing values are null."""
    row = {name: value for name, value in item.items() if value is not None and value == value}
    row = {"language": "und", "subject": "all", "metadata": {}} | row
    return {field: row.get(field) for field in FIELDS}
