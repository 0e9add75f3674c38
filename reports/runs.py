"""A page for each cached run: coverage, scores, how its responses were read, raw outputs."""

import json
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from analysis import paths
from analysis.answers import label, once, pooled, stored, usual
from analysis.errors import DataError
from analysis.explore.safe_text import to_html, visible
from analysis.explore.spans import found as decided
from analysis.items import describe
from analysis.outputs.json_lines import records
from analysis.results import one_run, trust
from reports.templates import html_table
from runners import cache, status
from runners.judge import SUFFIX

SHOWN = 3  # raw outputs shown of each kind
_KINDS = ("No choice found", "Wrong", "Correct", "Without a key")
_COLUMNS = "revision runner finish_reason time turn".split()
# fields of a request that are a question's or the run's, not its settings
_NO_SETTING = (
    *("messages", "prompt", "question", "options", "item_id", "candidates"),
    *("benchmark", "model", "revision", "runner"),
)


@dataclass(frozen=True)
class Run:
    """One cache file: a model's outputs to a benchmark."""

    benchmark: str
    model: str
    page: str
    file: Path
    request: dict


def listed() -> list[Run]:
    """Every cached run, by benchmark and model."""
    runs = []
    for path in cache.files():
        if record := next(records(path), None):
            plain = re.sub(r"[^A-Za-z0-9]+", "-", f"{path.parent.name}-{path.stem}")
            page = f"run-{len(runs) + 1:03d}-{plain[:80]}.html"
            runs.append(Run(record["benchmark"], record["model"], page, path, record["request"]))
    return runs


def context(run: Run) -> dict:
    """What the template needs of one run.

    A part is one revision and setting: scores are never mixed over them. A run that cannot be read
    or scored gets a page that says why; the others' pages do not depend on it.
    """
    settings = {name: value for name, value in run.request.items() if name not in _NO_SETTING}
    page = {
        "benchmark": run.benchmark,
        "name": run.model,
        "model": visible(run.model),
        "page": run.page,
        "request": visible(json.dumps(settings, ensure_ascii=False)),
    }
    try:
        return page | _context(run)
    except Exception as error:  # whatever a file of outputs holds, it stops no other page
        note = f"This run cannot be shown: {failed(f'{run.benchmark}, {run.model}', error)}"
        with open(run.file, "rb") as handle:
            return page | {"note": note, "parts": [], "n": sum(1 for _ in handle), "failed": True}


def failed(what: str, error: Exception) -> str:
    """Why something has no page, for the page in its place; said on standard error, too."""
    reason = f"{type(error).__name__}: {error}"
    print(f"{what}: {reason}", file=sys.stderr)
    return visible(reason[:500])


def _context(run: Run) -> dict:
    items, note = _items(run.benchmark)
    outputs = cache.own(run.benchmark, _COLUMNS, run.file)
    answers = pd.DataFrame({"setting": []})
    if items is not None and len(outputs):
        answers = answers_of(run.benchmark, [run.model])
    parts = []
    for setting, part in outputs.groupby(pooled(outputs)["setting"], sort=False):
        mine = answers[answers["setting"].isin(part["setting"])]
        facts = {"setting": visible(setting), **_facts(part, items)}
        parts.append(facts | _read(run.benchmark, part, items, mine))
    return {"note": note, "parts": parts, "n": len(outputs)}


def answers_of(benchmark: str, models: list[str]) -> pd.DataFrame:
    """Stored answers by every method; what is left out of them is counted on the pages."""
    with warnings.catch_warnings(action="ignore"):
        return stored.texts_as("str", stored.read(benchmark, models, stored.EVERY))


def _items(benchmark: str) -> tuple[pd.DataFrame | None, str]:
    """A benchmark's items, None where they cannot be had, and what a reader must know of them."""
    if benchmark.endswith(SUFFIX):
        answered = benchmark.removesuffix(SUFFIX)
        return None, (
            f"A judge's texts about answers to {answered}: scores are read from them on its page."
        )
    try:
        questions = stored.questions(benchmark)
    except DataError as error:
        items, note = None, f"Scores need the benchmark's files: {error}"
    else:
        items, problems, note = questions.items, questions.problems, ""
        if problems:
            lost = f"{len(problems)} rows of the benchmark's files cannot be read"
            note = f"{lost} and are left out, the first: {problems[0]}."
    return items, note.replace(f"{paths.benchmarks()}/", "")


