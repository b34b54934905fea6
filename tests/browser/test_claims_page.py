"""The ledger in a real Chromium: its page of the app, and the report from a file, with the network cut off."""

import json

import pytest
from playwright.sync_api import expect

from helpers.verdicts import verdict
from pagecost.claims import claims
from pagecost_app import claims_report
from pagecost_app.pages import claims_page

LINE = "R18.nvem"
FEW = ("R18.nvem", "R18.db_disk", "R02.nvem", "S10.disk_read_write", "S10.ssd_write")
MODEL = "name => Bokeh.documents[0].get_model_by_name(name)"
SET = "([name, property, value]) => { Bokeh.documents[0].get_model_by_name(name)[property] = value }"
PICK = "number => { Bokeh.documents[0].get_model_by_name('claims.lines').selected.indices = [number] }"
IDS = """ids => {
  const lines = Bokeh.documents[0].get_model_by_name("claims.lines")
  const shown = Array.from(lines.get_column("id"))
  return JSON.stringify(shown) === JSON.stringify(ids) && lines.selected.indices.length === 0
}"""
ROWS = "number => Bokeh.documents[0].get_model_by_name('claims.lines')?.get_length() === number"


@pytest.fixture(params=["light", "dark"])
def ledger(server, open_page, request):
    """The page of the ledger, opened as a reader does."""
    page = open_page(color_scheme=request.param)
    page.goto(server.renew_entry())
    page.get_by_text(claims_page.TITLE, exact=True).first.click()
    page.wait_for_function(ROWS, arg=len(claims()))
    page.scheme = request.param
    yield page
    page.context.close()


def found(page, words: str, ids: list[str]) -> None:
    """Search, and wait until these lines are shown and none is chosen, which the browser learns after the lines."""
    page.get_by_placeholder("R31, hit ratio").fill(words)
    page.get_by_placeholder("R31, hit ratio").press("Enter")
    page.wait_for_function(IDS, arg=ids)


def test_the_page_filters_flips_a_verdict_and_opens_the_question_with_its_inputs(ledger, picture):
    found(ledger, LINE, [LINE])
    ledger.evaluate(PICK, 0)
    expect(ledger.get_by_text("Mean access time of a page in non-volatile extended memory.").last).to_be_visible()
    ledger.get_by_role("button", name="What would flip it?").click()
    ledger.wait_for_function(f"({MODEL})('claims.number')?.options.length > 0")
    ledger.evaluate(SET, ["claims.factor", "value", 1.0])
    expect(ledger.get_by_text("times 2 comes out 100 µs: the line fails")).to_be_visible()
    ledger.evaluate(SET, ["claims.factor", "value", 0.0])
    expect(ledger.get_by_text("comes out 50 µs: the line holds")).to_be_visible()
    picture(ledger, f"claims-{ledger.scheme}")
    of_study = [claim for claim in claims() if claim.study == "block_size" and claim.measure.get("preset")]
    wanted = [claim.id for claim in claims() if of_study[0].id.lower() in claims_page.searched(claim)]
    found(ledger, of_study[0].id, wanted)
    ledger.evaluate(PICK, wanted.index(of_study[0].id))
    ledger.get_by_role("button", name="Open the question with these inputs").click()
    ledger.wait_for_function(f"({MODEL})('block_size.preset')?.value === {json.dumps(of_study[0].measure['preset'])}")
    assert ledger.outside == []
    assert ledger.problems == []


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    claims_report.write([verdict(claim) for claim in claims() if claim.id in FEW], path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_is_searched_from_a_file_without_a_network(report, open_page, picture, scheme):
    page = open_page(color_scheme=scheme)
    page.goto(report.as_uri())
    expect(page.locator("#count")).to_have_text(f"{len(FEW)} of {len(FEW)} lines")
    page.get_by_placeholder("search").fill("non-volatile access")
    expect(page.locator("#count")).to_have_text(f"1 of {len(FEW)} lines")
    page.locator(".line:visible summary").click()
    expect(page.get_by_text("must fail", exact=True).locator("visible=true")).to_have_count(1)
    picture(page, f"claims-report-{scheme}")
    page.get_by_placeholder("search").fill("no such words")
    expect(page.get_by_text("No line is like that.")).to_be_visible()
    page.goto(f"{report.as_uri()}#R02.nvem")
    page.reload()
    expect(page.locator("[id='R02.nvem'] dl")).to_be_visible()
    records = json.loads(page.locator("#records").text_content())
    assert {record["id"] for record in records} == set(FEW)
    assert page.outside == []
    assert page.problems == []
    page.context.close()
