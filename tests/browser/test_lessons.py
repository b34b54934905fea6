"""The lessons in a real JupyterLab in a real Chromium, with the network cut."""

import contextlib
import math
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from bokeh.models import ColumnDataSource
from playwright.sync_api import expect

from helpers.lesson_session import IN_THE_PAGE, Lesson
from pagecost import _jit, devices, studies
from pagecost.studies.devices import block_size
from pagecost.studies.fields import kind_of
from pagecost_app import lab as lab_command
from pagecost_app.charts import CHARTS, style

ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))
FIRST = "01_what_does_a_page_access_cost"  # the one with most kinds of cells
STEPS, BUDGET_MS = 30, 100
ROUNDS, TAIL = 5, 1.5  # as for the app's pages: one round counts, its median within the budget, 95 % within the tail
WINDOW = {"width": 1440, "height": 1500}
MOVED = (FIRST, "06_buffer_management", "10_transactions_over_extended_storage")  # they stay open: tests move in them
REMEMBER = """
from pathlib import Path
from helpers.remembered import remembering
_remembering = remembering(Path({folder!r}), reuse=True)
_remembering.__enter__()
del Path, remembering
"""  # in a lesson's kernel, before its first cell
LOOKS = {  # colours, and how large the page is in its own pixels; at 200 % a screen of 1440 has 720
    "light": ("light", WINDOW),
    "dark-narrow": ("dark", {"width": 1024, "height": 768}),
    "dark-twice": ("dark", {"width": 720, "height": 750}),  # each change of colours takes seconds
}
# study, its slider that is moved, the chart's source that must follow
SLIDERS = pytest.mark.parametrize(
    ("study", "field", "source"),
    [
        ("block_size", "span_bytes", "block_size.detail"),
        ("buffer_size", "frames", "buffer_size.cost"),
    ],
    ids=["block_size", "buffer_size"],
)


@pytest.fixture(scope="session")
def lab(tmp_path_factory, answers_folder):
    """The address of a JupyterLab as `pagecost lab` starts it, on copies of the lessons, with no settings of ours.

    Its kernels take answers to defaults and presets from the tests that computed them: what the cells compute is
    nbval's to check, here it is what a browser makes of it.
    """
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    startup = folder / "ipythondir" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "answers.py").write_text(REMEMBER.format(folder=str(answers_folder)))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = (
        *("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"),
        *("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"),
    )
    command = [
        *(sys.executable, "-m", "jupyterlab", *lab_command.arguments(folder / "notebooks", port)),
        *("--no-browser", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"),
    ]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), **{name: str(folder / name.lower()) for name in own}},
        )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for_server(server, address, folder / "log")
        yield address
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_for_server(server, address: str, log: Path) -> None:
    give_up = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/api/status", timeout=10).close()
            return
        assert server.poll() is None, log.read_text()
        assert time.monotonic() < give_up, f"JupyterLab does not answer: {log.read_text()}"
        time.sleep(0.2)


class Lessons(dict):
    """The lessons that are open, by name."""

    def __init__(self, lab, open_page):
        self._lab, self._open_page = lab, open_page

    def __call__(self, name: str = FIRST) -> Lesson:
        """The lesson, opened and run where it is not open."""
        if name not in self:
            self[name] = Lesson(self._open_page(viewport=WINDOW), self._lab, name)
        return self[name]

    def close(self, name: str) -> None:
        self.pop(name).close()


@pytest.fixture(scope="module")
def lessons(lab, open_page):
    """lessons(name) -> the lesson, opened and run once for all its tests."""
    opened = Lessons(lab, open_page)
    yield opened
    for name in list(opened):
        opened.close(name)


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[] if name == FIRST else pytest.mark.whole) for name in LESSONS]
)
def each(request, lessons):
    """One lesson after the other, open while its tests run: seventeen kernels and pages at once are 15 GB."""
    yield lessons(request.param)
    if request.param not in MOVED:
        lessons.close(request.param)


