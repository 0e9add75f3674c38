"""LaTeX as HTML: tables with spans, rules and emphasis, captions, headings and paragraphs.

Rows and cells are parted here, so that no macro elsewhere can swallow a table; pylatexenc reads
each cell and paragraph.
"""

import re
from functools import cache
from html import escape
from itertools import chain
from pathlib import Path

from analysis.audit import sources
from analysis.audit.grids import Unread

_TABULARS = {  # environment -> arguments in braces
    **dict.fromkeys("tabular longtable tblr NiceTabular array supertabular".split(), 1),
    **dict.fromkeys("tabular* tabularx tabulary xltabular".split(), 2),
}
# arguments -> macros of which the last one is shown
SHOWN = {
    "{": (
        "textit emph textsc texttt textrm textsf text mathrm mathit mathcal textnormal mbox hbox "
        "gain centerline ensuremath num"
    ).split(),
    "[{": "shortstack thead smash num".split(),
    "{{": "colorbox adjustbox href".split(),
    "[{{": "textcolor rotatebox parbox".split(),
    "{{{": "fcolorbox multicolumn".split(),
    "[{[{[{": ["multirow"],
    "{[{": ["scalebox"],
    "{[[{": ["raisebox"],
    "*{{{": ["resizebox"],
    "*[{": "makecell caption".split(),
}
_HIDDEN = {
    "{": (
        "label url phantom hphantom vphantom tablefootnote tablenotemark ref hhline captionof "
        "IfFileExists"
    ).split(),
    "[{": "footnote captionsetup".split(),
    "{{": "setlength fontsize".split(),
    "[": "footnotemark addlinespace".split(),
    "[[{": "cite citep citet citealp".split(),
    "[{{{": ["rowcolors"],
    "*[{": "includegraphics bibliography".split(),
    "*{": "vspace hspace".split(),
    "": "itshape it em small centering textbackslash xspace".split(),
}
_APART = "textsuperscript textsubscript tnote".split()
_BOLD = "textbf mathbf boldsymbol bm".split()
_UNDERLINED = "underline uline ul underbar".split()
# what pylatexenc does not know, or writes in another way
_SYMBOLS = dict(
    pair.split(":")
    for pair in (
        "checkmark:✓ cmark:✓ xmark:✗ ddag:‡ ddagger:‡ S:§ uparrows:↑ Uparrow:↑ Downarrow:↓ star:* "
        "blacktriangle:▲ triangle:△ triangledown:▽ blacktriangledown:▼ ast:* sim:~ circ:° "
        "textdegree:°"
    ).split()
) | {",": "\u2009", "\\": " ", "quad": " ", "qquad": " "}
_NAMES = {
    *chain(*SHOWN.values(), *_HIDDEN.values()),
    *_BOLD,
    *_UNDERLINED,
    *_APART,
    *_SYMBOLS,
}
_TAGS = {"\ue010": "<b>", "\ue011": "</b>", "\ue012": "<u>", "\ue013": "</u>"}
_SKIP = r"(equation|align|gather|verbatim|lstlisting|tikzpicture|comment|thebibliography|axis)\*?"
_FLOATS = r"((?:sideways|wrap|sub)?table|figure|threeparttable|minipage|table\*|figure\*)"
_BLOCK = re.compile(
    rf"\\begin\{{(?P<table>{'|'.join(map(re.escape, _TABULARS))})\}}|"
    rf"\\begin\{{(?P<skipped>{_SKIP})\}}|\\begin\{{(?P<float>{_FLOATS})\}}|"
    r"\\(?P<head>(?:sub)*section|paragraph)\*?\s*(?=[\[{])|"
    r"\\(?P<caption>caption)(?:of\{\w+\})?\*?\s*(?=[\[{])"
)
_PARTIAL_RULE = re.compile(
    r"\\(?:cmidrule|cline|cdashline)\s*(?:\[[^\]]*\])?\s*(?:\([^)]*\))?\s*\{[^}]*\}"
)
_COLOUR = re.compile(r"\\(?:row|cell|column)?color(?![a-zA-Z])\s*(?:\[\w*\])?\s*\{[^{}]*\}")
_RULE = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|hdashline)(?![a-zA-Z])(?:\s*\[[^\]]*\])?|"
    r"\\(?:Xhline|specialrule)\s*(?:\{[^{}]*\})+"
)
_ENDS = re.compile(r"\\(?:tabularnewline|cr|newline)(?![a-zA-Z])")
_SPLIT = re.compile(r"(\\\\\s*\*?(?:\[[^\]]*\])?)|\\.|[{}&]", re.DOTALL)
_MULTICOLUMN = re.compile(r"\s*\\multicolumn\s*\{\s*(\d+)")
_ALONE = re.compile(r"[\s{]*(?:\\textbf\{)?\\([A-Z]\w+)(?:\{\})?[\s}]*")
_SWITCH = re.compile(r"\\(?:bfseries|bf)(?![a-zA-Z])\s*([^{}]*)")
_MATH = re.compile(r"(?<!\\)\$([^$]*)\$")
_PARAGRAPH = re.compile(r"\n\s*\n")
_OF_TABLES = re.compile(
    r"\\begin\{((?:sideways|wrap)?table\*?|longtable|xltabular)\}.*?\\end\{\1\}", re.DOTALL
)
_LABEL = re.compile(r"\\label\{([^}]+)\}")
_REFERENCE = re.compile(r"\\(ref|[cC]ref|[aA]utoref)\*?\{([^}]*)\}")
_PLAIN = re.compile(r"[^\\{}$~%`'-]*")


