"""Rows with several answers become a row an answer."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from analysis.answers.final_answer import wording
from analysis.items import inference
from analysis.items.checked_rows import Row
from analysis.items.file_formats import is_list_of
from runners.importers.base import Log, some
from runners.importers.recognition import (
    ANSWER_OF,
    CALLED,
    EXPLAINS,
    LOOKED_AT,
    MODEL,
    NAMES,
    REFERENCE,
    VERDICT,
    WORDS,
    answer_columns,
    answered,
    called_answers,
    called_so,
    columns_of,
    looks_like,
    of_item,
    parts_of,
)

_PREFIXED = re.compile(rf"(?i)(.+[\W_])(?:{WORDS}|answer)")  # as gpt4_response
_PROMPTED = re.compile(r"(?i)shot|(?<![^\W_])cot(?![^\W_])|prompt|chain")  # how it was asked
_IS = re.compile(r"(?i:is|has|can|needs|use|with)(?:[_ ]|[A-Z])")  # a flag about the question


def _with_question(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows, each with the fields of the object that has its question and key, or options; a field
    of that name next to it is the model's.
    """
    head = list(islice(rows, 1))
    cells = head[0].values if head else {}
    objects = {name: of_item([*cell]) for name, cell in cells.items() if isinstance(cell, dict)}
    item = (x for x, of in objects.items() if of["question"] and (of["answer"] or of["options"]))
    name = next(item, None)
    for row in chain(head, rows):
        inner = row.values.get(name)
        if isinstance(inner, dict):
            values = {
                x if x == name or x not in inner else f"model_{x}": y for x, y in row.values.items()
            }
            row = Row(values | inner, row.file, row.line)
        yield row


