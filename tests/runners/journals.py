"""Records in a journal, as runners write them."""

from runners import cache
from runners.journal import Journal


def append(journal: Journal, *records: dict) -> list[str]:
    """Write records; the keys that were written."""
    return journal.write([(record, cache.encode(record)) for record in records])
