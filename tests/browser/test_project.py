"""A project in a real Chromium: set, kept, killed, recovered, undone, compared, saved, and reported offline."""

import contextlib
import os
import signal
import time

import psutil
import pytest
from playwright.sync_api import expect

from helpers.app_process import served_app
from pagecost_app.workspace import autosave, folders, project_file

STUDY = "buffer_size"
VALUE = "name => Bokeh.documents[0].get_model_by_name(name).value"
TEXT = f"Bokeh.documents[0].get_model_by_name('{STUDY}.answer')?.text"
ANSWERED = """([study, words]) =>
  Bokeh.documents[0].get_model_by_name(study + '.answer')?.text.replace(/<[^>]*>/g, "").includes(words)"""


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))
    return {folders.PLACE: str(tmp_path / "state")}


@contextlib.contextmanager
def killed_app(state):
    """An app that is killed at the end, as by a crash."""
    with contextlib.suppress(AssertionError), served_app(**state) as (address, process):
        try:
            yield address
        finally:
            children = process.children(recursive=True)
            process.send_signal(signal.SIGKILL)
            psutil.wait_procs(children, timeout=30)


def answered(page, frames):
    page.wait_for_function(ANSWERED, arg=[STUDY, f"With {frames} frames"])


def frames_of(page):
    return page.evaluate(VALUE, f"{STUDY}.frames")


@pytest.mark.long
def test_set_killed_recovered_undone_compared_saved_and_reported(state, open_page, tmp_path, picture):
    with killed_app(state) as address:
        page = open_page(accept_downloads=True)
        page.goto(address)
        page.wait_for_function("window.Bokeh?.documents?.[0]?.get_model_by_name('address')?.value")
        page.evaluate(f"location.hash = '#{STUDY}?frames=64'")  # as a link does
        answered(page, 64)
        expect(page.get_by_text("not saved in a file yet")).to_be_visible()
        until(lambda: list((tmp_path / "state" / autosave.FOLDER).glob("*.pagecost")))
        page.context.close()

    with served_app(**state) as (address, _):
        page = open_page(accept_downloads=True)
        page.goto(address)
        page.get_by_role("button", name="Go on with it").click()
        answered(page, 64)  # the question that was open, as it was set
        picture(page, "project-recovered")
        page.get_by_role("button", name="Keep this answer").click()
        expect(page.get_by_text("Kept: Buffer size 64 frames").first).to_be_visible()

        small = page.evaluate(TEXT)
        handle = page.locator(".bk-input-group:visible", has_text="Buffer size").locator(".noUi-handle").first
        handle.focus()
        page.keyboard.press("End")
        page.wait_for_function(f"({VALUE})('{STUDY}.frames') != '64 frames'")
        largest = frames_of(page)
        page.keyboard.press("Control+z")
        page.wait_for_function(f"({VALUE})('{STUDY}.frames') == '64 frames'")
        page.keyboard.press("Control+Shift+z")
        page.wait_for_function(
            "([n, v]) => Bokeh.documents[0].get_model_by_name(n).value == v", arg=[f"{STUDY}.frames", largest]
        )
        field = page.get_by_placeholder("path of a file of your own")
        field.focus()
        page.keyboard.press("Control+z")  # a text field has its own way back
        page.wait_for_timeout(300)
        assert frames_of(page) == largest

        page.wait_for_function(f"before => ({TEXT}) != before", arg=small)
        page.get_by_role("button", name="Keep this answer").click()
        expect(page.get_by_text("Kept: Buffer size").first).to_be_visible()
        page.evaluate("location.hash = '#compare'")
        expect(page.get_by_text("1 input differs")).to_be_visible()
        expect(page.locator("tr.differs th", has_text="Buffer size").first).to_be_visible()
        page.get_by_role("button", name="Show the charts").click()
        page.locator("canvas:visible").nth(3).wait_for()
        picture(page, "project-compare")
        page.get_by_role("button", name="Show the charts").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save", exact=True).click()
        assert saved.value.suggested_filename == "my project.pagecost"
        project = project_file.read(saved.value.path())
        assert len(project.state["answers"]) == 2
        expect(page.get_by_text("the browser does not tell whether it was kept")).to_be_visible()
        expect(page.get_by_text("not saved in a file yet")).to_be_visible()
        picture(page, "project-copy")
        page.get_by_role("button", name="Save as …").click()
        line = page.get_by_placeholder("path of a file, such as ~/mine.pagecost")
        line.fill(str(tmp_path / "mine"))
        line.press("Enter")
        expect(page.get_by_text("all saved")).to_be_visible()
        assert len(project_file.read(tmp_path / "mine.pagecost").state["answers"]) == 2
        with page.expect_download() as reported:
            page.get_by_role("button", name="Report of these").click()
        report = tmp_path / "report.html"
        os.replace(reported.value.path(), report)
        assert page.outside == []
        assert page.problems == []
        page.context.close()
    assert autosave.leftovers() == []  # all is saved

    reader = open_page(offline=True)
    reader.goto(report.as_uri())
    reader.wait_for_function("window.Bokeh?.documents?.length == 1")
    reader.locator("canvas:visible").nth(1).wait_for()
    expect(reader.locator("tr.differs th", has_text="Buffer size").first).to_be_visible()
    picture(reader, "project-report")
    assert reader.outside == []
    assert reader.problems == []
    reader.context.close()


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