@pytest.fixture
def lesson(lessons):
    """The first lesson, its explorations at their start."""
    first = lessons()
    for study in CHARTS:
        if first.explorer(study).count():
            first.bring_up(study)
            first.reset(study)
    return first


def answered(study: str, **values):
    """Inputs, the engine's answer, and the totals that the lower or right chart shows, 0 where nothing is known."""
    inputs = studies.find(study).inputs(values)
    result = studies.find(study).compute(inputs)
    if study == "block_size":
        return inputs, result, np.nan_to_num([time for _, time in block_size.detail_s(inputs, result).values()])
    return inputs, result, result["time_per_reference_s"][result.rows(chosen=True)]


def same(shown: list, expected: list) -> bool:
    """Equal texts, and numbers equal up to their last digits; what is not known is nan here and null in the page."""

    def alike(a, b):
        if isinstance(b, str):
            return a == b
        return (a is None or a != a) if b != b else math.isclose(a, b, rel_tol=1e-12)

    return len(shown) == len(expected) and all(map(alike, shown, expected))


def percentile_95(times: list[float]) -> float:
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


def test_a_lesson_runs_without_an_error_and_asks_nothing_of_the_network(each, picture):
    lesson = each
    assert [said for said in lesson.errors if said.strip() != _jit.ANNOUNCEMENT] == []  # a fresh machine compiles
    assert lesson.page.outside == []
    assert lesson.page.problems == []
    assert lesson.page.locator(".jp-Dialog").count() == 0
    assert lesson.page.get_by_text("Would you like to get notified").count() == 0
    lesson.page.evaluate("document.querySelector('.jp-Notebook .jp-WindowedPanel-outer').scrollTo(0, 0)")
    lesson.page.locator(".jp-Notebook h1").first.wait_for()  # the notebook draws only the cells in view
    picture(lesson.page, f"lesson-{lesson.name[:2]}-top")


def test_every_chart_of_a_lesson_is_drawn_and_everything_in_it_has_a_name(each, picture):
    lesson = each
    for study in CHARTS:
        for explorer in lesson.explorers(study):
            lesson.bring_up(explorer)
            picture(explorer, f"lesson-{lesson.name[:2]}-{study}-light")
    for figure in lesson.page.locator("[role=figure]").all():
        assert len(figure.get_attribute("aria-label")) > 40
    for handle in lesson.page.locator(".noUi-handle").all():
        assert handle.get_attribute("aria-label")
        assert handle.get_attribute("aria-valuetext")
    formulas = lesson.page.locator(".jp-OutputArea-output mjx-container").all_inner_texts()
    assert formulas == [], "two prices in dollars are no formula"
    for group in lesson.page.locator(".pagecost-group").all():
        assert group.get_attribute("role") == "group"
        assert group.get_attribute("aria-label")


def test_a_lesson_can_be_read_in_the_dark_on_a_narrow_screen_and_at_twice_the_size(each, picture):
    lesson, page = each, each.page
    page.evaluate("look.whole(true)")
    wrong = []
    for look, (colours, size) in LOOKS.items():
        page.emulate_media(color_scheme=colours)
        page.set_viewport_size(size)
        page.wait_for_function("dark => document.body.dataset.jpThemeLight === String(!dark)", arg=colours == "dark")
        found = page.evaluate("[...look.cut(), ...look.faint(), ...look.sideways()]")
        wrong += [f"{look}: {each}" for each in found]
        if (chart := page.locator(".pagecost-explorer").first).count():
            chart.scroll_into_view_if_needed()
            picture(page, f"lesson-{lesson.name[:2]}-{look}")
    if lesson.name in MOVED:  # the others are closed now
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(WINDOW)
        page.evaluate("look.whole(false)")
    assert not wrong, "\n".join(wrong)


