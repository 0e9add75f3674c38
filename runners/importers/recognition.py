"""Which column of a table is what: by its name, and by what its cells look like."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, combinations
from pathlib import Path
from statistics import mode

import pandas as pd

from analysis.errors import DataError, unknown
from analysis.items import inference
from analysis.items.checked_rows import Row
from analysis.items.values import as_number
from analysis.text import visible
from runners.importers.base import (
    ASKED,
    GIVEN,
    KEPT,
    MISSING,
    NAMED,
    RIGHT,
    Log,
    marked,
    part,
)
from runners.importers.declared import texts_of

SCORES = "scores."
DIGEST = "_digest"  # an item's id: a digest of its words
OF_ITEM = ("question", "options", "answer", "language", "subject")
_FIELDS = (*NAMED, *ASKED, *KEPT, *GIVEN, *OF_ITEM)
NAMES = {  # field of a record -> names of columns that plainly say it
    "response": """
        response responses output outputs model_output model_outputs generated_text generation
        generations prediction predictions predicted_answers completion raw_output raw_response
        model_response llm_response llm_output llm_answer reply response_text full_response
        full_res sampled_text sampled_texts a_model predicted_option pred_before model_solution
        generated_solution response_ans response_answer answer_text output_text generated
        output_str response_str generated_answer generated_response generated_output
        model_generation model_prediction model_completion llm_prediction raw_prediction
        raw_answer final_response response_content cot_response izlaz ausgabe sortie salida saída
        wyjście výstup 生成答案 模型回答 模型输出 actual_output ai_answer ai_response system_output
        model_reply raw raw_text llm_result llm_results model_result model_results
        generated_code generated_sql predicted_sql
    """,
    "model": """
        model model_name model_id eval_model generator llm llm_name name_model engine modelo modell
        modèle модель 모델 モデル 模型 framework model_path model_key model_version checkpoint
        model_tested tested_model
    """,
    "item_id": """
        item_id item question_id question_uuid solution_id example_id questao_id qid query_id
        problem_id custom_id id doc_id index idx sample_id instance_id uid question_number
        question_no qnum ids prompt_id task_id
    """,
    "choice": """
        choice pred preds my_answer extracted_answer extracted parsed_answer predicted_answer
        predicted predicted_label pred_ans final_ans final_answer model_answer model_ans
        model_choice pred_after extracted_choice extracted_option extracted_label predicted_choice
        predicted_letter pred_label pred_letter pred_choice parsed parsed_choice pred_index
        pred_idx predicted_index predicted_idx choice_index choice_idx answer_extracted
        selected_option chosen_option got 模型答案 预测答案 预测 predviđen_odgovor
        predviđeni_odgovor
    """,
    "correct": """
        correct is_correct right exact_match exact acc acertou correcto correto binary_correct
        answer_correct model_correct llm_correct judge_correct is_answer_correct passed solved
        judge grading assertion_value is_right is_match match grade_bool correctness judgment
        judgement verdict success accuracy score scores ok result evaluation assessment outcome
        是否正确 评估结果 判定 正誤 정답여부 doğru_mu dogru_mu acerto acierto korrekt richtig верно
        правильно benar ispravno tačno točno správně poprawne
    """,
    "score": """
        score scores rating judge_score grade overall_score total_score final_score accuracy
        skor puan оценка балл punktzahl puntuación pontuação 得分 分数 评分 スコア 점수
    """,
    "setting": """
        setting condition prompt_type prompt_strategy agent_name agent strategy prompting
        prompting_strategy prompt_name prompt_id approach judge judge_model rater annotator
    """,
    "finish_reason": "finish_reason stop_reason",
}
WORDS = "|".join(f"{NAMES['response']} {NAMES['choice']}".split())
CALLED = re.compile(
    r"(?i)(?!gold|ref|true|correct|right|expect|target|human|student|user|ground)"
    r"(?!(?:.*[\W_])?(?:in)?correct(?![^\W_]))"
    r"(?!(?:use|is|has)_|(?-i:is|has)[A-Z])"
    rf"(?:{WORDS}|.+[\W_](?:{WORDS}|answer)(?:[\W_]cot)?)"
)
_ANSWER = re.compile(
    "(?i)answer|predic|output|r[eé]s?pons|respost|respuest|rispost|antwort|ceva[bp]|yan[ıi]t|ответ"
    "|відпов|odpow|odpov|jawab|trả.?lời|回答|回复|解答|答え|답변|응답|جواب|پاسخ|جاب|उत्तर|উত্তর|vastau|απάντ"
)
REFERENCE = re.compile("(?i)gold|ref|expected")  # before the word for an answer
_CLASS = re.compile("(?i)class|label|categ|decision|choice|predi")
_OUTPUT = re.compile("(?i)predic|response|output")
_OF_MODEL = re.compile(
    r"(?i)(?<![^\W_])(?:(?:ia|ai|ki|bot|llm|yz)(?![^\W\d_])|модел|mod[eè]l)|모델|模型|モデル|मॉडल"
)
ANSWER_OF = re.compile(rf"(?i)(?:{WORDS}|answer)([\W_](?!correct|key|gold).+|\d+)")
MODEL = re.compile(  # a column that has a model's name has its answers
    "(?i)gpt|claude|gemini|gemma|llama|mi[sx]tral|qwen|deepseek|command-r|grok|\\bphi-?\\d|llm$"
)
_GRADES = "grade grader grading judge_grade model_grade grade_letter llm_grade"
VERDICT = re.compile(
    r"(?i)^(?!.*(?:format|valid|pars|json|lang))"
    r".*(?<![^\W_])(?:correct|right|acc|accuracy|em|match)(?![^\W_])"
)
# a column, or a part of one, with numbers of how good an answer is
_SCORE = re.compile(
    "(?i)score(?!r)|^eval.*[.]|faithful|relevan|precision|recall|rating|grade|stars|points|quality"
    "|similarity|f1|bleu|rouge|accuracy|fluency|coheren|correctness|helpful|complete|consisten"
    "|_following|hallucinat|clarity|safety|adequa"
)
_ABOUT = re.compile("(?i)token|time|cost|count|length")  # numbers that are none
LOOKED_AT = 200  # rows whose columns are looked at
# a conversation: where its texts are, and who asks and who answers
_MESSAGES = (("role", "content", "user"), ("from", "value", "human"))
_ANSWERS = {"assistant", "gpt", "llm", "model", "bot", "ai"}
# no article, and no "I": those have no sign behind them
_LABELLED = re.compile(r"(?<![\w'])([B-HJ](?![\w'])|[A-J](?=[]).,:*]|\W*$))")
LABEL = re.compile(r"[A-Ja-j1-9]?")
_WORDED = re.compile(r"(?!(?i:true|false|yes|no)$)[^\W\d_]{3,}.*")  # a key that no other column has
EXPLAINS = re.compile(
    "(?i)price|cost|usage|token|time|type|count|length|latency|expl|rational|reason|comment|eval"
    "|format|judg|verdict|grading|critique|feedback|hint|justif|solution|note|score|spiega|begründ"
    "|erklär|error|steps|(?-i:url|path)|пояс|объясн|wyjaśn|objaśn|açıkla|شرح|توضیح|व्याख्या|解|説明"
    "|설명|giải"
)
_OF_HUMAN = re.compile(
    r"(?i)(?<![^\W_])(?:human|true|truth|gold|actual|manual|expert|annotat\w*)(?![^\W_])"
)
_CLASSES = 20  # at most, of which one is an answer
_SETTINGS = 20  # at most, of one file
# a column that tells settings apart
_KIND = re.compile(r"(?i)type|kind|method|variant|mode$|version|style|template|technique")
_TWICE = 0.05  # share of rows
_MOST = 0.95  # share of rows in which a verdict is that two columns are equal
SURE = 0.8  # share of a column's cells that have a label, where the column is a model's
_FEW = 4  # questions
_SHORT = 60  # characters of a key that a response may be equal to, and of a setting's name


def columns_of(*rows: Row) -> list[str]:
    """Columns of the file itself."""
    names = dict.fromkeys(str(name) for row in rows for name in row.values)
    return [name for name in names if name[:1] != "_"]


def _inside(*rows: Row) -> list[str]:
    """Places inside the objects of rows."""
    cells = chain.from_iterable(row.values.items() for row in rows)
    return [f"{name}.{x}" for name, cell in cells if isinstance(cell, dict) for x in cell]


def examples(rows: list[Row]) -> str:
    """A line each column, or part of an object, with the first value that it has."""
    values: dict[str, object] = {}
    for row in rows:
        for name in columns_of(row):
            cell = row.values.get(name)
            parts = cell if isinstance(cell, dict) and cell else {"": cell}
            for inner, value in parts.items():
                if value not in (None, ""):
                    values.setdefault(f"{name}.{inner}".rstrip("."), value)
    return "".join(f"\n  {visible(f'{x}: {str(y)[:_SHORT]}')}" for x, y in values.items())


def of_item(names: list[str]) -> dict[str, str | None]:
    """Field of an item -> the column that plainly says it."""
    return {field: inference.column(field, names) for field in inference.NAMES}


def questions(rows: list[Row]) -> set[str]:
    """The questions of rows, or their ids where these are no numbers."""
    names = columns_of(*rows)
    name = inference.column("question", names) or inference.column("id", names)
    values = {str(row.find(name) or "") for row in rows} if name else set()
    return {x for x in values if x and not x.isdecimal()}


def recognized(head: list[Row], log: Log) -> dict[str, str]:
    """Field of a record -> place: the caller's, and for other fields by columns' names.

    Raises
    ------
    DataError
        For a field or a column of the caller's that does not exist.
    """
    columns = columns_of(*head)
    fixed = _fixed(head, columns, log)
    free = [column for column in columns if column not in log.columns.values()]
    spoken = _conversation(head[0])
    if inference.column("question", free):
        spoken.pop("question", None)
    guessed = spoken | _by_names(head, free, fixed, log)
    if all(map(str.isdecimal, columns)):
        labels = [x for x in columns if all(LABEL.fullmatch(str(row.values[x])) for row in head)]
        if len(labels) == 2:  # the key is the same in all files
            rows = [row for row in log.sample or head if {*labels} <= row.values.keys()]
            pairs = {x: {(row.file.name, row.line, row.values[x]) for row in rows} for x in labels}
            guessed["choice"], guessed["answer"] = sorted(labels, key=lambda x: -len(pairs[x]))
    for key in free:  # expected_score is the key of score, and "expected answer" of "actual answer"
        match = re.fullmatch(r"(?i)\s*expected[\W_]*(.*?)\s*", key)
        named = match and re.compile(rf"(?i)\s*(?:actual[\W_]*)?{re.escape(match[1])}\s*")
        if name := next((x for x in free if named and x.strip() and named.fullmatch(x)), None):
            guessed = {field: x for field, x in guessed.items() if x != name}
            guessed |= {"choice": name, "answer": key}
    if not {"response", "choice"} & (guessed | fixed).keys():
        guessed |= _of_model(free, head)
    for field in ("subject", "language"):
        if column := inference.column(field, free):
            guessed[field] = column
    fields = guessed | fixed
    if "correct" in fields:
        guessed.pop("score", None)
    if "response" not in fields and str(guessed.get("score")).lower().startswith("accuracy"):
        guessed.pop("score")  # of many answers
    if any(name.startswith(SCORES) for name in fixed):
        guessed.pop("response", None)
    elif not {"response", "choice", "score"} & fields.keys():
        guessed |= _last_resort(free, fields, head, log)
    # without an answer or a model, marks are verdicts only where they are called so
    verdict = guessed.get("correct", "correct")
    called = inference.named([verdict], NAMES["correct"]) or VERDICT.search(verdict)
    if not called and {"response", "choice", "model"}.isdisjoint(guessed | fixed):
        guessed.pop("correct")
    # what is called a choice, but has long texts, is the response
    cells = [str(row.find(guessed.get("choice", "="))) for row in head]
    if "response" not in fields and max(map(len, cells)) > _SHORT:
        guessed["response"] = guessed.pop("choice")
    if "correct" not in fields and (key := _key(head, free, guessed | fixed)):
        guessed["answer"] = key
    return guessed | fixed


def _of_model(free: list[str], rows: list[Row]) -> dict[str, str]:
    """A column of texts that is called as another one and a model's (`llm_query`, `query`)."""
    for name in free:
        match = re.fullmatch(r"(?i)(?:llm|model|generated|predicted)[\W_]+(.+)", name)
        if match and match[1] in free and max(len(one) for one in _words(name, rows)) > _SHORT:
            return {"response": name, "answer": match[1]}
    return {}


