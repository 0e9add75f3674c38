"""What went wrong once, each as it was met: full windows of failures, hostile replies, writers that share a folder."""

import asyncio
import contextlib
import gzip
import json
import multiprocessing
import os
import signal
import socket
import threading
import time
import zipfile
from itertools import takewhile

import pytest

from analysis.errors import DataError
from analysis.outputs import copies
from runners import cache, openai_api, options, secret, status, transfer, transport
from runners.flow import Flow, Patience
from runners.journal import Journal, records
from runners.request import canonical
from tests.runners import loopback
from tests.runners.test_cache import made, write
from tests.runners.test_openai_api import QUICK, hold, load, plans


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "b" / "model.jsonl")


@contextlib.contextmanager
def speaking(reply):
    """A server on loopback that answers each request with the bytes `reply(body)` gives, on one connection as long as it likes."""
    listening = socket.create_server(("127.0.0.1", 0))
    ended, asked = threading.Event(), []

    def serve(connection):
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as lines:
            while head := list(takewhile(bytes.strip, lines)):
                length = next(int(h.split(b":")[1]) for h in head if h.lower().startswith(b"content-length"))
                body = json.loads(lines.read(length))
                asked.append(body)
                connection.sendall(reply(body))

    def accept():
        while not ended.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield type("Speaking", (), {"url": f"http://127.0.0.1:{listening.getsockname()[1]}/v1", "asked": asked})
    finally:
        ended.set()
        listening.close()


def good(body, **more) -> bytes:
    answer = {"choices": [{"message": {"content": loopback.answer_to(body["messages"][-1]["content"])}, "finish_reason": "stop"}]}
    return json.dumps(answer | more).encode()


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def _heal(server, seconds: float) -> None:
    """End the faults so long after the first request."""
    ended = time.monotonic() + 60
    while not server.times and time.monotonic() < ended:
        time.sleep(0.01)
    time.sleep(seconds)
    server.share = 0.0


@pytest.mark.parametrize("concurrency", [64, 256])
@pytest.mark.parametrize("fault", ["503", "429"])
def test_a_window_of_failures_is_survived_at_any_concurrency(journal, concurrency, fault):
    with loopback.serving() as server:
        server.faults, server.share = [fault], 1.0
        healed = threading.Thread(target=_heal, args=(server, 0.5))
        healed.start()
        tally = hold(server, journal, plans(400), Patience(retries=6, first=0.1, longest=1), concurrency=concurrency, timeout=20)
        healed.join()
    assert tally.stopped is None and tally.finished == 400 and sum(tally.faults.values()) > 50


@pytest.mark.parametrize(
    "says",
    [
        {"usage": {"total_tokens": float("nan")}},
        {"usage": {"a": float("inf")}},
        {"finish_reason": 5},
        {"finish_reason": ["stop"]},
        {"logprob": float("-inf")},
        {"logprob": "high"},
        {"deep": 500},
        {"deep": 100_000},
    ],
)
def test_a_hostile_reply_is_one_failure_and_the_rest_is_kept(journal, says):
    def reply(body):
        if body["messages"][-1]["content"] != "question 3 turn 0":
            return http(good(body))
        answer = json.loads(good(body))
        answer |= {"usage": says["usage"]} if "usage" in says else {}
        if "finish_reason" in says:
            answer["choices"][0]["finish_reason"] = says["finish_reason"]
        if "logprob" in says:
            answer["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": says["logprob"]}]}
        text = json.dumps(answer)
        if "deep" in says:
            text = text[:-1] + ', "usage": {"a": ' + "[" * says["deep"] + "]" * says["deep"] + "}}"
        return http(text.encode())

    with speaking(reply) as server:
        tally = hold(server, journal, plans(40), Patience(retries=1, first=0.01, longest=0.01), timeout=10)
    assert (tally.finished, tally.failed, tally.stopped) == (39, 1, None)
    frame = load(journal)
    assert frame["error"].dropna().str.startswith("malformed").tolist() == [True]
    assert status.coverage(frame)["failed"].tolist() == [1]


