"""HTML tables as grids: spans laid out, bold and underlined cells marked."""

import re
from dataclasses import replace

from analysis.audit.grids import Cell, Document, Grid, Paragraph, short
from analysis.audit.printed_numbers import GROUPED

MAX_SPAN = 200
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "summary")
_TEXTS = ("p", "li", "caption", "figcaption", "dd", "dt", "div", "center", "blockquote")
_BLOCKS = (*_HEADINGS, *_TEXTS, "table")
_APART = ("br", "sup", "sub", "p", "div", "li")  # what is raised or lowered is a word of its own
_RULED = re.compile(r"border_tt?$")  # classes, as of LaTeXML
_BOLD = re.compile(r"(?<![a-z])bold")
_UNDERLINED = re.compile("underline")
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(bold|[6-9]00)")
_CAPTION = re.compile(r"(?i)\W*(?:tab(?:le|\.)|表)\s*(\w?\d*)")
_FIRST_NUMBER = re.compile(r"\d[\d.,]*")


def read(text: str, file: str = "", native: bool = True) -> Document:
    """Every innermost table of an HTML text; `native` where its lines are those of the file.

    A tag's `data-line` and `data-file` say where it is in the source that the HTML was made of.
    """
    from bs4 import BeautifulSoup, Comment

    soup = BeautifulSoup(text, "html.parser")
    for part in list(soup.descendants):
        if isinstance(part, Comment) or part.name in ("script", "noscript", "template", "style"):
            part.extract()
    grids, paragraphs, heading, before, section = [], [], "", [], 0
    for tag in [part for part in soup.descendants if part.name in _BLOCKS]:
        line = int(tag.get("data-line") or (tag.sourceline if native else 0) or 0)
        if tag.name in _HEADINGS:
            heading, before, section = _text(tag), [], len(grids)
        elif tag.name == "table":
            grid = None if tag.find("table") else _grid(tag, native)
            if grid is None:
                continue
            source = tag.find(attrs={"data-file": True})
            grid.file = source["data-file"] if source else file
            grid.document = file
            grid.heading = heading
            grid.caption = grid.caption or _caption(tag, before)
            named = _CAPTION.match(grid.caption)
            grid.number = tag.get("data-number") or (named[1] if named else "")
            at = (grid.file, line or grid.lines[0])
            paragraphs.append(Paragraph(grid.caption, file, *at, grid.number))
            grid.text, before = before, []
            grids.append(grid)
        elif tag.find_parent("table") is None and not tag.find(_BLOCKS):
            words = _text(tag)
            before.append(words)
            paragraphs.append(Paragraph(words, file, tag.get("data-file", file), line))
            if len(grids) > section:
                grids[-1].text.append(words)
    for number, grid in enumerate(grids, 1):
        grid.name = f"table {number}" + (f" ({short(grid.heading)})" if grid.heading else "")
    return Document(grids, paragraphs)


def _caption(tag, before: list[str]) -> str:
    figure = tag.find_parent("figure")
    shown = figure and figure.find("figcaption")
    if shown:
        return _text(shown)
    return before[-1] if before and _CAPTION.match(before[-1]) else ""


def _grid(table, native: bool) -> Grid | None:
    """A table laid out: each cell at every place that it spans."""
    cells: dict[tuple[int, int], Cell] = {}
    lines, rules = [], set()
    for tr in table.find_all("tr"):
        row = len(lines)
        parts = tr.find_all(["td", "th"], recursive=False)
        if not parts and "rule" in (tr.get("class") or []):
            rules.add(row)
            continue
        if tr.find(class_=_RULED, recursive=False):
            rules.add(row)
        lines.append(int(tr.get("data-line") or (tr.sourceline if native else 0) or 0))
        column = 0
        for tag in parts:
            while (row, column) in cells:
                column += 1
            cell = _cell(tag)
            for r in range(row, row + _span(tag, "rowspan")):
                for c in range(column, column + _span(tag, "colspan")):
                    cells[r, c] = replace(cell, copy=(r, c) != (row, column))
    width = max((column for _, column in cells), default=-1) + 1
    rows = [[cells.get((r, c)) or Cell() for c in range(width)] for r in range(len(lines))]
    kept = [r for r, row in enumerate(rows) if any(cell.text for cell in row)]
    if len(kept) < 2 or width < 2:
        return None
    rules = {sum(r < rule for r in kept) for rule in rules}  # empty rows are left out
    caption = table.find("caption")
    grid = Grid("", [rows[r] for r in kept], rules, [lines[r] for r in kept])
    grid.caption = _text(caption) if caption else ""
    return grid


def _span(tag, name: str) -> int:
    match = re.match(r"\s*(\d+)", str(tag.get(name, "1")))
    return min(max(int(match[1]) if match else 1, 1), MAX_SPAN)


def _cell(tag) -> Cell:
    text, inner = _text(tag), [part for part in tag.descendants if not isinstance(part, str)]
    style = ";".join(part.get("style", "") for part in [tag, *inner]).lower()
    return Cell(
        text,
        bold=_is_marked(inner, ["b", "strong"], _BOLD, text) or bool(_BOLD_STYLE.search(style)),
        underline=_is_marked(inner, ["u", "ins"], _UNDERLINED, text) or "underline" in style,
        head=tag.name == "th",
    )


def _is_marked(inner: list, names: list[str], classes: re.Pattern, text: str) -> bool:
    """Whether tags of a name or class have the cell's text, or its first number if it has one."""
    number = _FIRST_NUMBER.search(text)
    for part in inner:
        if part.name in names or classes.search(" ".join(part.get("class", ()))):
            words = _text(part)
            if words and (not number or number[0] in words):
                return True
    return False


def _text(tag) -> str:
    parts = [
        part if isinstance(part, str) else " "
        for part in tag.descendants
        if isinstance(part, str) or part.name in _APART
    ]
    return " ".join(GROUPED.sub("", "".join(parts)).split())
