"""Parts of pages: tables and frames, judges, scores of a run, what the site is made again for."""

import subprocess

import nbformat
import pandas as pd

from analysis import catalog, paths, typeset
from analysis.answers import extract
from analysis.items import example
from analysis.results import one_run
from reports import html, rules, runs
from runners import cache, transfer


def page_of(shown: str) -> str:
    """The page of a report whose one cell shows this HTML."""
    output = nbformat.v4.new_output("display_data", data={"text/html": shown})
    cells = [
        nbformat.v4.new_markdown_cell("# T"),
        nbformat.v4.new_code_cell("t", outputs=[output]),
    ]
    return html.page(nbformat.v4.new_notebook(cells=cells), "T")


def test_a_reports_page_keeps_a_tables_classes():
    page = page_of(typeset.html(pd.DataFrame({"Model": list("abc"), "x": [3.0, 2.0, 1.0]})))
    assert 'class="polyexam sortable"' in page
    assert '<th scope="row">a</th>' in page


def test_a_displayed_frame_shows_no_style_sheet():
    shown = pd.DataFrame({"x": [1]})._repr_html_()
    page = page_of(shown)
    assert "<style" in shown
    assert "scoped" not in page
    assert "<td>1</td>" in page


def test_a_judges_texts_are_shown_and_not_scored(home):
    request = {
        "benchmark": "seabench-judgments",
        "model": "judge",
        "revision": "1",
        "runner": "openai",
        "item_id": "1",
        "judged": "m",
    }
    transfer.take([cache.record(request, response="Rating: [[7]] <b>", judged="m")])
    (run,) = runs.listed()
    shown = runs.context(run)
    assert "judge's texts about answers to seabench" in shown["note"]
    assert "scores" not in shown["parts"][0]
    assert "&lt;b&gt;" in shown["parts"][0]["samples"][0]["rows"][0]["response"]


def test_scores_of_a_run_are_those_of_its_answers():
    mine = extract(example.outputs().query("model == 'made-up/talkative'"), example.items())
    table = one_run.score_table(one_run.scores(mine))
    da = table[(table["Method"] == "DA") & (table["Group"] == "average over questions")].iloc[0]
    assert da["n"] == 8
    assert da["Response rate (%)"].startswith("37.5 ")
    assert da["Accuracy (%)"].startswith("37.5 ")


def test_the_site_is_made_again_when_what_it_shows_has_changed(tmp_path):
    text = rules.rules()
    needs = next(line for line in text.splitlines() if line.startswith("reports/site/index.html:"))
    pages = {f"reports/{name}.html" for name in catalog.reports()}
    jsons = {"reports/claims.json", "reports/audits.json"}
    assert {*pages, *jsons, "$(LIBRARY)", "$(SITE)"} <= set(needs.split())
    (tmp_path / "rules.mk").write_text(text, "utf-8")
    asked = "print: ; @echo $(LIBRARY) $(SITE) $(wildcard data/claims/* data/published/*/*)"
    command = ["make", "--silent", "-f", str(tmp_path / "rules.mk"), "--eval", asked, "print"]
    done = subprocess.check_output(command, cwd=paths.ROOT, text=True)
    shown = "analysis/artifacts.py data/items/cmmlu.yaml reports/catalog.yaml reports/site.py"
    shown += " reports/template/style.css data/claims/tlue.yaml data/published/tlue/table_01.csv"
    assert {*shown.split()} <= {*done.split()}