def test_a_dead_writer_stops_the_run(journal, monkeypatch):
    monkeypatch.setattr(journal, "write", lambda batch: 1 / 0)
    with loopback.serving() as server:
        tally = hold(server, journal, plans(500), concurrency=4)
        assert "the writer failed" in tally.stopped and sum(server.asked.values()) < 50


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"finish_reason": 5}, "finish_reason"),
        ({"finish_reason": ["stop"]}, "finish_reason"),
        ({"model": "half \ud800"}, "model"),
        ({"usage": {"n": float("nan")}}, None),
        ({"scores": [1]}, "scores"),
        ({"turn": "1"}, "turn"),
        ({"response": 5}, "response"),
        ({"benchmark": ""}, "benchmark"),
        ({"more": 1}, "more"),
    ],
)
def test_every_door_checks_records(tmp_path, change, field):
    bad = made(1, response="A") | change
    for door in (lambda: Journal(tmp_path / "b" / "m.jsonl").append([bad]), lambda: transfer.write([bad], tmp_path)):
        with pytest.raises(DataError) as failure:
            door()
        assert failure.value.field == field
    assert not list(tmp_path.rglob("*.jsonl"))
    other = tmp_path / "other" / "b" / "m.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps(made(1, response="A") | change) + "\n")
    with pytest.raises(DataError, match=r"m\.jsonl:1: is (not a record|damaged)"):
        transfer.merge([str(other.parent.parent)], tmp_path / "mine")


def test_merge_does_not_trust_keys(tmp_path):
    forged = made(1, response="A") | {"key": "0" * 64}
    moved = made(2, response="A")
    moved |= {"item_id": "s/3"}
    for i, bad in enumerate((forged, moved)):
        path = tmp_path / str(i) / "b" / "m.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(bad) + "\n")
        with pytest.raises(DataError, match=r"SHA-256|another one than in the request"):
            transfer.merge([str(tmp_path / str(i))], tmp_path / "mine")


def test_a_flipped_bit_is_found_wherever_it_is(tmp_path):
    write(tmp_path, made(1, response="An answer"), made(2, response="B"))
    path = cache.file("b", "m", tmp_path)
    raw = path.read_bytes()
    for place in (*range(0, raw.index(b"\n"), 7), *range(raw.index(b"\n") - 20, raw.index(b"\n"))):
        for bit in (0, 3, 5, 6):
            flipped = bytearray(raw)
            flipped[place] ^= 1 << bit
            if flipped[place] in b"\r\n" or raw[place] == 0x0A:
                continue
            path.write_bytes(flipped)
            with pytest.raises(DataError, match=r"m\.jsonl:1: is"):
                list(records(path))
            with pytest.raises(DataError, match=r"m\.jsonl:1: is"):
                Journal(path)
    with pytest.raises(DataError, match=r"m\.jsonl:1: is"):
        copies.parts(path)


def test_what_a_filter_stops_does_not_stop_the_run_and_is_asked_again_only_when_told(journal):
    script = ['400 {"error": {"message": "no", "code": "content_filter"}}'] * 80
    with loopback.serving(script=list(script)) as server:
        tally = hold(server, journal, plans(100), concurrency=4)
        assert (tally.stopped, tally.finished, tally.failed, tally.permanent) == (None, 20, 80, 80)
        assert hold(server, journal, plans(100)).attempts == 0
        assert hold(server, journal, plans(100), again=True).finished == 80


def test_a_server_that_refuses_everything_is_noticed(journal):
    with loopback.serving(faults=["400 no such parameter"], share=1.0) as server:
        tally = hold(server, journal, plans(500), concurrency=2)
    assert "refused all" in tally.stopped and tally.attempts < 60


def _own_run(url: str, path, n: int) -> None:
    server = openai_api.Server("model", base_url=url, key_env="NO_SUCH_KEY", timeout=20)

    async def work():
        async with server:
            return await Flow(server.ask, Journal(path), 4, QUICK).run(plans(n))

    tally = asyncio.run(work())
    os._exit(0 if not tally.failed and not tally.stopped else 1)


