"""The item browser, without a browser: filters, pages, links, selections, labels."""

import re
from html import unescape

import nbformat
import pandas as pd
import pytest
from nbconvert import HTMLExporter

import polyexam as px
from analysis.answers import labelled
from analysis.errors import DataError
from analysis.explore import marks, view
from analysis.explore.browser import Browser
from analysis.explore.records import Records
from analysis.items import example
from tests import example_runs

RECORDS = Records.of(example.items(), example.outputs())


def browse(**view) -> Browser:
    """The example's items and outputs."""
    return px.browse(items=example.items(), outputs=example.outputs(), **view)


def shown(widget: Browser) -> pd.DataFrame:
    return widget.grid.children[0].df


def test_the_grid_says_how_the_runs_did():
    widget = browse(method="final_answer")
    assert shown(widget).loc["en/0", "runs"] == "✓–"
    assert shown(widget).loc["id/0", "wrong choice"] == "B (1)"
    # text of others never becomes a tag
    hostile = example.items().assign(question="<img src=x onerror=1>")
    grid = px.browse(items=hostile, outputs=example.outputs()).grid.children[0]
    assert "&lt;img" in grid._dt_args["data_json"]
    assert "<img" not in grid._dt_args["data_json"]


def test_without_widgets_there_is_a_table_of_items_and_the_open_one():
    cell = nbformat.v4.new_code_cell("px.browse(...)")
    widget = browse(item="fa/1")
    data = widget._repr_mimebundle_()
    cell.outputs = [nbformat.v4.new_output("display_data", data=data)]
    notebook = nbformat.v4.new_notebook(cells=[cell])
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    assert "8</b> of 8 items" in page
    assert "th/0" in page
    assert "<mark>" in page
    assert "th/0" in data["text/plain"]


def test_a_response_with_a_lone_surrogate_is_shown():
    columns = ["benchmark", "item_id", "model", "response"]
    outputs = example.outputs()[columns].astype({"response": object})
    outputs.loc[outputs["item_id"] == "fa/1", "response"] = "A \ud83d B"
    page = view.item_html(Records.of(example.items(), outputs), "fa/1")
    assert page.encode()
    assert "d83d" in page.lower()


def repeated(frame: pd.DataFrame, times: int) -> pd.DataFrame:
    """The same rows for items of other names."""
    parts = [frame.assign(item_id=frame["item_id"] + f"-{i}") for i in range(times)]
    return pd.concat(parts, ignore_index=True)


def test_widget_filters():
    many, said = repeated(example.items(), 60), repeated(example.outputs(), 60)
    widget = Browser(Records.of(many, said))
    assert len(widget.ids) == len(shown(widget)) == 480
    widget.look(ids=widget.ids)
    assert "not only these 480" in widget.code.value
    widget.grid.children[0].selected_rows = [7]
    assert widget.item_id == widget.ids[7]
    assert widget.item_id in widget.view.value
    widget.show.value, widget.method.value = "methods disagree", "caa"
    assert shown(widget)["item"].iloc[0] == "zh/0-0"
    widget.subjects.value = ("geography",)
    assert widget.ids.str.startswith(("fa/0", "bo/0", "th/0")).all()
    widget.text.value = "no text like this"
    assert "no item fits" in widget.view.value
    assert shown(widget).empty


def test_translations_are_shown_next_to_each_other():
    widget = browse(ids=["zh/0", "en/0"])
    for item in ("zh/0", "en/0"):  # the open one first
        widget.show_item(item)
        pages = widget.view.value.split('<div class="px-item">')[1:]
        assert len(pages) == 2
        assert item in pages[0]


def test_outputs_to_unknown_items_are_left_out_and_counted(home):
    example_runs.write()
    for model in "mn":
        example_runs.write_run(model, {"x": "A"})
    for _ in range(2):  # the second time as stored
        with pytest.warns(UserWarning) as warned:
            widget = px.browse("example")
        assert [str(one.message)[:9] for one in warned] == ["2 outputs"]
        assert len(widget.ids) == 8


def test_a_benchmark_without_its_files_is_browsed_by_what_the_baselines_chose(home):
    widget = px.browse("cmmlu", show="wrong", runs=["baseline/always-A"])
    assert len(widget.ids) == 11_582 - 2_926
    assert "polyexam items cmmlu" in widget.view.value
    frame = widget.selection
    assert (frame["choice"] == "A").all()
    assert set(frame["state"]) == {"wrong"}
    assert len(frame) == len(widget.ids)


