"""What is wide on a narrow screen: it scrolls in itself, keeps whole words and letters that can be read."""

import numpy as np
import pytest

from pagecost.studies import Column, Result
from pagecost_app import answer_report, report_look
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


def test_a_wide_table_of_a_report_scrolls_beside_its_first_column_and_is_whole_on_paper(narrow):
    names = {"system": Column(np.array(["a disk with a long name", "an SSD"]), "text", "system")}
    numbers = {f"n{i}": Column(np.array([1.0, 2.0]), "s", f"time of the step number {i}") for i in range(24)}
    table = answer_report._folded("main", Result.of(names | numbers).tables["main"])
    narrow.set_content(report_look.page("wide", table, sheet=answer_report.SHEET, script=""))
    region = narrow.get_by_role("region", name="The table")
    assert "The table: 2 rows" in narrow.locator("summary").inner_text()
    assert narrow.evaluate(WIDTH) <= 390
    region.focus()  # with the keyboard, too
    region.evaluate("region => { region.scrollLeft = region.scrollWidth }")
    seen = "cell => [cell.getBoundingClientRect().left >= 0, cell.getBoundingClientRect().right <= innerWidth]"
    for cell in ("td:last-child", "td:first-child"):
        assert region.locator(cell).first.evaluate(seen) == [True, True], cell
    narrow.set_viewport_size({"width": 760, "height": 1000})  # of a sheet of A4
    narrow.emulate_media(media="print")
    assert region.locator("table").evaluate("table => table.getBoundingClientRect().right <= innerWidth")


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