def test_writers_that_share_a_folder_share_the_work(tmp_path):
    path, context = tmp_path / "b" / "model.jsonl", multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["runners.flow", "tests.runners.test_faults"])
    with loopback.serving(latency=0.02) as server:
        writers = [context.Process(target=_own_run, args=(server.url, path, 150)) for _ in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(90)
            assert writer.exitcode == 0
        assert sum(server.asked.values()) <= 150 + 4 * 4  # asked twice: at most what was in flight
    assert len({found["key"] for found, _, _ in records(path)}) == 150


def test_status_tells_settings_and_samples_apart(tmp_path):
    def asked(number, temperature, sample, **more):
        request = {"benchmark": "b", "item_id": f"s/{number}", "model": "m", "revision": "1", "runner": "test"}
        request |= {
            "params": {"temperature": temperature},
            "sample": sample,
            "messages": [{"role": "user", "content": str(number)}],
        }
        return cache.record(request | more, response="A", setting="0-shot")

    rows = [asked(i, 0.0, 0) for i in range(5)] + [asked(i, 0.5, 0) for i in range(3)] + [asked(i, 0.5, 1) for i in range(2)]
    system = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}]
    transfer.write([*rows, asked(1, 0, 0, messages=system)], tmp_path)
    table = status.coverage(status.cached(folder=tmp_path), {"b": 5}, by=status.BY)
    assert sorted(zip(table["sample"], table["answered"], table["missing"], strict=True)) == [
        (0, 1, 4),
        (0, 3, 2),
        (0, 5, 0),
        (1, 2, 3),
    ]
    assert table["digest"].nunique() == 3
    assert copies.digest('{"a": 0.0, "b": 1}') == copies.digest('{"b": 1.0, "a": 0}') != copies.digest('{"a": 0.5, "b": 1}')


def test_a_server_that_ignores_logprobs_has_not_answered(journal):
    with speaking(lambda body: http(good(body))) as server:
        tally = hold(server, journal, plans(200, logprobs=True, top_logprobs=5), concurrency=2)
    assert "leave --logprobs out" in tally.stopped and tally.attempts < 10
    found = load(journal)
    assert found["error"].str.startswith("no_logprobs").all() and found["response"].notna().all()


def test_fewer_logprobs_than_asked_are_noted(journal):
    with loopback.serving() as server:
        hold(server, journal, plans(1, logprobs=True, top_logprobs=5))
    assert load(journal)["usage"].iloc[0]["top_logprobs"] == 2


def test_bytes_behind_a_reply_answer_nothing(journal):
    def reply(body):
        extra = http(good({"messages": [{"content": "another question"}]}))
        return http(good(body)) + extra

    with speaking(reply) as server:
        tally = hold(server, journal, plans(30), concurrency=2, timeout=10)
    assert tally.finished == 30
    for row in load(journal).itertuples():
        assert row.response == loopback.answer_to(row.request["messages"][-1]["content"])


def test_a_connection_is_kept_where_nothing_is_wrong(journal):
    with loopback.serving() as server:
        opened, finish = [], loopback.Handler.setup
        loopback.Handler.setup = lambda self: (opened.append(1), finish(self))[1]
        try:
            hold(server, journal, plans(40), concurrency=2)
        finally:
            loopback.Handler.setup = finish
    assert len(opened) <= 4


@pytest.mark.parametrize("case", ["bomb", "charset", "endless"])
def test_hostile_encodings_are_failures_of_their_requests(journal, case, monkeypatch):
    monkeypatch.setattr(transport, "LARGEST", 1 << 16)

    def reply(body):
        if body["messages"][-1]["content"] != "question 3 turn 0":
            return http(good(body))
        if case == "bomb":
            return http(gzip.compress(b" " * (64 << 20)), "Content-Encoding: gzip")
        if case == "endless":
            return http(good(body, usage={"a": "x" * (1 << 17)}))
        return http(good(body)).replace(b"application/json", b"application/json; charset=no-such-charset")

    with speaking(reply) as server:
        tally = hold(server, journal, plans(10), Patience(retries=1, first=0.01, longest=0.01), timeout=10)
    assert tally.stopped is None and tally.finished == (10 if case == "charset" else 9)


def test_a_wait_of_no_seconds_is_no_reason_to_hurry(journal):
    reply = http(b'{"error": {"message": "slow down"}}', "Retry-After: 0", status="429 Too Many Requests")
    started = time.monotonic()
    with speaking(lambda body: reply) as server:
        tally = hold(server, journal, plans(1), Patience(retries=3, first=0.1, longest=1), timeout=10)
    assert tally.attempts == 4 and time.monotonic() - started > 0.7


def test_redirects_are_not_followed(journal):
    with loopback.serving() as other:
        moved = http(b"", f"Location: {other.url}/chat/completions", status="307 Temporary Redirect")
        with speaking(lambda body: moved) as server:
            tally = hold(server, journal, plans(50), concurrency=2, timeout=10)
        assert not other.asked
    assert "redirect" in tally.stopped and other.url in tally.stopped


