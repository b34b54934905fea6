"""The app without a mouse, without a wide window, without sight: names, focus, room."""

import re

import pytest
from playwright.sync_api import expect

from helpers.axe import violations
from pagecost import studies
from pagecost_app.charts import style
from pagecost_app.pages import contents

HAS_ROWS = "name => (window.Bokeh?.documents?.[0]?.get_model_by_name(name)?.get_length() ?? 0) > 0"
OTHERS = [contents.address_of(title) for title in contents.TITLES if title not in contents.QUESTIONS]
KINDS = ["devices/block_size", "buffer/buffer_size", "economics/five_minute_rule", "path/path", *OTHERS]
"""A page of each kind; the first three are those where Tab went round in a list of chips once."""

# what has the focus, through all shadow roots: where it is, how it is ringed, and what it is called
FOCUSED = """() => {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  if (!at || at === document.body) return null
  window.focused_ids ??= new WeakMap()
  if (!window.focused_ids.has(at)) window.focused_ids.set(at, (window.focused_count = (window.focused_count ?? 0) + 1))
  const rings = []
  for (let node = at, up = 0; node && up < 4; node = node.parentElement ?? node.getRootNode().host, up++) {
    const {outlineStyle, outlineWidth, outlineColor} = getComputedStyle(node)
    if (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) rings.push(outlineColor)
  }
  return {id: window.focused_ids.get(at), ring: rings[0] ?? "", tag: at.outerHTML.slice(0, 160)}
}"""
# everything that Tab should stop at, counted apart from the browser
STOPS = """() => {
  let found = 0
  const walk = (root) => { for (const node of root.querySelectorAll("*")) {
    if (node.shadowRoot) walk(node.shadowRoot)
    const takes = node.matches("a[href], button, input, select, textarea, summary, [tabindex]") && node.tabIndex >= 0
    if (takes && !node.disabled && node.type !== "hidden" && node.checkVisibility({visibilityProperty: true})) found++
  } }
  walk(document)
  return found
}"""
# what is wider than its room: the page itself, and words that are cut
CUT = """() => {
  const cut = [], page = document.documentElement
  if (page.scrollWidth > page.clientWidth + 1) cut.push(`the page is ${page.scrollWidth} of ${page.clientWidth} wide`)
  const scrolls = (node) => {
    for (let up = node; up; up = up.parentElement ?? up.getRootNode().host)
      if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return true
    return false
  }
  const walk = (root) => { for (const node of root.querySelectorAll("*")) {
    if (node.shadowRoot) walk(node.shadowRoot)
    if (!node.matches("label, button, h1, h2, h3, p, a, summary, .bk-slider-title")) continue
    if (!node.checkVisibility({visibilityProperty: true}) || scrolls(node) || node.textContent.length < 2) continue
    if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth && getComputedStyle(node).display !== "inline")
      cut.push(node.textContent.trim().slice(0, 60))
    else if (node.getBoundingClientRect().right > page.clientWidth + 1) cut.push(node.textContent.trim().slice(0, 60))
  } }
  walk(document)
  return cut
}"""


@pytest.fixture(scope="module")
def visit(server, open_page):
    page = open_page()
    page.goto(server.renew_entry())
    page.get_by_role("heading", level=1).first.wait_for()
    yield page
    page.context.close()


def opened(page, address: str):
    """The page at an address, at rest."""
    page.evaluate("address => { location.hash = address }", address)
    page.wait_for_function("() => document.documentElement.dataset.opening === ''")
    name = address.partition("/")[2]
    if name in studies.STUDIES:
        page.wait_for_function(HAS_ROWS, arg=f"{name}.result")
        results = "study => Bokeh.documents[0].get_model_by_name(study + '.results').styles.opacity === '1'"
        page.wait_for_function(results, arg=name)
    page.wait_for_timeout(800)
    return page


@pytest.mark.parametrize("address", OTHERS)
def test_a_page_that_is_no_question_has_no_violation(visit, address):
    assert violations(opened(visit, address)) == []


@pytest.mark.parametrize("address", KINDS)
def test_tab_reaches_everything_in_order_and_leaves(visit, address):
    page = opened(visit, address)
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    stops, order = page.evaluate(STOPS), []
    for _ in range(stops + 60):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at is None or (order and at["id"] == order[0]["id"]):
            break  # out of the page
        order.append(at)
    else:
        pytest.fail(f"after {stops + 60} steps Tab is still at {order[-1]['tag']}")
    twice = [at["tag"] for number, at in enumerate(order) if at["id"] in {each["id"] for each in order[:number]}]
    assert twice == []
    assert len(order) >= 0.95 * stops, (f"{len(order)} of {stops} are reached", order[-1]["tag"], at)
    assert [at["tag"] for at in order if not at["ring"]] == []
    back = []
    for _ in range(6):
        page.keyboard.press("Shift+Tab")
        back.append(page.evaluate(FOCUSED))
    assert len({at["id"] for at in back if at}) >= 5