@SLIDERS
def test_a_key_on_a_slider_changes_the_chart_to_what_the_engine_computes(lesson, study, field, source):
    before = lesson.stop(study, field)
    lesson.slider(study, field).focus()
    lesson.page.keyboard.press("ArrowRight")
    lesson.page.keyboard.press("ArrowRight")
    value = lesson.stop(study, field)
    assert value > before
    inputs, result, totals = answered(study, **{field: value})
    lesson.wait_until_shown(source, "total", totals)
    words = studies.find(study).describe(inputs, result)
    assert lesson.explorer(study).locator("[role=figure]").get_attribute("aria-label") == words
    answer = lesson.explorer(study).locator(".pagecost-answer", has_text=words)
    answer.wait_for()
    title = studies.find(study).Inputs.model_fields[field].title
    assert lesson.slider(study, field).get_attribute("aria-label") == f"● {title}", "a changed value is marked"


@SLIDERS
def test_every_number_of_the_chart_is_the_engines_after_a_drag_with_the_mouse(lesson, study, field, source):
    before = lesson.stop(study, field)
    handle = lesson.slider(study, field)
    handle.hover()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    lesson.page.mouse.down()
    lesson.page.mouse.move(x - 60, y, steps=10)
    lesson.page.mouse.up()
    value = lesson.stop(study, field)
    assert value < before
    inputs, result, totals = answered(study, **{field: value})
    lesson.wait_until_shown(source, "total", totals)
    chart = CHARTS[study]()
    chart.update(inputs, result)
    for shown in chart.root.select({"type": ColumnDataSource}):
        columns = lesson.columns(shown.name)
        for name, values in shown.data.items():
            assert same(columns[name], list(values)), f"{shown.name}.{name}"


