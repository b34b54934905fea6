"""The stepper in a real Chromium: by keys alone, in the app, light and dark (in a lesson: test_lessons.py)."""

import re

import pytest
from playwright.sync_api import expect

from pagecost_app import pages
from pagecost_app.pages.stepper_page import StepperPage
from pagecost_app.server import AppServer


@pytest.fixture(scope="module")
def server():
    return AppServer(pages.build)


def opened(page, server):
    """The stepper's walking part, as a user reaches it."""
    page.goto(server.renew_entry())
    page.get_by_text("Buffer", exact=True).first.click()
    page.locator("select[name='Buffer.question']").select_option(label=StepperPage.title)
    stepper = page.get_by_role("group", name="Stepper")
    stepper.get_by_text("The buffer is empty.").wait_for()
    return stepper


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_apps_stepper_is_walked_by_keys_alone(server, open_page, scheme, picture):
    page = open_page(color_scheme=scheme)
    stepper = opened(page, server)
    news = stepper.get_by_role("status")
    stepper.focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    expect(news).to_contain_text("Reference 7 writes page 5: a miss, so it is read in. Page 3 leaves, clean")
    picture(page, f"app-stepper-{scheme}")
    page.keyboard.press("ArrowLeft")
    expect(news).to_contain_text("Reference 6 reads page 2: a hit.")
    page.keyboard.press("End")
    expect(news).to_contain_text("Reference 16")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    expect(news).to_contain_text("The buffer is empty.")
    stepper.get_by_role("button", name="Step").focus()
    page.keyboard.press("ArrowRight")  # a button's neighbourhood has the same keys
    expect(news).to_contain_text("Reference 1 ")
    page.keyboard.press("Space")  # but this one is the button's own
    expect(news).to_contain_text("Reference 2 ")
    stepper.focus()
    page.keyboard.press("Space")
    expect(stepper.get_by_role("button", name="Pause")).to_be_visible()
    expect(news).to_contain_text("Reference 3 ")
    page.keyboard.press("Space")
    expect(stepper.get_by_role("button", name="Play")).to_be_visible()
    paused_at = int(
        re.search(r"Reference (\d+)\b", news.locator("p").inner_text())[1]
    )  # a slow browser plays on until it pauses
    page.get_by_label("Page ids with r").focus()
    page.keyboard.press("Home")  # the text's own
    stepper.get_by_role("button", name="Step").focus()
    page.keyboard.press("Space")
    expect(news).to_contain_text(f"Reference {paused_at + 1} ")
    assert page.outside == page.problems == []
    page.context.close()
