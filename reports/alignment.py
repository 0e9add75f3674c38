"""Text columns of a finished HTML table set to the left; numbers stay on the right."""

import re

from markupsafe import Markup

ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"<(t[dh])>(.*?)</t[dh]>", re.DOTALL)
NUMBER = re.compile(r"(?:<b>)?[-+−]?[\d.,]+\s?[%†*]*(?:</b>)?(?:\s*\(.*\)|\s+to\s+[-−]?[\d.,]+)?|[\d.,]+–[\d.,]+|–|&lt; 0\.001|")


def aligned(html: str) -> Markup:
    """`html` with the class `text` on cells, and the heading, of columns that hold anything but numbers.

    Columns are counted from the right: row labels that span several rows stand on the left.
    """
    head, tbody, body = html.partition("<tbody>")
    text: set[int] = set()
    for row in ROW.findall(body):
        cells = [cell for kind, cell in CELL.findall(row) if kind == "td"]
        text |= {i - len(cells) for i, cell in enumerate(cells) if not NUMBER.fullmatch(cell.strip())}
    return Markup(ROW.sub(lambda row: _marked(row[0], text), head) + tbody + ROW.sub(lambda row: _marked(row[0], text), body))


def _marked(row: str, text: set[int]) -> str:
    n, place = len(CELL.findall(row)), -1

    def cell(found: re.Match) -> str:
        nonlocal place
        place += 1
        kind = f'<{found[1]} class="text">' if place - n in text else f"<{found[1]}>"
        return f"{kind}{found[2]}</{found[1]}>"

    return CELL.sub(cell, row)
