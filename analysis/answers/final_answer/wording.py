"""How answers are worded: the phrases and label alphabets of `data/extraction/phrases.yaml`, as
patterns.

The file is data: a language is added there. Here is only the grammar that all languages share.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, partial

import yaml

from analysis import paths

_Tree = dict[str, dict]  # phrases by their first sign, the rest of these by their second, ...

# A label ends where no further letter of its own script follows; a row has the letters of one
# script, or of several that nobody mixes, with their marks and digits.
_LATIN = "A-Za-z0-9\u00c0-\u024f"
UNSPACED = "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3041-\u30ff\u4e00-\u9fff"
_SCRIPTS = (
    _LATIN,
    "\u0370-\u058f",  # Greek, Cyrillic, Armenian
    "\u0590-\u05ff",  # Hebrew
    # Arabic without its digits' signs and the full stop
    "\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ff",
    "\u0900-\u0963\u0966-\u0dff",  # of India, without the full stops
    # Thai, Lao, Tibetan without its stops and dots, Myanmar
    "\u0e00-\u0eff\u0f00-\u0f0a\u0f15-\u0f33\u0f40-\u0fbc\u1000-\u109f",
    "\u10a0-\u10ff",  # Georgian
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3",  # Hangul
    "\u1200-\u137f",  # Ethiopic
    "\u1780-\u17ff",  # Khmer
    "\u3041-\u309f",  # Hiragana
    "\u30a0-\u30fb\u30fd-\u30ff",  # Katakana
    "\u4e00-\u9fff",  # Han
)
SPACED = _LATIN + "\u0370-\u0dff"  # scripts that set spaces between words, and glue nothing to them

# a text that breaks off within a sentence (in scripts with full stops, unless it is short), a sum
# or a list, or that asks; a single letter may be a label
BROKEN_OFF = re.compile(
    rf"(?:(?s:.{{40}})[^\W\d_{UNSPACED}](?<!\W[^\Wa-z])|[-,;:+×=(\[{{\\\ufffd?？؟]|\n\d+\.)$"
)

_SIGNS = {" ": r"\s+", "'": "['’]"}  # of phrases, as patterns
# taken out, so that the rest keeps its places
UNSEEN = "[\u200b-\u200f\u202a-\u202e\u2060\ufe0f\ufeff\u0640\x01\x02]"
_FULL_WIDTH = {chr(0xFF01 + i): chr(0x21 + i) for i in range(0x5E)} | {"\u3000": " ", "\xa0": " "}
_WIDE = re.compile("[\uff01-\uff5e\u3000\xa0]")


def narrow(text: str) -> str:
    """A text with ASCII for full-width forms."""
    return _WIDE.sub(lambda sign: _FULL_WIDTH[sign[0]], text)


@cache
def content() -> dict:
    """The file: `labels`, `lookalikes` and `languages`."""
    text = re.sub(UNSEEN, "", (paths.DATA / "extraction" / "phrases.yaml").read_text("utf-8"))
    return yaml.load(text, yaml.CBaseLoader)  # text alone: "no" and "null" are words


@cache
def words(key: str) -> tuple[str, ...]:
    """The phrases of all languages under a key."""
    languages = content()["languages"].values()
    phrases = {phrase.lower() for language in languages for phrase in language.get(key, ())}
    return (*sorted(phrases),)


def _pattern(joined: Callable[[_Tree], str], phrases: Iterable[str]) -> str:
    """A pattern of alternatives, the longest first; what begins alike is tried once.

    A space is any white space, an apostrophe either form; ASCII words begin as words, short ones
    end so.
    """
    words_, others = {}, {}
    for phrase in sorted(phrases):
        tree = words_ if re.match("[A-Za-z0-9]", phrase) else others
        for sign in phrase:
            tree = tree.setdefault(_SIGNS.get(sign) or re.escape(sign), {})
        short = len(phrase) < 5 and re.fullmatch(r"[ -~]*[A-Za-z0-9]", phrase)
        tree[r"\b" if short else ""] = {}
    # most places of a text are inside of words
    parts = [begin + joined(tree) for begin, tree in ((r"\b", words_), ("", others)) if tree]
    return f"(?:{'|'.join(parts)})"


def _branches(tree: _Tree) -> str:
    """For any engine."""
    parts = [sign + (_branches(rest) if rest else "") for sign, rest in tree.items()]
    parts.sort(key=("", r"\b").__contains__)  # the end of a phrase is tried last
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _guarded(tree: _Tree) -> str:
    """For Python's, which tries alternatives one after the other: first whether any may begin."""
    ahead = "".join(sign.strip("[]") for sign in tree)
    return f"(?=[{ahead}])(?:{_branches(tree)})"


alternatives = cache(partial(_pattern, _branches))
either = cache(partial(_pattern, _guarded))


@cache
def alphabets() -> list[list[str]]:
    """The labels of each alphabet, in the order of the options."""
    return [narrow(row).split() for row in content()["labels"]]


@cache
def labels() -> dict[str, int]:
    """Label -> position of its option. Digits are not among them: any script's digits are read by
    their value.
    """
    positions = {
        label: position for alphabet in alphabets() for position, label in enumerate(alphabet)
    }
    lookalikes = content()["lookalikes"].items()
    return {label: positions[latin] for label, latin in lookalikes} | positions


@cache
def label_pattern(inside: bool = False) -> str:
    """One label: it does not go on as a longer word of its script, but for a particle or a
    counter, nor begin inside of one.

    `inside` says that it may: where a statement's words stand before it, and the script sets no
    spaces.
    """
    glued = (*words("particle"), *words("counter"))
    signs, parts = set(labels()), []
    for script in _SCRIPTS:
        of_script = {label for label in labels() if re.match(f"[{script}]", label)}
        signs -= of_script
        tails = [word for word in glued if script != _LATIN and re.match(f"[{script}]", word)]
        end = "|".join([f"(?!_*[{script}])", *(f"(?={re.escape(tail)})" for tail in tails)])
        begin = f"(?<![{_LATIN}{script}])(?<![{_LATIN}{script}]_)"
        if inside and re.match(f"[{UNSPACED}]", min(of_script)):
            begin = ""
        for tail in of_script.intersection(tails):
            # "(B)가 ": behind a sign that opens nothing it is a particle
            begin += rf"(?!{tail}(?<=[^\s(\[{{<（「『【《〈«:：→]{tail})\s)"
        parts.append(f"(?=[{script}]){begin}{_longest(of_script)}(?:{end})")
    # keycaps begin with a digit, and are read as one
    parts.append(_longest(label for label in signs if not label[0].isdecimal()))
    latin, *others = parts
    return f"(?:{latin}|(?![{_LATIN}])(?:{'|'.join(others)}))"


def _longest(labels_: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(labels_, key=len, reverse=True)))})"
