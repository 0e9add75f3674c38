"""Tables as grids of cells, from any file that holds them. HTML is the hub: Markdown, LaTeX and reStructuredText become HTML first.

Each has a well-kept reader (markdown-it-py, pylatexenc, docutils, Beautiful Soup, openpyxl); what none of them does, knowing which cell stands
where once spans are laid out and which are bold or underlined, is done here, once.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from analysis.audit.numbers import GROUPED
from analysis.errors import DataError

SUFFIXES = {
    ".md": "markdown", ".markdown": "markdown", ".tex": "latex", ".ltx": "latex", ".html": "html", ".htm": "html", ".rst": "rst", ".rest": "rst",
    ".csv": "csv", ".tsv": "csv", ".xlsx": "excel", ".xlsm": "excel",
}  # fmt: skip
LARGEST = 50_000_000  # bytes: more is no table that somebody printed
MAX_SPAN = 200
BLOCKS = (
    "p",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "summary",
    "caption",
    "figcaption",
    "table",
    "dd",
    "dt",
    "div",
    "center",
    "blockquote",
)
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "summary")


class NoTable(DataError):
    """A file that holds no table."""


@dataclass
class Cell:
    """One cell as printed. `copy` marks the places after the first that a spanning cell fills."""

    text: str = ""
    bold: bool = False
    underline: bool = False
    italic: bool = False
    colour: str = ""
    head: bool = False
    copy: bool = False


@dataclass
class Grid:
    """One table: rows of cells of equal length, and what stands around it.

    Attributes
    ----------
    rules : set of int
        Rows above which a horizontal rule stands.
    lines : list of int
        Line of the file of each row, 0 where unknown.
    heading, caption : str
    text : list of str
        Paragraphs before it (from the last table on) and after it (to the next).
    """

    name: str
    rows: list[list[Cell]]
    rules: set[int] = field(default_factory=set)
    lines: list[int] = field(default_factory=list)
    heading: str = ""
    caption: str = ""
    text: list[str] = field(default_factory=list)
    file: str = ""


def read(path: Path | str) -> list[Grid]:
    """Every table of a file, or of the LaTeX, Markdown, HTML, reStructuredText, CSV and Excel files of a folder.

    Raises
    ------
    DataError
        Where the file is missing, too large, of another kind, or holds no table.
    """
    path = Path(path)
    if not path.exists():
        raise DataError("no such file or folder", file=path)
    if path.is_dir():
        files = _of_folder(path)
        grids = [grid for file in files for grid in _read(file)]
    else:
        grids = _read(path)
    if not grids:
        raise NoTable("no table in it", file=path)
    return grids


def _of_folder(folder: Path) -> list[Path]:
    """A folder's files that hold tables; LaTeX files that another one inputs are read there."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts))  # fmt: skip
    from analysis.audit import latex

    inner = {name for file in files if SUFFIXES[file.suffix.lower()] == "latex" for name in latex.inputs(file, folder)}
    return [file for file in files if file.resolve() not in inner]


def _read(path: Path) -> list[Grid]:
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise DataError(f"cannot read {path.suffix or 'a file without suffix'}; there are: {', '.join(SUFFIXES)}", file=path)
    if path.stat().st_size > LARGEST:
        raise DataError(f"larger than {LARGEST // 1_000_000} MB: no table that somebody printed", file=path)
    if kind == "excel":
        return _excel(path)
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252" if kind != "html" else "latin-1", errors="replace")
    if kind == "csv":
        return _csv(text, path)
    if kind == "latex":
        from analysis.audit import latex

        text = latex.to_html(text, path)
    elif kind == "markdown":
        text = markdown(text)
    elif kind == "rst":
        text = _rst(text)
    return html(text, str(path), kind == "html")


def markdown(text: str) -> str:
    """Markdown as HTML, every row of a table with its line."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = reader.parse(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL))
    for token in tokens:
        if token.type in ("tr_open", "table_open") and token.map:
            token.attrSet("data-line", str(token.map[0] + 1))
    return reader.renderer.render(tokens, reader.options, {})


def _rst(text: str) -> str:
    from docutils.core import publish_parts

    text = re.sub(r"^(\s*)\.\. (rst-class|only|tabularcolumns|raw)::.*$", r"\1.. class:: x", text, flags=re.MULTILINE)
    safe = {"report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "raw_enabled": False, "warning_stream": io.StringIO(), "_disable_config": True}  # fmt: skip
    return publish_parts(text, writer="html5", settings_overrides=safe)["html_body"]


def html(text: str, file: str = "", native: bool = True) -> list[Grid]:
    """Every innermost table of an HTML text; `native` where its lines are those of the file."""
    from bs4 import BeautifulSoup, Comment

    soup = BeautifulSoup(text, "html.parser")
    for tag in soup(["script", "noscript", "template"]):
        tag.decompose()
    for comment in soup.find_all(string=lambda part: isinstance(part, Comment)):
        comment.extract()
    styled = _styles(soup)
    for tag in soup("style"):
        tag.decompose()
    grids, heading, text_before, section = [], "", [], 0
    for tag in soup.find_all(BLOCKS):
        if tag.name in HEADINGS:
            heading, text_before, section = _text(tag), [], len(grids)
        elif tag.name == "table":
            if tag.find("table"):
                continue
            grid = _grid(tag, styled, native)
            if grid is None:
                continue
            grid.heading, grid.file = heading, file
            grid.caption = grid.caption or _caption(tag, text_before)
            grid.text, text_before = [*text_before], []
            grids.append(grid)
        elif tag.find_parent("table") is None and not tag.find(BLOCKS):
            text_before.append(_text(tag))
            if len(grids) > section:
                grids[-1].text.append(text_before[-1])
    for number, grid in enumerate(grids, 1):
        grid.name = f"table {number}" + (f" ({short(grid.heading)})" if grid.heading else "")
    return grids


def short(text: str, size: int = 60) -> str:
    """Text cut to `size` characters."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"