def _key(head: list[Row], free: list[str], fields: dict[str, str]) -> str | None:
    """The column called true, or a human's, whose cells are the few that the answers are, where no
    column plainly is the key.
    """
    place = fields.get("choice") or fields.get("response")
    if not place or "answer" in fields or inference.column("answer", free):
        return None
    chosen = _words(place, head)
    for name in free:
        human = _OF_HUMAN.search(name) and name != place
        if human and 1 < len(_words(name, head) & chosen) <= _CLASSES:
            return name
    return None


def _words(name: str, rows: list[Row]) -> set[str]:
    """The cells of a column as words."""
    return {str(row.find(name)).strip().casefold() for row in rows}


def _flag(name: str, rows: list[Row]) -> bool:
    """Whether a column has nothing but true and false, and so no text that a model wrote."""
    return _words(name, rows) <= {"true", "false", "none", ""}


def _fixed(head: list[Row], columns: list[str], log: Log) -> dict[str, str]:
    """The caller's fields, without those that are tried and not there."""
    fixed = dict(log.columns)
    for name, place in log.columns.items():
        if name not in _FIELDS and not name.startswith(SCORES):
            raise unknown("field of a record", name, _FIELDS)
        # somewhere in the first rows it must be
        parts = place.split(",") if name == "options" else [place]
        there = all(any(row.find(part) not in (None, "") for row in head) for part in parts)
        if not there and name in log.tried:
            fixed.pop(name)
        # a column of verdicts may have some in later rows
        elif not there and place != DIGEST and not (name in GIVEN and place in columns):
            raise DataError(unknown("column", place, columns).reason, file=head[0].file)
    return fixed


