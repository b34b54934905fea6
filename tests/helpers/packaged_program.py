"""The packaged program and its window, driven from outside: an X display, the view's debugging port, its windows."""

import contextlib
import ctypes
import json
import os
import random
import socket
import subprocess
import time
import urllib.request

import psutil
import pytest

PATIENCE_S = 60.0  # until something counts as broken; a busy machine is slow
COLUMNS = """name => JSON.stringify(Object.entries(Bokeh.documents[0].get_model_by_name(name).data)
  .map(([column, values]) => [column, Array.from(values)]))"""


def until(happens, what, state=lambda: ""):
    """Wait until `happens()` is true and return what it returned; if it never is, `state()` tells how things stand."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := happens():
            return answer
        time.sleep(0.02)
    pytest.fail(f"waited {PATIENCE_S:.0f} s in vain for {what}. {state()}")


@contextlib.contextmanager
def screen():
    """The name of an X display of our own."""
    read_end, write_end = os.pipe()
    # it stays as it is when its last client leaves: while it begins anew, the next one finds no display
    screen = ["-screen", "0", "1400x1000x24", "-nolisten", "tcp", "-noreset"]
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
def page_of(app, port, browser_type):
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
    browser = browser_type.connect_over_cdp(address, no_defaults=True)  # the view is not a whole browser
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
    """The knob of a slider, inside its shadow root, once it is drawn."""
    return page.wait_for_function(
        """name => Bokeh.index.find_one(Bokeh.documents[0].get_model_by_name(name))
             ?.el.shadowRoot.querySelector(".noUi-handle")""",
        arg=slider,
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


def type_into(display, title, text):
    """Type into the window of that title as on a keyboard, and press Enter. The text needs no Shift."""
    x, test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    connection = ctypes.c_void_p(x.XOpenDisplay(display.encode()))
    (window,) = until(lambda: top_windows(x, connection, title.encode()), f"a window that is called {title!r}")
    time.sleep(1)  # it cannot have the keyboard before it is shown
    x.XSetInputFocus(connection, ctypes.c_ulong(window), 1, ctypes.c_ulong(0))
    for sign in (*map(ord, text), 0xFF0D):  # Enter
        for is_down in (True, False):
            test.XTestFakeKeyEvent(
                connection, x.XKeysymToKeycode(connection, ctypes.c_ulong(sign)), is_down, ctypes.c_ulong(0)
            )
    x.XCloseDisplay(connection)
