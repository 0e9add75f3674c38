"""What all importers share: rows of files, and the records and items that become of them."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis import schemas
from analysis.answers import marking
from analysis.errors import DataError
from analysis.items import read as read_items
from analysis.items.checked_rows import Row
from analysis.items.file_formats import Layout
from analysis.items.keys import folded
from analysis.items.values import as_number
from runners import cache

GIVEN = ("choice", "correct", "score")  # what a log says itself of an answer
NAMED = "model revision benchmark item_id setting".split()
_NEEDED = ("model", "benchmark", "item_id")
ASKED = ("prompt", "messages", "params", "turn", "judged")  # parts of a request
KEPT = "response scores finish_reason usage error reasoning turn judged time".split()
_YES = """
    true 1 1.0 100 100.0 c correct yes right pass passed ✓ ✔ ✅ ○ 正确 对 正解 정답 да верно sí
    si sim oui ja evet doğru correcto correto richtig korrekt vrai vero benar đúng
"""
_NO = """
    false 0 0.0 i incorrect no wrong fail failed n not_attempted ✗ ✘ ❌ × 错误 错 不正解 오답 нет
    неверно não nao non nein hayır yanlış incorrecto incorreto falsch faux falso salah
    sai no-response no_response
"""
RIGHT = dict.fromkeys(_YES.split(), True) | dict.fromkeys(_NO.split(), False)
WORDLESS = "(question "  # of which a log has no words
MISSING = {"", "nan", "null", "none"}  # what is written where there is no verdict
SHOWN = 3  # problems that are named
_KEPT = 100_000  # rows
_CHECKPOINTS = ".ipynb_checkpoints"  # where Jupyter keeps copies
_BROKEN_OFF = {"error", "abort", "cancelled"}  # reasons to finish without an answer
_FAILED = re.compile(
    r"\W{0,2}(?:error|exception|traceback|timeout)\b(?:[\s:\])]|\W*$)|\W{0,2}api[ _]error", re.I
)
NO_ANSWER = "empty: the log has no answer"
_MARKED = re.compile(r"(?:####|\bA:)\s*\$?(\S+)\s*$")  # a number behind its solution


class _Collision(DataError):
    """Two outputs, or two questions, under one id."""


@dataclass
class Log:
    """What the caller says about the logs, and what an importer learns from them.

    Attributes
    ----------
    columns : dict
        Field of a record, or one of `GIVEN`, or `question`, `options`, `answer` -> its place
        (`analysis.items.places`), which wins over what a log says: ``{"model": "=gpt-4"}``.
    otherwise : dict
        Field -> its place where neither caller nor log say it.
    layout : Layout
        Of files whose name does not say it.
    samples : bool
        Outputs to the same item of the same run are meant as repeated samples.
    repeats : int, optional
        How many rows had the id of another one, which has a number for each time it comes; None
        where such a row is a problem.
    items : dict, optional
        Receives the items that a log carries, by benchmark and id; None where nobody wants them.
    rows, guessed, problems
        Rows read; how a table's columns were understood; rows that were left out, as
        `DataError`s.
    read, room
        File -> its rows and their problems, of the files that need not be read again; how many
        rows may still be kept.
    rivals, scored, shared
        Columns that have verdicts, too; those that have numbers which are called scores; those that
        are of no run where a row has several.
    most
        How many outputs of each file are wanted; all by default.
    sample
        Some rows of each file that is read, by which a column is recognized in all of them.
    unused
        Columns that are called answers or scores, or have verdicts, of which no use is made.
    by_names
        What is known of files whose columns have the same names.
    texts
        Whether plain text is read next to tables.
    tried
        Fields of `columns` that not the caller says: a file without the column goes without it.
    """

    columns: dict[str, str] = field(default_factory=dict)
    otherwise: dict[str, str] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    samples: bool = False
    repeats: int | None = None
    items: dict | None = None
    rows: int = 0
    guessed: dict = field(default_factory=dict)
    problems: list[DataError] = field(default_factory=list)
    read: dict[Path, tuple] = field(default_factory=dict)
    room: list[int] = field(default_factory=lambda: [_KEPT])
    tried: frozenset[str] = frozenset()
    rivals: list[str] = field(default_factory=list)
    scored: list[str] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    most: int | None = None
    unused: dict[str, None] = field(default_factory=dict)
    sample: list[Row] = field(default_factory=list)
    texts: bool = False
    by_names: dict = field(default_factory=dict)
    _asked: dict = field(default_factory=dict)
    _stored: dict = field(default_factory=dict)

    def stored(self, benchmark: str) -> dict[str, tuple]:
        """The items of a benchmark that is here, by id, with their fields as attributes."""
        if benchmark not in self._stored:
            self._stored[benchmark] = {}
            with suppress(DataError):
                items = read_items(benchmark, problems=[]).itertuples()
                self._stored[benchmark] = {item.item_id: item for item in items}
        return self._stored[benchmark]

    def varied(self, columns: dict[str, str]) -> "Log":
        """Another one with further columns, which holds nothing yet."""
        items = None if self.items is None else {}
        tried = self.tried | (columns.keys() - self.columns.keys())
        otherwise, columns = dict(self.otherwise), columns | self.columns
        kept = {"read": self.read, "room": self.room, "tried": tried, "texts": self.texts}
        return Log(columns, otherwise, self.layout, self.samples, None, items, **kept)

    @property
    def collisions(self) -> list[_Collision]:
        """The problems that are collisions."""
        return [problem for problem in self.problems if isinstance(problem, _Collision)]

    def summary(self, n: int, lost: int = 0) -> Iterator[str]:
        """Lines on how columns were understood, and on what is left out of `n` outputs: rows with
        problems, and `lost` outputs to no question that is here.
        """
        if self.repeats:
            yield f"rows that ask a question again, and count again: {self.repeats:,}"
        if self.guessed:
            turned = "runs" in self.guessed  # the columns that are runs have new names
            pairs = (f"{x} <- {y}" for x, y in self.guessed.items() if not (turned and x == y))
            yield f"read as: {', '.join(pairs)}"
        if self.unused:
            yield f"in no accuracy, though they may be answers or scores: {some([*self.unused])}"
        rows = [problem for problem in self.problems if problem.line or not problem.file]
        reasons = Counter(map(_kind, rows))
        if lost:
            reasons["of no question that is here"] = lost
        if reasons:
            parts = (f"{count:,} {reason}" for reason, count in reasons.most_common())
            every = f" of {n + len(rows):,}"
            if n > self.rows:  # a row may have several outputs
                every = ", rows left out"
            yield f"n = {n - lost:,}{every}: {'; '.join(parts)}"
            yield from (f"  {str(problem).splitlines()[0]}" for problem in rows[:SHOWN])
        unread: dict[str, list[Path]] = {}
        for problem in self.problems:
            if problem.file and not problem.line:
                unread.setdefault(problem.reason.splitlines()[0], []).append(problem.file)
        yield from (f"not read: {names_of(paths)}: {reason}" for reason, paths in unread.items())

    def record(self, form: str, row: Row, fields: dict) -> dict:
        """A record; the same item, model and turn again counts as a further sample.

        Parameters
        ----------
        fields
            Those of `NAMED`, `ASKED` and `KEPT`; `given`, what the log says of the answer; `item`,
            what it says about the question.

        Raises
        ------
        DataError
            Where model, benchmark or id are not said, and for a `_Collision`.
        """
        names = {name: self._name(name, row, fields) for name in NAMED}
        item, item_id = fields.get("item"), names["item_id"]
        for time in itertools.count(2):
            request = {"runner": f"import/{form}"} | names
            request["revision"] = names["revision"] or "unspecified"
            request |= {name: fields[name] for name in ASKED if fields.get(name)}
            try:
                order = item and self._keep(row, request, item)
                request["sample"] = self._sample(row, request, "epoch" in fields)
                break
            except _Collision:
                if self.repeats is None:
                    raise
                self.repeats += time == 2
                names["item_id"] = f"{item_id}#{time}"
        given = fields.get("given", {})
        given |= {name: row.find(self.columns[name]) for name in GIVEN if name in self.columns}
        kept = {name: fields[name] for name in KEPT if name in fields}
        verdict = _verdict(row, given) | ({"order": order} if order else {})
        if "correct" in verdict and self.rivals:
            words = {name: str(row.find(name)).strip().casefold() for name in self.rivals}
            verdict["others"] = {name: RIGHT.get(word) for name, word in words.items()}
        kept |= {"setting": names["setting"], "given": verdict or None}
        broken_off = str(kept.get("finish_reason")) in _BROKEN_OFF
        text = kept.get("response")
        text = str(text or "text").strip("\0 \t\r\n")
        if (broken_off or not text or _FAILED.match(text)) and not kept.get("error"):
            kept["error"] = "unfinished: the log's answer broke off, or holds no text"
        scores = {name: round(as_number(row.find(name)), 9) for name in self.scored} or None
        return cache.record(request, **kept) | {"file": row.file, "scored": scores}

    def _name(self, name: str, row: Row, fields: Mapping) -> str | None:
        """What the caller says, else the log; an error where a record needs it and nobody does."""
        place = self.columns.get(name)
        value = row.find(place) if place else fields.get(name)
        if isinstance(value, dict):  # a model with its settings
            value = value.get("name")
        if value in (None, ""):
            value = row.find(self.otherwise.get(name))
        if value not in (None, ""):
            return str(int(value) if isinstance(value, float) and value.is_integer() else value)
        if name in _NEEDED:
            reason = f"the log does not say which {name}: say it with --map {name}==NAME, "
            raise row.error(f"{reason}or by the file's name with {{_stem}}", place or name)
        return None

    def _sample(self, row: Row, request: Mapping, numbered: bool) -> int:
        """How often the same was asked before; asked in another row without words, in other words
        or in another file it is a collision, unless the log numbers its repetitions.
        """
        words = request.get("messages") or request.get("prompt")
        asked = [request.get(name) for name in (*NAMED, "turn", "judged", "params")]
        words = words and hash(repr(words))
        before = self._asked.setdefault(hash(repr(asked)), [])
        if before and not self.samples:
            other_words, file, line = before[-1]
            again = words == other_words if words else line == row.line
            if file != row.file or not (again or numbered):
                name = ", ".join(filter(None, map(request.get, ("item_id", "model", "setting"))))
                raise _Collision(name, file=row.file, line=row.line, field="item_id")
        before.append((words, row.file, row.line))
        return sum(words == others for others, _, _ in before) - 1

    def _keep(self, row: Row, request: Mapping, item: Mapping) -> list[str] | None:
        """Keep the question of a row where items are wanted; where it is here with its options in
        another order, the labels there of the row's options.
        """
        place = benchmark, item_id = request["benchmark"], request["item_id"]
        there = self.stored(benchmark).get(item_id)
        kept = (self.items or {}).get(place)
        texts = kept["options"] if kept else there and list(there.options)
        shown, order = item["options"], None
        if texts and texts != shown and sorted(texts) == sorted(set(shown)):
            labels = schemas.labels(len(texts))
            order = [labels[texts.index(text)] for text in shown]
            key = dict(zip(labels, order, strict=True)).get(item["answer"])
            item = {**item, "options": texts, "answer": key}
        if self.items is None:
            return order
        kept = self.items.setdefault(place, {**item, "item_id": item_id})
        # the caller's ids hold, whatever the words
        named = "item_id" in self.columns.keys() - self.tried
        same = ("answer",) if item["asked"] or named else ("question", "options", "answer")
        about = [one["metadata"] for one in (kept, item)]
        if not kept["question"].startswith(WORDLESS):  # a reference may have other words
            about = [one if "answer_type" in one else {} for one in about]
        keys = [one.get("answers") for one in about]
        if keys[0] != keys[1] or any(kept[name] != item[name] for name in same):
            reason = f"item {item_id!r} was another question before"
            raise _Collision(reason, file=row.file, line=row.line, field="item_id")
        return order


def _kind(problem: DataError) -> str:
    """The reason of a problem without what differs from row to row."""
    if isinstance(problem, _Collision):
        return "with the id of another row"
    reason = re.sub(r"(?s)\(value.*|; there are.*|'.*'|\n.*", "", problem.reason).strip()
    return f"{problem.field or 'row'} {re.sub(r'[0-9]+', 'N', reason)}"


def _verdict(row: Row, given: Mapping) -> dict:
    """What a log says in one shape: `choice` (text, a list of texts, or None), `correct` (a truth),
    `score` (a number).
    """
    verdict: dict = {}
    if "choice" in given:
        choice = given["choice"]
        if choice is not None and not isinstance(choice, (list, tuple)):
            choice = str(choice)
        verdict["choice"] = choice or None
    word = str(given.get("correct")).strip().casefold()
    if word not in MISSING:
        verdict["correct"] = marked(word)
        if verdict["correct"] is None:
            raise row.error(f"is neither right nor wrong (value {word[:60]!r})", "correct")
    score = as_number(given.get("score"))
    if math.isfinite(score):
        verdict["score"] = round(score, 9)  # a mean of ones may be a little more
    return verdict


def marked(verdict: object) -> bool | None:
    """Whether a verdict says right or wrong, which may have its reasons behind it."""
    word = str(verdict).strip().casefold()
    # "no." may begin an answer
    first = re.match(r"\W*([^\W\d]{3,})[*\]]*\s*(?:[(.;\n—–-]|$)", word)
    return RIGHT.get(word, RIGHT.get(first[1]) if first else None)


def item(
    question: object = None,
    options: Iterable[object] | Mapping = (),
    gold: object = None,
    asked: object = False,
    **more: object,
) -> dict | None:
    """What a log says about a question, as an item; None where there is no text.

    Parameters
    ----------
    options : iterable or mapping
        Texts; a mapping has labels as its names.
    gold : object
        A label, the index of an option from 0, the text of one, or a list of them; a number where
        there are no options. What is none of these is kept as `reference`.
    asked
        Whether the text is what a model was asked, with its template, and so may differ between
        models.
    more
        `language`, `subject`, `category`, and what else is metadata.
    """
    if not isinstance(question, str) or not question.strip():
        return None
    names = []
    if isinstance(options, Mapping):
        names, options = list(map(str, options)), options.values()
    texts = [str(one).strip() for one in options]
    texts = texts if len(texts) > 1 and all(texts) else []
    about = {name: more.pop(name, None) for name in ("language", "subject", "category")}
    metadata = {name: value for name, value in more.items() if value is not None}
    golds = gold if isinstance(gold, (list, tuple)) else [gold]
    golds = [one for one in golds if one is not None]
    right = [label_of(one, texts, names) for one in golds]
    if None in right:
        key = golds[0] if len(golds) == 1 else golds
        metadata |= (not texts and number_key(key)) or {"reference": key}
    elif len(right) > 1:
        metadata |= {"answer_type": "set", "answers": right}
    about |= {"question": question, "options": texts, "metadata": metadata, "asked": asked}
    return about | {"answer": right[0] if len(right) == 1 else None}


def scale(scores: Collection[float]) -> dict[str, int]:
    """The lowest and the highest score that such scores may be from."""
    low, high = math.floor(min(scores)), math.ceil(max(scores))
    return {"low": low, "high": max(high, low + 1)}


def number_key(key: object) -> dict:
    """What an item's metadata says of a key that is a number, also behind its solution as
    ``#### 18`` or ``A: 18``; nothing of others.
    """
    text = str(key)
    marked = _MARKED.search(text)
    number = re.sub(r"\.0+$", "", marked[1] if marked else text)
    if marking.value(number) is None:
        return {}
    return {"answer_type": "number", "answers": [number]}


def label_of(gold: object, options: list[str], names: Iterable[str] = ()) -> str | None:
    """The label of the option that `gold` names: by an index from 0, its label (in `names`, or A,
    B, ...), or its text.
    """
    labels = schemas.labels(len(options))
    if isinstance(gold, bool) or not options:
        return None
    text = str(gold).strip()
    if not isinstance(gold, int):
        for texts in (names, labels, options):
            plain = [name.strip() for name in texts]
            if plain.count(text) == 1:
                return labels[plain.index(text)]
        if folded(text) in labels:
            return folded(text)
    return labels[int(text)] if text.isdecimal() and int(text) < len(options) else None


def unnumbered(item_ids: pd.Series) -> pd.Series:
    """Ids without the number that `Log.repeats` gave to those that came again."""
    return item_ids.str.replace(r"#\d+$", "", regex=True)


def part(place: str) -> str:
    """A place as a part of another one."""
    return place if "{" in place else f"{{{place}}}"


def some(names: list[str], most: int = 2 * SHOWN) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def names_of(paths: list[Path]) -> str:
    """The names of some files, and how many more there are."""
    return some([path.name for path in paths], SHOWN)


def files(source: Path, patterns: Iterable[str] = ("*",)) -> list[Path]:
    """`source` itself, or the files of a folder that fit the first pattern that any fits."""
    if source.is_file():
        return [source]
    for pattern in patterns:
        paths = (path for path in source.rglob(pattern) if _CHECKPOINTS not in path.parts)
        if fitting := sorted(path for path in paths if path.is_file()):
            return fitting
    absent = f"holds no {' or '.join(patterns)}"
    raise DataError(absent if source.exists() else "no such file or folder", file=source)
