"""Control-C while machine code is made: what arrives in LLVM is raised in one of its callbacks, which lose it."""

import sys
import threading


class Heard:
    """Keeps an interrupt that would be lost between `listen` and `stop`, or within a `with`; `stop` raises it.

    Only the main thread hears of interrupts: in others both do nothing.
    """

    def __init__(self):
        self._before = None
        self._lost = False

    def listen(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before, self._lost = sys.unraisablehook, False
            sys.unraisablehook = self._unraisable

    def stop(self) -> None:
        """Raises KeyboardInterrupt where one was lost since `listen`."""
        if self._before is None or threading.current_thread() is not threading.main_thread():
            return
        sys.unraisablehook, self._before = self._before, None
        if self._lost:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        self.listen()

    def __exit__(self, *error) -> None:
        self.stop()

    def _unraisable(self, what) -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            self._lost = True
        elif self._before is not None:
            self._before(what)