def _by_names(head: list[Row], free: list[str], fixed: dict[str, str], log: Log) -> dict[str, str]:
    """Field -> the column, or part of an object, that is called so; `log.rivals` are verdicts of
    another reading, or another answer.
    """
    guessed: dict[str, str] = {}
    log.rivals = []
    inside = _inside(head[0])
    for field in NAMES:
        # a judge's response or score may be in an object of its own
        names = free if field in ("response", "score") else free + inside
        called = called_so(field, names, head)
        if field == "correct" and not called:
            called = [x for x in inference.named(names, _GRADES) if graded(x, head)]
            called = called or _verdicts(free, head)
        if not called or field in fixed:
            continue
        if field == "correct":
            choice = {**guessed, **fixed}.get("choice")
            repeats = {x for x in names if choice and _alike(x, choice, head)}
            called = [x for x in called if x not in repeats]
            if not called:
                continue
            rivals = [x for x in names if VERDICT.search(x) or x.startswith(f"{called[0]}_")]
            rivals = {*rivals} - repeats - {called[0]}
            log.rivals = [x for x in names if x in rivals and looks_like(x, head) == "correct"]
        guessed[field] = called[0]
    return guessed


def _alike(name: str, other: str, rows: list[Row]) -> bool:
    """Whether a column has, where it has anything, what another one has: it is no verdict on it."""
    filled = [row for row in rows if row.find(name) not in (None, "")]
    equal = [_words(name, [row]) == _words(other, [row]) for row in filled]
    return _varies(other, rows) and sum(equal) > _MOST * len(equal)


