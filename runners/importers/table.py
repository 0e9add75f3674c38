"""Tables of any kind (CSV, TSV, JSON Lines, JSON, Parquet, text with a pattern): columns
recognized by their names, or named by the user.

`--map response=text --map item_id={subject}/{row} --map model={_stem} --map setting==5-shot`
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from statistics import mode

import pandas as pd

from analysis.answers.comparison import plain
from analysis.errors import DataError, unknown
from analysis.items import checked_rows, described, descriptions, inference
from analysis.items.checked_rows import Row
from analysis.items.file_formats import ENDINGS, TABLE, Layout
from analysis.items.values import as_number
from analysis.schemas import SUFFIX
from runners.importers.base import (
    ASKED,
    GIVEN,
    KEPT,
    NAMED,
    RIGHT,
    Log,
    files,
    label_of,
    number_key,
)
from runners.importers.declared import Form, Harness, Prepare, of_rows, texts_of

_SCORES = "scores."
_OF_ITEM = ("question", "options", "answer", "language", "subject")
_FIELDS = (*NAMED, *ASKED, *KEPT, *GIVEN, *_OF_ITEM)
_NAMES = {  # field of a record -> names of columns that plainly say it
    "response": """
        response responses output outputs model_output model_outputs generated_text generation
        generations prediction predictions predicted_answers completion raw_output raw_response
        model_response llm_response llm_output llm_answer reply response_text full_response
        full_res sampled_text sampled_texts a_model predicted_option pred_before model_solution
        generated_solution response_ans response_answer answer_text output_text generated
        generated_answer generated_response generated_output model_generation model_prediction
        model_completion llm_prediction raw_prediction raw_answer final_response response_content
        cot_response ai_answer ai_response system_output model_reply raw raw_text
    """,
    "model": """
        model model_name model_id eval_model llm llm_name name_model engine modelo modell modèle
        модель 모델 モデル 模型 framework model_path model_key model_version checkpoint
    """,
    "item_id": """
        item_id item question_id questao_id qid query_id problem_id custom_id id doc_id index idx
        sample_id instance_id uid question_number question_no qnum
    """,
    "choice": """
        choice pred preds my_answer extracted_answer extracted parsed_answer predicted_answer
        predicted predicted_label pred_ans final_ans final_answer model_answer model_ans
        model_choice pred_after extracted_choice extracted_option extracted_label predicted_choice
        predicted_letter pred_label pred_letter pred_choice parsed parsed_choice pred_index
        pred_idx predicted_index predicted_idx choice_index choice_idx answer_extracted
        selected_option chosen_option
    """,
    "correct": """
        correct is_correct right exact_match acc acertou correcto correto binary_correct
        answer_correct model_correct llm_correct judge_correct is_answer_correct passed solved
        judge grading assertion_value is_right is_match match grade_bool correctness judgment
        judgement verdict success accuracy score
    """,
    "score": "score rating judge_score grade overall_score total_score final_score",
    "setting": """
        setting condition prompt_type prompt_strategy agent_name agent strategy prompting
        prompting_strategy prompt_name prompt_id approach judge judge_model rater annotator
    """,
    "finish_reason": "finish_reason stop_reason",
}
_WORDS = "|".join(f"{_NAMES['response']} {_NAMES['choice']}".split())
_CALLED = re.compile(
    r"(?i)(?!gold|ref|true|correct|right|expect|target|human|student|user|ground)"
    rf"(?:{_WORDS}|.+[\W_](?:{_WORDS}|answer))"
)
_PREFIXED = re.compile(rf"(?i)(.+[\W_])(?:{_WORDS}|answer)")  # as gpt4_response
_ANSWER_OF = re.compile(rf"(?i)(?:{_WORDS}|answer)[\W_](?!correct).+")
_VERDICT = re.compile(
    r"(?i)^(?!.*(?:format|valid|pars|json|lang))"
    r".*(?<![^\W_])(?:correct|right|acc|accuracy|em|match)(?![^\W_])"
)
_LOOKED_AT = 200  # rows whose columns are looked at
# a conversation: where its texts are, and who asks and who answers
_MESSAGES = (("role", "content", "user", "assistant"), ("from", "value", "human", "gpt"))
# no article, and no "I": those have no sign behind them
_LABELLED = re.compile(r"(?<![\w'])([B-HJ](?![\w'])|[A-J](?=[]).,:*]|\W*$))")
_LABEL = re.compile(r"[A-Ja-j1-9]?")
_WORDED = re.compile(r"(?!(?i:true|false|yes|no)$)[^\W\d_]{3,}.*")  # a key that no other column has
_EXPLAINS = re.compile(
    "(?i)price|cost|usage|token|expl|rational|reason|comment|eval|judg|grading|critique"
    "|feedback|hint|justif|solution|note|spiega|begründ|erklär"
    "|пояс|объясн|wyjaśn|objaśn|açıkla|شرح|توضیح|व्याख्या|解|説明|설명|giải"
)
_MANY, _FEW = 20, 4  # files with so few rows are read as one
_SMALL = 1 << 20  # bytes
_LARGEST = 1 << 28  # bytes of a text whose encoding is looked for
_TEXTS = ".csv .tsv .json .jsonl .ndjson .txt .log".split()
_SURE = 0.8  # share of a column's cells that have a label, where the column is a model's
_SHORT = 60  # characters of a key that a response may be equal to
_TABLES = (".eval", *(one for one in ENDINGS if not re.search("txt|log", one)))
DIGEST = "_digest"  # an item's id: a digest of its words


def files_of(source: Path, log: Log) -> list[Path]:
    """The tables of a folder, or the one file; plain text where there are none, or the caller says
    its rows.
    """
    endings = (*ENDINGS, ".eval")
    paths = [path for path in files(source) if path == source or path.name.endswith(endings)]
    tables = [path for path in paths if path.name.endswith(_TABLES)]
    return paths if log.layout.records else tables or paths


def few(paths: Collection[Path], log: Log) -> bool:
    """Whether many files have few rows each, such as a file a question."""
    counts = [len(log.read[path][0]) for path in paths if path in log.read]
    return len(paths) >= _MANY and len(counts) == len(paths) and max(counts) <= _FEW


def records(file: Path, log: Log, *more: Path) -> Iterator[dict]:
    """One record a row of one file, or of several whose columns are the same. `scores.NAME` makes a
    mapping; numbers there may be written as text.
    """
    rows = _unfolded(chain.from_iterable(_rows(path, log) for path in (file, *more)), log)
    head = list(islice(rows, _LOOKED_AT))
    if not head:
        return
    columns = _columns(head, log)
    if not _answered(columns):
        raise DataError(
            f"no column is plainly the response; there are: {', '.join(columns_of(*head))}; "
            "name it with --map response=COLUMN, or --map scores.NAME=COLUMN",
            file=file,
        )
    log.guessed |= columns
    ids = _ids(log) if columns.get("item_id", DIGEST) == DIGEST else {}
    log.otherwise |= {"item_id": DIGEST, "setting": TABLE}
    record: dict = {"item": "_item"}
    for name, place in columns.items():
        if name == "turn" or name.startswith(_SCORES):
            record[name] = {"place": place, "number": True}
        elif name in GIVEN:
            record[f"given.{name}"] = {"place": place, "otherwise": ""}
        elif name not in _OF_ITEM:
            record[name] = place
    prepare = None
    if ids or log.items is not None:
        prepare = _items(head, log, columns, ids)
    elif log.stored(columns.get("benchmark", "")[1:]):
        with suppress(DataError):  # options may be in another order than there
            prepare = _items(head, log, columns, ids)
    table = Harness(name="table", forms=[Form(record=record)], prepare=prepare)
    yield from of_rows(table, chain(head, rows), log)


def _rows(file: Path, log: Log) -> Iterator[Row]:
    """Rows of a file, which are kept for another attempt while all together are not too many."""
    if file in log.read:
        rows, problems = log.read[file]
        log.problems += problems
        yield from (Row(dict(row.values), file, row.line) for row in rows)
        return
    rows, problems, layout = [], [], _layout(file, log.layout)
    try:
        for row in checked_rows.rows(file, layout, problems):
            if not layout.header:
                row = Row({str(name): value for name, value in row.values.items()}, file, row.line)
            if log.room[0] > len(rows):
                rows.append(Row(dict(row.values), file, row.line))
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
            head, *others = islice(checked_rows.rows(file, bare, []), _LOOKED_AT)
            labels = [x for x in head.values if isinstance(x, int) and head.find(x)]
            labels = [x for x in labels if _LABEL.fullmatch(str(head.find(x)))]
            if any(head.find(x) == row.find(x) for x in labels for row in others):
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
    return "latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", raw) else "cp1252"


def first(file: Path, log: Log) -> Row | None:
    """The first row of a file, None where it cannot be read; all of a small file is kept."""
    with suppress(DataError):
        rows = _rows(file, log.varied({}))
        if os.path.getsize(file) < _SMALL:
            rows = iter([*rows])
        return next(rows, None)


def has_keys(file: Path, log: Log, asked: Collection[str]) -> bool:
    """Whether a file has a column of keys and none of responses, to a question or id of `asked`."""
    row = file.is_file() and first(file, log)
    names = columns_of(row) if row else []
    keys = inference.column("answer", names) and not _called_so("response", names, [row])
    return bool(keys) and any(str(value) in asked for value in row.values.values())


def crossed(log: Log, files: Collection[Path]) -> str | None:
    """The column of which each question has every value once: runs or samples differ in it, under
    any name.
    """
    rows = [row for file, (rows, _) in log.read.items() if file in files for row in rows]
    frame = pd.DataFrame(row.values for row in rows).astype(str)
    about, fields = _of_item(columns_of(*rows)), log.guessed
    words = about["question"] or fields.get("item_id")
    names = {"_path", "_file", words, *map(fields.get, ("model", "setting"))}
    asked = [*names.intersection(frame)]
    used = {*fields.values(), *about.values()}
    frame = frame[frame.duplicated(asked, keep=False)]  # other files may have nothing to tell
    questions = max(1, len(frame[asked].drop_duplicates()))
    # as often as each was asked, and fewer than questions
    most = min(questions, len(frame) / questions / _SURE)
    few = (name for name in frame if name not in used and 1 < frame[name].nunique() <= most)
    return next((name for name in few if not frame.duplicated([*asked, name]).any()), None)


def columns_of(*rows: Row) -> list[str]:
    """Columns of the file itself."""
    names = dict.fromkeys(str(name) for row in rows for name in row.values)
    return [name for name in names if name[:1] != "_"]


def _columns(head: list[Row], log: Log) -> dict[str, str]:
    """Field of a record -> place: the caller's, and for other fields by columns' names. What is
    called a choice, but has long texts, is the response.
    """
    columns = columns_of(*head)
    fixed, log.rivals = dict(log.columns), []
    for name, place in log.columns.items():
        if name not in _FIELDS and not name.startswith(_SCORES):
            raise unknown("field of a record", name, _FIELDS)
        # somewhere in the first rows it must be
        parts = place.split(",") if name == "options" else [place]
        there = all(any(row.find(part) not in (None, "") for row in head) for part in parts)
        if not there and name in log.tried:
            fixed.pop(name)
        elif not there and name not in GIVEN and place != DIGEST:
            raise DataError(unknown("column", place, columns).reason, file=head[0].file)
    guessed = {}
    free = [column for column in columns if column not in log.columns.values()]
    cells = head[0].values.items()
    inside = [f"{name}.{x}" for name, cell in cells if isinstance(cell, dict) for x in cell]
    for name in _NAMES:
        # a judge's response or score may be in an object of its own
        names = free if name in ("response", "score") else free + inside
        called = _called_so(name, names, head)
        if name == "item_id":  # an id inside an object that all rows have is one of a model
            called = [x for x in called if x in free or len({str(row.find(x)) for row in head}) > 1]
        if called and name not in fixed:
            if name == "correct":
                called = _nearest(called, {**guessed, **fixed}.get("response"))
                rivals = filter(_VERDICT.search, names)  # of another reading, or another answer
                rivals = [x for x in rivals if x != called[0] and _marked(x, head) == "correct"]
                log.rivals = rivals
            guessed[name] = called[0]
    if all(map(str.isdecimal, columns)):
        labels = [x for x in columns if all(_LABEL.fullmatch(str(row.values[x])) for row in head)]
        if len(labels) == 2:  # which is the key makes no difference to their being equal
            guessed["choice"], guessed["answer"] = labels
    if subject := inference.column("subject", free):
        guessed["subject"] = subject
    spoken = _conversation(head[0])
    if inference.column("question", free):
        spoken.pop("question", None)
    guessed = spoken | guessed
    answered = guessed | fixed
    if "correct" in answered:
        guessed.pop("score", None)
    if any(name.startswith(_SCORES) for name in fixed):
        guessed.pop("response", None)
    elif "answer" in columns and not {"response", "choice", "score"} & answered.keys():
        key = inference.column("answer", columns)
        guessed |= {"response": "answer"} if key != "answer" else {}
    cells = [str(row.find(guessed.get("choice", "="))) for row in head]
    if "response" not in answered and max(map(len, cells)) > _SHORT:
        guessed["response"] = guessed.pop("choice")
    return guessed | fixed


def _nearest(called: list[str], response: str | None) -> list[str]:
    """Columns of verdicts, first those with most words in common with the response's name."""
    words = {*re.split(r"[\W_]+", response or "")}
    return sorted(called, key=lambda name: -len(words & {*re.split(r"[\W_]+", name)}))


