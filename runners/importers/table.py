"""Tables of any kind (CSV, TSV, JSON Lines, JSON, Parquet, text with a pattern): columns
recognized by their names, or named by the user.

`--map response=text --map item_id={subject}/{row} --map model={_stem} --map setting==5-shot`
"""

import hashlib
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from statistics import mode
from types import SimpleNamespace

from analysis.answers.comparison import plain
from analysis.errors import DataError
from analysis.items import checked_rows, described, descriptions, inference
from analysis.items.checked_rows import Row
from analysis.items.file_formats import ENDINGS, TABLE, Layout
from analysis.items.values import as_number
from analysis.schemas import SUFFIX
from runners.importers import recognition, unfolding
from runners.importers.base import GIVEN, WORDLESS, Log, files, label_of, number_key, part
from runners.importers.declared import Form, Harness, Prepare, of_rows
from runners.importers.recognition import (
    DIGEST,
    LABEL,
    LOOKED_AT,
    OF_ITEM,
    SCORES,
    SURE,
    columns_of,
)

_MANY, _FEW = 20, 4  # files with so few rows are read as one
_ATTEMPTS = 10  # at most, on the average, in a list of one question
_PROMPTS = "input inputs prompt full_prompt user_prompt query".split()  # may have examples
_ASKED_IN_TURN = "questions turns prompts instructions messages"
_SMALL = 1 << 22  # bytes
_LABELS = 3  # characters that a key may have which is a label
_LARGEST = 1 << 28  # bytes of a text whose encoding is looked for
_PASSED_OVER = re.compile(r"~\$|\._")  # files that programs lock, or keep for themselves
_TEXTS = ".csv .tsv .json .jsonl .ndjson .txt .log .md".split()
_TABLES = (".eval", *(one for one in ENDINGS if not re.search("txt|log|md|ya?ml", one)))


def files_of(source: Path, log: Log) -> list[Path]:
    """The tables of a folder, or the one file; plain text, too, where there are none, the log says
    so, or the caller says its rows.
    """
    endings = (*ENDINGS, ".eval")
    paths = [path for path in files(source) if path == source or path.name.endswith(endings)]
    paths = [path for path in paths if not _PASSED_OVER.match(path.name)]
    tables = [path for path in paths if path.name.endswith(_TABLES)]
    return paths if log.layout.records or log.texts else tables or paths


def few(paths: Collection[Path], log: Log) -> bool:
    """Whether many files have few rows each, such as a file a question."""
    counts = [len(log.read[path][0]) for path in paths if path in log.read]
    return len(paths) >= _MANY and len(counts) == len(paths) and max(counts) <= _FEW


def records(file: Path, log: Log, *more: Path) -> Iterator[dict]:
    """One record a row of one file, or of several whose columns are the same. `scores.NAME` makes a
    mapping; numbers there may be written as text.
    """
    rows = unfolding.unfolded(chain.from_iterable(_rows(path, log) for path in (file, *more)), log)
    head = list(islice(rows, LOOKED_AT))
    if not head:
        return
    looked_at, columns = _recognized(head, log)
    if not recognition.answered(columns):
        raise DataError(
            "no column is plainly the response; name it with --map response=COLUMN, or a score "
            f"with --map score=COLUMN{recognition.examples(head)}",
            file=file,
        )
    log.guessed |= columns
    scored = [] if "score" in columns else recognition.scores(looked_at)
    log.scored = [name for name in scored if name.partition(".")[0] not in log.shared]
    ids = _ids(log) if columns.get("item_id", DIGEST) == DIGEST else {}
    log.otherwise |= {"item_id": DIGEST, "setting": TABLE}
    if (
        {"subject", "setting"}.isdisjoint(columns)
        and not log.tried
        and _parts_of_one(log.read.get(file), columns)
    ):
        log.guessed["subject"] = columns["subject"] = TABLE
        log.otherwise["setting"] = "_none"
    lists = {row.find(TABLE) for row in head}
    many = len(lists) > max(_FEW, len(head) / _ATTEMPTS)
    if "item_id" not in columns and many:  # a list of attempts a question
        log.guessed["item_id"] = columns["item_id"] = TABLE
        log.otherwise["setting"] = "_none"
    record: dict = {"item": "_item"}
    for name, place in columns.items():
        if name == "turn" or name.startswith(SCORES):
            record[name] = {"place": place, "number": True}
        elif name in GIVEN:
            record[f"given.{name}"] = {"place": place, "otherwise": ""}
            if name == "correct" and recognition.graded(place, looked_at):
                letters = {"A": "true", "B": "false", "C": "false"}
                record[f"given.{name}"] |= {"map": letters}
        elif name not in OF_ITEM:
            record[name] = place
    if _turns(head[0], columns.get("response")):
        record["turns"] = record.pop("response")
    prepare = None
    if ids or log.items is not None:
        same = (*columns_of(*head), *columns.items())
        prepare = log.by_names.get(same) or _items(looked_at, log, columns, ids)
        log.by_names[same] = prepare
        rows_of_file = sample([file], log) or head
        readable = _readable(prepare, rows_of_file)
        if readable < len(rows_of_file):
            of_task = _items(rows_of_file, log, columns, ids)
            if _readable(of_task, rows_of_file) > readable:  # a task of its own
                prepare = of_task
    elif log.stored(columns.get("benchmark", "")[1:]):
        with suppress(DataError):  # options may be in another order than there
            prepare = _items(looked_at, log, columns, ids)
    table = Harness(name="table", forms=[Form(record=record)], prepare=prepare)
    yield from of_rows(table, chain(head, rows), log)


