"""A reasoning model's intermediate steps, removed from its responses (the filter of TLUE's
Algorithms 3 and 4).
"""

import re

import pyarrow.compute as pc

_STEPS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
    ("<|im_start|>think", "<|im_start|>answer"),
    ("<unused94>thought", "<unused95>"),
)

_LAST_LINES = re.compile(  # short ones, of which the last ends as a sentence or a label does
    r"(?<=\n)(?:[^\n]{1,100}\n{1,3})?[^\n]{0,99}(?:[^\w\s,;:،、，]|(?<!\w)\w)\Z"
)


def strip_reasoning(text: str, model: str) -> str:
    """`text` without a reasoning model's intermediate steps (TLUE, the filter of Algorithms 3 and
    4).

    The model's name decides, by literal containment as in the paper but in any case: "o1" (which
    "yolo100" contains, too) removes ``Reasoning.*?Reasoned .*? seconds`` over any number of lines;
    else "deepseek-r1" removes ``<think>...</think>``. Other models' text stays as it is.

    The paper is silent about a tag without its partner. Its aim is that only the final output
    counts, therefore an unterminated ``<think>`` hides all that follows, and a ``</think>`` without
    a beginning (chat templates that put the opening tag into the prompt) all that precedes.
    """
    if "o1" in model.casefold():
        return _cut(text, "Reasoning.*?Reasoned .*? seconds")
    if "deepseek-r1" in model.casefold():
        text = _cut(text, "<think>.*?</think>")
        return text.rpartition("</think>")[2].partition("<think>")[0]
    return text


def _cut(text: str, steps: str) -> str:
    """Remove what a pattern matches, by an engine that is linear in the length of the text where
    Python's takes its square.
    """
    given = text.encode("utf-8", "surrogatepass")
    kept = pc.replace_substring_regex(given, pattern=f"(?s){steps}", replacement="")
    return kept.as_py().decode("utf-8", "surrogatepass")


def final_part(text: str, model: str = "") -> str:
    """A response without any model's intermediate steps: what last follows ``</think>`` (or its
    like), or the channel called final.

    Of steps that never end, or that nothing follows, the last line, or the last two, are left where
    they are short: models that close no tag state their answer there. A long one broke off before
    it answered, and so did one that ends within a sentence.

    Examples
    --------
    >>> final_part("<think>A? No, B.</think>The answer is B."), final_part("<think>A? Or")
    ('The answer is B.', '')
    >>> final_part("<think>\\nA? No.\\n\\nAnswer: B"), final_part("<think>\\nA?\\nIt is B if")
    ('A? No.\\n\\nAnswer: B', '')
    >>> final_part("A?</think>Answer: B</think>"), final_part("<think>A?\\nAnswer: B.</think>")
    ('Answer: B', 'Answer: B.')
    """
    if "<" not in text:
        return text
    for begin, end in _STEPS:
        steps, *rest = text.split(end)
        behind = [part.partition(begin)[0] for part in rest]
        if any(map(str.strip, behind)):
            text = [part for part in behind if part.strip()][-1]
        elif rest or steps.lstrip().startswith(begin):
            return "".join(_LAST_LINES.findall("".join([steps, *rest]).rstrip()))
    return text
