"""lm-evaluation-harness: samples written with `--log_samples`, JSON Lines or (0.4.0) one array;
numbers may be text (since 0.4.3).

Log-likelihoods are sums over each continuation's tokens, which is all that such a log has. Model,
revision and setting are in the file of results next to the samples.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from analysis.items import checked_rows, inference
from analysis.items.checked_rows import Row
from analysis.items.file_formats import TABLE, Layout, decode
from runners.importers.base import label_of
from runners.importers.harnesses import BINARY, verdict

_TASK = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl?$")


def rows(file: Path, layout: Layout, problems: list) -> Iterator[Row]:
    """Documents with their task and run. The same document under a further filter is the same
    output and left out.
    """
    run = {} if _TASK.search(file.name) or file.suffix != ".json" else _document(file)
    documents = set()
    facts: dict[str, dict] = {}
    for row in checked_rows.rows(file, layout, problems):
        task = row.find(TABLE) or next(iter(run.get("samples") or [""]))
        document = task, row.find("doc_id")
        if row.find("doc_id") is None or document not in documents:
            documents.add(document)
            if task not in facts:
                facts[task] = _facts(file, task, run)
            yield replace(row, values=row.values | facts[task])


def _document(file: Path) -> dict:
    """A JSON object; nothing where it is none."""
    value = decode(file.read_bytes(), file) if file.is_file() else {}
    return value if isinstance(value, dict) else {}


def _facts(file: Path, task: str, run: dict) -> dict:
    """The task as the run calls it, and what the run was: by the results with the samples, or next
    to them, of the same time.
    """
    if not task:
        named = _TASK.search(file.name)
        task, time = named.groups() if named else (file.stem, None)
        run = _document(file.with_name(f"results_{time}.json" if time else "results.json"))
        ends = [name for name in run.get("results") or {} if task.endswith(name)]
        task = max(ends, key=len, default=task)
    config = run.get("config") or {}
    model = re.search(r"(?:pretrained|model)=([^,]+)", str(config.get("model_args")))
    shots = (run.get("n-shot") or {}).get(task)
    return {
        "task": task,
        "_model": run.get("model_name") or (model and model[1]),
        "_revision": config.get("model_sha") or config.get("model_revision") or None,
        "_setting": None if shots is None else f"{shots}-shot",
    }


def prepare(row: Row) -> dict:
    """What went in and came out, the log's own verdict, and the question."""
    answers = row.values["resps"]
    asked = [_argument(row, number) for number in range(len(answers))]
    named = row.find("metrics") or ()
    marks = {
        name: value for name, value in row.values.items() if name in named or BINARY.search(name)
    }
    fields = verdict(marks) | _question(row, asked)
    if all(isinstance(one[0], list) and str(one[0][-1]) in ("True", "False") for one in answers):
        pairs = zip(asked, answers, strict=True)
        sums = [{"text": words[1], "sum": float(one[0][0])} for words, one in pairs]
        return fields | {"_options": sums}
    texts = [text for one in answers for text in one]
    if not all(isinstance(text, str) for text in texts):
        raise row.error("is neither text nor a log-likelihood", "resps")
    if len(asked[0]) > 1 and isinstance(asked[0][1], dict):
        fields["_params"] = asked[0][1]
    return fields | {"_texts": texts}


def _argument(row: Row, number: int) -> list:
    """What went in: a list of lists, or (since 0.4.3) `{"gen_args_0": {"arg_0": ...}}`."""
    given = row.values["arguments"]
    if isinstance(given, list):
        return given[number]
    one = given[f"gen_args_{number}"]
    return [one[name] for name in sorted(one)]


def _question(row: Row, asked: list[list]) -> dict:
    """Question, options and key, from the document, or from what was asked."""
    doc = row.find("doc") or {}
    names = list(doc)
    question, answer = (inference.column(field, names) for field in ("question", "answer"))
    columns = [doc[name] for name in inference.series(names)]
    options = doc.get("choices") or doc.get("options") or columns
    if isinstance(options, Mapping):
        options = options.get("text") or list(options.values())
    texts = [one[1].strip() for one in asked if len(one) > 1 and isinstance(one[1], str)]
    if not isinstance(options, list) or (texts and len(texts) != len(options)):
        options = texts
    # the target may be a text that was scored, and the document's key the label
    golds = [_plain(row.find("target")), _plain(doc.get(answer))]
    gold = next((one for one in golds if label_of(one, options)), golds[0])
    prompt = asked[0][0]
    return {
        "_prompt": prompt,
        "_question": doc.get(question, prompt),
        "_shown": options,
        "_gold": gold,
    }


def _plain(value: object) -> object:
    """`" B"` and `"1"` as the label and the number that they are."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    return int(text) if text.isdecimal() else text