def to_html(text: str, path: Path, root: Path) -> tuple[str, list[Unread]]:
    """The tables and text of a LaTeX source, each row with its file and line.

    Parameters
    ----------
    path : Path
        Its file.
    root : Path
        Folder that holds all files which may be put in.

    Returns
    -------
    html : str
    unread : list of Unread
        Inputs that are not there.
    """
    source = sources.Source(root)
    text = sources.expanded(source.inlined(text, path), _NAMES)
    text = _COLOUR.sub("", _PARTIAL_RULE.sub("", text))
    text = _ENDS.sub(lambda _: r"\\", text)
    body = text.partition(r"\begin{document}")[2] or text
    numbers = _numbered(body)
    body = _REFERENCE.sub(lambda reference: _referred(reference, numbers), body)
    parts, caption, number, float_end, at = [], "", "", 0, 0
    while match := _BLOCK.search(body, at):
        parts += _paragraphs(body[at : match.start()], source.lines)
        at = match.end()
        if match["table"]:
            inner, at = _environment(body, at, match["table"])
            if at > float_end:
                caption, number = "", _number(inner, numbers)
            parts.append(_table(_content(inner, match["table"]), caption, number, source.lines))
        elif match["skipped"]:
            _, at = _environment(body, at, match["skipped"])
        elif match["float"]:
            inner, end = _environment(body, at, match["float"])
            own = next((one for one in _BLOCK.finditer(inner) if one["caption"]), None)
            if own or end > float_end:  # a box in a float has the float's caption
                caption = _argument(inner, own.end())[0] if own else ""
                number = _number(inner, numbers)
                float_end = max(end, float_end)
        else:
            words, at = _argument(body, at)
            if match["head"]:
                parts.append(f"<h2>{words}</h2>")
    return "\n".join(parts + _paragraphs(body[at:], source.lines)), source.missing


def _numbered(body: str) -> dict[str, str]:
    """The number of each table with a label, as LaTeX counts them."""
    numbers = {}
    for number, table in enumerate(_OF_TABLES.finditer(body), 1):
        numbers |= dict.fromkeys(_LABEL.findall(table[0]), str(number))
    return numbers


def _number(table: str, numbers: dict[str, str]) -> str:
    return next((numbers[one] for one in _LABEL.findall(table) if one in numbers), "")


def _referred(reference: re.Match, numbers: dict[str, str]) -> str:
    """A reference to tables as it is printed; any other stays or has no text."""
    named = [numbers[one.strip()] for one in reference[2].split(",") if one.strip() in numbers]
    if reference[1] == "ref":
        return named[0] if named else reference[0]
    return " and ".join(f"Table {number}" for number in named)


def _argument(text: str, at: int) -> tuple[str, int]:
    """The argument in braces after an optional one, as HTML, and where it ends."""
    option = sources.OPTION.match(text, at)
    value, end = sources.argument(text, option.end() if option else at)
    return _html(value), end


def _environment(text: str, at: int, name: str) -> tuple[str, int]:
    """What is in an environment that begins before `at`, and where it ends."""
    depth = 1
    for match in re.finditer(rf"\\(begin|end)\{{{re.escape(name)}\}}", text[at:]):
        depth += 1 if match[1] == "begin" else -1
        if depth == 0:
            return text[at : at + match.start()], at + match.end()
    return text[at:], len(text)


def _content(text: str, name: str) -> str:
    """A tabular without its arguments."""
    at = 0
    for _ in range(_TABULARS[name]):
        while option := sources.OPTION.match(text, at):
            at = option.end()
        at = sources.argument(text, at)[1]
    return text[at:]


def _paragraphs(text: str, lines: list[tuple[Path, int]]) -> list[str]:
    pairs = [(part, _html(part)) for part in _PARAGRAPH.split(text)]
    return [f"<p{_place(part, lines)}>{words}</p>" for part, words in pairs if words]


