"""Speed of the Persian extraction: arrays against `Series.apply` with `re.findall` for each pattern, in one run.

    python bench/persian_extraction.py [rows]

CPU seconds, best of three; the slow way runs on a tenth of the rows and is scaled. Responses are made up: an answer in one of
six shapes within filler words, 60 characters in the mean.
"""

import re
import sys
import time

import numpy as np
import pandas as pd

from analysis.extraction_persian import choices
from analysis.persian import normalise
from tests.persian_reference import ANSWER, LINE, OPTION, SIGN

WORDS = "با توجه به متن سوال می‌توان نتیجه گرفت که مقدار برابر است در این صورت بنابراین نیروی وارد شده".split()
PATTERNS = [re.compile(p, re.MULTILINE) for p in (ANSWER + OPTION, ANSWER + SIGN, LINE, OPTION, rf"(?<!\w){SIGN} ?\)")]


def responses(n: int, seed: int = 0) -> list[str]:
    """Made-up responses."""
    rng = np.random.default_rng(seed)
    made = []
    for choice, shape, length in zip(rng.integers(4, size=n), rng.integers(6, size=n), rng.integers(25, size=n), strict=True):
        digit, words = "۱۲۳۴"[choice], " ".join(rng.choice(WORDS, length))
        made.append(
            [
                f"پاسخ صحیح گزینه {digit} است. {words}",
                f"{digit}) {words}",
                f"{words}\nجواب: گزینه {digit}",
                digit,
                f"{words} گزینه ۱ ... گزینه‌ی {digit} صحیح است",
                words,
            ][shape]
        )
    return made


def by_apply(texts: pd.Series) -> list[pd.Series]:
    """One pass of `re.findall` for each pattern over the normalised texts."""
    plain = texts.apply(normalise)
    return [plain.apply(pattern.findall) for pattern in PATTERNS]


def seconds(function, texts) -> float:
    """Best of three, CPU seconds."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        function(texts)
        best = min(best, time.process_time() - start)
    return best


def main(rows: int) -> None:
    made = responses(min(rows, 50_000))
    texts = (made * (rows // len(made) + 1))[:rows]
    fast = seconds(choices, texts)
    slow = seconds(by_apply, pd.Series(texts[: rows // 10])) * 10
    print(f"{rows:,} responses: arrays {fast:.2f} s, apply + findall {slow:.2f} s, {slow / fast:.1f} times faster")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
