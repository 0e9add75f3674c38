"""How far an error reaches: one request, the account, the server, the address; and what is an
answer at all.
"""

import gzip
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from functools import partial

import pytest

from analysis import paths
from runners import cache, status, transport
from runners.journal import Journal
from tests.runners import loopback
from tests.runners.raw_server import good, http, speaking
from tests.runners.shell import until
from tests.runners.test_openai_api import hold, load, permanent, plans


def brackets(n: int) -> str:
    return "[" * n + "]" * n


def chosen(**fields):
    """A reply whose choice has other fields."""

    def reply(body):
        answer = json.loads(good(body))
        answer["choices"][0] |= fields
        return http(json.dumps(answer).encode())

    return reply


def scored(logprob):
    return chosen(logprobs={"content": [{"token": "A", "logprob": logprob}]})


def used(usage):
    """A reply that counts tokens so."""
    return lambda body: http(good(body, usage=usage))


def nested(levels: int) -> dict:
    value: dict = {}
    for _ in range(levels):
        value = {"a": value}
    return value


ODD = {  # an "error" is one that asking again does not mend
    "NaN": used({"total_tokens": float("nan")}),
    "list for a reason": chosen(finish_reason=["stop"]),
    "infinite logprob": scored(float("-inf")),
    "logprob of text": scored("high"),
    "deeper list": lambda body: http(
        good(body)[:-1] + f', "usage": {brackets(100_000)}}}'.encode()
    ),
    "bomb": lambda body: http(gzip.compress(b" " * (1 << 20)), "Content-Encoding: gzip"),
    "endless": used({"a": "x" * (1 << 17)}),
    "deep usage": used(nested(900)),
    "deep error": lambda body: http(f'{{"error": {brackets(900)}}}'.encode(), status="400 No"),
    "utf-16": lambda body: with_charset("utf-16"),
    "no status": lambda body: b"HTTP/1.1 999999 what\r\n\r\n",
    "negative length": lambda body: b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
    "list": lambda body: http(brackets(100).encode()),
    "NUL": lambda body: http(b"\0" * 40),
    "usage of text": used("seven"),
    "choices of numbers": lambda body: http(b'{"choices": [1, 2]}'),
}


def with_charset(name: str) -> bytes:
    reply = http("{'error': 'nö'}".encode("utf-16"), status="500 Server Error")
    return reply.replace(b"application/json", f"application/json; charset={name}".encode())


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_reply_is_one_failure_and_replies_in_flight_are_kept(journal, odd, monkeypatch):
    monkeypatch.setattr(transport, "LARGEST", 1 << 16)

    def reply(body):
        if body["messages"][-1]["content"] == "question 3 turn 0":
            return ODD[odd](body)
        return http(good(body))

    with speaking(reply) as server:
        outcome = hold(server, journal, plans(15), retries=1, timeout=10)
    assert (outcome.finished, outcome.failed, outcome.stopped) == (14, 1, None)
    assert permanent(journal) == ("error" in odd)
    assert status.coverage([load(journal)], {}.get, ["benchmark"])["failed"].tolist() == [1]


ACCOUNT = [
    '402 {"error": {"message": "Insufficient Balance"}}',
    '400 {"error": {"message": "API key expired. Please renew the API key."}}',
    '429 {"error": {"message": "no", "code": "insufficient_quota"}}',
    "413 <html>Request Entity Too Large</html>",
    '400 {"error": {"message": "words that nobody foresaw"}}',
]


@pytest.mark.parametrize("fault", ACCOUNT)
def test_an_empty_account_leaves_nothing_that_is_not_asked_again(journal, fault):
    with loopback.serving(script=[None] * 20 + [fault] * 300) as server:
        outcome = hold(server, journal, plans(100), retries=1, concurrency=4)
        if "413" not in fault:  # is about its request, and yet may pass elsewhere
            assert outcome.stopped
            assert sum(server.asked.values()) < 100
        assert outcome.finished == 20
        assert permanent(journal) == 0
        server.script.clear()  # topped up
        assert hold(server, journal, plans(100), concurrency=4).finished == 80


