"""What SeaExam and SeaBench's notebooks show: tables, the frames of the figures, words, own judgments and vectors."""

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis import catalog
from analysis.answers import judgments
from analysis.errors import DataError
from analysis.items import read as read_items
from analysis.papers import seaexam_seabench as sea
from analysis.plots import agreement, curves, definitions, distance, languages, pairs, scatter_map, scores, style
from analysis.results import published
from analysis.statistics import spread

panels, views, words = sea.panels, sea.views, sea.words


@pytest.fixture(autouse=True)
def styled():
    style.use()
    yield
    plt.close("all")


def test_every_table_and_figure_of_the_paper_is_in_the_catalog():
    made = catalog.load()[sea.PAPER].artifacts
    assert {f"table_{n:02d}" for n in range(1, 14)} <= set(made)
    assert {f"figure_{n:02d}" for n in range(1, 14)} <= set(made)


@pytest.mark.parametrize("artifact", words.SCORES)
def test_score_tables_show_each_printed_number(artifact):
    wide, long = views.score_table(artifact)
    printed = published.results(sea.PAPER, artifact=artifact)
    assert sorted(wide.drop(columns="Model").to_numpy().ravel()) == sorted(printed["printed"])
    assert long["agrees"].dropna().all()
    assert f"{9 * printed['benchmark'].nunique()} of" in words.scores(artifact, long)


@pytest.mark.parametrize("artifact", words.AGREEMENT)
def test_agreement_tables_show_each_printed_number(artifact):
    wide, long = views.agreement_table(artifact)
    assert len(wide) == (8 if artifact in ("table_03", "table_12") else 7)
    assert long.loc[long["model"] != "Random", "agrees"].all()


def test_four_printed_ratios_each_fit_one_definition_of_the_deviation():
    grids = panels.definition_grids(draws=300)
    found = {claim: grid.loc[grid["fits"], ["measure", "summary"]].to_numpy().tolist() for claim, grid in grids.items()}
    assert found["exams"] == [["standard deviation", spread.AVERAGED]]
    assert found["dialogues"] == found["languages"] == [["standard deviation", "ratio of means"]]
    assert ["standard deviation", "mean of ratios"] in found["formats"]
    table = views.definition_table(grids)
    assert len(table) == 20
    assert table.map(lambda cell: cell.endswith("*")).sum().sum() == sum(map(len, found.values())) == 4


def test_no_spread_survives_adjustment():
    tests = panels.spread_tests()
    assert len(tests) == 8
    assert tests["p"].min() < 0.05 < tests["p_holm"].min()
    assert words.finding_spread(tests).startswith("0 of 8")


def test_three_of_nine_decline_by_more_than_4_5_points():
    wide = views.decline_table()
    assert wide["More than 4.5"].sum() == 3
    assert wide["Decline (points)"].mean() == pytest.approx(4.5, abs=0.05)
    assert "Vietnamese: 0 models clearly lower on SeaExam, 6 clearly higher" in words.finding_decline(sea.decline())


def test_printed_categories_bracket_stem():
    stem = panels.printed_categories().set_index("group").loc["STEM"]
    assert stem["low"] < 5.02 / 0.8 < stem["high"]


def test_query_table_shows_the_three_missing_queries():
    row = sea.facts.query_table().iloc[0]
    assert row["Total, printed"] - row["Sum of the languages"] == 3


def test_statistics_tables_add_up():
    for number in (1, 4, 6):
        table = sea.facts.statistics_table(number)
        assert (table[["Indonesian", "Thai", "Vietnamese"]].sum(axis=1) == table["Total"]).all()


