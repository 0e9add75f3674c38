"""JupyterLab itself in a real browser: the start notebook runs from a clean kernel, and the item
browser filters.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from analysis import paths
from analysis.explore.records import Records
from analysis.items import example
from tests import hostile
from tests.browser.conftest import INSIDE, WAIT, Seen, axe, harmless

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: make lab")
pytest.importorskip("ipywidgets", reason="ipywidgets is not installed: make lab")

OPTIONS = [
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--expose-app-in-browser",
    "--IdentityProvider.token=test",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]
CELLS = """() => { const panel = window.jupyterapp.shell.currentWidget;
  const cells = [...panel.content.model.cells].filter(c => c.type === 'code').map(c => c.toJSON());
  return cells.map(c => [c.execution_count, 
    c.outputs.map(o => o.output_type + ' ' + (o.ename || ''))]) }"""
pytestmark = pytest.mark.slow
HOSTILE = """
from tests import hostile, site
import pandas as pd, polyexam as px
items = site.items()
outputs = items[["benchmark", "item_id"]].assign(
    model=site.MODEL, response=pd.Series(list(hostile.OUTPUTS.values()), dtype=object)
)
"""
BOARD = """
import os
os.environ |= {"POLYEXAM_DATA": "board/data", "POLYEXAM_OUTPUTS": "board/outputs"}
import polyexam as px
from tests import example_runs, hostile
example_runs.write()
example_runs.write_run(hostile.OUTPUTS["event"], example_runs.responses("made-up/brief"))
px.leaderboard("example", by="language", method="final_answer")
"""
COMPARED = 'px.compare("example")'
# tables and figures of ours; pandas shows its frames itself
OURS = ".jp-OutputArea .jp-RenderedHTMLCommon:not(:has(.dataframe))"
# a kernel cannot send a lone surrogate; the item browser writes it out
SHOWN = "outputs[outputs['item_id'] != 's/surrogate']"
BROWSE = "px.browse(items=items, outputs=outputs)"
FOLDERS = "JUPYTER_CONFIG_DIR JUPYTER_RUNTIME_DIR IPYTHONDIR"
FOLDERS += " JUPYTERLAB_SETTINGS_DIR JUPYTERLAB_WORKSPACES_DIR"


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """Address of a server with the start notebook and one that browses hostile responses; nothing
    of the user's settings is used.
    """
    home = tmp_path_factory.mktemp("lab")
    root = home / "notebooks"
    root.mkdir()
    shutil.copy(paths.NOTEBOOKS / "00_start_here.ipynb", root)
    texts = {"board": [BOARD, COMPARED], "hostile": [HOSTILE, SHOWN, BROWSE]}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for name, sources in texts.items():
        cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
        made = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
        nbformat.write(made, root / f"{name}.ipynb")
    environment = os.environ | {name: str(home / name) for name in FOLDERS.split()}
    environment |= {
        "PYTHONPATH": paths.ROOT,
        "JUPYTER_PREFER_ENV_PATH": "1",
        "POLYEXAM_OUTPUTS": home / "outputs",
    }
    with open(home / "log", "w", encoding="utf-8") as log:
        command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.root_dir={root}"]
        server = subprocess.Popen(
            command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield _address(home, server), root
        finally:
            server.terminate()
            server.wait(120)


def _address(home: Path, server: subprocess.Popen) -> str:
    for _ in range(3000):
        for file in (home / "JUPYTER_RUNTIME_DIR").glob("jpserver-*.json"):
            try:
                return json.loads(file.read_text("utf-8"))["url"]
            except (ValueError, KeyError):
                pass
        if server.poll() is not None:
            break
        time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start:\n{(home / 'log').read_text(encoding='utf-8')[-3000:]}")


@pytest.fixture
def page(chromium, lab):
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(WAIT)
    page = context.new_page()
    page.seen = Seen()
    page.seen.watch(page, (*INSIDE, lab[0], lab[0].replace("http", "ws")))
    yield page
    context.close()


def run_all(page, address: str, notebook: str) -> list:
    """Open a notebook, run it from a clean kernel, and give each code cell's count and outputs,
    none of which is an error.
    """
    page.goto(f"{address}lab/tree/{notebook}?token=test&reset")
    page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
    page.wait_for_function(
        "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    )
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    done = (
        "(cells => cells.every(c => c[0] !== null) || cells.some(c => c[1].some(o => "
        f"o.startsWith('error'))))(({CELLS})())"
    )
    page.wait_for_function(done)  # the tour runs commands of its own
    page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
    )
    cells = page.evaluate(CELLS)
    assert not [output for _, outputs in cells for output in outputs if "error" in output]
    return cells


def quiet(page) -> None:
    """Nothing ran or was fetched; JupyterLab itself misses files in a fresh folder."""
    # and ipywidgets tells a view that is gone that the page scrolls
    theirs = re.compile(r"Failed to load resource.*(404|Not Found)|'processLuminoMessage'")
    assert [error for error in page.seen.errors if not theirs.search(error)] == []
    harmless(page)


def test_the_start_notebook_runs_and_the_item_browser_filters(page, lab, shots):
    cells = run_all(page, lab[0], "00_start_here.ipynb")
    assert len(cells) > 10
    assert (lab[1] / "my_figure.png").stat().st_size > 10_000
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:move-cursor-down')")
    page.evaluate(
        "() => { const n = window.jupyterapp.shell.currentWidget.content; "
        "n.scrollToItem(n.widgets.length - 2, 'start') }"
    )
    # the tour has three; this one has the example's words
    browser = page.locator(".polyexam-browser").last
    browser.wait_for()
    browser.scroll_into_view_if_needed()
    assert "8 of 8 items" in browser.inner_text()
    shown = (
        "[...document.querySelectorAll('.polyexam-browser')].some(e => "
        "e.innerText.includes('{} of 8 items'))"
    )
    browser.get_by_label("show", exact=True).select_option("methods disagree")
    records = Records.of(example.items(), example.outputs())
    page.wait_for_function(shown.format(len(records.select(show="methods disagree"))))
    assert axe(page, ".polyexam-browser") + axe(page, OURS) == []
    browser.get_by_role("button", name="-", exact=True).click()
    kept = lab[1] / "start_here" / "outputs" / "labels.csv"  # the tour names this folder
    for _ in range(3000):
        if kept.is_file():
            break
        page.wait_for_timeout(100)
    assert kept.read_text("utf-8").endswith(",-\n")
    browser.get_by_label("show", exact=True).select_option("all")
    browser.get_by_text("8 of 8 items").wait_for()  # the kernel is done
    browser.get_by_label("subjects", exact=True).select_option(["geography"])
    browser.locator(".px-item [dir=rtl] bdi").first.wait_for()
    lines = browser.locator(".itables_anywidget tbody tr")
    # the grid is drawn anew after its item: keys would come too early
    lines.nth(3).wait_for(state="detached")
    lines.nth(2).wait_for()
    page.evaluate("window.jupyterapp.commands.execute('notebook:enter-command-mode')")
    lines.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    item = lines.nth(1).locator("td").first.inner_text()
    page.locator(".px-item small", has_text=item).wait_for()
    page.keyboard.press("Tab")  # leaves the rows
    assert not page.evaluate("document.activeElement.closest('tbody')")
    page.screenshot(path=str(shots / "lab.png"))
    quiet(page)


def test_a_number_of_a_leaderboard_opens_its_items_by_mouse_and_keyboard(page, lab, shots):
    run_all(page, lab[0], "board.ipynb")
    table = page.locator(".polyexam-cells").first
    table.wait_for()
    assert axe(page, ".polyexam-cells") == []
    # heads that sort; three runs, of which one is hardly read
    heads = table.get_by_role("button", name=re.compile("^sort by "))
    assert table.get_by_role("button").count() == heads.count() + 3 * 10
    count = (
        "n => document.querySelector('.polyexam-browser')?.innerText.includes(n + ' of 8 items')"
    )
    table.get_by_role("button", name=re.compile(r"made-up.brief, fa \(%\): ")).click()
    page.wait_for_function(count, arg=2)
    page.keyboard.press("Enter")  # released
    page.keyboard.press("ArrowRight")  # the next language, of the same run
    page.keyboard.press("Enter")
    page.wait_for_function(count, arg=1)
    focus = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focus).startswith("made-up/brief, bo (%): ")
    for _ in heads.all():
        page.keyboard.press("ArrowLeft")  # over plain text
    assert page.evaluate(focus) == "made-up/brief, Model: made-up/brief"
    table.get_by_role("button", name="sort by Model", exact=True).focus()
    page.keyboard.press("Space")
    names = table.locator("tbody th").all_inner_texts()
    page.keyboard.press("Space")
    assert table.locator("th[aria-sort=ascending]").count() == 1
    assert table.locator("tbody th").all_inner_texts() == names[::-1]
    page.keyboard.press("Tab")  # one stop for the whole table
    assert not page.evaluate("document.activeElement.closest('.polyexam-cells')")
    assert axe(page, ".polyexam-browser") == []
    # a number of another run: the two are compared beside the table
    box = table.bounding_box()
    table.get_by_role("button", name=re.compile("made-up.talkative, Accuracy")).click()
    page.get_by_text("made-up/brief minus made-up/talkative").first.wait_for()
    items = page.locator(".polyexam-cells").nth(1)
    panel = items.bounding_box()
    assert panel["x"] >= box["x"] + box["width"] - 1
    assert panel["y"] < 1000
    assert axe(page, ".polyexam-cells") == []
    item = items.locator("tbody th").first.inner_text()
    items.get_by_role("button", name=f"{item}, item_id: {item}", exact=True).click()
    page.wait_for_function(
        "item => document.querySelector('.px-item small')?.textContent.startsWith(item)", arg=item
    )
    table.scroll_into_view_if_needed()
    page.screenshot(path=str(shots / "lab_board.png"))
    page.locator(".polyexam-panel").get_by_role("button", name="A", exact=True).click()
    page.get_by_text("labels=").first.wait_for()
    assert page.evaluate("document.activeElement.textContent") == "A"
    table.scroll_into_view_if_needed()
    page.screenshot(path=str(shots / "lab_marked.png"))
    dark = "window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})"
    page.evaluate(f"() => {dark}")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    assert axe(page, ".polyexam-cells") == axe(page, ".polyexam-panel") == []
    page.screenshot(path=str(shots / "lab_dark.png"))
    page.evaluate(
        "() => { const n = window.jupyterapp.shell.currentWidget.content; "
        "n.scrollToItem(1, 'start') }"
    )
    compared = page.locator(".jp-Cell").last  # two rows of a comparison, by keyboard
    compared.get_by_role("button", name=re.compile(", Model: ")).first.focus()
    for keys in (["Enter"], ["ArrowDown", "Enter"]):
        for key in keys:
            page.keyboard.press(key)
        compared.get_by_text("Adjusted for all pairs").wait_for()
        page.wait_for_timeout(1000)
    assert axe(page, ".polyexam-panel") == []
    page.screenshot(path=str(shots / "lab_compared.png"))
    quiet(page)


def test_hostile_responses_do_nothing_in_jupyterlab(page, lab, shots):
    run_all(page, lab[0], "hostile.ipynb")
    browser = page.locator(".polyexam-browser")
    browser.wait_for()
    for name in hostile.OUTPUTS:
        browser.get_by_role("gridcell", name=f"s/{name}", exact=True).or_(
            browser.get_by_role("cell", name=f"s/{name}", exact=True)
        ).click()
        page.wait_for_function(
            "name => document.querySelector('.px-item small').textContent.startsWith('s/' + name)",
            arg=name,
        )
        assert (
            browser.locator(".px-item")
            .locator("script, img, svg, iframe, a, form, object, link, meta, style")
            .count()
            == 0
        )
    browser.scroll_into_view_if_needed()
    page.screenshot(path=str(shots / "lab_hostile.png"))
    harmless(page)
