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
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from analysis.answers import tokens
from analysis.answers.tokens import CLOSED, LABEL, OPEN, Named
from analysis.answers.wording import PLAIN, either, words

ROWS = 2**12  # handled together
AHEAD, BEHIND = 200, 60  # characters looked at behind and before a statement's words
MARK, STOP = "\x01", "\x02"
NONE = Named((), 0)  # a statement that no option is right
SEVERAL, NO_OPTION, REFUSAL, EMPTY, UNREAD = "several choices", "none of the options", "refusal", "no response", "no answer found"

KEY = r"""["'](?:(?:final|correct|best|right|my|model|the|predicted|selected|chosen)[_ -]?)?(?:answer|choice|option|label|prediction|predicted|response|ans|correct|selected|selection)(?:[_ -]?(?:key|letter|label|option|choice|text|value|id))?["']\s*:"""
BOX, TAG, BRACKETS = r"\\f?boxed\s*\{", r"<(?:final[_ -]?)?(?:answer|choice|option|ans)>", r"\[\["
OVER = r"<\|(?:im_end|endoftext|eot_id|end|im_start|end_of_text)\|>|</s>"
DIRECT = re.compile(r"""(?:[\s:：=\-–—>→*_"'“”‘’«»「」『』【】《》〈〉\[\](){}<`$\\|~,、#་།]|\.(?=\S))*""")
SENTENCE = re.compile(r"[.!?](?=\s|$)|[。！？।؟]|\n\n")
ASIDE = ("the", "indeed", "likely", "probably", "definitely", "then", "clearly", "simply", "most likely", "obviously", "thus", "therefore",
         "actually", "also", "only", "still", "most", "my", "final", "correct", "right", "best", "one", "both", "either", "labeled",
         "labelled", "given by", "najbardziej", "la", "le", "el", "die", "der", "das", "o", "a opção", "هو", "هي")  # fmt: skip
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
        block = pa.array([text if isinstance(text, str) else "" for text in texts[start : start + ROWS]], pa.large_string())
        marked = pc.replace_substring_regex(block, _statements(), f"{MARK}\\0{STOP}").to_pylist()
        found += map(_read, marked, options[start : start + ROWS])
    return found


@cache
def _statements() -> str:
    """All that may state an answer, and what begins another question, for RE2."""
    question = rf"\n[\s#*>\[]*{either(words('question'))}\s*\d*\s*\]?\**\s*[:：.)]"
    return f"(?i)(?:{KEY}|{BOX}|{TAG}|{BRACKETS}|\n####|{OVER}|{question}|{either(words('answer'))})"


@cache
def _is_over() -> re.Pattern:
    return re.compile(rf"\n[\s#*>\[]*{either(words('question'))}|{OVER}", re.IGNORECASE)


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
        "fill": rf"[\W_]*(?:{fill}[\W_]*){{0,5}}",
        "nothing": rf"[\W_]*(?:(?:{either({*ASIDE, *words('so'), *words('is'), 'eoa', 'a'})})[\W_]*)*",
        "refusal": either(words("refusal")),
        "so": either(words("so")),
        "right": rf"[\W_]*(?:{either(words('option'))}[\W_]*)?(?:(?:{either({*words('is'), *ASIDE})})[\W_]*){{0,3}}{either(words('right'))}(?-i:(?![a-z]))",
    }
    return re.compile(made[name], re.IGNORECASE)


def _read(marked: str, options: Sequence[str]) -> Reading:
    """The answer of one response, in which the statements' words stand between `MARK` and `STOP`."""
    head, *parts = marked.split(MARK)
    stated: list[tuple[Named, str, bool]] = []  # what was named, by which rule, right behind the one before
    before, told, between = head, head, ""
    for number, part in enumerate(parts):
        phrase, _, after = part.partition(STOP)
        if _is_over().match(phrase):
            if stated or _alone(told, options):
                break
            before, told = after, told + phrase + after
            continue
        follows = "".join(parts[number + 1 : number + 3]).replace(STOP, "") if len(after) < AHEAD else ""
        follows = "" if _is_over().match(follows) else follows
        ahead = after + follows
        found = _stated(phrase, ahead[:AHEAD].translate(PLAIN), before[-BEHIND:].translate(PLAIN), options)
        if found:
            named, rule = found
            close = bool(stated) and len(between) < 60 and _pattern("nothing").fullmatch(between) is not None
            stated.append((named, rule, close))
            between = after[named.end :] if named.end < len(after) else ""
        else:
            between += phrase + after
        told += phrase + after
        before = (before + phrase + after)[-BEHIND:]
    if stated:
        return _last(stated)
    return _weak(told, options)


def _last(stated: list[tuple[Named, str, bool]]) -> Reading:
    """The last statement; none where it ends a row of statements that differ and does not return to the first."""
    named, rule, close = stated[-1]
    row = [named]
    for earlier, (_, _, follows) in zip(reversed(stated[:-1]), reversed(stated), strict=False):
        if not follows:
            break
        row.append(earlier[0])
    if len({one.choices for one in row}) > 1 and row[0].choices != row[-1].choices:
        return Reading((), f"{SEVERAL}: {rule}")
    if named is NONE or not named.choices:
        return Reading((), NO_OPTION)
    return Reading((), f"{SEVERAL}: {rule}") if named.undecided else Reading(named.choices, rule)


