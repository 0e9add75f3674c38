"""The item browser: ipywidgets around `Records`, a page of items at a time."""

from collections.abc import Callable

import ipywidgets as widgets
import pandas as pd

from analysis.explore.records import SHOW, Records
from analysis.explore.text import visible
from analysis.explore.view import item_html

PAGE = 200  # items in the list at once; the browser never receives more
ANY = "any"


class Browser(widgets.VBox):
    """Filters above, the list of items that fit on the left, the chosen item with all outputs on the right.

    Parameters
    ----------
    load : callable
        Benchmark name -> `Records`; called when a benchmark is chosen.
    benchmarks : list of str
        Names to choose from; the first one is shown.

    Attributes
    ----------
    records : Records
    ids : Index
        The items that fit the filters.
    """

    def __init__(self, load: Callable[[str], Records], benchmarks: list[str]) -> None:
        self._load, self._page, self._quiet = load, 0, False
        self.benchmark = _choice("benchmark", benchmarks)
        self.subject, self.model = _choice("subject"), _choice("model")
        self.method, self.show = _choice("method"), _choice("show", SHOW)
        self.text = widgets.Text(description="contains", placeholder="in question or response", continuous_update=False)
        self.list = widgets.Select(options=[], rows=22, layout={"width": "17rem"})
        self.back, self.forth = (widgets.Button(description=d, layout={"width": "auto"}) for d in ("◀ previous", "next ▶"))
        self.count, self.view = widgets.HTML(), widgets.HTML(layout={"flex": "1 1 20rem", "min_width": "0"})
        self._filters = (self.subject, self.model, self.method, self.show, self.text)
        for box in self._filters:
            box.observe(lambda _: self._refresh(), "value")
        self.benchmark.observe(lambda _: self._open(), "value")
        self.list.observe(lambda _: self._draw(), "value")
        self.back.on_click(lambda _: self._turn(-1))
        self.forth.on_click(lambda _: self._turn(1))
        rows = {"display": "flex", "flex_flow": "row wrap"}
        left = widgets.VBox([self.count, self.list, widgets.HBox([self.back, self.forth])])
        super().__init__(
            [widgets.Box([self.benchmark, *self._filters], layout=rows), widgets.Box([left, self.view], layout=rows)]
        )
        self.add_class("polyexam-browser")
        self._open()

    def _open(self) -> None:
        """Another benchmark: its records, and filters that fit it."""
        self.records = self._load(self.benchmark.value)
        self._quiet = True
        self.subject.options = [ANY, *sorted(self.records.items["subject"].unique())]
        self.model.options = [ANY, *self.records.models]
        self.method.options = [ANY, *self.records.methods]
        self.subject.value = self.model.value = self.method.value = ANY
        self.show.value, self.text.value, self._quiet = "all", "", False
        self._refresh()

    def _refresh(self) -> None:
        if self._quiet:
            return
        chosen = {name: getattr(self, name).value for name in ("subject", "model", "method")}
        chosen = {name: "" if value == ANY else value for name, value in chosen.items()}
        self.ids = self.records.select(**chosen, show=self.show.value, text=self.text.value)
        self._page = 0
        self._list()

    def _turn(self, step: int) -> None:
        self._page += step
        self._list()

    def _list(self) -> None:
        """Send one page of the list."""
        start = self._page * PAGE
        shown = self.ids[start : start + PAGE]
        self.back.disabled, self.forth.disabled = start == 0, start + PAGE >= len(self.ids)
        place = f", {start + 1:,} to {start + len(shown):,}" if len(shown) else ""
        strange = f"<br>{self.records.strange:,} outputs to unknown items" if self.records.strange else ""
        self.count.value = f"<b>{len(self.ids):,}</b> of {len(self.records.items):,} items{place}{strange}"
        self._quiet = True
        self.list.options = [(visible(str(item_id)), item_id) for item_id in shown]
        self.list.value = shown[0] if len(shown) else None
        self._quiet = False
        self._draw()

    def _draw(self) -> None:
        if self._quiet:
            return
        if self.list.value is None:
            self.view.value = "<p><em>no item fits these filters</em></p>"
            return
        method = "" if self.method.value == ANY else self.method.value
        models = None if self.model.value == ANY else [self.model.value]
        self.view.value = item_html(self.records, self.list.value, models, method)


def _choice(name: str, options=()) -> widgets.Dropdown:
    return widgets.Dropdown(description=name, options=list(options), layout={"width": "18rem"})


def from_frames(items: pd.DataFrame, outputs: pd.DataFrame, models: list[str] | None = None) -> Browser:
    """A browser of frames at hand, of any benchmarks that `items` hold."""
    names = [name for name in items["benchmark"].unique() if name in set(outputs["benchmark"])]

    def load(name: str) -> Records:
        mine = items[items["benchmark"] == name].reset_index(drop=True)
        return Records.of(mine, outputs[outputs["benchmark"] == name], models)

    return Browser(load, names)
