"""The item browser: ipywidgets around `Records`, a page of items and a page of responses at a time."""

import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

import ipywidgets as widgets
import pandas as pd

from analysis.errors import DataError, unknown
from analysis.explore import labels
from analysis.explore.records import ORDERS, SHOW, Records
from analysis.explore.view import item_html
from analysis.text import spreadsheet, visible
from analysis.whole import writing

PAGE = 200  # items in the list at once; the browser never receives more
RESPONSES = 10  # responses to an item at once
FIRST = "the first that applies"
WIDE, ROWS = {"width": "20rem"}, {"display": "flex", "flex_flow": "row wrap", "grid_gap": ".3rem"}


class Browser(widgets.VBox):
    """Filters above, the list of items that fit on the left, the chosen item with its responses on the right.

    Parameters
    ----------
    load : callable
        Benchmark name -> `Records`; called when a benchmark is chosen.
    benchmarks : list of str
        Names to choose from; the first one is shown.
    view : mapping
        What to show first: `subjects`, `languages`, `runs`, `method`, `against`, `show`, `text`, `regex`, `order`, `item`, `ids`.
    file : Path, optional
        Where labels are saved; `labels.csv` in the folder of the outputs by default.

    Attributes
    ----------
    records : Records
    ids : Index
        The items that fit the filters, in their order.
    """

    def __init__(
        self, load: Callable[[str], Records], benchmarks: list[str], view: Mapping = (), file: Path | None = None
    ) -> None:
        self._load, self._page, self._response, self._quiet, self.file = load, 0, 0, False, file
        self.benchmark = widgets.Dropdown(description="benchmark", options=benchmarks, layout=WIDE)
        self.subjects, self.languages, self.runs = (_several(name) for name in ("subjects", "languages", "runs"))
        self.method, self.against = (widgets.Dropdown(description=d, options=[], layout=WIDE) for d in ("method", "against"))
        self.show = widgets.Dropdown(description="show", options=SHOW, layout=WIDE)
        self.order = widgets.Dropdown(description="order", options=ORDERS, layout=WIDE)
        self.text = widgets.Text(
            description="contains", placeholder="in question or response", continuous_update=False, layout=WIDE
        )
        self.regex = widgets.Checkbox(description="regular expression", indent=False, layout={"width": "auto"})
        self.formatted = widgets.Checkbox(description="Markdown and formulas", indent=False, layout={"width": "auto"})
        self.list = widgets.Select(description="items", options=[], rows=22, layout={"width": "21rem"})
        self.list.style.description_width = "0"
        self.back, self.forth, self.less, self.more = (_button(d) for d in ("◀ items", "items ▶", "◀ responses", "responses ▶"))
        self.name = widgets.Text(description="save as", value="selection.csv", layout=WIDE)
        self.keep = _button("save selection", "CSV or Parquet, by the name's ending")
        self.labels = widgets.Box([], layout=ROWS)
        self.count, self.message, self.code = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.view, self.typeset = (kind(layout={"min_width": "0"}) for kind in (widgets.HTML, widgets.HTMLMath))  # raw, formatted
        self._filters = (
            self.subjects, self.languages, self.runs, self.method, self.against, self.show, self.order, self.text, self.regex
        )  # fmt: skip
        self._wire()
        left = widgets.VBox([self.count, self.list, widgets.HBox([self.back, self.forth]), self.name, self.keep, self.message])
        bar = widgets.Box([self.less, self.more, self.formatted, self.labels], layout=ROWS)
        right = widgets.VBox([bar, self.view, self.typeset, self.code], layout={"flex": "1 1 24rem", "min_width": "0"})
        super().__init__([widgets.Box([self.benchmark, *self._filters], layout=ROWS), widgets.Box([left, right], layout=ROWS)])
        self.add_class("polyexam-browser")
        ids = dict(view).get("ids")
        self._ids = None if ids is None else list(ids)
        self._open()
        self._set(dict(view))

    def _wire(self) -> None:
        for box in self._filters:
            box.observe(lambda _: self._refresh(), "value")
        self.benchmark.observe(lambda _: self._open(), "value")
        self.list.observe(lambda _: self._turn_responses(None), "value")
        self.formatted.observe(lambda _: self._draw(), "value")
        for button, step in ((self.back, -1), (self.forth, 1)):
            button.on_click(lambda _, step=step: self._turn(step))
        for button, step in ((self.less, -RESPONSES), (self.more, RESPONSES)):
            button.on_click(lambda _, step=step: self._turn_responses(step))
        self.keep.on_click(lambda _: self._save())

    def _open(self) -> None:
        """Another benchmark: its records, and filters that fit it."""
        self.records = self._load(self.benchmark.value)
        self._quiet = True
        self.subjects.options = sorted(self.records.items["subject"].unique())
        self.languages.options, self.runs.options = self.records.languages, self.records.runs
        methods = self.records.methods
        self.method.options, self.against.options = methods, methods[1:] + methods[:1]
        self.method.value, self.against.value = methods[0], self.against.options[0]
        for box in (self.subjects, self.languages, self.runs):
            box.value, box.layout.display = (), "none" if len(box.options) < 2 else None
        self.show.value, self.order.value, self.text.value, self._quiet = SHOW[0], ORDERS[0], "", False
        self._refresh()

    def _set(self, view: dict) -> None:
        """Filters from outside; a name that does not exist is told."""
        item = view.pop("item", None)
        if view.pop("ids", None) is None and not view and item is None:
            return
        self._quiet = True
        try:
            Records._known(filter=(list(view), [*self.chosen(), "item"]))
            for name, value in view.items():
                box = getattr(self, name)
                Records._known(
                    **{name: ([value] if isinstance(value, str) else value, box.options)} if hasattr(box, "options") else {}
                )
                box.value = tuple(value) if isinstance(box, widgets.SelectMultiple) else value
        finally:
            self._quiet = False
        self._refresh()
        if item is not None:
            Records._known(item=([item], self.ids))
            self._page = self.ids.get_loc(item) // PAGE
            self._list(item)

    def chosen(self) -> dict:
        """The filters that are set, as `select` takes them."""
        view = {name: list(getattr(self, name).value) for name in ("subjects", "languages", "runs")}
        view |= {name: getattr(self, name).value for name in ("method", "against", "show", "order", "text", "regex")}
        return view | {"ids": self._ids}

    def _refresh(self) -> None:
        if self._quiet:
            return
        if self.records.waits(**self.chosen()):
            self.message.value = f"<p>{self.method.value} reads {len(self.records.outputs):,} responses, once …</p>"
        try:
            self.ids = self.records.select(**self.chosen())
        except DataError as error:
            self.message.value = f"<p><strong>{escape(visible(str(error)))}</strong></p>"
            return
        self.message.value, self._page = "", 0
        self._list()

    def _turn(self, step: int) -> None:
        self._page += step
        self._list()

    def _list(self, item: str | None = None) -> None:
        """Send one page of the list."""
        start = self._page * PAGE
        shown = self.ids[start : start + PAGE]
        self.back.disabled, self.forth.disabled = start == 0, start + PAGE >= len(self.ids)
        place = f", {start + 1:,} to {start + len(shown):,}" if len(shown) else ""
        strange = f"<br>{self.records.strange:,} outputs to unknown items" if self.records.strange else ""
        self.count.value = f"<b>{len(self.ids):,}</b> of {len(self.records.items):,} items{place}{strange}"
        self._quiet = True
        self.list.options = [(visible(str(item_id)), item_id) for item_id in shown]
        self.list.value = item if item is not None else shown[0] if len(shown) else None
        self._quiet = False
        self._turn_responses(None)

    def _turn_responses(self, step: int | None) -> None:
        """Other responses to the same item; None: the first ones."""
        self._response = 0 if step is None else max(0, self._response + step)
        self._draw()

    def _draw(self) -> None:
        if self._quiet:
            return
        item_id = self.list.value
        if item_id is None:
            self.view.value, self.labels.children = "<p><em>no item fits these filters</em></p>", ()
            self.code.value = self.typeset.value = ""
            return
        runs = list(self.runs.value)
        there = self.records.outputs["run"].iloc[self.records.rows_of(item_id)]
        n = int(there.isin(runs).sum()) if runs else len(there)
        self.less.disabled, self.more.disabled = self._response == 0, self._response + RESPONSES >= n
        page = item_html(
            self.records, item_id, runs, self.method.value, first=self._response, most=RESPONSES,
            formatted=self.formatted.value, search=self._search(),
        )  # fmt: skip
        self.view.value, self.typeset.value = ("", page) if self.formatted.value else (page, "")
        self.code.value = f"<p>This view: <code>{escape(visible(self._code()))}</code></p>"
        self.labels.children = labels.buttons(self) if self.show.value == "methods disagree" else ()

    def _search(self) -> re.Pattern | None:
        if not self.text.value:
            return None
        try:
            return re.compile(self.text.value if self.regex.value else re.escape(self.text.value), re.IGNORECASE)
        except re.error:  # RE2, which filters, knows expressions that Python does not
            return None

    def _code(self) -> str:
        """A call that opens the present view."""
        plain = {"method": self.records.methods[0], "against": self.against.options[0], "show": SHOW[0], "order": ORDERS[0]}
        said = {name: value for name, value in self.chosen().items() if value and value != plain.get(name)}
        said |= {"item": self.list.value}
        words = "".join(f", {name}={value!r}" for name, value in said.items() if name != "ids" or len(value) <= 20)
        return f"analysis.browse({self.benchmark.value!r}{words})"

    @property
    def selection(self) -> pd.DataFrame:
        """What fits the filters, a row an output: for the next cell."""
        return self.records.answers(self.ids, list(self.runs.value), self.method.value)

    def after_label(self) -> None:
        """The next unlabelled response: to this item, or to the next one."""
        self._draw()
        at = self.list.index + 1 if self.list.index is not None else 0
        if len(self.labels.children) == 1 and at < len(self.list.options):
            self.list.index = at

    def _save(self) -> None:
        try:
            save(self.selection, Path(self.name.value))
            self.message.value = f"<p>saved {len(self.selection):,} rows</p>"
        except (DataError, OSError) as error:
            self.message.value = f"<p><strong>{escape(visible(str(error)))}</strong></p>"


