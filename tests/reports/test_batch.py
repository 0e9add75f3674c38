"""Many reports at once: kernels forked from a server with the libraries loaded, ended with what
they serve.
"""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
import yaml

from reports import warm
from tests import checkout
from tests.reports.test_run import write
from tests.runners.shell import until

CELLS = {
    "good": """from analysis import artifacts
import os, sys
import pandas as pd
names = "statsmodels.api", "seaborn", "analysis.papers.averages"
loaded = sum(name in sys.modules for name in names)
save = artifacts.Artifacts("own", "good")
frame = pd.DataFrame({"loaded": [loaded], "seed": [hash("x")]})
save.table("numbers", frame, caption="n = 1", source=["run"])""",
    "wrong": "1 / 0",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "slow": "import os, pathlib, time\npathlib.Path('../pid').write_text(f'{os.getpid()} "
    "{os.getppid()}')\ntime.sleep(100)",
}
linux = pytest.mark.skipif(not warm.FORKS, reason="kernels are forked on Linux only")


@pytest.fixture
def house(tmp_path):
    """A copy of the code with a catalog of small notebooks."""
    checkout.copy(tmp_path)
    reports = {}
    for name, cell in CELLS.items():
        write(tmp_path / "notebooks" / f"{name}.ipynb", cell)
        made = {f"{name}_numbers": {"slot": "numbers", "status": "reproduced", "title": name}}
        reports[name] = {"notebook": f"{name}.ipynb", "artifacts": made}
    text = yaml.safe_dump({"own": {"title": "Own", "cite": "C", "reports": reports}})
    (tmp_path / "reports" / "catalog.yaml").write_text(text)
    return tmp_path


def start(house, *names: str, own_group: bool = False) -> subprocess.Popen:
    command = [sys.executable, "-m", "polyexam", "report", *(f"own/{name}" for name in names)]
    return subprocess.Popen(
        command,
        cwd=house,
        env=os.environ | {"PYTHONPATH": house},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=own_group,
    )


def ids(house) -> tuple[int, int]:
    """Process ids of the slow notebook's kernel and of the server, once they run."""
    file = house / "pid"
    until(lambda: file.is_file() and " " in file.read_text())
    return tuple(map(int, file.read_text().split()))


def ended(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("forks", [pytest.param(True, marks=linux), False])
def test_one_that_fails_stops_no_other_and_says_why(house, forks):
    file = house / "reports" / "warm.py"
    file.write_text(
        re.sub(r"^FORKS = .*$", f"FORKS = {forks}", file.read_text(), flags=re.MULTILINE)
    )
    running = start(house, "wrong", "killed", "good")
    out, err = running.communicate(timeout=600)
    assert running.returncode == 1
    assert "made own/good" in out
    reasons = ["ZeroDivisionError", "FAILED own/wrong", "killed.ipynb", "os.kill"]
    for reason in [*reasons, "FAILED own/killed"]:
        assert reason in err
    assert "2 of 3: " in err.splitlines()[-1]
    assert [page.name for page in (house / "reports" / "own").glob("*.html")] == ["good.html"]
    table = (house / "figures" / "own" / "good_numbers.csv").read_text().splitlines()[1].split(",")
    assert table[0] == ("3" if forks else "0")  # the kernel found the libraries loaded
    fresh = [sys.executable, "-c", "print(hash('x'))"]
    fixed = subprocess.check_output(fresh, env={"PYTHONHASHSEED": "0"}, text=True)
    assert table[1] == fixed.strip()
    assert list((house / "build").iterdir()) == []


def test_an_unknown_name_is_told_before_anything_is_made(house):
    running = start(house, "good", "wrogn")
    _, err = running.communicate(timeout=600)
    assert running.returncode == 2
    assert "did you mean own/wrong?" in err
    assert not (house / "figures").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken, text",
    [
        ("data/published/tlue/table_01.csv", "value\n3\n"),
        ("analysis/papers/averages.py", "not Python ("),
    ],
)
def test_what_cannot_be_loaded_stops_only_who_needs_it(house, broken, text):
    (house / broken).write_text(text)
    running = start(house, "good")
    out, err = running.communicate(timeout=600)
    assert running.returncode == 0, err
    assert "made own/good" in out


@pytest.mark.slow
@linux
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ended_from_outside_it_leaves_nothing(house, end):
    running = start(house, "slow")
    kernel, server = ids(house)
    running.send_signal(end)
    running.communicate(timeout=600)
    assert running.returncode not in (0, 1)
    until(lambda: ended(kernel) and ended(server))
    assert list((house / "build").iterdir()) == []


@pytest.mark.slow
@linux
@pytest.mark.parametrize("moment", ["at once", "while a notebook runs"])
def test_the_key_that_interrupts_prints_no_traceback(house, moment):
    """A terminal sends it to every process of the group, not only to the one that was started."""
    running = start(house, "slow", own_group=True)
    time.sleep(1.5) if moment == "at once" else ids(house)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=600)
    assert running.returncode not in (0, 1)
    assert "Traceback" not in out + err


def test_where_nothing_can_be_written_it_is_said_before_anything_is_computed(house):
    (house / "figures").write_text("a file where the folder should be")
    running = start(house, "slow")
    _, err = running.communicate(timeout=600)
    assert running.returncode == 2
    assert "cannot be written to" in err
    assert not (house / "pid").exists()


@pytest.mark.slow
@linux
def test_a_killed_client_takes_its_kernel_along(house):
    running = start(house, "slow")
    kernel, server = ids(house)
    children = subprocess.check_output(["pgrep", "-P", str(running.pid)], text=True).split()
    client = max(int(pid) for pid in children)
    assert client != server
    os.kill(client, signal.SIGKILL)
    _, err = running.communicate(timeout=600)
    assert running.returncode == 1
    assert "FAILED own/slow" in err
    assert "killed by signal 9" in err
    until(lambda: ended(kernel) and ended(server))
