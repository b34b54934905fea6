"""What the command line says on standard error while it loads, reads and computes, and of what was in a file.

It imports nothing that takes time itself: loading the engine takes seconds, and is the first thing that is said.
"""

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator

from pagecost_app.stdin import in_words

SAID_AFTER_S, SAID_EVERY_S = 0.5, 0.25
LOGGED_AFTER_S, LOGGED_EVERY_S = 20.0, 30.0  # where no terminal watches, but a log may
LEFT_SAID_AFTER_S = 3.0  # a shorter time tells little of what is left


class _Line:
    """A line that a thread keeps moving: what is done, how far, since when, and which kernel is being compiled.

    watched: on a terminal; else a new line now and then.

    study: the one that is answered, whose kernels can be counted before they are compiled; empty where it is none.
    """

    def __init__(self, what: str, study: str = "", *, watched: bool = True):
        self.what, self.share = what, 0.0
        self._watched = watched
        self._study, self._kernels = study, 0
        self._over = threading.Event()
        self._started_at = time.monotonic()
        self._width = 0
        self._thread = threading.Thread(target=self._move, daemon=True, name="waiting")
        self._thread.start()

    def end(self) -> None:
        """Take the line away."""
        self._over.set()
        self._thread.join()

    def _move(self) -> None:
        pause_s, every_s = (SAID_AFTER_S, SAID_EVERY_S) if self._watched else (LOGGED_AFTER_S, LOGGED_EVERY_S)
        while not self._over.wait(pause_s):
            pause_s = every_s
            if not self._watched:
                sys.stderr.write(f"pagecost: {self._words()}\n")
                sys.stderr.flush()
                continue
            self._write(self._words()[: shutil.get_terminal_size().columns - 1])
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _words(self) -> str:
        doing = self._compiling() or (f"{self.share:.0%}" if self.share else "")
        taken_s = time.monotonic() - self._started_at
        left = ""
        if self.share and taken_s > LEFT_SAID_AFTER_S:
            left = f", about {taken_s * (1 - self.share) / self.share:.0f} s more"
        return f"{self.what} … {doing}{', ' if doing else ''}{taken_s:.0f} s so far{left}"

    def _compiling(self) -> str:
        """What is compiled, and how many there will be; empty when nothing is."""
        try:
            compiles = sys.modules["pagecost._jit"].compiling_now()
        except (KeyError, AttributeError, NameError):  # not loaded, or just being loaded
            return ""
        if not compiles:
            return ""
        from pagecost import _jit
        from pagecost_app.compiling import shown
        from pagecost_app.kernels_needed import missing

        _jit.announce_compiles(lambda message: None)  # this line says it
        number = _jit.compilations()
        if self._study and not self._kernels:  # the one that is being compiled is not in the cache either
            self._kernels = number - 1 + missing("study", self._study)
        of = f" of about {self._kernels}" if self._kernels >= number > 0 else ""
        return f"compiling once: kernel {number}{of} ({shown(compiles[0])}, {time.monotonic() - compiles[1]:.0f} s)"

    def _write(self, words: str) -> None:
        sys.stderr.write(f"\r{words.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(words)


_line: _Line | None = None


@contextlib.contextmanager
def moving(what: str, study: str = "") -> Iterator[Callable[..., None]]:
    """A line that moves on a terminal's standard error while the `with` lasts; elsewhere a line now and then, of what
    takes long.

    study: the one that is answered, if it is one. Gives the progress that a study's `compute` takes.
    """
    global _line
    if _line:
        yield lambda share, partial=None: None
        return
    _line = line = _Line(what, study, watched=sys.stderr.isatty())
    try:
        yield lambda share, partial=None: setattr(line, "share", share)
    finally:
        _line = None
        line.end()


def progress_line(what: str) -> Callable[[float], None]:
    """A line on a terminal's standard error that counts up; elsewhere that of `moving`, if there is one."""

    def say(share: float) -> None:
        if _line:  # which shows it
            _line.what, _line.share = what, share
            return
        if not sys.stderr.isatty():
            return
        sys.stderr.write("\r" + " " * 30 + "\r" if share >= 1 else f"\r{what} … {share:.0%} ")
        sys.stderr.flush()

    return say


def remark(trace: str, note: str) -> None:
    """What one must know of a trace to use the numbers, where there is anything."""
    if note:
        print(f"pagecost: {in_words(trace)}: {note}", file=sys.stderr)
