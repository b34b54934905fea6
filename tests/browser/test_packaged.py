"""The packaged program, as a user has it: another folder, a fresh home, its own window, a mouse and a keyboard."""

import contextlib
import ctypes
import json
import os
import platform
import random
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from pagecost import _ahead

ROOT = Path(__file__).parents[2]
RELEASED = ROOT / "dist" / "pagecost" / "pagecost"  # by `make package`, for every processor
TRIED = ROOT / "build" / "tried" / "pagecost" / "pagecost"  # of this test
SCREENSHOT = ROOT / "screenshots" / "packaged.png"
SOURCES = ("app", "datasets", "engine", "pyproject.toml")
PATIENCE_S = 60.0  # until something counts as broken; a busy machine is slow

COLUMNS = """name => JSON.stringify(Object.entries(Bokeh.documents[0].get_model_by_name(name).data)
  .map(([column, values]) => [column, Array.from(values)]))"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="drives an X window")


def until(happens, what, state=lambda: ""):
    """Wait until `happens()` is true and return what it returned; if it never is, `state()` tells how things stand."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := happens():
            return answer
        time.sleep(0.02)
    pytest.fail(f"waited {PATIENCE_S:.0f} s in vain for {what}. {state()}")


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
    """The name of an X display of our own."""
    read_end, write_end = os.pipe()
    screen = ["-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), *screen], pass_fds=[write_end], stderr=subprocess.DEVNULL
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as number:
            yield f":{number.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


class Running:
    """A running program: `process`, what it reported and what it printed."""

    def __init__(self, process, folder):
        self.process = process
        self._folder = folder

    def report(self, event):
        """The facts of the latest report of that event, or None."""
        path = self._folder / "report"
        lines = path.read_text().splitlines() if path.exists() else []
        found = [report for report in map(json.loads, lines) if report["event"] == event]
        return found[-1] if found else None

    def printed(self):
        return (self._folder / "stdout").read_text()

    def complained(self):
        return (self._folder / "stderr").read_text()


@contextlib.contextmanager
def running(program, folder, *arguments, **environment):
    """Start the program with an empty environment and home, away from the checkout; nothing of it stays."""
    home = folder / "home"
    home.mkdir()
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "PAGECOST_REPORT": str(folder / "report")}
    with open(folder / "stdout", "w") as stdout, open(folder / "stderr", "w") as stderr:
        process = psutil.Popen(
            [program, *arguments],
            env=env | environment,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        yield Running(process, folder)
    finally:
        for left in family(process) if process.is_running() else []:
            left.kill()
        process.wait()


def family(process):
    return [process, *process.children(recursive=True)]


def is_alive(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE  # gone, but nobody asked how it went
    except psutil.NoSuchProcess:
        return False


def free_port():
    """A port below those that systems give to connections, or another test's may take it before the program does."""
    for port in random.sample(range(20_000, 32_000), 50):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


@contextlib.contextmanager
def page_of(app, port, chromium):
    """The page in the program's window, through the web view's debugging port."""
    address = f"http://127.0.0.1:{port}"
    seen: list = []

    def has_page():
        try:
            with urllib.request.urlopen(f"{address}/json/list", timeout=5) as answer:
                seen[:] = [target["url"] for target in json.load(answer)]
        except OSError as error:
            seen[:] = [error]
        return any("bokeh-session-id" in str(url) for url in seen)

    until(has_page, "the window's page", lambda: f"seen: {seen}; printed: {app.printed()}; said: {app.complained()}")
    browser = chromium.browser_type.connect_over_cdp(address, no_defaults=True)  # the view is not a whole browser
    pages = [page for context in browser.contexts for page in context.pages]
    page = next(page for page in pages if "bokeh-session-id" in page.url)
    page.set_default_timeout(1000 * PATIENCE_S)
    yield page
    browser.close()


def wait_for_chart(page, name):
    page.wait_for_function(
        """name => {
          const source = window.Bokeh?.documents[0]?.get_model_by_name(name)
          return source && Object.values(source.data).some(values => values.length > 0)
        }""",
        arg=name,
    )


def drawn(page, name):
    """The columns behind a chart, as text."""
    return page.evaluate(f"({COLUMNS})", name)


def wait_for_change(page, name, before):
    page.wait_for_function(f"([name, before]) => ({COLUMNS})(name) !== before", arg=[name, before])


def handle(page, slider):
    """The knob of a slider, inside its shadow root."""
    return page.evaluate_handle(
        """name => Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name))
             .el.shadowRoot.querySelector(".noUi-handle")""",
        slider,
    ).as_element()


def press(page, slider, key, times):
    handle(page, slider).focus()
    for _ in range(times):
        page.keyboard.press(key)


def drag(page, slider, pixels):
    handle(page, slider).scroll_into_view_if_needed()  # the window is no higher than its screen
    box = handle(page, slider).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pixels, y, steps=5)
    page.mouse.up()


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, padded to the size of any XEvent."""

    _fields_ = (
        *(("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int)),
        *(("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong)),
        *(("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("padding", ctypes.c_long * 24)),
    )


def close_window(display, title):
    """Ask the window of that title to close, as the cross in its frame does."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XDefaultRootWindow.restype = x.XInternAtom.restype = ctypes.c_ulong
    connection = ctypes.c_void_p(x.XOpenDisplay(display.encode()))
    event = ClientMessage(type=33, format=32)  # 33: ClientMessage
    event.message_type = x.XInternAtom(connection, b"WM_PROTOCOLS", False)
    event.data[0] = x.XInternAtom(connection, b"WM_DELETE_WINDOW", False)
    windows = top_windows(x, connection, title.encode())
    assert windows, f"no window is called {title!r}"
    for window in windows:  # Qt's invisible leader of the group bears the name too, and ignores this
        event.window = window
        x.XSendEvent(connection, ctypes.c_ulong(window), False, 0, ctypes.byref(event))
    x.XCloseDisplay(connection)


def top_windows(x, connection, title):
    root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    children = ctypes.POINTER(ctypes.c_ulong)()
    top = ctypes.c_ulong(x.XDefaultRootWindow(connection))
    x.XQueryTree(connection, top, *map(ctypes.byref, (root, parent, children, count)))
    named = []
    for window in children[: count.value]:
        name = ctypes.c_char_p()
        if x.XFetchName(connection, ctypes.c_ulong(window), ctypes.byref(name)) and name.value == title:
            named.append(window)
    x.XFree(children)
    return named


def test_the_window_answers_mouse_and_keyboard_and_leaves_nothing_behind(program, display, chromium, tmp_path):
    port = free_port()
    debugging = f"127.0.0.1:{port}"
    with running(program, tmp_path, DISPLAY=display, QTWEBENGINE_REMOTE_DEBUGGING=debugging) as app:
        with page_of(app, port, chromium) as page:
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
            SCREENSHOT.parent.mkdir(exist_ok=True)
            page.screenshot(path=SCREENSHOT)
        processes = family(app.process)
        assert len(processes) > 1  # the web view has its own
        close_window(display, "pagecost")
        assert app.process.wait(PATIENCE_S) == 0
        until(lambda: not any(map(is_alive, processes)), "the end of every process")
        kernels = app.report("closed")
        assert kernels["compilations"] == 0
        assert kernels["loaded"] > 0
        assert "Traceback" not in app.complained()


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
