"""What runs lose from language to language, on made-up answers whose truth is known."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pytest import approx

from analysis import paths
from analysis.items.grouping import questions_of
from analysis.plots import legible, style
from analysis.results.languages import Languages, from_answers, languages
from analysis.results.loss_sentences import counts_of
from analysis.statistics.pairing import paired
from tests import frames
from tests.conftest import refused
from tests.made_logs import planted

LANGUAGES = ("en", "sw", "yo")


def made_items() -> pd.DataFrame:
    """Items in three languages, linked by ids that differ in the language alone."""
    ids = [f"{language}/{number}" for language in LANGUAGES for number in range(200)]
    return frames.items(len(ids), item_id=ids, language=[name[:2] for name in ids], question=ids)


def made_answers(items: pd.DataFrame, right: dict, answered: dict | None = None) -> pd.DataFrame:
    """Answers of runs: (model, language) -> share right, and share answered at all."""
    rng = np.random.default_rng(7)
    easiness = rng.random(len(items) // len(LANGUAGES))
    parts = []
    for model in dict.fromkeys(model for model, _ in right):
        for language, part in items.groupby("language", sort=False):
            hit = easiness < right[model, language]
            speaks = rng.random(len(part)) < (answered or {}).get((model, language), 1)
            found = frames.answers(speaks & hit, model, item_id=part["item_id"].to_numpy())
            choice = found["choice"].where(speaks)
            why = np.where(speaks, "one choice", "no choice")
            parts.append(found.assign(method="final_answer", choice=choice, why=why))
    return pd.concat(parts, ignore_index=True)


RIGHT = {("a", "en"): 0.9, ("a", "sw"): 0.85, ("a", "yo"): 0.8}
RIGHT |= {("b", "en"): 0.9, ("b", "sw"): 0.5, ("b", "yo"): 0.4}


@pytest.fixture
def items():
    return made_items()


def test_losses_are_paired_differences_and_add_up(items):
    speaks = {("b", "yo"): 0.85}
    answers = made_answers(items, RIGHT, speaks)
    result = from_answers(answers, items, "b")
    frame = result.frame.set_index(["run", "language"])
    assert result.reference == "en"
    np.testing.assert_allclose(frame["lost"], frame["value_reference"] - frame["value"])
    np.testing.assert_allclose(frame["lost"], frame["lost_unread"] + frame["lost_wrong"])
    wide = answers.assign(language=answers["item_id"].str[:2], number=answers["item_id"].str[3:])
    wide = wide.pivot(index="number", columns=["model", "language"], values="correct")
    alone = paired(wide["a", "en"], wide["a", "sw"])
    assert frame.loc[("a", "sw"), "p_single"] == approx(alone.p)
    assert result.notes[0].endswith(
        "b in yo (84 against 100 %). What is not answered or read counts as wrong."
    )


def test_who_loses_less_is_a_difference_in_differences(items):
    result = from_answers(made_answers(items, RIGHT), items, "b")
    lost = result.frame.set_index(["run", "language"])["lost"]
    for row in result.pairs.itertuples():
        gap = lost[row.first, row.language] - lost[row.second, row.language]
        assert row.difference == approx(gap)
        assert (row.p < 0.05) == (row.ci_low > 0 or row.ci_high < 0)
    assert "a loses less than b (2 of 2)." in result.sentences
    assert "Guessing would score 25.0 %." in result.sentences
    same = from_answers(
        made_answers(items, RIGHT | {("b", lang): RIGHT["a", lang] for lang in LANGUAGES}),
        items,
        "b",
        margin=5,
    )
    assert (
        "Losses within 5 points of each other in each language read of both: a and b."
        in same.sentences
    )


def test_what_is_not_read_in_a_language_is_withheld(items):
    answers = made_answers(items, RIGHT, {("a", "en"): 0.3, ("b", "yo"): 0.3})
    frame = from_answers(answers, items, "b").frame.set_index(["run", "language"])
    assert set(frame.index[frame["lost"].isna()]) == {("a", "sw"), ("a", "yo"), ("b", "yo")}
    assert frame["value_reference"].dropna().index.unique("run") == ["b"]
    assert (frame["p"] == frame["p_single"]).sum() == 1  # the only test
    # a figure of nothing but what is withheld
    from_answers(made_answers(items, RIGHT, dict.fromkeys(RIGHT, 0.3)), items, "b").plot()


def test_what_is_not_linked_is_refused(items):
    apart = items.assign(item_id=[f"q{n}" for n in range(len(items))])
    answers = made_answers(items, RIGHT).assign(item_id=lambda f: apart["item_id"].to_list() * 2)
    with refused("nothing links questions of two languages"):
        from_answers(answers, apart, "b")
    # numbers alike by chance: another question has another key
    assert questions_of(items.assign(answer=np.resize(list("ABC"), len(items)))) is None
    for option, reason in (
        ({"by": "subject"}, "share what is to link translations"),
        ({"reference": "een"}, "did you mean en"),
        ({"margin": -3}, "is not above 0"),
    ):
        with refused(reason):
            from_answers(made_answers(items, RIGHT), items, "b", **option)


def test_runs_of_untranslated_questions_are_left_out_by_name(items):
    linked = items[:300]  # 200 in English, 100 of them in Swahili
    answers = made_answers(items, RIGHT).query("item_id in @linked.item_id")
    alone = answers["item_id"].isin(items["item_id"][100:200])
    result = from_answers(answers[alone | answers["model"].eq("a")], linked, "b")
    assert result.notes[0].endswith("in en and another language: b.")
    with refused("there in two languages"):
        from_answers(answers[alone], linked, "b")


def test_right_and_wrong_by_item_are_linked_without_keys(items):
    facts = items.assign(answer=None, question=items["item_id"].str[3:], options=[[]] * len(items))
    assert questions_of(facts).notna().all()
    text = from_answers(made_answers(items, RIGHT), facts, "b").text()
    assert "What guessing gives is not known" in text and "above guessing" not in text
    assert questions_of(facts.assign(question=items["item_id"])) is None


def test_recorded_answers_are_compared_without_files(home):
    pair = languages(["cmmlu", "ti_mmlu"])
    assert pair.heading == "cmmlu and ti_mmlu: 6 runs, from zh to 1 language, 660 questions"
    # twins share a source: they are two questions, and belong together
    twins = languages("winogrande_african").frame
    assert twins[["n", "clusters"]].to_numpy().tolist()[0] == [1767, 1380]


def test_less_is_lost_in_as_many_languages_as_holm_rejects():
    p = [0.004, 0.011, 0.03, 0.001]
    difference = [-3.0, -2.0, -4.0, 5.0]
    pairs = pd.DataFrame({"difference": difference, "p_single": p, "language": list("wxyz")})
    pairs = pairs.assign(first="a", second="b", p=p)
    counts = counts_of(pairs)
    # one-sided 0.002 x 4, 0.0055 x 3, 0.015 x 2; two directions of one pair
    assert counts == {("a", "b"): 2, ("b", "a"): 1}
    assert counts_of(pairs, {("a", "w")}) == {("a", "b"): 1, ("b", "a"): 1}  # w: near guessing


def test_planted_wrong_keys_are_listed_and_little_else():
    """Recall of 2 % wrong keys in one language, by 24 models; false alarms among the listed."""
    hits, false = planted(600, 5, 24)
    assert hits > 0.8
    assert false < 0.15


def made_losses(runs: int, languages: str) -> Languages:
    """Made-up losses, one of which is withheld."""
    names = [f"family-{run}-{7 + run}B-Instruct" for run in range(runs)]
    index = pd.MultiIndex.from_product([names, languages.split()], names=["run", "language"])
    lost = np.linspace(0, 30, len(index))
    frame = pd.DataFrame({"lost": lost, "ci_low": lost - 3, "ci_high": lost + 3}, index)
    frame = frame.assign(lost_unread=lost / 4).reset_index()
    frame.loc[1, ["lost", "ci_low", "ci_high", "lost_unread"]] = np.nan
    none = pd.DataFrame()
    return Languages("b", "da", "en", frame, none, none, 0.0, None, (), none)


def test_languages_are_drawn_by_their_share_of_the_web():
    """The largest at the top, unknown ones last; what is withheld is no point."""
    figure = made_losses(2, "xx yor_Latn th ru-RU").plot().figure
    assert [
        text.get_text() for text in figure.axes[0].get_yticklabels()
    ] == "ru-RU th yor_Latn xx".split()
    shown = style.recorded(figure)
    assert shown["mark"].value_counts()["withheld"] == 1
    assert len(shown) == 2 * 7 + 1  # a loss and what of it is not read, or that it is withheld
    assert not legible.problems(figure)


WEB = """ru de zh ja fr es it pt nl pl cs tr vi id sv ko fa ro ar el hu th uk da fi he hi bn ms ta
ne ur te mr my km sw tl am yo bo ig"""


@pytest.mark.slow
def test_42_languages_of_20_models_are_legible():
    figure = made_losses(20, WEB).plot().figure
    assert not legible.problems(figure)
    assert figure.get_size_inches()[1] < 10.5


@pytest.mark.slow
def test_the_notebook_shows_a_linked_benchmark(home):
    """By papermill, as a user runs it."""
    page = home / "languages.html"
    command = [Path(sys.executable).with_name("polyexam"), "notebook", "languages", "-o", page]
    subprocess.run([*command, "-p", "benchmark=dialect_copa"], check=True, cwd=paths.ROOT)
    text = page.read_text("utf-8")
    assert "13 runs, from en to 7 languages, 500 questions" in text
    assert "Lost (points)" in text
