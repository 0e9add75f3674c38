"""Choices without reading words: from probabilities that a runner or a harness logged, and from
what a log says itself.

Equation 1 of Khayyam Challenge, the mean log-probability of an option's tokens, does not say given
what; here each token is given those before it. The sentence beside the equation and the released
code take all from the distribution of the *first* token instead.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from analysis import schemas
from analysis.answers.frame import Reading
from analysis.answers.marking import keys_of, type_of
from analysis.errors import DataError, refuse_unknown

_ALPHABETS = ("۱۲۳۴۵۶۷۸۹", "123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_GAP = " ▁Ġ\n"  # how tokenizers write a leading space
_SET = re.compile("[A-J]{2,10}")


def single_token(scores: Mapping, options: Sequence[str]) -> Reading:
    """The label with the highest probability as the first token.

    Parameters
    ----------
    scores : mapping
        ``labels`` (label -> log-probability), or ``top`` (for each place, token ->
        log-probability); of `top` the first place is used. The alphabet is that of `_ALPHABETS` of
        which most labels are among the tokens, the first of equals; the released code looks at
        Persian digits alone.
    """
    first = _first_place(scores)
    if not first:
        return Reading(None, "no scores")
    n = len(options)
    columns = [[first.get(label, -np.inf) for label in letters[:n]] for letters in _ALPHABETS]
    values = min(columns, key=lambda column: column.count(-np.inf))
    labels = n - values.count(-np.inf)
    if not labels:
        return Reading(None, "no label among the first tokens")
    return _best(values, f"highest of {labels} labels")


def _best(values: Sequence[float], why: str) -> Reading:
    """The option with the highest value, the first one of equals."""
    return Reading(schemas.labels(len(values))[int(np.argmax(values))], why)


def _first_place(scores: Mapping) -> dict[str, float]:
    """Log-probability of each token at the first place, without its leading space."""
    first = scores.get("labels") or next(iter(scores.get("top") or ()), ())
    pairs = first if isinstance(first, list) else dict(first).items()
    # several tokens may have the same text: the likeliest counts
    return {token.strip(_GAP): score for token, score, *_ in sorted(pairs, key=lambda one: one[1])}


def full_answer(scores: Mapping, options: Sequence[str]) -> Reading:
    """The option whose tokens have the highest mean log-probability, each given those before it
    (Equation 1).
    """
    return likelihood(scores, options, rule="per_token")


def likelihood(scores: Mapping, options: Sequence[str], *, rule: str = "sum") -> Reading:
    """The likeliest option, the first one of equals.

    Parameters
    ----------
    scores : mapping
        With `options` (a mapping an option, with `sum` or `logprobs`, and `text`), or `perplexity`
        (label -> perplexity of question and option together: the lowest wins, whatever the rule).
    rule : {"sum", "per_token", "per_byte"}
        Log-likelihood of the whole option, or divided by its length.

    Raises
    ------
    DataError
        For an unknown rule, or scores that lack what it needs.
    """
    perplexity = scores.get("perplexity")
    n = len(perplexity or scores["options"])
    if n != len(options):
        reason = f"{n} options, but the item has {len(options)}"
        raise DataError(reason, field="scores.options")
    if perplexity:
        values = [-perplexity.get(label, np.inf) for label in schemas.labels(len(options))]
    else:
        values = [_log_likelihood(option, rule) for option in scores["options"]]
    return _best(values, f"likeliest: {rule.replace('_', ' ')}")


def _log_likelihood(option: Mapping, rule: str) -> float:
    tokens, text = option.get("logprobs") or [], (option.get("text") or "").strip()
    total = sum(tokens) if option.get("sum") is None else option["sum"]
    sizes = {"sum": 1, "per_token": len(tokens), "per_byte": len(text.encode())}
    refuse_unknown("rule of the likelihood", sizes, rule)
    if not sizes[rule]:
        raise DataError(f"has nothing for the rule {rule}", field="scores.options")
    return float(total) / sizes[rule]


def given(log: Mapping, options: Sequence[str], answer: str | None, metadata: Mapping) -> Reading:
    """What the log itself says: its choice (a label, an option's text, or a list of them), its
    verdict, or its score.

    Where the log says that an answer is right, and not what it is, its choice is the key. A score
    alone is the choice, neither right nor wrong; an empty choice next to one is none.
    """
    logged, verdict = log.get("choice"), log.get("correct")
    parts = logged if isinstance(logged, (list, tuple)) else [logged]
    texts = {str(part) for part in parts if part is not None}
    if type_of(metadata) == "set":  # AC is A and C
        texts = {part for text in texts for part in (text if _SET.fullmatch(text) else [text])}
    worded = type_of(metadata) in ("number", "text")
    labels = texts if worded else {label_of(text, options) for text in texts}
    if labels and None not in labels:
        why = "the log's choice" + (" and verdict" if verdict is not None else "")
        return Reading(",".join(sorted(labels)), why)
    if verdict:
        key = ",".join(sorted(keys_of(answer, metadata)))
        return Reading(key or "right", "the log's verdict")
    if verdict is not None:
        if log.get("choice", "unsaid"):
            return Reading("wrong", "the log's verdict")  # chosen, or the log does not say
        return Reading(None, "no choice: the log's verdict")
    if log.get("score") is not None and "choice" not in log:
        return Reading(f"{log['score']:g}", "the log's score")
    return Reading(None, "no choice")


def label_of(text: str, options: Sequence[str]) -> str | None:
    """The label of a short text that is a label, names one, or is the text of an option."""
    # whose patterns take their time to compile
    from analysis.answers.final_answer.labels import OPEN, named, options_of, past
    from analysis.answers.final_answer.wording import narrow

    labels = schemas.labels(len(options) or 26)
    possible = options_of(tuple(options) or ("",) * len(labels))
    text = narrow(text.strip())
    if text.upper() in labels:
        return text.upper()
    position = possible.begun(text)
    label = named(text, past(OPEN, text), possible)
    if position is None and label and not text[label.end :].strip(" )].:"):
        position = label.choices[0] if len(label.choices) == 1 else None
    return None if position is None else labels[position]