def _conversation(row: Row) -> dict[str, str]:
    """Where a list of messages has the last question, and the last answer if it ends with one."""
    for name, cell in row.values.items():
        last = cell[-1] if isinstance(cell, list) and cell else None
        for role, text, asks, answers in _MESSAGES:
            if isinstance(last, dict) and {role, text} <= last.keys():
                fields = {"question": asks}
                if last[role] == answers:
                    fields["response"] = answers
                return {field: f"{name}.?{role}={x}.-1.{text}" for field, x in fields.items()}
    return {}


def _answered(fields: Iterable[str]) -> bool:
    """Whether fields of a record have an answer, or what became of it."""
    answers = {"response", "error", "scores", *GIVEN}
    return any(name.partition(".")[0] in answers for name in fields)


def _unfolded(rows: Iterator[Row], log: Log) -> Iterator[Row]:
    """Rows; where no column plainly has the answers, a row an answer: of a column a model, an
    object a model, or a list of objects.
    """
    head = list(islice(rows, _LOOKED_AT))
    answers = _answer_columns(head, log) if head else {}
    texts = filter(answers.get, answers)
    begins = {name: match[1] for name in texts if (match := _PREFIXED.fullmatch(name))}
    if len({*begins.values()}) < len(answers):
        begins = {}
    for row in chain(head, rows):
        if not answers:
            yield row
            continue
        outer = {name: value for name, value in row.values.items() if name not in answers}
        shared = {x: value for x, value in outer.items() if not x.startswith((*begins.values(),))}
        for name, field in answers.items():
            begin = begins.get(name)
            # gpt4_correct is of gpt4_response
            parts = [x for x in outer if begin and x.startswith(begin)]
            stripped = {x.removeprefix(begin): outer[x] for x in parts}
            if "answer" in stripped:  # the key has that name
                stripped["model_answer"] = stripped.pop("answer")
            for label, fields in _parts(name, row.values.get(name), field):
                several = len(answers) > 1 or label != name
                run = {"setting" if "model" in outer else "model": label} if several else {}
                yield Row(shared | stripped | fields | run, row.file, row.line)