def _of_lists(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows; where they have no question, but a list of objects that have one, and an answer, a row
    an object.
    """
    head = list(islice(rows, LOOKED_AT))
    names = columns_of(*head)
    lists = [
        name
        for name in names
        if all(is_list_of(row.values.get(name), dict) for row in head)
        and inference.column("question", inner := [*head[0].values[name][0]])
        and inference.column("answer", inner)
    ]
    for row in chain(head, rows):
        cell = row.values.get(lists[0]) if len(lists) == 1 else None
        if not is_list_of(cell, dict) or inference.column("question", names):
            yield row
            continue
        outer = {name: value for name, value in row.values.items() if name not in lists}
        for element in cell:
            yield Row(outer | element, row.file, row.line)


def _by_language(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows; where columns of answers end with codes of languages (`response_de`), a row a language,
    with its columns called so.
    """
    head = list(islice(rows, LOOKED_AT))
    languages = wording.content()["languages"]
    ends = {name: name.replace("-", "_").rpartition("_") for name in columns_of(*head)}
    begins = {  # of answers
        begin
        for begin, _, code in ends.values()
        if code.lower() in languages and (CALLED.fullmatch(begin) or MODEL.search(begin))
    }
    spoken: dict[str, dict[str, str]] = {}  # code -> column -> its name without the code
    for name, (begin, _, code) in ends.items():
        # what is next to gpt4_en is a language, too
        another = begin in begins and re.fullmatch("[A-Za-z]{2,3}", code)
        if begin and (another or code.lower() in languages):
            spoken.setdefault(code.lower(), {})[name] = begin
    spoken = {code: names for code, names in spoken.items() if begins & {*names.values()}}
    if spoken.keys() <= {"id", "no"}:  # which are no languages then
        spoken = {}
    every = {*chain.from_iterable(spoken.values())}
    for row in chain(head, rows):
        shared = {name: value for name, value in row.values.items() if name not in every}
        for code, columns in spoken.items():
            parts = {begin: row.values.get(name) for name, begin in columns.items()}
            yield Row({"language": code} | shared | parts, row.file, row.line)
        if not spoken:
            yield row


def unfolded(rows: Iterator[Row], log: Log) -> Iterator[Row]:
    """Rows; where no column plainly has the answers, a row an answer: of a column a model, an
    object a model, or a list of objects.
    """
    rows = _by_language(_with_question(_of_lists(rows)))
    head = list(islice(rows, LOOKED_AT))
    answers = _answer_columns(head, log) if head else {}
    if answers:
        log.guessed["runs"] = some([*answers])
    texts = [*filter(answers.get, answers)]
    begins = {name: match[1] for name in texts if (match := _PREFIXED.fullmatch(name))}
    if len({*begins.values()}) < len(answers):
        begins = {}
    if not answers:
        yield from chain(head, rows)
        return
    ends = _with_verdicts(texts, head)
    marks = [x for x in columns_of(*head) if ends and looks_like(x, head) == "correct"]
    for row in chain(head, rows):
        outer = {name: value for name, value in row.values.items() if name not in answers}
        shared = {x: value for x, value in outer.items() if not x.startswith((*begins.values(),))}
        shared = {x: value for x, value in shared.items() if not x.endswith((*ends.values(),))}
        if len(answers) > 1:
            log.shared |= shared.keys()
        for name, field in answers.items():
            begin, end = begins.get(name), ends.get(name, "")
            # gpt4_correct is of gpt4_response, and judge_gpt4 of answer_gpt4
            names = {x: x.removeprefix(begin) for x in outer if begin and x.startswith(begin)}
            names |= {x: x.removesuffix(end) for x in outer if end and x.endswith(end)}
            verdicts = [x for x in marks if end and x.endswith(end)]
            names |= dict.fromkeys(verdicts, "correct") if len(verdicts) == 1 else {}
            # the key has that name
            taken = {"answer", *shared}
            stripped = {f"predicted_{y}" if y in taken else y: outer[x] for x, y in names.items()}
            parts = parts_of(name, row.values.get(name), field)
            if not parts:
                log.problems.append(row.error("has no answers, as other rows have", name))
            labels = answers if field else [label for label, _ in parts]
            prompted = all(map(_PROMPTED.search, labels))
            about = "setting" if "model" in outer or prompted else "model"
            for label, fields in parts:
                several = len(answers) > 1 or label != name
                run = {about: label} if several and not end.strip("_- .").isdecimal() else {}
                # model_a says whose model_a_output is
                if begin and begin.startswith("model") and (named := outer.get(begin[:-1])):
                    run = {"model": named}
                yield Row(shared | stripped | fields | run, row.file, row.line)


def _answer_columns(head: list[Row], log: Log) -> dict[str, str | None]:
    """Columns that have answers, each with the field that a cell is; none where it is an object."""
    names = columns_of(*head)
    about = {field: called_so(field, names, head) for field in NAMES}
    nameless = all(map(str.isdecimal, names))
    there = {x: y for x, y in log.columns.items() if any(row.find(y) is not None for row in head)}
    named = answered(there)  # by the caller, and not of what a row becomes
    plain = [
        x for x in answer_columns(names) if not isinstance(head[0].values.get(x), (dict, list))
    ]
    for field in ("response", "choice"):
        alike = [x for name in about[field][:1] for x in names if _asked_as(x, name)]
        if alike and not about["correct"] and not named:
            return dict.fromkeys([about[field][0], *alike], field)
    if not named and (paired := _with_verdicts(names, head)):
        return dict.fromkeys(paired, "response")
    if len(plain) == 1 or nameless or about["response"] or about["choice"] or named:
        return {}
    used = {*chain.from_iterable(about.values()), *of_item(names).values()}
    used |= {*log.columns.values(), *inference.named(names, inference.NAMES["question"])}
    key = inference.column("answer", names)
    keys = {str(row.values.get(key)).strip() for row in head} - {"None"}
    # answer_1 may be an option, or the first answer
    series = inference.series(names)
    cells = {str(row.values.get(x)) for x in series for row in head}
    if not (cells <= keys or all(re.fullmatch("[A-J]", one) for one in cells | keys)):
        used |= {*series}
    filled = {name: cell for row in head for name, cell in row.values.items() if cell}
    lists = {name: cell for name, cell in filled.items() if is_list_of(cell, dict)}
    used -= {name for name, cell in lists.items() if {"model", "answer"} <= cell[0].keys()}
    first = {name: filled[name] for name in names if name in filled and name not in used}
    cells = {name: cell for name, cell in first.items() if not EXPLAINS.search(name)}
    objects = {
        name: None
        for name, cell in cells.items()
        if parts_of(name, cell) and not REFERENCE.match(name) and not _keyed(name, head)
    }
    called = {name: "response" for name in called_answers(first)}
    marked = {name: field for name in cells if (field := looks_like(name, head, keys))}
    marked = {
        name: field
        for name, field in marked.items()
        if not _IS.match(name) and (field == "correct" or not re.search("(?i)correct", name))
    }
    # beside answers, what is true or false is about the question
    kind = max(marked.values(), default="")
    marked = {name: kind for name in marked if marked[name] == kind}
    if kind == "correct" and len({str(row.values.get(x)) for x in marked for row in head}) < 2:
        marked = {}  # one value everywhere is no verdict
    marked = {name: kind for name in marked if ANSWER_OF.fullmatch(name)} or marked
    if about["correct"]:
        return called if len(called) == 1 else {}
    # what is true or false may be anything, but "contested" is no model
    verdicts = any(MODEL.search(x) or VERDICT.search(x) for x in marked)
    models = len(marked) > 1 and (kind != "correct" or verdicts)
    of_models = [name for name in cells if isinstance(cells[name], str) and MODEL.search(name)]
    # gpt-4o_paths is about gpt-4o
    of_models = [x for x in of_models if not any(x != y and x.startswith(y) for y in of_models)]
    if len(of_models) == 1 and of_models[0] in marked and kind == "correct":
        of_models = []
    return objects or called or (marked if models else dict.fromkeys(of_models, "response"))


def _with_verdicts(names: list[str], rows: list[Row]) -> dict[str, str]:
    """Columns of answers, with the ends of their names, that have verdicts under other names with
    these ends: answer_gpt4 and judge_gpt4.
    """
    ends = {name: match[1] for name in names if (match := ANSWER_OF.fullmatch(name))}
    if len(ends) < 2:
        return {}
    marks = [x for x in columns_of(*rows) if x not in ends and looks_like(x, rows) == "correct"]
    judged = {x: end for x, end in ends.items() if any(mark.endswith(end) for mark in marks)}
    return judged if len(judged) > 1 else {}


def _asked_as(name: str, other: str) -> bool:
    """Whether a column is called as another one with answers, and how, or whom, it was asked."""
    more = name.removeprefix(other)
    how = _PROMPTED.search(more) or MODEL.search(more)
    return bool(more != name and how and not EXPLAINS.search(more) and more[-6:] != "prompt")


def _keyed(name: str, rows: list[Row]) -> bool:
    """Whether a column has lists of options, one of each marked as right."""
    lists = [x for row in rows if is_list_of(x := row.values.get(name), dict) and len(x) > 2]
    marks = ("correct", "is_correct")
    right = {sum(any(x.get(mark) is True for mark in marks) for x in one) for one in lists}
    return right == {1}