def _recognized(head: list[Row], log: Log) -> tuple[list[Row], dict[str, str]]:
    """Rows of a file, with some of others, and its columns by them: those of another file with
    columns of the same names, if this has something in each, too.
    """
    names = frozenset(columns_of(*head))
    looked_at, columns, rivals = log.by_names.get(names, ([], {}, []))
    filled = (any(row.find(place) not in (None, "") for row in head) for place in columns.values())
    if not looked_at or not all(filled):
        looked_at = _asking([*head, *_like(head, log)])
        columns = recognition.recognized(looked_at, log)
        guessed = columns.get("score") if "score" not in log.columns else None
        if guessed and _of_lists(guessed, looked_at):
            columns.pop("score")
        rivals = log.rivals
        log.by_names.setdefault(names, (looked_at, columns, rivals))
    log.rivals = rivals
    return looked_at, dict(columns)


def _asking(rows: list[Row]) -> list[Row]:
    """Rows without those that have no question where most have one, such as averages."""
    place = inference.column("question", columns_of(*rows))
    asking = [row for row in rows if place and row.find(place) not in (None, "")]
    return asking if len(asking) > SURE * len(rows) else rows


def _of_lists(place: str, rows: list[Row]) -> bool:
    """Whether a number is one of each list or file, not of its rows."""
    values: dict[tuple, list] = {}
    for row in rows:
        values.setdefault((row.file, row.find(TABLE)), []).append(str(row.find(place)))
    single = all(len({*numbers}) == 1 for numbers in values.values())
    many = max(map(len, values.values())) > _FEW
    return single and many and len({numbers[0] for numbers in values.values()}) > 1


def _turns(row: Row, place: str | None) -> bool:
    """Whether a list of answers is one of turns: next to a list of as many questions."""
    answers = row.find(place) if place else None
    asked = (row.values.get(name) for name in inference.named(columns_of(row), _ASKED_IN_TURN))
    return isinstance(answers, list) and any(
        isinstance(one, list) and len(one) == len(answers) > 1 for one in asked
    )


def _readable(prepare: Prepare, rows: list[Row]) -> int:
    """Of how many rows the items can be read."""
    readable = 0
    for row in rows:
        with suppress(DataError):
            prepare(_copy(row))
            readable += 1
    return readable


def _parts_of_one(read: tuple | None, columns: dict[str, str]) -> bool:
    """Whether lists of a document are parts of one run: no question is in two of them, and none has
    a model's name.
    """
    rows = read[0] if read else ()
    place = inference.column("question", columns_of(*rows)) or columns.get("item_id")
    pairs = {(str(row.find(TABLE) or ""), str(row.find(place))) for row in rows}
    lists, asked = ({pair[n] for pair in pairs} for n in (0, 1))
    named = any(map(recognition.MODEL.search, lists))
    return len(lists) > 1 and not named and len(pairs) == len(asked)


