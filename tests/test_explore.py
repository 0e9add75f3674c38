"""The front door: names that complete, errors that help, text that does nothing, filters that agree with a slow reading."""

import doctest
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import analysis
from analysis import answers, explore
from analysis.answers import letters, persian
from analysis.errors import DataError
from analysis.explore import labels, records, shelves, tex, view
from analysis.explore import spans as span_finder
from analysis.explore import text as shown_text
from analysis.explore.browser import RESPONSES
from analysis.explore.comparison import paired
from analysis.explore.records import ORDERS, SHOW, STATES, Records
from analysis.items import derived, example
from tests import hostile

RECORDS = Records.of(example.items(), example.outputs())


@pytest.mark.parametrize(
    "module",
    [explore, records, tex, shelves, span_finder, shown_text, example],
    ids=lambda m: m.__name__,
)
def test_examples_in_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_the_door_loads_nothing_before_it_is_asked():
    code = "import sys, analysis; print(sorted({'pandas', 'numpy', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_no_entry_point_hides_a_module():
    assert not set(analysis.DOOR) & {module.name for module in iter_modules(analysis.__path__)}


def test_names_complete_and_unknown_ones_are_told():
    assert {*analysis.DOOR, "items", "plots"} <= set(dir(analysis))
    with pytest.raises(AttributeError, match="did you mean browse"):
        _ = analysis.brows
    with pytest.raises(AttributeError, match="did you mean tlue"):
        _ = analysis.reports.tleu
    with pytest.raises(AttributeError, match="did you mean table_01"):
        _ = analysis.reports.tlue.tabel_01
    assert "table_01" in dir(analysis.reports.tlue) and "tlue" in analysis.reports._ipython_key_completions_()


def test_every_paper_and_artifact_shows_itself():
    assert "<table" in analysis.reports._repr_html_()
    for paper in analysis.reports:
        assert paper.name in repr(analysis.reports)
        for name in paper.artifacts.index:
            assert paper[name].title in paper[name]._repr_html_().replace("&amp;", "&").replace("&#x27;", "'")


def test_benchmarks_say_what_is_here_and_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("POLYEXAM_DATA", str(tmp_path))
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(tmp_path / "outputs"))
    derived.write("example", example.items().to_dict("records"))
    found = analysis.benchmarks()
    assert found.loc["cmmlu", "files"] == "polyexam items fetch cmmlu" and found.loc["example", "files"] == "here"
    assert found.loc["cmmlu", "baselines"] == 5 and not found["runs"].any()


def test_a_figure_is_made_when_it_is_shown(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("POLYEXAM_FIGURES", str(tmp_path))
    figure = analysis.reports.tlue.figure_03a
    made = []
    monkeypatch.setattr(shelves.Artifact, "make", lambda self: (made.append(self.name), self)[1])
    figure._ipython_display_()
    analysis.reports.tlue.table_01._ipython_display_()  # as printed
    assert made == ["figure_03a"]
    monkeypatch.undo()
    monkeypatch.setattr(shelves.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1, "", "cell 3: no"))
    with pytest.raises(DataError, match="could not be made: cell 3: no"):
        figure.make()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: analysis.results.read("tlue", group="STEMM"), "no such group 'STEMM': did you mean STEM?"),
        (lambda: analysis.results.read("tlue", metric=["accuracy", "acuracy"]), "did you mean accuracy?"),
        (lambda: analysis.results.read("tlue", modle="GPT-4o"), "no such column 'modle': did you mean model?"),
        (lambda: analysis.results.read("tleu"), "did you mean tlue?"),
        (lambda: analysis.answers.read("cmlu"), "did you mean cmmlu?"),
        (lambda: analysis.compare("cmmlu", "baseline/always-A", "baseline/always-B"), "did you mean baseline/always-A?"),
        (lambda: analysis.compare("cmmlu", "baseline/always-A", "baseline/always-A"), "compared with itself"),
        (lambda: RECORDS.select(show="wrng"), "did you mean wrong?"),
        (lambda: RECORDS.select(method="regex_pattern"), "did you mean regex_patterns?"),
        (lambda: RECORDS.select(order="hardest"), "did you mean hardest first?"),
        (lambda: RECORDS.select(text="(", regex=True), "no regular expression"),
        (lambda: analysis.browse("cmlu"), "did you mean cmmlu?"),
        (lambda: analysis.browse(items=example.items(), outputs=example.outputs(), shw="wrong"), "did you mean show?"),
        (lambda: analysis.browse(items=example.items(), outputs=example.outputs(), item="x"), "no such item"),
        (lambda: RECORDS.of_item("zh/1"), "no such item"),
        (lambda: analysis.browse(items=example.items()), "both items and outputs"),
    ],
)
def test_errors_name_what_there_is(call, said):
    with pytest.raises(DataError) as error:
        call()
    assert said in str(error.value)