def _answer_columns(head: list[Row], log: Log) -> dict[str, str | None]:
    """Columns that have answers, each with the field that a cell is; none where it is an object."""
    names = columns_of(*head)
    about = {field: _called_so(field, names, head) for field in _NAMES}
    nameless = all(map(str.isdecimal, names))
    if nameless or about["response"] or about["choice"] or _answered(log.columns):
        return {}
    used = {*chain.from_iterable(about.values()), *_of_item(names).values()}
    used |= {*log.columns.values(), *inference.series(names)}
    filled = {name: cell for row in head for name, cell in row.values.items() if cell}
    first = {name: filled[name] for name in names if name in filled and name not in used}
    cells = {name: cell for name, cell in first.items() if not _EXPLAINS.search(name)}
    objects = {name: None for name, cell in cells.items() if _parts(name, cell)}
    called = {name: "response" for name in _called(first)}
    key = inference.column("answer", names)
    keys = {str(row.values.get(key)).strip() for row in head}
    marked = {name: field for name in cells if (field := _marked(name, head, keys))}
    # beside answers, what is true or false is about the question
    kind = max(marked.values(), default="")
    marked = {name: kind for name in marked if marked[name] == kind}
    if kind == "correct" and len({str(row.values.get(x)) for x in marked for row in head}) < 2:
        marked = {}  # one value everywhere is no verdict
    marked = {name: kind for name in marked if _ANSWER_OF.fullmatch(name)} or marked
    if about["correct"]:
        return called if len(called) == 1 else {}
    # what is true or false may be anything, but "contested" is no model
    models = len(marked) > 1 and (kind != "correct" or re.search(r"\d|[A-Z]", "".join(marked)))
    return objects or called or (marked if models else {})


