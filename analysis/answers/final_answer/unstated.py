"""The answer of a response that states none in so many words: lines that are a label, a verdict, an
option's text, the end.
"""

import re

from analysis.answers.comparison import plain
from analysis.answers.final_answer.labels import (
    CLOSED,
    LABEL,
    OPTION,
    Named,
    Options,
    mentions,
    named,
    past,
)
from analysis.answers.final_answer.statements import (
    SENTENCE,
    lists,
    opened,
    pattern,
    text_behind,
)
from analysis.answers.final_answer.wording import BROKEN_OFF, SPACED, narrow
from analysis.answers.frame import UNREAD

HEAD, TAIL = 400, 2000  # characters of a long text that are looked at
_LONGEST = 300  # characters of a response that may be an option's text in other words
SEVERAL, NO_OPTION, REFUSAL = "several choices", "none of the options", "refusal"
_LINE = r"(?m)^.*\S.*"
# "Jibu: B": a few words of any language and a colon
_HEADED = re.compile(r"^[\W_]*[^\W\d_][^\n:：]{0,40}[:：]")
_ALONE = re.compile(rf"([^\w\s]*){LABEL}([^\w\s.]*)\.?")  # "**B**"
# what is between a label and its text
_DRESSED = re.compile(
    rf"[)\]*](?![^\W\d_])|{CLOSED.pattern}(?:[.):;,。]|[-–—] |\s?[(（][^()（）]*[)）]\W*$)"
)

Verdict = tuple[str, Named | None]  # the rule, or why there is none; what it names


def unstated(text: str, options: Options) -> Verdict:
    """What the rules name: lines, else a verdict and an option's text, else the conclusion."""
    left_out = max(0, len(text) - HEAD - TAIL)
    if left_out:
        text = f"{text[:HEAD]}\n{text[1 - TAIL :]}"  # HEAD + TAIL with the line feed
    text = narrow(text)
    lines, listed = _lines(text, options)
    if lines:
        rule, one = "labelled line", _single(lines)
        if not one:
            return f"{SEVERAL}: {rule}", None
    elif pattern("refusal").search(text):
        return REFUSAL, None
    elif one := _verdict(text, options):
        rule = "verdict"
    elif one := _text(text, options, listed):
        rule = "option text"
    elif one := _conclusion(text.rstrip(), options):
        rule = "conclusion"
    else:
        none = pattern("none").search(text[-_LONGEST:].casefold())
        return (NO_OPTION if none else UNREAD), None
    return rule, one.moved(left_out) if one.start > HEAD else one


# ------------------------------------------------------------------ lines


def _lines(text: str, options: Options) -> tuple[list[Named], bool]:
    """Lines that are a label, alone or with a text, where they are no list of options; and whether
    there are such lists.
    """
    lines = [*re.finditer(_LINE, text)]
    labelled = [(line, *_label_of(line[0], options, len(lines) == 1)) for line in lines]
    restated = any(begun and not one for _, one, begun in labelled)
    entries = [entry for entry in labelled if entry[1]]
    # what has a text behind it counts at the beginning and the end alone
    ends = () if restated else (*lines[:1], *lines[-4:])
    kept = _without_lists(entries)
    chosen = [entry for entry in kept if entry[2]] or [entry for entry in kept if entry[0] in ends]
    return [one.moved(line.start()) for line, one, _ in chosen], len(kept) < len(entries)


def last_line(text: str, options: Options) -> Named | None:
    """The label that is all of the last line, behind an empty line or a colon, but for signs before
    it and as many behind it.
    """
    before, _, line = text.rstrip().rpartition("\n")
    alone = before[-1:] in ("\n", ":") and len(line) < 20 and _ALONE.fullmatch(line)
    if not alone or len(alone[1]) != len(alone[2]):
        return None
    one = named(line, alone.end(1), options)
    return one and one.moved(len(before) + 1)


