"""What is wide on a narrow screen: it scrolls in itself, keeps whole words and letters that can be read."""

import pytest

from pagecost_app.book import shell
from pagecost_app.pictures.energy import Cut, dollar_drawing
from pagecost_app.workspace import side_by_side
from pagecost_app.workspace.comparison import Line

NARROW = {"width": 390, "height": 800}
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture
def narrow(open_page):
    page = open_page(viewport=NARROW)
    yield page
    page.context.close()


def test_a_table_of_answers_keeps_its_words_and_shows_its_caption_whole(narrow):
    cells = tuple(f"answer {number} of a question" for number in range(8))
    table = side_by_side._table("What was asked: three inputs differ", "", [Line("Main-memory buffer", cells)])
    narrow.set_content(f"<style>{side_by_side.SHEET}</style>{table}")
    assert narrow.evaluate(WIDTH) <= 390
    wide = narrow.locator("tbody th").evaluate("cell => cell.scrollWidth <= cell.clientWidth && cell.clientWidth")
    word = narrow.locator("tbody th").evaluate(
        """cell => { const text = cell.firstChild, range = document.createRange(), at = text.data.indexOf("-") + 1
        range.setStart(text, at); range.setEnd(text, at + "memory".length); return range.getClientRects().length }"""
    )
    assert wide >= 90
    assert word == 1  # on one line
    assert narrow.locator("caption").evaluate("caption => caption.getBoundingClientRect().right") <= 390


def test_a_dollar_has_letters_that_can_be_read_and_the_page_stays_as_wide_as_it_is(narrow):
    cut = Cut("1 \u00d7 a drive", {"purchase": 30.0, "energy": 70.0}, "100 USD in 5 years")
    drawing = dollar_drawing([cut], ["purchase", "energy"])
    narrow.set_content(f'<style>{shell.read("book.css")}</style><main class="lesson"><figure>{drawing}</figure></main>')
    assert narrow.evaluate(WIDTH) <= 390
    letters = narrow.locator("svg text").first.evaluate("text => 12 * text.getScreenCTM().a")
    assert letters >= 10
    narrow.locator(".pagecost-energy").focus()


def test_a_chart_that_is_wider_than_the_page_scrolls_in_itself(narrow):
    chart = '<section class="exploration"><div class="chart"><p style="width:500px">wide</p></div></section>'
    narrow.set_content(f'<style>{shell.read("book.css")}</style><main class="lesson">{chart}</main>')
    assert narrow.evaluate(WIDTH) <= 390
