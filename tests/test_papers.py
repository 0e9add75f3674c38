"""Papers as data: what `paper.yaml` and the files of sizes say is what the tables say, and wrong
files are refused with the place.
"""

import pandas as pd
import pytest

from analysis import papers, paths
from analysis.papers import published
from tests.conftest import refused


@pytest.mark.parametrize("paper", papers.names())
def test_everything_that_a_paper_prints_is_described(paper):
    told, printed = papers.read(paper), published.results(paper)
    assert set(printed["benchmark"]) <= set(told.benchmarks)
    for benchmark in told.benchmarks.values():
        own = printed[printed["benchmark"] == benchmark.name]
        assert set(benchmark.groups) <= set(own["group"])
        assert benchmark.source in {"", *told.benchmarks}
        for role in benchmark.tables.values():
            for artifact in role.values() if isinstance(role, dict) else [role]:
                assert artifact in set(own["artifact"]), (
                    f"{artifact} prints nothing of {benchmark.name}"
                )
        for group in benchmark.chance if isinstance(benchmark.chance, dict) else ():
            assert group in set(own["group"])
    for sample in told.samples.values():
        assert sample.rows(printed).any()


def sizes(paper: str) -> pd.DataFrame:
    return papers.read(paper).sizes.drop(columns="sample").reset_index(drop=True)


def test_sizes_are_those_of_the_tables_and_the_text():
    exams = sizes("seaexam_seabench").set_index(["benchmark", "group"])["n"]
    printed = (
        published.table("seaexam_seabench", 1)
        .query("category == 'total' and language != 'total'")
        .set_index("language")["questions"]
    )
    assert exams["seaexam"].to_dict() == printed.str.replace(",", "").astype(int).to_dict()
    text = published.facts("seaexam_seabench", "text").set_index(["benchmark", "quantity"])["value"]
    assert set(exams["mmlu_sea"]) == {int(text["mmlu_sea", "questions"])}
    known = sizes("khayyam").set_index(["group_by", "group"])["n"]
    for row in published.table("khayyam", 5).astype({"questions": int}).itertuples():
        labels = {"category": row.category, "difficulty": row.difficulty}
        labels = {by: label for by, label in labels.items() if label != "all"}
        key = " x ".join(labels) or "average", " x ".join(labels.values()) or "questions"
        assert known[key] == row.questions
    n = sizes("xiezhi").set_index("benchmark")["n"]
    for name in ("xiezhi_specialty", "xiezhi_interdiscipline"):
        assert n[name] == n[f"{name}_en"]
    assert n["xiezhi"] == n["xiezhi_specialty"] + n["xiezhi_interdiscipline"]


GOOD = (
    "title: T\ncite: C\nbenchmarks:\n  b: {title: B, average: subjects, tables: "
    "{leaderboard: table_01}, chance: 0.25}\n"
)


@pytest.mark.parametrize(
    "text, message",
    [
        (GOOD + "benchmark: {}\n", "did you mean benchmarks"),
        (GOOD.replace("subjects", "subject"), "did you mean subjects"),
        (GOOD.replace("table_01", "table_02"), "did you mean table_01"),
        (GOOD.replace("0.25", "{OFF: 0.5}"), "valid string"),
        (GOOD + "samples: {few: {wher: {model: M}}}\n", "did you mean where"),
        (GOOD + "methods: [da]\n", "no such setting"),
    ],
)
def test_files_that_are_refused(tmp_path, monkeypatch, text, message):
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "table_01.csv").write_text("benchmark\n", "utf-8")
    with refused("No such file"):
        papers.read("toy")
    file = tmp_path / "toy" / "paper.yaml"
    file.write_text(GOOD, "utf-8")
    assert papers.read("toy").benchmarks["b"].over("table_01", "printed") == "subjects"
    file.write_text(text, "utf-8")
    with refused(message) as caught:
        papers.read("toy")
    assert caught.value.file == file
