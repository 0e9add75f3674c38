"""The notebooks that no report runs: they run from a clean kernel, and the figure is there."""

import pytest

from analysis import paths
from reports.notebook_run import execute


@pytest.mark.slow
def test_the_start_notebook_runs_and_leaves_a_figure(tmp_path):
    figure = tmp_path / "mine.png"
    execute(
        paths.NOTEBOOKS / "00_start_here.ipynb",
        {"figure": str(figure), "folder": str(tmp_path / "own")},
        tmp_path / "made.ipynb",
        tmp_path,
    )
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert figure.stat().st_size > 10_000
    made = (tmp_path / "made.ipynb").read_text("utf-8")
    assert "application/vnd.jupyter.widget-view+json" in made
    assert made.count('"text/html"') > 5


@pytest.mark.slow
def test_the_template_shows_any_benchmark_with_recorded_answers(tmp_path):
    execute(
        paths.NOTEBOOKS / "template.ipynb",
        {"paper": "own", "benchmark": "cmmlu"},
        tmp_path / "made.ipynb",
        tmp_path,
    )
    made = {file.name for file in (tmp_path / "own").iterdir()}
    assert {
        "template_cmmlu_scores.csv",
        "template_cmmlu_scores.tex",
        "template_cmmlu_order.svg",
    } <= made
