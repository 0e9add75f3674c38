"""A real Chromium without a network, and what it saw: console errors, requests, dialogs."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
WAIT = 240_000  # milliseconds: a machine may be busy
INSIDE = ("file://", "data:", "blob:", "about:")


# Playwright keeps an event loop running: no test of another module may meet it
@pytest.fixture(scope="module")
def chromium():
    """The browser; skips where Playwright or Chromium is missing. ``POLYEXAM_CHROMIUM`` names
    another binary.
    """
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: make test"
    )
    binary = (
        os.environ.get("POLYEXAM_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not binary:
        pytest.skip("no Chromium here: apt-get install chromium, or name one in POLYEXAM_CHROMIUM")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=binary, args=ARGUMENTS, timeout=WAIT)
        yield browser
        browser.close()


@dataclass
class Seen:
    """What happened on a page."""

    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def watch(self, page, inside: tuple[str, ...] = INSIDE) -> None:
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "request",
            lambda request: (
                self.outside.append(request.url) if not request.url.startswith(inside) else None
            ),
        )
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))


@pytest.fixture
def page(chromium):
    """A fresh page, desktop size, with what it saw as `page.seen`."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(WAIT)
    page = context.new_page()
    page.seen = Seen()
    page.seen.watch(page)
    yield page
    context.close()


def harmless(page) -> None:
    """Nothing of the data ran, nothing was fetched, no dialog came."""
    assert page.evaluate("document.documentElement.dataset.ran") is None
    assert not page.seen.outside
    assert not page.seen.dialogs


def axe(page, within: str) -> list[str]:
    """What axe-core finds wrong in the elements of this selector: rule, element, why."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed: make test"
    ).Axe()
    found = axe.run(page, context=within, options={"resultTypes": ["violations"]}).response[
        "violations"
    ]
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary'].splitlines()[-1].strip()})"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.fixture(scope="session")
def shots(tmp_path_factory) -> Path:
    """Folder for screenshots: ``POLYEXAM_SHOTS``, else a temporary one."""
    folder = Path(os.environ.get("POLYEXAM_SHOTS") or tmp_path_factory.mktemp("shots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
