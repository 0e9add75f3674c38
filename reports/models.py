"""A page for each model that papers print numbers of, and links to it from every table."""

import re
from collections.abc import Callable
from html import escape, unescape

from markupsafe import Markup

from analysis import papers
from analysis.papers import published

_COLUMNS = (
    "paper artifact benchmark model setting group_by group metric printed unit suspect".split()
)
_NO_MODEL = ("summary", "key", "unreadable")
_CELL = re.compile(r'(<td[^>]*>|<th scope="row">)([^<>]+)(?=</t)')


def contexts(sections: list[dict], runs: list[dict]) -> list[dict]:
    """What the template needs of every model; `sections` are `reports.paper_pages.paper`'s."""
    numbers: dict[str, list[dict]] = {}
    for section in (one for one in sections if one["name"] in papers.names()):
        rows = published.results(section["name"])[_COLUMNS]
        kinds = rows["model"].map(published.models(section["name"])["kind"])
        for row in rows[~kinds.isin(_NO_MODEL)].to_dict("records"):
            numbers.setdefault(row["model"], []).append(row | {"section": section})
    return [
        {
            "name": name,
            "page": f"model-{re.sub(r'[^A-Za-z0-9.]+', '-', name)}.html",
            "sections": list({row["paper"]: row["section"] for row in rows}.values()),
            "averages": [row for row in rows if row["group_by"] == "average"],
            "others": [row for row in rows if row["group_by"] != "average"],
            "runs": [run for run in runs if run["name"] == name],
        }
        for name, rows in sorted(numbers.items())
    ]


def linked(models: list[dict]) -> Callable[[str], Markup]:
    """A filter of templates: a cell of a table that is a model's name leads to its page."""
    page_of = {model["name"]: model["page"] for model in models}

    def link(cell: re.Match) -> str:
        tag, name = cell.groups()
        page = page_of.get(unescape(name))
        return f'{tag}<a href="{escape(page)}">{name}</a>' if page else cell[0]

    return lambda html: Markup(_CELL.sub(link, html))
