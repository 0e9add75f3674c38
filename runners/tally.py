"""What happened in a run."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What happened in a run: written records, those of them that asking again will not mend, attempts, failed ones by kind."""

    finished: int = 0
    failed: int = 0
    permanent: int = 0
    attempts: int = 0
    faults: Counter = field(default_factory=Counter)
    stopped: str | None = None