def test_items_are_chosen_by_values_that_exist(monkeypatch, tmp_path):
    monkeypatch.setenv("POLYEXAM_DATA", str(tmp_path))
    derived.write("example", example.items().to_dict("records"))
    assert set(analysis.items.read("example", category="STEM")["subject"]) == {"numbers"}
    with pytest.raises(DataError, match="did you mean STEM"):
        analysis.items.read("example", category="STEMM")


# Text


class _Reader(HTMLParser):
    """Text and tags of a piece of HTML, as a browser's parser sees them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", set()

    def handle_data(self, data):
        self.text += data

    def handle_starttag(self, tag, attrs):
        self.tags.add((tag, *sorted(name for name, _ in attrs)))
        self.text += "\n" if tag == "br" else ""


@given(st.text(st.characters(codec=None), max_size=200), st.integers(0, 200), st.integers(0, 200))
def test_any_text_is_shown_whole_and_makes_no_element(text, a, b):
    begin, end = min(a, b, len(text)), min(max(a, b), len(text))
    page = shown_text.to_html(text, [(begin, end)])
    reader = _Reader()
    reader.feed(page)
    assert reader.text.replace("\r", "") == shown_text.visible(text)
    assert reader.tags <= {("bdi", "dir"), ("mark",), ("br",)}
    assert not any(0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069 or c in "\x00\x1b\x07\x9b" for c in page)


def test_long_text_is_cut_and_counted():
    page = shown_text.to_html("x" * 50, longest=20)
    assert "x" * 20 in page and "x" * 21 not in page and "30 more characters" in page


def test_direction_follows_the_letters():
    for item in example.items().itertuples():
        assert shown_text.direction(item.question) == ("rtl" if item.language == "fa" else "ltr")


# Spans

LETTERY = st.text("ABCDE xy.\n", max_size=30)


@given(LETTERY, st.sampled_from(["da", "caa"]), st.integers(2, 5))
def test_marked_letters_are_those_that_decide(text, method, n_options):
    read, spans = span_finder.found(text, [""] * n_options, method)
    marked = {read[begin:end] for begin, end in spans}
    rule = letters.direct_answer if method == "da" else letters.concern_all_answer
    choice = rule(text, n_options, max_options=5)
    assert marked == {choice} if choice else len(marked) != 1


@given(
    st.lists(
        st.sampled_from(["گزینه", "گزينه‌ي", " ", "  ", "۲", "3)", "(1)", "است", "\u200c", "پاسخ", ":", "\n", "</s>", "1403"]),
        max_size=8,
    )
)
def test_marked_labels_of_patterns_name_the_choice(parts):
    text = "".join(parts)
    (choice,), (form,) = persian.choices([text])
    if choice >= 0:
        read, spans = span_finder.found(text, [""] * 4, "regex_patterns", why=persian.FORMS[form])
        assert any(str(choice + 1) in read[begin:end].translate({0x6F0 + i: str(i) for i in range(10)}) for begin, end in spans)


def test_reasoning_is_not_marked():
    read, spans = span_finder.found("<think>A or B</think>C", [""] * 4, "da", "DeepSeek-R1")
    assert (read, spans) == ("C", [(0, 1)]) == span_finder.found("<think>A or B</think>C", [""] * 4, "final_answer")


# Filters


def slow_states(item_id, method, runs):
    _, outputs, taken = RECORDS.of_item(item_id)
    rows = [row for row, run in enumerate(outputs["run"]) if not runs or run in runs]
    return [(outputs["run"].iloc[row], STATES[taken[method].state[row]], taken[method].choice[row]) for row in rows]


def differ(choices) -> bool:
    return len({choice if isinstance(choice, str) else None for choice in choices}) > 1


@pytest.mark.parametrize("show", SHOW)
@pytest.mark.parametrize("runs", [(), ("made-up/talkative",)])
@pytest.mark.parametrize("methods", [("final_answer", "da"), ("caa", "final_answer"), ("regex_patterns", "caa")])
def test_filters_agree_with_a_slow_reading(show, runs, methods):
    method, against = methods
    wanted = []
    for item_id in RECORDS.items.index:
        mine, other = (slow_states(item_id, name, runs) for name in methods)
        read = [
            (choice, theirs)
            for (_, state, choice), (_, state_2, theirs) in zip(mine, other, strict=True)
            if "not read" not in (state, state_2)
        ]
        if show == "all":
            fits = bool(mine) or not runs
        elif show == "methods disagree":
            fits = any(differ(pair) for pair in read)
        elif show == "models disagree":
            fits = differ([choice for _, state, choice in mine if state != "not read"])
        else:
            fits = any(state == show for _, state, _ in mine)
        wanted += [item_id] if fits else []
    assert RECORDS.select(runs=runs, method=method, against=against, show=show).tolist() == wanted


def test_subjects_text_and_expressions_narrow_the_choice():
    assert RECORDS.select(subjects=["geography"]).tolist() == ["fa/0", "bo/0", "th/0"]
    assert RECORDS.select(languages=["fa", "bo"]).tolist() == ["fa/0", "fa/1", "bo/0"]
    assert RECORDS.select(text="NGUYÊN TỐ").tolist() == ["vi/0"]
    assert RECORDS.select(text="not sure").tolist() == ["en/0"]
    assert RECORDS.select(text="not sure", runs=["made-up/brief"]).tolist() == []
    assert RECORDS.select(text="n.t s[uv]re", regex=True).tolist() == ["en/0"] and not len(RECORDS.select(text="n.t s[uv]re"))
    assert RECORDS.select(ids=["th/0", "en/0"]).tolist() == [i for i in RECORDS.items.index if i in ("th/0", "en/0")]


def test_orders_agree_with_a_slow_reading():
    states = {item_id: slow_states(item_id, "caa", ()) for item_id in RECORDS.items.index}
    right = {item_id: np.mean([state == "correct" for _, state, _ in said]) for item_id, said in states.items()}
    for order, sign in (("hardest first", 1), ("easiest first", -1)):
        found = RECORDS.select(order=order, method="caa").tolist()
        assert found == sorted(right, key=lambda item_id: sign * right[item_id])
    lengths = RECORDS.outputs.groupby("item_id", sort=False)["response"].apply(lambda texts: texts.fillna("").str.len().mean())
    found = RECORDS.select(order="longest responses first").tolist()
    assert [lengths[item_id] for item_id in found] == sorted(lengths, reverse=True)
    for order in ORDERS:
        assert sorted(RECORDS.select(order=order)) == sorted(RECORDS.items.index)


def test_discrimination_finds_the_item_that_tells_models_apart():
    rng = np.random.default_rng(0)
    items = pd.concat([example.items().iloc[[0]]] * 6).assign(
        item_id=[f"i{n}" for n in range(6)], options=[["a", "b"]] * 6, answer="A"
    )
    items = items.reset_index(drop=True)
    rows = []
    for place in range(60):  # stronger models have the first item right, the others only by their strength
        for n in range(6):
            right = place >= 30 if n == 0 else rng.random() < 0.4 + 0.2 * (place >= 30)
            rows.append({"benchmark": "example", "item_id": f"i{n}", "model": f"m{place}", "response": "A" if right else "B"})
    found = Records.of(items, pd.DataFrame(rows)).select(order="best discrimination first", method="caa")
    assert found[0] == "i0"


def test_persian_patterns_are_for_persian_items_only():
    taken = RECORDS.taken("regex_patterns")
    assert set(RECORDS.outputs.loc[taken.state > 0, "item_id"]) == {"fa/0", "fa/1"}


def test_an_item_is_shown_with_its_key_and_right_to_left():
    page = view.item_html(RECORDS, "fa/1", method="regex_patterns")
    assert '<div dir="rtl" lang="fa">' in page and "<mark>۲</mark>" in page
    assert page.count("class=key") == 1 and "wrong" in page and "correct" in page
    assert "1 of 2 correct" in page


def test_a_million_answers_take_little_room():
    """Small integers beside the outputs: two bytes an answer and method for choice and state, plus the reason's code."""
    taken = RECORDS.taken("caa")
    assert taken.state.itemsize == taken.choice.codes.itemsize == taken.why.codes.itemsize == 1