def _stated(phrase: str, ahead: str, before: str, options: Sequence[str]) -> tuple[Named, str] | None:
    """What a statement names, and the rule."""
    if phrase[0] in "\"'":
        return _with_rule(_json(ahead, options), "json")
    if phrase[0] == "\\":
        return _with_rule(_slot(_braced(ahead), options), "box")
    if phrase[0] == "<":
        return _with_rule(_slot(ahead.partition("<")[0], options), "tag")
    if phrase.startswith("[["):
        return _with_rule(_slot(ahead.partition("]]")[0], options), "brackets") if "]]" in ahead else None
    if phrase[0].isalpha() and before and before[-1].isalpha() and _inside(before[-1], phrase[0]):
        return None
    return _with_rule(_phrase(ahead, options), "answer phrase") or _with_rule(_before(before, ahead, options), "label before phrase")


def _with_rule(found: Named | None, rule: str) -> tuple[Named, str] | None:
    return found and (found, rule)


def _inside(last: str, first: str) -> bool:
    """Whether a phrase begins inside a longer word; scripts that set no spaces, and Arabic with its prefixes, have no such words."""
    return last.isascii() == first.isascii() and (first.isascii() or "\u0250" > first or "\u0400" <= first <= "\u052f")


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


def _phrase(ahead: str, options: Sequence[str]) -> Named | None:
    """What follows the words of a statement."""
    at = DIRECT.match(ahead).end()
    found = _here(ahead, at, options)
    if found:
        return found
    end = SENTENCE.search(ahead, at)
    limit = min(end.start() if end else len(ahead), 80)
    for link in _pattern("is").finditer(ahead, 0, limit):
        if _pattern("wrong").search(ahead, 0, link.start()):
            return None
        begin = OPEN.match(ahead, _pattern("aside").match(ahead, OPEN.match(ahead, link.end()).end()).end()).end()
        found = _here(ahead, begin, options)
        if found:
            return found
    return None


def _here(text: str, at: int, options: Sequence[str]) -> Named | None:
    """Labels, an option's text, or "none" at a place."""
    found = tokens.named(text, at, options)
    if found:
        whole = len(found.choices) == len(options) > 2
        rest = text[found.end :]
        if not whole and not _pattern("denied").match(rest[:40]) and not _lists(text, at, found):
            return replace(found, undecided=True) if _differs(rest, found, options) else found
        return None
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
    position = tokens.option_text(behind[1], options)
    return position is not None and position != found.choices[0] and len(tokens.plain(options[position])) > 1


def _lists(text: str, at: int, found: Named) -> bool:
    """Whether a label only begins a list of options: its successor follows in the same dress."""
    label = text[found.end - 1]
    dress = text[found.end : found.end + 1]
    if len(found.choices) > 1 or not label.isalpha() or not dress or dress not in ".):、)":
        return False
    return re.search(rf"[\s(（\[;；,，、]{re.escape(chr(ord(label) + 1) + dress)}", text[found.end :]) is not None


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
        rules = (("bold", _bold), ("verdict", _verdict), ("option text", _text), ("conclusion", _conclusion))
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
    if not found:
        kept = {one[0] for one, inside in zip(read, listed, strict=True) if one and not inside}
        if len(kept) == 1:
            found["labelled line"] = kept.pop()
        elif len(kept) > 1 and len(only := {one for one, inside in zip(alone, listed, strict=True) if one and not inside}) == 1:
            found["labelled line"] = only.pop()
    return found


def _line(line: str, options: Sequence[str]) -> tuple[Found, bool] | None:
    """The labels with which a line begins, and whether they are all of it."""
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
    if (dressed or text is not None) and not _lists(line, begin, found) and not _pattern("denied").match(rest[:30]):
        return found.choices, False
    return None


def _in_list(read: list, place: int) -> bool:
    """Whether a labelled line stands next to one with the next or previous label: options restated."""
    if not read[place] or len(read[place][0]) > 1:
        return False
    position = read[place][0][0]
    near = [read[other][0][0] for other in (place - 1, place + 1) if 0 <= other < len(read) and read[other]]
    return position + 1 in near or position - 1 in near


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
        if position < len(options) and label[0] not in "aI" and _pattern("right").match(text, CLOSED.match(text, label.end()).end()):
            found.add((position,))
    return found.pop() if len(found) == 1 else None


def _text(text: str, options: Sequence[str]) -> Found | None:
    """The option whose text is the response, its first or last line, or the only one that a short response holds."""
    lines = [line for line in text.split("\n") if line.strip()]
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
    last = None
    for last in _pattern("so").finditer(text):
        pass
    if last is None:
        return None
    end = SENTENCE.search(text, last.end() + 1)
    return _only(text[last.end() : end.start() if end else len(text)], options)


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
        position, around = tokens.wording.labels()[label[0]], sentence[max(0, label.start() - 12) : label.end() + 2]
        word = tokens.OPTION.search(around[: -(2 + len(label[0]))] or "")
        if position < len(options) and (re.search(rf"[(\[（]\s*{re.escape(label[0])}\s*[)\]）]", around) or (word and word.end() >= min(12, label.start()) - 2)):
            found.add((position,))
    return found.pop() if len(found) == 1 else None
