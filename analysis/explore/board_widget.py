"""Leaderboards and comparisons of buttons: a number opens the items behind it, two show why their
runs differ.
"""

from collections.abc import Container, Sequence
from functools import partial
from html import escape
from pathlib import Path

import anywidget
import ipywidgets as widgets
import pandas as pd
import traitlets

from analysis.explore.browser import Browser
from analysis.explore.opening import browse, method_of
from analysis.explore.records import FILTERS
from analysis.explore.view import call_html
from analysis.results.comparisons import Comparison
from analysis.results.leaderboard import BY, Leaderboard
from analysis.text import visible

_MOST = 100  # items that are listed, and groups of a field that can be compared
_SHARE = "runs right (%)"
_LAYOUT = {"grid_gap": "1rem", "align_items": "flex-start"}
_STYLE = """
.polyexam-cells > div { max-height: 34rem; overflow: auto; scroll-padding-top: 4rem; }
.polyexam-cells > p { margin: .3rem 0; }
.polyexam-cells table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.polyexam-cells th, .polyexam-cells td { padding: 1px .25rem; text-align: end; }
.polyexam-cells th { text-align: start; font-weight: 600; }
.polyexam-cells thead th { position: sticky; top: 0; background: var(--jp-layout-color0, Canvas); }
.polyexam-cells button {
  all: unset; box-sizing: border-box; width: 100%; padding: .15rem .4rem; cursor: pointer;
  border: 1px solid var(--jp-border-color1, #888); border-radius: 3px;
  background: var(--jp-layout-color2, ButtonFace);
}
.polyexam-cells button:hover { background: var(--jp-layout-color3, #ccc); }
.polyexam-cells button:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
.polyexam-cells button[aria-pressed="true"] { box-shadow: inset 0 0 0 2px currentColor; }
.polyexam-cells tbody th button, .polyexam-cells td {
  max-width: 12rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.polyexam-panel > * { flex: none !important; }
.polyexam-panel .polyexam-cells > div { max-height: 14rem; }
.polyexam-panel .polyexam-cells thead button {
  max-width: 8rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
/* sentences are as wide as the panel; a table among them that is wider scrolls */
.polyexam-panel .widget-html-content { line-height: 1.4; width: 0; }
.polyexam-wide { overflow-x: auto; }
.polyexam-panel .widget-html-content th, .polyexam-panel .widget-html-content td {
  padding: 0 .4rem; line-height: 1.3;
}
"""


class _Cells(anywidget.AnyWidget):
    """A table of buttons.

    `table` is its caption, heads (which sort), rows of texts, and which columns `opens` (others are
    plain text); `chosen` are the pressed ones as [row, column], the last `most` of them.
    """

    _esm = Path(__file__).with_name("cells.js")
    _css = _STYLE
    table = traitlets.Dict().tag(sync=True)
    chosen = traitlets.List([]).tag(sync=True)
    most = traitlets.Int(1).tag(sync=True)

    def show(self, frame: pd.DataFrame, caption: str, opens: Container[str]) -> None:
        """Show a frame; the cells of the columns `opens` are buttons."""
        cells = frame.round(1).astype("str").map(visible)
        self.table = {
            "caption": caption,
            "heads": [visible(str(name)) for name in frame],
            "rows": cells.to_numpy().tolist(),
            "opens": [name in opens for name in frame],
        }


class Difference(widgets.VBox):
    """Two runs: their difference by groups, the items that make it, and one of these with both
    responses.

    Parameters
    ----------
    browser : Browser
        Of the benchmark.
    options : dict
        Of `explore.compare`: `by`, `method`, `labels`.
    """

    def __init__(self, browser: Browser, options: dict) -> None:
        self.browser, self.options = browser, options
        self.items, self.text, self.code = _Cells(), widgets.HTML(), widgets.HTML()
        metadata = pd.DataFrame(browser.records.items["metadata"].tolist()).astype("str")
        fields = [*BY, *(name for name in metadata if 1 < metadata[name].nunique() <= _MOST)]
        self.by = widgets.Dropdown(description="by", options=fields, value=options["by"] or BY[0])
        self.by.observe(lambda _: self.show(self.runs), "value")
        self.items.observe(self._open_item, "chosen")
        super().__init__([self.by, self.text, self.items, browser.item, self.code])
        self.add_class("polyexam-panel")

    def show(self, runs: Sequence[str], among_all: str = "", **options: object) -> None:
        """Compare two runs; `among_all` is said after it, `options` replace earlier ones."""
        from analysis.explore import compare

        self.runs = runs
        self.options |= {"by": self.by.value} | options
        benchmark = self.browser.records.benchmark
        both = compare(benchmark, *runs, **self.options)
        shown = both.html() + among_all
        self.text.value = f'<div class="polyexam-wide" tabindex="0">{shown}</div>'
        self.code.value = call_html("px.compare", [benchmark, *runs], self.options)
        share = self.browser.records.overview(**method_of(both))["correct (%)"]
        differ = both.differ[both.differ["right"].isin(both.runs)]
        differ[_SHARE] = differ["item_id"].map(share)
        # first what most runs have right
        differ = differ.sort_values(_SHARE, ascending=False, kind="stable")
        self.ids = differ["item_id"].tolist()
        table = differ[["item_id", _SHARE, "right", *runs]].head(_MOST)
        each = 100 / both.overall["n"].iloc[0]
        caption = f"{len(differ):,} items that one of the two has right, {each:.2f} points at most"
        self.items.chosen = []
        self.items.show(table.fillna("–"), caption, ["item_id"])
        self.browser.look(runs=list(runs), ids=self.ids, **method_of(both))

    def _open_item(self, _) -> None:
        for row, _ in self.items.chosen:
            self.browser.show_item(self.ids[row])


