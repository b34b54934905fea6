"""The page Import in a real Chromium: a dropped table is told, mapped by hand and taken to a question."""

import re

import pytest
from playwright.sync_api import expect

from helpers.served_pages import served_pages
from pagecost import catalogue
from pagecost_app.pages import import_page

TABLE = "".join(
    f"{number / 100};{8 * (number * 7 % 40)};{'rw'[number % 3 == 0]};vol-{number % 2}\n" for number in range(200)
)
MEASURED = sorted((catalogue.root() / "measurements" / "virtual-disk-depths").glob("*.json"))[0]
IOSTAT = "Device r/s rkB/s w/s wkB/s aqu-sz %util\nsda 30 120 10 40 0.5 10\nsdb 1 4 0 0 0 1\n"
DROP = """([name, text]) => {
  const files = new DataTransfer()
  files.items.add(new File([text], name))
  window.pagecost_take(files.files[0], "import.file")
}"""
SET = "([name, value]) => { Bokeh.documents[0].get_model_by_name(name).value = value }"


@pytest.fixture(scope="module")
def server():
    with served_pages() as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_dropped_table_is_mapped_and_opened(server, open_page, picture, scheme):
    page = open_page(color_scheme=scheme)
    page.goto(server.renew_entry())
    page.get_by_text(import_page.TITLE, exact=True).first.click()
    expect(page.get_by_text("What did you bring?")).to_be_visible()
    page.evaluate(DROP, ["iostat.txt", IOSTAT])
    expect(page.get_by_text("the load of devices, by iostat -x")).to_be_visible()
    picture(page, f"import-iostat-{scheme}")
    page.evaluate(DROP, ["my-disk.json", MEASURED.read_text("utf8")])
    expect(page.get_by_text("a result of fio")).to_be_visible()
    expect(page.get_by_role("button", name="Fit a device to it and keep that")).to_be_visible()
    expect(page.get_by_placeholder("its capacity, such as 256GB")).to_be_visible()
    picture(page, f"import-fio-{scheme}")
    page.evaluate(DROP, ["mine.data", TABLE])
    expect(page.get_by_text("what its columns mean is not known")).to_be_visible()
    expect(page.get_by_text("What do the columns mean?")).to_be_visible()
    picture(page, f"import-unknown-{scheme}")
    for name, value in [("unit", "sector"), ("time", "0"), ("op", "2"), ("stream", "3"), ("offset", "1")]:
        page.evaluate(SET, [f"import.{name}", value])
    expect(page.get_by_text("column 3 is the stream")).to_be_visible()
    expect(page.get_by_text("The first 5 requests as understood")).to_be_visible()
    picture(page, f"import-{scheme}")
    page.get_by_role("button", name="Open this question").click()
    line = page.get_by_placeholder("or path of a file of your own").first
    expect(line).to_have_value(re.compile(r"mine.*\.data#time=0,op=2,offset=1,stream=3,unit=sector"))
    assert page.outside == []
    assert page.problems == []
    page.context.close()
