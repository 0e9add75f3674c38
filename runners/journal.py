"""An append-only file of records, one line of JSON each, that no crash and no second writer can spoil.

A record counts once its line is on the disk. Whoever appends holds the file's lock, first cuts off what a killed
writer left unfinished, reads what others appended meanwhile, and writes only keys that have no answer yet.
"""

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterable
from pathlib import Path

from analysis.errors import DataError
from analysis.outputs.lines import parsed, records
from runners import request as requests


class Journal:
    """One file, and which of its keys are finished.

    Any number of processes may hold the same file: each sees what the others appended at its next `refresh` or `append`.
    """

    def __init__(self, path: Path):
        self.path = Path(path)
        self.offset = 0  # of the first byte not yet read; always the start of a line
        self.lines = 0
        self.done: dict[bytes, int] = {}  # key -> where its answer stands in the file, or -1 after failures only
        self.lock = threading.RLock()
        self.refresh()

    def __len__(self) -> int:
        return len(self.done)

    def finished(self, key: str) -> bool:
        """Whether `key` has an answer on the disk; a failure is none."""
        return self.done.get(bytes.fromhex(key), -1) >= 0

    def failed(self, key: str) -> bool:
        """Whether `key` has failures only."""
        return self.done.get(bytes.fromhex(key)) == -1

    def answer(self, key: str) -> dict | None:
        """The record of `key` that is an answer; None where there is none."""
        if not self.finished(key):
            return None
        return next(records(self.path, self.done[bytes.fromhex(key)]))[0]

    def refresh(self) -> None:
        """Read what was appended since the last look."""
        with self.lock:
            self._read()

    def _read(self, size: int | None = None) -> None:
        if size is None:
            try:
                size = os.stat(self.path).st_size
            except (FileNotFoundError, NotADirectoryError):
                size = 0
        if size < self.offset:  # somebody removed or replaced the file
            self.offset, self.lines, self.done = 0, 0, {}
        if size > self.offset:
            for found, offset, lines in records(self.path, self.offset, self.lines):
                self._note(found)
                self.offset, self.lines = offset, lines

    def _note(self, found: dict) -> None:
        """Remember the record that starts at `offset`."""
        key = bytes.fromhex(found["key"])
        if self.done.get(key, -1) < 0:
            self.done[key] = -1 if found["error"] else self.offset

    def append(self, new: Iterable[dict]) -> list[str]:
        """Write records durably; return the keys that were written.

        A record is left out where its key has an answer already (another runner was faster). When this returns, the lines
        are on the disk; when it raises, none of them is.

        Raises
        ------
        DataError
            Where the file cannot be written (no space, no permission) or holds a broken line.
        """
        new = list(new)
        try:
            with self.lock, _opened(self.path) as handle, _locked(handle):
                size = self._mend(handle)
                self._read(size)
                wanted = self._wanted(new)
                lines = [requests.line(r) for r in wanted]
                _write(handle, b"".join(lines), size)
                for r, line in zip(wanted, lines, strict=True):
                    self._note(r)
                    self.offset, self.lines = self.offset + len(line), self.lines + 1
            if size == 0:
                _sync_folder(self.path.parent)
        except OSError as failure:
            raise DataError(f"cannot append: {failure.strerror or failure}", file=self.path) from None
        return [r["key"] for r in wanted]

    def _wanted(self, new: list[dict]) -> list[dict]:
        """Those without an answer in the file, each key once; an answer goes before a failure."""
        chosen: dict[str, dict] = {}
        for r in new:
            before = chosen.get(r["key"])
            if not self.finished(r["key"]) and (before is None or (before["error"] and not r["error"])):
                chosen[r["key"]] = r
        return list(chosen.values())

    def _mend(self, handle) -> int:
        """The file's size, when what a dead writer left is mended: under the lock an unfinished last line was never reported."""
        size = os.fstat(handle.fileno()).st_size
        if size == 0 or os.pread(handle.fileno(), 1, size - 1) == b"\n":
            return size
        start = _last_line(handle.fileno(), size)
        tail = os.pread(handle.fileno(), size - start, start)
        if parsed(tail) is not None:  # only the line's end is missing
            _write(handle, b"\n", size)
            return size + 1
        os.ftruncate(handle.fileno(), start)
        return start


def _last_line(descriptor: int, size: int, step: int = 1 << 16) -> int:
    """Offset of the first byte after the last line end."""
    end = size
    while end > 0:
        start = max(0, end - step)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _opened(path: Path):
    try:
        return open(path, "ab+", buffering=0)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "ab+", buffering=0)


def _write(handle, data: bytes, size: int) -> None:
    """All of `data` on the disk, or nothing of it in the file, which has `size` bytes now."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[handle.write(rest) :]
        os.fsync(handle.fileno())
    except BaseException:
        with contextlib.suppress(OSError):  # the first failure is the one to report
            os.ftruncate(handle.fileno(), size)
        raise


@contextlib.contextmanager
def _locked(handle):
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
