"""What the browser holds of the app's pages that were left: nothing that grows with the pages that were visited."""

import pytest

from pagecost_app.pages.leaving import AFTER_MS

FIRST = "devices/block_size"
VISITED = ("devices/energy_per_operation", "buffer/policy_ranking", "buffer/buffer_size", "xml/xml_footprint")
ANSWERED = """question => Bokeh.documents[0].get_model_by_name(question + ".answer")?.text.length > 0
  && Bokeh.documents[0].get_model_by_name(question + ".result")?.get_length() > 0"""
FIGURES = "[...Bokeh.documents[0]._all_models.values()].filter((model) => model.type === 'Figure').length"
AREAS = "function() { return this.map(({canvas}) => canvas.width * canvas.height) }"
SCRATCH = (
    300 * 150
)  # pixels of a canvas that was given no size: Bokeh measures texts on one, and draws patterns on less
GROWTH = 1.1  # twice round; without `leaving` it is 1.6, and the pixels are twice as many


class Held:
    """What a page's process holds, after all that nobody needs was collected."""

    def __init__(self, page):
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable")

    def nodes(self) -> int:
        """Of the document, and those that are out of it and alive."""
        for _ in range(2):  # what an element held may be free only then
            self._devtools.send("HeapProfiler.collectGarbage")
        found = self._devtools.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in found if each["name"] == "Nodes")

    def canvases(self) -> list[int]:
        """Pixels of each that is alive."""
        kind = self._object("CanvasRenderingContext2D.prototype")
        drawn = self._devtools.send("Runtime.queryObjects", {"prototypeObjectId": kind})["objects"]["objectId"]
        asked = {"functionDeclaration": AREAS, "objectId": drawn, "returnByValue": True}
        areas = self._devtools.send("Runtime.callFunctionOn", asked)["result"]["value"]
        self._devtools.send("Runtime.releaseObject", {"objectId": drawn})  # or it would hold them
        return areas

    def listeners(self, target: str, kind: str) -> int:
        """How many listen to events of a kind at this object of the browser."""
        found = self._devtools.send("DOMDebugger.getEventListeners", {"objectId": self._object(target)})["listeners"]
        return sum(each["type"] == kind for each in found)

    def _object(self, expression: str) -> str:
        return self._devtools.send("Runtime.evaluate", {"expression": expression})["result"]["objectId"]


def opened(page, address):
    page.evaluate("address => { location.hash = address }", address)
    page.wait_for_function(ANSWERED, arg=address.partition("/")[2])
    page.wait_for_timeout(2 * AFTER_MS)


@pytest.mark.whole
def test_pages_that_were_left_leave_the_memory_of_the_browser(server, page):
    page.goto(server.renew_entry())
    page.wait_for_function("window.Bokeh?.documents?.[0]?.get_model_by_name('address')")
    held = Held(page)
    for address in (*VISITED, FIRST):  # once round first: some is made at the first use of each kind of widget
        opened(page, address)
    nodes, canvases, figures = held.nodes(), held.canvases(), page.evaluate(FIGURES)
    clicks = held.listeners("document.documentElement", "click")
    for address in (*VISITED, FIRST):
        opened(page, address)
    assert page.evaluate(FIGURES) == figures == held.listeners("visualViewport", "resize")
    assert held.listeners("document.documentElement", "click") == clicks
    after = held.canvases()
    assert sorted(filter(SCRATCH.__lt__, after)) == sorted(filter(SCRATCH.__lt__, canvases)), "of figures"
    assert sum(after) <= GROWTH * sum(canvases)
    assert held.nodes() <= GROWTH * nodes
    assert page.problems == []