def graded(name: str, rows: list[Row]) -> bool:
    """Whether a column has the letters of SimpleQA's grader: A is right, B wrong, C no attempt."""
    letters = {str(row.find(name) or "") for row in rows} - {""}
    return {"A", "B"} <= letters <= {"A", "B", "C"}


def _varies(name: str, rows: list[Row]) -> bool:
    """Whether the cells of a column, or part of one, have several values."""
    return len(_words(name, rows)) > 1


def _last_resort(
    free: list[str], fields: Mapping[str, str], head: list[Row], log: Log
) -> dict[str, str]:
    """Where no column is called a response: `answer` next to another key, or next to a model; an
    answer in another language; or classes.
    """
    key = inference.column("answer", free)
    free = [x for x in free if not _flag(x, head) or x == key or (key and _flag(key, head))]
    cells = {x: head[0].values.get(x) for x in free}
    free = [x for x in free if not isinstance(cells[x], (dict, list)) or any(texts_of(cells[x]))]
    answer = next((name for name in free if name.lower() in ("answer", "answers")), None)
    pairs = (
        (row.values.get("answers"), row.find(key)) for row in head if key not in (None, "answers")
    )
    among = [right in texts for texts, right in pairs if isinstance(texts, list)]
    # a key is always one of the options, and not of answers that were drawn
    if sum(among) < _MOST * len(among):
        return {"response": "answers"}
    alone = answer == key and inference.column("question", free)
    models = not alone or {"model", "correct"} & fields.keys() or _rated(head)
    if answer and (models or _differs(answer, alone, log)):
        return {"response": answer}
    if len(called := answer_columns(free)) == 1:
        return {"response": called[0]}
    names = columns_of(*head)
    files = sum(columns_of(*rows[:1]) == names for rows, _ in log.read.values())
    places = [x for x in names if x != inference.column("id", free)]
    if files > 1 and len(places) == 1 < len(names) and 1 < len(_words(places[0], head)) <= _CLASSES:
        return {} if key else {"response": places[0]}  # ids and labels, and nothing else
    if key:
        classes = {word for word in _words(key, head) if re.search(r"[^\W\d_]{2}", word)}
        for name in free:
            called = name != key and _CLASS.search(name)
            if called and 1 < len(_words(name, head) & classes) <= _CLASSES:
                return {"response": name}
    asked = inference.column("question", free)
    for name in ("content", "message"):
        if name in free and ({"model", "correct"} & fields.keys() or asked not in (None, name)):
            return {"response": name}
    return {}