def sample(paths: list[Path], log: Log) -> list[Row]:
    """Some rows of each file, which were kept, from its first to its last."""
    most = max(1, LOOKED_AT // len(paths))
    kept = (log.read[path][0] for path in paths if path in log.read)
    rows = (_copy(row) for one in kept for row in one[:: max(1, len(one) // most)])
    return [*unfolding.unfolded(rows, log.varied({}))]  # problems count once


def _like(head: list[Row], log: Log) -> Iterator[Row]:
    """The rows of the sample that have most columns of a file, with these alone."""
    names, lines = {*columns_of(*head)}, {(row.file, row.line) for row in head}
    for row in log.sample:
        values = {name: x for name, x in row.values.items() if name in names}
        if 2 * len(values) > len(names) and (row.file, row.line) not in lines:
            yield Row(values, row.file, row.line)


def _copy(row: Row) -> Row:
    return Row(dict(row.values), row.file, row.line)


def _rows(file: Path, log: Log) -> Iterator[Row]:
    """Rows of a file, which are kept for another attempt while all together are not too many."""
    if file in log.read:
        rows, problems = log.read[file]
        log.problems += problems
        yield from map(_copy, rows)
        return
    rows, problems, layout = [], [], _layout(file, log.layout)
    try:
        for row in checked_rows.rows(file, layout, problems):
            if not layout.header:
                row = Row({str(name): value for name, value in row.values.items()}, file, row.line)
            if log.room[0] > len(rows):
                rows.append(_copy(row))
            yield row
    finally:
        log.problems += problems
    if log.room[0] > len(rows):
        log.room[0] -= len(rows)
        log.read[file] = rows, problems


def _layout(file: Path, layout: Layout) -> Layout:
    """The layout of a file with its encoding, and whether its first line, or list, names columns:
    it does not where it is what other lines have, too.
    """
    if file.suffix not in _TEXTS or os.path.getsize(file) > _LARGEST:
        return layout
    raw = file.read_bytes()
    guessed = layout.model_copy(update={"encoding": _encoding(raw)})
    if file.suffix in (".json", ".csv", ".tsv") and re.match(rb"\s*\[\s*\[|[^\s\[{]", raw):
        bare = guessed.model_copy(update={"header": False})
        with suppress(DataError):
            rows = [*islice(checked_rows.rows(file, bare, []), LOOKED_AT)]
            first = rows[0].values if rows else {}
            labels = [x for x in first if isinstance(x, int) and first[x]]
            labels = [x for x in labels if LABEL.fullmatch(str(first[x]))]
            if any(first[x] == row.find(x) for x in labels for row in rows[1:]):
                return bare
    return guessed


def _encoding(raw: bytes) -> str:
    """The encoding of a text: UTF-8, else that of Chinese where bytes beyond ASCII come in pairs,
    else that of Western Europe.
    """
    with suppress(UnicodeDecodeError):
        raw.decode()
        return "utf-8"
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-8"  # of which `file_formats` makes it
    single = len(re.findall(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])", raw))
    with suppress(UnicodeDecodeError):
        if 10 * single < len(re.findall(rb"[\x80-\xff]", raw)):
            raw.decode("gb18030")
            return "gb18030"
    return "cp1252"


def first(file: Path, log: Log) -> Row | None:
    """The first row of a file, None where it cannot be read; all of a small file is kept."""
    with suppress(DataError):
        rows = _rows(file, log.varied({}))
        if os.path.getsize(file) < _SMALL:
            rows = iter([*rows])
        return next(rows, None)


def keys(file: Path, log: Log) -> dict[str, SimpleNamespace]:
    """The keys of a file that has ids and keys, as items by id."""
    rows = [*_rows(file, log.varied({}))]
    head = rows[:LOOKED_AT]
    names = columns_of(*head)
    place = inference.column("id", names)
    if not place or not inference.column("answer", names):
        return {}
    prepare = _items(head, log.varied({}), {"item_id": place}, {})
    items = {}
    for row in rows:
        with suppress(DataError):
            items[str(row.find(place))] = SimpleNamespace(**prepare(row)["_item"])
    return items


def _ids(log: Log) -> dict[str, str]:
    """Question -> id, of the items of the caller's benchmark that are here."""
    benchmark = log.columns.get("benchmark", "").removeprefix("=").removesuffix(SUFFIX)
    items = log.stored(benchmark).values()
    counts = Counter(item.question for item in items)
    return {item.question: item.item_id for item in items if counts[item.question] == 1}


def _items(head: list[Row], log: Log, columns: dict[str, str], ids: dict[str, str]) -> Prepare:
    """Row -> the item that it carries, by columns that plainly say question, options and key; or
    the id of the one in `ids` with its question.
    """
    file = head[0].file
    named: dict = {name: columns[name] for name in OF_ITEM if name in columns}
    if "," in named.get("options", ""):
        named["options"] = named["options"].split(",")
    if "language" in named:
        named["language"] = {"place": named["language"]}
    named["id"] = "_row"
    used = {column for name, column in columns.items() if name not in ("item_id", *OF_ITEM)}
    try:
        fields = inference.guessed(file, used, head, **named)
    except DataError as error:
        if error.field != "question":
            raise
        place = columns.get("item_id", "_row").replace(DIGEST, "_row")
        named["question"] = _wordless(part(place))
        fields = inference.guessed(file, used, head, **named)
        if "answer" not in fields and "item_id" not in columns:
            # a table of averages has scores, too, but no responses
            scored = "score" in log.columns
            called = recognition.called_so("response", [columns.get("response", "")], head)
            scored = scored or {"score", "response"} <= columns.keys() or (called and log.scored)
            if "correct" not in columns and not scored:
                raise
            # nothing tells which rows are of one question: no run is compared with another
            fields["question"] = _wordless("{_stem}/{_row}")
            if "subject" not in log.columns:
                log.otherwise["setting"] = "_stem"
        log.guessed["question"] = "(none)"
    if key := fields.get("answer"):
        spec = {"place": key} if isinstance(key, str) else key
        fields["answer"] = spec | {"otherwise": None}  # questions may have been annulled
    description = descriptions.described(fields, file.absolute())
    log.unused |= recognition.unused(head, [columns, fields])
    # how many there are, the log does not say
    prompts = description.question[-1].place in _PROMPTS and "item_id" in columns
    counted = description.options and description.options.labels and "options" not in named
    log.guessed["answer"] = str(description.answer.place) if description.answer else "(none)"

    indexed = description.answer and description.answer.kind == "index"
    keys = [row.find(log.guessed["answer"]) for row in head]
    matched = mode(bool(number_key(key)) for key in keys) or "response" not in columns
    if not matched:  # texts are matched where nearly each response is one of the keys
        texts, place = {plain(str(key)) for key in keys}, columns["response"]
        matched = sum(plain(str(row.find(place))) in texts for row in head) > SURE * len(head)
    if not matched and "choice" in columns:  # or choices and keys are single words
        cells = [*keys, *(row.find(columns["choice"]) for row in head)]
        words = [len(str(cell).split()) < 2 for cell in cells if cell not in (None, "")]
        matched = sum(words) > SURE * len(words)
    from_one = not indexed and _from_one(keys, [row.find(columns.get("response")) for row in head])
    if from_one:
        log.guessed["answer"] += " + 1"
    longest = max((len(str(key)) for key in keys if key), default=0)
    place = columns.get("choice", "=")
    chosen = [str(row.find(place) or "") for row in head]
    # where choices have the form of keys, what is longer is no choice
    formed = 0 < longest <= _LABELS and (
        sum(len(x) <= longest for x in chosen) > SURE * len(chosen)
    )
    choice = place if indexed else "="
    labelled = {str(key) for key in keys} if 0 < longest <= _LABELS and "." not in place else ()

    def prepare(row: Row) -> dict:
        try:
            item = {**described.item(row, description), "asked": prompts}
        except DataError:
            if log.items is None:
                return {}
            words = row.find(description.question[-1].place)
            item_id = row.find(columns.get("item_id", "="))
            # a task of the file may have other names
            if words is None and item_id not in (None, ""):
                words = _wordless(item_id)
            judged = any(row.find(columns.get(x, "=")) not in (None, "") for x in GIVEN[1:])
            if not words or not (judged or description.answer is None):
                raise
            # its verdict is enough, or nothing says which option is right
            about = {"language": "und", "subject": "all", "category": None, "metadata": {}}
            for field in ("language", "subject"):
                about[field] = str(row.find(columns.get(field, "=")) or about[field])
            item = about | {"question": str(words), "options": [], "answer": None, "asked": False}
        if counted and item["options"]:
            item["metadata"] |= {"options": "those that are keys"}
        # files may differ in the ends of lines
        item["question"] = re.sub(r"\s*\n\s*", "\n", item["question"].strip())
        if item["question"] in ids:
            return {"_item": item, DIGEST: ids[item["question"]]}
        if formed and len(str(row.find(place) or "")) > longest:
            row.values[place] = None
        begin = re.match(r"\W*(\w+) ?[).:\]]", str(row.find(place) or ""))
        if labelled and begin and begin[1] in labelled:  # "B) Berlin"
            row.values[place] = begin[1]
        number = as_number(row.find(choice))
        if number >= 0:  # counts as the key does
            row.values[choice] = label_of(int(number), item["options"])
        answers = item["metadata"].get("answers")
        if from_one and answers:
            answers = [int(as_number(answers[0])) + 1]
        if matched and answers and not item["options"]:
            item["metadata"] |= number_key(answers[0]) or {"answer_type": "text"}
        words = repr((item["question"], sorted(item["options"])))
        digest = hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=6).hexdigest()
        return {"_item": item, DIGEST: digest}

    return prepare


def _wordless(name: object) -> str:
    """The words of a question of which a log has the name alone."""
    return f"{WORDLESS}{name}, whose words the log does not have)"


def _from_one(keys: list, answers: list) -> bool:
    """Whether keys are classes counted from 0, and answers are the same ones counted from 1."""
    classes = {number for key in keys if math.isfinite(number := as_number(key))}
    numbers = (re.fullmatch(r"\W*(\d+)\W*", str(answer)) for answer in answers)
    chosen = {int(number[1]) for number in numbers if number}
    n = len(classes)
    return n > 1 and classes == {*range(n)} and chosen == {*range(1, n + 1)}


def guesses(file: Path, log: Log) -> list[tuple[str, str]]:
    """Fields and columns of a table that may be the responses or scores, the likeliest first."""
    return recognition.guesses([*islice(_rows(file, log), LOOKED_AT)])
