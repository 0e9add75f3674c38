"""Filters and orders agree with a slow reading of the same answers."""

import numpy as np
import pandas as pd
import pytest

from analysis.explore.records import SHOW, STATES, Records
from analysis.explore.view import item_html
from analysis.items import example

RECORDS = Records.of(example.items(), example.outputs())
METHODS = ["final_answer", "caa", "regex_patterns"]


def slow(method: str) -> pd.DataFrame:
    """Item, run, state and choice of every output."""
    choices = RECORDS.choices(method)
    everything = np.arange(len(RECORDS.place))
    frame = RECORDS.frame(everything).sort_index()[["item_id", "run"]].astype("str")
    choice = choices["choice"].astype("str").fillna("")
    return frame.assign(state=choices["state"].astype("str"), choice=choice)


def slow_items(show: str, mine: pd.DataFrame) -> list[str]:
    """Items that fit by the answers of the chosen runs."""
    keyed = mine[mine["state"].isin(["correct", "wrong", "unanswered"])]
    right = keyed["state"] == "correct"
    share = right.groupby(keyed["run"]).mean()
    better = list(share.index[share >= share.median()])
    fits = []
    for item, part in keyed.groupby("item_id"):
        winners = part.loc[part["state"] == "correct", "run"].tolist()
        good = part[part["run"].isin(better)]
        wrong = good.loc[good["state"] == "wrong", "choice"].value_counts()
        fit = {
            "all wrong": not winners,
            "only first right": winners == [min(mine["run"])],
            "likely wrong key": wrong.max() > len(good) / 2 if len(wrong) else False,
        }
        fits += [item] * bool(fit[show])
    return fits


@pytest.mark.parametrize("show", SHOW)
@pytest.mark.parametrize("runs", [(), ("made-up/talkative",)])
@pytest.mark.parametrize("method", METHODS)
def test_what_fits_is_what_the_filter_says(show, runs, method):
    mine = slow(method)
    wanted = mine["run"].isin(runs) if runs else pd.Series(True, mine.index)
    read = mine["state"] != "not read"
    if show == "methods disagree":
        others = [slow(name) for name in RECORDS.methods]
        differ = [
            (one["state"] != "not read") & (one["choice"] != mine["choice"]) for one in others
        ]
        wanted &= read & np.any(differ, axis=0)
    elif show == "models disagree":
        counts = mine[wanted & read].groupby("item_id")["choice"].nunique()
        wanted &= mine["item_id"].map(counts).fillna(0) > 1
    elif show in ("all wrong", "only first right", "likely wrong key"):
        wanted &= mine["item_id"].isin(slow_items(show, mine[wanted]))
    elif show == "misread":
        wanted &= False
    elif show != "all":
        wanted &= mine["state"] == show
    filters = {"show": show, "runs": runs, "method": method}
    fits = RECORDS.fitting(**filters)
    assert fits.tolist() == wanted.tolist()
    selection = RECORDS.frame(np.flatnonzero(fits), method)
    if show in STATES:
        assert set(selection["state"]) <= {show}
    if show != "all" or runs:
        assert set(selection["item_id"]) == set(RECORDS.select(**filters))


def test_expressions_narrow_the_choice():
    assert RECORDS.select(text="n.t s[uv]re", regex=True).tolist() == ["en/0"]


def test_the_overview_agrees_with_a_slow_reading():
    states = slow("caa").groupby("item_id", sort=False)["state"]
    overview = RECORDS.overview(method="caa")
    right = states.agg(lambda s: 100 * (s == "correct").mean())
    assert overview["correct (%)"].tolist() == right.reindex(overview.index).round(1).tolist()
    assert overview["wrong choice"].ne("").tolist() == [
        (states.get_group(item) == "wrong").any() for item in overview.index
    ]


def test_discrimination_finds_the_item_that_tells_models_apart():
    rng = np.random.default_rng(0)
    names = [f"i{n}" for n in range(6)]
    items = pd.concat([example.items().iloc[[0]]] * 6, ignore_index=True)
    items = items.assign(item_id=names, options=[["a", "b"]] * 6, answer="A")
    strong = np.repeat(np.arange(60) >= 30, 6)
    # stronger models have the first item right, the others only by their strength
    chance = rng.random(360) < 0.4 + 0.2 * strong
    right = np.where(np.tile(np.arange(6) == 0, 60), strong, chance)
    outputs = pd.DataFrame({"item_id": names * 60, "response": np.where(right, "A", "B")})
    outputs = outputs.assign(benchmark="example", model=np.repeat(np.arange(60).astype(str), 6))
    records = Records.of(items, outputs)
    assert records.overview(method="caa")["discrimination"].idxmax() == "i0"


def test_runs_are_named_by_model_setting_and_sample():
    brief = example.outputs().query("model == 'made-up/brief'")
    settings = ("0-shot", "5-shot, sample 1", "5-shot, sample 2")
    outputs = pd.concat([brief.assign(setting=setting) for setting in settings])
    records = Records.of(example.items(), outputs)
    assert len(records.named(["made-up/brief"])) == 3
    assert len(records.named(["made-up/brief (5-shot)"])) == 2
    assert records.named(["made-up/brief (0-shot)"]) == ["made-up/brief (0-shot)"]


def test_an_item_without_a_key_counts_nowhere_as_wrong():
    items = example.items()
    last = items["item_id"].iloc[-1]
    items["answer"] = items["answer"].mask(items["item_id"] == last)
    silent = example.outputs().assign(model="made-up/silent", response="I do not know.")
    outputs = pd.concat([example.outputs(), silent])
    records = Records.of(items, outputs)
    assert np.isnan(records.overview(method="caa").loc[last, "correct (%)"])
    assert "? no key" in item_html(records, last, method="caa")
    shown = {"show": "unanswered", "runs": ["made-up/silent"]}
    assert last in records.select(method="caa", **shown)
