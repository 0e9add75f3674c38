"""`polyexam audit FILE`: what it prints and writes, and its exit status."""

import json
import re
import subprocess

import pytest

from analysis import catalog, papers, paths
from analysis.errors import DataError
from analysis.papers import published
from reports import audit_file
from tests.audit.seeded import BAD, GOOD
from tests.runners.shell import command


def test_exit_status_by_severity(tmp_path):
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(GOOD)
    bad.write_text(BAD)
    shown = command("audit", good)
    assert "nothing found that does not fit" in shown
    assert "6 of 6 are the mean of the 2 columns" in shown
    shown = command("audit", bad, status=1)
    assert "Bad / Avg (line 9): 37.0, expected 35.0" in shown
    command("audit --fail-on never", bad)
    with pytest.raises(DataError):
        command("audit --fail-on errror", bad)
    with pytest.raises(DataError):
        command("audit", tmp_path / "absent.md")


def test_what_it_writes(tmp_path):
    file = tmp_path / "bad.md"
    file.write_text(BAD)
    flags = ("html", "json", "sarif")
    options = [text for flag in flags for text in (f"--{flag}", tmp_path / f"a.{flag}")]
    command("audit --n 500", file, *options, status=1)
    assert all((tmp_path / f"a.{flag}").is_file() for flag in flags)
    written = json.loads((tmp_path / "a.json").read_text())
    assert written["findings"][0]["level"] == "error"
    assert len(written["gaps"]) == 6
    assert "n = 500" in written["sentences"][0]


def test_what_was_accepted_is_left_out(tmp_path):
    file, accepted = tmp_path / "bad.md", tmp_path / "accepted.json"
    file.write_text(BAD)
    command("audit --json", accepted, file, status=1)
    file.write_text("# More text, so that lines move\n\n" + BAD)
    command("audit --baseline", accepted, file)
    file.write_text(BAD + BAD.replace("Bad", "Worse").replace("37.0", "38.0"))
    command("audit --baseline", accepted, file, status=1)


MARKS = {  # name -> text of which a comment accepts the wrong average
    "row.md": BAD.replace("37.0 |", "37.0 <!-- polyexam: ignore rank, average --> |"),
    "above.tex": "\n".join(
        [r"\begin{tabular}{lccc} Model & a & b & Avg \\ \hline"]
        + [
            f"M{i} & {10 + 3 * i}.0 & {21 + 2 * i}.0 & {(31 + 5 * i) / 2:.1f} \\\\"
            for i in range(6)
        ]
        + ["% polyexam: ignore average", r"Bad & 30.0 & 40.0 & 37.0 \\ \end{tabular}"]
    ),
}


@pytest.mark.parametrize("name", MARKS)
def test_what_a_comment_accepts_is_counted(tmp_path, name):
    file = tmp_path / name
    file.write_text(MARKS[name])
    assert "; 1 accepted" in command("audit", file).splitlines()[0]
    file.write_text(MARKS[name].replace("average", "range"))
    command("audit", file, status=1)


def test_only_what_changed_since_a_revision(tmp_path):
    def git(*arguments: str) -> None:
        names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", tmp_path, *names, *arguments], check=True, capture_output=True)

    file, new, changed = tmp_path / "a.md", tmp_path / "new.md", "audit --changed HEAD"
    git("init")
    file.write_text(f"{BAD}\ntext\n\n{GOOD}")
    git("add", ".")
    git("commit", "-m", "a")
    assert "2 tables in the source, 0 read, 2 unchanged" in command(changed, file)
    file.write_text(f"{BAD}\ntext\n\n{GOOD.replace('| 15.5 |', '| 17.5 |')}")
    shown = command(changed, file, status=1)
    assert "1 unchanged" in shown
    assert "37.0" not in shown
    head, rule, _, *more = BAD.splitlines(keepends=True)  # a row is gone
    file.write_text(f"{head}{rule}{''.join(more)}\ntext\n\n{GOOD}")
    assert "1 unchanged" in command(changed, file, status=1)
    new.write_text(BAD)
    assert "37.0" in command(changed, tmp_path, status=1)
    for revision in ("nothing", "--output=x"):
        with pytest.raises(DataError, match="git: fatal"):
            command("audit --changed", revision, file)
    assert not (tmp_path / "x").exists()


def test_plain_text_is_read_with_a_warning(tmp_path):
    rows = re.sub(r" ?\| ?", "  ", BAD).splitlines()
    text = "\n".join(["Results.", "", rows[0], *rows[2:], "", "M5 reaches 99.9 on b."])
    (tmp_path / "paper.txt").write_text(text)
    shown = command("audit --verbose", tmp_path / "paper.txt", status=1)
    assert "Bad / Avg (line 10): 37.0, expected 35.0" in shown
    assert "read from plain text" in shown.splitlines()[1]
    assert "99.9" in shown
    with pytest.raises(DataError):  # of a folder it is not read
        command("audit", tmp_path)


def test_several_files(tmp_path):
    for name, text in (("a.md", GOOD), ("b.md", BAD), ("c.md", "no table here")):
        (tmp_path / name).write_text(text)
    several = (tmp_path / f"{name}.md" for name in "abc")
    assert "[b.md: table 1] Bad / Avg" in command("audit", *several, status=1)
    empty = tmp_path / "c.md"
    with pytest.raises(DataError):
        command("audit", empty)
    assert "0 tables in the source" in command("audit --may-be-empty", empty)
    assert json.loads(command("audit --json -", empty, status=2))["findings"] == []


def test_a_paper_is_drafted_with_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    monkeypatch.setattr(paths, "CATALOG", tmp_path / "catalog.yaml")
    monkeypatch.setattr(paths, "CLAIMS", tmp_path)
    file = tmp_path / "t.md"
    file.write_text(GOOD.replace("M5", "M-7B") + "| Random | 20 | 30 | 25 |\n")
    paths.CATALOG.touch()
    audit_file.new_paper("p", file)
    assert published.models("p").loc["M-7B", "parameters_b"] == 7
    assert published.results("p", model="Random")["value"].tolist() == [20, 30, 25]
    about = papers.read("p").benchmarks["p_01"]
    assert (about.average, about.chance) == ("categories", 0.25)
    assert set(catalog.load(paths.CATALOG)["p"].artifacts) == {"table_01", "ranks_01"}
