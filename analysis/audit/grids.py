"""Tables as grids of cells: what every reader makes."""

from dataclasses import dataclass, field

from analysis.errors import DataError


class NoTable(DataError):
    """A file without a table."""


@dataclass(frozen=True)
class Unread:
    """A table, or a file of tables, that is in the source and was not read."""

    file: str
    why: str
    line: int = 0


@dataclass(frozen=True)
class Paragraph:
    """Text of a document: a paper with all that it inputs, or one file.

    `table` is the number of the table whose caption it is.
    """

    text: str
    document: str
    file: str
    line: int = 0
    table: str = ""


@dataclass
class Cell:
    """One cell as printed. `copy` marks what a spanning cell fills after its first place."""

    text: str = ""
    bold: bool = False
    underline: bool = False
    head: bool = False
    copy: bool = False


@dataclass
class Grid:
    """One table: rows of cells of equal length, and the text around it.

    Attributes
    ----------
    rules : set of int
        Rows above which a horizontal rule stands.
    lines : list of int
        Line of the file of each row, 0 where unknown.
    heading, caption : str
    text : list of str
        Paragraphs before it (from the last table on) and after it (to the next).
    document : str
        The file that it belongs to, which may input `file`.
    unsure : str
        Why the reading may be wrong, where it may.
    number : str
        What the text calls it: "2" for Table 2.
    """

    name: str
    rows: list[list[Cell]]
    rules: set[int] = field(default_factory=set)
    lines: list[int] = field(default_factory=list)
    heading: str = ""
    caption: str = ""
    text: list[str] = field(default_factory=list)
    file: str = ""
    document: str = ""
    unsure: str = ""
    number: str = ""

    def __post_init__(self):
        self.lines = self.lines or [0] * len(self.rows)


@dataclass
class Document:
    """What a file holds: tables (as grids), text, and what could not be read."""

    grids: list
    paragraphs: list[Paragraph] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)


def short(text: str, size: int = 60) -> str:
    """Text cut to `size` characters."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"