# The browser, without a browser


def test_widget_filters_and_pages():
    from analysis.explore.browser import PAGE, Browser

    many = pd.concat(
        [example.items().assign(item_id=lambda f, i=i: f["item_id"] + f"-{i}") for i in range(60)], ignore_index=True
    )
    said = pd.concat(
        [example.outputs().assign(item_id=lambda f, i=i: f["item_id"] + f"-{i}") for i in range(60)], ignore_index=True
    )
    widget = Browser(lambda name: Records.of(many, said), ["example"])
    assert len(widget.ids) == 480 and len(widget.list.options) == PAGE and widget.back.disabled
    widget.forth.click()
    widget.forth.click()
    assert len(widget.list.options) == 80 and widget.forth.disabled
    widget.show.value, widget.method.value, widget.against.value = "methods disagree", "caa", "da"
    assert set(widget.list.options[0]) == {"zh/0-0"} and widget.back.disabled
    widget.subjects.value = ("geography",)
    assert widget.ids.str.startswith(("fa/0", "bo/0", "th/0")).all()
    widget.text.value = "no text like this"
    assert "no item fits" in widget.view.value and not widget.list.options


def test_outputs_to_unknown_items_are_left_out_and_counted():
    widget = analysis.browse(items=example.items().query("subject != 'geography'"), outputs=example.outputs())
    assert len(widget.ids) == 5 and "6 outputs to unknown items" in widget.count.value