def _table(text: str, caption: str, number: str, lines: list[tuple[Path, int]]) -> str:
    """A tabular as an HTML table."""
    title = re.search(r"\\caption\*?\s*(?=[\[{])", text)  # of a longtable
    if title:
        caption, end = _argument(text, title.end())
        text = text[: title.start()] + text[end:]
    rows = []
    for row in _rows(_flattened(text)):
        source, rules = _RULE.subn("", "&".join(row))
        rows += ['<tr class="rule"></tr>'] * rules
        cells = [_cell(sources.MARK.sub("", _RULE.sub("", cell))) for cell in row]
        if any(text for _, text in cells):
            shown = "".join(f'<td colspan="{span}">{text}</td>' for span, text in cells)
            rows.append(f"<tr{_place(source, lines)}>{shown}</tr>")
    caption = f"<caption>{caption}</caption>"
    return f'<table data-number="{number}">{caption}{"".join(rows)}</table>'


def _place(text: str, lines: list[tuple[Path, int]]) -> str:
    """File and line of the first mark in a text, as attributes."""
    mark = sources.MARK.search(text)
    if mark is None:
        return ""
    file, line = lines[int(mark[1])]
    return f' data-line="{line}" data-file="{escape(file.as_posix())}"'


def _flattened(text: str) -> str:
    """A tabular whose cells hold no tabular of their own."""
    while (match := _BLOCK.search(text)) and (name := match["table"]):
        inner, end = _environment(text, match.end(), name)
        words = re.sub(r"(?<!\\)&|\\\\", " ", _RULE.sub("", _flattened(_content(inner, name))))
        text = text[: match.start()] + words + text[end:]
    return text


def _rows(text: str) -> list[list[str]]:
    """Source of the cells of each row; a line's end within a macro's argument ends no row."""
    rows, start, arguments = [[]], 0, []
    for match in _SPLIT.finditer(text):
        token = match[0]
        if token == "{":
            before = text[match.start() - 1 : match.start()]
            arguments.append(before.isalpha() or before in ("}", "]", "*"))
        elif token == "}":
            arguments[-1:] = []
        elif token == "&" or (match[1] and not any(arguments)):
            rows[-1].append(text[start : match.start()])
            start = match.end()
            if match[1]:
                rows.append([])
    rows[-1].append(text[start:])
    return rows


def _cell(source: str) -> tuple[int, str]:
    """How many columns a cell spans, and its HTML."""
    wide = _MULTICOLUMN.match(source)
    alone = _ALONE.fullmatch(source)  # a name that a package or class defines
    text = _html(_balanced(source))
    if alone and text in ("", "<b></b>"):
        text = alone[1]
    return int(wide[1]) if wide else 1, text


def _balanced(source: str) -> str:
    """A cell of which the braces open and close within it."""
    opened = closed = 0
    for brace in sources.BRACE.findall(source):
        opened += brace == "{"
        if brace == "}":
            closed, opened = closed + (opened == 0), max(opened - 1, 0)
    return "{" * closed + source + "}" * opened


def _html(source: str) -> str:
    """One cell or paragraph as escaped inline HTML."""
    from pylatexenc.latexwalker import LatexWalker

    text = sources.MARK.sub("", source)
    if not _PLAIN.fullmatch(text):
        text = _MATH.sub(lambda math: "${" + re.sub("[_^]", " ", math[1]) + "}$", text)
        text = _SWITCH.sub(lambda switch: rf"\textbf{{{switch[1]}}}", text)
        walker = LatexWalker(text, latex_context=_syntax(), tolerant_parsing=True)
        text = _words().nodelist_to_text(walker.get_latex_nodes()[0])
    text = " ".join(escape(text, quote=False).split(" ")).strip()
    for mark, tag in _TAGS.items():
        text = text.replace(mark, tag)
    return text


@cache
def _syntax():
    """Which macros have which arguments."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import MacroSpec

    emphasized = _BOLD + _UNDERLINED + _APART
    arguments = [*SHOWN.items(), *_HIDDEN.items(), ("{", emphasized)]
    macros = [MacroSpec(name, args) for args, names in arguments for name in names]
    database = get_default_latex_context_db()
    database.add_context_category("tables", macros=macros, prepend=True)
    return database


@cache
def _words():
    """How macros are written as text."""
    from pylatexenc.latex2text import (
        LatexNodes2Text,
        MacroTextSpec,
        SpecialsTextSpec,
        get_default_latex_context_db,
    )

    text = {name: f"%({len(args)})s" for args, names in SHOWN.items() for name in names}
    text |= dict.fromkeys(chain(*_HIDDEN.values()), "")
    text |= dict.fromkeys(_APART, " %(1)s")
    text |= dict.fromkeys(_BOLD, "\ue010%(1)s\ue011")
    text |= dict.fromkeys(_UNDERLINED, "\ue012%(1)s\ue013") | _SYMBOLS
    macros = [MacroTextSpec(name, simplify_repl=shown) for name, shown in text.items()]
    specials = [SpecialsTextSpec("&", " ")]
    database = get_default_latex_context_db()
    database.add_context_category("tables", macros=macros, specials=specials, prepend=True)
    return LatexNodes2Text(latex_context=database)