def test_a_key_written_a_token_at_a_time_does_not_reach_the_cache():
    parts = [loopback.KEY[i : i + 4] for i in range(0, len(loopback.KEY), 4)]
    scores = {
        "tokens": ["the ", *parts, "."],
        "logprobs": [-1.0] * (len(parts) + 2),
        "top": [{t: -1.0} for t in ["the ", *parts, "."]],
    }
    cleaned = secret.clean({"response": f"the {loopback.KEY}.", "scores": scores}, loopback.KEY)
    assert not any(part in json.dumps(cleaned) for part in parts) and cleaned["scores"]["tokens"][0] == "the "


def _holding_the_lock(path, ready) -> None:
    import fcntl

    with open(path, "ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        ready.set()
        time.sleep(60)


def test_a_stopped_process_with_the_lock_blocks_nobody_for_ever(journal):
    journal.append([made(0, response="A")])
    context = multiprocessing.get_context("forkserver")
    ready = context.Event()
    holder = context.Process(target=_holding_the_lock, args=(journal.path, ready))
    holder.start()
    assert ready.wait(60)
    os.kill(holder.pid, signal.SIGSTOP)
    try:
        journal.patience, started = 1.0, time.monotonic()
        with loopback.serving() as server:
            tally = hold(server, journal, plans(20), concurrency=2)
        assert "has held its lock" in tally.stopped and time.monotonic() - started < 20
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.join()


def test_a_zip_address_writes_nothing_outside(tmp_path):
    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("x/../b.jsonl", cache.encode(made(1, response="A")))
        file.writestr("../../out/b.jsonl", cache.encode(made(1, response="A")))
    pytest.importorskip("fsspec")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataError):
        transfer.merge([f"zip://::{archive}"], tmp_path / "mine")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["n=3", "stream=true", "messages=[]", "model=x", "best_of=2"])
def test_parameters_that_would_drop_answers_are_refused(name):
    with pytest.raises(DataError):
        options.params("chat", 5, 0.0, 0, [name])


def test_names_that_differ_have_files_that_differ():
    names = ["a/b", "a__b", "a_/b", "a/_b", "a//b", "a___b", "a_b", "a%5Fb"]
    assert len({cache.file("b", name) for name in names}) == len(names)


def test_copies_can_be_read_by_others_and_leave_nothing_behind(tmp_path):
    write(tmp_path, made(1, response="A"))
    path = cache.file("b", "m", tmp_path)
    (copy,) = copies.parts(path)
    assert copy.stat().st_mode & 0o044 == 0o044 & ~_umask()
    (copy.parent / "00000.parquet.partial").write_bytes(b"left by a killed process")
    write(tmp_path, made(2, response="A"))
    copies.parts(path)
    assert not list(copy.parent.glob("*.partial"))


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def test_a_link_in_the_outputs_folder_is_not_written_through(tmp_path):
    target = tmp_path / "precious"
    target.write_text("no line end")
    path = cache.file("b", "m", tmp_path)
    path.parent.mkdir()
    path.symlink_to(target)
    with pytest.raises(DataError):
        Journal(path).append([made(1, response="A")])
    assert target.read_text() == "no line end"


def test_a_spreadsheet_is_given_no_formulas(tmp_path):
    write(tmp_path, made(1, response="=HYPERLINK(1)"), made(2, response="+1"), made(3, response="fine"))
    transfer.export("b", None, tmp_path / "all.csv", tmp_path)
    text = (tmp_path / "all.csv").read_text()
    assert "'=HYPERLINK(1)" in text and "'+1" in text and ",fine," in text


def test_only_new_segments_are_copied_and_all_hold_each_request_once(tmp_path, monkeypatch):
    monkeypatch.setattr(copies, "SEGMENT", 4000)
    path = cache.file("b", "m", tmp_path)
    journal = Journal(path)
    journal.append([made(i, error="timeout: slow") if i % 5 == 0 else made(i, response=str(i)) for i in range(20)])
    first = {copy: copy.stat().st_mtime_ns for copy in copies.parts(path)}
    assert len(first) >= 3
    journal.append([made(i, response=str(i)) for i in range(20, 25)])
    second = copies.parts(path)
    assert [copy.stat().st_mtime_ns == first.get(copy) for copy in second][: len(first) - 1] == [True] * (len(first) - 1)
    journal.append([made(i, response="late") for i in range(0, 20, 5)])
    frame = cache.read("b", folder=tmp_path).set_index("item_id")
    assert len(frame) == 25 and frame["error"].isna().all() and frame.loc["s/5", "response"] == "late"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[3:]))  # somebody took lines out
    assert len(cache.read("b", folder=tmp_path)) == 23  # s/1 and s/2 are gone; s/0 has its late answer


