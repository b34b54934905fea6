"""The report of a plan in a real Chromium without a network, and the button of the page *Plan* that writes it."""

import pytest
from playwright.sync_api import expect

from pagecost import planner, system
from pagecost_app import plan_report

ASKED = system.System(
    name="orders",
    load=system.Load(source="sqlite-order-entry", rate_hz=4000, transaction_rate_hz=150, volume_bytes=6e10),
    targets=system.Targets(response_s=0.1, budget=3000.0),
    candidates=system.Candidates(devices=("intel-x25-m-g2-80gb", "wd800aajs"), counts=(1, 4), buffers=(1024, 4096)),
)
PAINTED = """() => [...document.querySelectorAll('.drawn > *')].some(
  function painted(place) {
    const inside = [...(place.shadowRoot ?? place).querySelectorAll('*')]
    return inside.some(each => each.tagName === 'CANVAS' && each.width > 100 || each.shadowRoot && painted(each))
  })"""


@pytest.fixture(scope="module")
def planned():
    return planner.plan(ASKED, runs=0)


@pytest.fixture(scope="module")
def written(planned, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "plan.html"
    plan_report.write(planned, path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_opens_without_a_network(written, planned, open_page, picture, scheme):
    page = open_page(color_scheme=scheme)
    page.context.set_offline(True)
    page.goto(written.as_uri())
    expect(page.get_by_text(planned.sentence, exact=True)).to_be_visible()
    page.wait_for_function(PAINTED)
    cost = planned.best.figures["cost"]
    line = page.locator("#cost")
    expect(line.get_by_text(cost.run_line)).to_be_hidden()
    line.locator("summary").click()
    expect(line.get_by_text(cost.run_line)).to_be_visible()
    expect(line.get_by_text(cost.formula)).to_be_visible()
    source = line.locator("a").first
    row = page.locator(source.get_attribute("href"))
    source.click()
    expect(row).to_be_in_viewport()
    picture(page, f"plan-report-sources-{scheme}")
    page.evaluate("scrollTo(0, 0)")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    picture(page, f"plan-report-{scheme}")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert page.outside == []
    assert page.problems == []
    page.context.close()
