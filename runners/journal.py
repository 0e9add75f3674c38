"""An append-only file of records, one line of JSON each, that no crash and no second writer can
spoil.

A record counts once its line is on the disk. Whoever appends has the file's lock, first cuts off
what a killed writer left unfinished, reads what others appended meanwhile, and writes only keys
that have no answer yet. A damaged line is left out, as if its request had never been asked.
"""

import contextlib
import errno
import fcntl
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from analysis.errors import DataError
from analysis.outputs import json_lines as reading
from runners import cache

Written = tuple[dict, bytes]  # a record, and its line in the cache


class Journal:
    """One file, and which of its keys are finished.

    Any number of processes may write to the same file: each reads what the others appended at its
    next `refresh` or `write`.

    Attributes
    ----------
    longest_wait : float
        Seconds that an append waits for another writer's lock.
    """

    longest_wait = 60.0

    def __init__(self, path: Path):
        self.path = path
        self.lock = threading.RLock()  # never kept while waiting for the file's lock
        self._forget(None)
        self.refresh()

    def _forget(self, file: int | None) -> None:
        self.file = file  # its inode
        self.offset = 0  # of the first byte not yet read; always the start of a line
        self.lines = 0
        self.answers = {}  # key -> offset
        self.failures = {}  # of keys without an answer: the last one's kind

    def __len__(self) -> int:
        return len(self.answers) + len(self.failures)

    def finished(self, key: str) -> bool:
        """Whether `key` has an answer on the disk; a failure is none."""
        return bytes.fromhex(key) in self.answers

    def settled(self, record: Mapping) -> bool:
        """Whether a record would say nothing new: its key has an answer, or it is one more failure
        of it.
        """
        key = bytes.fromhex(record["key"])
        return key in self.answers or (record["error"] and key in self.failures)

    def permanent(self, key: str) -> bool:
        """Whether `key` failed in a way that asking again will not mend (see `cache.PERMANENT`)."""
        return self.failures.get(bytes.fromhex(key)) in cache.PERMANENT

    def answer(self, key: str) -> dict | None:
        """The record of `key` that is an answer; None where there is none."""
        offset = self.answers.get(bytes.fromhex(key))
        if offset is None:
            return None
        with open(self.path, "rb") as handle:  # of its own: one line is read, not a block of many
            handle.seek(offset)
            raw = next((line for line in handle if not line.isspace()), b"")
        record = reading.parsed(reading.plain(raw))
        if record is None or record["key"] != key:
            raise DataError("was changed while it was in use; start anew", file=self.path)
        return record

    def refresh(self) -> None:
        """Read what was appended since the last look."""
        with self.lock:
            try:
                self._read(os.stat(self.path))
            except OSError:  # an append says what is wrong
                self._forget(None)

    def _read(self, state: os.stat_result) -> None:
        if state.st_size < self.offset or state.st_ino != self.file:  # replaced, or cut
            self._forget(state.st_ino)
        if state.st_size == self.offset:
            return
        for raw, offset, line in reading.lines(self.path, self.offset, self.lines):
            try:
                head = reading.head(raw)
                if head is None:
                    record = reading.record(raw)
                    kind = record["error"] and str(record["error"]).partition(":")[0]
                    head = bytes.fromhex(record["key"]), kind
                self._note(*head)
            except ValueError as error:
                reading.left_out(DataError(str(error), file=self.path, line=line))
            self.offset, self.lines = offset, line

    def _note(self, key: bytes, error: str | None) -> None:
        """Remember the record that starts at `offset`: a key's first answer counts."""
        if key in self.answers:
            return
        if error is None:
            self.answers[key] = self.offset
            self.failures.pop(key, None)
        else:
            self.failures[key] = sys.intern(error)

    def write(self, new: list[Written]) -> list[str]:
        """Write records, each with its line (`cache.encode`), durably; return the keys that were
        written. Of a record `key` and `error` are looked at.

        A record is left out where its key has an answer already (another runner was faster). When
        this returns, the lines are on the disk; when it raises, none of them is.

        Raises
        ------
        DataError
            Where the file cannot be written: no space, no permission, another writer that does not
            end.
        """
        try:
            with locked(self.path, self.longest_wait) as handle:
                with self.lock:
                    size = self._mend(handle)
                    wanted = self._wanted(new)
                _write(handle, b"".join(wanted.values()), size)
                self.refresh()
        except OSError as failed:
            link = "it is a symbolic link" if failed.errno == errno.ELOOP else None
            reason = f"cannot append: {link or failed.strerror or failed}"
            raise DataError(reason, file=self.path) from None
        return list(wanted)

    def _mend(self, handle: BinaryIO) -> int:
        """The file's size, once all of it is read and what a dead writer left is mended: under the
        lock an unfinished last line was never reported.
        """
        state = os.fstat(handle.fileno())
        self._read(state)
        tail = os.pread(handle.fileno(), state.st_size - self.offset, self.offset)
        if not tail or tail.endswith(b"\n"):
            return state.st_size
        start = self.offset + tail.rfind(b"\n") + 1
        if reading.parsed(reading.plain(tail)) is not None:  # only the line's end is missing
            _write(handle, b"\n", state.st_size)
            return state.st_size + 1
        os.ftruncate(handle.fileno(), start)
        return start

    def _wanted(self, new: list[Written]) -> dict[str, bytes]:
        """Lines by key of what has no answer in the file; an answer goes before a failure."""
        wanted = {}
        for record, line in sorted(new, key=lambda written: bool(written[0]["error"])):
            if not self.finished(record["key"]):
                wanted.setdefault(record["key"], line)
        return wanted


@contextlib.contextmanager
def locked(path: Path, longest_wait: float = 60.0) -> Iterator[BinaryIO]:
    """A file, open for appending and locked; waits for another writer so many seconds, yet not for
    ever: it may be stopped, or its machine gone.
    """
    started = time.monotonic()
    while time.monotonic() - started <= longest_wait:
        with _opened(path) as handle:
            if _lock(handle, path):
                yield handle
                return
        time.sleep(0.01)
    reason = f"another process has held its lock for {longest_wait:g} s"
    raise DataError(f"cannot append: {reason}; is one stopped?", file=path)


def _lock(handle, path: Path) -> bool:
    """Whether the lock of an open file is had, and the file is still the one of that name."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samefile(path, handle.fileno())
    except (BlockingIOError, FileNotFoundError):
        return False


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file for appending, new where there is none; never through a link. As long as it is
    empty its folders are written to the disk: a failed start may have left them undone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    with open(os.open(path, flags, 0o666), "ab+", buffering=0) as handle:
        if not os.fstat(handle.fileno()).st_size:
            for folder in path.parents[:3]:
                _sync_folder(folder)
        yield handle


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


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