def _facts(outputs: pd.DataFrame, items: pd.DataFrame | None) -> dict:
    """Where a part comes from, and what became of its requests."""
    first, last = outputs["time"].min()[:10], outputs["time"].max()[:10]
    expected = None if items is None else len(items)
    counts = status.coverage([outputs], lambda _: expected, ["benchmark"])
    return {
        "n": len(outputs),
        "revision": visible(", ".join(outputs["revision"].unique())),
        "runner": ", ".join(outputs["runner"].unique()),
        "time": first if first == last else f"{first} to {last}",
        "coverage": html_table(counts[status.COUNTS].rename(columns=str.capitalize)),
    }


def _read(
    benchmark: str, outputs: pd.DataFrame, items: pd.DataFrame | None, answers: pd.DataFrame
) -> dict:
    """Scores and samples of one revision and setting."""
    if items is None:
        return {"samples": [_group("Outputs", outputs, _sample)]}
    first = once(outputs).drop_duplicates("item_id")  # later samples are not shown
    listed = first[first["item_id"].isin(items["item_id"])]
    part = {"repeated": len(outputs) - len(first), "strange": len(first) - len(listed)}
    if answers.empty:
        return part | {"samples": [_group("Outputs", listed, _sample)]}
    answers = answers.drop_duplicates(["item_id", "method"])
    method = trust.choose(answers, next(iter(usual(describe(benchmark)) or {}), None))
    part |= _scored(answers, items, method)
    return part | {"samples": _samples(listed, items, answers, method)}


def _scored(answers: pd.DataFrame, items: pd.DataFrame, method: str) -> dict:
    """Scores by each method that reads the responses, and what must be said of the others."""
    gate = trust.gate(answers, trust.chance(items)).set_index("method", drop=False)
    sentences = gate["note"].to_dict()
    part = {
        "gate": sentences.pop(method),
        "others": [sentence for sentence in sentences.values() if sentence],
        "reasons": html_table(one_run.reasons(answers)),
    }
    trusted = answers[answers["method"].isin(gate.index[gate["trusted"]])]
    if trusted["correct"].isna().all():
        return part
    return part | {"scores": html_table(one_run.score_table(one_run.scores(trusted)))}


def _samples(
    outputs: pd.DataFrame, items: pd.DataFrame, answers: pd.DataFrame, method: str
) -> list[dict]:
    """A few raw outputs of each kind; what the method does not read comes first."""
    main = answers[answers["method"] == method].set_index("item_id")
    choice, correct = main["choice"], main["correct"].astype("float")
    tests = [choice.isna(), correct.eq(0), correct.eq(1)]
    kinds = pd.Series(np.select(tests, _KINDS[:3], _KINDS[3]), index=main.index)
    questions, by_item = items.set_index("item_id"), dict(list(answers.groupby("item_id")))

    def sample(row: dict) -> dict:
        return _sample(row, questions.loc[row["item_id"]], by_item[row["item_id"]])

    kind_of = outputs["item_id"].map(kinds)
    groups = [(kind, outputs[kind_of == kind]) for kind in _KINDS]
    return [_group(f"{kind}: {len(part):,}", part, sample) for kind, part in groups if len(part)]


def _group(title: str, part: pd.DataFrame, sample: Callable[[dict], dict]) -> dict:
    """A few outputs, spread evenly over a run."""
    step = max(len(part) // SHOWN, 1)
    rows = part.iloc[::step].head(SHOWN).to_dict("records")
    return {"title": title, "rows": [sample(row) for row in rows]}


def _sample(row: dict, item: pd.Series | None = None, answers: pd.DataFrame | None = None) -> dict:
    """One raw output as text that does nothing, its choice marked."""
    text, spans, key, choices = row["response"], (), "", ""
    if item is not None:
        texts, methods = [None if pd.isna(text) else text], list(answers["method"])
        [(text, spans)] = decided(texts, item["options"], methods, [row["model"]])
        key = _key(item)
        choices = "; ".join(
            f"{label(one.method)}: {f'none ({one.why})' if pd.isna(one.choice) else one.choice}"
            for one in answers.itertuples()
        )
    return {
        "item_id": row["item_id"],
        "error": None if pd.isna(row["error"]) else Markup(to_html(row["error"], longest=300)),
        "key": key,
        "choices": choices,
        "response": Markup(to_html(text, spans, longest=1500)),
    }


def _key(item: pd.Series) -> str:
    """The right answers in words."""
    answers = item["metadata"].get("answers") or [item["answer"]]
    if pd.isna(answers[0]):
        return ""
    return f"key {', '.join(map(str, answers))}"
