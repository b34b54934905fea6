"""Slides in a hall: by keyboard, answers on a press, in a dark room, for who cannot see them, and on paper."""

import re

import pytest

from helpers.axe import violations
from helpers.slides_lesson import lesson_file
from pagecost_app.course import lessons
from pagecost_app.slides import slides_page

COUNT = 7


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    file = folder / "mine.html"
    file.write_text(slides_page.page(lessons.read(lesson_file(folder))), "utf8")
    return file.as_uri()


@pytest.fixture
def hall(page, address):
    page.goto(address)
    page.wait_for_function("document.getElementById('where').textContent")
    return page


def now(page) -> tuple[str, int]:
    """The title that is seen and how many answers are open or steps taken."""
    return page.evaluate("[document.querySelector('.here h1, .here h2').textContent, pressed]")


def resized(page, width: int, height: int) -> None:
    """The window has this size and the page has heard of it, which it does with the next frame."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_keys_go_through_slides_answers_and_steps_and_back(hall):
    assert now(hall) == ["Mine", 0]
    hall.keyboard.press("ArrowRight")
    hall.keyboard.press("Space")
    assert now(hall) == ["An idea", 0]
    answer = hall.locator(".here details")
    assert not answer.locator("p").first.is_visible()
    hall.keyboard.press("ArrowRight")
    assert now(hall) == ["An idea", 1]
    assert answer.locator("p").first.is_visible()
    hall.keyboard.press("ArrowLeft")
    assert not answer.locator("p").first.is_visible()
    hall.keyboard.press("End")
    assert hall.locator("#where").inner_text() == f"{COUNT} of {COUNT}"
    assert "Reference 3" in hall.locator(".here .shown .said").inner_text()
    hall.keyboard.press("ArrowLeft")
    assert "Reference 2" in hall.locator(".here .shown .said").inner_text()
    hall.keyboard.press("Home")
    assert now(hall) == ["Mine", 0]
    hall.keyboard.press("n")
    assert "Planned for" in hall.locator("#notes").inner_text()
    hall.locator("#next").focus()
    hall.keyboard.press("Enter")
    assert now(hall)[0] == "After it you can"
    assert hall.evaluate("location.hash") == "#2"
    hall.keyboard.press("f")
    hall.wait_for_function("document.fullscreenElement")
    hall.evaluate("document.exitFullscreen()")
    assert hall.problems == hall.outside == []


def test_everything_fits_its_slide_in_any_window_and_the_chart_is_drawn(hall, picture):
    hall.wait_for_function("document.querySelectorAll('.drawn .bk-Column, .drawn > div').length")
    for width, height in ((1440, 1000), (1024, 768), (800, 1200)):
        resized(hall, width, height)
        for number in range(COUNT):
            hall.evaluate(f"show({number}, 99)")
            over = hall.locator(".here .content").evaluate("it => it.scrollHeight - it.clientHeight")
            assert over <= 2, f"slide {number + 1}: {over} pixels too high"
            box = hall.locator(".here").bounding_box()
            assert box["x"] >= -1
            assert box["x"] + box["width"] <= width + 1
    resized(hall, 1280, 764)
    for look in ("light", "dark"):
        hall.evaluate(f"document.documentElement.dataset.theme = '{look}'; show(3)")
        picture(hall, f"slides-{look}")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (320, 640), (1280, 764)], ids=str)
def test_the_bar_fits_a_phone_and_every_button_can_be_pressed(hall, picture, width, height):
    resized(hall, width, height)
    for look in ("light", "dark"):
        hall.evaluate(f"document.documentElement.dataset.theme = '{look}'; show(2, 1)")
        picture(hall, f"slides-{look}-{width}")
    assert hall.locator("nav").evaluate("it => it.scrollWidth - it.clientWidth") == 0
    room = hall.locator("main").bounding_box()
    for item in hall.locator("nav button, #where").all():
        box = item.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width, item.inner_text()
        assert room["y"] + room["height"] <= box["y"]
        assert box["y"] + box["height"] <= height
        assert item.evaluate("it => it.scrollWidth <= it.clientWidth + 1"), "no word is cut"
    hall.get_by_role("button", name="Notes").click()
    notes = hall.locator("#notes").bounding_box()
    assert notes["y"] + notes["height"] <= hall.locator("nav").bounding_box()["y"] + 1
    hall.get_by_role("button", name="Notes").click()
    hall.get_by_role("button", name="Next").click()
    assert hall.locator("#where").inner_text() == f"4 of {COUNT}"


def test_axe_finds_nothing_wrong_with_any_slide(hall):
    hall.keyboard.press("n")
    for number in range(COUNT):
        hall.evaluate(f"show({number}, 99)")
        assert violations(hall) == []


def test_printed_it_is_one_slide_a_page_with_every_answer(hall):
    hall.evaluate("show(2)")
    pdf = hall.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == COUNT
    assert now(hall) == ["An idea", 0], "the hall goes on where it was"
