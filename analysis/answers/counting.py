"""How much each extraction method read."""

import pandas as pd

from analysis.answers.run_names import RUN

BY = ["benchmark", *RUN, "method"]
# why there is no choice -> column; all other reasons are "unread"
_KINDS = {
    "several choices": "several",
    "none of the options": "none_of_them",
    "refusal": "refused",
    "no response": "empty",
    "request failed": "failed",
}
# how `final_answer` reads numbers and short texts
EXACT = ("stated number", "stated text", "last number", "whole response")


def coverage(answers: pd.DataFrame) -> pd.DataFrame:
    """How much each method read: the first thing to look at, before any accuracy.

    Returns
    -------
    DataFrame
        A row a benchmark, model, setting and method: counts `n`, `answered`, `several` (the method
        found several choices and took none), `none_of_them` (the response says that no option is
        right), `refused`, `empty` (no text), `failed` (no response at all), `unread` (text in which
        the method found nothing), `keyed` (items with a key), `correct`; `response_rate` (answered
        of n), `accuracy` (of keyed) and `conditional_accuracy` (of keyed and answered) in percent,
        missing where there is nothing to divide by.
    """
    answered, keyed = answers["choice"].notna(), answers["correct"].notna()
    # a reason may go on with a colon and details
    kinds = {why: _KINDS.get(why.split(":")[0], "unread") for why in answers["why"].unique()}
    kind = answers["why"].map(kinds)
    counts = {name: kind.eq(name) & ~answered for name in (*_KINDS.values(), "unread")}
    flags = answers[BY].assign(
        **counts,
        answered=answered,
        keyed=keyed,
        keyed_answered=keyed & answered,
        correct=answers["correct"].fillna(False),
        n=True,
    )
    table = flags.groupby(BY, sort=False, dropna=False, observed=True).sum().astype(int)
    # of 0 they are missing
    table["response_rate"] = 100 * table["answered"] / table["n"]
    table["accuracy"] = 100 * table["correct"] / table["keyed"]
    table["conditional_accuracy"] = 100 * table["correct"] / table["keyed_answered"]
    return table.drop(columns="keyed_answered").reset_index()


def matching(answers: pd.DataFrame, method: str) -> list[str]:
    """What accuracy means where answers are numbers or short texts, in a sentence."""
    reasons = answers[answers["method"] == method]["why"]
    texts = reasons.isin(EXACT).sum()
    if not texts:
        return []
    unstated = reasons.isin(EXACT[2:]).sum()
    how = f"; {unstated:,} of {texts:,} that are read state none in words" if unstated else ""
    return [f"Accuracy is an exact match of the number or text with the key{how}."]
