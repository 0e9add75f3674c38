"""Comparisons and leaderboards whose numbers open the items behind them."""

import re
from html import unescape

import pytest

import polyexam as px
from analysis import paths
from analysis.explore.board_widget import Board, Difference
from analysis.items import derived, example
from tests import example_runs
from tests.conftest import refused

FIRST, SECOND = "baseline/longest-option", "baseline/always-A"


@pytest.fixture
def runs(home):
    """A benchmark in seven languages with the runs of two models."""
    example_runs.write()


def test_a_comparison_opens_the_items_that_differ(home):
    both = px.compare("ti_mmlu", FIRST, SECOND)
    assert len(px.browse(both).ids) == len(both.differ)
    stem = px.browse(both, categories=["STEM"])
    wanted = both.differ.query("category == 'STEM'")["item_id"]
    assert set(stem.ids) == set(wanted)
    assert set(stem.runs.value) == {FIRST, SECOND}


def test_a_leaderboards_buttons_open_the_items(runs):
    board = px.leaderboard("example", by="language", method="final_answer")
    widget = Board(board)
    heads = widget.cells.table["heads"]
    assert heads == list(board.table)
    widget.cells.chosen = [[0, heads.index("fa (%)")]]
    assert widget.browser.ids.tolist() == ["fa/0", "fa/1"]
    assert widget.browser.runs.value == (board.frame["run"].iloc[0],)
    widget.cells.chosen = [[1, heads.index("Response rate (%)")]]
    assert widget.browser.show.value == "unanswered"
    assert widget.browser.method.value == "final_answer"
    # without a method the browser counts as the leaderboard does
    of_runs = px.browse("example", show="correct").selection.groupby("run").size()
    share = px.leaderboard("example").frame.set_index("run")["accuracy"]
    assert (100 * of_runs / 8).round(6).to_dict() == share.round(6).to_dict()
    bundle = board._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "<table" in bundle["text/html"]
    with refused("did you mean language"):
        px.leaderboard("example", by="langage")


@pytest.fixture
def pair(runs) -> Board:
    """A leaderboard of which the numbers of the first two runs are chosen."""
    widget = Board(px.leaderboard("example", by="language", method="final_answer"))
    widget.cells.chosen = [[0, 2], [1, 2]]
    return widget


def listed(widget: Board) -> list[str]:
    """Items on which the chosen runs differ."""
    return [row[0] for row in widget.difference.items.table["rows"]]


def test_two_numbers_show_why_their_runs_differ(pair):
    names = pair.result.frame["run"].tolist()[:2]
    both = px.compare("example", *names, by="language", method="final_answer")
    differ = both.differ[both.differ["right"].isin(names)]
    assert set(listed(pair)) == set(pair.browser.ids) == set(differ["item_id"])
    assert set(pair.browser.runs.value) == set(names)
    assert both.html() in pair.difference.text.value
    pair.difference.items.chosen = [[1, 0]]
    assert pair.browser.item_id == listed(pair)[1]


def test_a_mark_changes_the_comparison_at_once(pair):
    """The loser's response was misread: it is right, and the difference an item smaller."""
    names = pair.result.frame["run"].tolist()[:2]
    item, winner = listed(pair)[0], pair.difference.items.table["rows"][0][2]
    loser = next(name for name in names if name != winner)
    before = px.compare("example", *names, method="final_answer").overall.iloc[0]
    pair.browser.mark(loser, item, pair.browser.records.items.loc[item, "answer"])
    call = unescape(re.search("<code>(.*)</code>", pair.difference.code.value)[1])
    assert "labels=" in call
    again = eval(call)
    assert again.html().split("<table")[1] in pair.difference.text.value
    step = 100 / before["n"]
    change = again.overall["difference"].iloc[0] - before["difference"]
    assert change == pytest.approx(step if loser == names[0] else -step)
    assert item not in listed(pair)
    marked = {"method": "final_answer", "labels": pair.browser.file}
    board = px.leaderboard("example", by="language", **marked)
    assert board.text() == pair.result.text() != px.leaderboard("example", by="language").text()
    pressed = [pair.result.frame["run"].iloc[row] for row, _ in pair.cells.chosen]
    assert pressed == names  # the same runs, whatever their ranks are now


def test_rows_of_a_comparison_show_why_their_runs_differ(runs):
    example_runs.write_run("third", dict.fromkeys(example.items()["item_id"], "A"))
    several = px.compare("example", method="final_answer")
    widget = Board(several)
    _, second, third = several.runs
    widget.cells.chosen = [[0, 0]]
    widget.cells.chosen = [[0, 0], [1, 0]]
    assert widget.difference.runs == [second, third]
    pair = several.overall.set_index(["first", "second"]).loc[(second, third)]
    assert f"{pair['ci_low']:+.1f} to {pair['ci_high']:+.1f} points" in widget.difference.text.value
    # what the others have right matters most
    shares = [row[1] for row in widget.difference.items.table["rows"]]
    assert shares == sorted(shares, key=float, reverse=True)
    item = listed(widget)[0]
    widget.browser.mark(third, item, widget.browser.records.items.loc[item, "answer"])
    assert widget.result.overall["p"].tolist() != several.overall["p"].tolist()


def test_a_comparison_of_two_has_any_field_of_the_items(home):
    items = example.items().to_dict("records")
    for place, item in enumerate(items):
        item["metadata"] = {"year": 2000 + place % 2}
    derived.write("example", items)
    models = ["made-up/brief", "made-up/talkative"]
    for model in models:
        example_runs.write_run(model, example_runs.responses(model))
    by_year = px.compare("example", *models, by="year")
    assert set(by_year.frame["group"]) == {"all", "2000", "2001"}
    board = Board(px.leaderboard("example", by="year"))
    assert set(board.result.groups) == {"2000", "2001"}
    widget = Difference(px.browse("example"), {"by": "year", "method": None, "labels": None})
    widget.show(models)
    assert "2001" in widget.text.value
    assert "by='year'" in unescape(widget.code.value)
    widget.by.value = "subject"
    assert "2001" not in widget.text.value
    assert "by='subject'" in unescape(widget.code.value)
    with refused("did you mean year"):
        px.compare("example", *models, by="yeer")


def test_names_on_buttons_do_nothing(runs):
    example_runs.write_run("<b>x", dict.fromkeys(example.items()["item_id"], "A\u202e"))
    board = px.leaderboard("example")
    assert "<b>x" in {row[0] for row in Board(board).cells.table["rows"]}  # a text node
    assert "<b>x" not in board._repr_mimebundle_()["text/html"]


def test_the_questions_of_the_page_have_answers(runs):
    page = (paths.ROOT / "docs" / "explore.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(px\..*?)  # .* s$", page, re.M)
    assert lines
    names = {"mine": "example", "alpha": "made-up/brief", "beta": "made-up/talkative"}
    for line in lines:
        for name, other in (names | {"law": "geography"}).items():
            line = line.replace(f'"{name}"', f'"{other}"')
        assert eval(line) is not None
