"""The method `final_answer`: what a chat response in any language says in the end, and by which rule.

What states an answer (a JSON key, a box, a tag, "the answer is", "答案：", ...) goes before what only looks like one (a line that
is a label, bold print, the text of an option, the last label named). Of several statements the last one counts; where statements
follow each other with nothing between and differ, none. Where two of the weaker rules differ, none. A response that goes on with
another question is read up to there. Nothing is guessed: whatever stays open has no choice and says why.

The phrases are data (see `wording`). The statements of a column are found in one pass (RE2, by Arrow); only what stands around
them is looked at in Python.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from analysis.answers import tokens
from analysis.answers.tokens import CLOSED, LABEL, OPEN, Named
from analysis.answers.wording import PLAIN, either, words

ROWS = 2**12  # handled together
AHEAD, BEHIND = 200, 60  # characters looked at behind and before a statement's words
MARK, STOP = "\x01", "\x02"
NONE = Named((), 0)  # a statement that no option is right
LISTED = Named((), -1)  # labels that are no answer: options restated, or denied
SEVERAL, NO_OPTION, REFUSAL, EMPTY, UNREAD = "several choices", "none of the options", "refusal", "no response", "no answer found"

KEY = r"""["'](?:(?:incorrect|wrong|false|final|correct|best|right|my|model|the|predicted|selected|chosen)[_ -]?)?(?:answer|choice|option|label|prediction|predicted|response|ans|correct|selected|selection)(?:[_ -]?(?:key|letter|label|option|choice|text|value|id))?["']\s*:"""
BOX, TAG, BRACKETS = r"\\f?boxed\s*\{", r"<(?:final[_ -]?)?(?:answer|choice|option|ans)>", r"\[\["
OVER = r"<\|(?:im_end|endoftext|eot_id|end|im_start|end_of_text)\|>|</s>"
DIRECT = re.compile(r"""(?:[\s:：=\-–—>→*_"'“”‘’«»「」『』【】《》〈〉\[\](){}<`$|~,、#་།]|\.(?=\S))*""")
SENTENCE = re.compile(r"\.(?=\s|$)|[!?;；。！？।؟]|\n\n")
ASIDE = ("the", "indeed", "likely", "probably", "definitely", "then", "clearly", "simply", "most likely", "obviously", "thus", "therefore",
         "actually", "also", "only", "still", "most", "my", "final", "correct", "right", "best", "one", "both", "either", "labeled",
         "labelled", "given by", "najbardziej", "la", "le", "el", "die", "der", "das", "o", "a opção", "هو", "هي")  # fmt: skip
FORMS = {'"': "json", "'": "json", "\\": "box", "<": "tag", "[": "brackets"}
FORMED, PROSE = frozenset(FORMS.values()), ("answer phrase", "label before phrase")
# The most frequent form, in which nothing else has to be looked at: a label, and the line is over.
PLAINLY = re.compile(
    r"""[ \n]?(is:? |: ?|:?\*\* ?)?[ "'(\[*]{0,3}([A-Za-z])[)\]"'*.]{0,4}[ ]?(?:\n(?![(\s]*[A-Za-z][).:])|\n?\}|$)"""
)
JSON = re.compile(
    r"""\s*(?:"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>[^'\n]*)'|\[(?P<list>[^\]\n{]*)\]|(?P<bare>null|None|-?\d{1,2}(?![\d.])|[A-Za-z](?!\w)))"""
)


@dataclass(frozen=True)
class Reading:
    """What a response says.

    Attributes
    ----------
    choices : tuple of int
        Positions of the options that it chooses: none, one, or several together.
    why : str
        The rule that told it, or why there is none.
    """

    choices: tuple[int, ...]
    why: str


def read(texts: Sequence[str | None], options: Sequence[Sequence[str]]) -> list[Reading]:
    """The answer of each response.

    Parameters
    ----------
    texts : sequence of str or missing, shape (rows,)
        Without the steps of reasoning models.
    options : sequence of sequences of str, shape (rows, any)
        The texts of each item's options.

    Returns
    -------
    list of Reading, shape (rows,)
    """
    found: list[Reading] = []
    for start in range(0, len(texts), ROWS):
        found += map(_read, _marked(texts[start : start + ROWS]), options[start : start + ROWS])
    return found


def _marked(texts: Sequence[str | None]) -> list[str]:
    """The texts with the words of statements between `MARK` and `STOP`; missing ones are empty, lone surrogates question marks."""
    texts = [text if isinstance(text, str) else "" for text in texts]
    texts = [text.replace(MARK, " ").replace(STOP, " ") if MARK in text or STOP in text else text for text in texts]
    try:
        column = pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        column = pa.array([text.encode("utf-8", "replace").decode("utf-8") for text in texts], pa.large_string())
    return pc.replace_substring_regex(column, _statements(), f"{MARK}\\0{STOP}").to_pylist()


@cache
def _statements() -> str:
    """All that may state an answer, and what begins another question, for RE2."""
    question = rf"\n[\s#*>\[]*{either(words('question'))}\s*\d*\s*\]?\**\s*[:：.)]"
    phrases = either({*words("answer"), *words("summary")})
    return f"(?i)(?:{KEY}|{BOX}|{TAG}|{BRACKETS}|\n####|{OVER}|{question}|{phrases})"


@lru_cache(maxsize=2**12)
def _kind(phrase: str) -> str:
    """What the words of a statement are: "over" (another question begins), a form for programs, or "phrase"."""
    over = rf"\n[\s#*>\[]*{either(words('question'))}|{OVER}|{either(words('summary'))}"
    if re.match(over, phrase, re.IGNORECASE):
        return "over"
    return FORMS.get(phrase[0], "phrase") if phrase[0] != "[" or phrase == "[[" else "phrase"


@cache
def _pattern(name: str) -> re.Pattern:
    """Patterns of the phrases, made when they are first needed."""
    fill = either({*words("is"), *words("right"), *words("so"), *ASIDE})
    made = {
        "is": rf"[:=]|->|→|⇒|—|–|{either(words('is'))}(?-i:(?![a-z]))",
        "wrong": rf"{either(words('wrong'))}(?-i:(?![a-z]))",
        "denied": rf"[\W_]*(?:{either(words('option'))}|{either(words('is'))})?[\W_]*{either(words('wrong'))}(?-i:(?![a-z]))",
        "none": rf"(?:{either(words('none'))})(?!\w)",
        "aside": rf"(?:{either({*ASIDE, *words('so')})}(?-i:(?![a-z]))[\s,:]*)*",
        "fill": rf"[^\w\n.!?。！？]*(?:{fill}[^\w\n.!?。！？]*){{0,5}}",
        "nothing": rf"[\W_]*(?:(?:{either({*ASIDE, *words('so'), *words('is'), 'eoa', 'a', 'json'})})[\W_]*)*",
        "refusal": either(words("refusal")),
        "so": either(words("so")),
        "right": rf"[\W_]*(?:{either(words('option'))}[\W_]*)?(?:(?:{either({*words('is'), *ASIDE})})[\W_]*){{0,3}}{either(words('right'))}(?-i:(?![a-z]))",
    }
    return re.compile(made[name], re.IGNORECASE)


def _read(marked: str, options: Sequence[str]) -> Reading:
    """The answer of one response, in which the statements' words stand between `MARK` and `STOP`."""
    head, *parts = marked.split(MARK)
    if not parts:
        return _weak(head, options)
    pieces = [part.partition(STOP) for part in parts]
    kinds = [_kind(phrase) for phrase, _, _ in pieces]
    cut = len(pieces)
    if "over" in kinds:
        cut = _cut(head, pieces, kinds, options)
    row, rule, between = [], "", ""
    for number in range(cut - 1, -1, -1):  # from the end: the last statement counts
        found = _stated(head, pieces, number, kinds[number], options)
        after = pieces[number][2]
        if found is None:
            between = after + between
            continue
        named, how = found
        if row and not _pattern("nothing").fullmatch((after[named.end :] + between)[:80]):
            break
        row.append(named)
        rule, between = rule or how, ""
        if number == 0 or _far(pieces[number - 1][2]):
            break
    if not row:
        return _weak(head + "".join(phrase + after for phrase, _, after in pieces[:cut]), options)
    if len({named.choices for named in row}) > 1 and row[0].choices != row[-1].choices:
        return Reading((), f"{SEVERAL}: {rule}")
    if rule in PROSE and (form := next((k for k in range(cut - 1, -1, -1) if kinds[k] in FORMED), None)) is not None:
        found = _stated(head, pieces, form, kinds[form], options)
        if found and found[0].choices != row[0].choices and found[0].choices:
            return Reading((), f"{SEVERAL}: {found[1]} and {rule}")
    if not row[0].choices:
        return Reading((), NO_OPTION)
    return Reading((), f"{SEVERAL}: {rule}") if row[0].undecided else Reading(row[0].choices, rule)


def _far(text: str) -> bool:
    """Whether so much follows a statement that the next one does not follow it at once."""
    return len(text) > 120


def _cut(head: str, pieces: list, kinds: list[str], options: Sequence[str]) -> int:
    """How many statements stand before another question begins: the first such place that comes after an answer."""
    answered = False
    for number, kind in enumerate(kinds):
        if kind != "over":
            answered = answered or _stated(head, pieces, number, kind, options) is not None
        elif answered or _alone(head + "".join(phrase + after for phrase, _, after in pieces[:number]), options):
            return number
    return len(pieces)


def _stated(head: str, pieces: list, number: int, kind: str, options: Sequence[str]) -> tuple[Named, str] | None:
    """What a statement names, and the rule."""
    if kind == "over":
        return None
    phrase, _, after = pieces[number]
    plainly = PLAINLY.match(after) if kind in ("json", "phrase") else None
    if plainly and (kind == "json" or plainly[1]) and (position := ord(plainly[2].upper()) - 65) < len(options):
        return Named((position,), plainly.end(2)), "json" if kind == "json" else "answer phrase"
    ahead = after
    for follows, _, more in pieces[number + 1 : number + 3]:
        if len(ahead) > AHEAD or _kind(follows) == "over":
            break
        ahead += follows + more
    ahead = ahead[:AHEAD].translate(PLAIN)
    if kind == "json":
        return _with_rule(_json(ahead, options), "json")
    if phrase.endswith("####"):
        return _with_rule(_slot(ahead.lstrip().partition("\n")[0], options), "heading")
    if kind == "box":
        return _with_rule(_slot(_braced(ahead), options), "box")
    if kind == "tag":
        return _with_rule(_slot(ahead.partition("<")[0], options), "tag")
    if kind == "brackets":
        return _with_rule(_slot(ahead.partition("]]")[0], options), "brackets") if "]]" in ahead else None
    before = (head if number < 2 else "") + "".join("".join(piece[::2]) for piece in pieces[max(0, number - 2) : number])
    before = before[-BEHIND:].translate(PLAIN)
    if before and before[-1].isalpha() and phrase[0].isalpha() and _inside(before[-1], phrase[0]):
        return None
    at = -1  # the word goes on: "answered"
    if not (ahead[:1].isalpha() and phrase[-1].isalpha() and _inside(phrase[-1], ahead[0])):
        at = OPEN.match(ahead, DIRECT.match(ahead).end()).end()
    found = _with_rule(_phrase(ahead, at, options, after[:2000]), "answer phrase")
    return found or _with_rule(_before(before, ahead, options), "label before phrase")


def _with_rule(found: Named | None, rule: str) -> tuple[Named, str] | None:
    return found and (found, rule)


def _inside(last: str, first: str) -> bool:
    """Whether a phrase begins inside a longer word; scripts that set no spaces, and Arabic with its prefixes, have no such words."""
    return last.isascii() == first.isascii() and (first.isascii() or first < "\u0250" or "\u0400" <= first <= "\u052f")


def _braced(text: str) -> str:
    """Up to the brace that closes one which stands before."""
    depth = 1
    for place, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if not depth:
            return text[:place]
    return text


def _slot(text: str, options: Sequence[str]) -> Named | None:
    """A place that holds the answer and nothing else: labels, a label with its text, an option's text, or "none"."""
    text = text.strip()
    if "{" in text:
        text = re.sub(r"\\[a-z]+\s*\{([^{}]*)\}", r"\1", text)
    found = tokens.named(text, OPEN.match(text).end(), options)
    if found:
        rest = text[CLOSED.match(text, found.end).end() :]
        if not rest.strip(" .") or (rest[0] in ".):,、-–" and not _differs(rest, found, options)):
            return found
    position = tokens.option_text(text, options)
    if position is not None:
        return Named((position,), len(text))
    return NONE if not text.strip(" -–\"'") or _pattern("none").match(text.casefold()) else None


def _json(ahead: str, options: Sequence[str]) -> Named | None:
    value = JSON.match(ahead)
    if value is None:
        return None
    if value["list"] is not None:
        parts = [_slot(part.strip(" \"'"), options) for part in value["list"].split(",") if part.strip()]
        if not all(parts):
            return None
        return Named(tuple(dict.fromkeys(c for part in parts for c in part.choices)), value.end()) if parts else NONE
    text = next((value[name] for name in ("double", "single", "bare") if value[name] is not None), "")
    found = _slot("" if text in ("null", "None") else text, options)
    return found if found is NONE else found and replace(found, end=value.end())


def _phrase(ahead: str, at: int, options: Sequence[str], own: str) -> Named | None:
    """What follows the words of a statement: at once, or behind a word such as "is"."""
    if at >= 0 and (found := _here(ahead, at, options, own)):
        return None if found is LISTED else found
    end = SENTENCE.search(ahead)
    limit = min(end.start() if end else len(ahead), 80 if ahead[:30].isascii() else 40)
    for link in _pattern("is").finditer(ahead, 0, limit):
        if _pattern("wrong").search(ahead, 0, link.start()):
            return None
        begin = OPEN.match(ahead, _pattern("aside").match(ahead, OPEN.match(ahead, link.end()).end()).end()).end()
        if found := _here(ahead, begin, options, own):
            return None if found is LISTED else found
    return None


def _here(text: str, at: int, options: Sequence[str], own: str) -> Named | None:
    """Labels, an option's text, or "none" at a place."""
    found = tokens.named(text, at, options)
    if found:
        whole = len(found.choices) == len(options) > 2
        rest = text[found.end :]
        if not whole and not _pattern("denied").match(rest[:40]) and not _lists(text, found, own):
            return replace(found, undecided=True) if _differs(rest, found, options) else found
        return LISTED
    line = re.compile(r"[^\n]*").match(text, at)
    position = tokens.option_text(line[0], options, cut=line.end() == len(text))
    if position is not None:
        return Named((position,), line.end())
    return NONE if _pattern("none").match(text.casefold(), at) else None


def _differs(rest: str, found: Named, options: Sequence[str]) -> bool:
    """Whether the text behind a label is that of another option."""
    behind = re.match(r"[\s\"'”’)\]}*_`]*[.):,、\-–]\s*([^\n]+)", rest)
    if not behind or len(found.choices) > 1:
        return False
    said = {tokens.plain(behind[1]), tokens.plain(SENTENCE.split(behind[1])[0])}
    texts = dict(tokens.plain_options(tuple(options)))
    return _another(said, texts, found.choices[0])


def _another(said: set[str], texts: dict[int, str], position: int) -> bool:
    """Whether a text is that of an option other than the one at a position."""
    own = texts.get(position)
    if own and any(text.startswith(own) or own.startswith(text) for text in said if text):
        return False
    return any(len(text) > 1 and text in said for other, text in texts.items() if other != position)


def _lists(text: str, found: Named, whole: str) -> bool:
    """Whether a label only begins a list of options: its successor follows in the same dress, or breaks off the text."""
    label, dress = text[found.end - 1 : found.end], text[found.end : found.end + 1]
    if len(found.choices) > 1 or not label.isalpha() or not dress or dress not in ".):、)":
        return False
    follows = rf"[\s(（\[;；,，、:。]{re.escape(chr(ord(label) + 1))}(?:{re.escape(dress)}|$)"
    return re.search(follows, whole[max(0, found.end - 2) :]) is not None


def _before(before: str, ahead: str, options: Sequence[str]) -> Named | None:
    """A label before the words of a statement: "B is the correct answer"."""
    for label in reversed([*LABEL.finditer(before)]):
        rest = before[label.end() :]
        if not _pattern("fill").fullmatch(rest):
            return None
        begin = label.start()
        word = next((m.start() for m in tokens.OPTION.finditer(before, 0, begin) if m.end() >= begin), begin)
        found = tokens.named(before + ahead, word, options)
        listed = LABEL.search(before, max(0, begin - 6), begin)
        if found is None and label[0].isupper() and tokens.wording.labels()[label[0]] < len(options) and rest.strip():
            found = Named((tokens.wording.labels()[label[0]],), label.end())
        if found is None or listed or len(found.choices) > 1 or _pattern("denied").match(ahead[:30]):
            return None
        return replace(found, end=0)
    return None


def _alone(text: str, options: Sequence[str]) -> bool:
    """Whether a text names an option by its lines alone."""
    return bool(text.strip()) and bool(_lines(text.translate(PLAIN), options))


def _weak(text: str, options: Sequence[str]) -> Reading:
    """The answer of a response that states none in so many words."""
    if not text.strip():
        return Reading((), EMPTY)
    text = (text if len(text) < 2400 else text[:400] + "\n" + text[-2000:]).translate(PLAIN)
    found = _lines(text, options)
    refused = _pattern("refusal").search(text)
    if not found and not refused:
        rules = (
            ("json value", _value),
            ("bold", _bold),
            ("verdict", _verdict),
            ("option text", _text),
            ("conclusion", _conclusion),
        )
        found = {rule: choice for rule, finder in rules if (choice := finder(text, options)) is not None}
        if not found and (choice := _final_label(text, options)) is not None:
            found = {"last label": choice}
    if not found:
        if refused:
            return Reading((), REFUSAL)
        return Reading((), NO_OPTION if _pattern("none").search(text[-300:].casefold()) else UNREAD)
    choices, rules = set(found.values()), " and ".join(found)
    return Reading((), f"{SEVERAL}: {rules}") if len(choices) > 1 else Reading(choices.pop(), next(iter(found)))


Found = tuple[int, ...]


def _lines(text: str, options: Sequence[str]) -> dict[str, Found]:
    """Lines that are a label, alone or with a text, where they are no list of options."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return {}
    read = [_line(line, options) for line in (lines if len(lines) < 60 else [*lines[:20], *lines[-40:]])]
    alone = [kept[0] if kept and kept[1] else None for kept in read]
    listed = [_in_list(read, place) for place in range(len(read))]
    found: dict[str, Found] = {}
    if read[0] and not listed[0]:
        found["first line"] = read[0][0]
    if len(read) > 1 and read[-1] and not listed[-1]:
        found["last line"] = read[-1][0]
    restated = any(_restated(line, options) for line in lines[:40])
    if restated and found.get("last line") and not read[-1][1]:
        found.pop("last line")  # a list of options that breaks off
    if not found and not restated:
        read, listed, alone = read[-4:], listed[-4:], alone[-4:]
        kept = {one[0] for one, inside in zip(read, listed, strict=True) if one and not inside}
        if len(kept) == 1:
            found["labelled line"] = kept.pop()
        elif len(kept) > 1 and len(only := {one for one, inside in zip(alone, listed, strict=True) if one and not inside}) == 1:
            found["labelled line"] = only.pop()
    return found


def _restated(line: str, options: Sequence[str]) -> bool:
    """Whether a line is a list of options."""
    found = tokens.named(line, OPEN.match(line).end(), options) if len(line) < 2000 else None
    return found is not None and _lists(line, found, line)


def _line(line: str, options: Sequence[str]) -> tuple[Found, bool] | None:
    """The labels with which a line begins, and whether they are all of it."""
    line = re.sub(r"</?[\w|]+>", " ", line)
    begin = _pattern("aside").match(line, OPEN.match(line).end()).end()
    found = tokens.named(line, begin, options)
    if not found or found.undecided or len(found.choices) == len(options) > 2:
        return None
    rest = line[CLOSED.match(line, found.end).end() :]
    if not rest.strip(" .。།။।,;"):
        return found.choices, True
    closed = rest is not line[found.end :] and len(rest) < len(line) - found.end
    text = tokens.option_text(rest.lstrip(" .):,、-–"), options)
    if text is not None and (text,) != found.choices:
        return None
    dressed = rest[0] in ".):、;," or rest[:2] in ("- ", "– ", "— ") or (closed and line[found.end] in ")]*")
    if (dressed or text is not None) and not _lists(line, found, line) and not _pattern("denied").match(rest[:30]):
        return found.choices, False
    return None


def _in_list(read: list, place: int) -> bool:
    """Whether a labelled line stands next to one with the next or previous label: options restated."""
    if not read[place] or len(read[place][0]) > 1:
        return False
    position = read[place][0][0]
    near = [read[other][0][0] for other in (place - 1, place + 1) if 0 <= other < len(read) and read[other]]
    if not near and read[place][1]:  # "(b)" far behind "(a) ..." goes on with a list
        near = [one[0][0] for one in read[:place] if one and not one[1]][-1:]
        return position - 1 in near
    return position + 1 in near or position - 1 in near


def _value(text: str, options: Sequence[str]) -> Found | None:
    """The one label that is a value in JSON, whatever its key."""
    found = {ord(label.upper()) - 65 for label in re.findall(r"""["']\s*:\s*["']([A-Za-z])["']\s*[,}\n]""", text)}
    return (found.pop(),) if len(found) == 1 and min(found) < len(options) else None


def _bold(text: str, options: Sequence[str]) -> Found | None:
    """The one label in bold print."""
    found = set()
    for bold in re.finditer(r"\*\*([^*\n]{1,120})\*\*", text):
        if named := _slot(bold[1], options):
            found.add(named.choices)
    found.discard(())
    return found.pop() if len(found) == 1 else None


def _verdict(text: str, options: Sequence[str]) -> Found | None:
    """The one label of which it is said that it is right."""
    found = set()
    for label in LABEL.finditer(text):
        position = tokens.wording.labels()[label[0]]
        if (
            position < len(options)
            and label[0] not in "aI"
            and label[0].isalpha()
            and _pattern("right").match(text, CLOSED.match(text, label.end()).end())
        ):
            found.add((position,))
    return found.pop() if len(found) == 1 else None


def _text(text: str, options: Sequence[str]) -> Found | None:
    """The option whose text is the response, its first or last line, or the only one that a short response holds."""
    lines = [line for line in text.split("\n") if line.strip()]
    same = {
        position
        for line in lines[:60]
        for position, option in tokens.plain_options(tuple(options))
        if tokens.plain(line) == option
    }
    if len(same) > 1:  # options restated
        return None
    for part in dict.fromkeys((text, lines[0], lines[-1])):
        said = tokens.plain(part)
        for position, option in tokens.plain_options(tuple(options)):
            if said == option:
                return (position,)
    if len(text) > 300 or _pattern("wrong").search(text):
        return None
    said, held = f" {tokens.plain(text)} ", []
    for position, option in tokens.plain_options(tuple(options)):
        if len(option) > 1 and re.search(rf"(?<!\w){re.escape(option)}(?!\w)", said):
            said = said.replace(option, " ")
            held.append(position)
    return (held[0],) if len(held) == 1 else None


def _conclusion(text: str, options: Sequence[str]) -> Found | None:
    """The one label in the last sentence that begins as a conclusion."""
    begun = [word.end() for word in _pattern("so").finditer(text)]
    if not begun:
        return None
    end = SENTENCE.search(text, begun[-1] + 1)
    return _only(text[begun[-1] : end.start() if end else len(text)], options)


def _final_label(text: str, options: Sequence[str]) -> Found | None:
    """The one label in the last sentence."""
    sentences = [part for part in SENTENCE.split(text.strip()[-300:]) if part and part.strip()]
    return _only(sentences[-1], options) if sentences else None


def _only(sentence: str, options: Sequence[str]) -> Found | None:
    """The one label, in parentheses or with the word for option, of a sentence that denies nothing."""
    if _pattern("wrong").search(sentence):
        return None
    found = set()
    for label in LABEL.finditer(sentence):
        position, before = tokens.wording.labels()[label[0]], sentence[: label.start()].rstrip(" \"'“*")
        closed = re.match(r"\s*[)\]）]", sentence[label.end() :]) and before[-1:] in ("(", "[", "（")
        word = next((word for word in tokens.OPTION.finditer(before[-14:]) if word.end() == len(before[-14:])), None)
        if position < len(options) and label[0].isalpha() and (word or (closed and len(before) > 1)):
            found.add((position,))
    return found.pop() if len(found) == 1 else None


def sequence(text: str, options: Sequence[str], expected: int = 0) -> tuple[int, ...]:
    """Answers to several questions in the order in which a response states them: each statement's labels, or lines with numbers."""
    (marked,) = _marked([text])
    head, *parts = marked.split(MARK)
    pieces = [part.partition(STOP) for part in parts]
    named = [_stated(head, pieces, number, _kind(piece[0]), options) for number, piece in enumerate(pieces)]
    found = [position for one in named if one for position in one[0].choices]
    if not found or (expected and len(found) != expected):
        lines = re.findall(r"(?m)(?:^|[\s;,，；])[(（]?\d{1,3}[)）.、:：]\s*[(（]?([A-Z])(?![A-Za-z])", text.translate(PLAIN))
        numbered = [ord(letter) - 65 for letter in lines if ord(letter) - 65 < len(options)]
        found = numbered if numbered and (not found or len(numbered) == expected) else found
    if not found and (one := tokens.named(text, OPEN.match(text).end(), options)):
        found = list(one.choices)
    return tuple(found)


def stated_text(text: str) -> str | None:
    """What stands behind the last statement's words, to the end of its line or slot."""
    (marked,) = _marked([text])
    for part in reversed(marked.split(MARK)[1:]):
        phrase, _, after = part.partition(STOP)
        kind = _kind(phrase)
        if kind == "over":
            continue
        if kind == "box":
            return _braced(after).strip() or None
        if kind == "tag":
            return after.partition("<")[0].strip() or None
        if kind == "json" and (value := JSON.match(after)):
            found = next((value[name] for name in ("double", "single", "bare") if value[name] is not None), None)
            return found or re.match(r"[^,}\n]*", after)[0].strip()
        line = after.replace(STOP, "").lstrip(" :：=*_\"'`\n").split("\n")[0]
        link = _pattern("is").match(line)
        line = line[link.end() :] if link else line
        if line.strip(" .*:"):
            return re.split(r"[.。]\s|[.。]$", line.strip(" *_\"'`:"))[0].strip() or None
    return None
