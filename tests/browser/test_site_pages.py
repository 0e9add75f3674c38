"""Every page of the site in a real browser: no script but ours, nothing is fetched, links lead
somewhere, pictures have words.
"""

import os
import re
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

from analysis import paths
from analysis.explore.safe_text import visible
from reports.audit_file import audit
from reports.html import to_html
from tests import hostile
from tests import site as sample
from tests.audit.seeded import BAD
from tests.browser.conftest import Seen, axe, harmless

pytestmark = pytest.mark.slow

HEAVIEST = 3_000_000  # bytes of a page with its pictures
LARGE = 300_000  # bytes of a page from which axe-core takes many seconds
VIEWS = [(1440, "light"), (360, "dark"), (1440, "dark"), (360, "light")]

FACTS = """() => ({
  h1: document.querySelectorAll('h1').length,
  levels: [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => +h.tagName[1]),
  images: [...document.images].map(
    i => [i.getAttribute('src').slice(0, 80), i.alt, i.naturalWidth]),
  links: [...document.querySelectorAll('a[href]')].map(a => a.href),
  names: [...document.querySelectorAll('a[href], summary, button, input')]
    .filter(e => !(e.textContent.trim() || e.title || e.ariaLabel || e.labels?.length))
    .map(e => e.outerHTML.slice(0, 80)),
  regions: [...document.querySelectorAll('.scroll')]
    .filter(e => e.tabIndex !== 0 || !e.ariaLabel).length,
  headless: [...document.querySelectorAll('table')].filter(t => !t.querySelector('th')).length,
  ids: [...document.querySelectorAll('[id]')].map(e => e.id),
  scripts: document.scripts.length, ran: document.documentElement.dataset.ran || '',
  lang: document.documentElement.lang,
})"""


