"""The item browser: ipywidgets around `Records`."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import anywidget
import ipywidgets as widgets
import numpy as np
import pandas as pd
import traitlets
from itables.widget import ITable

from analysis import paths, schemas, typeset
from analysis.answers import labelled
from analysis.errors import DataError, refuse_unknown
from analysis.explore import marks
from analysis.explore.records import GROUPS, SHOW, Records
from analysis.explore.view import call_html, item_html
from analysis.text import visible

_MOST = 20_000  # items in the grid; more take filters
_GRID = {
    # of texts only, which itables asks for: empty ones are false in JavaScript
    "select": {"style": "single", "toggleable": "", "keys": "yes", "info": ""},
    "layout": {name: None for name in ("topStart", "topEnd", "bottomStart", "bottomEnd")},
    # rows are drawn as they come into view
    "scroller": True,
    "scrollY": "26rem",
    "scrollX": True,
    "scrollCollapse": True,
    "paging": True,
    "maxBytes": 0,
    "showIndex": False,
    "classes": "display compact nowrap",
    # rows of one height in every script: the grid counts on it
    "style": "line-height: 1.6rem; width: 100%; margin: 0",
}
_LISTED = 20  # items where no widget can be shown
_BESIDE = 6  # named items that are shown next to each other: a question in several languages
_MANY = 50  # ids that the call of a view writes out
_WIDE = {"flex": "1 1 16rem", "max_width": "22rem"}
_ROWS = {"display": "flex", "flex_flow": "row wrap", "grid_gap": ".3rem"}
_SIDE = {"flex": "1 1 26rem", "min_width": "0"}


class _Keys(anywidget.AnyWidget):
    """Keeps the keys of the grid from JupyterLab."""

    _esm = Path(__file__).with_name("keys.js")


class Browser(widgets.VBox):
    """Filters above, the list of items that fit on the left, the chosen item with its responses on
    the right.

    Parameters
    ----------
    records : Records
    file : Path, optional
        Where marks are kept; `labels.csv` in the folder of the outputs by default.
    **view
        What to show first, as `look` takes it.

    Attributes
    ----------
    ids : Index
        The items that fit the filters, in their order.
    selection : DataFrame
        The outputs that fit.
    items : DataFrame
        Their items.
    item_id : str
        The item that is open.
    item : VBox
        The chosen item with its responses, and the buttons that mark them.
    marks : int
        How many marks were made here.
    """

    marks = traitlets.Int(0)

    def __init__(self, records: Records, file: Path | None = None, **view) -> None:
        self.records = records
        self.file = file or paths.outputs() / labelled.FILE
        self._marked = file is not None
        self._overview = None, None
        self.ids = pd.Index([])
        self._boxes = _filters(records)
        self._first = {name: box.value for name, box in self._boxes.items()}
        for name, box in self._boxes.items():
            setattr(self, name, box)
            box.observe(lambda _: self._refresh(), "value")
        self.grid = widgets.VBox()
        self.who = widgets.Dropdown(description="mark", layout={"width": "16rem"})
        self.labels = widgets.Box(layout=_ROWS)
        self.count, self.code = widgets.HTML(), widgets.HTML()
        self.view = widgets.HTML(layout={"min_width": "0"})
        left = widgets.VBox([self.count, self.grid], layout=_SIDE)
        bar = widgets.Box([self.who, self.labels], layout=_ROWS)
        self.item = widgets.VBox([bar, self.view, self.code], layout=_SIDE)
        rows = self._boxes.values(), [left, self.item]
        super().__init__([widgets.Box([*row], layout=_ROWS) for row in rows])
        self.add_class("polyexam-browser")
        self.look(**view)

    def look(self, item: str | None = None, ids: Sequence[str] | None = None, **filters) -> None:
        """Show the items of a view: what it does not name goes back to how it was at first.

        Parameters
        ----------
        item : str, optional
            The item to open.
        ids : sequence of str, optional
            Only these items; up to six are shown next to each other.
        **filters
            As in `Records.select`.

        Raises
        ------
        DataError
            For a filter or value that does not exist, with the nearest one.
        """
        refuse_unknown("filter", self._boxes, *filters)
        ids = None if ids is None else list(ids)
        refuse_unknown("item", self.records.items.index, *(ids or ()))
        if "runs" in filters:
            filters["runs"] = self.records.named(_several(filters["runs"]))
        values = {name: self._value(name, one) for name, one in (self._first | filters).items()}
        self._quiet, self._ids = True, ids  # of the call
        for name, value in values.items():
            self._boxes[name].value = value
        self._quiet = False
        self._refresh()
        if item is not None:
            self.show_item(item)

    def _value(self, name: str, value: object) -> object:
        """What a filter is set to, if it can be."""
        options = getattr(self._boxes[name], "options", None)
        if options is None:
            return value
        refuse_unknown(name, options, *_several(value))
        return tuple(_several(value)) if self._first[name] == () else value

    def show_item(self, item: str) -> None:
        """Show an item of those that fit."""
        refuse_unknown("item", self.ids, item)
        self.grid.children[0].selected_rows = [self.ids.get_loc(item)]

    def chosen(self) -> dict:
        """The filters that are set, as `Records.select` takes them."""
        return {name: box.value for name, box in self._boxes.items()} | {"ids": self._ids}

    @property
    def selection(self) -> pd.DataFrame:
        rows = np.flatnonzero(self.records.fitting(**self.chosen()))
        return self.records.frame(rows, self.method.value).reset_index(drop=True)

    @property
    def items(self) -> pd.DataFrame:
        return self.records.items.loc[self.ids].reset_index(drop=True)

    def _repr_mimebundle_(self, **options) -> dict:
        """The widget; where none can be shown, the first items and the open one as they are."""
        bundle = super()._repr_mimebundle_(**options)
        frame = self.grid.children[0].df.head(_LISTED).set_index("item")
        parts = [self.count.value, typeset.html(frame), self.view.value, self.code.value]
        return bundle | {"text/html": "".join(parts), "text/plain": frame.to_string()}

    def _refresh(self) -> None:
        """Apply the filters."""
        if self._quiet:
            return
        before = self.ids
        try:
            self.ids = self.records.select(**self.chosen())
        except DataError as error:
            self.count.value = f"<p role=alert>{escape(visible(str(error)))}</p>"
            return
        self.count.value = f"<b>{len(self.ids):,}</b> of {len(self.records.items):,} items"
        if len(self.ids) > _MOST:
            self.count.value += f", the first {_MOST:,} listed"
        about = self.runs.value, self.method.value, self.marks
        if about != self._overview[0]:
            self._overview = about, self.records.overview(*about[:2])
        elif self.ids.equals(before):
            self._item()
            return
        # empty cells instead of NaN
        frame = self._overview[1].loc[self.ids[:_MOST]].astype(object).fillna("")
        before = self.grid.children
        # a new one: the widget does not report selections after an update of its rows
        grid = ITable(frame, selected_rows=[0] if len(frame) else [], **_GRID)
        grid.observe(lambda _: self._item(), "selected_rows")
        self.grid.children = [grid, _Keys()]
        for old in before:
            old.close()
        self._item()

    def _item(self) -> None:
        """Show the item that is selected in the grid, with its responses."""
        if not len(self.ids):
            self.view.value, self.code.value, self.labels.children = "<p>no item fits</p>", "", ()
            return
        for row in self.grid.children[0].selected_rows:
            self.item_id = self.ids[row]
        runs, method = self.runs.value, self.method.value
        text = "" if self.regex.value else self.text.value
        search = re.compile(re.escape(text), re.IGNORECASE) if text else None
        few = [self.item_id]
        if self._ids and len(self._ids) <= _BESIDE:
            few = sorted(self._ids, key=self.item_id.__ne__)  # the open one first
        parts = (item_html(self.records, one, runs, method, search) for one in few)
        self.view.value = f'<div class="px-beside">{"".join(parts)}</div>'
        self.code.value = self._call()
        rows = self.records.rows_of(self.item_id, runs)
        # first a response that methods read differently
        rows = rows[np.argsort(~self.records.disagree(method, rows), kind="stable")]
        self.who.options = [*self.records.run[rows], marks.KEY]
        self.who.index = 0
        labels = schemas.labels(len(self.records.items.loc[self.item_id, "options"]))
        labels = [*labels, labelled.NONE]
        if labels != [button.description for button in self.labels.children]:  # the focus stays
            self.labels.children = [self._button(label) for label in labels]

    def _call(self) -> str:
        """The call that opens the item in the present view; many ids are left out."""
        labels = self._marked and str(self.file)
        view = self.chosen() | {"item": self.item_id, "labels": labels}
        changed = {name: one for name, one in view.items() if one != self._first.get(name)}
        note = ""
        if len(self._ids or ()) > _MANY:
            note = f" among all items, not only these {len(changed.pop('ids')):,}"
        return call_html("px.browse", [self.records.benchmark], changed, note)

    def _button(self, label: str) -> widgets.Button:
        says = f"it answers {label} (-: none of these, or it refuses)"
        button = widgets.Button(description=label, tooltip=says, layout={"width": "auto"})
        button.on_click(lambda _: self.mark(self.who.value, self.item_id, label))
        return button

    def mark(self, run: str, item: str, label: str) -> None:
        """Keep what a response answers, or with `marks.KEY` as the run an item's key; answers are
        taken as all marks say from now on.
        """
        labelled.add(self.records.benchmark, run, item, label, self.file)
        self.records.mark(self.file)
        self._marked = True
        place = max(self.ids.get_indexer([item])[0], 0)
        self.marks += 1
        self._refresh()
        if len(self.ids):  # the same item, or the next where it fits no more
            self.show_item(item if item in self.ids else self.ids[min(place, len(self.ids) - 1)])


def _filters(records: Records) -> dict[str, widgets.Widget]:
    """The filters by the names that `Records.select` gives them."""
    boxes = {}
    several = {name: records.groups(name) for name in GROUPS} | {"runs": records.runs}
    for name, options in several.items():
        layout = _WIDE | ({"display": "none"} if len(options) < 2 else {})
        boxes[name] = widgets.SelectMultiple(
            description=name, options=options, rows=4, layout=layout
        )
    for name, options in {"method": records.methods, "show": SHOW}.items():
        boxes[name] = widgets.Dropdown(description=name, options=options, layout=_WIDE)
    boxes["text"] = widgets.Text(
        description="contains",
        placeholder="in question or response",
        continuous_update=False,
        layout=_WIDE,
    )
    boxes["regex"] = widgets.Checkbox(description="regular expression", indent=False)
    return boxes


def _several(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
