"""What states an answer in so many words, or for programs: a JSON key, a box, a tag, "the answer
is", "答案：", "B is correct" ...

The phrases are data (see `wording`). The statements of a column are found in one pass (RE2, by
Arrow); only what is around them is looked at in Python.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from analysis.answers.final_answer.labels import CLOSED, OPEN, Named, Options, named, past
from analysis.answers.final_answer.wording import UNSEEN, alternatives, either, narrow, words

_QUOTES = " \n\"'"
_AHEAD = 200  # characters looked at behind a statement's words
_LINK = 80  # characters within which a word such as "is" may follow
MARK, STOP = "\x01", "\x02"
_NONE = Named((), 0)  # a statement that no option is right

# JSON keys ("answer", "correct_answer_key", "model choice"), a box, a tag, brackets, a heading
_FOR_PROGRAMS = (
    r"""["'](?:(?:incorrect|wrong|false|final|correct|best|right|my|model|the|predicted|selected"""
    r"|chosen)[_ -]?)?(?:answer|choice|option|label|prediction|predicted|response|ans|correct"
    r"|selected|selection)(?:[_ -]?(?:key|letter|label|option|choice|text|value|id))?"
    r"""["']\s*:|\\f?boxed\s*\{|<(?:final[_ -]?)?(?:answer|choice|option|ans)>"""
    r"|\[\[|(?:^|\n)####|## (?:\w+_)?answer(?:_\w+)? ## \]\]|<\|begin_of_box\|>"
)
_ENDED = r"<\|(?:im_end|endoftext|eot_id|end|im_start|end_of_text|end_response)\|>|</s>"
_DIRECT = re.compile(
    r"""(?:[\s:：=\-–—>→*_"'“”‘’«»「」『』【】《》〈〉\[\](){}<`$|~,、#་།፡፦៖՝]|\.(?=\S))*"""
)
SENTENCE = re.compile(r"\.(?=\s|$)|[!?;；。！？।؟]|\n\n")
SENTENCE_OR_LINE = re.compile(rf"{SENTENCE.pattern}|(?<=\S)\n|$")
_DRESS = re.compile(r"""[\s"'“”‘’«»「」『』【】《》〉〕\[\](){}<>*_~`$#.:,;–—-]*""")
# two letters of one word; scripts that set no spaces, and Arabic with its prefixes, do not tell
_ONE_WORD = re.compile("[A-Za-z]{2}|[\u00c0-\u024f]{2}|[\u0400-\u052f]{2}")
_JSON = re.compile(
    r"""\s*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\[[^\]\n{]*\]"""
    r"""|null|None|-?\d+(?:\.\d+)?|[A-Za-z](?!\w))"""
)
# forms for programs by the first character of their words, and what their slots contain
_SLOTS = {
    '"': ("json", _JSON),
    "'": ("json", _JSON),
    "\\": ("box", re.compile(r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*")),
    "<": ("tag", re.compile(r"\s*<?[^<]*")),
    "[": ("brackets", re.compile(r".*?(?=\]\])", re.DOTALL)),
    "#": ("heading", re.compile(r"\s*[^\n]*")),
}


STATING = {"answer phrase", *(kind for kind, _ in _SLOTS.values())}  # rules


class Statement(NamedTuple):
    """Words that state an answer: their place, where those of the next statement begin, and what
    their slot contains where they are for programs.
    """

    start: int
    end: int
    next: int
    kind: str = "answer phrase"
    slot: re.Pattern | None = None


def marked(texts: Sequence[str]) -> list[tuple[str, str]]:
    """The texts without what is not seen, each with itself in small letters where the words of
    statements are between `MARK` and `STOP`; lone surrogates become question marks.
    """
    encoded = pa.array([text.encode("utf-8", "replace") for text in texts], pa.large_string())
    shown = pc.replace_substring_regex(encoded, UNSEEN, "")
    question = rf"\n[\s#*>\[]*{alternatives(words('question'))}\s*\d*\s*\]?\**\s*[:：.)]"
    phrases = alternatives(words("answer") + words("summary"))
    stating = f"{_FOR_PROGRAMS}|{_ENDED}|{question}|{phrases}"
    # one case beforehand: patterns for either case are a hundred times as slow; no groups, either
    marks = pc.replace_substring_regex(pc.utf8_lower(shown), stating, rf"{MARK}\0{STOP}")
    return list(zip(shown.to_pylist(), marks.to_pylist(), strict=True))


def parts(text: str, mark: str) -> Iterator[tuple[str, int, list[Statement]]]:
    """Parts of a text, each with its place and its statements: another one begins with another
    question.
    """
    before, *pieces = mark.split(MARK)
    start, end, statements = 0, len(before), []
    for piece in pieces:
        phrase, after = piece.split(STOP)
        begin, end = end, end + len(phrase) + len(after)
        if _begins_another(phrase):
            yield text[start:begin], start, statements
            start, statements = begin, []
        else:
            form = _SLOTS.get(phrase.lstrip("\n")[0], ())
            place = (begin - start, begin - start + len(phrase), end - start)
            statements.append(Statement(*place, *form))
    yield text[start:], start, statements


@lru_cache(maxsize=2**12)
def _begins_another(phrase: str) -> re.Match | None:
    """Whether words begin another question, or a list of answers to several."""
    question = rf"\n[\s#*>\[]*{either(words('question'))}"
    return re.match(rf"{question}|{_ENDED}|{either(words('summary'))}", phrase)


@cache
def pattern(name: str) -> re.Pattern:
    """Patterns of the phrases, made when they are first needed."""
    link, option, right, wrong, so, aside, glued = (
        either(words(key)) for key in ("is", "option", "right", "wrong", "so", "aside", "particle")
    )
    ends = r"(?-i:(?![a-zа-яё\u00c0-\u024f\u0370-\u03ff]))"
    nothing = rf"[\W_]*(?:(?:(?:{aside}|{so}){ends}|{link}|{glued}|eoa|a|json)[\W_]*)*"
    forms = {
        "is": rf"[:=]|->|→|⇒|—|–|{link}(?-i:(?![a-z\uac00-\ud7a3]))",
        # a label, here \0, at the end with or without its text, and no other label
        "concluding": rf""".[(\[*][ "'“]*\0\s*[)\]*]|{link}[ "'“*(\[]*"""
        rf"\0(?:{nothing}|\) ?(?:[^\n()]|\([^\n()]*\)){{1,100}})$",
        "wrong": rf"{wrong}{ends}",
        "denied": rf"{CLOSED.pattern}[?？؟]|[\W_]*(?:{option}|{link}|{right})?[\W_]*{wrong}{ends}",
        "denies": rf"{wrong}(?:[^\w\n.!?;。！]|_)*\Z",
        "none": rf"{either(words('none'))}(?![^\W\d_\u0e00-\u0eff])",
        "aside": rf"(?:(?:{aside}|{so}){ends}[\s,:]*)*",
        "nothing": nothing,
        "rightness": right,
        "refusal": either(words("refusal")),
        "so": so,
        "right": rf"[\W_]*(?:{option}[\W_]*)?(?:(?:{link}|{aside})[\W_]*){{0,3}}(?:[ao]\s+)?"
        rf"{right}{ends}",
    }
    return re.compile(forms[name], re.IGNORECASE)


def stated(text: str, statement: Statement, options: Options) -> Named | None:
    """What a statement names, at its place in the text."""
    end = statement.end
    ahead = narrow(text[end : end + _AHEAD])
    if statement.slot:
        content = statement.slot.match(ahead)
        one = content and _in_slot(content[0], options)
    else:
        inside = _ONE_WORD.match(text, end - 1) is not None  # "answered"
        line = text[text.rfind("\n", 0, end) + 1 : end]
        rest = text[end : min(statement.next, end + 2000)]
        one = _behind_phrase(ahead, inside, options, line, rest)
    return one and one.moved(end)


def _in_slot(text: str, options: Options) -> Named | None:
    """What a slot contains that is for the answer and nothing else: labels, a label with its text,
    an option's text, or "none".
    """
    begin = len(text) - len(text.lstrip(_QUOTES))
    if text.strip(f"{_QUOTES}-–[]"):
        return named(text, past(OPEN, text, begin), options) or _text(text, begin, options)
    return _NONE


def _behind_phrase(
    ahead: str, inside: bool, options: Options, line: str, rest: str
) -> Named | None:
    """What follows the words of a statement, with which a `line` ends: at once (unless they are
    `inside` a longer word), or behind a word such as "is".
    """
    places = [] if inside else [past(OPEN, ahead, past(_DIRECT, ahead))]
    limit = min(SENTENCE_OR_LINE.search(ahead).start(), _LINK)
    denied = pattern("wrong").search(ahead, 0, limit)
    for link in pattern("is").finditer(ahead, 0, limit):
        if denied and denied.end() <= link.start():
            break
        places.append(opened(ahead, link.end()))
    for place in places:
        if one := named(ahead, place, options):
            denied = pattern("denied").match(ahead, one.end, one.end + 40)
            # "B (London) is wrong"; but "B. London is not in France"
            enclosed = re.match(r"\s*[(\"“«「]", ahead[one.end : one.end + 9])
            if denied or enclosed:
                position, end = text_behind(ahead, one, options)
                if position in one.choices:
                    denied = enclosed and pattern("denied").match(ahead, end, end + 40)
            return None if denied or lists(ahead, one, rest, line) else one
    # what labels say is independent of the options' texts
    return next(filter(None, (_text(ahead, place, options) for place in places)), None)


def opened(text: str, at: int = 0) -> int:
    """Where, behind quotes, markup and words that change nothing, an answer may begin."""
    return past(OPEN, text, past(pattern("aside"), text, past(OPEN, text, at)))


def _text(text: str, at: int, options: Options) -> Named | None:
    """An option's text, or "none" at a place."""
    line = re.compile(r"[^\n]*").match(text, at)
    position = options.begun(line[0], cut=line.end() == len(text))
    if position is not None:
        return Named((position,), min(line.end(), at + len(options.texts[position])), at)
    return _NONE if pattern("none").match(text.casefold(), at) else None


def text_behind(text: str, one: Named, options: Options) -> tuple[int | None, int]:
    """The option whose text is behind a label (its own may be "no", or "right"), and where that
    ends.
    """
    after = past(_DRESS, text, one.end)
    position = options.begun(text[after : after + 200].partition("\n")[0])
    return position, one.end if position is None else after + len(options.texts[position])


def lists(text: str, one: Named, rest: str, before: str = "") -> bool:
    """Whether a label only belongs to a list of options: its predecessor begins the line before, or
    the next entry in the same dress is its successor, on its line or the next one; on any, where
    it begins a line itself.
    """
    dressed = re.match(r"(\w)([.):、])", text[one.end - 1 : one.end + 1])
    if len(one.choices) > 1 or not dressed:
        return False
    label, dress = dressed.groups()
    first, previous, following = (chr(ord(label) + by) for by in (-one.choices[0], -1, 1))
    if re.match(rf"\W*{re.escape(previous)}[{dress}]", before):
        return True
    # "P(B)" is no entry
    begins = rf"(?:[\s;；,，、:。]|(?<!\w)[(（\[])([{re.escape(first)}-{following}])[{dress}]"
    entry = re.search(begins, rest[one.end :])
    if not entry or entry[1] != following:
        return False
    return "\n" in text[: one.start] or not re.search(r"\n\W*\w", entry.string[: entry.start()])