@pytest.fixture(scope="module")
def folder(chromium, tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield sample.build(tmp_path_factory.mktemp("site"), monkeypatch).parent


def _pages(folder):
    """Every page, but of those that say that something was not made, and of models, one alone."""
    files = sorted(folder.glob("*.html"))
    texts = {file: file.read_text("utf-8") for file in files}
    empty = [file for file in files if "not made: run" in texts[file]]
    unmade = [file for file in files if "was not made here: run" in texts[file]]
    models = [file for file in files if file.name.startswith("model-")]
    left_out = {*empty[1:], *(set(unmade[1:]) & set(folder.glob("finding-*"))), *models[1:]}
    return [file for file in files if file not in left_out]


def _open(page, file):
    page.goto(file.as_uri())
    page.evaluate(
        "for (const i of document.images) i.loading = 'eager'; "
        "Promise.allSettled([...document.images].map(i => i.decode()))"
    )
    return page.evaluate(FACTS)


def visit(page, folder, name: str, query: str = "") -> None:
    page.goto((folder / f"{name}.html").as_uri() + query)


def inert(facts: dict, file, scripts: bool) -> None:
    """A page runs nothing of its data, has one heading and words for its pictures."""
    shown = [facts[name] for name in ("scripts", "ran", "lang", "h1")]
    assert shown == [scripts, "", "en", 1], file.name
    for source, words, width in facts["images"]:
        assert words.strip(), f"{file.name}: {source}"
        assert width > 0, f"{file.name}: {source}"


def check(page, folder) -> int:
    """All that must hold on every page of a site; the weight of the heaviest."""
    heaviest, anchors, links = 0, {}, {}
    for file in _pages(folder):
        facts = _open(page, file)
        inert(facts, file, scripts=not file.name.startswith("run-"))
        assert all(b - a <= 1 for a, b in pairwise(facts["levels"])), file.name
        assert [facts[name] for name in ("names", "regions", "headless")] == [[], 0, 0], file.name
        assert len(set(facts["ids"])) == len(facts["ids"]), file.name
        sources = {
            (file.parent / unquote(i[0])).resolve()
            for i in facts["images"]
            if not i[0].startswith("data:")
        }
        heaviest = max(
            heaviest, file.stat().st_size + sum(source.stat().st_size for source in sources)
        )
        anchors[file.resolve()], links[file] = set(facts["ids"]), facts["links"]
    for file, targets in links.items():
        for target in targets:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https"):
                continue
            assert parts.scheme == "file", f"{file.name}: {target}"
            there = type(file)(unquote(parts.path))
            assert there.exists(), f"{file.name} -> {there}"
            assert not parts.fragment or unquote(parts.fragment) in anchors.get(
                there.resolve(), {unquote(parts.fragment)}
            ), f"{file.name} -> {target}"
    assert page.seen == Seen()
    return heaviest


def accessible(page, files, every: int = 1) -> None:
    """No page has a finding of axe-core, or is wider than its window: every `every`-th page at both
    widths, in light and dark by turns.

    ``POLYEXAM_AXE=all`` looks at every page in every view, which takes half an hour for the site
    that was made.
    """
    whole = os.environ.get("POLYEXAM_AXE") == "all"
    for place, file in enumerate(files):
        turn = VIEWS[place % 2 * 2 :][: 1 if file.stat().st_size > LARGE else 2]
        views = VIEWS if whole else turn if place % every == 0 else []
        for width, scheme in views:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.goto(file.as_uri())
            found = axe(page, "html")
            assert not found, (file.name, width, scheme, found)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (
                file.name,
                width,
            )


def check_reports(page, folder) -> None:
    """What must hold on the pages of the executed notebooks beside the site."""
    files = sorted(folder.parent.glob("*/*.html"))
    files = [file for file in files if file.parent != folder]
    assert files
    for file in files:
        facts = _open(page, file)
        inert(facts, file, scripts=False)
        assert file.stat().st_size < HEAVIEST, file
    assert page.seen == Seen()


def test_every_page(page, folder):
    assert check(page, folder) < HEAVIEST
    check_reports(page, folder)


def test_every_page_is_accessible_at_both_widths_in_light_and_dark(page, folder):
    accessible(page, _pages(folder))


def test_hostile_cell_outputs_do_nothing_in_a_report(page, tmp_path):
    """HTML, SVG, JavaScript and Markdown that a cell shows, and a printed response."""
    evil = hostile.OUTPUTS
    shown = [
        {"text/html": "".join(evil[name] for name in "script event svg frame link meta".split())},
        {
            "image/svg+xml": "<svg "
            f"xmlns='http://www.w3.org/2000/svg'><script>{hostile.RAN}</script></svg>"
        },
        {"application/javascript": hostile.RAN},
        {"text/markdown": evil["markdown"] + evil["event"]},
    ]
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
    outputs.append(nbformat.v4.new_output("stream", text=evil["terminal"] + evil["script"]))
    cells = [
        nbformat.v4.new_markdown_cell("# Hostile"),
        nbformat.v4.new_code_cell("show()", outputs=outputs),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "hostile.ipynb")
    to_html(tmp_path / "hostile.ipynb", tmp_path / "hostile.html", title=evil["script"])
    facts = _open(page, tmp_path / "hostile.html")
    page.wait_for_timeout(300)
    assert facts["scripts"] == 0
    assert not [link for link in facts["links"] if link.startswith("javascript")]
    harmless(page)
    assert "Hostile" in page.locator("main").inner_text()


def test_the_site_that_was_made(page):
    folder = paths.ROOT / "reports" / "site"
    if not (folder / "index.html").is_file():
        pytest.skip("reports/site is not made here: make reports")
    assert check(page, folder) < HEAVIEST
    check_reports(page, folder)
    accessible(page, _pages(folder), every=15)


def test_an_audit_is_accessible_on_a_phone_and_in_the_dark(page, tmp_path):
    (tmp_path / "t.md").write_text(BAD)
    audit([tmp_path / "t.md"], html=tmp_path / "t.html", fail_on="never")
    accessible(page, [tmp_path / "t.html"])
    assert page.locator("td.error").count() == 1
    assert page.seen == Seen()


def test_tables_can_be_scrolled_by_keyboard(page, folder):
    page.set_viewport_size({"width": 360, "height": 740})
    visit(page, folder, "tlue-table_13")
    wide = page.locator("figure .scroll")
    wide.press("ArrowRight")
    # No wait_for_function: from its second look on, the page's own rules forbid its eval.
    assert any(
        wide.evaluate("node => node.scrollLeft") or page.wait_for_timeout(50) for _ in range(1000)
    )


def test_hostile_responses_do_nothing_and_are_read(page, folder):
    (file,) = folder.glob("run-*.html")
    facts = _open(page, file)
    for element in page.locator(".output").all():
        element.hover(position={"x": 20, "y": 30})
    assert facts["scripts"] == 0
    assert (
        page.locator(".output img, .output svg, .output iframe, .output a, .output form").count()
        == 0
    )
    shown = page.locator("main").inner_text()
    for name in ("script", "event", "svg", "frame", "markdown", "bidi", "terminal", "surrogate"):
        told = (
            re.sub(r"\s+", " ", visible(hostile.OUTPUTS[name]))
            .encode("utf-8", "replace")
            .decode("utf-8")
        )
        assert told in re.sub(r"\s+", " ", shown), name
    assert page.url == file.as_uri()
    harmless(page)


def test_the_policy_holds_where_escaping_would_not(page, folder):
    """A script, a handler and a picture from elsewhere, written into the page behind the template's
    back.
    """
    visit(page, folder, "index")
    page.evaluate(
        "html => document.querySelector('main').insertAdjacentHTML('beforeend', html)",
        hostile.OUTPUTS["event"] + hostile.OUTPUTS["load"],
    )
    page.evaluate(
        f"() => {{ const s = document.createElement('script'); s.textContent = "
        f"`{hostile.RAN}`; document.body.append(s) }}"
    )
    assert any(
        "Content Security Policy" in "".join(page.seen.errors) or page.wait_for_timeout(50)
        for _ in range(1000)
    )
    assert page.evaluate("document.documentElement.dataset.ran") is None
    blocked = [url for url in page.seen.outside if "example.invalid" in url]
    assert not blocked or page.evaluate(
        "[...document.images].filter(i => i.src.startsWith('https:')).every(i => "
        "i.naturalWidth === 0)"
    )


def test_print_has_every_section_and_nothing_that_is_clicked(chromium, folder, shots):
    page = chromium.new_page()
    page.emulate_media(media="print")
    for name in ("tlue", "claims", "tlue-table_13", "index"):
        visit(page, folder, name)
        assert (
            page.locator(
                "body > nav:visible, .contents:visible, .filters:visible, .zoom:visible, "
                ".screen:visible, .claim details:visible"
            ).count()
            == 0
        )
        assert page.evaluate(
            "[...document.querySelectorAll('details.group > :not(summary), details.plain "
            "> :not(summary)')].every(e => e.checkVisibility())"
        )
        pdf = page.pdf(path=str(shots / f"{name}.pdf"), prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) < {"claims": 60}.get(name, 20)
    page.close()


def test_claims_are_filtered_and_searched_and_the_address_keeps_it(page, folder):
    visit(page, folder, "claims", "?verdict=contradicted&paper=tlue")
    shown = page.locator("article.claim:visible")
    assert shown.count() == page.locator("article.contradicted.of-tlue").count() > 5
    page.locator(".filters input[type=search]").fill("Qwen2.5-72B")
    assert 0 < shown.count() < page.locator("article.contradicted.of-tlue").count()
    page.locator("#p-all").check()
    address = page.evaluate("location.search")
    assert "q=Qwen2.5-72B" in address
    assert "paper" not in address
    assert "verdict=contradicted" in address
    page.reload()
    assert page.locator(".filters input[type=search]").input_value() == "Qwen2.5-72B"
    assert page.locator("#v-contradicted").is_checked()
    assert page.seen == Seen()


def test_every_page_searches_and_its_menu_is_one_line_on_a_phone(page, folder):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, folder, "tlue")
    places = "[...document.querySelectorAll('.menu li')].map(e => e.getBoundingClientRect().top)"
    assert len(set(page.evaluate(places))) == 1
    page.locator("nav input[type=search]").fill("fifty options")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=fifty+options")
    shown = page.locator("[data-entry]:visible").all_inner_texts()
    assert any(entry.startswith("Fifty answer options") for entry in shown)
    visit(page, folder, "search", "?q=GPT-4o-mini")
    assert page.locator('[data-entry]:visible a[href="model-GPT-4o-mini.html"]').count() == 1
    assert page.seen == Seen()


def test_without_the_script_everything_is_there_and_filters_work(chromium, folder):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    visit(page, folder, "claims")
    assert not page.locator(".filters input[type=search]").is_visible()
    page.locator("#v-contradicted").check()
    assert (
        page.locator("article.claim:visible").count()
        == page.locator("article.contradicted").count()
    )
    context.close()


def test_tables_sort(page, folder):
    visit(page, folder, "tlue-audit_averages")
    heads = page.locator("table.sortable").first.locator("thead th")
    starts = heads.evaluate_all("all => all.map(e => e.outerHTML.split('>')[0])")
    place = next(i for i, start in enumerate(starts) if "class" not in start)
    heads.nth(place).locator("button").click()
    body = page.locator("table.sortable").first.locator("tbody tr")
    cells = body.locator(f"td:nth-child({place + 1})").all_inner_texts()
    texts = [cell.replace(",", "").replace("−", "-") for cell in cells if cell not in ("", "–")]
    values = [float(text) for text in texts]
    assert values == sorted(values, reverse=True)
    assert heads.nth(place).get_attribute("aria-sort") == "descending"
