"""Consistency checks: each finds the error that is planted for it, and nothing in consistent results."""

import numpy as np
import pandas as pd
import pytest

from analysis.audit import results as audit
from analysis.audit.papers import of_paper
from analysis.errors import DataError
from analysis.results import metrics, published


def frame(rows: list[dict]) -> pd.DataFrame:
    base = {
        "paper": "p", "artifact": "table_01", "benchmark": "b", "model": "m", "setting": "s", "group_by": "category", "group": "A",
        "metric": "accuracy", "unit": "percent", "n": pd.NA, "ci_low": np.nan, "ci_high": np.nan, "source": "published", "suspect": False,
    }  # fmt: skip
    made = pd.DataFrame([base | row for row in rows])
    return made.assign(decimals=[row.get("decimals", len(str(row["value"]).partition(".")[2])) for row in rows])


def failing(findings: pd.DataFrame, check: str) -> int:
    return int((~findings.loc[findings["check"] == check, "ok"]).sum())


def test_ranges():
    found = audit.run(frame([{"value": 50.0}, {"group": "B", "value": 101.0}]))
    assert failing(found, "range") == 1
    assert not found["ok"].iloc[0] and found["value"].iloc[0] == 101  # what fails comes first


def test_printed_twice():
    rows = [{"value": 50.0}, {"artifact": "table_02", "value": 50.0}, {"artifact": "table_03", "value": 51.0}]
    assert failing(audit.run(frame(rows)), "printed twice") == 1


def test_averages_by_both_readings():
    rows = [
        {"value": 10.0},
        {"group": "B", "value": 40.0},
        {"group_by": "average", "group": "printed", "value": 25.0},
    ]
    sizes = pd.Series({("b", "A"): 30.0, ("b", "B"): 10.0})
    assert failing(audit.run(frame(rows)), "average") == 0
    rows[2]["value"] = 17.5  # by questions
    assert failing(audit.run(frame(rows), sizes), "average") == 0
    rows[2]["value"] = 30.0
    assert failing(audit.run(frame(rows), sizes), "average") == 1
    assert failing(audit.run(frame(rows)), "average") == 0  # some weights make 30
    rows[2]["value"] = 41.0
    assert failing(audit.run(frame(rows)), "average") == 1  # no weights do
    rows[2] |= {"group": "subjects", "value": 17.5}
    assert failing(audit.run(frame(rows), sizes), "average") == 1  # says that it is plain


def test_response_rates():
    rows = [{"value": 30.0}, {"metric": "response_rate", "value": 60.0}, {"metric": "conditional_accuracy", "value": 50.0}]
    assert audit.run(frame(rows))["ok"].all()
    rows[2]["value"] = 47.0
    assert failing(audit.run(frame(rows)), "conditional accuracy") == 1
    rows[1]["value"] = 20.0
    assert failing(audit.run(frame(rows)), "accuracy at most response rate") == 1


def test_methods():
    rows = [{"setting": "da", "value": 30.0}, {"setting": "caa", "value": 31.0}]
    assert audit.run(frame(rows))["ok"].all()
    rows[1]["value"] = 29.0
    assert failing(audit.run(frame(rows)), "caa at least da") == 1


def test_integer_counts():
    sizes = pd.Series({("b", "A"): 3.0})
    assert failing(audit.run(frame([{"value": 33.33}]), sizes), "integer count") == 0
    assert failing(audit.run(frame([{"value": 33.43}]), sizes), "integer count") == 1


def test_random_baselines():
    rows = [{"model": "Random", "value": 25.0}, {"model": "Random", "group": "B", "value": 50.0}]
    expected = pd.Series({("b", "A"): 25.0, ("b", "B"): 33.3})
    assert failing(audit.run(frame(rows), expected=expected), "random baseline") == 1


def test_hits():
    rows = [
        {"metric": m, "unit": "score", "value": v, "decimals": 3} for m, v in (("hit_at_1", 0.1), ("hit_at_4", 0.4), ("mrr", 0.3))
    ]
    assert audit.run(frame(rows))["ok"].all()
    rows[2]["value"] = 0.45
    assert failing(audit.run(frame(rows)), "mrr within its hits") == 1
    rows[1]["value"] = 0.05
    assert failing(audit.run(frame(rows)), "hit@1 at most hit@4") == 1


def test_damaged_cells_are_not_tested():
    assert audit.run(frame([{"value": 101.0, "suspect": True}])).empty


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    random = np.random.default_rng(0)
    n = 400
    answered, right = random.random(n) < 0.7, random.random(n) < 0.4
    return pd.DataFrame({
        "benchmark": "b", "item_id": [f"i{i}" for i in range(n)], "model": "m", "method": "da",
        "choice": np.where(answered, "A", None), "why": "x", "correct": answered & right, "subject": random.choice(list("abcdefg"), n),
        "category": random.choice(list("XY"), n),
    })  # fmt: skip