def test_widget_shows_only_the_models_asked_for():
    widget = analysis.browse(items=example.items(), outputs=example.outputs(), models=["made-up/brief"])
    assert "made-up/brief" in widget.view.value and "talkative" not in widget.view.value
    widget.show.value = "models disagree"
    assert len(widget.ids) == 0
    with pytest.raises(DataError, match="did you mean made-up/brief"):
        analysis.browse(items=example.items(), outputs=example.outputs(), models=["made-up/brif"])


def test_a_benchmark_without_its_files_is_browsed_by_what_the_baselines_chose(monkeypatch, tmp_path):
    monkeypatch.setenv("POLYEXAM_DATA", str(tmp_path))
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(tmp_path))
    widget = analysis.browse("cmmlu", show="wrong", order="hardest first", runs=["baseline/always-A"])
    assert len(widget.ids) == 11_582 - 2_926 and "polyexam items fetch cmmlu" in widget.view.value
    frame = widget.selection
    assert (frame["choice"] == "A").all() and set(frame["state"]) == {"wrong"} and len(frame) == len(widget.ids)


def test_the_code_of_a_view_opens_it_again():
    widget = analysis.browse(items=example.items(), outputs=example.outputs())
    widget.subjects.value, widget.show.value, widget.order.value = ("geography", "numbers"), "wrong", "hardest first"
    call = unescape(re.search(r"<code>(.*)</code>", widget.code.value)[1])
    again = eval(call.replace("'example'", "items=example.items(), outputs=example.outputs()"))
    assert (
        again.ids.tolist() == widget.ids.tolist() and again.list.value == widget.list.value and again.chosen() == widget.chosen()
    )


