"""Charts are painted without asking the browser's style sheets about their lines and words."""

from pathlib import Path

import pagecost_app
from pagecost_app.pages import visuals

APP = Path(pagecost_app.__file__).parent

COUNTED = """() => {
  window.asked = []
  const own = CSSStyleDeclaration.prototype.getPropertyValue
  CSSStyleDeclaration.prototype.getPropertyValue = function (name) {
    if (name.startsWith("--bk-")) window.asked.push(name)
    return own.call(this, name)
  }
  window.painted = 0
  const {fillText} = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (...words) {
    window.painted += 1
    fillText.apply(this, words)
  }
}"""
ANSWERED = "question => Bokeh.documents[0].get_model_by_name(question + '.result')?.get_length() > 0"


def test_no_style_sheet_is_asked_for_what_charts_set_themselves(server, page):
    page.goto(server.renew_entry())
    page.wait_for_function("window.Bokeh?.documents?.[0]?.get_model_by_name('address')")
    for question in ("block_size", "energy_per_operation"):  # the first figure of all asks while it is made
        page.evaluate("address => { location.hash = address }", f"devices/{question}")
        page.wait_for_function(ANSWERED, arg=question)
        page.wait_for_timeout(1000)  # the answer comes before the last painting
        page.evaluate(f"window.asked ? 0 : ({COUNTED})()")
    page.wait_for_function("window.painted > 0")
    assert page.evaluate("window.asked") == []
    assert page.problems == []


def test_no_style_sheet_of_ours_sets_what_would_not_be_asked_for():
    files = [path for path in APP.rglob("*") if path.suffix in (".py", ".js", ".css")]
    assert [path.name for path in files if "--bk-" in path.read_text("utf8")] == [Path(visuals.__file__).name]