def test_merging_is_linear(tmp_path):
    write_many = [made(i, response="x" * 50) for i in range(3000)]
    transfer.write(write_many[:1500], tmp_path / "a")
    transfer.write(write_many[1500:], tmp_path / "b")
    opened = []
    original = Journal.__init__
    Journal.__init__ = lambda self, path: (opened.append(path), original(self, path))[1]
    try:
        batch, transfer.BATCH = transfer.BATCH, 100
        assert sum(transfer.merge([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "c").values()) == 3000
    finally:
        Journal.__init__, transfer.BATCH = original, batch
    assert len(opened) == 1  # the target is read once, however many batches there are


def test_an_import_is_whole_or_not_at_all(tmp_path):
    good, bad = made(1, response="A"), made(2, response="A") | {"finish_reason": 5}
    with pytest.raises(DataError, match="finish_reason"):
        transfer.take([good, bad], tmp_path)
    assert not list(tmp_path.rglob("*.jsonl"))
    assert transfer.take([good, good], tmp_path)[1:] == (2, 0)
    assert transfer.take([good | {"response": "B"}], tmp_path)[1:] == (1, 1)


def test_the_quick_way_to_a_key_is_the_same():
    deep = {"a": [{"b": (1.0, 2.5)}], "c": {"d": None, "e": True}}
    assert canonical(deep) == '{"a":[{"b":[1,2.5]}],"c":{"d":null,"e":true}}'


def test_several_servers_share_the_work_and_a_sick_one_is_left_out(journal, monkeypatch):
    from runners import servers

    monkeypatch.setattr(servers, "FIRST", 0.2)
    with loopback.serving(latency=0.01) as one, loopback.serving(latency=0.01) as other, loopback.serving() as sick:
        sick.faults, sick.share = ["503"], 1.0
        all_three = [openai_api.Server("model", base_url=s.url, key_env="NO_SUCH_KEY") for s in (sick, one, other)]

        async def work(n):
            async with servers.Servers(all_three) as together:
                return await Flow(together.ask, journal, 8, Patience(retries=2, first=0.01)).run(plans(n))

        tally = asyncio.run(work(200))
        assert (tally.finished, tally.failed) == (200, 0) and not tally.faults
        asked = [sum(s.asked.values()) for s in (sick, one, other)]
        assert asked[0] < 40 and min(asked[1:]) > 50
        sick.share = 0.0  # it recovers, and is tried again
        time.sleep(1)
        asyncio.run(work(400))
        assert sum(sick.asked.values()) > asked[0] + 20


def _block(language: str, holding: str) -> str:
    """The code block of docs/scaling.md that holds a text."""
    from analysis import paths

    blocks = (paths.ROOT / "docs" / "scaling.md").read_text().split("```")[1::2]
    return next(block.removeprefix(language) for block in blocks if block.startswith(language) and holding in block)


@pytest.mark.parametrize("wanted", [0, 1, 7])
def test_the_slurm_script_ends_with_the_status_of_its_runner(tmp_path, wanted):
    import subprocess

    stubs = {"vllm": "sleep 60", "curl": "exit 0", "polyexam": f"exit {wanted}"}
    for name, does in stubs.items():
        stub = tmp_path / name
        stub.write_text(f"#!/bin/sh\n{'exec ' if name == 'vllm' else ''}{does}\n")
        stub.chmod(0o755)
    script = tmp_path / "run.sh"
    script.write_text(_block("sh", "#SBATCH").lstrip("\n"))
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SCRATCH": str(tmp_path), "SLURM_ARRAY_TASK_ID": "1", "MODEL": "m"}
    assert subprocess.run(["bash", str(script)], env=env, timeout=60).returncode == wanted


def test_each_pod_has_a_folder_of_its_own():
    import subprocess

    import yaml

    container = yaml.safe_load(_block("yaml", "kind: Job"))["spec"]["template"]["spec"]["containers"][0]
    assert container["command"] == ["sh", "-c"] and not any("POLYEXAM" in one["name"] for one in container["env"])
    told = container["args"][0].replace("polyexam run", "env; echo")
    env = {"PATH": "/usr/bin:/bin", "MODEL": "m", "JOB_COMPLETION_INDEX": "3"}
    said = subprocess.run(["sh", "-c", told], env=env, capture_output=True, text=True, timeout=20).stdout
    assert "POLYEXAM_OUTPUTS=/outputs/3" in said and "--shard 4/8" in said
