"""The packaged program, as a user has it: another folder, a fresh home, its own window, a mouse and a keyboard."""

import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from PyInstaller.archive.readers import CArchiveReader

from helpers.packaged_program import (
    PATIENCE_S,
    close_window,
    drag,
    drawn,
    family,
    free_port,
    is_alive,
    page_of,
    press,
    running,
    screen,
    until,
    wait_for_change,
    wait_for_chart,
)
from pagecost import _ahead

ROOT = Path(__file__).parents[2]
VISITED = ("devices/block_size", "devices/best_block_size", "buffer/buffer_size", "flash/translation_layers")
LARGEST_REPORT = 3e6  # signs: Bokeh's own scripts are 2 MB; with those for TeX they were 4
KEPT = 1.5  # times what the view's process held at the start; an ordinary collection keeps more than twice as much
RELEASED = ROOT / "dist" / "pagecost" / "pagecost"  # by `make package`, for every processor
TRIED = ROOT / "build" / "tried" / "pagecost" / "pagecost"  # of this test
SOURCES = ("app", "datasets", "engine", "pyproject.toml")

pytestmark = [pytest.mark.whole, pytest.mark.skipif(sys.platform != "linux", reason="drives an X window")]


def is_stale(program):
    if not program.exists():
        return True
    paths = [path for name in SOURCES for path in [ROOT / name, *(ROOT / name).rglob("*")]]
    newest = max(path.stat().st_mtime for path in paths if path.is_file() and path.suffix != ".pyc")
    return newest > program.stat().st_mtime


@pytest.fixture(scope="session")
def program():
    """The path of the packaged program: the one to be released, or one made now for this processor, when a source is
    newer.

    Its kernels come from this user's kernel cache: a test run has compiled nearly all of them.
    """
    if not is_stale(RELEASED):
        return RELEASED
    if is_stale(TRIED):
        started = time.time()
        options = ["--noconfirm", "--log-level=WARN", f"--distpath={TRIED.parents[1]}", "--workpath=build"]
        command = [sys.executable, "-m", "PyInstaller", *options, "app/packaging/pagecost.spec"]
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr[-4000:]
        os.utime(TRIED, (started, started))  # a source edited meanwhile makes it stale
    return TRIED


@pytest.fixture
def bundle(program):
    """The folder of what the program carries."""
    return program.parent / "_internal"


@pytest.fixture(scope="module")
def display():
    with screen() as name:
        yield name


def test_the_window_answers_mouse_and_keyboard_and_leaves_nothing_behind(program, display, chromium, picture, tmp_path):
    port = free_port()
    debugging = f"127.0.0.1:{port}"
    with running(program, tmp_path, DISPLAY=display, QTWEBENGINE_REMOTE_DEBUGGING=debugging) as app:
        with page_of(app, port, chromium.browser_type) as page:
            page.get_by_role("link", name="Devices", exact=True).first.click()
            wait_for_chart(page, "block_size.result")
            kernels = until(lambda: app.report("kernels ready"), "the kernels")
            assert kernels["compilations"] == 0  # and none is loaded before a question needs it

            before = drawn(page, "block_size.result")
            drag(page, "block_size.span_bytes", 60)
            wait_for_change(page, "block_size.result", before)

            page.get_by_role("link", name="Buffer", exact=True).first.click()
            wait_for_chart(page, "buffer_size.result")
            before = drawn(page, "buffer_size.result")
            press(page, "buffer_size.frames", "ArrowRight", 2)
            wait_for_change(page, "buffer_size.result", before)

            loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
            own = page.evaluate("location.origin")
            assert any(address.startswith(f"{own}/static/js/bokeh") for address in loaded)
            assert [address for address in loaded if not address.startswith((f"{own}/", "blob:", "data:"))] == []
            picture(page, "packaged")
        processes = family(app.process)
        assert len(processes) > 1  # the web view has its own
        close_window(display, "pagecost")
        assert app.process.wait(PATIENCE_S) == 0
        until(lambda: not any(map(is_alive, processes)), "the end of every process")
        kernels = app.report("closed")
        assert kernels["compilations"] == 0
        assert kernels["loaded"] > 0
        assert "Traceback" not in app.complained()


def test_the_window_gives_back_the_memory_of_pages_that_were_left(program, display, chromium, tmp_path):
    port = free_port()
    debugging = f"127.0.0.1:{port}"
    with (
        running(program, tmp_path, DISPLAY=display, QTWEBENGINE_REMOTE_DEBUGGING=debugging) as app,
        page_of(app, port, chromium.browser_type) as page,
    ):
        until(lambda: app.report("kernels ready"), "the first page")
        view = max(family(app.process)[1:], key=lambda process: process.memory_info().rss)
        held = view.memory_full_info().uss
        for address in VISITED:
            page.evaluate("address => { location.hash = address }", address)
            wait_for_chart(page, f"{address.partition('/')[2]}.result")
        page.get_by_role("link", name="Start", exact=True).first.click()
        until(
            lambda: view.memory_full_info().uss <= KEPT * held,
            f"{KEPT * held / 1e6:.0f} MB",
            lambda: f"held: {view.memory_full_info().uss / 1e6:.0f} MB",
        )


