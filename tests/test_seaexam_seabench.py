"""SeaExam and SeaBench: printed ratios against all definitions; own exams by language."""

import json

import pandas as pd
import pytest

from analysis import outputs
from analysis.items import read as read_items
from analysis.papers.seaexam_seabench import arithmetic, spread


@pytest.mark.slow
def test_each_printed_ratio_fits_one_definition_of_the_deviation(notebook):
    names = notebook("seaexam_seabench/what_do_the_spread_ratios_mean", draws=100)
    fitting = {
        claim: grid.loc[grid["fits"], ["measure", "summary"]].to_numpy().tolist()
        for claim, grid in names["grids"].items()
    }
    assert fitting["exams"] == [["standard deviation", spread.AVERAGED]]
    means = [["standard deviation", "ratio of means"]]
    assert fitting["dialogues"] == fitting["languages"] == means
    assert ["standard deviation", "mean of ratios"] in fitting["formats"]
    tests = names["tests"]
    # none survives with the models as a sample
    assert len(tests) == 8
    assert tests["p"].min() < 0.05 < tests["p_holm"].min()
    fixed = tests[tests["fixed_p"] < 0.05]  # with these models fixed
    assert fixed[["pair", "group"]].to_numpy().tolist() == [["Exams", "vi"]]
    assert tests["fixed_ratio"].notna().sum() == 4


def test_own_exams_are_scored_by_language(home, monkeypatch):
    question = {"question": "2 + 2?", "choices": ["1", "2", "3", "4"], "answer": 3}
    question["metadata"] = {"subject": "math"}
    for language in ("indonesian", "thai", "vietnamese"):
        folder = home / "data" / "seaexam" / f"m3exam-{language}"
        folder.mkdir(parents=True)
        for split in ("test", "dev"):
            (folder / f"{split}.json").write_text(json.dumps([question] * 4))
    items = read_items("seaexam")
    right = items["language"].eq("th") | items["item_id"].str.contains("/0")
    frame = items[["benchmark", "item_id"]].assign(model="m", setting="3-shot")
    frame["response"] = items["answer"].where(right, "Z")
    monkeypatch.setattr(outputs, "own", lambda benchmark: frame)
    own = arithmetic.exams("seaexam").set_index(["group_by", "group"])["value"]
    assert own["language"].to_dict() == {"id": 25, "th": 100, "vi": 25}
    assert own["average", "languages"] == pytest.approx(50)
    monkeypatch.setattr(outputs, "own", lambda benchmark: pd.DataFrame(columns=frame.columns))
    assert arithmetic.exams("seaexam").empty
