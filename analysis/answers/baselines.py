"""Baselines without knowledge of the subject: what a model gets that cannot read, or only compares
question and option; and their answers that are stored in the repository.

Each gets one question at a time, as a model does: its scores do not depend on which other items are
in the frame, nor on their order, and never on the answer.
"""

import hashlib
import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

from analysis import paths, schemas
from analysis.errors import DataError, refuse_unknown
from analysis.statistics import embedding

PREFIX = "baseline/"
ANY = "any"  # a single letter is the same answer under every method
# digits of an encoder's cosines: single precision, and the order of its sums, change the later ones
_ENCODED = 4
DIGITS = 9  # scores that agree so far are ties: sums of floats differ by machine in the last places

Scorer = Callable[[str, list[str]], np.ndarray]  # question and options -> a score an option


def longest_option(question: str, options: list[str]) -> np.ndarray:
    """Number of characters (Unicode code points, without white space around) of each option."""
    return np.array([len(option.strip()) for option in options], float)


def lexical_overlap(question: str, options: list[str]) -> np.ndarray:
    """Share of an option's distinct tokens (see `tokens`) that the question has too; 0 for an
    option without tokens.
    """
    asked = set(tokens(question))
    parts = [set(tokens(option)) for option in options]
    return np.array([len(part & asked) / max(len(part), 1) for part in parts])


def char_ngram_similarity(question: str, options: list[str]) -> np.ndarray:
    """Cosine of question and option in TF-IDF weights of their character n-grams of 1 to 3.

    The documents of an item are its question and its options, so that what all options share counts
    little.
    """
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    # hashed grams: two of a million may share a column, as in the recorded answers
    counter = HashingVectorizer(
        analyzer="char", ngram_range=(1, 3), lowercase=False, norm=None, alternate_sign=False
    )
    counts = counter.transform([_plain(text) for text in (question, *options)])
    vectors = TfidfTransformer().fit_transform(counts[:, np.unique(counts.indices)])
    return (vectors[1:] @ vectors[:1].T).toarray().ravel()


def _sentence_similarity(question: str, options: list[str]) -> np.ndarray:
    """Cosine of question and option in the space of a multilingual sentence encoder
    (`embedding.encode`), rounded to `_ENCODED` digits.

    A real network that compares meanings; it was not trained to answer questions. An option or
    question without words gets 0.

    Raises
    ------
    DataError
        Where the encoder's package is not installed.
    """
    vectors = embedding.encode([question, *options])
    return (vectors[1:] @ vectors[0]).astype(float).round(_ENCODED)


BASELINES: dict[str, Scorer | None] = {
    "baseline/uniform-random": None,  # its scores are the draws
    "baseline/always-A": lambda question, options: np.eye(len(options))[0],
    "baseline/longest-option": longest_option,
    "baseline/lexical-overlap": lexical_overlap,
    "baseline/char-ngram": char_ngram_similarity,
    "baseline/sentence-encoder": _sentence_similarity,
}


def answer(items: pd.DataFrame, name: str, seed: int = 0) -> pd.DataFrame:
    """Let a baseline choose.

    Options with the highest score share it by a draw that seed, baseline, benchmark, item and
    position decide: taking the first one instead would favour A.

    Parameters
    ----------
    items : DataFrame
        `benchmark`, `item_id`, `question` and `options` are used.
    name : str
        One of `BASELINES`.
    seed : int
        Decides the random draws and the ties.

    Returns
    -------
    DataFrame
        `item_id`, `choice` (a label), `scores` (array, one an option), in the order of `items`.

    Raises
    ------
    DataError
        For an unknown name, or an item without options.
    """
    refuse_unknown("baseline", BASELINES, name)
    scorer, choices, all_scores = BASELINES[name], [], []
    for item in items.itertuples():
        options = list(item.options)
        if len(options) < 2:
            raise DataError(f"{item.item_id} has no options to choose from", field="options")
        place = (seed, item.benchmark, item.item_id, len(options))
        scores = scorer(item.question, options) if scorer else _draws("uniform-random", *place)
        scores = scores.round(DIGITS)
        best = np.where(scores == scores.max(), _draws(f"{name} ties", *place), -1.0).argmax()
        choices.append(schemas.labels(len(options))[best])
        all_scores.append(scores)
    return pd.DataFrame({"item_id": items["item_id"], "choice": choices, "scores": all_scores})


def recorded(benchmark: str) -> pd.DataFrame:
    """Answers of the baselines to `benchmark`, from `data/baselines/<benchmark>.csv`; no rows where
    there is none.

    Returns
    -------
    DataFrame
        `answers` with `subject`, `category`, `n_options`; method "any". A cell of the file is a
        choice followed by + (right) or - (wrong).
    """
    file = paths.BASELINES / f"{benchmark}.csv"
    about = ["item_id", "subject", "category", "n_options"]
    wide = pd.DataFrame(columns=about, dtype=str)
    if file.is_file():
        wide = pd.read_csv(file, dtype=str, keep_default_na=False)
    long = wide.melt(about, var_name="model", value_name="cell")
    cell = long.pop("cell").astype(str)
    answers = long.assign(
        benchmark=benchmark,
        method=ANY,
        choice=cell.str[:-1],
        why="one choice",
        correct=cell.str.endswith("+").astype("boolean"),
        n_options=long["n_options"].astype(int),
    )
    return schemas.check(answers, "answers")


def tokens(text: str) -> list[str]:
    """Words in small letters; Tibetan syllables; single characters where a script sets no spaces
    (Han, kana, Thai, ...).
    """
    return "".join(map(_spaced, _plain(text))).split()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@cache
def _spaced(character: str) -> str:
    """A space for punctuation (Tibetan's syllable dot too), spaces around a character of a script
    without spaces.
    """
    if unicodedata.category(character)[0] in "PSZC":
        return " "
    name = unicodedata.name(character, "").partition(" ")[0]
    alone = name in ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
    return f" {character} " if alone else character


def _draws(stream: str, seed: int, benchmark: str, item_id: str, n: int) -> np.ndarray:
    """Uniform numbers in [0, 1) that each come from a hash, so that neither row order nor the other
    items matter.
    """
    keys = [repr((seed, stream, str(benchmark), str(item_id), place)) for place in range(n)]
    digests = [hashlib.blake2b(key.encode(), digest_size=6).hexdigest() for key in keys]
    return np.array([int(digest, 16) / 2**48 for digest in digests])  # below 1, exactly