class Board(widgets.GridBox):
    """A leaderboard, or a comparison of several runs, with buttons, and at its side what they open.

    Parameters
    ----------
    result : ClickableLeaderboard or ClickableComparison

    Attributes
    ----------
    result : Leaderboard or Comparison
        As marked.
    cells : Cells
        Its table.
    browser : Browser or None
        The items that were opened last.
    difference : Difference or None
        The two runs that were compared last.
    """

    def __init__(self, result: "ClickableLeaderboard | ClickableComparison") -> None:
        self.browser = self.difference = None
        self.cells, self.sentences = _Cells(most=2), widgets.HTML()
        self._show(result)
        self.cells.observe(lambda _: self._press(), "chosen")
        self.panel = widgets.VBox([], layout={"max_height": "44rem", "overflow": "auto"})
        super().__init__([widgets.VBox([self.cells, self.sentences]), self.panel], layout=_LAYOUT)

    def _show(self, result: "ClickableLeaderboard | ClickableComparison") -> None:
        """Show a result; the chosen runs stay chosen."""
        pressed = self._pressed()
        # columns of buttons, and what the browser then shows
        self.result, self._views = result, {"Model": {}}
        if isinstance(result, Comparison):
            self._runs, self._pairs = result.runs[1:], result.overall
            press = "press a row for its difference from the first, two for theirs"
        else:
            self._runs, self._pairs = list(result.frame["run"]), result.pairs
            self._views |= {"Accuracy (%)": {}, "Response rate (%)": {"show": "unanswered"}}
            if result.by in FILTERS:
                for group in result.groups:
                    self._views[f"{group} (%)"] = {FILTERS[result.by]: [group]}
            press = "press a number for its items, two to compare"
        self.cells.show(result.table, f"{visible(result.heading)}; {press}.", self._views)
        places = {run: place for place, run in enumerate(self._runs)}
        self.cells.chosen = [[places[run], column] for run, column in pressed if run in places]
        lines = (f"<p>{escape(visible(sentence))}</p>" for sentence in result.remarks)
        # a long name makes the column no wider
        self.sentences.value = f'<div style="overflow-wrap: anywhere">{"".join(lines)}</div>'

    def _pressed(self) -> list[tuple[str, int]]:
        """Run and column of what is pressed."""
        return [(self._runs[row], column) for row, column in self.cells.chosen]

    def _press(self) -> None:
        """Show what is behind the pressed numbers."""
        pressed = self._pressed()
        if not pressed:
            return
        options = self.result.call.keywords
        if self.browser is None:
            self.browser = browse(self.result.benchmark, labels=options["labels"])
            self.browser.observe(lambda _: self._marked(), "marks")
            self.difference = Difference(self.browser, options | method_of(self.result))
            self.layout.grid_template_columns = "minmax(0, 1fr) minmax(0, 1fr)"
        runs = list(dict(pressed))  # each once
        if len(runs) == 1 and isinstance(self.result, Comparison):
            runs = [self.result.runs[0], *runs]
        if len(runs) == 2:
            self.difference.show(runs, self._among_all(runs), labels=options["labels"])
            self.panel.children = [self.difference]
            return
        view = self._views[self.result.table.columns[pressed[-1][1]]]
        self.browser.look(runs=runs, **method_of(self.result), **view)
        self.panel.children = [self.browser]

    def _among_all(self, runs: list[str]) -> str:
        """The interval of a pair that was chosen out of all pairs."""
        pairs = self._pairs.query("first in @runs and second in @runs")
        return "".join(
            f"<p>Adjusted for all pairs of the table, {escape(visible(pair.first))} minus "
            f"{escape(visible(pair.second))}: {pair.ci_low:+.1f} to {pair.ci_high:+.1f} points "
            "(95 %).</p>"
            for pair in pairs.itertuples()
        )

    def _marked(self) -> None:
        """A mark was made: the same result with all marks."""
        self._show(self.result.call(labels=str(self.browser.file)))
        self._press()  # also where the order of the runs stays


class ClickableLeaderboard(Leaderboard):
    """`results.leaderboard.Leaderboard`, with buttons where widgets can be shown.

    `call` makes it again.
    """

    call: partial

    def _repr_mimebundle_(self, **_options) -> dict:
        return _bundle(self, Board(self), self.html())


class ClickableComparison(Comparison):
    """`results.comparisons.Comparison`, whose rows can be pressed where widgets can be shown; two
    runs show at once why they differ.

    `call` makes it again.
    """

    call: partial

    def _repr_mimebundle_(self, **_options) -> dict:
        if len(self.runs) > 2:
            return _bundle(self, Board(self), self._repr_html_())
        browser = browse(self.benchmark, labels=self.call.keywords["labels"])
        widget = Difference(browser, dict(self.call.keywords))
        widget.show(self.runs)
        browser.observe(lambda _: widget.show(self.runs, labels=str(browser.file)), "marks")
        return _bundle(self, widget, self._repr_html_())


def _bundle(result: Comparison | Leaderboard, widget: widgets.Widget, page: str) -> dict:
    """A widget, and what is shown where there can be none."""
    return widget._repr_mimebundle_() | {"text/html": page, "text/plain": result.text()}
