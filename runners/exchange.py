"""Results and samples in the form of every_eval_ever (its schemas 0.3.0), written for others and
read from them.

Written are an aggregate record a run, and next to it a file of its samples. A run of which nothing
says whether it is right (no key) has no record: the schema has no place for it.
"""

import hashlib
import time
import uuid
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from analysis import answers as extracted
from analysis import outputs as cached
from analysis import schemas, whole
from analysis.answers import marking
from analysis.errors import DataError
from analysis.items import describe
from analysis.items import read as read_items
from analysis.items.checked_rows import Row
from analysis.items.file_formats import decode
from analysis.outputs.json_lines import slug
from analysis.results import metrics, trust
from runners.importers.base import files
from runners.request import line

# Column of results -> where it is in one of their evaluations, whose record is `record`
_PLACES = {
    "paper": "record.source_metadata.source_name",
    "benchmark": "source_data.dataset_name",
    "setting": "generation_config.additional_details.setting",
    "group": "evaluation_name",
    "metric": "metric_config.metric_name",
    "n": "score_details.uncertainty.num_samples",
    "ci_low": "score_details.uncertainty.confidence_interval.lower",
    "ci_high": "score_details.uncertainty.confidence_interval.upper",
}
_OTHERWISE = {
    "paper": "unknown",
    "setting": "published",
    "metric": "score",
    "group_by": "evaluation",
    "source": "published",
}


def write(benchmark: str, target: Path, organization: str) -> list[Path]:
    """Records of every cached run of a benchmark, as their validator wants them placed:
    `<target>/data/<benchmark>/<developer>/<model>/<uuid>.json` and `<uuid>_samples.jsonl`.

    Parameters
    ----------
    benchmark : str
        A name, or a description's path.
    organization : str
        Who made the runs.

    Raises
    ------
    DataError
        Where no run has answers with a key.
    """
    name = describe(benchmark).name
    items = read_items(benchmark, problems=[]).set_index("item_id").add_prefix("item_")
    answers = extracted.read(benchmark)
    answers = answers[answers["method"].eq(trust.choose(answers)) & answers["correct"].notna()]
    keys = [*extracted.RUN, "item_id"]
    outputs = extracted.once(cached.own(name, more=["time", "request"])).set_index(keys)
    rows = answers.join(outputs.add_prefix("asked_"), on=keys, how="inner")
    rows = rows.join(items, on="item_id", how="inner")
    if rows.empty:
        raise DataError(f"no outputs to {name} that a method reads and a key decides")
    runs = rows.groupby(extracted.RUN, sort=False)
    return [file for _, run in runs for file in _run(name, run, target, organization)]


def _run(benchmark: str, rows: pd.DataFrame, target: Path, organization: str) -> list[Path]:
    """The aggregate of one run, and its samples."""
    model, setting = rows[["model", "setting"]].iloc[0]
    stamp = rows["asked_time"].max()
    shared = {
        "schema_version": "0.3.0",
        "evaluation_id": f"{benchmark}/{model}/{setting}/{stamp}",
    }
    scored = metrics.score(rows, by=()).query("metric == 'accuracy' and group == 'questions'")
    accuracy, low, high = scored[["value", "ci_low", "ci_high"]].iloc[0] / 100
    rows = rows.astype(object).where(rows.notna(), None)
    samples = [shared | _sample(row) for row in rows.to_dict("records")]
    content = b"".join(map(line, samples))
    checksum = hashlib.sha256(content).hexdigest()
    developer, _, short = model.rpartition("/")
    folder = "/".join(map(slug, (benchmark, developer or "unknown", short)))
    place = f"data/{folder}/{uuid.UUID(checksum[:32], version=4)}"
    result = {
        "evaluation_name": benchmark,
        "source_data": {"dataset_name": benchmark, "source_type": "other"},
        "metric_config": {
            "metric_name": "accuracy",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "generation_config": {"additional_details": {"setting": setting}},
        "score_details": {
            "score": accuracy,
            "uncertainty": {
                "confidence_interval": {
                    "lower": low,
                    "upper": high,
                    "confidence_level": 0.95,
                    "method": "Wilson",
                },
                "num_samples": len(samples),
            },
        },
    }
    record = shared | {
        "evaluation_timestamp": stamp,
        "retrieved_timestamp": str(time.time()),
        "source_metadata": {
            "source_name": "polyexam",
            "source_type": "evaluation_run",
            "evaluator_relationship": "third_party",
            "source_organization_name": organization,
        },
        "eval_library": {"name": "polyexam", "version": version("polyexam")},
        "model_info": {
            "name": model,
            "id": model,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [result],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{place}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": checksum,
        },
    }
    file, aggregate = target / f"{place}_samples.jsonl", target / f"{place}.json"
    whole.write(file, content)  # first: the record names it
    whole.write(aggregate, line(record))
    return [aggregate, file]


def _sample(row: dict) -> dict:
    """An answer with its output (`asked_...`) and its item (`item_...`)."""
    options, request = row["item_options"], row["asked_request"]
    texts = dict(zip(schemas.labels(len(options)), options, strict=True))
    keys = marking.keys_of(row["item_answer"], row["item_metadata"])
    messages = request.get("messages") or [{"content": request.get("prompt")}]
    response = row["asked_response"]
    attribution = {
        "turn_idx": 0,
        "source": "output.raw",
        "extraction_method": row["method"],
        "is_terminal": True,
        "extracted_value": str(row["choice"]),
    }
    return {
        "model_id": row["model"],
        "evaluation_name": row["benchmark"],
        "sample_id": row["item_id"],
        "interaction_type": "single_turn",
        "input": {
            "raw": row["item_question"],
            "formatted": messages[-1]["content"],
            "reference": [texts.get(key, key) for key in keys],
            "choices": options or None,
        },
        "output": {"raw": [] if response is None else [response]},
        "answer_attribution": [] if row["choice"] is None else [attribution],
        "evaluation": {"score": float(row["correct"]), "is_correct": bool(row["correct"])},
        "error": row["asked_error"],
        "metadata": {"subject": row["subject"], "setting": row["setting"]},
    }


def results(sources: Iterable[Path]) -> pd.DataFrame:
    """Aggregate records as results: a row an evaluation's score, `source` "published".

    Raises
    ------
    DataError
        For a file that is no aggregate record, or a score that is no number.
    """
    rows = [
        row for source in sources for file in files(source, ["*.json"]) for row in _scores(file)
    ]
    return schemas.results(rows)


def _scores(file: Path) -> Iterator[dict]:
    """A row an evaluation of an aggregate record."""
    record = decode(file.read_bytes(), file)
    try:
        for part in record["evaluation_results"]:
            row = Row({**part, "record": record}, file)
            values = {name: row.find(place) for name, place in _PLACES.items()}
            values = _OTHERWISE | {name: one for name, one in values.items() if one is not None}
            share = row.find("metric_config.max_score") == 1
            yield values | {
                "model": record["model_info"]["name"],
                "artifact": file.stem,
                "value": float(part["score_details"]["score"]),
                "unit": "proportion" if share else "score",
            }
    except (KeyError, TypeError, ValueError) as error:
        reason = f"is no aggregate record of every_eval_ever: {error!r}"
        raise DataError(reason, file=file) from None
