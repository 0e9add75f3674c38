"""Atomic file writes: a file is complete, or as it was before."""

import contextlib
import glob
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from analysis.errors import DataError

_OLD = 3600.0  # seconds after which nobody is still at work on what is half written


@contextlib.contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    """A handle for the content of `target`, which is replaced once all is on the disk; nothing is
    left of what fails.

    What killed runs left of it is taken away.

    Raises
    ------
    DataError
        Where it cannot be written (no space, no permission).
    """
    partial = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.glob(f"{glob.escape(target.name)}.*.partial"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > _OLD:
                    left.unlink()
        with open(partial, "wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(partial, target)
    except OSError as error:
        # what the system says of other files is not laid to this one
        if error.filename in (None, str(partial), *map(str, target.parents)):
            raise DataError(f"cannot be written: {error.strerror}", file=target) from None
        raise
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def write(target: Path, content: bytes) -> None:
    """`content` as the file `target`; see `writing`."""
    with writing(target) as handle:
        handle.write(content)