def test_many_chosen_chips_fold_and_their_names_can_still_be_read(visit, picture):
    page = opened(visit, "devices/block_size")
    picture(page, "chips-folded")
    fold = page.get_by_role("button", name="Devices: 5 chosen … Kingston DataTraveler 4 GB")
    assert "Samsung SSD 970 Pro 1 TB" in fold.inner_text()
    taken = page.get_by_role("button", name="Remove Intel X25-E 64 GB from Devices")
    assert (fold.get_attribute("aria-expanded"), taken.count()) == ("false", 0)
    fold.focus()
    page.keyboard.press("Enter")
    taken.wait_for()
    assert fold.count() == 0, "it is called otherwise now"
    assert violations(page) == []
    taken.click()
    taken.wait_for(state="detached")
    page.get_by_role("button", name="Remove Kingston DataTraveler 4 GB from Devices").wait_for()
    assert page.get_by_role("button", name=re.compile("^Devices: . chosen")).count() == 0, "four are few"
    page.get_by_role("button", name="Reset to preset").locator("visible=true").click()
    page.get_by_role("button", name="Devices: 5 chosen").wait_for()


def test_a_long_list_is_searched_by_typing_a_part_of_a_name(visit, picture):
    page = opened(visit, "buffer/buffer_size")
    chosen = "Bokeh.documents[0].get_model_by_name('buffer_size.device').value"
    before = page.evaluate(chosen)
    devices = page.locator("select[name='buffer_size.device']")
    devices.focus()
    page.keyboard.press("ArrowDown")
    line = page.get_by_role("combobox", name="Device: type part of a name")
    expect(line).to_be_focused()
    options = page.get_by_role("listbox", name=re.compile("^Device")).get_by_role("option")
    assert options.count() == devices.locator("option").count() > 15
    expect(page.get_by_role("option", selected=True).locator("visible=true")).to_have_text("Intel X25-E 64 GB")
    page.keyboard.type("1 tb 970")
    expect(options).to_have_text(["Samsung SSD 970 Pro 1 TB"])
    picture(page, "long-list")
    assert violations(page) == []
    page.keyboard.type(" none")
    expect(page.get_by_text("nothing is called so")).to_be_visible()
    page.keyboard.press("Escape")
    expect(line).to_have_count(0)
    expect(devices).to_be_focused()
    assert page.evaluate(chosen) == before
    page.keyboard.type("970 pro")  # the first sign opens it
    expect(options).to_have_count(2)
    page.keyboard.press("ArrowDown")
    second = options.nth(1).inner_text()
    assert line.get_attribute("aria-activedescendant") == options.nth(1).get_attribute("id")
    page.keyboard.press("Enter")
    page.wait_for_function(f"before => {chosen} !== before", arg=before)
    assert devices.evaluate("node => node.selectedOptions[0].text") == second
    opened(visit, "buffer/buffer_size")
    expect(devices).to_be_focused()
    devices.click()
    options.filter(has_text="Intel X25-E 64 GB").click()
    page.wait_for_function(f"before => {chosen} === before", arg=before)
    devices.select_option(label=second)  # as a screen reader's own list does
    page.wait_for_function(f"before => {chosen} !== before", arg=before)


def test_a_short_list_stays_as_it_is(visit):
    page = opened(visit, "devices/block_size")
    page.locator("select[name='block_size.preset']").focus()
    page.keyboard.press("r")
    page.wait_for_timeout(200)
    assert page.get_by_role("dialog").count() == 0


def test_a_chosen_chip_can_be_taken_away_by_key_and_says_what_it_is(visit):
    page = opened(visit, "devices/block_size")
    page.get_by_role("button", name="Block sizes: 9 chosen").press("Enter")
    button = page.get_by_role("button", name="Remove 1 MiB from Block sizes")
    button.focus()
    page.keyboard.press("Enter")
    button.wait_for(state="detached")
    page.wait_for_function(
        "!Bokeh.documents[0].get_model_by_name('block_size.block_sizes_bytes').value.includes('1048576')"
    )