def _parts(name: str, cell: object, field: str | None = None) -> list[tuple[str, dict]]:
    """The answers in a cell, each with its name or the column's."""
    if field:
        return [(name, {field: cell})]
    if isinstance(cell, list):
        pairs = [(name, part) for part in cell]
    elif not isinstance(cell, dict) or _called(cell) or _judged(cell):
        pairs = [(name, cell)]
    else:
        reply = texts_of(cell) or not _CALLED.fullmatch(name)
        texts = not reply and all(isinstance(x, str) for x in cell.values())
        pairs = [(key, {"response": x} if texts else x) for key, x in cell.items()]
    called = [
        isinstance(fields, dict) and (_called(fields) or _judged(fields)) for _, fields in pairs
    ]
    if len(called) > 1 and any(called):  # a request may have failed
        called = [[mode(names[0] for names in called if names)]] * len(pairs)
    if not all(called):
        return []
    parts = zip(pairs, called, strict=True)
    return [(label, {"response": part.get(names[0])} | part) for (label, part), names in parts]


def _judged(fields: dict) -> list[str]:
    """The longest text of an object that has a verdict: what was judged."""
    texts = {name: x for name, x in fields.items() if isinstance(x, str)}
    verdicts = inference.named([*fields], _NAMES["correct"])
    judged = texts and any(isinstance(fields[name], bool) for name in verdicts)
    return [max(texts, key=lambda name: len(texts[name]))] if judged else []