def _caption(tag, before: list[str]) -> str:
    figure = tag.find_parent("figure")
    if figure is not None and figure.find("figcaption"):
        return _text(figure.find("figcaption"))
    near = before[-1] if before else ""
    return near if re.match(r"(?i)\W*(tab(le|\.)|表)\s*\w?\d*", near) else ""


def _grid(table, styled: dict[str, str], native: bool) -> Grid | None:
    """A table laid out: each cell at every place that it spans."""
    laid: dict[tuple[int, int], Cell] = {}
    rules, lines, row, caption = set(), [], 0, table.find("caption")
    body_before = None
    for tr in table.find_all("tr"):
        if "rule" in (tr.get("class") or []) and not tr.find(["td", "th"]):
            rules.add(row)
            continue
        if tr.parent.name == "tbody":
            if body_before is not None and tr.parent is not body_before:
                rules.add(row)
            body_before = tr.parent
        column = 0
        for tag in tr.find_all(["td", "th"], recursive=False):
            while (row, column) in laid:
                column += 1
            wide, high = _span(tag, "colspan"), _span(tag, "rowspan")
            cell = _cell(tag, styled)
            for r in range(high):
                for c in range(wide):
                    laid[row + r, column + c] = cell if not r and not c else Cell(cell.text, cell.bold, cell.underline, cell.italic, cell.colour, cell.head, True)  # fmt: skip
            column += wide
        lines.append(int(tr.get("data-line") or (tr.sourceline if native else 0) or 0))
        row += 1
    if row == 0:
        return None
    width = max((c for _, c in laid), default=-1) + 1
    rows = [[laid.get((r, c), Cell()) for c in range(width)] for r in range(row)]
    kept = [r for r in range(row) if any(cell.text for cell in rows[r])]
    if len(kept) < 2 or width < 2:
        return None
    moved = {old: new for new, old in enumerate(kept)}
    rules = {min((moved[r] for r in kept if r >= rule), default=len(kept)) for rule in rules}
    return Grid("", [rows[r] for r in kept], rules, [lines[r] for r in kept], caption=_text(caption) if caption else "")


def _span(tag, name: str) -> int:
    found = re.match(r"\s*(\d+)", str(tag.get(name, "1")))
    return min(max(int(found[1]) if found else 1, 1), MAX_SPAN)


def _cell(tag, styled: dict[str, str]) -> Cell:
    text = _text(tag)
    style = ";".join([str(tag.get("style", "")), styled.get(tag.get("id") or "", ""), *(str(t.get("style", "")) for t in tag.find_all(style=True))]).lower()  # fmt: skip
    colour = re.search(r"(?:background-color|background|(?<![-\w])color)\s*:\s*([^;]+)", style)
    return Cell(
        text, bold=_marked(tag, ["b", "strong"], text) or bool(re.search(r"font-weight\s*:\s*(bold|[6-9]00)", style)),
        underline=_marked(tag, ["u", "ins"], text) or "underline" in style, italic=_marked(tag, ["i", "em"], text),
        colour=colour[1].strip() if colour else "", head=tag.name == "th",
    )  # fmt: skip


def _marked(tag, names: list[str], text: str) -> bool:
    """Whether the tags hold the cell's text, or its first number if it has one."""
    first = re.search(r"\d[\d.,]*", text)
    return any(inside and (not first or first[0] in inside) for inside in (_text(t) for t in tag.find_all(names)))


def _styles(soup) -> dict[str, str]:
    """Id -> declarations, of style sheets such as those that pandas' Styler writes."""
    found: dict[str, str] = {}
    for sheet in soup("style"):
        for selectors, declared in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet.get_text()):
            for name in re.findall(r"#([\w-]+)", selectors):
                found[name] = found.get(name, "") + ";" + declared
    return found


