"""The OpenAI-compatible runner against a real server that fails in every way a server can."""

import asyncio
import json
from time import monotonic, sleep

import pandas as pd
import pytest

from runners import cache, openai_api, prompt, secret
from runners.flow import Flow
from runners.progress import Progress
from runners.spec import RunSpec
from tests.runners import loopback

QUICK = {"first": 0.01, "longest": 0.05}


BASE = {"runner": "openai", "revision": "r", "benchmark": "b"}


def plans(n: int, turns=1, kind="chat", model="model", system=None, **params) -> list:
    base = BASE | {"model": model, "kind": kind, "params": params}
    return [
        prompt.Conversation(
            base | {"item_id": f"s/{i}"},
            tuple(f"question {i} turn {t}" for t in range(turns)),
            system,
        )
        for i in range(n)
    ]


def hold(server, journal, todo, waits=QUICK, timeout=0.5, retries=30, **fields):
    fields |= {"timeout": timeout, "retries": retries}
    spec = RunSpec(base_url=server.url, key_env="LOOPBACK_KEY", **fields)
    connection = openai_api.Server(spec)

    async def work():
        async with connection:
            flow = Flow(connection, journal, spec, Progress(0, ""))
            vars(flow).update(waits)
            return await flow.run(todo)

    return asyncio.run(work())


def permanent(journal) -> int:
    """Failures that asking again will not mend."""
    return sum(map(cache.PERMANENT.__contains__, journal.failures.values()))


def load(journal) -> pd.DataFrame:
    return cache.read(folder=journal.path.parent.parent)


def check_answers(frame: pd.DataFrame) -> None:
    """Every answer belongs to its question."""
    for row in frame.itertuples():
        assert row.response == loopback.answer_to(row.request["messages"][-1]["content"])


def test_every_fault_is_survived_and_every_answer_belongs_to_its_question(journal):
    with loopback.serving(faults=loopback.FAULTS, share=0.5, seed=1, key=loopback.KEY) as server:
        tally = hold(server, journal, plans(150))
    frame = load(journal)
    assert set(server.did) == {*loopback.FAULTS, "good"}, "the draw left a fault out"
    assert len(frame) == tally.finished == 150
    assert tally.failed == 0
    assert frame["error"].isna().all()
    check_answers(frame)
    assert tally.attempts == sum(server.asked.values())
    faults = sum(n for name, n in server.did.items() if name not in ("good", "slow"))
    assert sum(tally.faults.values()) == faults
    assert len(journal.path.read_bytes().splitlines()) == 150  # nothing doubled


@pytest.mark.parametrize(
    "fault, kind, again",
    [
        ("429", "rate_limit", True),
        ("500", "server", True),
        ("reset", "connection", True),
        ("truncated", "connection", True),
        ("hang", "timeout", True),
        ("malformed", "malformed", True),
        ("html", "malformed", True),
        ("no choices", "malformed", True),
        ("null content", "empty", True),
        ('400 {"error": {"message": "context too long"}}', "bad_request", False),
        ('400 {"error": {"message": "no", "code": "content_filter"}}', "content_filter", False),
        ('say {"refusal": "I cannot", "content": null}', "refusal", False),
    ],
)
def test_what_does_not_mend_becomes_a_record_and_is_tried_in_the_next_run(
    journal, fault, kind, again
):
    with loopback.serving(script=[fault] * 3) as server:
        tally = hold(server, journal, plans(1), timeout=0.3, retries=2)
        assert tally.attempts == (3 if again else 1)
        assert tally.failed == 1
        assert tally.finished == 0
        (row,) = load(journal).itertuples()
        assert row.error.startswith(kind)
        assert pd.isna(row.response)
        server.script.clear()
        assert again or hold(server, journal, plans(1)).attempts == 0
        assert hold(server, journal, plans(1), again=not again).finished == 1
        assert hold(server, journal, plans(1)).attempts == 0
    assert load(journal)["error"].isna().all()


def test_retry_after_is_honoured_by_all_requests(journal, monkeypatch):
    with loopback.serving(script=["429 with Retry-After"]) as server:
        original = loopback.Handler.send

        def send(self, status, body, headers=(), length=None):
            if status == 200:
                sleep(0.2)  # so that the refusal is read before the reply to the request in flight
            wait = [("Retry-After", "0.6")] if status == 429 else headers
            return original(self, status, body, wait, length)

        monkeypatch.setattr(loopback.Handler, "send", send)
        hold(server, journal, plans(6), concurrency=2)
        gaps = sorted(later - server.times[0] for later in server.times[1:])
    assert sum(gap < 0.55 for gap in gaps) <= 1  # at most the one that was in flight beside it


def test_a_wait_longer_than_patience_is_a_failure_at_once(journal):
    started = monotonic()
    with loopback.serving(script=["429 with Retry-After"]) as server:
        tally = hold(server, journal, plans(1), {"asked": 0.01})
    assert tally.failed == 1
    assert tally.attempts == 1
    assert monotonic() - started < 5


@pytest.mark.parametrize(
    "model, right_key, kind",
    [("wrong", True, "not_found"), ("model", False, "authentication")],
)
def test_the_breaker_stops_what_no_waiting_mends(journal, monkeypatch, model, right_key, kind):
    if not right_key:
        monkeypatch.setenv("LOOPBACK_KEY", "sk-wrong-0123456789")
    with loopback.serving(key=loopback.KEY) as server:
        tally = hold(server, journal, plans(200, model=model), concurrency=2)
    assert tally.attempts <= 5
    assert kind in tally.stopped
    assert "0123456789" not in tally.stopped + journal.path.read_text()


