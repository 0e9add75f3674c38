"""Errors that name the place: a file, a line, a field, a reason."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path


class DataError(ValueError):
    """Input that cannot be used as it is.

    Attributes
    ----------
    reason : str
    file : Path or None
    line : int or None
        One-based line of the file, or row of the frame.
    field : str or None
    """

    def __init__(
        self,
        reason: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        field: str | None = None,
    ):
        self.reason, self.line, self.field = reason, line, field
        self.file = file and Path(file)
        place = ":".join(str(part) for part in (file, line) if part is not None)
        where = ", ".join(filter(None, [place, field and f"field {field!r}"]))
        super().__init__(f"{where}: {reason}" if where else reason)


_MANY = 40  # names that an error lists


def unknown(kind: str, name: object, choices) -> DataError:
    """A `DataError` for a name that is not among `choices`, with the nearest one suggested."""
    choices = list(map(str, choices))
    # table_1 is table_01
    folded = {choice.casefold().replace("_0", "_"): choice for choice in choices}
    near = get_close_matches(str(name).casefold().replace("_0", "_"), folded, n=1)
    if near:
        return DataError(f"no such {kind} {str(name)!r}: did you mean {folded[near[0]]}?")
    more = f", ... ({len(choices) - _MANY:,} more)" if len(choices) > _MANY else ""
    listed = ", ".join(choices[:_MANY]) or "none"
    return DataError(f"no such {kind} {str(name)!r}; there are: {listed}{more}")


def refuse_unknown(kind: str, choices, *names: object) -> None:
    """Raise `unknown` for the first of the names that is not among `choices`."""
    for name in names:
        if name not in choices:
            raise unknown(kind, name, choices)


@contextmanager
def brought_by(extra: str) -> Iterator[None]:
    """Import packages that only an extra of ours brings (`runners`, `lab`); where they are not
    installed, say how to get them.
    """
    try:
        yield
    except ImportError as error:
        raise DataError(
            f"{error.name} is not installed; in the checkout: .venv/bin/pip install -c "
            f"constraints.txt -e '.[{extra}]'"
        ) from None
