"""A description guessed from a data file's own columns, for a file that nobody has described yet;
what is not plain is asked for.

What is guessed is said, and can be written down (`text`) and corrected.
"""

import functools
import itertools
import re
import unicodedata
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import yaml

from analysis import schemas, written
from analysis.errors import DataError
from analysis.items import checked_rows, file_formats
from analysis.items.checked_rows import Row, fault
from analysis.items.descriptions import described
from analysis.items.keys import folded, key_of
from analysis.items.options import options_of

_LOOKED_AT = 200  # rows
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[ _-][^\W\d_]+){0,3}")
_MANY = 20  # rows that do not have one key by chance
_LONGEST = 20  # characters of a key of letters
_SETS = 3  # keys of several letters, that are not so by chance
_MOST = 0.9  # share of rows that must bear out what a key means
# field -> names of columns that say it, the plainest first; compared without case, spaces and signs
NAMES = {
    "id": """item_id id question_id questionid qid custom_id instance_id example_id query_id
    problem_id doc_id index idx number no uid sample_id question_number question_no qnum ids""",
    "question": """question question_text question_body problem_text user_question query prompt
    problem stem input instruction text sentence description content claim statement frage
    pregunta pergunta domanda pytanie otázka вопрос питання soru सवाल प्रश्न سوال سؤال 问题 問題 题目
    질문 문제 pertanyaan soalan soal ulaz câu_hỏi vraag fråga spørgsmål spørsmål kysymys küsimus
    jautājums klausimas pitanje vprašanje въпрос întrebare kérdés ερώτηση galdera swali שאלה
    คำถาม প্রশ্ন கேள்வி ప్రశ్న inputs problem_statement question_stem user_prompt user_query
    ques q user_input questions""",
    "passage": "passage paragraph article",
    "options": """options choices candidates endings alternatives answers optionen opciones opções
    opzioni варианты варіанти seçenekler विकल्प گزینه_ها الخيارات 选项 選択肢 선택지 보기 pilihan""",
    # those that a model's answer may have, too, come last
    "answer": """gold gold_answer gold_label answer_key answerkey correct_answer correct_option
    correct_choice correct_key correct_label correct_letter correct_ans standard_answer
    right_answer expected_answer true_answer true_label ground_truth gt reference_answer
    reference target ground_truth_answer answer_index answer_idx gold_index gold_idx
    correct_index correct_idx gold_option gold_choice gt_answer true_answers target_answer
    correct_answer_index label_index answer key correct label solution answers lösung loesung
    richtige_antwort respuesta_correcta resposta_correta gabarito risposta_corretta solucion
    solución expected poprawna_odpowiedź правильный_ответ правильна_відповідь doğru_cevap
    सही_उत्तर پاسخ_صحیح golds truth true true_value
    الإجابة_الصحيحة 正确答案 答案 正解 정답 jawaban_benar kunci_jawaban kunci đáp_án
    expected_output gold_ans answer_label answer_letter correct_choice_label
    jawapan juiste_antwoord rätt_svar korrekt_svar riktig_svar oikea_vastaus točan_odgovor
    tačan_odgovor správná_odpověď správna_odpoveď правилен_отговор răspuns_corect helyes_válasz
    σωστή_απάντηση jibu_sahihi תשובה_נכונה เฉลย คำตอบ সঠিক_উত্তর சரியான_விடை సరైన_సమాధానం
    ref_answer actual_answer cop answer_number 标准答案 参考答案 references labels
    targets gold_answers gold_labels ground_truths correct_answers ideal ideal_answer
    golden_answer golden_answers golden""",
    "subject": "subject subject_name topic subdomain subcategory category domain src task field",
    "category": "category domain field",
    "language": "language lang locale",
}
# A column for each option: A, option_a, choice1, opa, "Choice 1", answer_b ...
_PREFIXES = (
    "",
    *"""option choice opt op answer ans candidate ending opcion opción opcao opção alternativa
    opzione antwort réponse вариант відповідь opcja seçenek şık opsi pilihan विकल्प گزینه خيار
    选项 選択肢 선택지 보기""".split(),
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SERIES = (_LETTERS, "123456789", "0123456789")
_KINDS = ("text", "label", "index", "number")  # of keys, in the order tried
_SEPARATORS = ("\n", "||", "|", ";", "\t")


def text(fields: Mapping) -> str:
    """A description as written in `benchmark.yaml`."""
    return yaml.safe_dump(dict(fields), allow_unicode=True, sort_keys=False)


def guessed(
    file: Path, left_out: Collection[str] = (), rows: list[Row] | None = None, **given: object
) -> dict:
    """Fields of the description of a file with one row a question.

    Parameters
    ----------
    rows : list of Row, optional
        Its first rows, where the caller has them.
    left_out : collection of str
        Columns of which nothing is guessed.
    **given
        Fields of a description that the caller knows; they are not guessed.

    Raises
    ------
    DataError
        Where question or options or key cannot be told, with the columns there are.
    """
    rows = rows or _rows(file, given)
    if not rows:
        raise DataError("holds no objects", file=file, field="question")
    filled = dict.fromkeys(
        name for row in rows for name, value in row.values.items() if value not in (None, "")
    )
    columns = [x for x in filled if x not in left_out and str(x)[:1] != "_"]
    fields = {"files": file.name, **_named(rows, columns), **given}
    if "question" not in fields:
        others = ", ".join(map(str, columns)) or "none of any other use"
        reason = f"no column is plainly the question; there are: {others}"
        raise DataError(reason, file=file, field="question")
    if "options" not in given:
        fields |= _options(rows, columns, fields)
    key = given.get("answer", column("answer", columns))
    return fields | _answer(rows, fields, key) if isinstance(key, str) else fields


def _named(rows: list[Row], columns: list[str]) -> dict:
    """Fields that a column says by its name."""
    fields = {name: column(name, columns) for name in ("id", "subject", "language")}
    fields["category"] = column("category", [x for x in columns if x != fields["subject"]])
    if len({str(row.values.get(fields["id"])) for row in rows}) < len(rows):
        fields["id"] = None
    if fields["language"]:
        fields["language"] = {"place": fields["language"]}
    cells = rows[0].values.items()
    inside = [
        f"{x}.{y}" for x, cell in cells if x in columns and isinstance(cell, dict) for y in cell
    ]
    texts = [x for x in (*columns, *inside) if any(isinstance(row.find(x), str) for row in rows)]
    question, passage = column("question", texts), column("passage", texts)
    asked = named(texts, "instruction")
    if asked and question in named(texts, "input"):  # which may be empty
        question, passage = asked[0], question
    fields["question"] = [passage, question] if question and passage else question
    return {name: place for name, place in fields.items() if place}


def column(field: str, columns: Collection[str]) -> str | None:
    """The column that plainly says a field, by its name."""
    return next(iter(named(columns, NAMES[field])), None)


def named(columns: Collection[str], names: str) -> list[str]:
    """The columns (or parts of one) that have one of the names, the plainest first."""
    ends = {name: str(name).rpartition(".")[2] for name in reversed(columns)}
    # "Accuracy (0-4)" is Accuracy
    plain = {_plain(re.sub(r"\(.*?\)", "", end)): name for name, end in ends.items()}
    return [plain[word] for word in map(_plain, names.split()) if word in plain]


@functools.cache
def _plain(name: str) -> str:
    """A name without case, spaces, signs and marks over its letters, in one form of Unicode."""
    return re.sub(r"\W|_", "", unicodedata.normalize("NFKD", name)).casefold()


def _rows(file: Path, given: Mapping) -> list[Row]:
    """The first rows of a file."""
    layout = {name: given[name] for name in file_formats.Layout.model_fields.keys() & given.keys()}
    rows = checked_rows.rows(file, written.check(layout, file_formats.Layout), [])
    return list(itertools.islice(rows, _LOOKED_AT))


def series(columns: Collection[str]) -> list[str]:
    """Columns of the options in order, where each has one."""
    for word, labels in itertools.product(_PREFIXES, _SERIES):
        pattern = re.compile(rf"(?i){word}[ _-]?(\w)")
        matches = filter(None, map(pattern.fullmatch, map(str, columns)))
        named = {match[1].lower(): match[0] for match in matches}
        run = list(itertools.takewhile(named.__contains__, labels))
        if len(run) >= 2 and (word or labels == _LETTERS):
            return [named[label] for label in run]
    return []


def _options(rows: list[Row], columns: list[str], fields: dict) -> dict:
    """The field `options` in the form in which most rows have some; nothing where no form fits."""
    named, place = series(columns), column("options", columns)
    forms = [named, {"columns": named, "empty": "skip"}] if named else []
    if place:
        forms += [{"place": place, "labelled": True}, place, {"place": place, "empty": "skip"}]
        forms += [{"place": place, "separator": separator} for separator in _SEPARATORS]
    forms.append({"inside": True})
    shares = [_share(rows, fields | {"options": form, "answer": None}) for form in forms]
    best = max(shares)
    return {"options": forms[shares.index(best)]} if best > 0.5 else {}


def _answer(rows: list[Row], fields: dict, name: str) -> dict:
    """The field `answer`, and labels as `options` where keys are labels of texts that are nowhere.

    What kind of key the column has is the kind of which most rows have one. One number or text for
    many rows is no key: it may say how many answers there are.
    """
    cells = (row.find(name) for row in rows)
    keys = {folded("" if cell is None else cell) for cell in cells}
    words = sorted(keys - {""})
    spec = {"place": name} | ({"otherwise": None} if "" in keys else {})
    sets = [_letters(word) for word in words]
    if sum(map(bool, sets)) > _MOST * len(sets) and sum(len(one) > 1 for one in sets) >= _SETS:
        labels = schemas.labels(max(4, ord(max(itertools.chain(*sets))) - 64))
        texts = {} if "options" in fields else {"options": {"labels": labels}}
        return texts | {"answer": spec, "answer_type": "set"}
    if "options" not in fields:
        if words and all(re.fullmatch("[A-J]", word) for word in words):
            words = schemas.labels(max(4, ord(words[-1]) - 64))
        # a few words that are the keys of many rows are the options of each
        elif not 1 < len(words) <= len(rows) / 10 or not all(map(_WORDS.fullmatch, words)):
            constant = len(words) < 2 and len(rows) >= _MANY
            return {} if constant else {"answer": {"place": name, "as": "value"}}
        return {"options": {"labels": words}, "answer": name}
    shares = {kind: _share(rows, fields | {"answer": spec | {"as": kind}}) for kind in _KINDS}
    kind = max(_KINDS, key=shares.get)
    if fields["options"] == {"inside": True} and not shares[kind]:
        fields.pop("options")  # letters in the text, but no key is one of them
        return _answer(rows, fields, name)
    if kind == "label" or shares[kind] <= _MOST:
        return {"answer": spec if "" in keys else name}
    if kind == "index" and shares["index"] == shares["number"]:
        reason = f"keys from 0 or from 1? Describe {{place: {name}, as: index}} or as: number"
        raise DataError(reason, file=rows[0].file, field=name)
    return {"answer": spec | {"as": kind}}


def _letters(key: str) -> list[str]:
    """The labels of a key that has some in their order, such as "ACD" or "A和C"."""
    labels = re.findall("[A-Z0-9]", key)
    ordered = labels == sorted({*labels} & {*"ABCDEFGHIJ"})
    return labels if ordered and len(key) <= _LONGEST else []


def _share(rows: list[Row], fields: dict) -> float:
    """Share of the rows whose options and key can be read as a description says."""
    description, readable = described(fields, rows[0].file), 0
    place = description.question[-1].place
    for row in rows:
        with suppress(DataError):
            parts = options_of(row, description, str(row.find(place) or ""))
            key_of(row, description, parts)
            in_order = parts.labels == schemas.labels(len(parts.options))
            complete = len(parts.options) > 1 and not any(map(fault, parts.options))
            readable += complete and (in_order or not description.options.labelled)
    return readable / len(rows)
