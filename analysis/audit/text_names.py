"""Which rows and columns of tables a sentence names: by a label, or by words that few labels have.

"GPT-4o", "GPT4o" and "GPT 4o" are the same words; "our method" is the row that is called ours.
"""

import re
from typing import NamedTuple

from analysis.audit.printed_table import Table

_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)*|\+")
_SAME = {
    **dict.fromkeys(("our", "proposed"), "ours"),
    **dict.fromkeys(("avg", "mean", "averaged", "averages", "overall"), "average"),
    **{"acc": "accuracy", "prec": "precision", "rec": "recall", "scores": "score"},
    **{"w": "with", "wo": "without"},
}
# words that name nothing alone
_COMMON = set(
    "the a an of in on at to by for with without and or vs no not all both each other new base "
    "full large small best model models method methods system baseline task tasks dataset data "
    "set test dev train training validation value values result results score rate number total "
    "none yes only us we is are as it this that these from than per any high low more most top "
    "english language languages using use".split()
)
_LONGEST = 8  # words of a name
_LEAST = 3  # letters of a word that is cut
_PART = 0.7  # how surely a part of a label names it
_LONG = 5  # characters of a label that is one without a capital, too
_TEXTS = ("label", "block", "text")
_UNNAMED = (*_TEXTS, "section", "empty")
_BRACKETED = re.compile(r"\s*[\[(].*")
_GOES_ON = re.compile(
    r"[-_.]?\d|-?[A-Z]\w|[-_/][a-z]{3,}|\s\d+(?:\.\d+)?[BbMm]?\s?(?=[A-Z])|\s\d+\.\d+\s[A-Z]"
)
_FOLLOWING = re.compile(r"\s([A-Z][^\W\d_]*)")
_WENT_BEFORE = re.compile(r"\w[-_.]$|[^\W\d_]$")

_Words = tuple[str, ...]


class Line(NamedTuple):
    """A row or a column of a table."""

    table: Table
    by_column: bool
    index: int


class Mention(NamedTuple):
    """Lines that a name in a sentence may mean, and its place."""

    lines: dict[Line, float]
    start: int
    end: int


class Names:
    """The rows and columns of tables by the words of their labels, and how surely they name it."""

    def __init__(self, tables: list[Table]):
        self.lines: dict[_Words, dict[Line, float]] = {}
        for table in tables:
            texts = [one.index for one in table.columns if one.role in _TEXTS]
            for k, row in enumerate(table.rows):
                if row.role not in _UNNAMED:
                    its = [table.grid.rows[row.index][j].text for j in texts]
                    self._add([row.label, row.section, row.group, *its], Line(table, False, k))
            for k, column in enumerate(table.columns):
                if column.role not in _UNNAMED:
                    self._add([column.label, column.top], Line(table, True, k))

    def _add(self, labels: list[str], line: Line) -> None:
        """A line by its labels, also those that it shares with others, and by parts of them."""
        for label in labels:
            full, short = (_words(text) for text in (label, _BRACKETED.sub("", label)))
            for size in range(1, min(len(full), _LONGEST) + 1):
                for k in range(len(full) - size + 1):
                    name = full[k : k + size]
                    weights = self.lines.setdefault(name, {})
                    weights[line] = max(weights.get(line, _PART), name in (full, short))

    def mentions(self, sentence: str) -> list[Mention]:
        """What a sentence names; of names within each other, each table's longest."""
        tokens, mentions = words(sentence), []
        names = [word for word, _, _ in tokens]
        ends: dict[tuple[Table, bool], int] = {}
        for at, (_, start, _) in enumerate(tokens):
            for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
                end = tokens[at + size - 1][2]
                lines = self._meant(tuple(names[at : at + size]), sentence[start:end])
                free = {line: lines[line] for line in lines if ends.get(line[:2], 0) <= start}
                if free and not self._is_longer(sentence, start, end):
                    mentions.append(Mention(free, start, end))
                    ends |= {line[:2]: end for line in free}
        return mentions

    def _meant(self, name: _Words, shown: str) -> dict[Line, float]:
        """Lines whose label a name is, or else in whose label it is, and how surely."""
        weights = self.lines.get(name, {})
        full = {line[:2] for line in weights if weights[line] == 1 and _is_label(name, shown)}
        least = _LEAST - shown[0].isupper()
        is_part = name == ("ours",) or any(len(w) > least and w not in _COMMON for w in name)
        return {
            line: weight
            for line, weight in weights.items()
            if (weight == 1 if line[:2] in full else is_part)
        }

    def _is_longer(self, sentence: str, start: int, end: int) -> bool:
        """Whether a name is part of a longer one, as "Qwen2.5" of "Qwen2.5-72B"."""
        following = _FOLLOWING.match(sentence, end)
        other = following and (following[1].lower(),) not in self.lines
        return bool(other or _GOES_ON.match(sentence, end) or _WENT_BEFORE.search(sentence[:start]))


def words(text: str) -> list[tuple[str, int, int]]:
    """Words of a name or sentence, and their places."""
    tokens = [(match[0].lower(), *match.span()) for match in _WORD.finditer(text)]
    return [(_SAME.get(word, word), start, end) for word, start, end in tokens]


def _words(label: str) -> _Words:
    return tuple(word for word, _, _ in words(label))


def _is_label(name: _Words, shown: str) -> bool:
    """Whether a label is one in a sentence, too: not a number, nor a common or short word."""
    if len(name) == 1 and (name[0] in _COMMON or name[0][0].isdigit() or len(shown) < 2):
        return False
    return len(shown) >= _LONG or shown[0].isupper()