def _text(tag) -> str:
    """A tag's text; what is raised or lowered stands apart."""
    parts = []
    for part in tag.descendants:
        if isinstance(part, str):
            parts.append(part)
        elif part.name in ("br", "sup", "sub", "p", "div", "li"):
            parts.append(" ")
        elif part.name == "img" and part.get("alt"):
            parts.append("")
    return " ".join(GROUPED.sub("", "".join(parts)).split())


def _csv(text: str, path: Path) -> list[Grid]:
    """Tables of a CSV or TSV file, parted by empty lines."""
    try:
        dialect = csv.Sniffer().sniff(text[:20_000], delimiters=",;\t|") if path.suffix.lower() == ".csv" else csv.excel_tab
    except csv.Error:
        dialect = csv.excel
    rows, lines, tables = [], [], []
    reader = csv.reader(io.StringIO(text), delimiter=dialect.delimiter)
    for row in [*_rows(reader, path), None]:
        if row is not None and any(part.strip() for part in row):
            rows.append([Cell(" ".join(part.split())) for part in row])
            lines.append(reader.line_num)
        elif rows:
            tables.append((rows, lines))
            rows, lines = [], []
    grids = [grid for rows, lines in tables if len(rows) > 1 for grid in _wide(rows, lines, str(path))]
    for number, grid in enumerate(grids, 1):
        grid.name = f"table {number}" + (f" ({grid.heading})" if grid.heading else "")
    return grids


LONG = ("model", "group", "value")  # columns that a file of one row a number has, as in data/published


def _wide(rows: list[list[Cell]], lines: list[int], file: str) -> list[Grid]:
    """A table as it stands; one row a number ("long") as a table of models by groups for each benchmark, setting and metric."""
    head = [cell.text for cell in rows[0]]
    if not set(LONG) <= set(head):
        return [_rectangular(rows, lines, file)]
    at = {name: head.index(name) for name in dict.fromkeys(head)}
    by = [at[name] for name in ("benchmark", "setting", "metric") if name in at]
    parts: dict[tuple, dict] = {}
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if "suspect" in at and row[at["suspect"]].text == "true":
            continue
        average = "group_by" in at and row[at["group_by"]].text == "average"
        group = f"Average ({row[at['group']].text})" if average else row[at["group"]].text
        part = parts.setdefault(tuple(row[k].text for k in by), {"models": {}, "groups": {}, "cells": {}})
        part["models"].setdefault(row[at["model"]].text, line)
        part["groups"].setdefault(group, average)
        part["cells"].setdefault((row[at["model"]].text, group), row[at["value"]])
    grids = []
    for key, part in parts.items():
        groups = sorted(part["groups"], key=lambda name, part=part: part["groups"][name])  # averages last
        made = [[Cell("Model"), *[Cell(name) for name in groups]]]
        made += [[Cell(model), *[part["cells"].get((model, name), Cell()) for name in groups]] for model in part["models"]]
        if len(made) > 2 and len(groups) > 1:
            grids.append(Grid("", made, lines=[lines[0], *part["models"].values()], heading=", ".join(key), file=file))
    return grids


def _rows(reader, path: Path) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise DataError(str(error), file=path, line=reader.line_num) from error


def _rectangular(rows: list[list[Cell]], lines: list[int], file: str) -> Grid:
    width = max(len(row) for row in rows)
    return Grid("", [row + [Cell() for _ in range(width - len(row))] for row in rows], lines=lines, file=file)


def _excel(path: Path) -> list[Grid]:
    """Sheets of an Excel file, with what is bold, underlined or merged; numbers as the sheet shows them."""
    import zipfile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(path, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise DataError(f"not an Excel file: {error}", file=path) from error
    grids = []
    for sheet in book.worksheets:
        rows, lines = [], []
        spans = {(r, c): (m.min_row, m.min_col) for m in sheet.merged_cells.ranges for r, c in m.cells}
        for line in sheet.iter_rows():
            rows.append([_excel_cell(sheet.cell(*spans.get((c.row, c.column), (c.row, c.column))), (c.row, c.column) in spans and spans[c.row, c.column] != (c.row, c.column)) for c in line])  # fmt: skip
            lines.append(line[0].row)
        kept = [i for i, row in enumerate(rows) if any(cell.text for cell in row)]
        if len(kept) > 1:
            grid = _rectangular([rows[i] for i in kept], [lines[i] for i in kept], str(path))
            grid.name, grid.heading = sheet.title, sheet.title
            grids.append(grid)
    return grids


def _excel_cell(cell, copy: bool) -> Cell:
    value, shown = cell.value, cell.number_format or "General"
    if value is None:
        text = ""
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        places = re.search(r"0\.(0+)", shown)
        scale = 100 if "%" in shown else 1
        digits = len(places[1]) if places else 0 if re.fullmatch(r"[#,]*0%?", shown) else None
        text = (f"{value * scale:.{digits}f}" if digits is not None else f"{value * scale:.12g}") + ("%" if scale > 1 else "")
    else:
        text = " ".join(str(value).split())
    font = cell.font
    return Cell(text, bool(font and font.b), bool(font and font.u), bool(font and font.i), copy=copy)
