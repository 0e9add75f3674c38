"""What do public files of exam answers and texts say, as numbers without their text?

`TABLES` work from the benchmarks' files, and are recorded in `data/evidence/`
(`public_data` reads them), without any text of the benchmarks. ``python -m
analysis.papers.seaexam_seabench.files`` writes them anew; a test compares them with the files where
these are present.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import paths
from analysis.items import read as read_items
from analysis.papers import counts
from analysis.papers.seaexam_seabench import text_sets
from analysis.results import item_parameters
from analysis.statistics import embedding

_MMLU_EACH, _VNHSGE_EACH = 50, 150  # questions a subject; 50 as in MMLU-SEA
REGION = ("Indonesia", "Thailand", "Viet Nam")
_EXAMS = {"onet_m6": "O-NET M6", "tpat1": "TPAT-1", "ic": "Investment consultant"}
_TARGETS = {"en": "Arena-Hard", "vi": "MT-bench-like"}
_Texts = dict[str, list[str]]
_Vectors = dict[str, np.ndarray]  # the same keys, shape (texts, dimensions)

# ------------------------------------------------------------------------- answers of 102 models

# parameters of the questions by exam, and how well the two models of them fit
_thai = partial(item_parameters.of_gallery, "thai_exam", _EXAMS)


# ----------------------------------------------------------------------------- distances of texts


def texts(data: Path, language: str) -> _Texts:
    """Sets of texts in one language: local and translated benchmarks, and what they are to
    resemble.
    """
    if language == "en":
        arena = data / "wild_queries" / "arena_hard_v0.1_question.jsonl"
        mmlu = read_items("mmlu", data / "mmlu").groupby("subject").head(_MMLU_EACH)
        sets = {"MMLU": mmlu["question"], "Arena-Hard": pd.read_json(arena, lines=True)["prompt"]}
    else:
        read = partial(read_items, folder=data / "sea_items", problems=[])
        exams = read("vnhsge")
        exams = exams[exams["language"] == language].groupby("subject").head(_VNHSGE_EACH)
        translated = read("global_mmlu_lite", language=language)
        passages = read("belebele", language=language)
        sets = {"VNHSGE": exams, "Global-MMLU-lite": translated, "Belebele": passages}
        sets = {name: items["question"] for name, items in sets.items()}
    dialogues = read_items("sea_mt_bench", data / "sea_mt_bench", language=language)
    sets["MT-bench-like"] = dialogues["metadata"].str["turns"].str[0]
    return {name: list(members) for name, members in sets.items()}


_Embed = Callable[[_Texts], _Vectors]


def encode(sets: _Texts) -> _Vectors:
    """Sets of texts by the sentence encoder, which was trained on English and not on Vietnamese:
    minutes.
    """
    return {name: embedding.encode(members) for name, members in sets.items()}


def set_distances(data: Path, embed: _Embed = embedding.embed) -> pd.DataFrame:
    """C-Dist of each set to the target, raw and without noise, with intervals."""
    parts = []
    for language, target in _TARGETS.items():
        table = text_sets.to_target(embed(texts(data, language)), target)
        table.insert(0, "language", language)
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def set_map(data: Path) -> pd.DataFrame:
    """Positions of a sample of each set on two principal components of character n-grams."""
    parts = []
    for language in _TARGETS:
        positions = text_sets.positions(embedding.embed(texts(data, language)))
        positions.insert(2, "language", language)
        parts.append(positions)
    return pd.concat(parts, ignore_index=True).round({"x": 4, "y": 4})


def countries(data: Path) -> pd.DataFrame:
    """How many of Global-MMLU-lite's culturally sensitive questions concern each country, as
    annotators say; zeros for the region.
    """
    about = read_items("global_mmlu_lite", data / "sea_items", language="vi")["metadata"]
    sensitive = about[about.str["culture"] == "CS"]
    questions = sensitive.str["countries"].explode().value_counts()
    questions = questions.reindex(questions.index.union(REGION), fill_value=0)
    table = questions.rename_axis("country").reset_index(name="questions")
    table = table.sort_values(["questions", "country"], ascending=[False, True], ignore_index=True)
    n = len(sensitive)
    table = table.assign(n=n, value=100 * table["questions"] / n)
    return table.assign(**counts.limits(table["questions"], n))


TABLES: dict[str, Callable[[Path], pd.DataFrame]] = {
    # of each question by its id, and how well the models describe the exams
    "thai_items": lambda data: _thai()[0],
    "thai_fits": lambda data: _thai()[1],
    "set_distances": set_distances,
    "set_map": set_map,
    "encoder_distances": partial(set_distances, embed=encode),
    "countries": countries,
}


def main() -> None:
    """Write all tables to `data/evidence/`."""
    for name, table in TABLES.items():
        file = paths.EVIDENCE / f"{name}.csv"
        frame = table(paths.benchmarks())
        frame.to_csv(file, index=False, float_format="%.6g", lineterminator="\n")
        print(f"wrote {file.name}")


if __name__ == "__main__":
    main()