def _label_of(text: str, options: Options, only: bool) -> tuple[Named | None, bool]:
    """The label with which a line (the only one, or one of several) begins, or which follows its
    first few words and a colon; whether that is all of it. A list of options has none, but begins.
    """
    headed = _HEADED.match(text)
    for begin in (0, headed.end()) if headed else (0,):
        one = named(text, opened(text, begin), options)
        if not one or one.undecided:
            continue
        if lists(text, one, text):
            return None, True
        # "B)" may break off before its text
        ended = text[-1] not in "):：" or "(" in text
        rest = past(CLOSED, text, one.end)
        alone = ended and pattern("nothing").fullmatch(text, rest) is not None
        # a number may begin a list ("1. First of all"), or be a step of a sum: two signs must agree
        sure = not one.bare or alone + only + (not options.numeric) > 1
        if sure and (alone or _DRESSED.match(text, one.end)):
            return one, alone
    return None, False


def _without_lists(entries: list[tuple]) -> list[tuple]:
    """Labelled lines but for those that restate options, or look at them one by one: the first
    label, the second, ..., with other lines between or not.
    """
    runs = []
    for entry in entries:
        if runs and runs[-1][0][1].choices == (0,) and entry[1].choices == (len(runs[-1]),):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return [entry for entry, *others in runs if not others]


# ------------------------------------------------------------------ other rules


def _single(answers: list[Named]) -> Named | None:
    """The last one where all name the same."""
    return answers[-1] if len({one.choices for one in answers}) == 1 else None


def _verdict(text: str, options: Options) -> Named | None:
    """The labels that are called right, where no others are."""
    if not pattern("rightness").search(text):
        return None  # quicker than to look at every label
    return _single([one for one in mentions(text, options) if _is_right(text, one, options)])


def _is_right(text: str, one: Named, options: Options) -> object:
    if not pattern("right").match(text, one.end) or text_behind(text, one, options)[0] is not None:
        return False
    denied = pattern("denies").search(text, one.start - 20, one.start)
    return not denied and not pattern("denied").match(text, one.end, one.end + 60)


def _text(text: str, options: Options, listed: bool) -> Named | None:
    """The option whose text is the response, its first or last line (which may break off), or the
    only one that a short response contains, unless options are `listed` there.
    """
    *lines, last = re.findall(_LINE, text)
    found = {options.plain.get(plain(part[:HEAD])): part for part in (*lines, last, text)}
    short = not listed and len(text) <= _LONGEST
    if short and {*found} == {None}:
        found = {options.begun(last, cut=True): last}
    found.pop(None, None)
    if found:  # several are restated
        (position, part), *others = found.items()
        begin = text.rindex(part)
        sure = part in (text, last, *lines[:1])
        return Named((position,), begin + len(part), begin) if sure and not others else None
    if not short:
        return None
    rest, contained = f" {plain(text)} ", []
    for option in options.plain:
        word = rf"(?<![{SPACED}]){re.escape(option)}(?![{SPACED}])"
        # to make the pattern takes longest
        if len(option) > 1 and option in rest and re.search(word, rest):
            rest = rest.replace(option, " ")
            contained.append(option)
    if len(contained) != 1 or pattern("wrong").search(rest):
        return None
    return Named((options.plain[contained[0]],), len(text))


def _conclusion(text: str, options: Options) -> Named | None:
    """The one label that concludes: in the last sentence that begins as a conclusion, else in the
    last one.
    """
    if BROKEN_OFF.search(text):
        return None
    near, concluding = max(0, len(text) - _LONGEST), pattern("concluding")
    line = max(near, text.rfind("\n") + 1)
    found = pattern("so").finditer(text, near), SENTENCE.finditer(text, line, len(text) - 1)
    for begin in [one.end() for some in found for one in [*some][-1:]] or [line]:
        sentence = SENTENCE.split(text[begin:])[0]
        # with the word for option, in parentheses or bold, or at the end behind "is"
        named_ = [
            one
            for one in mentions(sentence, options)
            if OPTION.match(sentence, one.start)
            or concluding.search(f"{sentence[: one.start]}\0{sentence[one.end :]}")
        ]
        one = None if pattern("wrong").search(sentence) else _single(named_)
        if one and not one.undecided:
            return one.moved(begin)
    return None
