"""The method `final_answer`: what a chat response in any language says in the end, and by which
rule.

What states an answer (a JSON key, a box, a tag, "the answer is", ...) goes before what only
looks like one (a line that is a label, the text of an option, the last label named). Of
several statements the last one counts; where statements follow each other with nothing between and
differ, none. Where two of the weaker rules differ, none. A response that goes on with another
question is read up to there. Nothing is guessed: whatever stays open has no choice and says why.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from analysis import schemas
from analysis.answers.comparison import NUMERALS
from analysis.answers.final_answer.labels import Named, Options, options_of
from analysis.answers.final_answer.statements import (
    MARK,
    SENTENCE,
    STATING,
    UNSEEN,
    Statement,
    marked,
    parts,
    pattern,
    stated,
)
from analysis.answers.final_answer.unstated import (
    NO_OPTION,
    SEVERAL,
    Verdict,
    last_line,
    unstated,
)
from analysis.answers.final_answer.wording import BROKEN_OFF, SPACED
from analysis.answers.frame import NO_RESPONSE, UNREAD, Reading
from analysis.answers.marking import english, keys_of, type_of

NEAR = 60  # statements before the end of a part among which one must name an option
BRIEF = 50  # characters of responses that many runs give alike
UNKNOWN = ("",) * 26  # options whose texts are not known
# with a unit, in scripts without spaces also behind a word; no "5th", "3x", "15:30", "17h30"
NUMBER = re.compile(
    rf"(?<![{SPACED}.^])(?<!\^\{{)(?<!\d:)[-+−]?"
    r"(?>(?<!\d,)(?:\d{1,3}(?:\.\d{3})+|\d+),(?:\d\d?|\d{4,9})(?![\d,])"
    r"|\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d{1,3}(?:,\d{3}){1,9}|\d{1,30})(?:\.\d+)?+"
    r"(?:[eE][-+]?\d+|\s*/\s*\d+(?![\d.]))?+"
    r"(?!\d|[:h](?!00)\d|(?:st|nd|rd|th|[x-zX-ZKM])\b|\s[+*×·]\s[\w(\\])"
)
_POWER = re.compile(r"\d+\s?\^\s?[({]?[-−]?\d+[)}]?")
_FRACTION = re.compile(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}")
# how sure a model is
_SURE = re.compile(
    "(?i)(?:confid|confian|konfiden|уверен|luotet|tillid|güven|置信|信心|信頼度|확신|신뢰|কনফিডে)"
    r"[^\d\n.]{0,30}$"
)
_GLOSS = re.compile(r"(?<=\d)([^()\n\\]{0,40})\([^()]*\)")  # "14 (22 - 8)"


def final_answer(
    texts: Sequence[str], options: Sequence[Sequence[str]], metadata: Sequence[Mapping]
) -> list[Reading]:
    """What each response says in the end.

    Parameters
    ----------
    texts : sequence of str, shape (rows,)
        Without the steps of reasoning models.
    options : sequence of sequences of str, shape (rows, any)
    metadata : sequence of mappings, shape (rows,)
        Of the items: `answer_type`; `labels`, where they are numbers that do not begin with 1.

    Returns
    -------
    list of Reading, shape (rows,)
        `why` names the rule that gave the choice, or says why there is none: "several choices:
        <rule>", "none of the options", "refusal", "no answer found", "no response". The choice of a
        set is its labels with commas between.
    """
    return [_reading(*row) for row in zip(marked(texts), options, metadata, strict=True)]


def _reading(mark: tuple[str, str], texts: Sequence[str], metadata: Mapping) -> Reading:
    kind = type_of(metadata)
    if kind in ("number", "text"):
        sections = [(text, statements) for text, _, statements in parts(*mark)]
        (first, statements), *others = sections
        if others and not statements and len(first) < BRIEF and _numbers(first):
            return _open(first, None, metadata)  # what goes on answers another question
        return _open(mark[0], _stated_text(sections), metadata)
    labels = tuple(map(str, metadata.get("labels") or ()))
    texts, several = tuple(texts) or UNKNOWN, kind == "set"
    shown, marks = mark
    before, _, end = marks.partition(MARK)
    # all of it, or its only statement at its end
    begin = len(before) if 0 < len(end) < BRIEF <= len(shown) and MARK not in end else 0
    if len(shown) - begin < BRIEF:
        unknown = options_of((None,) * len(texts), labels, several)
        reading = _brief(shown[begin:], marks[begin:], unknown)
        if reading and (not begin or reading.why in STATING):
            return reading
    return _read(*mark, options_of(texts, labels, several))


@lru_cache(maxsize=2**14)
def _brief(*arguments: object) -> Reading | None:
    """What is read independently of the options' texts; None where these count."""
    try:
        return _read(*arguments)
    except (AttributeError, TypeError):  # of a text that is unknown
        return None


