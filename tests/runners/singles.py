"""Requests as conversations of one turn, for runners on this machine."""

from runners import prompt
from runners.progress import Progress
from runners.run import rounds


def singles(requests) -> list[prompt.Single]:
    return [prompt.Single(request) for request in requests]


def run(requests, journal, runner, name: str = "m") -> Progress:
    """Have a runner answer requests into a journal."""
    return rounds(singles(requests), journal, runner, name)
