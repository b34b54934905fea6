"""The start page, search, map, tour and addresses in a real Chromium, by keys and by mouse."""

import re

import pytest
from playwright.sync_api import expect

from helpers.axe import violations
from helpers.dropped import drop
from pagecost_app import pages
from pagecost_app.pages import search_entries, tour
from pagecost_app.pages.topic_page import title_of
from pagecost_app.server import AppServer

QUESTIONS = sum(kind == "question" for _, kind, *_ in search_entries.entries())
HEADING = "What does a database page access cost?"
OPEN = "address => Bokeh.documents[0].get_model_by_name('address').value === address"
PRESET = "([name, value]) => Bokeh.documents[0].get_model_by_name(name)?.value === value"
READ = "() => Bokeh.documents[0].get_model_by_name('start.papers')?.text.includes('claim')"
RUNNING = """() => { let many = 0; const walk = (root) => { for (const node of root.querySelectorAll("*")) {
  many += node.getAnimations().filter((each) => each.playState === "running").length
  if (node.shadowRoot) walk(node.shadowRoot) } }; walk(document); return many }"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAGECOST_STATE", str(tmp_path_factory.mktemp("state")))
        running = AppServer(pages.build)
        yield running
        running.stop()


@pytest.fixture(scope="module")
def start(server, open_page):
    """One page for all of these; each test leaves it on the start page."""
    page = open_page()
    page.goto(server.renew_entry())
    page.get_by_role("heading", name=HEADING).wait_for()
    page.wait_for_function(READ)
    yield page
    assert page.outside == []
    assert page.problems == []
    page.context.close()


@pytest.fixture
def page(start):
    start.evaluate("location.hash = 'start'")
    start.wait_for_function(OPEN, arg="start")
    start.get_by_role("heading", name=HEADING).wait_for()
    return start


def test_ctrl_k_finds_by_words_with_keys_alone_and_opens_the_question(page):
    page.keyboard.press("Control+k")
    line = page.get_by_role("combobox", name=re.compile("Search"))
    expect(line).to_be_focused()
    expect(page.get_by_role("listbox", name="Found").get_by_role("option")).to_have_count(QUESTIONS)
    page.keyboard.type("five minut rule")
    first = page.get_by_role("listbox", name="Found").get_by_role("option").first
    expect(first).to_contain_text("How often must a page be read")
    expect(first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("listbox", name="Found").get_by_role("option").nth(1)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(line).to_have_attribute("aria-activedescendant", "search-found-1")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_function(OPEN, arg="economics/five_minute_rule")
    assert page.url.endswith("#economics/five_minute_rule")
    expect(page.get_by_role("dialog", name="Search")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "title", "where"),
    [
        ("algoritm thesis", "Which block size is best", "Devices"),  # a letter that lacks
        ("wirte amplifcation", "Write amplification", "Flash"),  # two that changed places, one that lacks
        ("rahm table 4.2", "Rahm 1992, Table 4.2", "references"),
        ("x25-e", "Intel X25-E", ""),
    ],
)
def test_search_forgives_and_knows_papers_and_devices(page, typed, title, where):
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("Search")).fill(typed)
    found = (
        page.get_by_role("listbox", name="Found")
        .get_by_role("option")
        .filter(has_text=re.compile(re.escape(title), re.IGNORECASE))
        .first
    )
    expect(found).to_be_visible()
    expect(found).to_contain_text(where)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Search")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("why is my ssd slow", {"device_fill", "write_amplification", "slc_cache", "response_times"}),
        ("how much ram do i need", {"buffer_size", "miss_curve"}),
        ("how long will my ssd last", {"wear_and_lifetime"}),
        ("how long will my ssd in my old laptop last", {"wear_and_lifetime"}),  # one word is nowhere
        ("my drive", {"device_fit", "program_wear"}),
        ("prefix compression", {"xml_page", "label_length", "index_height"}),
        ("tail latency", {"response_times", "response_goal"}),
        ("p99", {"response_times", "response_goal"}),
        ("zns", {"file_system_writes"}),
        ("fragmentation", {"device_fill", "segment_cleaning"}),
        ("garbage collection", {"write_amplification", "device_fill"}),
        ("GC", {"write_amplification", "device_fill"}),
        ("WAF", {"write_amplification"}),
        ("mirror", {"disk_arrays"}),
    ],
)
def test_words_of_everybody_find_the_question_among_the_first_three(page, typed, wanted):
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("Search")).fill(typed)
    found = page.get_by_role("listbox", name="Found").get_by_role("option").all_inner_texts()[:3]
    titles = {title_of(name) for name in wanted}
    assert any(text.startswith(title) for text in found for title in titles), found
    page.keyboard.press("Escape")


def test_words_that_nothing_has_are_said_to_find_nothing(page):
    page.keyboard.press("Control+k")
    line, told = page.get_by_role("combobox", name=re.compile("Search")), page.locator("dialog.search [role=status]")
    line.fill("qqqqqq wwwwww")
    expect(told).to_have_text("nothing is called qqqqqq wwwwww")
    line.fill("qqqqqq five minute rule")
    expect(told).to_contain_text("none has all words")
    page.keyboard.press("Escape")


def test_a_preset_that_is_found_is_set(page):
    page.get_by_role("button", name="Search (Ctrl-K)").first.click()
    page.get_by_role("combobox", name=re.compile("Search")).fill("15 000 turns a minute order")
    page.get_by_role("listbox", name="Found").get_by_role("option").filter(
        has_text="15 000 turns a minute"
    ).first.click()
    page.wait_for_function(OPEN, arg="disk/disk_scheduling")
    page.wait_for_function(PRESET, arg=["disk_scheduling.preset", "15 000 turns a minute"])


def test_start_page_search_and_tour_are_accessible_in_every_look(page):
    assert violations(page) == []
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("Search")).fill("log")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Take the tour").click()
    expect(page.get_by_role("dialog", name=re.compile("Tour, 1 of"))).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")


def test_nothing_found_is_said_and_markup_is_text(page):
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("Search")).fill("<img src=x onerror=window.hit=1>")
    expect(page.get_by_role("dialog", name="Search").get_by_role("status")).to_contain_text("nothing is called <img")
    assert page.evaluate("window.hit") is None
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.wait_for_function(OPEN, arg="start")


def test_the_map_opens_a_question_and_back_forward_and_reload_keep_it(page, picture):
    picture(page, "start")
    card = page.get_by_role("navigation", name="All questions").get_by_role("link", name="How long do labels get")
    card.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(OPEN, arg="xml/label_length")
    page.go_back()
    page.wait_for_function(OPEN, arg="start")
    page.go_forward()
    page.wait_for_function(OPEN, arg="xml/label_length")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Devices").click()
    page.wait_for_function(OPEN, arg="devices/block_size")
    here = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Devices")
    expect(here).to_have_attribute("aria-current", "page")
    page.go_back()  # one step, although the link said less than what it opened
    page.wait_for_function(OPEN, arg="xml/label_length")
    page.reload()
    page.wait_for_function("() => window.Bokeh?.documents?.[0]?.get_model_by_name('label_length.preset')")
    page.wait_for_function(OPEN, arg="xml/label_length")


def test_an_experiment_of_a_paper_opens_its_question(page):
    papers = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Rahm 1992"))
    papers.get_by_role("link", name="Table 4.2").click()
    page.wait_for_function(OPEN, arg="transactions/multi_level_hits")
    page.evaluate("location.hash = 'start'")
    page.wait_for_function(OPEN, arg="start")
    papers.get_by_role("link", name="line by line").click()
    page.wait_for_function(OPEN, arg="claims")
    page.wait_for_function(PRESET, arg=["claims.paper", "rahm1992"])


def test_the_tour_is_walked_by_keys_and_left_and_remembered(page, picture):
    page.get_by_role("button", name="Take the tour").click()
    card = page.get_by_role("dialog", name=re.compile("Tour, 1 of"))
    expect(card.get_by_role("button", name="Next")).to_be_focused()
    for number in range(2, len(tour.STOPS) + 1):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("dialog", name=re.compile(f"Tour, {number} of"))).to_be_visible()
        picture(page, f"tour-{number}")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("dialog", name=re.compile(f"Tour, {len(tour.STOPS) - 1} of"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name=re.compile("Tour"))).to_have_count(0)
    page.evaluate("location.hash = 'start'")
    expect(page.get_by_role("button", name="Take the tour again")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "text", "address"),
    [
        ("mine.data", "Device r/s rkB/s w/s wkB/s aqu-sz %util\nsda 30 120 10 40 0.5 10\n", "import"),
        ("plays.txt", "  <plays><play>one</play></plays>", "xml/xml_footprint"),
        ("plays.XML", "<plays><play>one</play></plays>", "xml/xml_footprint"),
    ],
)
def test_a_file_dropped_anywhere_goes_where_its_kind_is_read(page, name, text, address):
    drop(page.locator("body"), name, text)
    page.wait_for_function(OPEN, arg=address)
    line = "import.file" if address == "import" else "xml_footprint.file"
    shown = "([line, name]) => Bokeh.documents[0].get_model_by_name(line)?.value.startsWith(name)"
    page.wait_for_function(shown, arg=[line, name.split(".")[0]])


def test_a_file_dropped_as_its_page_is_left_is_read_there(page):
    page.evaluate("location.hash = 'import'")
    page.wait_for_function(OPEN, arg="import")
    for number in range(5):
        page.evaluate("location.hash = 'start'")
        drop(page.locator("body"), f"left-{number}.data", "Device r/s rkB/s w/s wkB/s\nsda 30 120 10 40\n")
        page.wait_for_function(
            "name => Bokeh.documents[0].get_model_by_name('import.file')?.value.startsWith(name)", arg=f"left-{number}"
        )


def test_a_file_that_is_read_while_its_page_is_left_stands_there_later(page):
    held = []
    page.route("**/upload?*", lambda route: held.append(route))
    page.evaluate("location.hash = 'import'")
    page.wait_for_function(OPEN, arg="import")
    with page.expect_request("**/upload?*"):
        drop(page.locator("body"), "later.data", "Device r/s rkB/s w/s wkB/s\nsda 30 120 10 40\n")
    page.evaluate("location.hash = 'start'")
    page.get_by_role("heading", name=HEADING).wait_for()
    page.wait_for_function("() => !Bokeh.documents[0].get_model_by_name('import.file')")
    with page.expect_response("**/upload?*"):
        held.pop().continue_()
    page.unroute("**/upload?*")
    page.evaluate("location.hash = 'import'")
    page.wait_for_function(
        "() => Bokeh.documents[0].get_model_by_name('import.file')?.value.startsWith('later')",
    )


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1024), ("light", 390)])
def test_who_wants_it_still_sees_it_still_and_nothing_is_cut_off(server, open_page, picture, scheme, width):
    page = open_page(color_scheme=scheme, reduced_motion="reduce", viewport={"width": width, "height": 900})
    page.goto(server.renew_entry())
    page.get_by_role("heading", name=HEADING).wait_for()
    page.wait_for_function(READ)
    assert page.evaluate(RUNNING) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_text("All of it: 1.03 ms")).to_be_visible()
    picture(page, f"start-{scheme}-{width}")
    page.context.close()


def test_the_picture_moves_and_can_be_held(server, open_page):
    page = open_page()  # one of its own: after some rounds it rests
    page.goto(server.renew_entry())
    page.get_by_role("heading", name=HEADING).wait_for()
    page.wait_for_function(f"() => ({RUNNING})() > 0")
    page.get_by_label("Hold the picture").check()
    page.wait_for_function(f"() => ({RUNNING})() === 0")
    page.get_by_label("Hold the picture").uncheck()
    page.context.close()


def test_of_an_untouched_project_nothing_is_said_and_no_line_is_kept_for_it(server, open_page):
    page = open_page(viewport={"width": 1440, "height": 1000})
    page.goto(server.renew_entry())
    page.get_by_role("heading", name=HEADING).wait_for()
    page.get_by_text("Large text", exact=True).click()
    bottom = "name => { const { el } = Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name)); "
    bottom += "return el.getBoundingClientRect().bottom }"
    page.wait_for_function("document.documentElement.dataset.size === 'large'")
    page.wait_for_timeout(500)  # the layout follows
    assert page.evaluate(bottom, "project.state") <= page.evaluate(bottom, "project.report")
    page.context.close()
