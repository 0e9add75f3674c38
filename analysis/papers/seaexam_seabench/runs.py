"""Own runs on SeaExam, MMLU-SEA and SeaBench: cached outputs -> results, beside the printed ones."""

from pathlib import Path

import pandas as pd

from analysis import schemas
from analysis.answers import judgment_files
from analysis.answers import judgments as judging
from analysis.errors import DataError
from analysis.items import read as read_items
from analysis.items import seaexam
from analysis.results import metrics, published


def judgments(files: list[str], outputs: pd.DataFrame | None = None) -> pd.DataFrame | None:
    """Judgments in the authors' files, named ``<judge>_eval_<model>_single.jsonl``, and cached ones; None without any."""
    frames = []
    for file in files:
        judge, eval_, rest = Path(file).name.partition("_eval_")
        model, single, _ = rest.rpartition("_single.jsonl")
        if not (eval_ and single and judge and model):
            raise DataError("is not named <judge>_eval_<model>_single.jsonl", file=file)
        frames.append(judgment_files.seabench(file, model, judge))
    if outputs is not None and len(outputs):
        frames.append(judging.from_outputs(outputs, read_items("seabench")))
    return pd.concat(frames, ignore_index=True) if frames else None


def exams(benchmark: str, outputs: pd.DataFrame) -> pd.DataFrame:
    """Accuracy by language of cached outputs, as the released code extracts answers; no rows without outputs.

    Parameters
    ----------
    benchmark : {"seaexam", "mmlu_sea"}
    outputs : DataFrame
        Of `runners.cache.own`, with `request` where logs of the authors' program were imported.
    """
    if outputs.empty:
        return schemas.check(pd.DataFrame(columns=schemas.columns("results")), "results")
    seeds = sorted({int(name.partition("@")[2]) for name in outputs["item_id"] if "@" in name})
    plain = outputs["item_id"].map(lambda name: "@" not in name).any()
    wanted = [*({"seed": seed} for seed in seeds), *([{"seed": None, "shots": 0}] if plain else [])]
    items = pd.concat([read_items(benchmark, **options) for options in wanted], ignore_index=True)
    found = metrics.score(seaexam.answers(outputs, items), by=("language",))
    return published.select(found, metric="accuracy")