def labels(axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def test_figures_show_what_the_frames_hold():
    tests = panels.spread_tests()
    figure = pairs.pairs(panels.across_models(tests), panels.NAMES, panels.spread_labels())
    assert labels(figure.axes[0]) == ["Average", "Vietnamese", "Thai", "Indonesian"]
    assert figure.axes[0].lines[1].get_xdata() == pytest.approx(tests[tests["pair"] == "Exams"]["first"])
    bounds = sea.human_ties()
    frame, printed, chance, always = panels.judges(bounds)
    figure = agreement.agreement(frame, printed, chance, always)
    assert labels(figure.axes[0])[-1] == "Ensemble"
    assert 28 < always["with ties"][0] < 29
    frame = pd.concat([sea.cells(), published.results(sea.PAPER, artifact="table_09", group_by="language")])
    names = words.exam_names()
    figure = languages.languages(frame, sea.LANGUAGES, names, {b: words.figure_languages(b) for b in names})
    assert labels(figure.axes[0])[-1] == "Gemma-2-9B"


def test_definitions_mark_only_what_fits():
    grids = panels.definition_grids(draws=50)
    titles = panels.TITLES
    figure = definitions.definitions({t: grids[c] for c, t in titles.items()}, panels.printed_ratios())
    for axes in figure.axes:
        big = [line for line in axes.lines if line.get_marker() == "o" and line.get_markersize() == 4]
        assert len(big) == 1


@pytest.mark.parametrize("draw", ["margin", "formats", "votes", "thai", "distances", "map", "countries", "categories"])
def test_each_figure_draws_without_a_warning(draw, tmp_path):
    drawn = {
        "margin": lambda: pairs.pairs(*panels.margin(sea.one_point_pairs())),
        "formats": lambda: pairs.pairs(*panels.formats(spread.within(10 * sea.scores("seabench"), sea.scores("seaexam")))),
        "votes": lambda: curves.curves(*_votes()),
        "thai": lambda: curves.curves(
            sea.panels.public_data.recorded("thai_curve"), "items", "share", "exam", panels.EXAM_NAMES, "questions", "share"
        ),
        "distances": lambda: distance.distance(panels.distances()[0]),
        "map": lambda: scatter_map.scatter_map(*panels.positions()),
        "countries": lambda: distance.countries(panels.countries()),
        "categories": lambda: scores.scores(*panels.categories(None)),
    }[draw]()
    figure = drawn if isinstance(drawn, mpl.figure.Figure) else drawn.get_figure()
    figure.savefig(tmp_path / "figure.png")


def _votes():
    frame, names = panels.vote_curves()
    return frame, "margin", "value", "line", names, "margin", "equal votes"


def test_captions_have_no_open_places():
    for text in [value for name, value in vars(words).items() if name.isupper() and isinstance(value, str)]:
        assert text.strip() and "  " not in text
    assert "{" not in words.figure_7(None, 6.27) + words.figure_3(panels.distances()[0]) + words.translation(sea.translation())


@pytest.fixture
def judged(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for place, category in enumerate(["safety", "stem", "life"] * 4):
        texts = {f"eval_{turn}": f"[[{rng.integers(3, 11)}]]" for turn in (1, 2)}
        rows.append({"unit_id": f"id-{place}", "lang": "id", "type": category, **texts})
    rows[0]["eval_1"] = "no rating"
    file = tmp_path / "gpt-4o_eval_my-model_single.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_own_judgments_enter_figure_and_table(judged):
    own = sea.runs.judgments([str(judged)])
    means = judgments.means(own, by="category", draws=50)
    table = views.category_table(means).set_index("Category")
    assert table["my-model: score"].notna().sum() == 3
    assert table["my-model: unparsed"].sum() == 1
    ax = scores.scores(*panels.categories(means))
    assert len(ax.lines[0].get_xdata()) == 3
    assert "n = 23" in words.figure_7(means, 6.27)
    with pytest.raises(DataError, match=r"_single\.jsonl"):
        sea.runs.judgments([str(judged.with_name("judgments.jsonl"))])
    assert sea.runs.judgments([]) is None


def test_own_vectors_enter_figures(tmp_path):
    rng = np.random.default_rng(1)
    files = {}
    for name, centre in (("far", 3.0), ("near", 1.0), ("target", 0.0)):
        np.save(tmp_path / f"{name}.npy", (rng.normal(size=(60, 5)) + centre).astype(np.float32))
        files[name] = str(tmp_path / f"{name}.npy")
    table, source = panels.distances(files, draws=50)
    assert source == ["run"]
    assert table.set_index("set")["value"]["far"] > table.set_index("set")["value"]["near"]
    assert "own vectors" in words.figure_3(table)
    frame, titles, target = panels.positions(files)
    assert target == {"own": "target"}
    scatter_map.scatter_map(frame, titles, target)
    with pytest.raises(DataError, match="no such map"):
        panels.positions(files, "tsne")
    with pytest.raises(DataError, match="two sets"):
        panels.distances({"one": files["far"]})
    (tmp_path / "bad.npy").write_bytes(b"no")
    with pytest.raises(DataError, match=r"no \.npy file"):
        panels.distances(files | {"target": str(tmp_path / "bad.npy")})


@pytest.fixture
def exam_files(tmp_path, monkeypatch):
    rows = [
        {"question": f"{n} + 1?", "choices": [str(n + 1), str(n), "x", "y"], "answer": 0, "metadata": {"subject": "math"}}
        for n in range(12)
    ]
    for language in ("indonesian", "thai", "vietnamese"):
        folder = tmp_path / "seaexam" / f"m3exam-{language}"
        folder.mkdir(parents=True)
        for split in ("test", "dev"):
            (folder / f"{split}.json").write_text(json.dumps(rows), encoding="utf-8")
    monkeypatch.setenv("POLYEXAM_DATA", str(tmp_path))


def test_own_outputs_become_results_by_language(exam_files):
    items = read_items("seaexam")
    outputs = pd.DataFrame(
        {
            "benchmark": "seaexam",
            "item_id": items["item_id"],
            "model": "mine",
            "response": items["answer"].where(items["language"] != "th", "no"),
        }
    )
    found = sea.runs.exams("seaexam", outputs.assign(error=None, request=None)).set_index("group")["value"]
    assert found[["id", "th", "vi"]].tolist() == [100, 0, 100]
    assert found["languages"] == pytest.approx(200 / 3)
    assert sea.runs.exams("seaexam", outputs.iloc[:0]).empty
