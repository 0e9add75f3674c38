"""One `RunSpec` is the command line's options, a plan's entries and the request's parameters."""

import pytest
from typer.testing import CliRunner

from analysis.errors import DataError
from analysis.written import check
from runners.commands import app
from runners.spec import RunSpec


def test_every_field_is_explained_and_an_option_of_run():
    shown = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "300"}).output
    for name, field in RunSpec.model_fields.items():
        assert field.description
        assert f"--{name.replace('_', '-')} " in shown


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"kind": "chatt"}, "did you mean chat"),
        ({"temprature": 1}, "did you mean temperature"),
        ({"param": ["top_p"]}, "name=value"),
        ({"param": {"stream": True}}, "stream"),
        ({"param": ["n=3"]}, "one answer"),
        ({"param": ["model=x"]}, "model"),
    ],
)
def test_a_mistake_is_named_with_its_field(fields, message):
    with pytest.raises(DataError, match=message):
        check(fields, RunSpec)


def test_what_differs_from_the_usual_is_the_settings_name():
    assert RunSpec(shots=5, param={"top_p": 1}).setting == "shots=5, param={'top_p': 1}"
    assert RunSpec().setting == "default"