def _rated(rows: list[Row]) -> bool:
    """Whether answers are next to scores, or to times and errors, that keys do not have."""
    rated = re.compile("(?i)faithful|relevan|fluen|coheren|adequa|helpful|rating")
    asked = re.compile("(?i)latenc|elapsed|error$")
    return any(map(rated.search, scores(rows))) or any(map(asked.search, columns_of(*rows)))


def _differs(name: str, question: str, log: Log) -> bool:
    """Whether files say other answers to the same questions, as models do, and keys do not."""
    answers: dict[str, dict[Path, str]] = {}
    for path, (rows, _) in log.read.items():
        others = [x for x in columns_of(*rows[:1]) if x != name]
        options = inference.column("options", others)
        for row in rows[:LOOKED_AT]:
            if answer := row.find(name):
                asked = f"{row.find(question)} {row.find(options)}"
                answers.setdefault(asked, {})[path] = str(answer)
    several = [{*one.values()} for one in answers.values() if len(one) > 1]
    differ = sum(len(one) > 1 for one in several)
    return differ > max(_FEW, SURE * len(several)) and 2 * differ > len(answers)


def answer_columns(columns: list[str]) -> list[str]:
    """Columns that are called answers in any language: those of a model, else all but the key."""
    key = inference.named(columns, inference.NAMES["answer"])
    called = [x for x in columns if _ANSWER.search(x) and not EXPLAINS.search(x) and x not in key]
    called = [x for x in called if not REFERENCE.match(x) and not _SCORE.search(x)]
    called += [x for x in columns if _CLASS.search(x) and _OF_MODEL.search(x)]
    return [x for x in called if _OF_MODEL.search(x)] or [
        x for x in called if key or _OUTPUT.search(x)
    ]


