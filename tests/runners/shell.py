"""The commands, run in this process, and waiting for what another process does."""

import time

from typer.testing import CliRunner

from analysis.errors import DataError
from reports.command_line import app


def command(line: str, *words, status: int = 0) -> str:
    """What a command prints; `line` is cut at its spaces, each of `words` is one argument."""
    arguments = [*line.split(), *map(str, words)]
    done = CliRunner().invoke(app, arguments, standalone_mode=False)
    if isinstance(done.exception, DataError):
        raise done.exception
    assert (done.return_value or done.exit_code) == status, done.output
    return done.output


def until(true, seconds: float = 60) -> None:
    """Wait until something is true."""
    ended = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ended, "took too long"
        time.sleep(0.02)
