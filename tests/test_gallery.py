"""The gallery: logs become facts without texts, and the numbers of its pages are recomputed."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from analysis import paths
from analysis.errors import DataError
from analysis.results import gallery
from runners.gallery import add
from tests.conftest import run_cells
from tests.runners.logs import given
from tests.runners.test_importers import lines
from tests.runners.test_look import rows

ENTRIES = sorted(entry.name for entry in gallery.FOLDER.iterdir())
# translations; questions that are there twice; runs that were asked other questions
QUICK = {"dialect_copa", "ghanaian_mmlu", "tumlu_other_scripts"}
WORDLESS = ["no response", "request failed", "refusal"]
Z = norm.ppf(0.975)


def test_logs_become_facts_and_further_runs_join_them(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "FOLDER", tmp_path)
    for model, letters in (("m", "AAB"), ("n", "A B")):
        file = lines(tmp_path / "log.jsonl", *rows(letters, model=model))
        (folder,) = add([file], given(benchmark="x"))
    assert not any(b"Which" in file.read_bytes() for file in folder.iterdir())
    answers = pd.read_parquet(folder / "answers.parquet").query("method == 'final_answer'")
    assert answers["correct"].tolist() == [True, True, False, True, False, False]
    lines(file, *rows("BBB", model="n"))
    with pytest.raises(DataError, match="n, none, final_answer is there, and differs"):
        list(add([file], given(benchmark="x")))


def links(items):
    """What translations share, where it has one key in all of them; and what varies together:
    translations, else the same words.
    """
    names = zip(items.index, items["language"], strict=True)
    ids = pd.Series([name.removeprefix(language) for name, language in names], items.index)
    alike = items.groupby(ids)["answer"].nunique().eq(1).mean()
    if alike < 0.75 or ids.is_unique:
        return None, items["language"] + items["question"]
    return ids, items["metadata"].map(lambda one: one["source_item"]).fillna(ids)


def effective(values, clusters):
    """Independent questions with the variance between clusters, one of which is taken as alike."""
    sizes = values.notna().groupby(clusters).sum()
    n, k = sizes.sum(), (sizes > 0).sum()
    away = values - values.mean()
    effect = (away.groupby(clusters).sum() ** 2).sum() / (away**2).sum()
    return n * (k + 1) / (k * effect + (sizes**2).sum() / n)


def limits(statistics, errors):
    """Neighbours that differ, ties with the first, and each run's lowest and highest rank, best
    run first: the least and the most that random draws can make of p = 0.05 for all pairs.
    """
    models = errors.shape[1]
    first, second = np.triu_indices(models, 1)
    noise = np.random.default_rng(1).standard_normal((2000, len(errors))) @ errors
    ratios = abs(noise[:, first] - noise[:, second]) / np.maximum(pdist(errors.T), 1e-9)
    counts = []
    for critical in np.quantile(ratios.max(axis=1), [0.93, 0.97]):
        apart = statistics > critical
        low, high = (np.bincount(side[apart], minlength=models) for side in (second, first))
        near = apart[second == first + 1].sum()
        counts.append(np.r_[near, models - 1 - high[0], 1 + low, models - high])
    return np.sort(counts, axis=0)


@pytest.mark.parametrize(
    "entry", [pytest.param(x, marks=[pytest.mark.slow] * (x not in QUICK)) for x in ENTRIES]
)
def test_the_numbers_of_a_page_come_from_the_facts(entry, home, monkeypatch):
    """By pandas, scipy and statsmodels from the files alone."""
    monkeypatch.setattr(paths, "BUILD", home)
    names = run_cells("general/gallery", entry=entry)
    about, numbers, board = (names[name] for name in ("about", "numbers", "ranked"))
    items, facts = (pd.read_parquet(gallery.FOLDER / entry / f"{x}.parquet") for x in gallery.KEYS)
    facts = facts.assign(run=names["runs"](facts), correct=100 * facts["correct"].astype(float))
    wide = facts.pivot(index="item_id", columns=["method", "run"])
    items = items.set_index("item_id").loc[wide.index]
    language = items["language"]
    questions, clusters = links(items)
    worded = wide["why"].notna() & ~wide["why"].isin(WORDLESS)
    answered = wide["choice"].notna()
    means, count = wide["correct"].mean(), wide["correct"].count()
    low, high = proportion_confint(means * count / 100, count, method="wilson")
    guess = (1 / items["options"]).mean()
    reads = answered.sum() / worded.sum() >= 0.8
    misread = (high < guess) & (reads & (low > guess)).groupby("run").transform("any")
    scores = means.where(reads & ~misread).unstack("method")
    method = "final_answer" if "final_answer" in scores else "given"
    ours = scores[method].dropna().sort_values(ascending=False, kind="stable")
    right = wide["correct"][method]

    # keys and readings
    better = wide["choice"][method][ours.index[: len(ours) // 2]].replace("other", None)
    most = better.mode(axis=1)[0]
    against = better.eq(most, axis=0).mean(axis=1).ge(0.8) & most.ne(items["answer"])
    swing = (scores.max(axis=1) - scores.min(axis=1)).where(scores.count(axis=1) > 1)
    theirs = scores.drop(columns=method).get(about.method, np.nan) - ours
    copies = items.groupby(["language", "question"])["answer"]
    rules = items.filter(regex="baseline/[^u]").eq(items["answer"], axis=0).mean()
    best = 100 * max(rules.max(), guess)
    words = np.nan if len(rules) == 1 else 1  # without words no copy is known

    # intervals, and all pairs on the questions that all ranked runs were asked (McNemar)
    n = effective(right[ours.index], clusters)
    low, high = 100 * np.array(proportion_confint(n * ours / 100, n, method="wilson"))
    shared = right[ours.index].dropna()
    shared = shared[shared.mean().sort_values(ascending=False, kind="stable").index]
    i, j = np.triu_indices(len(ours), 1)
    gaps = pd.DataFrame(shared.to_numpy()[:, i] - shared.to_numpy()[:, j], shared.index)
    independent = effective(gaps, clusters)
    statistics = gaps.mean() * np.sqrt(independent / (100 * gaps.abs().mean()))
    errors = (shared - shared.mean()).groupby(clusters).sum().to_numpy()
    least, largest = limits(statistics, errors)
    if len(shared) < len(right):  # ranks by each run's own interval
        spread = (high - low) / 2 / Z
        apart = (ours.iloc[i] - ours.iloc[j].to_numpy()) / np.hypot(spread[i], spread[j])
        least[2:], largest[2:] = limits(apart, np.diag(spread))[:, 2:]

    # two typical runs that differ by the smallest difference (Connor 1987)
    gap = numbers["detectable"] / 100
    sides = shared.mean(axis=None) / 100 + np.array([gap, -gap]) / 2
    spreads = np.sqrt(sides * (1 - sides))
    alike = np.nanmedian(shared.corr().to_numpy()[i, j])
    variance = max((spreads**2).sum() - 2 * alike * spreads.prod(), gap - gap**2)
    reach = gap * np.sqrt(independent.median())
    power = norm.cdf((reach - Z * np.sqrt(variance + gap**2)) / np.sqrt(variance))

    # printed scores, and what is lost between languages
    differences = []
    for group, printed in about.published.items():
        asked = (items[["language", "subject"]] == group).any(axis=1) | (group == "all")
        means = wide["correct"][about.method][asked].groupby(items[about.average or "benchmark"])
        differences.append(means.mean().mean() - pd.Series(printed))
    differences = pd.concat([pd.Series(), *differences]).dropna()
    far = differences.index[differences.abs() > 0.5]
    printed = len(differences) or np.nan
    lost = np.nan
    if questions is not None:
        whole = right.notna().all(axis=1).groupby(questions).transform("all")
        read = [part[method].groupby(language).sum() for part in (answered, worded)]
        accuracy = right[whole].groupby(language).mean().where(read[0] / read[1] >= 0.8)
        lost = (accuracy.loc["en"] - accuracy).median(axis=1).max()

    expected = {
        "questions": len(items),
        "runs": right.shape[1],
        "answers": right.notna().sum().sum(),
        "languages": language.nunique(),
        "unread": right.shape[1] - len(ours),
        "neighbours": len(ours) - 1,
        "baseline": best,
        "not_above": (low <= best).sum(),
        "swing": swing.max(),
        "lowest": theirs.min(),
        "highest": theirs.max(),
        "lost": lost,
        "listed": against.sum() if against.any() and better.shape[1] >= 4 else np.nan,
        "doubled": copies.size().gt(1).sum() * words,
        "two_keys": copies.nunique().gt(1).sum() * words,
        "printed": printed,
        "close": printed - len(far),
    }
    assert numbers.keys() - expected.keys() == {"apart", "near_first", "detectable"}
    assert numbers == pytest.approx(numbers | expected, nan_ok=True)
    assert power == pytest.approx(0.8)
    assert run_cells("general/gallery_start")["pages"]["questions"].tolist() == [f"{len(items):,}"]
    counts = np.r_[numbers["apart"], numbers["near_first"], board["rank_low"], board["rank_high"]]
    assert (least <= counts).all() and (counts <= largest).all()
    shown = board[["accuracy", "ci_low", "ci_high"]].to_numpy()
    assert shown == pytest.approx(np.column_stack([ours, low, high]), abs=0.05)
