"""A LaTeX source as one text: inputs put in, every row marked by its line, shorthands in full."""

import re
from pathlib import Path

from analysis.audit.grids import Unread

_INPUT = re.compile(r"\\(?:input|include|subfile)(?![a-zA-Z])\s*(?:\{([^}]+)\}|([^\s\\{}]+))")
_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\\(\w+)\}?\s*"
    r"(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?\s*(?=\{)|\\def\s*\\(\w+)\s*((?:#\d)*)\s*(?=\{)"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_MARKED = re.compile(r"^(?=\s*\\?[A-Za-z])|(?<=(?<!\\)&)")
OPTION = re.compile(r"\s*\[([^\]]*)\]")
_SPACE = re.compile(r"\s*")
BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
MARK = re.compile("\ue000(\\d+)\ue001")
MAX_GROWTH, MAX_ROUNDS, MAX_FILES = 200_000, 12, 500
_LONGEST = 2000  # characters of a shorthand


def read(file: Path) -> str:
    """The text of a file without comments."""
    return _COMMENT.sub(r"\1", file.read_text("utf-8", "replace"))


def inputs(file: Path, root: Path) -> set[Path]:
    """The files inside `root` that a LaTeX file inputs, and those that these input."""
    inner: set[Path] = set()
    waiting = [file]
    while waiting:
        for match in _INPUT.finditer(read(waiting.pop())):
            path = _inside((match[1] or match[2]).strip(), file.parent, root)
            if path and path not in inner:
                inner.add(path)
                waiting.append(path)
    return inner - {file.resolve()}


def _inside(name: str, here: Path, root: Path) -> Path | None:
    """The file that an input names, if it is within `root`."""
    for base in (here, root):
        for suffix in ("", ".tex"):
            path = (base / (name + suffix)).resolve()
            if path.is_file() and path.is_relative_to(root.resolve()):
                return path
    return None


class Source:
    """A LaTeX source with its inputs.

    Attributes
    ----------
    lines : list of (Path, int)
        File and line of each mark: before a first letter or macro, and behind a first ``&``.
    missing : list of Unread
        Inputs that are not there.
    """

    def __init__(self, root: Path):
        self.root = root
        self.lines: list[tuple[Path, int]] = []
        self.missing: list[Unread] = []
        self.files: list[Path] = []

    def inlined(self, text: str, path: Path) -> str:
        """The text with its inputs, its lines marked."""
        self.files.append(path.resolve())
        lines = _COMMENT.sub(r"\1", text).split("\n")
        marked = []
        for number, line in enumerate(lines, 1):
            marked.append(_MARKED.sub(f"\ue000{len(self.lines)}\ue001", line, count=2))
            self.lines.append((path, number))
        here = self.files[0].parent

        def put(match: re.Match) -> str:
            name = (match[1] or match[2]).strip()
            file = _inside(name, here, self.root)
            if file is None:
                why = f"\\input{{{name}}} names no file in {self.root.resolve().name}"
                self.missing.append(Unread(str(path), why))
                return ""
            if file in self.files or len(self.files) > MAX_FILES:
                return ""
            return f"\n\n{self.inlined(read(file), file)}\n\n"

        return _INPUT.sub(put, "\n".join(marked))


def expanded(text: str, kept: set[str]) -> str:
    """Shorthands of the source put in full; names that are `kept` keep their meaning."""
    shorthands: dict[str, tuple[int, str | None, str]] = {}
    pieces, at = [], 0
    while match := _DEFINED.search(text, at):
        end = _closing(text, match.end())
        name = match[1] or match[4]
        count = int(match[2] or 0) if match[1] else len(match[5]) // 2
        body = text[match.end() + 1 : end - 1].replace("$$", "")  # which is empty in a cell
        if name not in kept and rf"\{name}" not in body and len(body) < _LONGEST:
            shorthands[name] = (count, match[3], body)
        pieces.append(text[at : match.start()])
        at = end
    text = "".join([*pieces, text[at:]])
    if not shorthands:
        return text
    names = "|".join(sorted(map(re.escape, shorthands), key=len, reverse=True))
    used = re.compile(rf"\\({names})(?![a-zA-Z])")
    most = len(text) + MAX_GROWTH
    for _ in range(MAX_ROUNDS):
        longer = _once(text, used, shorthands)
        if longer == text or len(longer) > most:
            return longer
        text = longer
    return text


def _once(text: str, used: re.Pattern, shorthands: dict) -> str:
    """Each shorthand put in full once; one of shorthands may grow without end."""
    pieces, at, size = [], 0, 0
    while size < MAX_GROWTH and (match := used.search(text, at)):
        count, default, body = shorthands[match[1]]
        pieces.append(text[at : match.start()])
        at, values = match.end(), []
        if default is not None:
            option = OPTION.match(text, at)
            values.append(option[1] if option else default)
            at = option.end() if option else at
        while len(values) < count:
            value, at = argument(text, at)
            values.append(value)
        if not count and text[at : at + 2] == "{}":
            at += 2
        for k, value in enumerate(values, 1):
            body = body.replace(f"#{k}", value)
        pieces.append(f"{{{body}}}")
        size += len(body)
    return "".join([*pieces, text[at:]])


def argument(text: str, at: int) -> tuple[str, int]:
    """A macro's argument in braces, or one character, and where it ends."""
    start = _SPACE.match(text, at).end()
    if text[start : start + 1] != "{":
        return text[start : start + 1], start + 1
    end = _closing(text, start)
    return text[start + 1 : end - 1], end


def _closing(text: str, start: int) -> int:
    """Position after the brace that closes the one at `start`."""
    depth = 0
    for match in BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(text)
