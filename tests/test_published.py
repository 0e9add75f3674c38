"""Printed tables: every number as the paper prints it, in the results shape."""

import pandas as pd
import pytest

from analysis import papers, paths, schemas
from analysis.errors import DataError
from analysis.papers import published


def test_every_paper_loads_into_the_results_shape():
    for paper in papers.names():
        frame = published.results(paper)
        assert len(frame) > 100, paper
        assert set(frame["source"]) <= {"published", "digitized"}
        schemas.check(frame, "results")


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """A paper of one table, whose cells a test spoils."""
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "models.csv").write_text(
        "printed,model,family,parameters_b,kind,access\nM,m,f,7,chat,open\n"
    )
    (tmp_path / "own" / "paper.yaml").write_text("title: T\ncite: C\n")
    rows = pd.DataFrame({"group": ["x", "y"], "value": ["1,234.50", "3.10"]})
    rows = rows.assign(benchmark="b", model="M", setting="s", group_by="category")
    rows = rows.assign(metric="accuracy", unit="percent")
    yield lambda **changes: rows.assign(**changes).to_csv(
        tmp_path / "own" / "table_01.csv", index=False
    )


@pytest.mark.parametrize(
    "changes, line, field",
    [
        ({"value": ["1", "l2"]}, 3, "value"),
        ({"model": ["M", "N"]}, 3, "model"),
        ({"unit": None}, 2, "unit"),
        ({"unit": "percents"}, 2, "unit"),
        ({"metric": "acuracy"}, 2, "metric"),
        ({"group": "x"}, 3, None),
    ],
)
def test_a_spoiled_cell_is_named(paper, changes, line, field):
    paper(**changes)
    with pytest.raises(DataError) as refused:
        published.results("own")
    assert refused.value.field == field
    assert refused.value.line == line
