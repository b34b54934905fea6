"""The stepper of the path in a real Chromium, by keys alone: in the app, light and dark (a lesson: test_lessons.py)."""

import re

import pytest
from playwright.sync_api import expect

from helpers.served_pages import served_pages
from pagecost_app import pages
from pagecost_app.pages.path_stepper_page import PathStepperPage
from pagecost_app.pages.topic_page import title_of

COLD_MS = 300_000  # its kernels may have to be compiled first


@pytest.fixture(scope="module")
def server():
    with served_pages() as running:
        yield running


def opened(page, server):
    """The walking part, as a user reaches it."""
    page.goto(server.renew_entry())
    page.get_by_text(PathStepperPage.topic, exact=True).first.click()
    if len(pages.PAGES[PathStepperPage.topic]) > 1:
        page.locator(f"select[name='{PathStepperPage.topic}.question']").select_option(label=title_of("path"))
    stepper = page.get_by_role("group", name=PathStepperPage.group)
    stepper.get_by_text("Nothing has happened yet").first.wait_for(timeout=COLD_MS)
    return stepper


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_the_path_is_walked_by_keys_alone_and_says_who_caused_an_erase(server, open_page, scheme, width, picture):
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 1150})
    stepper = opened(page, server)
    news = stepper.get_by_role("status")
    stepper.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(news).to_contain_text("The buffer does not have ACCOUNT 6: a miss.")
    page.keyboard.press("ArrowLeft")
    expect(news).to_contain_text("Reference 1 changes ACCOUNT 6.")
    page.keyboard.press("PageDown")
    expect(news).to_contain_text("Transaction 2 (Debit-Credit) begins.")
    page.keyboard.press("PageUp")
    expect(news).to_contain_text("Transaction 1 (Debit-Credit) begins.")
    page.keyboard.press("e")
    expect(news).to_contain_text("erases its block")
    page.keyboard.press("w")
    why = stepper.get_by_role("note")
    expect(why).to_contain_text("because the page cache wrote")
    expect(why).to_contain_text(re.compile(r"in transaction \d+ \(Debit-Credit\)"))
    picture(page, f"app-path-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the window"
    chain = stepper.locator("ol.why button")
    chain.last.focus()
    page.keyboard.press("Enter")  # back to the transaction
    expect(news).to_contain_text("begins.")
    expect(why).to_contain_text("This is where it begins")
    stepper.focus()
    page.keyboard.press("w")
    expect(why).to_have_count(0)
    page.keyboard.press("e")
    page.keyboard.press("e")
    stepper.locator("[data-event]").last.click()  # pressing on an erase
    expect(news).to_contain_text("erases its block")
    expect(why).to_contain_text("had to collect erase block")
    stepper.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    expect(news).to_contain_text("Nothing has happened yet")
    page.keyboard.press("Space")
    expect(stepper.get_by_role("button", name="Pause")).to_be_visible()
    expect(news).to_contain_text("begins.")
    page.keyboard.press("Space")
    expect(stepper.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert page.outside == page.problems == []
    page.context.close()
