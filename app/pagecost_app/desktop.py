"""Starts the app: in its own window where there can be one, otherwise served on loopback for a browser.

`PAGECOST_REPORT=FILE` appends one line of JSON for each step of the start: what happened, seconds since the process
began, and what the kernels cost. It is there to be tested and measured with.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pagecost
from pagecost_app import heap, logbook, uploads
from pagecost_app.waiting import moving

if TYPE_CHECKING:  # Bokeh is imported late: the window shall be up first
    from bokeh.document import Document

MakeDocument = Callable[["Document"], None]
QUIET_S = 5.0  # after the last page is given up, which the server does some seconds after it was closed


def run(make_document: MakeDocument, *, browser: bool = False, port: int | None = None) -> None:
    """Show the app until the user ends it; then the process ends, with exit code 0.

    browser: serve it and open the user's browser instead of a window. port: None takes a free one. Raises ModelError
    when the port cannot be had.
    """
    obstacle = None if browser else _window_obstacle()
    if browser or obstacle:
        _serve(make_document, port, browser, obstacle)
    else:
        _open_window(make_document, port)
    _end_process()


class _Visits:
    """The pages that are open in browsers."""

    def __init__(self):
        self._open = 0
        self._came = False
        self._changed = threading.Condition()

    def watch(self, document: "Document") -> None:
        """Count a page until it is given up; one that is loaded anew within seconds is not."""
        document.on_event("document_ready", lambda event: self._note(0, came=True))
        document.on_session_destroyed(lambda context: self._note(-1))
        self._note(1)

    def wait_until_over(self) -> None:
        """Return when somebody has come, and for some seconds no page is open any more."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._came and self._open == 0)
                if not self._changed.wait_for(lambda: self._open > 0, QUIET_S):
                    return

    def _note(self, more: int, *, came: bool = False) -> None:
        with self._changed:
            self._open += more
            self._came |= came
            self._changed.notify_all()


def _open_window(make_document: MakeDocument, port: int | None) -> None:
    from pagecost_app import window

    window.show(start=lambda: _start_server(make_document, port, _Visits()).url, shown=partial(_report, "window shown"))
    _report_kernels("closed")


def _serve(make_document: MakeDocument, port: int | None, browser: bool, obstacle: str | None) -> None:
    from pagecost_app import window

    visits, shows = _Visits(), browser and _has_display(of_browser=True)
    ends_itself = shows and not _reads_keys()  # as from a menu: nobody could press Ctrl-C
    for number in (signal.SIGINT, signal.SIGTERM):  # a polite kill is as good as Ctrl-C
        signal.signal(number, signal.default_int_handler)
    try:
        with moving("starting pagecost"):
            server = _start_server(make_document, port, visits)
        if obstacle:
            print(obstacle, file=sys.stderr)
        keys = "it ends when its last page is closed" if ends_itself else "Ctrl-C stops it"
        keys += ", Enter prints an address for another browser" if _reads_keys() else ""
        print(f"pagecost is at {server.url} ({keys})", flush=True)
        if shows:
            with contextlib.suppress(OSError):  # no room for the file that lets it in: the address stands above
                window.open_app(server.entry_file().as_uri())
        while _reads_keys() and sys.stdin.readline():
            print(f"pagecost is at {server.renew_entry()}", flush=True)
        if ends_itself:
            visits.wait_until_over()
        while not ends_itself:
            time.sleep(3600)
    except KeyboardInterrupt:
        print(flush=True)  # the shell's prompt goes below the ^C
    _report_kernels("closed")


def _start_server(make_document: MakeDocument, port: int | None, visits: _Visits):
    with heap.importing(for_good=True):
        from pagecost_app import compiling, pages  # noqa: F401  the pages, before the first is asked for
        from pagecost_app.server import AppServer

        heap.keep_together()
        logbook.begin()
        compiling.begin()
    preparing = threading.Thread(target=_prepare, daemon=True, name="preparing")

    def page_is_ready(event):
        _report("page ready")
        if preparing.ident is None:  # not before the first page is drawn, which would have to share the processor
            preparing.start()

    def make_and_watch(document):
        document.on_event("document_ready", page_is_ready)
        visits.watch(document)
        make_document(document)

    server = AppServer(make_and_watch, port or 0)
    logbook.LOG.info("begun: version %s", pagecost.__version__)
    _report("server up")
    return server


def _prepare() -> None:
    """Have the kernels of every question compiled by other processes, so that no page has to wait for them later."""
    from pagecost_app import pages

    heap.give_back()  # what only loading needed
    if not getattr(sys, "frozen", False):  # the packaged program carries them
        pages.prepare()
    _report_kernels("kernels ready")


def _window_obstacle() -> str | None:
    """Why there can be no window, as a sentence for the user; None when there can be one."""
    from pagecost_app import window

    try:
        window.load_qt()
    except ModuleNotFoundError:
        return "A window of its own needs PySide6, the extra pagecost[window]; in a checkout: uv sync --extra window."
    except ImportError as error:
        return f"pagecost cannot have a window of its own here: {error}."
    return None if _has_display() else "There is no display for a window, so pagecost waits for a browser."


def _has_display(*, of_browser: bool = False) -> bool:
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM") == "offscreen":
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY")) or _x_server_answers(of_browser)


def _x_server_answers(of_browser: bool) -> bool:
    """Ask the X server ourselves: Qt aborts the whole process when there is none at DISPLAY or when a library lacks.

    A browser has its own libraries of X. Where the system has none for us to ask with, DISPLAY is believed.
    """
    if not os.environ.get("DISPLAY"):
        return False
    try:
        if not of_browser:
            ctypes.CDLL("libxcb-cursor.so.0")
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return of_browser
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if display:
        x11.XCloseDisplay(ctypes.c_void_p(display))
    return bool(display)


def _reads_keys() -> bool:
    """Whether there is a terminal to read from (a job in the background that reads would be stopped)."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    return sys.platform == "win32" or os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()


def _report_kernels(event: str) -> None:
    if "PAGECOST_REPORT" in os.environ:
        from pagecost import _jit

        _report(event, compilations=_jit.compilations(), loaded=_jit.loaded())


def _report(event: str, **facts) -> None:
    if "PAGECOST_REPORT" in os.environ:
        line = json.dumps({"event": event, "seconds": round(_seconds_since_start(), 3), **facts})
        with open(os.environ["PAGECOST_REPORT"], "a", encoding="utf-8") as file:
            file.write(line + "\n")


def _seconds_since_start() -> float:
    """Age of this process, interpreter and imports included. [s]"""
    if sys.platform != "linux":
        return time.time() - _IMPORTED_S
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def _end_process() -> None:
    """End at once: a thread that still computes must neither keep the process nor crash Python's own ending."""
    if "pagecost_app.compiling" in sys.modules:
        sys.modules["pagecost_app.compiling"].end()
    if "pagecost_app.workspace.autosave" in sys.modules:
        sys.modules["pagecost_app.workspace.autosave"].flush_all()
    uploads.discard()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)


_IMPORTED_S = time.time()
