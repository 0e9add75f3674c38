import pandas as pd
import pytest

from analysis.errors import DataError
from analysis.items import prompts
from runners import cache, judge, openai_api, run, transfer
from runners.journal import Journal
from runners.spec import RunSpec
from tests import frames
from tests.runners import loopback

SPEC = RunSpec(model="model")


@pytest.fixture
def items() -> pd.DataFrame:
    metadata = {
        "turns": ["first {question}?", "second?"],
        "references": ["ref one", None],
        "aspects": "brevity",
    }
    return frames.items(
        2,
        0,
        benchmark="own",
        item_id=["id-1", "id-2"],
        question=["first {question}?", "alone?"],
        metadata=[metadata, {}],
        answer=None,
    )


@pytest.fixture
def outputs() -> pd.DataFrame:
    def made(item_id, turn, response, **more):
        request = {
            "runner": "t",
            "model": "m",
            "revision": "1",
            "benchmark": "own",
            "item_id": item_id,
            "n": turn,
        }
        return cache.record(request, response=response, turn=turn, **more)

    records = [
        made("id-1", 1, "{answer} one"),
        made("id-1", 2, "two"),
        made("id-2", None, "solo"),
        made("id-9", 1, "no item"),
    ]
    transfer.take(records)
    return cache.read("own")


USUAL = [prompts.template(name) for name in ("judge", "judge_turn_2")]
BASE = {"runner": "openai", "model": "model", "revision": "r", "kind": "chat", "params": {}}


def test_the_judge_sees_question_reference_and_answer_of_its_turn(items, outputs):
    first, second, alone = judge.conversations(items, outputs, BASE, USUAL, "judge")
    question, answer = "first {question}?", "{answer} one"
    for plan, parts in (
        (first, (question, "ref one", answer, "brevity")),
        (second, (question, answer, "second?", "two", judge.NO_REFERENCE)),
        (alone, (judge.NO_ASPECTS,)),
    ):
        text = plan.request()["messages"][-1]["content"]
        assert all(part in text for part in parts)
    assert second.columns == {"judged": "m", "turn": 2, "setting": "judge"}
    assert len({plan.request()["judged_key"] for plan in (first, second, alone)}) == 3


def test_judgments_are_outputs_and_resume(items, outputs):
    path = cache.file("own" + judge.SUFFIX, "model")
    plans = judge.conversations(items, outputs, BASE, USUAL, "judge")
    with loopback.serving(reply=lambda prompt: "good [[7]]", script=[None, "500"]) as server:
        for count, expected in (("finished", 3), ("attempts", 0)):
            target = openai_api.Server(RunSpec(base_url=server.url, key_env="NO_SUCH_KEY"))
            assert getattr(run.ask(plans, Journal(path), target, SPEC), count) == expected
    frame = cache.read("own-judgments")
    assert frame[["judged", "turn"]].astype(str).agg("/".join, axis=1).tolist().count("m/1") == 2
    assert set(frame["response"]) == {"good [[7]]"}


def test_upstream_prompts(items, outputs):
    double = "{question_1}|{answer_1}|{question_2}|{answer_2}|{ref_answer_1}"
    _, second, _ = judge.conversations(items, outputs, BASE, ["{question}", double], "own")
    assert second.columns["setting"] == "own"
    message = {"role": "user", "content": "first {question}?|{answer} one|second?|two|ref one"}
    assert second.request()["messages"] == [message]
    with pytest.raises(DataError, match=r"wants \{nothing\}"):
        judge.conversations(items, outputs, BASE, ["{nothing}"], "own")
