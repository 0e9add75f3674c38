"""What servers sent once, each as it was met: hostile replies, bytes too many, encodings,
redirects.
"""

import time

from runners import secret
from tests.runners import loopback
from tests.runners.raw_server import good, http, speaking
from tests.runners.test_openai_api import check_answers, hold, load, plans


def test_a_server_that_ignores_logprobs_has_not_answered(journal):
    with speaking(lambda body: http(good(body))) as server:
        tally = hold(server, journal, plans(200, logprobs=True, top_logprobs=5), concurrency=2)
    assert "leave --logprobs out" in tally.stopped
    assert tally.attempts < 10
    found = load(journal)
    assert found["error"].str.startswith("no_logprobs").all()
    assert found["response"].notna().all()


def test_bytes_behind_a_reply_answer_nothing(journal):
    def reply(body):
        extra = http(good({"messages": [{"content": "another question"}]}))
        return http(good(body)) + extra

    with speaking(reply) as server:
        tally = hold(server, journal, plans(30), concurrency=2, timeout=10)
    assert tally.finished == 30
    check_answers(load(journal))


def test_a_connection_is_kept_where_nothing_is_wrong(journal, monkeypatch):
    with loopback.serving() as server:
        opened, setup = [], loopback.Handler.setup
        counted = lambda self: opened.append(setup(self))  # noqa: E731
        monkeypatch.setattr(loopback.Handler, "setup", counted)
        hold(server, journal, plans(40), concurrency=2)
    assert len(opened) <= 4


def test_a_wait_of_no_seconds_is_no_reason_to_hurry(journal):
    reply = http(
        b'{"error": {"message": "slow down"}}', "Retry-After: 0", status="429 Too Many Requests"
    )
    started = time.monotonic()
    with speaking(lambda body: reply) as server:
        tally = hold(server, journal, plans(1), {"first": 0.1}, retries=3, timeout=10)
    assert tally.attempts == 4
    assert time.monotonic() - started > 0.7


def test_redirects_are_not_followed(journal):
    with loopback.serving() as other:
        moved = http(
            b"", f"Location: {other.url}/chat/completions", status="307 Temporary Redirect"
        )
        with speaking(lambda body: moved) as server:
            tally = hold(server, journal, plans(50), concurrency=2, timeout=10)
        assert not other.asked
    assert "redirect" in tally.stopped
    assert other.url in tally.stopped


def test_a_key_written_a_token_at_a_time_does_not_reach_the_cache():
    parts = [loopback.KEY[i : i + 4] for i in range(0, len(loopback.KEY), 4)]
    scores = {"tokens": ["the ", *parts, "."], "top": [[[part, -1.0]] for part in parts]}
    cleaned = secret.clean({"response": f"the {loopback.KEY}.", "scores": scores}, loopback.KEY)
    assert cleaned == {"response": f"the {secret.HIDDEN}.", "scores": None}
    kept = {"response": "fine", "scores": {"tokens": ["the ", parts[0]]}}
    assert secret.clean(kept, loopback.KEY) == kept