def test_the_code_of_a_view_opens_it_again():
    widget = browse()
    widget.subjects.value, widget.show.value = ("geography", "numbers"), "wrong"
    call = unescape(re.search(r"<code>(.*)</code>", widget.code.value)[1])
    again = eval(call.replace("'example'", "items=example.items(), outputs=example.outputs()"))
    assert again.ids.tolist() == widget.ids.tolist()
    assert again.item_id == widget.item_id
    assert again.chosen() == widget.chosen()


def test_names_and_errors_are_text():
    name = "<img src=x onerror=1>"
    items, said = (
        frame.replace({"item_id": {"en/0": name}}) for frame in (example.items(), example.outputs())
    )
    widget = px.browse(items=items, outputs=said, item=name)
    assert "<img" not in widget.code.value
    assert "&lt;img" in widget.code.value
    widget.regex.value, widget.text.value = True, "(<b>"
    assert "no regular expression" in widget.count.value
    assert "<b>" not in widget.count.value


def test_of_many_responses_the_first_are_shown():
    brief = example.outputs().query("model == 'made-up/brief'")
    outputs = pd.concat([brief.assign(model=f"m{number:03}") for number in range(102)])
    widget = px.browse(items=example.items(), outputs=outputs)
    assert widget.view.value.count("<details") == view.MOST
    assert widget.view.value.count("<details open") == 3
    assert "82 more" in widget.view.value
    widget.runs.value = ("m101",)
    assert "m101" in widget.view.value
    assert widget.view.value.count("<details") == 1


def test_a_selection_is_saved_whole_and_harmless(tmp_path):
    said = example.outputs().assign(response="=HYPERLINK(1)")
    widget = px.browse(items=example.items(), outputs=said)
    for name, reader in (("s.csv", pd.read_csv), ("s.parquet", pd.read_parquet)):
        px.save(widget.selection, tmp_path / name)
        found = reader(tmp_path / name)
        assert len(found) == len(said)
        assert set(found["response"]) == {"'=HYPERLINK(1)" if name == "s.csv" else "=HYPERLINK(1)"}
    with pytest.raises(DataError, match="no such format"):
        px.save(widget.selection, tmp_path / "s.xlsx")


def test_marks_correct_answers_and_keys_and_measure_the_methods(tmp_path):
    file = tmp_path / "labels.csv"
    view = {"show": "methods disagree", "method": "caa"}
    records = Records.of(example.items(), example.outputs())
    widget = Browser(records, file, **view)
    item, run, others = widget.item_id, widget.who.value, list(widget.ids[1:])
    read = records.choices("caa")["choice"][records.rows_of(item, [run])].iloc[0]
    label = next(b.description for b in widget.labels.children if b.description != read)
    next(b for b in widget.labels.children if b.description == label).click()
    kept = labelled.read(file)
    assert kept.to_numpy().tolist() == [["example", run, item, label]]
    row = records.rows_of(item, [run])
    for method in ("caa", "da"):
        assert records.choices(method)["choice"].iloc[row].tolist() == [label]
    assert widget.marks == 1
    # both methods read the mark: the item fits no more, and the next is open
    assert list(widget.ids) == list(widget.grid.children[0].df["item"]) == others
    assert widget.item_id == others[0]
    assert records.fitting(show="misread", method="caa").sum() == 1
    # a key: who answered it is right, by every method; the run's own choice stays
    widget.mark(marks.KEY, item, label)
    assert records.items.loc[item, "answer"] == label
    assert records.choices("caa")["state"].iloc[row].tolist() == ["correct"]
    again = browse(labels=file)
    assert again.records.choices("da").equals(records.choices("da"))


def test_a_mark_that_says_what_was_read_changes_nothing(tmp_path):
    for item, run in (("zh/0", "made-up/brief"), ("fa/1", "made-up/talkative")):
        records = Records.of(example.items(), example.outputs())
        before = records.choices("final_answer")
        read = before["choice"].iloc[records.rows_of(item, [run])].fillna(labelled.NONE).iloc[0]
        labelled.add("example", run, item, read, tmp_path / "labels.csv")
        records.mark(tmp_path / "labels.csv")
        pd.testing.assert_frame_equal(records.choices("final_answer"), before)