def test_a_slider_says_its_name_and_its_value_as_people_read_it(visit):
    page = opened(visit, "devices/block_size")
    handle = page.get_by_role("slider", name="Span of the data")
    before = handle.get_attribute("aria-valuetext")
    assert before.endswith("B")
    handle.focus()
    page.keyboard.press("ArrowRight")
    chosen = "Bokeh.documents[0].get_model_by_name('block_size.span_bytes').value"
    page.wait_for_function(f"before => {chosen} !== before", arg=before)
    assert handle.get_attribute("aria-valuetext") == page.evaluate(chosen)


def test_a_figure_says_its_title_its_axes_and_the_finding(visit):
    page = opened(visit, "devices/block_size")
    picture = page.get_by_role("img", name="Random read.").first
    assert "throughput over block size" in picture.get_attribute("aria-label")
    finding = page.evaluate(
        "new DOMParser().parseFromString(Bokeh.documents[0].get_model_by_name('block_size.answer').text, 'text/html')"
        ".body.textContent.replace(/\\s+/g, ' ').trim()"
    )
    expect(picture).to_have_attribute("aria-label", re.compile(re.escape(finding[:40])))


def test_the_numbers_are_there_as_a_plain_table(visit):
    page = opened(visit, "devices/block_size")
    summary = page.get_by_text("The numbers as a plain table").first
    summary.focus()
    page.keyboard.press("Enter")
    table = page.get_by_role("table").first
    table.wait_for()
    shown = page.evaluate("Bokeh.documents[0].get_model_by_name('block_size.result').get_length()")
    assert table.get_by_role("row").count() == 1 + min(shown, 200)
    assert table.get_by_role("columnheader").first.inner_text() == "device"
    assert violations(page) == []
    page.keyboard.press("Enter")
    table.wait_for(state="detached")


def test_in_the_systems_own_colours_signs_and_legends_can_be_read(server, open_page, picture):
    """axe takes the colours that the page asks for, not those that the system puts in their place: look at pictures.

    A sign that is only a ground would be gone, and a legend's words on a ground of their own.
    """
    page = open_page(forced_colors="active")
    page.goto(server.renew_entry())
    page.get_by_role("heading", level=1).first.wait_for()
    assert page.evaluate("document.documentElement.dataset.theme") == "contrast"
    picture(opened(page, "start"), "forced-colours-start")
    picture(opened(page, "devices/block_size"), "forced-colours-question")
    sign = page.locator(".bk-description .bk-icon").locator("visible=true").first
    ground = sign.evaluate("node => getComputedStyle(node).backgroundColor")
    assert ground != page.evaluate("getComputedStyle(document.body).backgroundColor")
    legends = page.locator(".bk-Legend").locator("visible=true")
    assert legends.count()
    assert {each.evaluate("node => getComputedStyle(node).forcedColorAdjust") for each in legends.all()} == {"none"}
    page.context.close()


@pytest.mark.parametrize("width", [390, 720, 1024], ids=["phone", "200 %", "1024"])
def test_a_narrow_window_cuts_no_label(visit, width, picture):
    visit.set_viewport_size({"width": width, "height": 900})
    try:
        for address in KINDS:
            page = opened(visit, address)
            picture(page, f"narrow-{width}-{address.replace('/', '-')}")
            assert page.evaluate(CUT) == [], address
    finally:
        visit.set_viewport_size({"width": 1440, "height": 1000})


