"""Draw wrong answers from other questions, the same ones for every model.

The draw for a question depends on the seed, its id and the set of texts in the pool: not on the
order of the questions, on hash randomisation, on the other questions that are asked, or on how many
options are wanted (the options of a smaller set are among those of a larger one).
"""

import hashlib
import json
from collections import defaultdict

import numpy as np
import pandas as pd

from analysis import schemas
from analysis.errors import DataError, refuse_unknown

_RULES = ("paper", "released")
# length of what an option may not share with the answer: a character in Chinese ...
_GRAM = {"zh": 1}
_LONGEST_GRAM = 4  # ... and four characters elsewhere
_LARGEST = 50  # options that every draw is made for


class Pool:
    """Distinct options of many questions, sorted, with their characters and categories.

    Parameters
    ----------
    items : DataFrame
        Items; their `metadata` has `category`, a list, or else the column `category` is taken.
    """

    def __init__(self, items: pd.DataFrame):
        self.gram = _GRAM.get(items["language"].iloc[0], _LONGEST_GRAM)
        self.texts = sorted(set(items["options"].explode()))
        self.place = {text: place for place, text in enumerate(self.texts)}
        parts = defaultdict(set)
        categories = defaultdict(set)
        for place, text in enumerate(self.texts):
            for part in self.parts(text):
                parts[part].add(place)
        for item in items.itertuples():
            for category in _categories(item):
                categories[category] |= {self.place[text] for text in item.options}
        self.with_part = {part: np.array(sorted(at)) for part, at in parts.items()}
        self.in_category = {name: np.array(sorted(at)) for name, at in categories.items()}

    def parts(self, text: str) -> set[str]:
        """Characters or four-character pieces of `text`, without spaces at the ends and without
        case.
        """
        text = text.strip().casefold()
        return {text[i : i + self.gram] for i in range(len(text) - self.gram + 1)} - {" "}

    def shared(self, text: str) -> np.ndarray:
        """How many parts each option of the pool shares with `text`, shape (texts,)."""
        count = np.zeros(len(self.texts), dtype=np.int32)
        for part in self.parts(text):
            count[self.with_part.get(part, [])] += 1
        return count

    def elsewhere(self, item) -> np.ndarray:
        """Options that no question of the item's categories has, boolean, shape (texts,)."""
        mask = np.ones(len(self.texts), dtype=bool)
        for category in _categories(item):
            mask[self.in_category.get(category, [])] = False
        return mask


def _categories(item) -> list[str]:
    names = item.metadata.get("category") or [item.category]
    return [name for name in names if not pd.isna(name)]


def widen(
    items: pd.DataFrame,
    n_options: int = 50,
    *,
    pool: Pool | None = None,
    rule: str = "paper",
    seed: int = 42,
    problems: list | None = None,
) -> pd.DataFrame:
    """Items with `n_options` options: those they have, and others drawn from the pool.

    Parameters
    ----------
    items : DataFrame
        With an answer each.
    n_options : int
        4 leaves the options as they are; at most 50.
    pool : Pool, optional
        By default made of `items`. Xiezhi draws from all its questions.
    rule : {"paper", "released"}
        `paper` (Setup, "More options"): from questions of other categories, no character (four
        characters outside Chinese) in common with the answer; the options are shuffled. `released`:
        what the published code does, any option of the pool, after the question's own ones, so that
        the right one is always among the first four.
    problems : list, optional
        Receives items that cannot be ranked (an empty or repeated option) as `DataError`s; without
        it the first is raised.

    Returns
    -------
    items
        `metadata` has `sampling`: the rule, or ``paper without categories`` and ``paper without
        characters`` where the pool has too few options (then those with the fewest shared
        characters are taken).

    Raises
    ------
    DataError
        For an unknown rule, a number of options that cannot be had, an empty or repeated option.
    """
    refuse_unknown("rule", _RULES, rule)
    if not 2 <= n_options <= _LARGEST:
        raise DataError(f"a question can have 2 to {_LARGEST} options, not {n_options}")
    pool = pool or Pool(items)
    widened = {}
    for index, item in zip(items.index, items.itertuples(), strict=True):
        try:
            widened[index] = _widen(item, n_options, pool, rule, seed)
        except DataError as error:
            if problems is None:
                raise
            problems.append(error)
    columns = ["options", "answer", "metadata"]
    drawn = pd.DataFrame.from_dict(widened, orient="index", columns=columns)
    return schemas.check(items.loc[list(widened)].assign(**drawn), "items")


def drawing(seed: int, name: str) -> np.random.Generator:
    """Generator of the draws for one question."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def place(item) -> int:
    """Which place the right option has among the options, from 0."""
    return schemas.labels(len(item.options)).index(item.answer)


def _widen(item, n_options: int, pool: Pool, rule: str, seed: int) -> tuple[list[str], str, dict]:
    """Options, label of the right one and metadata."""
    own = list(item.options)
    _check(item, n_options)
    answer = own[place(item)]
    generator = drawing(seed, f"{item.benchmark}/{item.item_id}")
    drawn, sampling = _draw(item, pool, rule, generator)
    options = own + drawn[: n_options - len(own)]
    if rule == "paper" and len(options) > len(own):
        options = [options[i] for i in generator.permutation(len(options))]
    label = schemas.labels(len(options))[options.index(answer)]
    return options, label, item.metadata | {"sampling": sampling}


def _check(item, n_options: int) -> None:
    field = f"item {item.item_id}"
    options = item.options
    if len(options) > n_options:
        raise DataError(f"has {len(options)} options already, more than {n_options}", field=field)
    for option in options:
        if not option.strip():
            raise DataError("an option is empty", field=field)
        if options.count(option) > 1:
            raise DataError(f"option {option[:80]!r} occurs twice", field=field)


def _draw(item, pool: Pool, rule: str, generator: np.random.Generator) -> tuple[list[str], str]:
    """Wrong options for the largest set, and the rule that could be followed."""
    need = _LARGEST - len(item.options)
    free = np.ones(len(pool.texts), dtype=bool)
    free[[pool.place[option] for option in item.options if option in pool.place]] = False
    if free.sum() < need:
        reason = f"the pool has only {free.sum()} other options, not {need}"
        raise DataError(reason, field=f"item {item.item_id}")
    shared = pool.shared(item.options[place(item)])
    different = free & (shared == 0)
    allowed = {"released": free}
    if rule == "paper":
        elsewhere = different & pool.elsewhere(item)
        allowed = {"paper": elsewhere, "paper without categories": different}
    for name, mask in allowed.items():
        if mask.sum() >= need:
            places = generator.choice(np.flatnonzero(mask), need, replace=False)
            return [pool.texts[i] for i in places], name
    order = generator.permutation(np.flatnonzero(free))
    fewest = order[np.argsort(shared[order], kind="stable")[:need]]
    texts = [pool.texts[i] for i in generator.permutation(fewest)]
    return texts, "paper without characters"


def fingerprint(items: pd.DataFrame) -> str:
    """SHA-256 of each item's options in their order, independent of the order of the items."""
    lines = []
    for item in items.itertuples():
        parts = [item.benchmark, item.item_id, item.answer, list(item.options)]
        lines.append(json.dumps(parts, ensure_ascii=False))
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