def _several(name: str) -> widgets.SelectMultiple:
    return widgets.SelectMultiple(description=name, options=[], rows=4, layout=WIDE)


def _button(text: str, tooltip: str = "") -> widgets.Button:
    return widgets.Button(description=text, tooltip=tooltip or text, layout={"width": "auto"})


def from_frames(items: pd.DataFrame, outputs: pd.DataFrame, models: list[str] | None = None, **view) -> Browser:
    """A browser of frames at hand, of any benchmarks that `items` hold."""
    names = [name for name in items["benchmark"].unique() if name in outputs["benchmark"].unique()]

    def load(name: str) -> Records:
        mine = items[items["benchmark"] == name].reset_index(drop=True)
        return Records.of(mine, outputs[outputs["benchmark"] == name], models)

    return Browser(load, names, view)


def save(frame: pd.DataFrame, file: Path) -> None:
    """Write a frame as CSV (safe for spreadsheets) or Parquet, told by the name's ending; whole or not at all.

    Raises
    ------
    DataError
        For another ending.
    """
    if file.suffix not in (".csv", ".parquet"):
        raise unknown("format", file.suffix, (".csv", ".parquet"))
    with writing(file) as handle:
        if file.suffix == ".csv":
            spreadsheet(frame).to_csv(handle, mode="wb", index=False, lineterminator="\n", errors="backslashreplace")
        else:
            frame.astype({name: str for name in frame.select_dtypes("category")}).to_parquet(handle, index=False)
