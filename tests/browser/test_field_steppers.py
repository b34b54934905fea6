"""Steppers in the app in a real Chromium, on one page: keys, presses in the picture, questions, full screen."""

import pytest
from playwright.sync_api import expect

from helpers.axe import violations
from pagecost_app import pages
from pagecost_app.pages.field_stepper_page import PAGES
from pagecost_app.pages.stepper_page import StepperPage
from pagecost_app.server import AppServer


@pytest.fixture(scope="module")
def server():
    return AppServer(pages.build)


def opened(page, topic, part):
    """The walking part of a stepper, as a user reaches it."""
    page.get_by_text(topic, exact=True).first.click()
    page.locator(f"select[name='{topic}.question']").select_option(label=part.title)
    stepper = page.get_by_role("group", name=part.group, exact=True)
    stepper.get_by_role("status").first.wait_for()
    stepper.get_by_label("pseudo-code").first.wait_for()
    return stepper


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_steppers_move_ask_and_take_what_is_pressed(server, open_page, scheme, picture):
    page = open_page(color_scheme=scheme)
    page.goto(server.renew_entry())
    flash, disk = (PAGES[f"{name}-stepper"] for name in ("ftl", "disk"))
    stepper = opened(page, "Flash", flash)
    news = stepper.get_by_role("status").first
    page.locator("select[name='ftl.layer']").select_option(label="FAST")
    expect(news).to_contain_text("Every page was written once")
    stepper.focus()
    page.keyboard.press("e")
    expect(news).to_contain_text("is erased, for the 1st time, because request")
    page.keyboard.press("PageDown")
    expect(news).to_contain_text("the host writes page")
    stepper.get_by_label("go to request 9,").click()
    expect(news).to_contain_text("Request 9: the host writes page 13.")
    page.keyboard.press("ArrowRight")  # the picture was drawn anew, and the keys still work
    moved = stepper.locator(".walk-stage .came")
    expect(moved).to_have_count(1)
    assert moved.evaluate("one => getComputedStyle(one).animationName") == "walk-come"
    page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
    assert moved.evaluate("one => getComputedStyle(one).animationName") == "none"
    page.emulate_media(reduced_motion="no-preference", color_scheme=scheme)
    expect(stepper.locator('.walk-code [aria-current="true"]')).not_to_have_count(0)
    moved.evaluate("one => Promise.all(one.getAnimations().map((each) => each.finished))")
    picture(page, f"app-ftl-stepper-{scheme}")
    assert violations(page) == []

    stepper = opened(page, "Disk", disk)
    news = stepper.get_by_role("status").first
    page.locator("select[name='disk.beside']").select_option(label="SCAN")
    stepper.focus()
    page.keyboard.press("PageDown")
    expect(news).to_contain_text("SCAN: The sectors pass the head")
    stepper.get_by_role("button", name="Ask me first").click()
    question = stepper.get_by_text("Which request does SSTF take next?")
    page.keyboard.press("ArrowRight")
    expect(question).to_be_visible()
    stepper.focus()
    page.keyboard.press("ArrowRight")
    expect(news).to_contain_text("SCAN: The sectors pass the head")  # nothing is shown before the answer
    page.keyboard.press("1")
    expect(stepper.get_by_text("of 1 right")).to_be_visible()
    expect(news).to_contain_text("is taken")
    picture(page, f"app-disk-stepper-{scheme}")
    assert violations(page) == []

    stepper = opened(page, "Buffer", StepperPage)
    page.locator("select[name='stepper.beside']").select_option(label="CFLRU")
    expect(stepper.get_by_text("Difference:")).to_be_visible()
    stepper.get_by_label("go to reference 12,").click()
    expect(stepper.get_by_role("status").first).to_contain_text("Reference 12 ")
    for box in stepper.locator(".walk-stage .came, .walk-stage .moved").all():
        box.evaluate("one => Promise.all(one.getAnimations().map((each) => each.finished))")
    assert violations(page) == []
    stepper.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement !== null")
    picture(page, f"app-buffer-full-screen-{scheme}")
    page.keyboard.press("f")
    page.wait_for_function("document.fullscreenElement === null")
    assert page.outside == page.problems == []
    page.context.close()
