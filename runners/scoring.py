"""Requests as token ids: a prompt, and the texts after it whose probability is asked."""

from dataclasses import dataclass
from itertools import takewhile

from runners.failure import Failure
from runners.ranking.shared_prefix import Question


@dataclass(frozen=True)
class Prompt:
    """A request as token ids.

    Attributes
    ----------
    question : Question or None
        Where texts are scored: what they share, and each text's own tokens.
    lead : list of int
        Of each text, how many of its own tokens are still the prompt's.
    """

    request: dict
    tokens: list[int]
    question: Question | None = None
    lead: tuple[int, ...] = ()


def prompt(local, request: dict) -> Prompt:
    """A request as the tokens of a `Local` model, with the labels or options that it wants scored.

    Raises
    ------
    Failure
        Where an option, or the prompt, has no token of its own.
    """
    special = request["kind"] != "chat"  # a chat template brings its own special tokens
    text = local.text(request)
    tokens = local.tokenizer(text, add_special_tokens=special)["input_ids"]
    if not request.get("score"):
        return Prompt(request, tokens)
    # Tokenized with its prompt, as a token may span the border: it counts to the option then, and
    # the other options share one token less with each other.
    texts = [text + option for option in request["candidates"]]
    joined = local.tokenizer(texts, add_special_tokens=special)["input_ids"]
    borders = [_common(tokens, ids) for ids in joined]
    shared = min(borders)
    if not shared or any(len(ids) <= n for ids, n in zip(joined, borders, strict=True)):
        raise Failure("unscorable", "an option, or the prompt, has no token of its own")
    question = Question(tokens[:shared], [ids[shared:] for ids in joined])
    return Prompt(request, tokens, question, tuple(border - shared for border in borders))


def _common(one: list[int], other: list[int]) -> int:
    """How many tokens two lists share at their beginning."""
    pairs = zip(one, other, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
