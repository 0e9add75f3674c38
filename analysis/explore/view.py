"""One item as HTML: question, options, key, and what each run wrote, with the part
marked that was taken as its choice.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from analysis import schemas
from analysis.explore.records import Records
from analysis.explore.safe_text import direction, to_html
from analysis.explore.spans import found
from analysis.text import visible

# colours are never alone
_SIGNS = {"correct": "✓", "wrong": "✗", "unanswered": "–", "no key": "?", "not read": "·"}
MOST = 20  # responses to an item; more by choosing runs
_OPEN = 3  # responses that are open at once; the others open by a click
_STYLE = """<style>
.px-beside { display: flex; flex-wrap: wrap; gap: 1rem; }
.px-beside > .px-item { flex: 1 1 16rem; min-width: 0; }
.px-item {
  line-height: 1.5; max-width: 60rem; overflow-wrap: anywhere;
  font-family: system-ui, "Noto Sans", "Noto Serif Tibetan", "Noto Sans Arabic", sans-serif;
}
.px-item .out bdi, .px-item div > bdi, .px-item li > bdi {
  display: block; unicode-bidi: isolate;
}
.px-item ol { list-style: none; padding: 0; margin: .5rem 0; }
.px-item ol.options > li { display: flex; gap: .5rem; padding: .1rem .4rem; }
.px-item li.key { outline: 1px solid currentColor; border-radius: .2rem; }
.px-item details { border-top: 1px solid #8888; padding: .3rem 0; }
.px-item .out {
  max-height: 24rem; overflow: auto; padding: .3rem .6rem; border-inline-start: 3px solid #8888;
}
.px-item mark { background: #ffd54a; color: #000; padding: 0 .15em; border-radius: .15em; }
.px-item mark.hit { background: #b3e5fc; }
.px-item .missing, .px-item small { opacity: .8; }
</style>"""


def _question_html(item: pd.Series, search: re.Pattern | None) -> str:
    """Question, options and key."""
    way = direction(item["question"])
    options = []
    labels = schemas.labels(len(item["options"]))
    for label, option in zip(labels, item["options"], strict=True):
        text = _text(str(option), search)
        css, note = (" class=key", " <small>key</small>") if label == item["answer"] else ("", "")
        options.append(f"<li{css}><b>{label}</b> {text}{note}</li>")
    parts = item[["item_id", "subject", "category"]].dropna()
    place = " · ".join(map(escape, parts))
    return (
        f'<small>{place}</small><div dir="{way}" lang="{escape(str(item["language"]))}">'
        f"{_text(item['question'], search)}"
        f"<ol class=options>{''.join(options)}</ol></div>"
    )


def item_html(
    records: Records,
    item_id: str,
    runs: Sequence[str] = (),
    method: str = "",
    search: re.Pattern | None = None,
) -> str:
    """One item with the outputs of `runs` (of all that answered it).

    Parameters
    ----------
    records : Records
    item_id : str
    runs : sequence of str, optional
    method : str, optional
        Whose choices are counted and whose span is marked; the first method if left out.
    search : re.Pattern, optional
        What to mark as a hit.

    Raises
    ------
    DataError
        For an item that does not exist.
    """
    rows = records.rows_of(item_id, runs)
    item = records.items.loc[item_id]
    parts = [_question_html(item, search)]
    if not len(rows):
        parts.append("<p><em>no outputs to this item</em></p>")
    frame = records.frame(rows[:MOST])
    methods = [method, *records.methods]
    parts_read = found(frame["response"], item["options"], methods, frame["model"])
    outputs = zip(rows, frame.to_dict("records"), parts_read, strict=False)
    for number, (row, output, part) in enumerate(outputs):
        choices = {name: records.choices(name).iloc[row] for name in records.methods}
        head = f"<b>{to_html(output['run'], longest=200)}</b> <small>{_verdicts(choices)}</small>"
        body = _response(output, choices, *part, search)
        is_open = " open" * (number < _OPEN)
        parts.append(f"<details{is_open}><summary>{head}</summary>{body}</details>")
    if len(rows) > MOST:
        parts.append(f"<p><em>{len(rows) - MOST} more: choose runs</em></p>")
    return f'{_STYLE}<div class="px-item">{"".join(parts)}</div>'


def call_html(name: str, words: Sequence, options: Mapping, note: str = "") -> str:
    """The call that opens a view, or an item, again."""
    parts = [*map(repr, words), *(f"{key}={value!r}" for key, value in options.items() if value)]
    call = escape(visible(f"{name}({', '.join(parts)})"))
    return f"<p>To open it{note}: <code>{call}</code></p>"


def _verdicts(choices: dict[str, pd.Series]) -> str:
    """What each method took from a response."""
    verdicts = []
    for method, one in choices.items():
        state = one["state"]
        if state == "not read":
            continue
        choice = "–" if pd.isna(one["choice"]) else escape(one["choice"])
        why = f" ({escape(one['why'])})" if state == "unanswered" else ""
        verdicts.append(f"{escape(method)}: <b>{choice}</b> {_SIGNS[state]} {state}{why}")
    return " · ".join(verdicts)


def _response(
    output: dict,
    choices: dict[str, pd.Series],
    text: str | None,
    spans: Sequence[tuple[int, int]],
    search: re.Pattern | None,
) -> str:
    """The text of one response, its choice marked."""
    if isinstance(output.get("error"), str):
        return f"<p><b>request failed:</b> {to_html(output['error'], longest=500)}</p>"
    response = output["response"]
    if not isinstance(response, str) and any(pd.notna(one["choice"]) for one in choices.values()):
        return '<p class="missing">a choice without words</p>'
    body = f'<div class="out">{_text(text, search, spans)}</div>'
    if text != response:
        body += (
            "<details><summary>with its reasoning</summary>"
            f"<div class=out>{_text(response, search)}</div></details>"
        )
    return body


def _text(text: str | None, search: re.Pattern | None, spans=()) -> str:
    hits = [match.span() for match in search.finditer(text or "")] if search else []
    return to_html(text, spans, hits=hits)
