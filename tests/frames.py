"""Small frames of each station, made up: questions, outputs and answers of a benchmark `b`."""

import numpy as np
import pandas as pd


def items(n: int, n_options: int = 4, **columns) -> pd.DataFrame:
    """Questions in English, keyed A, with ids 0, 1, ..."""
    frame = pd.DataFrame({"item_id": [str(i) for i in range(n)]})
    fixed = {"benchmark": "b", "language": "en", "subject": "s", "category": "c", "answer": "A"}
    lists = {
        "question": [f"question {i}?" for i in range(n)],
        "options": [[f"option {k}" for k in range(n_options)] for _ in range(n)],
        "metadata": [{} for _ in range(n)],
    }
    return frame.assign(**fixed | lists | columns)


def outputs(responses: list, **columns) -> pd.DataFrame:
    """Responses of the model `m` to the first of those questions."""
    ids = [str(i) for i in range(len(responses))]
    frame = pd.DataFrame({"item_id": ids, "response": responses})
    return frame.assign(**{"benchmark": "b", "model": "m"} | columns)


def answers(right: np.ndarray, model: str = "m", **columns) -> pd.DataFrame:
    """A where a model is right, B where it is wrong."""
    right = np.asarray(right, bool)
    frame = pd.DataFrame({"item_id": [str(i) for i in range(len(right))], "correct": right})
    fixed = {"benchmark": "b", "model": model, "setting": "none", "method": "da"}
    fixed |= {"subject": "s", "category": "c", "why": "one choice"}
    return frame.assign(choice=np.where(right, "A", "B")).assign(**fixed | columns)
