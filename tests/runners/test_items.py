"""Fetching items from a real server on loopback, and from a hub that speaks the Hugging Face
protocol.
"""

import hashlib
import io
import json
import tarfile
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from analysis.items import derived
from analysis.items import names as benchmark_names
from runners import items
from tests.conftest import refused
from tests.runners.loopback import running

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET(body=False)

    def do_GET(self, body=True):
        self.server.asked.append((self.command, self.path))
        found = self.server.pages.get(self.path, 404)
        status, data = (found, b"") if isinstance(found, int) else (200, found)
        short = self.path.endswith("short")
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) + 5 * short))
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        if status == 403:
            self.send_header("X-Error-Code", "GatedRepo")
        self.end_headers()
        if body:
            self.wfile.write(data)
        self.close_connection = short


def site(pages):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.pages, server.asked = pages, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    return running(server)


def tarred(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def fetch(monkeypatch, tmp_path):
    """Fetch a set of files, quietly."""
    monkeypatch.setenv("POLYEXAM_DATA", str(tmp_path))

    def fetched(wanted: dict, **source):
        monkeypatch.setattr(items, "sources", lambda: {"own": {"homepage": "h"} | source})
        monkeypatch.setattr(items, "checksums", lambda name: wanted)
        return items.fetch("own")

    return fetched


WANTED = {"test/a.csv": digest(b"one"), "dev/a.csv": digest(b"two"), "test/b.csv": digest(b"one")}
FILES = {"repo-1/data/test/x.csv": b"one", "repo-1/data/dev/y.csv": b"two", "repo-1/README": b"no"}


@pytest.mark.parametrize("archive", [tarred(FILES), zipped(FILES)])
def test_an_archive_is_taken_apart_by_content(fetch, tmp_path, archive):
    with site({"/a": archive}) as server:
        for _ in range(2):  # the second time all is there
            home = fetch(WANTED, archives=[f"{server.url}/a"])
        files = [path for path in home.rglob("*") if path.is_file()]
        placed = {path.relative_to(home).as_posix(): path.read_bytes() for path in files}
        assert placed == {"test/a.csv": b"one", "test/b.csv": b"one", "dev/a.csv": b"two"}
        assert len(server.asked) == 1
    assert not list(tmp_path.glob(".partial*"))


@pytest.mark.parametrize(
    "page, message",
    [
        (tarred({"x": b"another"}), r"3 of 3 files are not there, or other ones .* dev/a\.csv"),
        (tarred({"../../evil": b"x"}), "outside"),
        (403, "h: cannot be fetched: HTTP Error 403.* accept the owners' terms there"),
        (404, "h: cannot be fetched: HTTP Error 404.* by hand"),
        (b"neither tar nor zip", "cannot be fetched"),
        (tarred(FILES)[:-30], "cannot be fetched"),
    ],
)
def test_what_cannot_be_had_leaves_nothing_behind(fetch, tmp_path, page, message):
    wanted = {} if message == "outside" else WANTED
    with site({"/a": page}) as server, refused(message):
        fetch(wanted, archives=[f"{server.url}/a"])
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_an_answer_that_breaks_off_is_none(fetch):
    with site({"/short": b"one"}) as server, refused("cannot be fetched"):
        fetch({"a": digest(b"one")}, urls=[f"{server.url}/short"])


def test_without_checksums_the_first_download_counts(fetch, tmp_path):
    with site({"/q.jsonl": b"one"}) as server:
        source = {"urls": [f"{server.url}/q.jsonl"], "folder": "elsewhere"}
        home = fetch({}, **source)
        assert home == tmp_path / "elsewhere"
        assert (home / "SHA256SUMS").read_text() == f"{digest(b'one')}  q.jsonl\n"
        server.pages["/q.jsonl"] = b"changed"
        fetch({}, **source)
        assert (home / "q.jsonl").read_bytes() == b"one"
        (home / "q.jsonl").unlink()
        with refused("1 of 1 files are not there, or other ones"):
            fetch({}, **source)
        assert not (home / "q.jsonl").exists()


def test_a_set_of_the_hub(fetch, monkeypatch):
    pytest.importorskip("huggingface_hub")
    monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    names = ("a.csv", "b.txt")
    info = {"id": "org/set", "sha": COMMIT, "siblings": [{"rfilename": name} for name in names]}
    tree = [{"type": "file", "path": name, "size": 3, "oid": "0" * 40} for name in names]
    api = "/api/datasets/org/set"
    pages = {f"{api}/revision/main": json.dumps(info).encode()}
    pages |= {f"/datasets/org/set/resolve/{COMMIT}/a.csv": b"one"}
    pages |= {f"{api}/tree/{COMMIT}?recursive=true&expand=false": json.dumps(tree).encode()}
    with site(pages) as server:
        hub = {"repo_id": "org/set", "allow_patterns": ["*.csv"], "endpoint": server.url}
        home = fetch({}, hub=hub)
        assert (home / "a.csv").read_bytes() == b"one"
        assert not (home / "b.txt").exists()
        server.pages[f"{api}/revision/main"] = 403
        (home / "a.csv").unlink()
        with refused(r"accept the owners' terms there .*HF_TOKEN"):
            fetch({}, hub=hub)


def test_absent_sets_say_what_to_do():
    with refused("its owners have published no question file"):
        items.fetch("ti_safetybench")
    with refused("did you mean cmmlu"):
        items.fetch("cmlu")


def test_every_benchmark_has_a_source_or_is_a_log(tmp_path, monkeypatch):
    project = benchmark_names()  # without a user's own
    monkeypatch.setenv("POLYEXAM_DATA", str(tmp_path))
    derived.write("mine", [{"item_id": "1", "question": "?", "options": []}])
    assert set(benchmark_names()) - set(project) == {"mine"}
    aliases = {"mmlu_sea", *(name for name in project if name.startswith("xiezhi_"))}
    # assembled from many files, or outputs rather than items
    logs = {"vnhsge", "thai_exam", "wildbench"}
    assert set(project) - aliases - logs <= set(items.sources())


@pytest.mark.slow
def test_checksums_are_those_of_the_real_files(benchmark_files):
    seen = 0
    for name, source in items.sources().items():
        folder = benchmark_files / source.get("folder", name)
        for place, digest_ in items.checksums(name).items():
            if folder.is_dir():
                assert digest((folder / place).read_bytes()) == digest_, f"{name}/{place}"
                seen += 1
    assert seen > 400
