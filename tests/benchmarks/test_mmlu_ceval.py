"""Readers of MMLU (CSV without header) and C-Eval (with ids): on their real files, and on small
ones.
"""

import pytest

from analysis.items import read as read_items

SIZES = {("mmlu", "test"): 14042, ("mmlu", "val"): 1531, ("mmlu", "dev"): 285}
SIZES |= {("ceval", "val"): 1346, ("ceval", "dev"): 260}


def test_rows_keep_their_numbers_when_a_bad_one_is_left_out(tmp_path):
    (tmp_path / "dev").mkdir()
    lines = ['"a, with\na line break",1,2,3,4,A', "b,1,2,3,4,E", "c,1,2,3,4,D"]
    (tmp_path / "dev" / "anatomy_dev.csv").write_text("\n".join(lines))
    problems = []
    items = read_items("mmlu", tmp_path, split="dev", subject=["anatomy"], problems=problems)
    assert list(items["item_id"]) == ["anatomy/0", "anatomy/2"]
    assert [(problem.line, problem.field) for problem in problems] == [(3, 5)]


@pytest.mark.slow
@pytest.mark.parametrize("name, split", SIZES)
def test_every_question_of_the_real_files_is_an_item(benchmark_files, name, split):
    items = read_items(name, benchmark_files / name, split=split)
    assert len(items) == SIZES[name, split]
    assert items["subject"].nunique() == {"mmlu": 57, "ceval": 52}[name]
