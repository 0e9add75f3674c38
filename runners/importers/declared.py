"""Harnesses as declarations: one file of `data/harnesses/` says where everything is in a log.

A form of a row is told by the places that it has; a row may have several (the two games of a pair).
What no place can say, a harness computes: `prepare` is a function from a row to further fields,
`reader` one from a file, its layout and a list of problems to its rows.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ImportString

from analysis import paths, written
from analysis.errors import DataError
from analysis.items import places
from analysis.items.checked_rows import Row, rows
from analysis.items.descriptions import Where, as_list
from analysis.items.values import value_of
from analysis.written import Written
from runners.importers.base import NO_ANSWER, Log, item

_FOLDER = paths.DATA / "harnesses"
# where the text is in a server's reply
_REPLY = """choices.*.message.content choices.*.text message.content candidates.0.content
parts.*.text content.*.text content text generated_text solution output""".split()
_TEXTS = {"prompt", "judged", "revision", "finish_reason", "time"}
# what is raised where a program has changed the form of its logs
_SHAPE = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
Prepare = Callable[[Row], dict]


First = Annotated[list[Where], BeforeValidator(as_list)]  # the first place that has a value


class Form(Written):
    """A kind of row, and the records that it becomes.

    Attributes
    ----------
    when : list of str
        Places that a row of this form has.
    each : str, optional
        Place of a list: a record for each of its elements, which is `_each` there.
    record : dict of str to First
        Field of a record -> its places; ``params.x``, ``scores.x``, ``given.x`` and ``item.x`` are
        parts of mappings. A `response` that is a list is several records; `turns` are the texts of
        a conversation in their order.
    """

    when: list[str] = Field([])
    each: str | None = None
    record: dict[str, First]

    def fits(self, row: Row) -> bool:
        """Whether a row is of this form."""
        return all(row.find(place) is not None for place in self.when)


class Harness(Written):
    """How the logs of a program are read.

    Attributes
    ----------
    files : list of str
        Patterns of names inside a folder; of the first that any file has.
    reader, prepare : str, optional
        ``module.function``, see above.
    """

    name: str = ""
    files: list[str] = Field([])
    reader: ImportString | None = None
    prepare: ImportString | None = None
    forms: list[Form]

    @property
    def layered(self) -> bool:
        """Whether further files next to the logs are of the harness, too."""
        return not self.files[0].startswith("*.")


@cache
def names() -> list[str]:
    """Harnesses that are declared."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


@cache
def harness(name: str) -> Harness:
    """The declaration of a harness."""
    return written.read(_FOLDER / f"{name}.yaml", Harness).model_copy(update={"name": name})


def form_of(row: Row) -> str | None:
    """The harness of whose logs a row is."""
    for name in names():
        if any(form.fits(row) for form in harness(name).forms):
            return name
    return None


def records(declared: Harness, file: Path, log: Log) -> Iterator[dict]:
    """Records of a file of logs."""
    reader = declared.reader or rows
    return of_rows(declared, reader(file, log.layout, log.problems), log)


def of_rows(declared: Harness, rows: Iterable[Row], log: Log) -> Iterator[dict]:
    """Records of rows; a row that is none of this harness is a problem of the log."""
    for row in rows:
        log.rows += 1
        try:
            records = list(_of_row(declared, row, log))
        except DataError as error:
            log.problems.append(error)
        except _SHAPE as error:
            reason = f"has another shape than {declared.name} gives it: {error}"
            log.problems.append(row.error(reason))
        else:
            yield from records


def _of_row(declared: Harness, row: Row, log: Log) -> Iterator[dict]:
    """The records of a row, in each form that it has, and of each element of its list; an empty
    list is one without the element.
    """
    forms = [form for form in declared.forms if form.fits(row)]
    if not forms:
        wanted = " or ".join(", ".join(form.when) for form in declared.forms)
        raise row.error(f"is no row of a log of {declared.name}, with {wanted}")
    if declared.prepare:
        row.values.update(declared.prepare(row))
    for form in forms:
        for element in row.find(form.each) or [None] if form.each else [None]:
            row.values["_each"] = element
            fields = _fields(form, row)
            answers = _answers(fields, form)
            verdict = (fields.get("given") or {}).get("correct")
            single = verdict not in (None, "") and not isinstance(verdict, list)
            if declared.name == "table" and single and len(answers) > 1:
                # one verdict is of all parts
                answers = [{"response": " ".join(one.get("response", "") for one in answers)}]
            for number, answer in enumerate(answers):
                given = _numbered(fields.get("given") or {}, number, len(answers))
                yield log.record(declared.name, row, fields | answer | {"given": given})


def _numbered(given: dict, number: int, of: int) -> dict:
    """What a log says of one answer of several, where it is a list with a part for each."""
    listed = {name: isinstance(x, list) and len(x) == of > 1 for name, x in given.items()}
    return {name: x[number] if listed[name] else x for name, x in given.items()}


def _fields(form: Form, row: Row) -> dict:
    """The fields of a record, in the types that the cache has for them."""
    fields: dict = {}
    for name, specs in form.record.items():
        for spec in specs:
            value = value_of(row, spec)
            if value is not None:
                break
        else:
            continue
        group, dot, part = name.partition(".")
        if dot:
            fields.setdefault(group, {})[part] = value
        else:
            fields[name] = value
    about = fields.get("item")
    if about and "answer" not in about:
        fields["item"] = item(**about)
    if isinstance(fields.get("reasoning"), list):
        fields["reasoning"] = "\n".join(map(str, fields["reasoning"])) or None
    for name in _TEXTS & fields.keys():
        fields[name] = str(fields[name])
    return fields


def _answers(fields: dict, form: Form) -> list[dict]:
    """Each text with its turn, or why there is none."""
    error, response, turns = (fields.pop(name, None) for name in ("error", "response", "turns"))
    if error:
        return [{"error": f"imported: {str(error)[:500]}"}]
    texts = texts_of(turns or response)
    if not texts and isinstance(response, dict) and response and "error" not in response:
        texts = [json.dumps(response, ensure_ascii=False)]  # which a model was asked for
    if not texts:
        expected = {"response", "turns"} & form.record.keys() and not fields.get("scores")
        return [{"error": NO_ANSWER} if expected else {}]
    answers: list[dict] = []
    for turn, text in enumerate(texts, start=1):
        answer = {"turn": turn} if turns else {}
        empty = text in (None, "")
        answer |= {"error": NO_ANSWER} if empty else {"response": str(text)}
        answers.append(answer)
    return answers


def texts_of(value: object) -> list:
    """The texts of a reply: one, several, or what is in a server's whole reply."""
    if isinstance(value, list):
        return [text for one in value for text in (texts_of(one) or [None])]
    if isinstance(value, dict):
        replies = (places.find(value, place) for place in _REPLY)
        return texts_of(next((reply for reply in replies if reply), None))
    return [] if value is None else [value]