def _verdicts(columns: list[str], rows: list[Row]) -> list[str]:
    """The only column of marks whose name has a word for right, or else which are right where two
    other columns are equal, whatever its name.
    """
    marks = _marks(columns, rows)
    verdicts = [x for x in marks if VERDICT.search(x)] or _equalities(marks, columns, rows)
    return verdicts if len(verdicts) == 1 else []


def _marks(columns: list[str], rows: list[Row]) -> list[str]:
    """Columns of marks; one value everywhere is no verdict."""
    return [x for x in columns if looks_like(x, rows) == "correct" and _varies(x, rows)]


def _equalities(marks: list[str], columns: list[str], rows: list[Row]) -> list[str]:
    """Columns of marks that are right where two other columns are equal."""
    marks = [x for x in marks if not re.search("(?i)count|exception|error|flag", x)]
    if not marks:
        return []
    frame = pd.DataFrame([{x: str(row.find(x)).strip() for x in columns} for row in rows])
    right = {x: frame[x].str.casefold().map(RIGHT) for x in marks}
    key = inference.column("answer", columns)
    pairs = [*combinations([x for x in columns if x not in marks], 2)]
    pairs = [(x, y) for x, y in pairs if key in (x, y) or _ANSWER.search(x + y)]
    equal = [frame[x] == frame[y] for x, y in pairs if {*frame[x]} & {*frame[y]}]
    # most of all, and most of those that are right
    return [
        x
        for x in marks
        if any(
            (right[x] == one).mean() > _MOST and one[right[x].eq(True)].mean() > SURE
            for one in equal
        )
    ]


def _conversation(row: Row) -> dict[str, str]:
    """Where a list of messages has the last question, and the last answer if it ends with one."""
    for name, cell in row.values.items():
        last = cell[-1] if isinstance(cell, list) and cell else None
        for role, text, asks in _MESSAGES:
            if isinstance(last, dict) and {role, text} <= last.keys():
                fields = {"question": asks}
                if last[role] in _ANSWERS:
                    fields["response"] = last[role]
                return {field: f"{name}.?{role}={x}.-1.{text}" for field, x in fields.items()}
    return {}


def scores(rows: list[Row]) -> list[str]:
    """Columns, or parts of one, in which many rows have a number that is called a score."""
    rows = rows[:LOOKED_AT]
    scored = []
    for name in dict.fromkeys(chain.from_iterable(_leaves(row.values) for row in rows)):
        if _SCORE.search(name) and not _ABOUT.search(name) and name[:1] != "_":
            values = [x for row in rows if (x := row.find(name)) not in (None, "")]
            numbers = all(math.isfinite(as_number(x)) for x in values)
            rows_with = sum(name.partition(".")[0] in row.values for row in rows)
            if 3 * len(values) > rows_with and numbers and len({*map(str, values)}) > 1:
                scored.append(name)
    return scored


def _leaves(fields: Mapping, depth: int = 3) -> Iterator[str]:
    """Columns, or places inside the objects in them."""
    for name, cell in fields.items():
        if isinstance(cell, dict) and depth:
            yield from (f"{name}.{part}" for part in _leaves(cell, depth - 1))
        else:
            yield str(name)


