"""Checks of single papers and of facts, on made-up numbers whose answer is known."""

import pandas as pd
import pytest

from analysis.claims import checks, evidence
from analysis.claims.terms import Numbers
from analysis.claims.verdicts import CONTRADICTED, NOT_CHECKABLE, REPRODUCED
from analysis.papers import published
from tests.conftest import refused


def numbers(rows: list[dict], paper: str = "xiezhi") -> Numbers:
    printed = evidence.evidence("xiezhi").query("artifact == 'table_07'").head(1)
    fixed = {"paper": paper, "artifact": "t", "model": "m", "setting": "s", "metric": "accuracy"}
    base = printed.to_dict("records")[0] | fixed | {"suspect": False}
    frame = pd.DataFrame([base | row for row in rows])
    return Numbers(frame.assign(printed=frame["value"].map(str)), paper)


def ask(table: Numbers, spec: dict) -> str:
    return checks.run(table, spec).verdict


@pytest.mark.parametrize(
    "metric, options, stated, verdict",
    [
        ("hit_at_4", 50, "0.080", REPRODUCED),
        ("mrr", 2, "0.75", REPRODUCED),  # (1 + 1/2) / 2
        ("mrr", 50, "0.090", REPRODUCED),
        ("mrr", 50, "0.089", CONTRADICTED),
        ("mean_rank", 50, "0.510", REPRODUCED),
    ],
)
def test_guessing(metric, options, stated, verdict):
    spec = {"guessing": {"metric": metric, "options": options, "stated": stated}}
    assert ask(numbers([{"value": 1.0}]), spec) == verdict


def test_belongs():
    table = numbers([{"model": "LLaMA-7B", "value": 1.0}, {"model": "GPT-4", "value": 1.0}])
    spec = {"of": {"artifact": "t"}, "column": "family", "to": ["LLaMA"]}
    assert ask(table, {"belongs": spec}) == CONTRADICTED
    closed = spec | {"leave_out": {"access": ["closed"]}}
    assert ask(table, {"belongs": closed}) == REPRODUCED
    nobody = spec | {"leave_out": {"access": ["closed", "open"]}}
    assert ask(table, {"belongs": nobody}) == NOT_CHECKABLE


def test_p_matches():
    rows = [{"metric": "t", "value": 2.0}, {"metric": "p", "value": 0.046}]
    spec = {"p_matches": {"of": {"artifact": "t"}, "statistic": "t", "p": "p"}}
    assert ask(numbers(rows, "khayyam"), spec) == REPRODUCED  # 2 (1 - Phi(2)) = 0.0455
    rows[1]["value"] = 0.06
    assert ask(numbers(rows, "khayyam"), spec) == CONTRADICTED


def test_one_ranking():
    rows = [
        {"metric": m, "value": v} for m, v in (("hit_at_1", 0.1), ("hit_at_4", 0.4), ("mrr", 0.3))
    ]
    spec = {"one_ranking": {"of": {"artifact": "t"}, "each": ["model"]}}
    assert ask(numbers(rows), spec) == REPRODUCED  # at most 0.1 + 0.3 / 2 + 0.6 / 5 = 0.37
    rows[2]["value"] = 0.38
    assert ask(numbers(rows), spec) == CONTRADICTED
    guessed = [row | {"model": "Random", "value": 0.9} for row in rows]  # no ranking of a model
    assert checks.run(numbers(rows + guessed), spec).found == "0 of 1 fit"


def test_a_selection_is_one_number_of_text():
    table = numbers([{"model": "a", "value": 1.0}, {"model": "b", "value": 2.0}])
    with refused("2 numbers, not one"):
        table.one({"artifact": "t"})
    with refused("quote it"):
        table.one({"group": False})  # what YAML makes of OFF
    with refused("no such column of the printed numbers 'colour'"):
        table.one({"colour": "red"})
    with refused("no term"):
        table.term("a")


def test_arithmetic_of_terms():
    third = {"model": "c", "value": 3.0, "source": "digitized", "artifact": "u"}
    table = numbers([{"model": "a", "value": 1.0}, {"model": "b", "value": 3.0}, third])
    a, b, missing = {"model": "a"}, {"model": "b"}, {"model": "b", "source": "digitized"}
    for operation, expected in {"mean": 2, "sum": 4, "range": 2, "max": 3, "count": 2}.items():
        assert table.term({operation: {"artifact": "t"}}).value == expected
    for term, expected in (
        ({"count": missing}, 0),
        ({"minus": [a, b]}, -2),
        ({"over": [b, {"minus": [b, 1]}]}, 1.5),
        ({"mean": [a, 5]}, 3),
    ):
        assert table.term(term).value == expected
    assert table.term({"mean": missing}) is None is table.term({"minus": [a, missing]})


def test_damaged_cells_never_feed_a_claim():
    assert numbers([{"value": 1.0, "suspect": True}]).one({"artifact": "t"}) is None
    for paper in ("xiezhi", "khayyam"):
        frame = evidence.evidence(paper)
        table = Numbers(frame, paper)
        used = table.rows({"artifact": [str(name) for name in frame["artifact"].unique()]})
        assert frame["suspect"].any()
        assert not frame.loc[used, "suspect"].any()


def test_labels_are_more_balanced_where_the_margins_change_places(monkeypatch):
    spec = {"more_balanced": {"judge": "GPT-4o", "votes_each": 600}}
    frame = published.results("seaexam_seabench")
    printed = Numbers(evidence.evidence("seaexam_seabench"), "seaexam_seabench")
    assert ask(printed, spec) == CONTRADICTED
    setting = frame["setting"]
    for one, other in (
        ("margin 0", "margin x"),
        ("margin 1", "margin 0"),
        ("margin x", "margin 1"),
    ):
        setting = setting.str.replace(one, other)
    monkeypatch.setattr(published, "results", lambda paper: frame.assign(setting=setting))
    outcome = checks.run(printed, spec)
    assert outcome.found.startswith("less balanced in 0 of 3")
