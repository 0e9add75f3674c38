"""The registry of extraction methods: what each reads, and how; the only road from outputs to
answers.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

import numpy as np
import pandas as pd

from analysis.answers import letters, logged, persian
from analysis.answers.frame import Reading
from analysis.answers.marking import OPEN_TYPES, type_of
from analysis.answers.reasoning import final_part, strip_reasoning
from analysis.errors import DataError
from analysis.limits import within

# ------------------------------------------------------------------ what a method reads

_FACTS = ("model", "answer", "metadata")  # of an item or run


_choosable = itemgetter("choosable")


def _persian(facts: pd.DataFrame) -> pd.Series:
    return facts["language"].eq("fa") & facts["choosable"]


def about(outputs: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """What decides which methods read an output to an item of the same row.

    Returns
    -------
    DataFrame
        `options` and `language` of the item; whether it is `open` (of `OPEN_TYPES`); whether one of
        its options is to be chosen (`choosable`); whether the output is text, or a failed request
        for it (`worded`).
    """
    open_ = items["metadata"].map(type_of).isin(OPEN_TYPES)
    choosable = items["options"].map(len).gt(0) & ~open_
    present = outputs.reindex(columns=["response", "scores", "given", "error"]).notna()
    # what was asked for scores has a missing response, not an empty one; of some requests a log
    # has its own verdict alone
    unasked = present["scores"] | (present["given"] & ~present["error"])
    worded = (present["response"] | ~unasked).to_numpy()
    return items[["options", "language"]].assign(open=open_, choosable=choosable, worded=worded)


def _has_tokens(scores: dict, options: Sequence[str]) -> bool:
    """Plain numbers are a baseline's; sums alone, as logs have them, `likelihood` reads."""
    first = (scores.get("options") or [None])[0]
    return isinstance(first, dict) and "logprobs" in first


def _has_likelihoods(scores: dict, options: Sequence[str]) -> bool:
    """Log-likelihoods of every option, or perplexities."""
    scored, n = scores.get("options") or (), len(options)
    sums = (isinstance(one, dict) and {"sum", "logprobs"} & one.keys() for one in scored)
    return n > 1 and bool(scores.get("perplexity") or (len(scored) == n and all(sums)))


@dataclass(frozen=True)
class Method:
    """One way from outputs to answers.

    Attributes
    ----------
    name : str
        What the column `method` of answers says.
    label : str
        How figures and tables write it.
    needs : str
        What outputs and items must have for it, in words.
    fits : callable
        Facts (see `about`) -> which responses it reads; of other sources a value and the options'
        texts -> whether it reads it.
    read : callable
        A value of the column `source` and the options' texts -> `Reading`. Those of `_FACTS` that
        it takes follow in their order, and options of its own as keywords. Where it reads
        `together`, all but these are lists, and it returns a list.
    final : callable
        Response and model -> the response without a reasoning model's steps.
    """

    name: str
    label: str
    needs: str
    fits: Callable[..., object]
    read: Callable[..., Reading]
    source: Literal["response", "scores", "given"] = "response"
    final: Callable[[str, str], str] = lambda text, model: text
    together: bool = False

    @property
    def facts(self) -> list[str]:
        """Those of `_FACTS` that it takes."""
        return [name for name in _FACTS if name in inspect.signature(self.read).parameters]

    @property
    def options(self) -> dict[str, bool]:
        """Names of its options, and whether it cannot work without one."""
        parameters = list(inspect.signature(self.read).parameters.values())[2:]
        return {one.name: one.default is one.empty for one in parameters if one.name not in _FACTS}

    @property
    def required(self) -> set[str]:
        """Options without which it cannot work."""
        return {name for name, required in self.options.items() if required}

    def rows(self, outputs: pd.DataFrame, facts: pd.DataFrame) -> np.ndarray:
        """Which outputs it reads, boolean; `facts` as of `about`."""
        if self.source == "response":
            return (self.fits(facts) & facts["worded"]).to_numpy()
        if self.source not in outputs or outputs[self.source].isna().all():
            return np.zeros(len(outputs), bool)
        pairs = zip(outputs[self.source].to_numpy(object), facts["options"], strict=True)
        return np.array(
            [isinstance(value, dict) and bool(self.fits(value, texts)) for value, texts in pairs],
            bool,
        )


# ------------------------------------------------------------------ the methods


def _final_answer(texts: Sequence, options: Sequence, metadata: Sequence) -> list:
    # whose patterns take their time to compile
    from analysis.answers.final_answer import final_answer

    return final_answer(texts, options, metadata)


def own_pattern(text: str, options: Sequence[str], *, pattern: str) -> Reading:
    """What a regular expression finds last: its first group (or the whole match), as a label or an
    option's text.

    Raises
    ------
    DataError
        For a pattern that is none, or takes more than `SECONDS` on one response.
    """
    try:
        with within(SECONDS, "pattern"):
            matches = [*re.finditer(pattern, text)]
    except re.error as error:
        raise DataError(f"is no regular expression: {error}", field="pattern") from None
    if not matches:
        return Reading(None, "no match")
    last = matches[-1]
    label = logged.label_of(last[min(1, last.re.groups)] or "", options)
    return Reading(label, "one choice" if label else "no choice")


SECONDS = 2.0  # that a user's pattern may take on one response
_TEXT = "responses in words to items with options"
_OPEN_TEXT = f"{_TEXT}, or whose answers are numbers, short texts or several"
_PERSIAN = "responses in words to Persian items"
_REGISTERED = (
    Method(
        "final_answer",
        "final answer",
        _OPEN_TEXT,
        lambda facts: facts["choosable"] | facts["open"],
        _final_answer,
        final=final_part,
        together=True,
    ),
    Method("da", "DA", _TEXT, _choosable, letters.direct_answer, final=strip_reasoning),
    Method("caa", "CAA", _TEXT, _choosable, letters.concern_all_answer, final=strip_reasoning),
    Method("regex_patterns", "patterns", _PERSIAN, _persian, persian.patterns),
    Method("regex", "regex", f"{_PERSIAN}, and an embedder", _persian, persian.regex),
    Method(
        "single_token",
        "single token",
        "log-probabilities of first tokens",
        lambda scores, options: scores.get("labels") or scores.get("top"),
        logged.single_token,
        "scores",
    ),
    Method(
        "full_answer",
        "full answer",
        "log-probabilities of the options' tokens",
        _has_tokens,
        logged.full_answer,
        "scores",
    ),
    Method(
        "likelihood",
        "likelihood",
        "log-likelihoods or perplexities of all options",
        _has_likelihoods,
        logged.likelihood,
        "scores",
    ),
    Method(
        "given",
        "the log's own extraction",
        "outputs imported from a log that holds a choice, a verdict or a score",
        lambda log, options: log.keys() - {"order"},
        logged.given,
        "given",
    ),
    Method("pattern", "own pattern", _TEXT, _choosable, own_pattern),
)
METHODS = {method.name: method for method in _REGISTERED}


def label(name: str) -> str:
    """How figures and tables write a method; other names stay as they are.

    Examples
    --------
    >>> label("caa"), label("any"), label("5-shot")
    ('CAA', 'any', '5-shot')
    """
    return METHODS[name].label if name in METHODS else name
