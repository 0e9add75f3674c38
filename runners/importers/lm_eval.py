"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, written with `--log_samples`. Its numbers are text since 0.4.3."""

import re
from collections.abc import Iterator
from pathlib import Path

from runners.importers.base import Log, Row, files, rows

KNOWN = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
KNOWN |= {"doc_hash", "prompt_hash", "target_hash"}
NAME = re.compile(r"samples_(.+?)_\d{4}-\d\d-\d\dT[\d.:-]+\.jsonl$")


def read(source: Path, log: Log) -> Iterator[dict]:
    """One record a document and repeat; the same document under a further filter is the same output and left out.

    The item's id is `<task>/<doc_id>` unless `--item-id` says else, with `{task}` among the fields. Log-likelihoods become
    `scores.options` with the sum over each continuation's tokens, which is all that such a log holds.
    """
    for file in files(source, "samples_*.jsonl"):
        named = NAME.search(file.name)
        seen = set()
        for row in rows(file):
            metrics = row.get("metrics", [])
            log.note(row.values, {*KNOWN, *metrics})
            number = row.need("doc_id")
            if number in seen:
                continue
            seen.add(number)
            row.values["task"] = named.group(1) if named else file.stem.removeprefix("samples_")
            prompts = [_argument(row, i) for i in range(len(row.need("resps", list)))]
            item = f"{row.values['task']}/{number}"
            for answer in _answers(row, prompts):
                yield log.record("lm-eval", row, item, benchmark=row.values["task"], **answer)


def _answers(row: Row, arguments: list[list]) -> Iterator[dict]:
    answers = row.need("resps", list)
    if not answers or not all(isinstance(one, list) and one for one in answers):
        raise row.error("holds no responses", "resps")
    given = {"prompt": str(arguments[0][0])} if arguments[0] else {}
    if all(_likelihood(one[0]) for one in answers):
        options = [
            {"text": str(text[1]) if len(text) > 1 else "", "sum": row.number(one[0][0], "resps"), "greedy": _true(one[0][1])}
            for text, one in zip(arguments, answers, strict=True)
        ]
        yield given | {"scores": {"options": options}}
        return
    if len(arguments[0]) > 1 and isinstance(arguments[0][1], dict):
        given["params"] = arguments[0][1]
    for said in (said for one in answers for said in one):
        if not isinstance(said, str):
            raise row.error(f"is neither text nor a log-likelihood (value {str(said)[:60]!r})", "resps")
        yield given | {"response": said}


def _likelihood(value) -> bool:
    """`[log-probability, is it what greedy decoding gives]`, as numbers or as text."""
    return isinstance(value, list) and len(value) == 2 and str(value[1]) in ("True", "False")


def _true(value) -> bool:
    return str(value) == "True"


def _argument(row: Row, number: int) -> list:
    """What went in: a list of lists, or (since 0.4.3) `{"gen_args_0": {"arg_0": ...}}`."""
    given = row.need("arguments", (list, dict))
    if isinstance(given, dict):
        one = given.get(f"gen_args_{number}", {})
        return [one[name] for name in sorted(one)]
    return list(given[number]) if number < len(given) else []
