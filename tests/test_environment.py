"""One list of packages: the conda environment and the pins equal pyproject.toml."""

import re
import tomllib

import yaml

from analysis import paths

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA = {"pytorch": "torch", "playwright-python": "playwright", "python-duckdb": "duckdb"}  # conda-forge's names


def declared() -> set[str]:
    return {*PROJECT["dependencies"], *(spec for extra in PROJECT["optional-dependencies"].values() for spec in extra)}


def split(spec: str) -> tuple[str, str]:
    name, bounds = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?(.*)", spec).groups()
    return name.lower(), bounds


def test_the_conda_environment_has_every_package_with_the_same_bounds():
    listed = yaml.safe_load((paths.ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    conda = {(CONDA.get(name, name), bounds) for name, bounds in map(split, listed)}
    assert conda == {split(spec) for spec in declared()} | {("python", PROJECT["requires-python"])}


def test_every_package_is_pinned():
    pins = dict(line.split("==") for line in (paths.ROOT / "constraints.txt").read_text().split())
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in pins}
    assert {re.sub(r"[-_.]+", "-", split(spec)[0]) for spec in declared()} <= names
    assert pins["torch"] == "2.13.0"  # the newest with small builds for the CPU


def test_the_light_stack_has_no_torch():
    heavy = {"torch", "transformers", "sentence-transformers", "jupyterlab", "umap-learn"}
    assert not heavy & {split(spec)[0] for spec in PROJECT["dependencies"]}
