"""The `prepare` functions of some of `data/harnesses/`: fields of a row that no place can say."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from analysis.items.checked_rows import Row, rows
from analysis.items.file_formats import Layout
from analysis.items.options import split_options

BINARY = re.compile(
    "acc|match|mc1|^p?q?em$|^(?:is_)?correct$"
)  # metrics that are 1 for right answers
_LABEL = "label: "  # of OpenCompass: before the option that a perplexity is of
_LETTERS = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z])")


def verdict(metrics: Mapping) -> dict:
    """Right or wrong by the plainest metric that is 0 or 1, else any score."""
    numbers = {name: float(x) for name, x in metrics.items() if isinstance(x, (int, float))}
    truths = [name for name in numbers if isinstance(metrics[name], bool)]
    for name in [*sorted(filter(BINARY.search, numbers), key=len), *truths]:
        if numbers[name] in (0, 1):
            return {"_right": bool(numbers[name])}
    return {"_score": next(iter(numbers.values()), None)}


def lighteval(row: Row) -> dict:
    """Sums of log-likelihoods with their options, and the first metric that says right or wrong."""
    fields = verdict(row.find("metric") or {})
    choices, sums = row.find("doc.choices") or [], row.find("model_response.logprobs") or []
    if len(sums) == len(choices) and not row.find("model_response.text"):
        pairs = zip(choices, sums, strict=True)
        fields["_options"] = [{"text": str(text), "sum": float(value)} for text, value in pairs]
    return fields


def evalscope(row: Row) -> dict:
    """Right or wrong by the metrics of a sample."""
    return verdict(row.find("sample_score.score.value") or {})


def promptfoo(row: Row) -> dict:
    """Its verdict, where anything was asserted."""
    asserted = row.find("gradingResult.reason") != "No assertions"
    return {"_right": row.find("success")} if asserted else {}


def events(file: Path, layout: Layout, problems: list) -> Iterator[Row]:
    """A row a sample of a log of OpenAI evals: the data of its last event of each type, all that
    judges it together, and the specification of the run.
    """
    samples: dict[str, Row] = {}
    run: dict = {}
    for event in rows(file, layout, problems):
        run |= event.values.get("spec") or {}
        name, kind = event.find("sample_id"), event.find("type")
        data = event.find("data")
        if not name or not isinstance(data, dict):
            continue
        about_file = {x: value for x, value in event.values.items() if x.startswith("_")}
        values = about_file | {"sample_id": name, "run": run, "_outcome": {}}
        sample = samples.setdefault(name, Row(values, file, event.line))
        sample.values[kind] = data
        if kind not in ("raw_sample", "sampling"):
            sample.values["_outcome"] |= data
    yield from samples.values()


def openai_evals(row: Row) -> dict:
    """The last message that was sent, and the verdict."""
    asked = row.find("raw_sample.input") or row.find("sampling.prompt")
    if isinstance(asked, list):
        asked = asked[-1].get("content")
    return verdict(row.values["_outcome"]) | {"_question": asked}


def opencompass(row: Row) -> dict:
    """The prompt, the perplexity of each label, and the question with its options as it was asked
    last.
    """
    labels = {
        name.removeprefix(_LABEL): part
        for name, part in row.values.items()
        if name.startswith(_LABEL)
    }
    asked, gold = row.find("origin_prompt"), row.find("gold") or row.find("refr")
    fields: dict = {}
    if labels:
        prediction = str(row.values["prediction"])
        fields = {"_choice": prediction, "_right": gold and prediction == gold}
        # perplexity = mean negative log-likelihood of prompt and answer together
        fields["_perplexity"] = {label: float(part["PPL"]) for label, part in labels.items()}
        first = next(iter(labels.values()))
        asked = first.get("testing input") or first.get("prompt")
    turns = [turn["prompt"] for turn in asked] if isinstance(asked, list) else [asked or ""]
    fields["_prompt"] = "\n".join(turns)
    question, options = turns[-1], {name: name for name in labels}
    parts = split_options(question)
    if parts[1] and len(parts[1]) == len(options or parts[1]):
        question, options = parts
    fields["_question"] = question
    fields["_options"] = {name: one.split("\nAnswer:")[0].strip() for name, one in options.items()}
    letters = _LETTERS.findall(str(gold or ""))
    return fields | {"_letter": letters[0] if len(letters) == 1 else None}