def test_on_a_phone_large_text_makes_no_page_wider(visit):
    large = "on => { Bokeh.documents[0].get_model_by_name('large_text').active = on }"
    visit.set_viewport_size({"width": 390, "height": 900})
    try:
        visit.evaluate(large, True)
        for address in ("start", "buffer/buffer_size", "buffer/stepper", "compare"):
            page = opened(visit, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
    finally:
        visit.evaluate(large, False)
        visit.set_viewport_size({"width": 1440, "height": 1000})


def test_on_a_phone_the_bars_leave_most_of_the_screen_and_all_of_them_can_be_reached(visit, picture):
    box = "(name) => Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name))?.el.getBoundingClientRect()"
    visit.set_viewport_size({"width": 390, "height": 844})
    try:
        page = opened(visit, "compare")  # the last of the links
        picture(page, "phone-bars")
        # but for what tests before left unsaved, and for as long as kernels compile, which is said across the page
        bars = f"({box})('place').top - (({box})('project.left_place')?.height ?? 0)"
        page.wait_for_function(f"{bars} <= 844 * 0.36")
        link = page.get_by_role("link", name="Compare", exact=True)
        assert link.evaluate("link => link.getBoundingClientRect().right") <= 390
        report = page.get_by_role("button", name="Report", exact=True)
        report.focus()
        assert report.evaluate("button => button.getBoundingClientRect().right") <= 390
    finally:
        visit.set_viewport_size({"width": 1440, "height": 1000})


# of each chart with names of rows: the colours of its uppermost pixels
TOP = """() => {
  const named = (model) => model.type === "Figure" && model.y_range.type === "FactorRange"
  const views = [...Bokeh.documents[0]._all_models.values()].filter(named).map((model) => Bokeh.index.find_one(model))
  return views.filter((view) => view?.el.checkVisibility({visibilityProperty: true})).map((view) => {
    const {ctx} = view.canvas_view.primary
    return new Set(new Uint32Array(ctx.getImageData(1, 0, ctx.canvas.width - 2, 1).data.buffer)).size
  })
}"""


def test_a_title_that_goes_on_in_a_second_line_leaves_nothing_above_it(visit):
    visit.set_viewport_size({"width": 1024, "height": 900})
    try:
        assert opened(visit, "disk/disk_sharing").evaluate(TOP) == [1, 1]
    finally:
        visit.set_viewport_size({"width": 1440, "height": 1000})


# of the charts with names of rows: those wider than they are seen, with names that overlap, or with words cut at a bar
CRAMPED = """() => {
  const pen = document.createElement("canvas").getContext("2d")
  const cramped = []
  for (const figure of Bokeh.documents[0]._all_models.values()) {
    if (figure.type !== "Figure" || figure.y_range.type !== "FactorRange") continue
    const view = Bokeh.index.find_one(figure)
    if (!view?.el.checkVisibility({visibilityProperty: true})) continue
    const said = (what) => cramped.push(`${what} of ${figure.title.text}`)
    if (view.el.getBoundingClientRect().right > document.documentElement.clientWidth) said("the right end")
    const [{formatter, major_label_text_font_size: font}] = figure.left
    const size = parseFloat(font.value ?? font)
    const names = formatter.doFormat(figure.y_range.factors, {loc: 0})
    const lines = names.map((name) => name.split("\\n").length)
    if (Math.max(...lines) * 1.2 * size * lines.length > figure.inner_height) said("the names")
    for (const words of figure.center.filter((each) => each.type === "LabelSet")) {
      const {data} = words.source
      pen.font = `${words.text_font_size.value ?? words.text_font_size} FONT`
      Array.from(data[words.x.field]).forEach((x, i) => {
        const at = (x - figure.x_range.start) / (figure.x_range.end - figure.x_range.start) * figure.inner_width
        if (at + 6 + pen.measureText(data[words.text.field][i]).width > figure.inner_width) said("words")
      })
    }
  }
  return cramped
}""".replace("FONT", style.FONT)


def test_on_a_phone_charts_with_names_of_rows_are_seen_whole(visit):
    visit.set_viewport_size({"width": 390, "height": 900})
    try:
        for address in ("transactions/force_noforce", "path/file_system_writes", "devices/energy_per_operation"):
            assert opened(visit, address).evaluate(CRAMPED) == [], address
    finally:
        visit.set_viewport_size({"width": 1440, "height": 1000})


# how far [pixels] the words at the knees of a study end from the right end of their figure
ROOM_AT_KNEES = """study => {
  const source = Bokeh.documents[0].get_model_by_name(`${study}.knees`)
  const figures = [...Bokeh.documents[0]._all_models.values()].filter((each) => each.type === "Figure")
  const figure = figures.find((each) => each.center.some((words) => words.source === source))
  const words = figure.center.find((each) => each.source === source)
  const [from, to] = [Math.log(figure.x_range.start), Math.log(figure.x_range.end)]
  const pen = document.createElement("canvas").getContext("2d")
  pen.font = `${words.text_font_size.value ?? words.text_font_size} FONT`
  const {field, value} = words.x_offset
  return Array.from(source.data.x).map((x, i) => figure.inner_width * (to - Math.log(x)) / (to - from)
    - (field ? source.data[field][i] : value ?? words.x_offset) - pen.measureText(source.data.text[i]).width)
}""".replace("FONT", style.FONT)


def test_on_a_phone_the_rates_at_the_knees_are_seen_whole(visit):
    visit.set_viewport_size({"width": 390, "height": 900})
    try:
        for study in ("path_goal", "response_goal"):
            page = opened(visit, f"plan/{study}")
            page.wait_for_function(HAS_ROWS, arg=f"{study}.knees")  # the simulation, after the formula
            page.wait_for_timeout(800)
            assert min(page.evaluate(ROOM_AT_KNEES, study)) >= 0, study
    finally:
        visit.set_viewport_size({"width": 1440, "height": 1000})
