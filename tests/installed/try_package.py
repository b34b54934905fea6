"""The Debian packages of `dist`, installed in a clean Debian and used there as by a person.   make test-package

Each is installed by apt in a root of its own that debootstrap made, with what it depends on and nothing that it only
recommends. From then on there is no network, the user is an ordinary one and the home is empty. It takes some minutes,
Linux and root, so it is not part of `make test`: run it before a package is given away. Seconds are printed with the
machine's load and not judged.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import TimeoutError, expect, sync_playwright

from helpers.chromium import launched
from helpers.debian_root import (
    HOME,
    DebianRoot,
    bootstrapped,
    forget,
    memory_mb,
    program_of,
    without_network,
)
from helpers.dropped import drop
from helpers.packaged_program import (
    PATIENCE_S,
    close_window,
    drag,
    drawn,
    page_of,
    press,
    screen,
    type_into,
    until,
    wait_for_change,
    wait_for_chart,
)
from helpers.slider_times import SLIDERS, moves_ms
from pagecost import studies, system
from pagecost_app.pages import claims_page, contents, import_page
from pagecost_app.pages.system_bar import FOLDED
from pagecost_app.workspace import project_file

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
PORT = 9333  # of the web view's debugger; nobody else is on this loopback
STATE = ".local/state/pagecost"
HEADING = "What does a database page access cost?"
AT = "address => Bokeh.documents[0].get_model_by_name('address')?.value === address"
VALUE = "name => Bokeh.documents[0].get_model_by_name(name)?.value"
ANSWERED = """study => Bokeh.documents[0].get_model_by_name(study + '.answer')?.text.length > 0
  && Bokeh.documents[0].get_model_by_name(study + '.result')?.get_length() > 0"""
MADE = "name => [...Bokeh.documents[0]._all_models.values()].some((model) => model.name?.startsWith(name + '.'))"
WAY_OUT = 'print IO::Socket::INET->new("192.0.2.1:443") ? "connected" : $!'


def package(name: str) -> Path:
    found = sorted(DIST.glob(f"{name}_*.deb"))
    assert len(found) == 1, f"dist holds {len(found)} packages of {name}: run make package"
    return found[0]


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    """Package -> a root in which it was installed. Once both are there, the network is left for good."""
    base, folder = bootstrapped(ROOT / "build" / "roots"), tmp_path_factory.mktemp("roots")
    made = {name: DebianRoot(base, folder / name) for name in ("pagecost", "pagecost-browser")}
    for name, root in made.items():
        began = time.monotonic()
        root.install(package(name))
        size_mb = package(name).stat().st_size / 1e6
        print(f"\n{name}: {size_mb:.0f} MB, installed in {time.monotonic() - began:.0f} s, {load()}")
    with without_network():
        yield made


@pytest.fixture(scope="module")
def whole(roots):
    return roots["pagecost"]


@pytest.fixture(scope="module")
def playwright(roots):
    """Playwright, without the network."""
    expect.set_options(timeout=1000 * PATIENCE_S)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def display(roots):
    with screen() as name:
        yield name


@pytest.fixture
def empty_home(whole):
    whole.run(f"rm -rf {HOME}/* {HOME}/.[a-z]*", user=0)
    return whole.home


@pytest.fixture
def window(whole, display, playwright):
    """window(*arguments) -> (the program, the page in its window), as a context. `page.problems` are of its console."""

    @contextlib.contextmanager
    def opened(*arguments):
        debugging = {"DISPLAY": display, "QTWEBENGINE_REMOTE_DEBUGGING": f"127.0.0.1:{PORT}"}
        with (
            whole.running("pagecost", "app", *arguments, **debugging) as app,
            page_of(app, PORT, playwright.chromium) as page,
        ):
            until(lambda: app.report("page ready"), "the first page", app.complained)
            page.problems = []
            page.on("pageerror", lambda error: page.problems.append(str(error)))
            page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
            yield app, page

    return opened


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def go(page, address: str) -> None:
    page.evaluate("address => { location.hash = address }", address)
    page.wait_for_function(AT, arg=address)


def is_well(app, page, home: Path) -> None:
    """Nothing went wrong in the page, in what the program said and in its log."""
    assert page.problems == []
    assert "Traceback" not in app.complained()
    log = "".join(path.read_text() for path in (home / STATE / "log").iterdir())
    assert "begun: version" in log
    assert "Traceback" not in log
    assert " ERROR " not in log


def kill(app) -> None:
    """As by a crash."""
    program_of(app.process).send_signal(signal.SIGKILL)
    app.process.wait(PATIENCE_S)


def test_the_root_has_no_python_no_network_and_what_a_desktop_and_a_shell_look_for(roots):
    for name, root in roots.items():
        assert root.run("command -v python3 python").stdout == ""
        assert root.run(f"perl -MIO::Socket::INET -e '{WAY_OUT}'").stdout == "Network is unreachable"
        entry = (root.place / "usr/share/applications/pagecost.desktop").read_text().splitlines()
        facts = dict(line.split("=", 1) for line in entry if "=" in line)
        assert root.run(f"command -v {facts['Exec'].split()[0]}").stdout.strip() == "/usr/bin/pagecost"
        icons = root.place / "usr/share/icons/hicolor"
        assert (icons / f"scalable/apps/{facts['Icon']}.svg").read_text().lstrip().startswith("<")
        assert (icons / f"256x256/apps/{facts['Icon']}.png").read_bytes().startswith(b"\x89PNG")
        kinds = (root.place / "usr/share/mime/packages/pagecost.xml").read_text()
        assert f'type="{facts["MimeType"].rstrip(";")}"' in kinds
        assert ".TH" in root.run("zcat /usr/share/man/man1/pagecost.1.gz").stdout
        assert "licences/README.md" in (root.place / f"usr/share/doc/{name}/copyright").read_text()
        licences = root.place / "usr/lib/pagecost/licences"
        listed = (licences / "README.md").read_text()
        assert ("PySide6" in listed) == (name == "pagecost")
        assert len(list(licences.iterdir())) > 20


@pytest.mark.parametrize("name", ["pagecost", "pagecost-browser"])
@pytest.mark.parametrize(
    ("command", "expected"), [("--help", "Commands:"), ("studies", "buffer_size"), ("run block_size", "carries most")]
)
def test_the_command_line_answers(roots, name, command, expected):
    began = time.monotonic()
    done = roots[name].run(f"pagecost {command}")
    print(f"\n{name} {command}: {time.monotonic() - began:.1f} s, {load()}")
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["pagecost", "pagecost-browser"])
def test_the_ledger_is_known_without_being_checked(roots, name):
    """Its verdicts were found when the package was made; from nothing they take some ten minutes."""
    began = time.monotonic()
    done = roots[name].run("pagecost claims")
    print(f"\n{name} claims: {time.monotonic() - began:.1f} s, {load()}")
    assert done.returncode == 0, done.stderr
    headline = " ".join(done.stdout.split("\n\n")[0].split())
    assert headline.rstrip(".") in " ".join((ROOT / "README.md").read_text().replace("**", "").split())


def test_the_window_starts_cold_and_warm_with_an_empty_home(whole, empty_home, window):
    for temperature in ("cold", "warm"):
        if temperature == "cold":
            forget(whole.place / "usr")
        with window() as (app, page):
            page.get_by_role("heading", name=HEADING).wait_for()
            ready_s = app.report("page ready")["seconds"]
            shown_s = app.report("window shown")["seconds"]
            began = time.monotonic()
            go(page, "devices/block_size")
            wait_for_chart(page, "block_size.result")
            chart_s = time.monotonic() - began
            kernels = until(lambda app=app: app.report("kernels ready"), "the kernels")
            assert kernels["compilations"] == 0
            print(f"\n{temperature}: window after {shown_s:.1f} s, page after {ready_s:.1f} s,", end=" ")
            print(f"a chart {chart_s:.1f} s later; {memory_mb(app.process):.0f} MB, {load()}")
            is_well(app, page, empty_home)


def test_every_page_opens_and_answers_mouse_and_keyboard(whole, empty_home, window, display):
    trace = empty_home / "long.txt"
    with trace.open("wb") as file:
        for _ in range(12):  # some ten seconds of reading: long enough to be stopped by hand
            file.write(b"1 r\n2 w\n" * 8_000_000)
    with window() as (app, page):
        visited = []
        for title, names in contents.QUESTIONS.items():
            for name in names:
                go(page, contents.address_of(title, name))
                try:
                    made = name.removesuffix("-stepper")  # as the models of a walk are called
                    page.wait_for_function(ANSWERED if name in studies.STUDIES else MADE, arg=made)
                except TimeoutError as error:
                    pytest.fail(f"{name}, page {len(visited) + 1}, did not answer: {error}")
                assert (name, page.get_by_role("alert").all_inner_texts()) == (name, [])
                visited.append(name)
        for title in (claims_page.TITLE, import_page.TITLE, contents.COMPARE):
            go(page, contents.address_of(title))
            page.wait_for_timeout(1000)
            visited.append(title)
        print(f"\n{len(visited)} pages; {memory_mb(app.process):.0f} MB, {load()}")

        go(page, "buffer/buffer_size")
        wait_for_chart(page, "buffer_size.result")  # a page that was left long ago is made anew
        before = drawn(page, "buffer_size.result")
        page.locator("select[name='buffer_size.preset']").select_option(index=1)
        wait_for_change(page, "buffer_size.result", before)
        before = drawn(page, "buffer_size.result")
        press(page, "buffer_size.frames", "ArrowRight", 2)
        wait_for_change(page, "buffer_size.result", before)
        go(page, "devices/block_size")
        wait_for_chart(page, "block_size.result")
        before = drawn(page, "block_size.result")
        drag(page, "block_size.span_bytes", 60)
        wait_for_change(page, "block_size.result", before)

        go(page, "buffer/trace_insight")
        field = page.get_by_placeholder("path of a file of your own").locator("visible=true")
        field.fill(f"{HOME}/long.txt")
        field.press("Enter")
        page.get_by_role("button", name="Cancel", exact=True).locator("visible=true").click()
        expect(page.get_by_text("Stopped at").locator("visible=true").first).to_be_visible()

        page.get_by_role("button", name=FOLDED).click()
        drop(page.locator("body"), "theirs.toml", system.text(system.System(name="of a colleague")))
        expect(page.get_by_text("Opened theirs.toml.")).to_be_visible()
        is_well(app, page, empty_home)
        close_window(display, "pagecost")
        assert app.process.wait(PATIENCE_S) == 0
        assert app.report("closed")["compilations"] == 0


def test_a_slider_of_every_question_changes_its_chart(whole, empty_home, window):
    medians, late = {}, {}
    with window() as (app, page):
        for title, names in contents.QUESTIONS.items():
            for name in filter(studies.STUDIES.__contains__, names):
                go(page, contents.address_of(title, name))
                page.wait_for_function(ANSWERED, arg=name)
                page.wait_for_timeout(1500)  # as somebody who reads first
                times = moves_ms(page, name)
                if times is not None:
                    medians[name], late[name] = float(np.median(times)), float(np.percentile(times, 95))
                elif page.evaluate(SLIDERS, name):
                    pytest.fail(f"{name}: no slider changes a chart")
        is_well(app, page, empty_home)
    slow = ", ".join(f"{name} {medians[name]:.0f}" for name in sorted(medians, key=medians.__getitem__)[-12:])
    shares = [np.mean([*map(bound.__ge__, times.values())]) for bound, times in ((60.0, medians), (100.0, late))]
    print(f"\nslider to chart: {len(medians)} questions, of {shares[0]:.0%} the median is within 60 ms,", end=" ")
    print(f"of {shares[1]:.0%} 95 % within 100 ms; slowest medians [ms]: {slow}; {load()}")


def test_a_project_is_killed_recovered_saved_opened_and_reported(whole, empty_home, window, display, playwright):
    frames = "buffer_size.frames"
    with window() as (app, page):
        go(page, "buffer/buffer_size")
        page.wait_for_function(ANSWERED, arg="buffer_size")
        page.evaluate("location.hash = 'buffer_size?frames=64'")  # as a link does
        page.wait_for_function(f"name => ({VALUE})(name) === '64 frames'", arg=frames)
        expect(page.get_by_text("not saved in a file yet")).to_be_visible()
        until(lambda: list((empty_home / STATE).rglob("*.pagecost")), "what is kept for recovery")
        kill(app)

    with window() as (app, page):
        page.get_by_role("button", name="Go on with it").click()
        page.wait_for_function(f"name => ({VALUE})(name) === '64 frames'", arg=frames)
        page.wait_for_function(ANSWERED, arg="buffer_size")
        page.get_by_role("button", name="Save", exact=True).click()
        type_into(display, "Save as", f"{HOME}/mine.pagecost")
        expect(page.get_by_text("all saved")).to_be_visible()
        kept = project_file.read(empty_home / "mine.pagecost").state
        assert kept["questions"]["buffer_size"]["values"]["frames"] == 64
        page.get_by_role("button", name="Report", exact=True).click()
        type_into(display, "Save", f"{HOME}/report.html")
        report = empty_home / "report.html"
        until(report.exists, "the report")
        is_well(app, page, empty_home)
        kill(app)

    with window(f"{HOME}/mine.pagecost") as (app, page):  # as the menu entry opens a file
        page.wait_for_function(f"name => ({VALUE})(name) === '64 frames'", arg=frames)
        is_well(app, page, empty_home)

    reader = launched(playwright)
    shown = reader.new_page()
    problems = []
    shown.on("pageerror", lambda error: problems.append(str(error)))
    shown.goto(report.as_uri())
    shown.wait_for_function("window.Bokeh?.documents?.length == 1")
    shown.locator("canvas:visible").first.wait_for()
    expect(shown.get_by_text("64 frames").first).to_be_visible()
    assert problems == []
    reader.close()


def test_the_small_package_shows_itself_in_the_systems_browser_and_ends_with_its_page(roots, display, playwright):
    root = roots["pagecost-browser"]
    browser = root.place / "usr/local/bin/chromium"  # says what it is to show; the one outside shows it
    browser.write_text('#!/bin/sh\necho "$1" > /tmp/run/asked.new; mv /tmp/run/asked.new /tmp/run/asked\n')
    browser.chmod(0o755)
    with root.running("pagecost", "app", DISPLAY=display) as app:
        asked = root.place / "tmp/run/asked"
        until(asked.exists, "the browser", lambda: app.printed() + app.complained())
        assert "it ends when its last page is closed" in app.printed()
        entry = root.place / asked.read_text().strip().removeprefix("--app=file:///")
        reader = launched(playwright)
        page = reader.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(entry.as_uri())
        page.get_by_role("heading", name=HEADING).wait_for()
        ready_s = app.report("page ready")["seconds"]
        go(page, "devices/block_size")
        wait_for_chart(page, "block_size.result")
        print(f"\npage after {ready_s:.1f} s; {memory_mb(app.process):.0f} MB without the browser, {load()}")
        assert problems == []
        reader.close()
        assert app.process.wait(PATIENCE_S) == 0
        assert "Traceback" not in app.complained()
        assert "PySide6" not in app.complained()