@pytest.mark.timed
@SLIDERS
def test_the_chart_follows_the_slider_within_a_tenth_of_a_second(lesson, study, field, source, capsys):
    there_and_back = ["ArrowRight"] * 5 + ["ArrowLeft"] * 5
    steps = ["ArrowRight"] * STEPS if study == "buffer_size" else there_and_back * (STEPS // 10)
    for _ in range(ROUNDS):
        lesson.reset(study)
        lesson.slider(study, field).focus()
        seen = pressed(lesson, steps, source)
        middle, late = sorted(seen["data"])[STEPS // 2], percentile_95(seen["data"])
        with capsys.disabled():
            print(f"\n{study}: key to data {middle:.0f} ms in the middle, 95 % within {late:.0f}, ", end="")
            print(f"picture {percentile_95(seen['painted']):.0f} ms")
        if middle < BUDGET_MS and late < TAIL * BUDGET_MS:
            return
    pytest.fail(f"in no round of {ROUNDS} was the middle below {BUDGET_MS} ms and 95 % below {TAIL} times that")


def pressed(lesson, keys: list[str], source: str) -> dict:
    """Press the keys one after the other, each when the picture of the one before is drawn; the times they took."""
    lesson.page.evaluate("name => lesson.watch(name)", source)
    for count, key in enumerate(keys, start=1):
        lesson.page.keyboard.press(key)
        lesson.page.wait_for_function("count => lesson.seen.painted.length >= count", arg=count)
    seen = lesson.page.evaluate("lesson.seen")
    assert len(seen["data"]) == len(keys), "one change of the data for each key"
    return seen


def test_after_a_reload_of_the_page_the_chart_shows_what_the_widgets_say(lesson):
    lesson.slider("buffer_size", "frames").focus()
    for _ in range(4):
        lesson.page.keyboard.press("ArrowRight")
    value = lesson.stop("buffer_size", "frames")
    *_, totals = answered("buffer_size", frames=value)
    lesson.wait_until_shown("buffer_size.cost", "total", totals)
    lesson.reload()
    lesson.bring_up("buffer_size")
    assert lesson.stop("buffer_size", "frames") == value
    lesson.wait_until_shown("buffer_size.cost", "total", totals)
    lesson.slider("buffer_size", "frames").focus()
    lesson.page.keyboard.press("ArrowLeft")
    *_, totals = answered("buffer_size", frames=lesson.stop("buffer_size", "frames"))
    lesson.wait_until_shown("buffer_size.cost", "total", totals)
    assert lesson.page.problems == []


def test_a_chart_follows_the_theme(lesson, picture):
    def wait_for_ground(colour: str):
        for source in ("block_size.detail", "buffer_size.cost"):
            lesson.page.wait_for_function(
                """([name, colour]) => lesson.model((model) => model.type === "Figure" && model.renderers.some(
                  (renderer) => renderer.data_source?.name === name)).border_fill_color === colour""",
                arg=[source, colour],
            )

    wait_for_ground(style.LIGHT["ground"])
    lesson.page.emulate_media(color_scheme="dark")
    wait_for_ground(style.DARK["ground"])
    for study in CHARTS:
        if lesson.explorer(study).count():
            lesson.bring_up(study)
            picture(lesson.explorer(study), f"lesson-01-{study}-dark")
    lesson.page.emulate_media(color_scheme="light")
    wait_for_ground(style.LIGHT["ground"])


def test_bad_input_is_said_in_a_sentence_and_the_last_answer_stays(lesson, picture):
    explorer = lesson.explorer("buffer_size")
    before = lesson.columns("buffer_size.cost")
    file = explorer.get_by_label("or your own")
    file.fill("no-such-trace")
    file.press("Enter")
    alert = explorer.get_by_role("alert")
    alert.wait_for()
    assert "unknown trace 'no-such-trace'" in alert.text_content()
    assert lesson.columns("buffer_size.cost") == before
    picture(explorer, "lesson-01-bad-input")
    file.fill("")
    file.press("Enter")
    alert.wait_for(state="detached")


def test_a_device_can_be_taken_away_and_another_added(lesson):
    explorer = lesson.explorer("block_size")
    explorer.get_by_role("button", name="wd400bb ✕").click()
    group = explorer.get_by_role("group", name="Devices")
    group.get_by_role("combobox").select_option(label=_label("cheetah-15k5"))
    chosen = ("hgst-7k1000-750gb", "intel-x25-e", "samsung-970-pro-1tb", "fernando-flash-drive", "cheetah-15k5")
    *_, totals = answered("block_size", devices=chosen)
    lesson.wait_until_shown("block_size.detail", "total", totals)
    assert lesson.columns("block_size.detail")["name"] == list(map(devices.title_of, chosen))


def _label(device: str) -> str:
    options = kind_of(studies.find("block_size").Inputs.model_fields["devices"]).options()
    return f"{options[device]} ({device})"


def test_a_preset_sets_every_input_and_reasons_and_numbers_open(lesson, picture):
    explorer = lesson.explorer("block_size")
    explorer.get_by_label("Preset").select_option(label="models beside a measured virtual disk")
    inputs = studies.find("block_size").inputs(preset="models beside a measured virtual disk")
    _, result, totals = answered("block_size", **inputs.model_dump())
    lesson.wait_until_shown("block_size.detail", "total", totals)
    for name in ("How was this computed?", "The numbers"):
        explorer.get_by_role("button", name=name, expanded=False).click()
        explorer.get_by_role("button", name=name, expanded=True).wait_for()
    for line in studies.find("block_size").explain(inputs, result):
        explorer.get_by_text(line).wait_for()
    assert explorer.locator("table tbody tr").count() == len(result)
    saved = {}
    for kind in ("CSV", "SVG", "PNG"):
        with lesson.page.expect_download() as download:
            explorer.get_by_role("button", name=f"Save {kind}").click()
        assert download.value.suggested_filename == f"block_size.{kind.lower()}"
        saved[kind] = Path(download.value.path()).read_bytes()
    lines = saved["CSV"].decode("utf8").splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("#")) == result.csv()
    for text in (saved["SVG"].decode("utf8"), "".join(lines)):
        assert "pagecost run block_size" in text
    assert saved["PNG"][:4] == b"\x89PNG"
    picture(lesson.page, "lesson-01-reasons-and-numbers")
    for name in ("How was this computed?", "The numbers"):
        explorer.get_by_role("button", name=name).click()
    explorer.get_by_label("Preset").select_option(label="as this exploration starts")


def test_an_exported_lesson_shows_its_charts_without_a_kernel(page, tmp_path, picture):
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    command = [
        *(sys.executable, "-m", "nbconvert", "--execute", "--to", "html", f"--output-dir={tmp_path}"),
        ROOT / "notebooks" / f"{FIRST}.ipynb",
    ]
    environment = {**os.environ, "PAGECOST_EXPORT": "1", **{name: str(tmp_path / name.lower()) for name in own}}
    subprocess.run(command, check=True, capture_output=True, env=environment, timeout=120)
    page.add_init_script(path=IN_THE_PAGE)
    page.goto((tmp_path / f"{FIRST}.html").as_uri())
    page.wait_for_function("document.querySelectorAll('[role=figure]:not(.walk-figure)').length === 2")
    page.wait_for_function("lesson.ink().every((colours) => colours > 20)")
    page.get_by_role("figure").first.scroll_into_view_if_needed()
    picture(page, "lesson-01-exported")


def test_the_lessons_stepper_is_walked_by_keys_alone(lessons, picture):
    lesson = lessons(MOVED[1])
    stepper = lesson.page.locator(".pagecost-stepper").nth(1)
    stepper.scroll_into_view_if_needed()
    news = stepper.get_by_role("status")
    stepper.locator(".pagecost-walk-boxes").focus()
    for _ in range(7):
        lesson.page.keyboard.press("ArrowRight")
    expect(news).to_contain_text("Reference 7 writes page 5")
    expect(news).to_contain_text("least recently used clean page of the window")
    picture(stepper, "lesson-06-stepper-light")
    stepper.get_by_label("go to reference 10,").click()  # the picture is drawn anew, and the keys still work
    expect(news).to_contain_text("Reference 10 ")
    for key, said in (("ArrowLeft", "Reference 9 "), ("End", "Reference 16"), ("Home", "The buffer is empty.")):
        lesson.page.keyboard.press(key)
        expect(news).to_contain_text(said)
    lesson.page.keyboard.press("Space")
    expect(news).to_contain_text("Reference 2 ")
    lesson.page.keyboard.press("Space")
    lesson.page.emulate_media(color_scheme="dark")
    lesson.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    picture(stepper, "lesson-06-stepper-dark")
    lesson.page.emulate_media(color_scheme="light")
    assert lesson.page.outside == lesson.page.problems == []


def test_the_lessons_path_is_walked_by_keys_alone_and_says_who_caused_an_erase(lessons, picture):
    lesson = lessons(MOVED[2])
    stepper = lesson.page.locator(".pagecost-stepper")
    stepper.scroll_into_view_if_needed()
    news, keyboard = stepper.get_by_role("status"), lesson.page.keyboard
    stepper.locator(".pagecost-walk-boxes").focus()
    keyboard.press("Home")
    expect(news).to_contain_text("Nothing has happened yet")
    for _ in range(3):
        keyboard.press("ArrowRight")
    expect(news).to_contain_text("The buffer does not have ACCOUNT 6: a miss.")
    for key, said in (("PageDown", "Transaction 2 (Debit-Credit) begins."), ("e", "erases its block")):
        keyboard.press(key)
        expect(news).to_contain_text(said)
    keyboard.press("w")
    why = stepper.get_by_role("note")
    expect(why).to_contain_text("because the page cache wrote")
    picture(stepper, "lesson-10-path-light")
    stepper.locator("ol.why button").last.click()
    expect(news).to_contain_text("begins.")
    expect(why).to_contain_text("This is where it begins")
    stepper.locator(".pagecost-walk-boxes").focus()
    keyboard.press("w")
    expect(why).to_have_count(0)
    keyboard.press("Home")
    expect(news).to_contain_text("Nothing has happened yet")
    lesson.page.emulate_media(color_scheme="dark")
    lesson.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    keyboard.press("e")
    expect(news).to_contain_text("erases its block")
    picture(stepper, "lesson-10-path-dark")
    keyboard.press("Home")
    lesson.page.emulate_media(color_scheme="light")
    assert lesson.page.outside == lesson.page.problems == []
