"""A lesson's page of the book in a real Chromium, opened as a file without a network: charts that move, steppers that
step, answers that are judged, and nothing that stands in the way of anybody."""

import json
import re
from types import SimpleNamespace

import pytest
from bokeh.models import ColumnDataSource
from playwright.sync_api import expect

from helpers import typed_numbers
from helpers.axe import violations
from pagecost import studies
from pagecost_app.book import buffer_page, build
from pagecost_app.book.axes import Budget
from pagecost_app.charts import CHARTS
from pagecost_app.course import lessons
from pagecost_app.exercises import EXERCISES
from pagecost_app.exercises.exercise import Unreadable
from pagecost_app.exercises.kinds import typed
from pagecost_app.exercises.kinds.choice import Choice
from pagecost_app.exercises.kinds.number import Number
from pagecost_app.walks import KINDS, PathWalk, Walk, path_sentence, sentence

STRING = "1r 2w 3r 1r 4r 2r 5w 1r"
DEVICES = ("hgst-7k1000-750gb", "intel-x25-e")
COMMITS = "1w 2w | 3w 4w"
NUMBER = next(each for each in EXERCISES.values() if isinstance(each, Number) and each.mistakes and not each.within)
CHOICE = next(each for each in EXERCISES.values() if isinstance(each, Choice))
CELLS = (
    "# 3 · Flash\n\nWhat a *victim* costs.\n\n## To explore\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    f"sizes = explore('block_size', devices={DEVICES}, detail_block_bytes=4096)",
    "watts = explore('energy_per_operation')",
    "## To step through",
    f"step('lru', '{STRING}', frames=3)",
    "step_disk('sstf', '98 183w 37')",
    "step_ftl('page', 'w0 w1 w0', pages=8)",
    f"walk_path(load='{COMMITS}', device='disk')",
    f"## To answer\n\n$$x = \\frac{{1}}{{2}}$$\n\n{'words ' * 40}",
    f"exercise('{NUMBER.id}')",
    f"exercise('{CHOICE.id}')",
)
MOVING = "sizes.set(detail_block_bytes=65536, detail_pattern='random write')\nwatts.set(busy=0.01)"
DRAWN = "() => [...document.querySelectorAll('.exploration, .walk-through')].every((each) => each.dataset.drawn)"
# all columns of the data sources of a chart, by the source's name
COLUMNS = """(section) => {
  const found = {}
  const known = (value) => Number.isNaN(value) ? null : value
  for (const model of section.exploration.document.roots()[0].references())
    if (model.type === "ColumnDataSource") (found[model.name] ??= []).push(Object.fromEntries(
      [...Object.entries(model.data)].map(([name, values]) => [name, Array.from(values, known)])))
  return found
}"""
HEAD_MS = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def cell(source: str) -> dict:
    kind = "code" if "(" in source.partition("\n")[0] else "markdown"
    return {"cell_type": kind, "metadata": {}, "source": source, "outputs": []}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of one lesson that has a part of every kind, and the page of the policies."""
    place = tmp_path_factory.mktemp("book")
    moving = cell(MOVING) | {"metadata": {"tags": ["instructor"]}}
    (place / "03_flash.ipynb").write_text(json.dumps({"cells": [*map(cell, CELLS), moving]}), "utf8")
    live = SimpleNamespace(TITLE="Live", LEAD="", text=lambda: buffer_page.text(("lru", "cflru")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lessons, "FOLDER", place)
        patch.setattr(build, "PAGES", {"buffer": live})
        build.write(place / "book", budget=Budget(answers=30, time_s=5.0))
    return place / "book"


@pytest.fixture(scope="module")
def lesson(book, open_page):
    page = open_page(color_scheme="light", viewport={"width": 1024, "height": 900})
    page.goto((book / "03_flash.html").as_uri())
    page.wait_for_function(DRAWN)
    yield page
    assert (page.outside, page.problems) == ([], [])
    page.context.close()


def exploration(page, study: str):
    return page.get_by_role("region", name=studies.find(study).title, exact=True)


def _known(value):
    """A value as JSON has it; nan as None."""
    value = value.item() if hasattr(value, "item") else value
    return None if value != value else value


def drawn(study: str, values: dict) -> tuple[dict, str]:
    """The columns of the data sources of the study's chart for these inputs, by the source's name, and the finding."""
    asked = studies.find(study)
    inputs = asked.inputs(values)
    result = asked.compute(inputs)
    chart = CHARTS[study]()
    chart.update(inputs, result)
    found: dict[str, list] = {}
    for source in chart.root.select({"type": ColumnDataSource}):
        columns = {name: [_known(value) for value in values] for name, values in source.data.items()}
        found.setdefault(source.name, []).append(columns)
    return found, str(asked.describe(inputs, result))


def test_a_slider_moves_the_chart_to_the_studys_own_numbers(lesson):
    place = exploration(lesson, "block_size")
    slider, pattern = place.get_by_role("slider", name="Block size in detail"), place.get_by_role("combobox")
    stops = int(slider.get_attribute("max")) + 1
    assert stops >= 3
    seen, told = set(), set()
    for stop in (0, stops // 2, stops - 1):
        for chosen in ("random write", "sequential read"):
            slider.fill(str(stop))
            pattern.select_option(label=chosen)
            command = place.locator(".command").text_content()
            sets = dict(re.findall(r"--set '?(\w+)=([^\s']+)", command))
            size = int(float(sets.get("detail_block_bytes", studies.find("block_size").inputs().detail_block_bytes)))
            values = {"devices": DEVICES, "detail_block_bytes": size, "detail_pattern": chosen}
            columns, finding = drawn("block_size", values)
            shown = place.evaluate(COLUMNS)
            for name, sources in columns.items():
                for source in sources:
                    assert source in shown[name], (name, command)
            expect(place.get_by_role("status")).to_have_text(finding)
            seen.add(json.dumps(shown))
            told.add(finding)
    assert (len(seen), len(told)) == (6, 6)  # it followed both
    place.get_by_role("button", name="As in the lesson").click()
    expect(place.get_by_role("button", name="As in the lesson")).to_be_disabled()


def test_a_slider_is_moved_by_key_and_says_what_it_stands_at(lesson):
    place = exploration(lesson, "energy_per_operation")
    slider = place.get_by_role("slider", name="Busy")
    before = slider.get_attribute("aria-valuetext")
    slider.press("ArrowLeft" if slider.input_value() == slider.get_attribute("max") else "ArrowRight")
    assert slider.get_attribute("aria-valuetext") != before
    assert place.locator(".value").first.text_content() == slider.get_attribute("aria-valuetext")
    finding = place.get_by_role("status").text_content()
    expect(place.get_by_role("figure")).to_have_attribute("aria-label", finding)
    expect(place.locator(".note")).to_contain_text("answers were computed for this page")


def test_between_two_stops_the_page_draws_what_was_measured(lesson):
    for way, drawn_there in (("linear", 2.5), ("log", 2.0)):
        assert lesson.evaluate("(way) => mixed([1, 0], [4, 8], 0.5, way)", way) == pytest.approx([drawn_there, 4.0])


def test_steppers_tell_what_the_engine_tells(lesson):
    told = (
        ("lru", Walk("lru", STRING, 3), sentence),
        ("disk", KINDS["disk"].walk(scheduler="sstf", requests="98 183w 37"), KINDS["disk"].sentence),
        ("ftl", KINDS["ftl"].walk(layer="page", requests="w0 w1 w0", pages=8), KINDS["ftl"].sentence),
        ("path", PathWalk(load=COMMITS, device="disk"), path_sentence),
    )
    places = lesson.locator(".walk-through")
    assert places.count() == len(told)
    for number, (name, walk, words) in enumerate(told):
        place = places.nth(number)
        for position in range(min(walk.size, 12) + 1):
            walk.go(position)
            assert place.get_by_role("status").text_content() == words(walk), (name, position)
            if position < walk.size:
                place.get_by_role("button", name="Step ▶").click()
        place.get_by_role("figure").press("Home")
        walk.go(0)
        assert place.get_by_role("status").text_content() == words(walk)
        expect(place.get_by_role("button", name="◀ Back")).to_be_disabled()
    first = places.nth(0)
    first.get_by_role("button", name="go to reference 5, 4").click()
    expect(first.locator(".position")).to_have_text("5 of 8")


def test_a_policys_own_page_opens_in_the_lesson_with_its_string(lesson):
    place = lesson.locator(".walk-through").first
    place.get_by_text("With a string of your own").click()
    inside = place.frame_locator("iframe")
    expect(inside.get_by_role("textbox", name="Reference string")).to_have_value("1 2w 3 1 4 2 5w 1")
    inside.get_by_role("button", name="Step ▶").click()
    expect(inside.get_by_role("region", name="LRU", exact=True)).to_contain_text("a miss")
    expect(inside.get_by_role("heading", level=1)).to_be_hidden()
    place.get_by_text("With a string of your own").click()


def test_a_number_is_judged_in_the_exercises_own_words(lesson):
    form = lesson.locator("form.answer").filter(has=lesson.get_by_role("textbox")).first
    wrong = float(NUMBER.mistakes[0][0](**NUMBER.numbers(1)))
    for answer in (NUMBER.key(1), wrong, 1e6 * NUMBER.key(1) + 1):
        form.get_by_role("textbox").fill(repr(answer))
        form.get_by_role("button", name="Check").click()
        status, said = NUMBER.grade(1, answer)
        mark = "✓" if status == "passed" else "✗"
        if answer in (NUMBER.key(1), wrong):
            expect(form.get_by_role("status")).to_have_text(f"{mark} {said}")
        else:
            expect(form.get_by_role("status")).to_contain_text("is too large.")
    form.get_by_role("textbox").fill("many")
    form.get_by_role("button", name="Check").click()
    expect(form.get_by_role("status")).to_have_text(NUMBER.judge(1, "many").message)
    expect(form.get_by_role("textbox")).to_have_accessible_name(re.compile(re.escape(NUMBER.form(1)[0].near)))


def test_a_number_is_read_as_the_engine_reads_it(lesson):
    read = "([text, how]) => typed_number(text, how).map((part) => Number.isNaN(part) ? null : part)"
    for text, unit, question, number in typed_numbers.READ:
        found = lesson.evaluate(read, [text, typed.reading(unit, question)])
        assert found == [pytest.approx(number, rel=1e-12), ""], (text, unit)
    for text, unit, question, _ in typed_numbers.REFUSED:
        with pytest.raises(Unreadable) as refused:
            typed.number_in(text, unit, question)
        assert lesson.evaluate(read, [text, typed.reading(unit, question)]) == [None, str(refused.value)]


def test_a_choice_is_judged_with_its_reason(lesson):
    form = lesson.locator("form.answer").filter(has=lesson.get_by_role("radio")).first
    key = CHOICE.key(1)
    wrong = next(each.value for each in CHOICE.form(1)[0].options if each.value != key["choice"])
    for answer in (key, key | {"choice": wrong}):
        for group, value in zip(form.get_by_role("group").all(), answer.values(), strict=True):
            group.locator(f"[value='{value}']").check()
        form.get_by_role("button", name="Check").click()
        status, said = CHOICE.grade(1, answer)
        expect(form.get_by_role("status")).to_have_text(f"{'✓' if status == 'passed' else '✗'} {said}")


@pytest.mark.parametrize("name", ["index.html", "03_flash.html", "glossary.html"])
def test_no_kind_of_page_violates_a_rule(book, open_page, name):
    page = open_page(viewport={"width": 1024, "height": 900})
    page.goto((book / name).as_uri())
    page.wait_for_function(DRAWN)
    assert violations(page) == []
    assert (page.outside, page.problems) == ([], [])
    page.context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1024), ("dark", 1440), ("dark", 512)], ids=str)
def test_a_page_fits_its_window(book, open_page, picture, scheme, width):
    """512 is a window of 1024 at 200 %."""
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto((book / "03_flash.html").as_uri())
    page.wait_for_function(DRAWN)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Large text").click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Large text").click()
    picture(exploration(page, "block_size"), f"book-exploration-{scheme}-{width}")
    picture(page.locator(".walk-through").first, f"book-stepper-{scheme}-{width}")
    ground = "() => [...document.querySelector('.exploration').exploration.document.roots()[0].references()]"
    fills = page.evaluate(f"({ground})().filter((m) => m.type === 'Figure').map((m) => m.background_fill_color)")
    assert len(set(fills)) == 1
    page.get_by_role("button", name="Light" if scheme == "dark" else "Dark", exact=True).click()
    after = page.evaluate(f"({ground})().filter((m) => m.type === 'Figure').map((m) => m.background_fill_color)")
    assert not set(fills) & set(after)
    assert (page.outside, page.problems) == ([], [])
    page.context.close()


@pytest.mark.timed
def test_a_page_stands_within_a_second(book, open_page):
    page = open_page()
    took = []
    for _ in range(3):
        page.goto((book / "03_flash.html").as_uri())
        took.append(page.evaluate(HEAD_MS))
        page.evaluate("document.querySelector('.exploration').scrollIntoView()")
    assert sorted(took)[1] < 1000
    page.context.close()
