"""Every page of the book as people get it: nothing stands in the way of anybody, in a window of 1024 pixels."""

import pytest

from helpers.axe import violations
from pagecost_app.book import build, lesson_page, markup
from pagecost_app.course import lessons

LIVE = [f"{name}.html" for name in build.PAGES]
PAGES = [*map(lesson_page.address, lessons.lessons()), *LIVE, "index.html", markup.GLOSSARY]
SHOWN = "() => [...document.querySelectorAll('.walk-through')].every((each) => each.dataset.drawn)"
STANDS_MS = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"

pytestmark = pytest.mark.whole


def scrolled_through(page):
    """To its end, so that what is drawn only when it comes near is there."""
    page.evaluate("document.querySelectorAll('.walk-through').forEach((each) => each.scrollIntoView())")
    page.wait_for_function(SHOWN)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_window_of_1024_and_violates_no_rule(whole_book, open_page, picture, name):
    page = open_page(color_scheme="dark", viewport={"width": 1024, "height": 900})
    page.goto((whole_book / name).as_uri())
    scrolled_through(page)
    for press in (False, True):
        if press:
            page.evaluate(
                "document.querySelectorAll('details').forEach((each) => { each.open = !each.closest('.own') })"
            )
        wide, window = page.evaluate(WIDTHS)
        assert wide <= window, "it is moved sideways"
    assert violations(page) == []
    assert (page.outside, page.problems) == ([], [])
    page.context.close()


@pytest.mark.timed
def test_every_page_stands_within_a_second(whole_book, open_page):
    page = open_page()
    took = {}
    for name in PAGES:
        page.goto((whole_book / name).as_uri())
        took[name] = page.evaluate(STANDS_MS)
    assert {name: ms for name, ms in took.items() if ms >= 1000} == {}
    page.context.close()
