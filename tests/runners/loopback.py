"""A real HTTP server on loopback that speaks OpenAI's protocol, and misbehaves as told."""

import hashlib
import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-loopback-0123456789abcdef"
ODD = "བོད་ ไทย فارسی \x00 \u202e <script>alert(1)</script> "
FAULTS = ["429 with Retry-After", "429", "500", "503", "reset", "slow", "hang", "truncated"]
FAULTS += ["malformed", "not an object", "null content", "no choices", "html"]


def answer_to(prompt: str) -> str:
    """An answer that only belongs to its question."""
    return ODD + hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = body.get("messages")
        prompt = messages[-1]["content"] if messages else body.get("prompt")
        fault = self.server.note(body, prompt)
        key = self.headers["Authorization"]
        if self.server.key and key != f"Bearer {self.server.key}":
            error = {"message": f"Incorrect API key provided: {key}", "code": "invalid_api_key"}
            return self.send(401, {"error": error})
        if body["model"] not in self.server.models:
            error = {"message": "no such model", "code": "model_not_found"}
            return self.send(404, {"error": error})
        time.sleep(self.server.latency)
        if fault:
            return self.misbehave(fault, body, prompt)
        return self.send(200, self.good(body, prompt))

    def good(self, body, prompt, **message) -> dict:
        text, choice = self.server.reply(prompt), {"index": 0, "finish_reason": "stop"}
        top = {"A": -0.1, "B": -2.5}
        if "messages" in body:
            choice["message"] = {"role": "assistant", "content": text} | message
            listed = [{"token": token, "logprob": value} for token, value in top.items()]
            scores = {"content": [listed[0] | {"top_logprobs": listed}]}
        else:
            choice["text"] = text
            scores = {"tokens": ["A"], "token_logprobs": [-0.1], "top_logprobs": [top]}
        if body.get("logprobs"):
            choice["logprobs"] = scores
        return {"model": "served", "choices": [choice], "usage": {"total_tokens": 7}}

    def send(self, status: int, body, headers=(), length: int | None = None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def misbehave(self, fault: str, body, prompt):
        good = json.dumps(self.good(body, prompt)).encode()
        bodies = {
            "malformed": good[:-20],
            "not an object": ["nothing"],
            "null content": self.good(body, prompt, content=None),
            "no choices": {"choices": []},
            "html": b"<html><script>alert(1)</script></html>",
        }
        if fault in bodies:
            self.send(200, bodies[fault])
        elif fault == "429 with Retry-After":
            self.send(429, {"error": {"message": "slow down"}}, [("Retry-After", "0.05")])
        elif fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif fault == "slow":
            self.send_response(200)
            self.send_header("Content-Length", str(len(good)))
            self.end_headers()
            for start in range(0, len(good), 100):
                self.wfile.write(good[start : start + 100])
                self.wfile.flush()
                time.sleep(0.01)
        elif fault == "hang":
            self.server.release.wait(30)
        elif fault == "truncated":
            self.send(200, good[:-20], length=len(good))
            self.close_connection = True
        elif fault.startswith("say "):  # one message given by the test
            self.send(200, self.good(body, prompt, **json.loads(fault[4:])))
        else:  # a status, and a body where the test gives one
            status, _, text = fault.partition(" ")
            self.send(int(status), text.encode() or {"error": {"message": "not now"}})
        if fault in ("reset", "hang"):
            self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True
    models = ("model", "one", "other")
    request_queue_size = 128

    def __init__(
        self,
        faults=(),
        share=0.0,
        seed=0,
        key=None,
        latency=0.0,
        script=None,
        reply=answer_to,
    ):
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults, self.share, self.draw, self.key = list(faults), share, random.Random(seed), key
        self.latency, self.script, self.reply = latency, list(script or ()), reply
        self.lock, self.release = threading.Lock(), threading.Event()
        self.asked, self.did, self.bodies, self.in_flight = Counter(), Counter(), [], 0
        self.times: list[float] = []

    def note(self, body: dict, prompt) -> str | None:
        """Count the request; the fault that it meets."""
        with self.lock:
            self.asked[str(prompt)] += 1
            self.bodies.append(body)
            self.times.append(time.monotonic())
            fault = None
            if self.script:
                fault = self.script.pop(0)
            elif self.faults and self.draw.random() < self.share:
                fault = self.draw.choice(self.faults)
            self.did[fault or "good"] += 1
            return fault

    def handle_error(self, request, client_address):
        pass  # clients that give up are what the tests are about

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def running(server):
    """A server that runs in a thread."""
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving(**options):
    """A `Server` that runs in a thread."""
    with running(Server(**options)) as server:
        try:
            yield server
        finally:
            server.release.set()
