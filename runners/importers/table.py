"""Tables of any kind (CSV, TSV, JSON Lines, JSON, Parquet, text with a pattern): columns
recognized by their names, or named by the user.

`--map response=text --map item_id={subject}/{row} --map model={_stem} --map setting==5-shot`
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from statistics import mode

import pandas as pd

from analysis.answers.comparison import plain
from analysis.errors import DataError, unknown
from analysis.items import checked_rows, described, descriptions, inference
from analysis.items.checked_rows import Row
from analysis.items.file_formats import ENDINGS, TABLE
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
    "response": "response responses output outputs model_output model_outputs generated_text "
    "generation generations prediction predictions predicted_answers completion raw_output "
    "raw_response model_response llm_response llm_output llm_answer reply response_text "
    "full_response full_res sampled_text sampled_texts a_model predicted_option pred_before "
    "model_solution generated_solution response_ans response_answer answer_text output_text "
    "generated generated_answer generated_response generated_output model_generation "
    "model_prediction model_completion llm_prediction raw_prediction raw_answer final_response "
    "response_content cot_response ai_answer ai_response system_output model_reply",
    "model": "model model_name model_id eval_model llm llm_name name_model engine modelo modell "
    "modèle модель 모델 モデル 模型 framework model_path model_key model_version checkpoint",
    "item_id": "item_id item question_id questao_id qid query_id problem_id custom_id id doc_id "
    "index idx sample_id instance_id uid question_number question_no qnum",
    "choice": "choice pred preds my_answer extracted_answer extracted parsed_answer "
    "predicted_answer predicted predicted_label pred_ans final_ans final_answer model_answer "
    "model_ans model_choice pred_after extracted_choice extracted_option extracted_label "
    "predicted_choice predicted_letter pred_label pred_letter pred_choice parsed parsed_choice "
    "pred_index pred_idx predicted_index predicted_idx choice_index choice_idx "
    "answer_extracted selected_option chosen_option",
    "correct": "correct is_correct right exact_match acc acertou correcto correto "
    "binary_correct answer_correct model_correct llm_correct judge_correct is_answer_correct "
    "passed grading assertion_value is_right is_match match grade_bool correctness "
    "judgment judgement verdict success accuracy score",
    "score": "score rating judge_score grade overall_score total_score final_score",
    "setting": "setting condition prompt_type prompt_strategy agent_name agent strategy prompting "
    "prompting_strategy prompt_name prompt_id approach judge judge_model rater annotator",
    "finish_reason": "finish_reason stop_reason",
}
_WORDS = "|".join(f"{_NAMES['response']} {_NAMES['choice']}".split())
_CALLED = re.compile(
    r"(?i)(?!gold|ref|true|correct|right|expect|target|human|student|user|ground)"
    rf"(?:{_WORDS}|.+[\W_](?:{_WORDS}|answer))"
)
_ANSWER_OF = re.compile(rf"(?i)(?:{_WORDS}|answer)[\W_](?!correct).+")
_LOOKED_AT = 200  # rows whose columns are looked at
# a conversation: where its texts are, and who asks and who answers
_MESSAGES = (("role", "content", "user", "assistant"), ("from", "value", "human", "gpt"))
# no article, and no "I": those have no sign behind them
_LABELLED = re.compile(r"(?<![\w'])([B-HJ](?![\w'])|[A-J](?=[]).,:*]|\W*$))")
_WORDED = re.compile(r"(?!(?i:true|false|yes|no)$)[^\W\d_]{3,}.*")  # a key that no other column has
_EXPLAINS = re.compile(
    "(?i)price|cost|usage|token|expl|rational|reason|comment|eval|judg|grading|critique"
    "|feedback|hint|justif|solution|note|spiega|begründ|erklär"
    "|пояс|объясн|wyjaśn|objaśn|açıkla|شرح|توضیح|व्याख्या|解|説明|설명|giải"
)
_KEPT = 100_000  # rows
_SURE = 0.8  # share of a column's cells that have a label, where the column is a model's
_SHORT = 60  # characters of a key that a response may be equal to
_TABLES = tuple(one for one in ENDINGS if not re.search("txt|log", one))
DIGEST = "_digest"  # an item's id: a digest of its words


def files_of(source: Path, log: Log) -> list[Path]:
    """The tables of a folder, or the one file; plain text where there are none, or the caller says
    its rows.
    """
    paths = [path for path in files(source) if path == source or path.name.endswith(ENDINGS)]
    tables = [path for path in paths if path.name.endswith(_TABLES)]
    return paths if log.layout.records else tables or paths


def records(file: Path, log: Log) -> Iterator[dict]:
    """One record a row. `scores.NAME` makes a mapping; numbers there may be written as text."""
    rows = _unfolded(_rows(file, log), log)
    head = list(islice(rows, _LOOKED_AT))
    if not head:
        return
    columns = _columns(head, log)
    if not _answered(columns):
        raise DataError(
            f"no column is plainly the response; there are: {', '.join(_names(*head))}; "
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
    """Rows of a file, which are kept for another attempt where they are not too many."""
    if file not in log.read:
        if sum(len(rows) for rows, _ in log.read.values()) > _KEPT:
            return checked_rows.rows(file, log.layout, log.problems)
        problems = []
        log.read[file] = [*checked_rows.rows(file, log.layout, problems)], problems
    rows, problems = log.read[file]
    log.problems += problems
    return (replace(row, values=dict(row.values)) for row in rows)


def crossed(log: Log) -> str | None:
    """The column of which each question has every value once: runs differ in it, under any
    name.
    """
    rows = [row for rows, _ in log.read.values() for row in rows]
    frame = pd.DataFrame(row.values for row in rows).astype(str)
    about, fields = _of_item(_names(*rows)), log.guessed
    words = about["question"] or fields.get("item_id")
    names = {"_path", "_file", words, *map(fields.get, ("model", "setting"))}
    asked = [*names.intersection(frame)]
    used = {*fields.values(), *about.values()}
    questions = max(1, len(frame[asked].drop_duplicates()))
    # as often as each was asked, and fewer than questions
    most = min(questions, len(frame) / questions / _SURE)
    few = (name for name in frame if name not in used and 1 < frame[name].nunique() <= most)
    return next((name for name in few if not frame.duplicated([*asked, name]).any()), None)


def _names(*rows: Row) -> list[str]:
    """Columns of the file itself."""
    names = dict.fromkeys(str(name) for row in rows for name in row.values)
    return [name for name in names if name[:1] != "_"]


def _columns(head: list[Row], log: Log) -> dict[str, str]:
    """Field of a record -> place: the caller's, and for other fields by columns' names. What is
    called a choice, but has long texts, is the response.
    """
    columns = _names(*head)
    for name, place in log.columns.items():
        if name not in _FIELDS and not name.startswith(_SCORES):
            raise unknown("field of a record", name, _FIELDS)
        # somewhere in the first rows it must be
        parts = place.split(",") if name == "options" else [place]
        there = all(any(row.find(part) not in (None, "") for row in head) for part in parts)
        if not there and name not in GIVEN and place != DIGEST:
            raise DataError(unknown("column", place, columns).reason, file=head[0].file)
    guessed = {}
    free = [column for column in columns if column not in log.columns.values()]
    inside = [
        f"{name}.{part}"
        for name, cell in head[0].values.items()
        if isinstance(cell, dict)
        for part in cell
    ]
    for name in _NAMES:
        # a judge's response or score may be in an object of its own
        names = free if name in ("response", "score") else free + inside
        called = _called_so(name, names, head)
        if name == "item_id":  # an id inside an object that all rows have is one of a model
            called = [x for x in called if x in free or len({str(row.find(x)) for row in head}) > 1]
        if called and name not in log.columns:
            guessed[name] = called[0]
    if subject := inference.column("subject", free):
        guessed["subject"] = subject
    spoken = _conversation(head[0])
    if inference.column("question", free):
        spoken.pop("question", None)
    guessed = spoken | guessed
    answered = guessed | log.columns
    if "correct" in answered:
        guessed.pop("score", None)
    if any(name.startswith(_SCORES) for name in log.columns):
        guessed.pop("response", None)
    elif "answer" in columns and not {"response", "choice", "score"} & answered.keys():
        key = inference.column("answer", columns)
        guessed |= {"response": "answer"} if key != "answer" else {}
    cells = [str(row.find(guessed.get("choice", "="))) for row in head]
    if "response" not in answered and max(map(len, cells)) > _SHORT:
        guessed["response"] = guessed.pop("choice")
    return guessed | log.columns


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
    places = _places(head, log) if head else {}
    for row in chain(head, rows):
        if not places:
            yield row
            continue
        outer = {name: value for name, value in row.values.items() if name not in places}
        for name, field in places.items():
            for label, fields in _parts(name, row.values.get(name), field):
                several = len(places) > 1 or label != name
                run = {"setting" if "model" in outer else "model": label} if several else {}
                yield Row(outer | fields | run, row.file, row.line)


def _places(head: list[Row], log: Log) -> dict[str, str | None]:
    """Columns that have answers, each with the field that a cell is; none where it is an object."""
    names = _names(*head)
    about = {field: _called_so(field, names, head) for field in _NAMES}
    if about["response"] or about["choice"] or _answered(log.columns):
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
    elif not isinstance(cell, dict) or _called(cell):
        pairs = [(name, cell)]
    else:
        reply = texts_of(cell) or not _CALLED.fullmatch(name)
        texts = not reply and all(isinstance(x, str) for x in cell.values())
        pairs = [(key, {"response": x} if texts else x) for key, x in cell.items()]
    called = [isinstance(fields, dict) and _called(fields) for _, fields in pairs]
    if isinstance(cell, list) and any(called):  # a request may have failed
        called = [[mode(names[0] for names in called if names)]] * len(pairs)
    if not all(called):
        return []
    parts = zip(pairs, called, strict=True)
    return [(label, {"response": part.get(names[0])} | part) for (label, part), names in parts]


def _called_so(field: str, columns: list[str], rows: list[Row]) -> list[str]:
    """Columns with a name of a field; one that is called `correct` may have letters, as a key."""
    columns = inference.named(columns, _NAMES[field])
    if field == "correct":
        return [name for name in columns if _marked(name, rows) == "correct"]
    return [name for name in columns if not _parts(name, rows[0].values.get(name))]


def _called(fields: Mapping) -> list[str]:
    """Names of texts that are called as answers are, or end so (`gpt4_response`).

    Where there are such, `long_answer` is a key.
    """
    texts = (str(name) for name, x in fields.items() if isinstance(x, (str, int, float)))
    called = [name for name in texts if _CALLED.fullmatch(name)]
    return [name for name in called if not name.endswith("answer")] or called


def _marked(name: str, rows: list[Row], keys: Collection[str] = ()) -> str | None:
    """What the cells of a column are by their looks: right and wrong, or texts with a label, or, of
    a column such as `answer_gpt4`, keys.
    """
    values = [row.find(name) for row in rows]
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
        known, place = {plain(str(key)) for key in keys}, columns["response"]
        matched = sum(plain(str(row.find(place))) in known for row in head) > _SURE * len(head)
    choice = columns.get("choice", "=") if indexed else "="

    def prepare(row: Row) -> dict:
        try:
            item = {**described.item(row, description), "asked": False}
        except DataError:
            if log.items is None:
                return {}
            raise
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
    names = _names(*rows)
    taken = _of_item(names).values()
    texts = {
        name: "".join(str(row.values.get(name) or "") for row in rows)
        for name in names
        if name not in taken and not _EXPLAINS.search(name)
    }
    sizes = {name: len(text) for name, text in texts.items() if re.search(r"[^\W\d_]", text)}
    return {"response": max(sizes, key=sizes.get)} if sizes else {}