def test_names_and_errors_are_text_and_raw_responses_are_not_typeset():
    name = "<img src=x onerror=1>"
    items, said = (frame.replace({"item_id": {"en/0": name}}) for frame in (example.items(), example.outputs()))
    widget = analysis.browse(items=items, outputs=said, item=name)
    assert "<img" not in widget.code.value and "&lt;img" in widget.code.value
    widget.regex.value, widget.text.value = True, "(<b>"
    assert "no regular expression" in widget.message.value and "<b>" not in widget.message.value
    assert widget.view.value and not widget.typeset.value
    widget.formatted.value = True
    assert widget.typeset.value and not widget.view.value


def test_responses_come_a_page_at_a_time():
    said = pd.concat([example.outputs().query("model == 'made-up/brief'").assign(model=f"m{n:03}") for n in range(102)])
    widget = analysis.browse(items=example.items(), outputs=said)
    assert widget.view.value.count("<details") == RESPONSES and widget.view.value.count("<details open") == 3
    assert "of 102 correct" in widget.view.value
    for _ in range(10):
        widget.more.click()
    assert widget.more.disabled and "m101" in widget.view.value and widget.view.value.count("<details") == 2


def test_a_selection_is_saved_whole_and_harmless(tmp_path):
    said = example.outputs().assign(response="=HYPERLINK(1)")
    widget = analysis.browse(items=example.items(), outputs=said)
    for name, reader in (("s.csv", pd.read_csv), ("s.parquet", pd.read_parquet)):
        widget.name.value = str(tmp_path / name)
        widget.keep.click()
        found = reader(tmp_path / name)
        assert len(found) == len(said) and set(found["response"]) == {"'=HYPERLINK(1)" if name == "s.csv" else "=HYPERLINK(1)"}
    widget.name.value = str(tmp_path / "s.xlsx")
    widget.keep.click()
    assert "no such format" in widget.message.value and len(list(tmp_path.iterdir())) == 2


def test_labels_of_disagreements_measure_the_methods(tmp_path):
    from analysis.explore.browser import Browser

    widget = Browser(
        lambda name: RECORDS, ["example"], {"show": "methods disagree", "method": "caa", "against": "da"}, tmp_path / "labels.csv"
    )
    seen = []
    for _ in range(40):
        if len(widget.labels.children) > 1:
            seen.append(widget.labels.children[0].value)
            widget.labels.children[1].click()  # what one of the methods says
        elif widget.list.index + 1 < len(widget.list.options):
            widget.list.index += 1
        else:
            break
    kept = labels.read(tmp_path / "labels.csv")
    assert len(kept) == len(seen) == 2 and set(kept["benchmark"]) == {"example"}
    found = answers.extract(example.outputs(), example.items(), ["caa", "da"])
    rates = labels.rates(kept, found).set_index("method")
    assert rates.loc["caa", "right"] + rates.loc["da", "right"] == pytest.approx(
        100
    )  # each response has one right reading of the two
    labels.add("example", kept["run"].iloc[0], kept["item_id"].iloc[0], labels.NONE, tmp_path / "labels.csv")
    assert len(labels.read(tmp_path / "labels.csv")) == len(kept)


