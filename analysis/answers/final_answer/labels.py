"""Labels and option texts at a place of a response: what names an option, in any script.

Everything here looks at a short stretch of text whose forms are plain already (`wording.narrow`).
All labels of all alphabets are read by the same rules: where one of them is also a word ("A", "I",
"в"), all count only where they are set apart, or nothing but the right answer would be missed.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from analysis.answers.comparison import plain
from analysis.answers.final_answer.wording import (
    either,
    label_pattern,
    labels,
    words,
)

# what may be around a label, in any number and order
_OPENING = r"""(?:\.{2,}|…|[\s"'“”‘’«»「」『』【】《》〈〉〔〕\[({<*_~`$#:=\-–—>→➜➡👉✅✔፡፦៖՝,])*"""
# a command of TeX, with the brace behind it
_COMMAND = (
    r"\\(?:text(?:bf|it|rm)?|math(?:bf|rm|bb|cal)?|bf|rm|[lL]arge|displaystyle|boxed|,|\(|\[)"
    r"\s*\{?\s*"
)
OPEN = re.compile(f"{_OPENING}(?:{_COMMAND})*{_OPENING}")
_CLOSE = r"""[\s"'”’«»」』】》〉〕\])}>*_~`$#]*"""
CLOSED = re.compile(_CLOSE)
LABEL, HERE = label_pattern(), re.compile(label_pattern(inside=True))
_JOINED = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]{2,10}|\d{2,9})(?![A-Za-z0-9'’])")  # "AC", "245"
_DIGITS = re.compile(  # that begin no sum, and are not below 0
    r"(?<![\d.,/])(?<![\s=(][-−])\d{1,2}(?!\d|[.,/:٪%°^]\d|\s*[%°^×+=/]|\s*\*(?!\*)|\s*x\s*[\d(])"
)
_NUMERIC = re.compile(r"\s*[-+−]?[$€£¥]?\s*0*(\d+)")
_NUMBER_WORD = r"no\.?|nr\.?|number|letter|nomor|№|#|ที่|ی(?=\s)|شماره|رقم"
OPTION = re.compile(rf"{either(words('option'))}(?:\s*(?:{_NUMBER_WORD}))?[\s:་]*", re.IGNORECASE)
_COUNTER = re.compile(rf"(?:[\s.]{{0,2}}{either(words('counter'))}(?![a-zа-яё]))*", re.IGNORECASE)
_AND = (
    r"\s*(?:[,、;/&+،؛~〜～]|[-–—](?=\w)|\b(?:and|to|và|dan|и|ve|və|y|e|et|und|و|және)\b|\bو"
    r"|\b(?:na|i|og|och|ja|at|lan|și|и|та|й|και)\b|आणि|र|ਅਤੇ|અને|மற்றும்|మరియు|ಮತ್ತು|နှင့်|និង|ແລະ"
    r"|和|与|與|及|以及|至|と|および|및|와|과|และ|กับ|और|एवं|དང་?|এবং|ও)\s*"
)
_OR = (
    r"\s*(?:\b(?:or|hoặc|atau|или|veya|ou?|oder|أو|یا)\b|\bvs\.?"
    r"|或者?|または|또는|หรือ|या|অথবা|বা)\s*"
)
_MORE = re.compile(rf"{_CLOSE}(?:(?P<either>{_OR})|{_AND}){_OPENING}")
# what sets a label apart: the end, a particle, or any sign that opens nothing, but "A's" and "I'm"
_STOP = rf"\s*(?:$|\n|(?!['’][^\W\d_])[^\w\s(（\[{{]|_+(?!\w)|{either(words('particle'))})"
_FOLLOWING = either(words("is") + words("because") + words("right"))
# what lets a number, a word or an option's text end
_END = re.compile(
    rf"(?i:{_STOP}|\s+(?:[A-Z](?!\w)|\(|{_FOLLOWING}(?!\w)))"
    rf"|{_MORE.pattern}(?:{HERE.pattern}|{_DIGITS.pattern})(?![^\W\d_])"
)
_BEGINNINGS = "|".join([OPTION.pattern, LABEL, _DIGITS.pattern])
# at most places of a text none can begin: inside of words of ASCII letters, at spaces and signs
_MAYBE = r"(?-i:(?=(?<![A-Za-z])[A-Za-z]|[0-9]|[^\x00-\x7f]))"
_START = re.compile(rf"{_MAYBE}(?:{_BEGINNINGS})", re.IGNORECASE)


class Named(NamedTuple):
    """Options that a text names at one place.

    Attributes
    ----------
    choices : tuple of int
        Their positions.
    end : int
        Where the last label ends.
    start : int
        Where the first label, or the word for option before it, begins.
    undecided : bool
        Whether the labels are joined by "or".
    number : bool
        Whether they are numbers.
    bare : bool
        Whether it is a number with no word for option, which may count something else.
    """

    choices: tuple[int, ...]
    end: int
    start: int = 0
    undecided: bool = False
    number: bool = False
    bare: bool = False

    def moved(self, by: int) -> "Named":
        """The same in a text that has `by` characters more before it."""
        return self._replace(end=self.end + by, start=self.start + by)


class Options:
    """The options of an item, as responses may name them.

    Attributes
    ----------
    texts : tuple of str
    numbers : dict of str to int
        The numbers that are their labels -> position: 1, 2, ... where the item does not say others.
    several : bool
        Whether a response may name more than one.
    plain : dict of str to int
        Plain text -> position, the longest first; texts that two options have name none.
    numeric : set of str
        Numbers with which they begin: alone, these are rather one of them than a label.
    """

    def __init__(self, texts: tuple[str, ...], labels: tuple[str, ...] = (), several: bool = False):
        own = labels if any(map(str.isdecimal, labels)) else map(str, range(1, len(texts) + 1))
        self.texts, self.several = texts, several
        self.numbers = {label: place for place, label in enumerate(own)}

    def __len__(self) -> int:
        return len(self.texts)

    def place(self, sign: str) -> int:
        """The position of the option with a label of one sign, beyond all where there is none."""
        numbers = self.numbers if sign.isdecimal() else labels()
        return numbers.get(sign, len(self))

    @cached_property
    def numeric(self) -> set[str]:
        return {number[1] for number in map(_NUMERIC.match, self.texts) if number}

    @cached_property
    def plain(self) -> dict[str, int]:
        """Made when it is first needed: most responses name a label."""
        forms = [plain(text) for text in self.texts]
        unique = [form for form in forms if form and forms.count(form) == 1]
        unique.sort(key=len, reverse=True)
        return {form: forms.index(form) for form in unique}

    def begun(self, text: str, cut: bool = False) -> int | None:
        """The option whose text this is, or with whose text it begins; `cut` says that the text may
        break off.
        """
        text = plain(text)
        for option in self.plain if text else ():  # whose making is left out where it can be
            if text.startswith(option) and _END.match(text, len(option)):
                return self.plain[option]
        if not cut or len(text) < 15:  # of a text that broke off so many characters tell
            return None
        begun = [place for option, place in self.plain.items() if option.startswith(text)]
        return begun[0] if len(begun) == 1 else None


options_of = lru_cache(maxsize=2**14)(Options)


def past(pattern: re.Pattern, text: str, at: int = 0) -> int:
    """Where what a pattern matches at a place ends."""
    return pattern.match(text, at).end()


def named(text: str, at: int, options: Options) -> Named | None:
    """The labels that begin at a place, with the word for option before them or without; None where
    none does.
    """
    first = _one(text, at, options)
    if first is None:
        return None
    choices, end, undecided = list(first.choices), first.end, False
    while more := _MORE.match(text, end):
        following = _one(text, more.end(), options, chained=not first.bare)
        if following is None or (following.number and not first.number):
            break
        # "1-B, 2-A" are questions and their answers
        undecided |= more["either"] is not None or following.number != first.number
        choices += following.choices
        end = following.end
    return first._replace(choices=tuple(dict.fromkeys(choices)), end=end, undecided=undecided)


def _one(text: str, at: int, options: Options, chained: bool = False) -> Named | None:
    """One label, or capitals that are joined; `chained` says that another label is before it."""
    word = OPTION.match(text, at)
    begin = past(OPEN, text, word.end()) if word else at
    if label := HERE.match(text, begin):
        position, end = labels()[label[0]], label.end()
        # what is set apart as a label where it might be a word: "A" is none before another script
        ahead = text[end : end + 9].lstrip(" " * label[0].isascii())[:1]
        no_word = not label[0][0].isalpha() or (ahead > "\u0250" and ahead.isalpha())
        apart = chained or no_word or (word and not label[0].islower()) or _END.match(text, end)
        behind = past(_COUNTER, text, end)
        if position < len(options) and (apart or behind > end):
            return Named((position,), behind, at)
    joined = _JOINED.match(text, begin)
    if joined and (joined[0].isalpha() or (options.several and joined[0] not in options.numeric)):
        positions = [options.place(sign) for sign in joined[0]]
        if len(set(positions)) == len(positions) and max(positions) < len(options):
            return Named((*positions,), joined.end(), at)
    digits = _DIGITS.match(text, begin)
    number = str(int(digits[0])) if digits else ""
    if number in options.numbers:
        end = past(_COUNTER, text, digits.end())
        worded = chained or word is not None or end > digits.end()
        if worded or (_END.match(text, end) and number not in options.numeric):
            return Named((options.numbers[number],), end, at, number=True, bare=not worded)
    return None


def mentions(text: str, options: Options) -> Iterator[Named]:
    """Every place that names options by more than a bare number, in the order of the text."""
    at = 0
    while start := _START.search(text, at):
        one = named(text, start.start(), options)
        at = max(one.end if one else 0, start.start() + 1)
        if not one or (one.bare and len(one.choices) == 1):
            continue
        # a small letter between spaces is rather a word
        if not re.fullmatch("[a-zа-я][ \n`'\"“]?", text[one.start : one.end + 1]):
            yield one