def unused(rows: list[Row], fields: object) -> dict[str, None]:
    """Columns that are called answers or scores, or have verdicts, and are in no field."""
    used = {word.strip() for word in re.split(r"[][{}'\":/,]", repr(fields))}
    used |= {word.partition(".")[0] for word in used}
    filled = [x for x in columns_of(*rows) if any(row.find(x) not in (None, "") for row in rows)]
    left = [name for name in filled if name.strip() not in used and name[:8] != "Unnamed:"]
    called = [name for name in left if _ANSWER.search(name) or _SCORE.search(name)]
    called = [name for name in called if not _ABOUT.search(name)]
    return dict.fromkeys([*called, *_marks(left, rows)])


def answered(fields: Iterable[str]) -> bool:
    """Whether fields of a record have an answer, or what became of it."""
    answers = {"response", "error", "scores", *GIVEN}
    return any(name.partition(".")[0] in answers for name in fields)


def parts_of(name: str, cell: object, field: str | None = None) -> list[tuple[str, dict]]:
    """The answers in a cell, each with its name or the column's."""
    if field:
        return [(name, {field: cell})]
    if isinstance(cell, list):
        pairs = [(name, part) for part in cell]
    elif not isinstance(cell, dict) or called_answers(cell):
        pairs = [(name, cell)]
    else:
        reply = texts_of(cell) or not CALLED.fullmatch(name)
        texts = not reply and all(isinstance(x, (str, type(None))) for x in cell.values())
        pairs = [(key, {"response": x} if texts else x) for key, x in cell.items()]
    called = [isinstance(fields, dict) and _answers_of(fields, name) for _, fields in pairs]
    if any(called):  # a request may have failed
        called = [[mode(names[0] for names in called if names)]] * len(pairs)
    if not all(called):
        return []
    parts = zip(pairs, called, strict=True)
    return [
        # a failed request may have no object
        (label, {"response" if x == names[0] else x: y for x, y in fields.items()})
        for (label, part), names in parts
        for fields in [part if isinstance(part, dict) else {}]
    ]


def _answers_of(fields: dict, name: str) -> list[str]:
    """Names of texts in an object that are answers, also "answer" next to its model, or in a list
    that is called so.
    """
    listed = "model" in fields or inference.named([name], NAMES["response"])
    return called_answers(fields) or ["answer"] * bool("answer" in fields and listed)


def called_so(field: str, columns: list[str], rows: list[Row]) -> list[str]:
    """Columns with a name of a field; one that is called `correct` may have letters, as a key."""
    columns = inference.named(columns, NAMES[field])
    if field == "correct":
        if "error" in columns_of(*rows):  # whether a request was good
            columns = [x for x in columns if x not in ("ok", "success")]
        verdicts = [x for x in columns if looks_like(x, rows) == "correct" or _reasoned(x, rows)]
        # next to a key, one score everywhere is what each question is worth
        keyed = inference.column("answer", columns_of(*rows))
        return [x for x in verdicts if not (keyed and "score" in x.lower()) or _varies(x, rows)]
    if field == "item_id":  # a task may have many questions
        tasks = [(row.file, name) for row in rows if (name := row.find("task_id"))]
        once = len({*tasks}) == len(tasks)
        columns = [x for x in columns if x != "task_id" or once]
    if field == "score":
        columns = [x for x in columns if any(math.isfinite(as_number(row.find(x))) for row in rows)]
    if field == "choice":
        columns = [x for x in columns if any(row.find(x) not in (None, "") for row in rows)]
    if field == "setting":
        columns = [name for name in columns if looks_like(name, rows) != "correct"]
        columns = [x for x in columns if len(_words(x, rows)) <= _SETTINGS]
    return [name for name in columns if not parts_of(name, rows[0].values.get(name))]


def _reasoned(name: str, rows: list[Row]) -> bool:
    """Whether nearly all cells of a column begin with a verdict, and give reasons."""
    cells = [cell for row in rows if (cell := row.find(name)) not in (None, "")]
    if any(math.isfinite(as_number(cell)) for cell in cells):  # a score
        return False
    marks = [marked(cell) for cell in cells]
    return len({*marks} - {None}) > 1 and marks.count(None) < (1 - SURE) * len(marks)


