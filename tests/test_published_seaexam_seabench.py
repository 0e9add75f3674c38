"""The transcription of SeaExam and SeaBench: against the paper's text where it lies, and against
itself.
"""

import pandas as pd
import pytest

from analysis import paths
from analysis.papers import published

PAPER = "seaexam_seabench"
TEXT = paths.ROOT.parent / "shared" / "papers" / f"{PAPER}.txt"
CELLS = {
    "table_02": 8,
    "table_03": 8,
    "table_08": 8,
    "table_09": 12,
    "table_11": 8,
    "table_12": 8,
    "table_13": 8,
}
JUDGES = 7
MODELS = 9


@pytest.fixture(scope="module")
def text() -> str:
    if not TEXT.is_file():
        pytest.skip(f"the paper's text is not at {TEXT}")
    return TEXT.read_text("utf-8")


def rows(frame: pd.DataFrame, label: str, value: str) -> list[str]:
    """Lines `label | value | value ...` as the text shows them."""
    return [" | ".join([name, *part[value]]) for name, part in frame.groupby(label, sort=False)]


@pytest.mark.parametrize("artifact", CELLS)
def test_each_printed_row_stands_in_the_text(text, artifact):
    frame = published.results(PAPER, artifact=artifact)
    frame = frame[frame["model"] != "Random"]
    assert (frame.groupby("printed_model").size() == CELLS[artifact]).all()
    percent = "%" if artifact in ("table_03", "table_12") else ""
    lines = rows(frame.assign(cell=frame["printed"] + percent), "printed_model", "cell")
    assert len(lines) == (JUDGES if frame["metric"].iloc[0] in ("agreement", "votes") else MODELS)
    for line in lines:
        assert f"\n{line} |" in text