def _called_so(field: str, columns: list[str], rows: list[Row]) -> list[str]:
    """Columns with a name of a field; one that is called `correct` may have letters, as a key."""
    columns = inference.named(columns, _NAMES[field])
    if field == "correct":
        return [name for name in columns if _marked(name, rows) == "correct"]
    if field == "setting":
        columns = [name for name in columns if _marked(name, rows) != "correct"]
    return [name for name in columns if not _parts(name, rows[0].values.get(name))]


def _called(fields: Mapping) -> list[str]:
    """Names of texts that are called as answers are, or end so (`gpt4_response`).

    Where there are such, `long_answer` is a key.
    """
    texts = (str(name) for name, x in fields.items() if not isinstance(x, list) and texts_of(x))
    called = [name for name in texts if _CALLED.fullmatch(name)]
    return [name for name in called if not name.endswith("answer")] or called


def _marked(name: str, rows: list[Row], keys: Collection[str] = ()) -> str | None:
    """What the cells of a column are by their looks: right and wrong, or texts with a label, or, of
    a column such as `answer_gpt4`, keys.
    """
    values = [row.find(name) for row in rows]
    values = chain.from_iterable(x if isinstance(x, list) else [x] for x in values)
    cells = [str(value).strip() for value in values if value not in (None, "")]
    words = {cell.casefold() for cell in cells}
    verdicts = words <= RIGHT.keys() and not _ANSWER_OF.fullmatch(name)
    if words and verdicts and (words <= {"c", "i"} or words - {"c", "i", "n"}):
        return "correct"
    keys = {key for key in keys if _ANSWER_OF.fullmatch(name) or _WORDED.fullmatch(key)}
    labelled = sum(bool(_LABELLED.search(cell)) or cell in keys for cell in cells)
    return "response" if labelled > _SURE * len(cells) else None