def test_a_users_own_results_are_consistent(answers):
    results = metrics.score(answers)
    found = audit.run(results)
    assert found["ok"].all(), found[~found["ok"]]
    assert {"range", "average", "accuracy at most response rate", "conditional accuracy"} <= set(found["check"])
    broken = results.copy()
    broken.loc[(broken["group"] == "subjects") & (broken["metric"] == "accuracy"), "value"] += 3
    assert failing(audit.run(broken), "average") > 0


FOUND = {  # check -> how many printed numbers cannot be right beside the others
    "tlue": {"conditional accuracy": 8, "caa at least da": 2, "average": 4, "random baseline": 24, "category mapping": 2},
    "khayyam": {"row of its own": 18},  # three closed models, the regex rows in six tables of other methods
    "cmmlu_leaderboards": {"average": 23, "average by another definition": 6, "row of its own": 1},
    "seaexam_seabench": {"total": 1},
    "xiezhi": {"mrr within its hits": 5, "order of ranks": 7},
}


@pytest.mark.parametrize("paper", FOUND)
def test_the_papers(paper):
    findings = of_paper(paper)
    wrong = findings.loc[~findings["ok"], "check"].value_counts().to_dict()
    assert wrong == FOUND[paper]
    assert len(findings) > 400
    assert list(findings) == audit.COLUMNS
    table = audit.summary(findings)
    assert table["tested"].sum() == len(findings) and table["failing"].sum() == sum(FOUND[paper].values())


def test_an_average_by_another_definition_is_told_apart_from_a_wrong_one():
    groups = {"A": 10.0, "B": 20.0, "C": 60.0}
    averages = {"m1": 37.5, "m2": 30.0, "m3": 50.0}  # by weights, plain, neither
    rows = [{"model": m, "group": g, "value": v} for m in averages for g, v in groups.items()]
    rows += [{"model": m, "group_by": "average", "group": "printed", "value": v} for m, v in averages.items()]
    told = {"b": {"over subjects": pd.Series({"A": 1.0, "B": 1.0, "C": 2.0}), "plain": None}}
    found = audit.run(frame(rows), definitions=told).query("check.str.startswith('average')").set_index("model")
    assert found["ok"].to_dict() == {"m1": True, "m2": False, "m3": False}
    assert found.loc["m2", "check"] == "average by another definition" and "over subjects" in found.loc["m2", "why"]
    assert found.loc["m3", "check"] == "average" and found.loc["m3", "expected"] == pytest.approx(37.5)


def test_a_row_that_repeats_another_is_found_and_a_table_printed_again_is_none():
    rows = [
        {"model": m, "setting": s, "artifact": a, "group": g, "value": v + (m == "m2") + (m == "m3" and s == "s2")}
        for a, s in (("table_01", "s1"), ("table_02", "s2"))
        for m in ("m1", "m2", "m3")
        for g, v in zip("ABCD", (11.5, 22.5, 33.5, 44.5), strict=True)
    ]
    found = audit.run(frame(rows)).query("check == 'row of its own' and not ok")
    assert set(zip(found["model"], found["setting"], strict=True)) == {("m3", "s1"), ("m1", "s2"), ("m2", "s2"), ("m3", "s2")}
    again = [
        row | {"value": row["value"] + 5 * (row["model"] == "m3")}
        for row in rows
        if row["model"] != "m3" or row["setting"] == "s1"
    ]
    copies = [row | {"setting": "s2", "artifact": "table_02"} for row in again if row["setting"] == "s1"]
    found = audit.run(frame([row for row in again if row["setting"] == "s1"] + copies)).query("check == 'row of its own'")
    assert found["ok"].all() and len(found) == 6


def test_planted_errors_in_a_printed_table_are_found(monkeypatch):
    results = published.results("seaexam_seabench")
    one = (results["artifact"] == "table_02") & (results["group"] == "printed") & (results["model"] == "Qwen2-7B")
    results.loc[one, "value"] += 1
    monkeypatch.setattr(published, "results", lambda paper: results.copy())
    wrong = of_paper("seaexam_seabench").query("not ok")["check"].value_counts()
    assert wrong["average"] == 2 and wrong["printed twice"] == 2  # accuracy and score


def test_unknown_paper():
    with pytest.raises(DataError, match="no such paper"):
        of_paper("tleu")


def test_averages_of_unknown_weights_hold_each_other():
    random = np.random.default_rng(2)
    weights, rows = np.array([0.5, 0.2, 0.3]), []
    for k in range(20):
        parts = np.round(random.uniform(20, 90, 3), 1)
        rows += [{"model": f"m{k}", "group": g, "value": v, "decimals": 1} for g, v in zip("ABC", parts, strict=True)]
        rows.append(
            {"model": f"m{k}", "group_by": "average", "group": "printed", "value": round(parts @ weights, 1), "decimals": 1}
        )
    found = audit.run(frame(rows)).query("check == 'average'")
    assert len(found) == 20 and found["ok"].all()
    rows[43]["value"] += 4  # still between its groups
    found = audit.run(frame(rows)).query("check == 'average' and not ok")
    assert found["model"].tolist() == ["m10"]
    assert audit.run(frame(rows[:8])).query("check == 'average'").empty  # two models tell nothing
