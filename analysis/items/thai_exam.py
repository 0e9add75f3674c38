"""Responses of 102 models to three Thai exams (O-NET for the sixth secondary year, TPAT-1,
investment consultant), as published.
"""

from pathlib import Path

import pandas as pd

from analysis.items import read

_EXAMS = {"onet_m6": "O-NET M6", "tpat1": "TPAT-1", "ic": "Investment consultant"}
_KEY = r"\"?correct_answer_key\"?\s*:\s*[\"']?\s*([^\"'\s,}]*)"


def right(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Right or wrong (no answer is wrong), models x questions, and the exam of each question."""
    files = folder.glob("responses_*.jsonl.gz")
    log = pd.concat(pd.read_json(file, lines=True) for file in files)
    choice = log["text"].str.findall(_KEY).str[-1]  # of several keys the last one
    stem = log["file"].str.extract(r"([^/]+)\.\w+$", expand=False)
    log["item_id"] = stem + "/" + log["index"].astype(str)
    log["right"] = choice.str.upper() == log["gold"].str.upper()
    exams = read("thai_exam", folder, problems=[]).set_index("item_id")["category"].map(_EXAMS)
    return log.pivot(index="model", columns="item_id", values="right"), exams