def _of_item(names: list[str]) -> dict[str, str | None]:
    """Field of an item -> the column that plainly says it."""
    return {field: inference.column(field, names) for field in inference.NAMES}


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
    named: dict = {name: columns[name] for name in _OF_ITEM if name in columns}
    if "," in named.get("options", ""):
        named["options"] = named["options"].split(",")
    if "language" in named:
        named["language"] = {"place": named["language"]}
    named["id"] = "_row"
    used = {column for name, column in columns.items() if name not in ("item_id", *_OF_ITEM)}
    try:
        fields = inference.guessed(file, used, head, **named)
    except DataError as error:
        if error.field != "question":
            raise
        place = columns.get("item_id", "_row").replace(DIGEST, "_row")
        place = place if "{" in place else f"{{{place}}}"
        named["question"] = f"(question {place}, whose words the log does not have)"
        fields = inference.guessed(file, used, head, **named)
        if "answer" not in fields and "item_id" not in columns:
            if "correct" not in columns:
                raise
            # nothing tells which rows are of one question: no run is compared with another
            fields["question"] = "(question {_stem}/{_row}, whose words the log does not have)"
            log.otherwise["setting"] = "_stem"
        log.guessed["question"] = "(none)"
    description = descriptions.described(fields, file.absolute())
    log.guessed["answer"] = str(description.answer.place) if description.answer else "(none)"

    indexed = description.answer and description.answer.kind == "index"
    keys = [row.find(log.guessed["answer"]) for row in head]
    matched = mode(bool(number_key(key)) for key in keys) or "response" not in columns
    if not matched:  # texts are matched where nearly each response is one of the keys
        texts, place = {plain(str(key)) for key in keys}, columns["response"]
        matched = sum(plain(str(row.find(place))) in texts for row in head) > _SURE * len(head)
    choice = columns.get("choice", "=") if indexed else "="

    def prepare(row: Row) -> dict:
        try:
            item = {**described.item(row, description), "asked": False}
        except DataError:
            if log.items is None:
                return {}
            words = row.find(description.question[-1].place)
            if not words or row.find(columns.get("correct", "=")) in (None, ""):
                raise
            # its verdict is enough
            about = {"language": "und", "subject": "all", "category": None, "metadata": {}}
            item = about | {"question": str(words), "options": [], "answer": None, "asked": False}
        if item["question"] in ids:
            return {"_item": item, DIGEST: ids[item["question"]]}
        number = as_number(row.find(choice))
        if number >= 0:  # counts as the key does
            row.values[choice] = label_of(int(number), item["options"])
        answers = item["metadata"].get("answers")
        if matched and answers and not item["options"]:
            item["metadata"] |= number_key(answers[0]) or {"answer_type": "text"}
        words = repr((item["question"], sorted(item["options"])))
        digest = hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=6).hexdigest()
        return {"_item": item, DIGEST: digest}

    return prepare


def guesses(file: Path, log: Log) -> dict[str, str]:
    """Field -> the column of a table that may be meant; nothing where none can be responses."""
    rows = [*islice(_rows(file, log), _LOOKED_AT)]
    names = columns_of(*rows)
    taken = _of_item(names).values()
    texts = {
        name: "".join(str(row.values.get(name) or "") for row in rows)
        for name in names
        if name not in taken and not _EXPLAINS.search(name)
    }
    sizes = {name: len(text) for name, text in texts.items() if re.search(r"[^\W\d_]", text)}
    return {"response": max(sizes, key=sizes.get)} if sizes else {}
