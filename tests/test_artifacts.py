"""Tables and figures as files: same input, same bytes; hostile text stays text."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from analysis import artifacts, paths
from analysis.errors import DataError
from analysis.plots import style
from analysis.plots.rows import rows

FRAME = pd.DataFrame(
    {
        "Model": ["a_b & c", "<script>alert(1)</script>"],
        "Score": [12.345, float("nan")],
        "n": [1234, 5],
    }
)


@pytest.fixture
def save(home):
    return artifacts.Artifacts("own", "notebook", benchmark="b")


def figure():
    ax = plt.subplots()[1]
    ax.plot([1, 2], [3, 4])
    ax.set_title("བོད་ فارسی ไทย 中文")
    return ax


def test_a_table_has_three_files_and_a_card(save):
    shown = save.table("t", FRAME, caption="n = 2", source=["run", "published"])
    stem = save.folder / "notebook_b_t"
    csv, html, tex, card = (
        stem.with_suffix(end).read_text("utf-8") for end in (".csv", ".html", ".tex", ".json")
    )
    assert csv.splitlines()[1] == "a_b & c,12.345,1234"
    assert "<script" not in html + shown.data
    assert "&lt;script&gt;" in html
    assert "1,234" in html
    assert r"a\_b \& c" in tex
    assert r"\toprule" in tex
    assert json.loads(card)["source"] == ["published", "run"]


def test_an_unknown_source_is_refused(save):
    with pytest.raises(DataError, match="no such source"):
        save.table("t", FRAME, caption="c", source=["guess"])


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(save):
    def made() -> dict:
        save.table("t", FRAME, caption="c", source=["run"])
        save.figure("f", figure(), caption="c", alt="a", source=["run"])
        return {file.name: file.read_bytes() for file in save.folder.iterdir()}

    style.use()
    first = made()
    assert first == made()
    assert {name.split(".")[1] for name in first} == set("csv tex html json png svg pdf".split())


def test_a_figure_is_shown_with_alternative_text_and_closed(save):
    drawn = figure()
    drawn.set_title("a <title>")
    shown = save.figure("f", drawn, caption='a "caption"', alt="it <grows>", source=["run"])
    assert 'alt="it &lt;grows&gt;"' in shown.data
    assert "data:image/png;base64," in shown.data
    assert drawn.figure.number not in plt.get_fignums()
    # letters are text in the font of the layout
    svg = (save.folder / "notebook_b_f.svg").read_text("utf-8")
    assert "a &lt;title&gt;</text>" in svg
    assert style.SVG_FONTS in svg
    assert "Noto" not in svg


SAMPLES = {"Latin": "A", "Tibetan": "བོད", "Arabic": "فارسی", "Thai": "ไทย", "Chinese": "中文"}


def test_the_numbers_of_a_figure_are_beside_it(save):
    frame = pd.DataFrame({"row": ["a", "=b"], "value": [1.25, 2], "ci_low": [0, 1.5]})
    ax = rows(frame.assign(ci_high=3.5, inner=0), label="points")
    save.figure("rows", ax, caption="c", alt="a", source=["run"])
    numbers = pd.read_csv(save.folder / "notebook_b_rows.csv")
    assert numbers[["row", "value", "ci_low", "ci_high"]].equals(frame.assign(ci_high=3.5))
    assert "inner" not in numbers


def test_fonts_draw_every_script_or_say_what_is_missing():
    for sample in SAMPLES.values():
        shown = sample if style.drawable(sample) else "romanized"
        assert style.label(sample, "romanized") == shown
    assert not style.drawable("\U0001f9ff\u1bc0")  # neither font has Batak
    assert style.label("\u1bc0 A").isascii()


@pytest.mark.slow
def test_a_figure_that_cannot_be_read_is_listed(save):
    ax = figure()
    ax.text(1, 3, "first")
    ax.text(1, 3, "second")
    save.figure("f", ax, caption="c", alt="a", source=["run"])
    assert "“first” and “second” overlap" in (save.folder / "notebook_b_f.json").read_text("utf-8")


@pytest.mark.slow
def test_a_figure_has_a_csv_and_looks_alike_as_pdf_and_as_png():
    pdfium = pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")
    files = sorted(paths.figures().glob("*/*.pdf"))
    if not files:
        pytest.skip("the figures are not made here: make reports")
    for file in files:
        assert file.with_suffix(".csv").is_file()
        printed = pdfium.PdfDocument(file)[0].render(scale=4).to_pil().convert("L")
        shown = Image.open(file.with_suffix(".png")).convert("L").resize(printed.size)
        cells = [np.asarray(image.reduce(16), int) for image in (printed, shown)]
        # a letter that is moved by a point makes 40 of 255 in a cell of four points
        assert abs(cells[0] - cells[1]).max() < 32, file