def test_the_package_does_not_compile_itself_at_each_start(program):
    carried = CArchiveReader(str(program)).open_embedded_archive("PYZ.pyz").toc
    assert {"pagecost.system", "pagecost_app.cli", "pagecost_app.pages.start_page"} <= set(carried)


def test_without_a_display_it_serves_and_ctrl_c_ends_it(program, tmp_path):
    with running(program, tmp_path) as app:
        address = until(lambda: re.search(r"http://127\.0\.0\.1:\d+/enter\?key=\S+", app.printed()), "the address")[0]
        assert "Ctrl-C" in app.printed()
        assert "no display" in app.complained()
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(address) as page:
            assert b"bokeh" in page.read()
        app.process.send_signal(signal.SIGINT)
        assert app.process.wait(PATIENCE_S) == 0
        assert "Traceback" not in app.complained()


def test_a_port_in_use_is_one_sentence_and_exit_code_2(program, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = str(holder.getsockname()[1])
        with running(program, tmp_path, "app", "--browser", "--port", port) as app:
            assert app.process.wait(PATIENCE_S) == 2
            assert re.fullmatch(rf"pagecost: port {port} is in use; .+\n", app.complained())


@pytest.mark.parametrize(
    ("command", "expected"),
    [("--help", "pagecost"), ("studies", "buffer_size"), ("devices", "intel-x25-e"), ("run buffer_size", "lru")],
)
def test_the_command_line_is_in_the_package(program, tmp_path, command, expected):
    with running(program, tmp_path, *command.split()) as app:
        assert app.process.wait(PATIENCE_S) == 0, app.complained()
        assert expected in app.printed().lower()


def test_a_report_and_a_chart_are_written_with_the_scripts_that_the_package_carries(program, tmp_path):
    names = ("--report", "report.html", "--chart", "chart.html")
    with running(program, tmp_path, "run", "block_size", *names) as app:
        assert app.process.wait(PATIENCE_S) == 0, app.complained()
    for name in ("report.html", "chart.html"):
        page = (tmp_path / "home" / name).read_text("utf8")
        assert "Bokeh" in page
        assert len(page) < LARGEST_REPORT


def test_the_packages_plan_is_the_engines_to_the_last_digit(program, tmp_path):
    """Sensitivities included: a library without its tables answers with other numbers."""
    asked = ("run", "storage_plan", "--format", "json")
    with running(program, tmp_path, *asked) as app:
        assert app.process.wait(PATIENCE_S) == 0, app.complained()
        assert app.complained() == ""
        here = subprocess.run(
            [sys.executable, "-c", "from pagecost_app.cli import main; main()", *asked],
            capture_output=True,
            text=True,
            check=True,
        )
        packaged, engines = json.loads(app.printed()), json.loads(here.stdout)
        assert packaged.pop("provenance").keys() == engines.pop("provenance").keys()  # which names the state of each
        assert packaged == engines


def test_the_package_carries_data_but_no_scripts_that_recorded_them(bundle):
    kept = {path.suffix for path in (bundle / "pagecost" / "_datasets").rglob("*") if path.is_file()}
    assert {".csv", ".md", ".toml"} <= kept
    assert ".py" not in kept


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="levels are x86's")
def test_the_package_carries_every_kernel_that_any_test_calls_for_each_processor_and_no_compiler(bundle):
    carried = json.loads((bundle / _ahead.FOLDER / _ahead.TABLE).read_text())["kernels"]
    asked = "import compile_ahead, json; print(json.dumps({k: sorted(v) for k, v in compile_ahead.kept().items()}))"
    answered = subprocess.run(
        [sys.executable, "-c", asked],
        env=os.environ | {"PYTHONPATH": str(ROOT / "app" / "packaging")},
        capture_output=True,
        text=True,
        check=True,
    )
    lacking = [
        f"{kernel} {signature}"
        for kernel, signatures in json.loads(answered.stdout).items()
        for signature in signatures
        if signature not in carried.get(kernel, {})
    ]
    assert lacking == [], "run python app/packaging/compile_ahead.py list"
    levels = {_ahead.level()} if bundle.is_relative_to(ROOT / "build") else set(_ahead.LEVELS)
    assert {path.parent.name for path in bundle.glob(f"{_ahead.FOLDER}/*/kernels.so")} == levels
    assert not [path for name in ("numba", "llvmlite") for path in bundle.rglob(f"{name}*")]


@pytest.mark.parametrize("library", ["libstdc++.so.6", "libX11.so.6", "libgcc_s.so.1", "libGL.so.1", "libnss3.so"])
def test_the_host_keeps_its_own_graphics_libraries(bundle, library):
    assert not list(bundle.rglob(library))
