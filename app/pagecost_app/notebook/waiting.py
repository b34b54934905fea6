"""Nothing in a lesson is silent for long: what takes over a second says so below its own cell, or in its own widget."""

import contextlib
import html
import os
import threading
import time
from collections.abc import Callable, Iterator

from IPython import get_ipython
from IPython.display import HTML, display

from pagecost import _jit
from pagecost_app import compiling
from pagecost_app.compiling import shown

QUIET = "PAGECOST_QUIET"  # set where outputs of cells are compared: a slow machine must not have one more
SAID_AFTER_S, SAID_EVERY_S = 0.8, 0.5


@contextlib.contextmanager
def moving(say: Callable[[str], None]) -> Iterator[None]:
    """While the `with` lasts and after a moment, `say(HTML)` what is done and how long so far, twice a second."""
    over = threading.Event()
    talking = threading.Thread(target=_talk, args=(say, over), daemon=True, name="waiting")
    talking.start()
    try:
        yield
    finally:
        over.set()
        talking.join()


def _talk(say: Callable[[str], None], over: threading.Event) -> None:
    started_at, compiled, pause_s = time.monotonic(), _jit.compilations(), SAID_AFTER_S
    while not over.wait(pause_s):
        pause_s = SAID_EVERY_S
        say(_line(_words(time.monotonic() - started_at, compiled)))


def _words(seconds: float, compiled_before: int) -> str:
    if kernel := compiling.waited_for():
        return f"compiling for this machine, once, begun while you read: {shown(kernel)}, {seconds:.0f} s so far"
    compiles = _jit.compiling_now()
    number = _jit.compilations() - compiled_before
    if compiles:
        return f"compiling for this machine, once: kernel {number} ({shown(compiles[0])}), {seconds:.0f} s so far"
    return f"computing … {seconds:.0f} s so far (■ in the toolbar stops it)"


def _line(words: str) -> str:
    return f'<p role="status" style="margin: 2px 0; opacity: 0.75">{html.escape(words)}</p>'


class CellLine:
    """The line below the cell that runs. Register `begin` before and `end` after every cell."""

    def __init__(self):
        self._running = contextlib.ExitStack()
        self._shown = None

    def begin(self, *_) -> None:
        """A cell begins."""
        self.end()
        self._shown, self._compiled, self._started_at = None, _jit.compilations(), time.monotonic()
        self._running.enter_context(moving(self._say))

    def end(self, *_) -> None:
        """The cell is over: what remains of the line is what was compiled, which explains the time that it took."""
        self._running.close()
        if self._shown:
            kernels, seconds = _jit.compilations() - self._compiled, time.monotonic() - self._started_at
            words = f"{kernels} kernels were compiled for this machine, once; all of it took {seconds:.0f} s."
            self._shown.update(HTML(_line(words) if kernels else ""))
            self._shown = None

    def _say(self, line: str) -> None:
        if self._shown:
            self._shown.update(HTML(line))
        else:
            self._shown = display(HTML(line), display_id=True)


def follow_cells() -> None:
    """From now on a cell that takes long says so itself; outside a notebook nothing happens."""
    shell = get_ipython()
    if shell is None or os.environ.get(QUIET) or hasattr(shell, "pagecost_line"):
        return
    shell.pagecost_line = line = CellLine()
    _jit.announce_compiles(lambda message: None)  # in another cell, in the colour of errors
    shell.events.register("pre_run_cell", line.begin)
    shell.events.register("post_run_cell", line.end)
