"""Names that complete, errors that help, the papers as objects, LaTeX tables."""

import doctest

import pandas as pd
import pytest

import polyexam as px
from analysis import explore
from analysis.errors import DataError
from analysis.explore import export, library, opening, records, safe_text, spans
from analysis.explore.records import Records
from analysis.items import derived, example
from tests.conftest import refused

MODULES = [explore, export, library, opening, records, spans, safe_text, example]
RECORDS = Records.of(example.items(), example.outputs())


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_names_complete_and_unknown_ones_suggest_the_nearest():
    with pytest.raises(AttributeError, match="did you mean tlue"):
        _ = px.papers.tleu
    with pytest.raises(AttributeError, match="did you mean table_01"):
        _ = px.papers.tlue.tabel_01
    assert "table_01" in dir(px.papers.tlue)


def test_benchmarks_say_what_is_here_and_what_is_missing(home):
    derived.write("example", example.items().to_dict("records"))
    found = px.benchmarks()
    assert found.loc["cmmlu", "files"] == "polyexam items cmmlu"
    assert found.loc["example", "files"] == "here"
    assert found.loc["cmmlu", "baselines"] == 6
    assert not found["runs"].any()


def test_what_was_not_made_yet_names_the_command(home):
    figure = px.papers.tlue.figure_03a
    assert "make reports" in figure._repr_html_()
    assert not figure.files


def browse_example(**view):
    return px.browse(items=example.items(), outputs=example.outputs(), **view)


ERRORS = [
    (lambda: px.published("tlue", group="STEMM"), "no such group 'STEMM': did you mean STEM?"),
    (lambda: px.published("tlue", metric=["accuracy", "acuracy"]), "did you mean accuracy?"),
    (lambda: px.published("tlue", modle="GPT-4o"), "no such column 'modle': did you mean model?"),
    (lambda: px.compare("cmmlu", "baseline/always-B", "x"), "did you mean baseline/always-A?"),
    (lambda: px.compare("cmmlu", *["baseline/always-A"] * 2), "compared with another model"),
    (lambda: RECORDS.select(show="wrng"), "did you mean wrong?"),
    (lambda: browse_example(item="zh/1"), "no such item"),
    (lambda: px.browse("cmmlu", ids=["?!"]), "11,542 more"),
    (lambda: px.browse(items=example.items()), "both items and outputs"),
    (lambda: browse_example(shw="wrong"), "did you mean show?"),
]


@pytest.mark.parametrize("call, reason", ERRORS)
def test_errors_name_what_there_is(call, reason, home):
    with pytest.raises(DataError) as error:
        call()
    assert reason in str(error.value)


def test_results_as_latex_are_in_their_order_and_nothing_is_doubled():
    values = {"a_1": (1.04, 2.0), "b&": (1.0, 3.0), "c": (0.5, 1.0)}
    rows = [(m, g, v) for m, both in values.items() for g, v in zip("xy", both, strict=True)]
    frame = pd.DataFrame(rows, columns=["model", "group", "value"])
    lines = px.latex(frame).splitlines()
    assert r"a\_1 & 1.0 & 2.0 \\" in lines
    assert r"b\& & 1.0 & 3.0 \\" in lines
    printed = px.published("khayyam", artifact="table_03", group_by="category")
    assert r"Human & 0.71 &" in px.latex(printed, decimals=2)
    with refused("two numbers for one cell"):
        px.latex(pd.concat([frame, frame]))
    with refused("did you mean model"):
        px.latex(frame, rows="modle")
