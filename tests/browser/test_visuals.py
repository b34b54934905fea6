"""Charts are painted without asking the browser's style sheets about their lines and words."""

import pytest

from helpers.served_pages import served_pages
from pagecost_app.pages.look import PAGE, WIDGETS

COUNTED = """() => {
  window.asked = []
  const own = CSSStyleDeclaration.prototype.getPropertyValue
  CSSStyleDeclaration.prototype.getPropertyValue = function (name) {
    if (name.startsWith("--bk-")) window.asked.push(name)
    return own.call(this, name)
  }
}"""
ANSWERED = "question => Bokeh.documents[0].get_model_by_name(question + '.result')?.get_length() > 0"


@pytest.fixture(scope="module")
def server(remembered_answers):
    with served_pages() as running:
        yield running


def test_no_style_sheet_is_asked_for_what_charts_set_themselves(server, page):
    page.goto(server.renew_entry())
    page.wait_for_function("window.Bokeh?.documents?.[0]?.get_model_by_name('address')")
    for question in ("block_size", "energy_per_operation"):  # the first figure of all asks while it is made
        page.evaluate("address => { location.hash = address }", f"devices/{question}")
        page.wait_for_function(ANSWERED, arg=question)
        page.wait_for_timeout(1000)  # it is painted
        page.evaluate(f"window.asked ? 0 : ({COUNTED})()")
    assert page.evaluate("window.asked") == []
    assert page.problems == []


def test_no_style_sheet_of_ours_sets_what_would_not_be_asked_for():
    assert "--bk-" not in PAGE + WIDGETS
