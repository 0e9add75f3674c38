"""Every table of a file. HTML is the hub: Markdown and LaTeX become HTML first.

Each has a well-kept reader (markdown-it-py, pylatexenc, Beautiful Soup, pdfplumber); which cell is
where, and which are bold or underlined, `pages` finds for all.
"""

import re
from html import escape
from itertools import accumulate, groupby, takewhile
from operator import itemgetter
from pathlib import Path

from analysis.audit import html_tables, latex, pdf, sheets, sources
from analysis.audit.grids import Document, Unread
from analysis.audit.printed_numbers import NUMBER
from analysis.errors import DataError

SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".ltx": "latex",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".tsv": "csv",
    ".pdf": "pdf",
    ".txt": "text",
}
_NAMED = ("", "pdf", "text")  # kinds that are read only by their name
_LONG = {"model", "group", "value"}  # columns of a CSV of one row a number
_NESTING = re.compile(r"<(/?)(?:div|span|table|ul|ol|section|blockquote|center)\b")
_DEEPEST = 500  # tags within each other
LARGEST = 50_000_000  # bytes: more is no table that somebody printed
_LINED = ("tr_open", "table_open", "paragraph_open", "list_item_open")
_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_VALUE = re.compile(rf"[-+−<~$]?(?:{NUMBER})%?[†*]*|[-–—]")
_LEAST = 3  # rows of a table in plain text
_TABLE_IN_CODE = re.compile(r"^ *\|?( *:?-+:? *\|)+( *:?-+:?)? *$", re.MULTILINE)
_DRAWN_ROW = re.compile(r"^\s*[|│┃].*\d.*[|│┃]\s*$", re.MULTILINE)
_GAP = re.compile(r"\s{2,}")
_UNSURE = (
    "read from plain text, by lines that end in as many numbers: what is bold, spans or is empty, "
    "or is in two columns of a page is not seen; give the source where there is one"
)


def _kind(file: Path) -> str:
    """ "markdown", "latex", "html", "csv", "pdf", "text", or nothing."""
    return SUFFIXES.get(file.suffix.lower(), "")


def files(path: Path) -> list[Path]:
    """The file, or a folder's files with tables; what a LaTeX file inputs is read there.

    PDFs and plain texts are read only by their name.

    Raises
    ------
    DataError
        Where there is no such file or folder.
    """
    if not path.exists():
        raise DataError("no such file or folder", file=path)
    if not path.is_dir():
        return [path]
    visible = [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    ]
    readable = [file for file in visible if _kind(file) not in _NAMED]
    inner = {
        name for file in readable if _kind(file) == "latex" for name in sources.inputs(file, path)
    }
    return [file for file in readable if file.resolve() not in inner]


def read(path: Path, root: Path) -> Document:
    """Every table and paragraph of a file, and what of it could not be read.

    Parameters
    ----------
    root : Path
        Folder that holds all files which a LaTeX source may input.

    Raises
    ------
    DataError
        Where the file is too large, too deeply nested, of another kind, or cannot be read.
    """
    if path.stat().st_size > LARGEST:
        raise DataError("larger than 50 MB: no table that somebody printed", file=path)
    kind = _kind(path)
    try:
        if kind:
            return _of_text(path, kind, root)
    except RecursionError:
        raise DataError("nested too deeply to be read", file=path) from None
    raise DataError(f"cannot read {path.suffix or 'it'}, but {', '.join(SUFFIXES)}", file=path)


def _of_text(path: Path, kind: str, root: Path) -> Document:
    text = pdf.read(path) if kind == "pdf" else path.read_text("utf-8-sig", errors="replace")
    if kind == "csv":
        if set(text.partition("\n")[0].strip().split(",")) >= _LONG:
            from analysis.audit import long  # pandas, which takes half a second to import

            return Document(long.read(path))
        text = sheets.delimited(text, path)
    unread: list[Unread] = []
    if kind == "latex":
        text, unread = latex.to_html(text, path, root)
    elif kind == "markdown":
        lost: list[int] = []
        text = markdown(text, lost)
        unread = [Unread(str(path), "a table in a block of code", line) for line in lost]
    elif kind in _NAMED:
        text = plain(text)
    depths = accumulate(-1 if tag[1] else 1 for tag in _NESTING.finditer(text))
    if max(depths, default=0) > _DEEPEST:
        raise DataError("nested too deeply to be read", file=path)
    document = html_tables.read(text, str(path), kind == "html")
    document.unread = unread
    for grid in document.grids if kind in _NAMED else ():
        grid.unsure = _UNSURE
    return document


def plain(text: str) -> str:
    """Plain text as HTML: lines that end in as many numbers are rows of a table."""
    parts, head = [], []
    split = [(number, _split(line)) for number, line in enumerate(text.splitlines(), 1)]
    for count, block in groupby(filter(itemgetter(1), split), lambda line: _numbers(line[1])):
        lines = list(block)
        if count < 2 or len(lines) < _LEAST:
            parts += [
                f'<p data-line="{number}">{escape(" ".join(cells))}</p>' for number, cells in lines
            ]
            head = lines[-1][1]
            continue
        rows = [(0, head)] * (len(head) == count + 1)
        rows += [(number, [" ".join(cells[:-count]), *cells[-count:]]) for number, cells in lines]
        parts.append(sheets.table(rows))
    return "\n".join(parts)


def _split(line: str) -> list[str]:
    """Cells of a line: what wide gaps part, or else words."""
    wide = _GAP.split(line.strip())
    return wide if len(wide) > 2 else line.split()


def _numbers(cells: list[str]) -> int:
    """How many numbers a line ends in, behind a name."""
    return len(list(takewhile(_VALUE.fullmatch, reversed(cells[1:]))))


def markdown(text: str, lost: list[int], first: int = 1) -> str:
    """Markdown as HTML, every row of a table with its line, also of tables in blocks of code.

    Lines of blocks of code with a table of another kind are added to `lost`.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = reader.parse(text)
    for token in tokens:
        line = first + token.map[0] if token.map else 0
        if token.type in _LINED and line:
            token.attrSet("data-line", str(line))
        elif token.type == "html_block" and line:
            token.content = _numbered(token.content, line)
        elif token.type == "fence" and _TABLE_IN_CODE.search(token.content):
            token.type = "html_block"
            token.content = markdown(token.content, lost, line + 1)
        elif token.type == "fence" and _is_table(token.content):
            lost.append(line)
    return reader.renderer.render(tokens, reader.options, {})


def _is_table(code: str) -> bool:
    """Whether a block of code looks as if somebody had drawn a table in it."""
    return len(_DRAWN_ROW.findall(code)) >= _LEAST or "<table>" in plain(code)


def _numbered(text: str, first: int) -> str:
    """An HTML block whose rows have their lines."""

    def put(row: re.Match) -> str:
        return f'{row[0]} data-line="{first + text.count(chr(10), 0, row.start())}"'

    return _ROW.sub(put, text)