@pytest.mark.parametrize("name", hostile.OUTPUTS)
def test_formatted_text_makes_only_harmless_elements(name):
    page = shown_text.rendered(hostile.OUTPUTS[name])
    reader = _Reader()
    reader.feed(page)
    assert not {tag for tag, *_ in reader.tags} & {
        "script",
        "img",
        "a",
        "iframe",
        "svg",
        "form",
        "object",
        "style",
        "link",
        "meta",
        "base",
    }
    assert not any(one.startswith("on") or one in ("href", "src") for _, *names in reader.tags for one in names)
    assert not re.search(r"\\\\?(href|class|style)\b", page)


# Tables for papers


def test_the_best_of_each_column_is_bold_and_nothing_is_doubled():
    cells = {"x": (1.04, 1.0, 0.5), "y": (2.0, 3.0, 1.0)}
    frame = pd.DataFrame([(m, g, v) for g, vs in cells.items() for m, v in zip(("a_1", "b&", "c"), vs, strict=True)])
    frame = frame.set_axis(["model", "group", "value"], axis=1).assign(ci_low=frame[2] - 0.5, ci_high=frame[2] + 0.5)
    lines = analysis.latex(frame).splitlines()
    assert r"a\_1 & \textbf{1.0} & \underline{2.0} \\" in lines and r"b\& & \textbf{1.0} & \textbf{3.0} \\" in lines  # as printed
    wide = analysis.latex(frame[frame["model"] != "c"], intervals=True, best="min", decimals=2)
    assert r"a\_1 & 1.04\ci{ (0.54 to 1.54)} & \textbf{2.00}\ci{ (1.50 to 2.50)} \\" in wide and r"b\& & \textbf{1.00}" in wide
    assert r"\textbf" not in analysis.latex(frame, best=None)
    assert r"Human & 0.71 &" in analysis.latex(
        analysis.results.read("khayyam", artifact="table_03", group_by="category"), decimals=2
    )
    with pytest.raises(DataError, match="two numbers for one cell"):
        analysis.latex(pd.concat([frame, frame]))
    with pytest.raises(DataError, match="did you mean model"):
        analysis.latex(frame, rows="modle")


# Two models


def _answers(first: list[bool], second: list[bool]) -> pd.DataFrame:
    n = len(first)
    one = pd.DataFrame(
        {
            "benchmark": "b",
            "item_id": [f"i{i}" for i in range(n)],
            "setting": "none",
            "method": "da",
            "subject": "s",
            "category": "c",
            "why": "one choice",
        }
    )
    both = [
        one.assign(model=name, correct=pd.array(right, "boolean"), choice=np.where(right, "A", "B"))
        for name, right in (("x", first), ("y", second))
    ]
    return pd.concat(both, ignore_index=True)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_comparison_is_antisymmetric_and_counts_what_differs(pairs):
    first, second = map(list, zip(*pairs, strict=True))
    there, back = (paired(_answers(first, second), "b", *names) for names in (("x", "y"), ("y", "x")))
    row, opposite = there.by_category.iloc[0], back.by_category.iloc[0]
    assert row["difference"] == pytest.approx(100 * (np.mean(first) - np.mean(second))) == pytest.approx(-opposite["difference"])
    assert row["ci_low"] <= row["difference"] <= row["ci_high"] and row["ci_low"] == pytest.approx(-opposite["ci_high"], abs=1e-6)
    assert len(there.differ) == sum(a != b for a, b in pairs)
    assert set(there.differ["right"]) <= {"x", "y"}


def test_comparison_by_category_and_its_figure():
    both = analysis.compare("ti_mmlu", "baseline/longest-option", "baseline/always-A")
    parts = both.by_category.iloc[1:]
    assert parts["n"].sum() == both.by_category["n"].iloc[0]
    assert (parts["p_holm"] >= parts["p"]).all() and "95 % interval" in both._repr_html_()
    ax = both.plot()
    assert len(ax.get_yticks()) == len(both.by_category) and "minus" in ax.get_xlabel()
