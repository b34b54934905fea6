"""The exercises of a lesson in a real JupyterLab: answered by keys, said aloud, kept, in light and dark."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import test_lessons
from helpers.axe import AXE, RULES
from pagecost_app.exercises import EXERCISES, sheet

lab, lessons = test_lessons.lab, test_lessons.lessons
LESSON = "05_the_ssd_in_time"
FOUND = """async (rules) => {
  const found = await axe.run({include: [".pagecost-exercise"]}, {resultTypes: ["violations"], runOnly: rules})
  return found.violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`))
}"""
pytestmark = pytest.mark.long


@pytest.fixture
def panels(lessons):
    """panels(id) -> the panel of an exercise of the lesson."""
    lesson = lessons(LESSON)

    def one(id: str):
        text = " ".join(EXERCISES[id].asked(1).split())
        panel = lesson.page.locator(".pagecost-exercise", has_text=text)
        panel.scroll_into_view_if_needed()
        return panel

    one.lesson = lesson
    return one


def kept():
    return sheet.read(Path(os.environ["PAGECOST_STATE"]) / "answers.json")


def test_a_number_is_answered_by_keys_alone_and_kept(panels, picture):
    panel = panels("little")
    line = panel.get_by_role("textbox", name="Your answer")
    line.fill("1e9")
    line.press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("Not yet")
    expect(panel).to_contain_text("attempts left")
    picture(panel, "exercise-number-light")
    line.fill(str(EXERCISES["little"].key(1)))
    line.press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("Passed")
    panel.get_by_role("button", name="Worked solution").press("Enter")
    expect(panel.get_by_role("status").last).to_contain_text("So the answer is")
    assert kept().answers("little", 1) == ["1e9", str(EXERCISES["little"].key(1))]
    panel.get_by_role("button", name="New numbers").press("Enter")
    expect(panels.lesson.page.locator(".pagecost-exercise", has_text=EXERCISES["little"].asked(2))).to_be_visible()


def test_a_curve_is_drawn_by_presses_and_by_numbers(panels, picture):
    id = next(id for id, each in EXERCISES.items() if each.kind == "curve" and each.lesson == "ssd_in_time")
    page = panels.lesson.page
    panel = panels(id)
    drawing = panel.locator("svg.pagecost-drawing")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    before = drawing.get_attribute("aria-label")
    page.mouse.click(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.3)
    expect(drawing).not_to_have_attribute("aria-label", before)
    first = panel.get_by_role("spinbutton").first
    first.fill(str(EXERCISES[id].key(1)[0]))
    first.press("Enter")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    picture(panel, "exercise-curve-dark")
    page.emulate_media(color_scheme="light")
    for value, number in zip(EXERCISES[id].key(1), panel.get_by_role("spinbutton").all(), strict=True):
        number.fill(str(value))
        number.press("Enter")
    panel.get_by_role("button", name="Answer").press("Enter")
    expect(panel.get_by_role("status")).to_contain_text("Passed")
    assert panels.lesson.errors == page.outside == page.problems == []


def test_panels_have_names_and_nothing_that_axe_finds(panels):
    page = panels.lesson.page
    assert page.locator(".pagecost-exercise").count() >= 5
    for panel in page.locator(".pagecost-exercise").all():
        assert panel.get_attribute("role") == "group"
        assert panel.get_attribute("aria-label") in ("Exercise", "Predict")
    page.evaluate(AXE)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        light = str(scheme == "light").lower()
        page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)
        assert page.evaluate(FOUND, list(RULES)) == []
