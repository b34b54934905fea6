"""What every browser test needs: a real Chromium with the network cut, and a place for pictures."""

from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from helpers.chromium import launched
from helpers.served_pages import served_pages
from pagecost_app.book import build
from pagecost_app.book.axes import Budget

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "screenshots"
LOOPBACK = ("http://127.0.0.1:", "ws://127.0.0.1:", "file:", "data:", "blob:", "about:")
PATIENCE_MS = 60_000  # until something counts as broken; a busy machine is slow


@pytest.fixture(scope="session")
def chromium():
    """Playwright's handle on the machine's Chromium. These tests are never skipped: without Chromium they fail."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(remembered_answers):
    """The app, served as `pagecost app --browser` does; a module that needs another one makes its own."""
    with served_pages() as running:
        yield running


@pytest.fixture(scope="session")
def open_page(chromium):
    """open_page(**options of a browser context) -> a page that reaches loopback only; `page.context.close()` ends it.

    `page.outside` lists every address that was asked for elsewhere (the request is aborted), `page.problems` every
    error of the page and its console.
    """

    def open_one(**options):
        context = chromium.new_context(**{"viewport": {"width": 1440, "height": 1000}, **options})
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.outside, page.problems = [], []

        def let_through(route):
            if route.request.url.startswith(LOOPBACK):
                route.continue_()
            else:
                page.outside.append(route.request.url)
                route.abort()

        def note_socket(socket):
            if not socket.url.startswith(LOOPBACK):
                page.outside.append(socket.url)

        context.route("**/*", let_through)
        page.on("websocket", note_socket)
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
        return page

    return open_one


@pytest.fixture
def page(open_page):
    """A page with the defaults of `open_page`."""
    page = open_page()
    yield page
    page.context.close()


@pytest.fixture(scope="session")
def whole_book(tmp_path_factory):
    """The folder of the book as people get it, but for charts, which take minutes: every lesson, every page that runs a
    model with all its policies, contents and glossary."""
    folder = tmp_path_factory.mktemp("whole-book")
    build.write(folder, budget=Budget(answers=0))
    return folder


@pytest.fixture(scope="session")
def picture(request):
    """picture(page or locator, name) saves screenshots/name.png with --pictures, to be looked at by people."""
    wanted = request.config.getoption("--pictures")

    def save(shown, name: str):
        if not wanted:
            return
        SCREENSHOTS.mkdir(exist_ok=True)
        shown.screenshot(path=SCREENSHOTS / f"{name}.png")

    return save
