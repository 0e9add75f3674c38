"""How far a run is, what it costs, and how it ended."""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

from analysis.errors import DataError
from analysis.text import visible

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_Prices = tuple[float, float]  # of a million tokens of prompts, and of answers


class Progress:
    """What happened in a run so far, and a bar on standard error that shows it.

    Attributes
    ----------
    finished, failed : int
        Records on the disk: answers, and failures.
    attempts : int
        Requests that were sent.
    prompts, answers : int
        Tokens of the answered requests, as the server counts them.
    faults : Counter
        Failed attempts by kind.
    stopped : str or None
        Why the run ended before all was asked.
    limited : bool
        It was a limit that the user set.
    """

    def __init__(self, total: int, name: str, prices: _Prices = (0.0, 0.0)):
        self.finished = self.failed = self.attempts = 0
        self.prompts = self.answers = 0
        self.prices = prices
        self.faults = Counter()
        self.stopped = None
        self.limited = False
        self.bar = tqdm(total=total, unit="req", desc=visible(name), disable=None)

    @property
    def tokens(self) -> int:
        """All that the server counted."""
        return self.prompts + self.answers

    @property
    def cost(self) -> float:
        """Of the tokens; 0 without prices."""
        return cost(self.prompts, self.answers, self.prices)

    def spend(self, usage: Mapping) -> None:
        """Add the tokens of an answer that a server counted, which may say anything; a total
        without parts counts as answer.
        """
        counts = [usage.get(name) for name in _COUNTS]
        prompt, answer, total = [n if isinstance(n, int) and 0 < n < 1 << 40 else 0 for n in counts]
        self.prompts += prompt
        self.answers += answer or max(0, total - prompt)

    def __call__(self, record: dict) -> None:
        """Count a record that was written."""
        self.failed += bool(record["error"])
        self.finished += not record["error"]
        shown = {"failed": self.failed, "tokens": self.tokens}
        if any(self.prices):
            shown["cost"] = f"{self.cost:,.4f}"
        self.bar.set_postfix(shown, refresh=False)
        self.bar.update()

    def skip(self) -> None:
        """Count a record that was there before: for the total, not for the rate."""
        self.bar.initial = getattr(self.bar, "initial", 0) + 1
        self.bar.update()


def cost(prompts: int, answers: int, prices: _Prices) -> float:
    """Of tokens of prompts and of answers."""
    return (prompts * prices[0] + answers * prices[1]) / 1e6


def report(done: Progress, path: Path) -> int:
    """Print how the run ended on standard error; return the exit status."""
    stopped = done.stopped
    counts = f"{done.finished} answered, {done.failed} failed, {done.attempts} attempts"
    if done.tokens:
        counts += f", {done.tokens:,} tokens"
    if any(done.prices):
        counts += f", cost {done.cost:,.4f}"
    if done.faults:
        faults = ", ".join(f"{kind} {n}" for kind, n in done.faults.most_common())
        counts += f" (faults: {faults})"
    lines = [counts, str(path)]
    if done.limited or stopped == "interrupted":
        lines.append(f"{stopped}; the same command goes on from here")
    if done.failed:
        lines.append(f"the same command tries the failed ones again, --again all {done.failed}")
    print("\n".join(lines), file=sys.stderr)
    if stopped == "interrupted":
        return 130
    if stopped and not done.limited:
        raise DataError(f"{stopped}; the same command goes on from here once that is mended")
    return int(bool(done.failed or stopped))
