"""Direct Answer (DA) and Concern All Answer (CAA): capital letters anywhere in a response, TLUE's
Algorithms 1 and 2 (3 and 4 with `reasoning.strip_reasoning` before them).

DA takes a letter only where it is the only valid letter of the response; CAA first takes out every
complete set of the letters (a restated list of options). Where DA finds a letter, CAA finds the
same: a response with one kind of letter never fills a complete set. So on the same outputs CAA
answers at least as often and is right at least as often. "Answer: B" holds an A as well, which is
what `exclude` is for.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from string import ascii_uppercase

from analysis.answers.frame import Reading
from analysis.errors import DataError, refuse_unknown

# bytes that are no valid letter, by the number of options
_OTHERS = [bytes({*range(256)} - {*ascii_uppercase[:n].encode()}) for n in range(27)]
_LEAVING = {"first": 1, "all": 2}  # how many of the two letters that leave a full buffer count


def direct_answer(text: str, options: Sequence[str], *, exclude: Iterable[str] = ()) -> Reading:
    """The only choice letter of a text (TLUE, Algorithm 1).

    Parameters
    ----------
    text : str
    options : sequence of str
        Valid choices are the first ``len(options)`` capital letters.
    exclude : iterable of str
        Taken out of `text` before, one after the other, literally and case-sensitively.

    Examples
    --------
    >>> direct_answer("B. I am sure: B.", "wxyz").choice
    'B'
    >>> direct_answer("Answer: B", "wxyz").why
    'several choices'
    >>> direct_answer("Answer: B", "wxyz", exclude=["Answer"]).choice
    'B'
    """
    return _reading(text, options, exclude)


def concern_all_answer(
    text: str,
    options: Sequence[str],
    *,
    exclude: Iterable[str] = (),
    overflow: str = "first",
) -> Reading:
    """The one choice letter that is left after complete sets of letters are taken out (TLUE,
    Algorithm 2).

    Step 2 moves the letters of the text into a buffer one by one. A buffer of n different letters,
    for n options, is cleared: a restated list of options. When the buffer holds n + 1 letters, the
    paper appends its "first elements" to the letters that are left and keeps the last n - 1: two
    letters leave the buffer, and the wording does not say whether one or both are left over.

    Parameters
    ----------
    text, options, exclude
        As in `direct_answer`.
    overflow : {"first", "all"}
        What is left over of the two that leave a full buffer: the first one (the other is dropped),
        or both. ``"all"`` never finds a letter where ``"first"`` finds none, and never another one.

    Examples
    --------
    A complete set, in any order, is cleared; what remains decides.

    >>> text = "Of A, C, B and D I take C."
    >>> concern_all_answer(text, "wxyz").places(text)
    ((24, 25),)

    Five letters A B A A A with four options: the first two leave, A A A stays. The first reading
    drops the B.

    >>> concern_all_answer("A or B? A. Yes, A: A", "wxyz", overflow="first").choice
    'A'
    >>> concern_all_answer("A or B? A. Yes, A: A", "wxyz", overflow="all").why
    'several choices'
    """
    refuse_unknown("reading of the overflow", _LEAVING, overflow)
    return _reading(text, options, exclude, _LEAVING[overflow])


def _reading(
    text: str, options: Sequence[str], exclude: Iterable[str], leaving: int = 0
) -> Reading:
    """One kind of letter that is left over is a choice. Places are those of the response only where
    nothing was taken out of it.
    """
    n = len(options)
    # the printed map of valid choices ends at four
    if not 2 <= n < len(_OTHERS):
        return Reading(None, "option number not supported")
    if isinstance(exclude, str):
        raise DataError(f"is a list of strings, not one: [{exclude!r}]", field="exclude")
    for part in exclude:
        text = text.replace(part, "")
    # none of the bytes of a longer sign is a letter's
    letters = text.encode("utf-8", "surrogatepass").translate(None, _OTHERS[n])
    reading = _decided(letters, n, leaving)
    return Reading(*reading[:2]) if exclude else reading


@lru_cache(maxsize=2**14)  # many responses have the same letters
def _decided(letters: bytes, n: int, leaving: int) -> Reading:
    """The choice that the valid letters of a text make; all are left over where none may leave a
    full buffer.
    """
    left = _left_over(letters, n, leaving) if leaving else range(len(letters))
    kinds = {letters[place] for place in left}
    places = partial(_places, n, left)
    if len(kinds) == 1:
        return Reading(chr(kinds.pop()), "one choice", places)
    if kinds:
        return Reading(None, "several choices", places)
    return Reading(None, "no choice left" if letters else "no choice")


def _left_over(letters: bytes, n: int, leaving: int) -> list[int]:
    """Places of the letters that step 2 of Algorithm 2 leaves; `leaving` of the two that leave a
    full buffer count.
    """
    left, buffer = [], []
    for place in range(len(letters)):
        buffer.append(place)
        if len(buffer) == n and len({letters[one] for one in buffer}) == n:
            buffer = []
        elif len(buffer) > n:
            left += buffer[:leaving]
            buffer = buffer[2:]
    return left + buffer


def _places(n: int, left: Sequence[int], text: str) -> tuple:
    """Where the letters that are left over are in a text."""
    spans = [match.span() for match in re.finditer(f"[{ascii_uppercase[:n]}]", text)]
    return tuple(spans[place] for place in left)