def test_an_answer_asked_for_before_a_refusal_says_nothing_of_it(journal):
    def reply(body):
        if "question 0 turn 0" not in json.dumps(body):
            return http(b"{}", status="400 No")
        time.sleep(0.3)
        return http(good(body))

    with speaking(reply) as server:
        outcome = hold(server, journal, plans(100), retries=1)
    assert (outcome.finished, permanent(journal)) == (1, 0)


def test_a_host_that_is_none_fails_at_once(journal):
    started = time.monotonic()
    server = type("Nowhere", (), {"url": "http://no-such-host.invalid/v1"})
    outcome = hold(server, journal, plans(20), timeout=30)
    assert "address: " in outcome.stopped
    assert time.monotonic() - started < 10
    assert permanent(journal) == 0


def test_a_certificate_of_somebody_else_fails_at_once(journal, tmp_path):
    made = subprocess.run(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=other",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("no openssl")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with loopback.serving() as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        secure = type("Secure", (), {"url": server.url.replace("http:", "https:")})
        outcome = hold(secure, journal, plans(20), timeout=30)
    assert "address: " in outcome.stopped
    assert "certificate" in outcome.stopped
    assert outcome.attempts < 20


NO_ANSWERS = [
    {"finish_reason": "error"},
    {"finish_reason": "tool_calls", "message": {"content": None, "tool_calls": [{}]}},
    {"error": {"message": "upstream"}},
    {"message": {"content": " \n"}},
    {"message": {"content": "\0\0"}},
]


@pytest.mark.parametrize("choice", NO_ANSWERS)
def test_what_is_no_answer_is_a_failure_and_asked_again(journal, choice):
    with speaking(chosen(**choice)) as server:
        outcome = hold(server, journal, plans(1), retries=1, timeout=10)
        assert (outcome.failed, permanent(journal), len(server.asked)) == (1, 0, 2)
    with speaking(lambda body: http(good(body))) as server:
        assert hold(server, journal, plans(1), retries=1, timeout=10).finished == 1
    assert load(journal)["error"].isna().all()


def test_a_proxy_is_asked_where_the_environment_names_one(journal, monkeypatch):
    with loopback.serving() as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        nowhere = type("Nowhere", (), {"url": "http://no-such-host.invalid/v1"})
        assert hold(nowhere, journal, plans(3), timeout=10).finished == 3
        monkeypatch.setenv("no_proxy", "no-such-host.invalid")
        assert "address: " in hold(nowhere, journal, plans(5), timeout=10).stopped


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_nothing_of_a_plan_that_is_ended_goes_on_asking(tmp_path, ending):
    """SIGTERM keeps what was in flight; the others end it at once, with all that it started."""
    rows = "".join(f"{i},what {i}?,x,y,A\n" for i in range(2000))
    (tmp_path / "q.csv").write_text("id,question,A,B,answer\n" + rows)
    env = os.environ | {
        "POLYEXAM_DATA": tmp_path / "data",
        "PYTHONPATH": paths.ROOT,
    }
    command = [sys.executable, "-m", "polyexam"]
    described = "items describe q.csv --name own --set language=en".split()
    subprocess.run([*command, *described], env=env, cwd=tmp_path, check=True)
    with loopback.serving(latency=0.1) as server:
        models = [{"name": name, "base_url": server.url} for name in ("one", "two")]
        plan = tmp_path / "runs.yaml"
        plan.write_text(json.dumps({"models": models, "benchmarks": ["own"]}))
        heard = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # whatever nohup says
        with subprocess.Popen([*command, "run", plan], env=env, preexec_fn=heard) as run:
            until(lambda: len(server.asked) > 10)
            run.send_signal(signal.Signals[ending])
        time.sleep(0.3)  # what was sent before is counted
        asked = server.asked.total()
        time.sleep(1)
        assert server.asked.total() == asked < 2000
    kept = len(Journal(cache.file("own", "one")))
    if ending == "SIGTERM":
        assert (run.returncode, kept) == (130, asked)
    else:
        assert run.returncode == -signal.Signals[ending]
        assert asked - 2 * 8 <= kept <= asked  # eight in flight, eight about to be written
    assert not cache.file("own", "two").exists()