def test_no_key_ever_reaches_the_cache(journal):
    echo = 'say {"content": "your key is %s"}' % loopback.KEY  # noqa: UP031
    with loopback.serving(
        script=[echo, f"400 {loopback.KEY}", f'500 {{"error": "Bearer {loopback.KEY}"}}']
    ) as server:
        hold(server, journal, plans(3), retries=0, concurrency=1)
    text = journal.path.read_text()
    assert loopback.KEY not in text
    assert text.count("[hidden]") >= 3


def test_a_placeholder_for_a_key_changes_no_answer(journal, monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", "EMPTY")
    with loopback.serving(reply=lambda prompt: "the set is EMPTY") as server:
        hold(server, journal, plans(1))
    assert load(journal)["response"].tolist() == ["the set is EMPTY"]


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdef0123456789",
        "{'api_key': 'abcdef0123456789'}",
        "Incorrect API key provided: sk-proj-abcdef0123456789.",
        "http://user:abcdef0123456789@host/v1",
        "hf_abcdef0123456789",
    ],
)
def test_what_looks_like_a_key_is_hidden(text):
    assert "abcdef0123456789" not in secret.scrub(text)
    assert "[hidden]" in secret.scrub(text)
    assert (
        secret.scrub("no key here: 429 slow down, 3 tokens: a, b")
        == "no key here: 429 slow down, 3 tokens: a, b"
    )


def test_turns_build_on_the_answers_and_resume_in_the_middle(journal):
    with loopback.serving(script=[None, "400 no"]) as server:
        todo = plans(1, turns=3, system="Be brief.")
        hold(server, journal, todo, concurrency=1)
        assert load(journal)["turn"].tolist() == [1, 2]
        hold(server, journal, todo, concurrency=1, again=True)
    frame = load(journal).sort_values("turn")
    roles = [message["role"] for message in frame["request"].iloc[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert frame["request"].iloc[-1]["messages"][2]["content"] == frame["response"].iloc[0]
    assert server.asked["question 0 turn 0"] == 1
    assert server.asked["question 0 turn 1"] == 2


@pytest.mark.parametrize("kind", ["chat", "completions"])
def test_parameters_are_sent_and_logprobs_kept(journal, kind):
    with loopback.serving() as server:
        hold(server, journal, plans(1, kind=kind, logprobs=2, max_tokens=5, top_k=3))
    assert {"max_tokens": 5, "top_k": 3, "logprobs": 2}.items() <= server.bodies[0].items()
    assert "messages" not in server.bodies[0] or all(
        m["role"] != "system" for m in server.bodies[0]["messages"]
    )
    scores = load(journal)["scores"].iloc[0]
    assert scores == {"tokens": ["A"], "logprobs": [-0.1], "top": [[["A", -0.1], ["B", -2.5]]]}


TIBETAN = "\u0f56\u0f7c\u0f51".encode()
FIRST, SECOND = ([byte] for byte in TIBETAN[:2])  # neither is a letter alone
TOP = [
    {"token": "\ufffd", "bytes": FIRST, "logprob": -0.1},
    {"token": "\ufffd", "bytes": SECOND, "logprob": -2.0},
    {"token": "A", "bytes": [65], "logprob": -3.0},
]
LLAMA = {"content": [TOP[0] | {"top_logprobs": TOP}]}  # of llama.cpp, under /v1/completions too


@pytest.mark.parametrize("kind", ["chat", "completions"])
def test_alternatives_with_the_same_text_are_all_kept(journal, monkeypatch, kind):
    good = loopback.Handler.good

    def scored(self, body, prompt, **message):
        reply = good(self, body, prompt, **message)
        reply["choices"][0]["logprobs"] = LLAMA
        return reply

    monkeypatch.setattr(loopback.Handler, "good", scored)
    with loopback.serving() as server:
        hold(server, journal, plans(1, kind=kind, logprobs=3, top_logprobs=3))
    assert load(journal)["scores"].iloc[0] == {
        "tokens": ["\ufffd"],
        "logprobs": [-0.1],
        "bytes": {"0": FIRST},
        "top": [[["\ufffd", -0.1, FIRST], ["\ufffd", -2.0, SECOND], ["A", -3.0]]],
    }


def test_the_reply_is_kept_where_that_is_asked(journal):
    with loopback.serving() as server:
        hold(server, journal, plans(1), keep_reply=True)
    usage = load(journal)["usage"].iloc[0]
    assert usage["reply"]["choices"][0]["finish_reason"] == "stop"


def test_reasoning_truncation_and_what_the_server_served(journal, monkeypatch):
    says = 'say {"content": "", "reasoning_content": "hm"}'
    with loopback.serving(script=[says]) as server:
        good = loopback.Handler.good

        def cut(self, body, prompt, **message):
            return json.loads(
                json.dumps(good(self, body, prompt, **message)).replace("stop", "length")
            )

        monkeypatch.setattr(loopback.Handler, "good", cut)
        hold(server, journal, plans(1))
    (row,) = load(journal).itertuples()
    assert (row.response, row.reasoning, row.finish_reason) == ("", "hm", "length")
    assert row.usage == {"total_tokens": 7, "model": "served"}


def test_a_lone_surrogate_in_a_prompt_is_a_failure_not_a_crash(journal):
    plan = prompt.Conversation(plans(1)[0].base, ("half \ud800",))
    with loopback.serving() as server:
        assert hold(server, journal, [plan]).failed == 1
    assert load(journal)["error"].iloc[0].startswith("unsendable")
