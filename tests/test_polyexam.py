"""The front door: what `dir` shows is what there is, in whatever folder it is opened."""

import doctest
import os
import subprocess
import sys
import zipfile

import pytest

import polyexam as px
from tests import checkout

NUMBERS = "import polyexam as px; print(len(px.published('tlue')) > 100, px.benchmarks().size > 9)"


def python(code: str, cwd, **environment) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code]
    environment = os.environ | environment
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.fixture
def crowded(tmp_path):
    """A folder that has modules and packages of our names."""
    for name in ("analysis", "data", "reports"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("SOMEBODY = 'else'")
    (tmp_path / "runners.py").write_text("raise SystemExit('not this one')")
    return tmp_path


def test_each_name_is_there_and_documented():
    assert {*px.API} < {*dir(px)}
    assert not any(name.startswith("_") for name in dir(px))
    for name in dir(px):
        assert getattr(px, name).__doc__, name


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(AttributeError, match="did you mean browse"):
        _ = px.brows


def test_nothing_is_loaded_before_it_is_used(tmp_path):
    code = "import sys, polyexam; print({'numpy', 'pandas', 'typer'} & {*sys.modules})"
    assert python(code, tmp_path).stdout == "set()\n"


def test_it_opens_beside_folders_of_the_same_names(crowded):
    done = python(NUMBERS, crowded)
    assert done.stdout == "True True\n", done.stderr


def test_a_module_of_the_same_name_that_is_loaded_is_named(crowded):
    done = python("import analysis, polyexam", crowded)
    assert "import polyexam first" in done.stderr
    assert str(crowded / "analysis") in done.stderr


@pytest.mark.slow
def test_it_opens_from_a_wheel(crowded, tmp_path_factory):
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("wheel")
    source = checkout.copy(folder / "source")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(source)], check=True)
    wheel = next(folder.glob("*.whl"))
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    assert not (folder / "installed" / "data").exists()
    done = python(NUMBERS, crowded, PYTHONPATH=str(folder / "installed"))
    assert done.stdout == "True True\n", done.stderr
    where = python(
        "import polyexam, analysis; print(analysis.__file__)",
        crowded,
        PYTHONPATH=str(folder / "installed"),
    )
    assert where.stdout.startswith(str(folder / "installed"))


def test_commands_are_functions(capsys):
    assert doctest.testmod(px).failed == 0
    with pytest.raises(px.DataError, match="give a --difference"):
        px.plan(accuracy=70)
    with pytest.raises(px.DataError, match="No such option"):
        px.plan(acuracy=70)