def _read(shown: str, mark: str, options: Options) -> Reading:
    why, one = _verdict(shown, mark, options)
    if one is None:
        return Reading(None, why)
    if len(one.choices) > 1 and not options.several:
        return Reading(None, f"{SEVERAL}: {why}")
    labels = schemas.labels(len(options))
    choice = ",".join(labels[place] for place in sorted(one.choices))
    return Reading(choice, why, partial(_places, one, len(shown)))


def _places(one: Named, size: int, text: str) -> tuple:
    """Where in the response as it is, hidden marks included, an answer was read: in the last `size`
    characters without these.
    """
    visible = [sign.start() for sign in re.finditer(f"(?!{UNSEEN})(?s:.)", text)]
    _, end, begin, *_ = one.moved(len(visible) - size)
    return ((visible[begin], visible[end - 1] + 1),) if begin < end <= len(visible) else ()


def _verdict(shown: str, mark: str, options: Options) -> Verdict:
    """The answer of one response: of the first of its parts that has any."""
    why = NO_RESPONSE
    for text, start, statements in parts(shown, mark):
        if text.strip():
            why, one = _stated(text, statements, options)
            if why == UNREAD:
                why, one = unstated(text, options)
            if why != UNREAD:
                return why, one and one.moved(start)
    return why, None


def _stated(text: str, statements: list[Statement], options: Options) -> Verdict:
    """The last statement that names something, where those before it that follow each other with
    nothing between name the same, or the first of them does.
    """
    last = last_line(text, options)
    row = [("labelled line", last)] if last else []
    following = last.start if last else len(text)
    for statement in reversed(statements[-NEAR:]):
        if one := stated(text, statement, options):
            gap = text[max(one.end, statement.end) : following]
            if row and not pattern("nothing").fullmatch(gap[:80]):
                break
            row.append((statement.kind, one))
            following = statement.start
    if not row:
        return UNREAD, None
    (rule, last), (_, first) = row[0], row[-1]
    if last.choices != first.choices or last.undecided:
        return f"{SEVERAL}: {rule}", None
    return (rule, last) if last.choices else (NO_OPTION, None)


# ------------------------------------------------------------------ answers that are no label


def _stated_text(sections: list[tuple[str, list[Statement]]]) -> str | None:
    """What is behind the last statement's words, to the end of its line or slot, in the first part
    that has any.
    """
    for part, statements in sections:
        for statement in reversed(statements):
            after = part[statement.end : statement.next]
            if statement.slot:
                content = statement.slot.match(after)
                return content and content[0].strip(" \n\"'")
            line = after.lstrip(" :：=*_\"'`\n").partition("\n")[0]
            if line.strip(" .*:"):
                link = pattern("is").match(line)
                line = line[link.end() :] if link else line
                return re.split(r"[.。](?:\s|$)", line.strip(" *_\"'`:"))[0].strip()
    return None


def _numbers(text: str) -> list[tuple[str, str]]:
    """Numbers that no word denies, each with what is behind it; of a sum what it equals."""
    text = _FRACTION.sub(r"\1/\2", _POWER.sub("", text.translate(NUMERALS)))
    text = _GLOSS.sub(r"\1", text).rpartition("=")[2]
    return [
        (one[0], text[one.end() :])
        for one in NUMBER.finditer(text)
        if not pattern("denies").search(text, one.start() - 20, one.start())
        and not _SURE.search(text, one.start() - 50, one.start())
    ]


def _open(text: str, stated_: str | None, metadata: Mapping) -> Reading:
    """The number or text stated as the answer; where none is, the only number of a short response,
    or one in the last sentence; or all of a response that is hardly longer than a key.
    """
    if type_of(metadata) == "number":
        if numbers := _numbers(stated_ or ""):
            return Reading(english(numbers[0][0], text), "stated number")
        end = text.rstrip()[-300:]
        numbers = [] if BROKEN_OFF.search(end) else _numbers(end)
        for number, behind in numbers[-1:]:
            if (len(numbers) == 1 and len(text) < 200) or not SENTENCE.search(behind[:-1]):
                return Reading(english(number, text), "last number")
    elif stated_:
        return Reading(stated_, "stated text")
    elif len(text) <= 10 + 2 * max(map(len, keys_of(None, metadata)), default=100):
        return Reading(text.strip(), "whole response")
    return Reading(None, UNREAD)
