"""The catalog, and what Make rebuilds."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from analysis import catalog
from analysis.errors import DataError
from reports import rules
from tests import checkout

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="no make")
FIGURES = "01 02 03a 03b 04a 04b 05a 05b 06".split()
TLUE = [*(f"table_{n:02d}" for n in range(1, 19)), *(f"figure_{name}" for name in FIGURES)]


def test_every_table_and_figure_of_tlue_is_catalogued_before_our_own():
    made = list(catalog.load()["tlue"].artifacts)
    assert made[: len(TLUE)] == sorted(TLUE)
    assert len(made) > len(TLUE)  # own artifacts follow


GOOD = """
p:
  title: P
  cite: C
  reports:
    r:
      notebook: general/averages.ipynb
      artifacts:
        a: {slot: s, status: reproduced, title: A}
"""


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("status: reproduced", "status: done", "no such value 'done'"),
        ("title: A", "titel: A", "did you mean title"),
        ("averages.ipynb", "avreages.ipynb", "no such notebook"),
    ],
)
def test_a_spoiled_catalog_is_refused_with_its_place(tmp_path, old, new, message):
    file = tmp_path / "catalog.yaml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(DataError, match=message) as refused:
        catalog.load(file)
    assert refused.value.file == file


def test_an_artifact_stands_in_one_report_only_and_a_slot_is_one_artifact():
    for section in catalog.load().values():
        made = [name for report in section.reports.values() for name in report.artifacts]
        assert len(made) == len(set(made))
        for report in section.reports.values():
            slots = [artifact.slot for artifact in report.artifacts.values()]
            assert len(slots) == len(set(slots))


@pytest.fixture
def site(tmp_path):
    """A copy of the build graph in which a report is one line of shell: what Make decides is seen
    without waiting for notebooks.
    """
    checkout.copy(tmp_path)
    stand_in = tmp_path / ".venv" / "bin" / "python"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(
        f"#!/bin/sh\ncd {tmp_path}\nPYTHONPATH={tmp_path} exec {sys.executable} "
        'tests_stand_in.py "$@"\n'
    )
    stand_in.chmod(0o755)
    (tmp_path / "tests_stand_in.py").write_text(STAND_IN)
    for stamp in (".light", ".dev"):
        (tmp_path / ".venv" / stamp).touch()
    return tmp_path


STAND_IN = r"""
import os, pathlib, sys
from analysis import catalog, paths

def touch(name):
    file = pathlib.Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()

module, what = sys.argv[2:4]
if module == "reports.rules":
    from reports import rules
    rules.write(pathlib.Path(what))
failed = False
for name in sys.argv[6:] if what == "report" else []:
    data = name.split("/")[0]
    if data in ("claims", "audits"):
        print("RAN", name)
        touch(f"reports/{data}.json")
    elif name == "site":
        print("SITE")
        touch("reports/site/index.html")
    elif os.environ.get("BREAK") == name:
        failed = True
        pathlib.Path(f"reports/{name}.html").unlink(missing_ok=True)
    else:
        print("RAN", name)
        report = catalog.report(name)
        for artifact in report.artifacts:
            touch(f"figures/{report.paper}/{artifact}.json")
        touch(f"reports/{name}.html")
sys.exit(failed)
"""


def make(folder, *arguments, **environment) -> tuple[int, set[str], bool]:
    """Exit status, the reports that ran, whether the site was written."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        ["make", "reports", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=clean | environment,
    )
    ran = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("RAN")}
    return done.returncode, ran, "SITE" in done.stdout


def later(path) -> None:
    os.utime(path, (time.time() + 2, time.time() + 2))
    time.sleep(0.01)


@pytest.mark.slow
@needs_make
def test_make_rebuilds_what_changed_and_nothing_else(site):
    reports = catalog.reports().values()
    everything = {report.id for report in reports}
    xiezhi = {report.id for report in catalog.load()["xiezhi"].reports.values()}
    several = {
        "across/across_papers",
        "khayyam/extraction_sensitivity",
        "seaexam_seabench/item_response",
    }  # read the numbers of all papers
    assert make(site) == (0, everything | {"claims", "audits"}, True)
    assert make(site) == (0, set(), False)
    scale = {report.id for report in reports if report.notebook == "general/scale.ipynb"}
    (site / "notebooks" / "general" / "scale.ipynb").touch()
    assert make(site, "-j4") == (0, scale, True)
    assert make(site) == (0, set(), False)
    (site / "figures" / "tlue" / "figure_05a.json").unlink()
    assert make(site) == (0, {"tlue/scale_ti_mmlu"}, True)
    (site / "analysis" / "artifacts.py").touch()
    assert make(site) == (0, everything | {"claims", "audits"}, True)
    (site / "data" / "claims" / "tlue.yaml").touch()
    assert make(site) == (0, {"claims/tlue"}, True)
    (site / "data" / "published" / "xiezhi" / "table_01.csv").touch()
    assert make(site) == (0, {"claims", "audits", *xiezhi, *several}, True)
    listing = (site / "reports" / "catalog.yaml").read_text("utf-8")
    (site / "reports" / "catalog.yaml").write_text(
        listing.replace("Table 12: model scale", "Table 12: scale"), encoding="utf-8"
    )
    assert make(site) == (0, {"tlue/scale_ti_mmlu"}, True)


@pytest.mark.slow
@needs_make
def test_one_failing_report_stops_no_other_and_is_not_forgotten(site):
    everything = set(catalog.reports())
    status, ran, shown = make(site, BREAK="tlue/averages")
    assert status != 0
    assert ran == (everything | {"claims", "audits"}) - {"tlue/averages"}
    assert shown  # with the failure in it
    assert make(site) == (0, {"tlue/averages"}, True)


def test_the_rules_name_every_report():
    text = rules.rules()
    for report in catalog.reports().values():
        assert f"reports/{report.id}.html: notebooks/{report.notebook} " in text