def called_answers(fields: Mapping) -> list[str]:
    """Names of texts that are called as answers are, or end so (`gpt4_response`).

    Where there are such, `long_answer` is a key.
    """
    texts = [
        str(name) for name, x in fields.items() if not isinstance(x, (list, bool)) and texts_of(x)
    ]
    called = [name for name in texts if CALLED.fullmatch(name)]
    return [x for x in called if not re.search(r"(?i)answer(?:[\W_]cot)?$", x)] or called


def looks_like(name: str, rows: list[Row], keys: Collection[str] = ()) -> str | None:
    """What the cells of a column are by their looks: right and wrong, or texts with a label, or, of
    a column such as `answer_gpt4`, keys.
    """
    values = [row.find(name) for row in rows]
    values = chain.from_iterable(x if isinstance(x, list) else [x] for x in values)
    cells = [str(value).strip() for value in values if value not in (None, "")]
    words = {cell.casefold() for cell in cells} - MISSING
    verdicts = words <= RIGHT.keys() and not ANSWER_OF.fullmatch(name)
    if len(words) > 1 and words <= {key.casefold() for key in keys}:
        return "response"  # "yes" where the key says "no"
    if words and verdicts and (words <= {"c", "i"} or words - {"c", "i", "n"}):
        return "correct"
    keys = {key for key in keys if ANSWER_OF.fullmatch(name) or _WORDED.fullmatch(key)}
    labelled = sum(bool(_LABELLED.search(cell)) or cell in keys for cell in cells)
    return "response" if labelled > SURE * len(cells) else None


def crossed(log: Log, files: Collection[Path]) -> tuple[str | None, str | None]:
    """The column of which each question has every value once: runs or samples differ in it, under
    any name; else the one that is called a type, or the like, of which each has every value.
    """
    rows = [row for file, (rows, _) in log.read.items() if file in files for row in rows]
    frame = pd.DataFrame(row.values for row in rows).astype(str)
    about, fields = of_item(columns_of(*rows)), log.guessed
    words = about["question"] or fields.get("item_id")
    names = {"_path", "_file", words, *map(fields.get, ("model", "setting"))}
    asked = [*names.intersection(frame)]
    used = {*fields.values(), *about.values()}
    frame = frame[frame.duplicated(asked, keep=False)]  # other files may have nothing to tell
    questions = max(1, len(frame[asked].drop_duplicates()))
    # as often as each was asked, and fewer than questions
    most = min(questions, len(frame) / questions / SURE)
    few = [name for name in frame if name not in used and 1 < frame[name].nunique() <= most]
    few = [name for name in few if frame[name].str.len().max() <= _SHORT]
    # two together may tell rows apart, of which some are there twice
    groups = chain(((x,) for x in few), combinations(few, 2))
    apart = (group for group in groups if frame.duplicated([*asked, *group]).mean() < _TWICE)
    group = next(apart, ())
    column = group[0] if len(group) == 1 else "/".join(map(part, group))
    pairs = {x: len(frame[[*asked, x]].drop_duplicates()) for x in few if _KIND.search(x)}
    kinds = (x for x in pairs if pairs[x] > SURE * questions * frame[x].nunique())
    return column or None, None if column else next(kinds, None)


def guesses(rows: list[Row]) -> list[tuple[str, str]]:
    """Columns that may be responses or scores, each behind its field, the likeliest first."""
    names = columns_of(*rows)
    taken = of_item(names).values()
    texts = {
        name: "".join(str(row.values.get(name) or "") for row in rows)
        for name in names
        if name not in taken and not EXPLAINS.search(name)
    }
    sizes = {name: len(text) for name, text in texts.items() if re.search(r"[^\W\d_]", text)}
    called = answer_columns([*sizes])
    longest = sorted(sizes, key=lambda name: -sizes[name])
    texts = [("response", name) for name in longest if name not in called]
    numbers = [("score", name) for name in scores(rows)]
    return [*(("response", name) for name in longest if name in called), *numbers, *texts]
