"""Names that carry markup, in a real Chromium: of devices, systems, projects, files and columns. None of it runs."""

import json
import re

import pytest
from playwright.sync_api import expect

from helpers.served_pages import served_pages
from pagecost import system
from pagecost_app.workspace import folders, project_file

FORMULA = "$$x^2$$"  # TeX in a name is no formula
EVIL = f"<img src=x onerror='window.harmed=1'><script>window.harmed=1</script> {FORMULA}"
DEVICE = f"""
schema = 1
device = "my-ssd"
name = {json.dumps(EVIL)}
class = "flash SSD"
model = "rated"
sources.mine.title = {json.dumps(EVIL)}
[parameters]
rated_block_bytes = {{ value = 4096, unit = "B", status = "measured", source = "mine" }}
random_read_iops = {{ value = 61000, unit = "1/s", status = "measured", source = "mine" }}
random_write_iops = {{ value = 20000, unit = "1/s", status = "measured", source = "mine" }}
sequential_read_bytes_per_s = {{ value = 5e8, unit = "B/s", status = "measured", source = "mine" }}
sequential_write_bytes_per_s = {{ value = 4e8, unit = "B/s", status = "measured", source = "mine" }}
"""
SET = "([name, value]) => { Bokeh.documents[0].get_model_by_name(name).value = value }"
DROP = """([name, text]) => {
  const files = new DataTransfer()
  files.items.add(new File([text], name))
  window.pagecost_take(files.files[0], "import.file")
}"""
SAYS = """([name, words]) => Bokeh.documents[0].get_model_by_name(name)?.text?.includes(words)"""
SHOWS = """([name, words]) =>
  Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name)).el.shadowRoot.textContent.includes(words)"""
HARMED = "new Promise((done) => setTimeout(() => done(window.harmed ?? 0), 300))"  # an image's error comes later


@pytest.fixture
def server(tmp_path, monkeypatch):
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices" / "mine.toml").write_text(DEVICE)
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "devices"))
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))
    with served_pages() as running:
        yield running


@pytest.mark.long
def test_markup_in_a_name_is_shown_and_never_run(server, open_page, tmp_path):
    page = open_page()
    page.goto(server.renew_entry())
    page.wait_for_function("window.Bokeh?.documents?.[0]?.get_model_by_name('address')?.value")
    page.evaluate("location.hash = '#devices/block_size'")
    page.wait_for_function(SAYS, arg=["block_size.answer", "<"])
    page.evaluate(SET, ["block_size.devices", ["my-ssd"]])
    page.wait_for_function(SAYS, arg=["block_size.answer", "img src=x"])
    page.wait_for_function(SHOWS, arg=["block_size.answer", FORMULA])
    chip = page.get_by_role("group", name="Devices").locator(".choices__list--multiple")
    expect(chip).to_have_text(re.compile(re.escape(EVIL)))
    assert page.evaluate(HARMED) == 0

    page.evaluate("location.hash = '#import'")
    page.get_by_text("What did you bring?").wait_for()
    for name, text in (
        ("<img src=x onerror=harmed=1>.csv", f"time,op,{EVIL},size\n0,r,8,4096\n1,w,16,4096\n"),
        ("mine.toml", DEVICE),
        ("system.toml", system.text(system.System(name=EVIL))),
        ("empty<b>.json", ""),
    ):
        page.evaluate(DROP, [name, text])
        page.wait_for_function("() => !Bokeh.documents[0].get_model_by_name('import.status').text.includes('reading')")
        assert page.evaluate(HARMED) == 0, name

    project = project_file.Project({}, EVIL)
    project_file.write(project, tmp_path / "evil.pagecost")
    page.evaluate(SET, ["project.file", str(tmp_path / "evil.pagecost")])
    page.wait_for_function(SAYS, arg=["project.state", "img src=x"])
    assert page.evaluate(HARMED) == 0
    assert page.evaluate("document.querySelectorAll('img[src=x]').length") == 0
    page.context.close()
