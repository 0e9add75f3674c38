"""Items become conversations: a template fills the user's first message, after solved examples
where wanted.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis.errors import DataError
from analysis.items import describe, prompts
from runners.journal import Journal
from runners.request import key


@dataclass(frozen=True)
class Conversation:
    """One item's conversation: the request of each turn follows from the answers before it.

    Attributes
    ----------
    base : dict
        What every request has: runner, model, revision, benchmark, item_id, kind (`chat` or
        `completions`), params.
    turns : tuple of str
        The user's messages.
    system : str or None
    columns : dict
        Further fields of the records: `setting`, `judged`.
    """

    base: dict
    turns: tuple[str, ...]
    system: str | None = None
    columns: dict = field(default_factory=dict)

    def request(self, answers: Sequence[str] = ()) -> dict:
        """The request of the turn that follows `answers`."""
        texts = [("system", self.system)] if self.system else []
        for user, assistant in zip(self.turns, answers, strict=False):
            texts += [("user", user), ("assistant", assistant)]
        texts.append(("user", self.turns[len(answers)]))
        if self.base["kind"] == "chat":
            messages = [{"role": role, "content": text} for role, text in texts]
            return self.base | {"messages": messages}
        return self.base | {"prompt": "\n\n".join(text for _, text in texts)}

    def fields(self, turn: int) -> dict:
        """Further fields of the record of turn `turn` (0, 1, ...)."""
        return {"turn": turn + 1} | self.columns


@dataclass(frozen=True)
class Single(Conversation):
    """One ready request, as a conversation of one turn."""

    turns: tuple[str, ...] = ("",)

    def request(self, answers: Sequence[str] = ()) -> dict:
        """The request itself."""
        return self.base

    def fields(self, turn: int) -> dict:
        """Further fields of its record."""
        return self.columns


@dataclass(frozen=True)
class PerItem:
    """The conversations of many items, each built when it is its turn, and anew at each pass, so
    that millions need no memory.

    Attributes
    ----------
    items : items
    make : callable
        Item (a mapping) -> `Conversation`.
    """

    items: pd.DataFrame
    make: Callable[[dict], Conversation]

    def __iter__(self) -> Iterator[Conversation]:
        for item in self.items.itertuples(index=False):
            yield self.make(item._asdict())


Conversations = PerItem | Sequence[Conversation]


def answered(conversation: Conversation, journal: Journal) -> list[str]:
    """The answers that the cache has, from the first turn on."""
    answers = []
    for _ in conversation.turns:
        cached = journal.answer(key(conversation.request(answers)))
        if cached is None:
            break
        answers.append(cached["response"])
    return answers


def template(name: str) -> str:
    """The template of that name, or the text file of that path; a text with `{question}` itself."""
    if "{question" in name:
        return name
    if not name.endswith((".txt", ".md")) and "/" not in name:
        return prompts.template(name)
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read as a prompt template: {error}", file=name) from None


def usual(benchmark: str, items: pd.DataFrame) -> str:
    """The template that the benchmark's description names or has, else the benchmark's own,
    `choice` or `open`.
    """
    if name := describe(benchmark).prompt:
        return template(name)
    try:
        return prompts.template(benchmark)
    except DataError:
        return prompts.template("choice" if items["options"].map(len).all() else "open")


def conversations(
    items: pd.DataFrame,
    text: str,
    base: dict,
    *,
    system: str | None = None,
    dev: pd.DataFrame | None = None,
    shots: int = 0,
    score: str | None = None,
) -> PerItem:
    """A conversation for each item; turns that its metadata has follow in their order.

    Parameters
    ----------
    text : str
        The template.
    base : dict
        What all requests have; see `Conversation`.
    dev : items
        Where the solved examples come from.
    shots : int
        Solved examples before each question, from its subject and language.
    score : {"labels", "options"}, optional
        Nothing is written: asked is how likely each label of the template, or each option, is as
        what follows, after a space where no chat template ends the prompt.
    """
    solved = _examples(items, dev, shots) if shots else {}
    separator = " " if base["kind"] == "completions" else ""

    def conversation(item: dict) -> Conversation:
        about = {"benchmark": item["benchmark"], "item_id": item["item_id"]}
        later = tuple(item["metadata"].get("turns") or ())[1:]
        if score:
            options, later = item["options"], ()
            texts = options if score == "options" else prompts.shown_labels(text, options)
            about |= {"score": score, "candidates": [separator + text for text in texts]}
        examples = solved.get((item["language"], item["subject"]), ())
        shown = [f"{prompts.prompt(one, text).rstrip()} {one['answer']}" for one in examples]
        first = "\n\n".join([*shown, prompts.prompt(item, text).rstrip()])
        return Conversation(base | about, (first, *later), system, {"setting": f"{shots}-shot"})

    return PerItem(items, conversation)


def _examples(items: pd.DataFrame, dev: pd.DataFrame, shots: int) -> dict[tuple, list[dict]]:
    """The first `shots` solved items of each language and subject of `items`.

    Raises
    ------
    DataError
        Where a subject has fewer.
    """
    by = ["language", "subject"]
    solved = {name: part.head(shots).to_dict("records") for name, part in dev.groupby(by)}
    for name in items.groupby(by).groups:
        n = len(solved.get(name, ()))
        if n < shots:
            raise DataError(f"{' '.join(name)!r} has only {n} solved examples, not {shots}")
    return solved
