"""Answers a study away from the page's thread; a newer question makes an older one stop.

A long answer can be paused, and stopped for good; what was computed until then stays.
"""

import threading
import time
from collections.abc import Callable

from pagecost.errors import ModelError
from pagecost.studies import Result, Study, StudyInputs

BETWEEN_PICTURES_S = 0.08  # a growing result is redrawn at most this often
LONG_S = 0.5  # a run that takes longer can be paused and stopped


class Superseded(Exception):
    """Raised inside a study whose question is out of date."""


class Cancelled(Exception):
    """Raised inside a study whose answer is not wanted any more."""


class Worker:
    """One thread that computes the latest question asked.

    `deliver(callback)` runs a callback on the page's thread. `show(inputs, result, final)` draws, `fail(message)` says
    what is wrong, `progress(share)` moves a bar, `long(running)` says that a run takes long, and when it is over,
    `cancelled(share, partial)` what there is of a run that was stopped; they all run on the page's thread.
    """

    def __init__(
        self,
        study: Study,
        deliver: Callable,
        show: Callable,
        fail: Callable,
        progress: Callable,
        long: Callable = lambda running: None,
        cancelled: Callable = lambda share, partial: None,
    ):
        self._study, self._deliver = study, deliver
        self._show, self._fail, self._progress = show, fail, progress
        self._long, self._cancelled = long, cancelled
        self._paused = self._unwanted = False
        self._asked: StudyInputs | None = None
        self._wake = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._run, daemon=True, name=f"study {study.name}").start()

    def ask(self, inputs: StudyInputs) -> None:
        """Compute the answer to `inputs`; a question that is still being answered is dropped."""
        with self._wake:
            self._asked, self._paused = inputs, False
            self._wake.notify()

    def pause(self, paused: bool) -> None:
        """Hold the running answer, or let it go on."""
        with self._wake:
            self._paused = paused
            self._wake.notify()

    def cancel(self) -> None:
        """Stop the running answer; what there is of it stays."""
        with self._wake:
            self._unwanted, self._paused = True, False
            self._wake.notify()

    def stop(self) -> None:
        """End the thread; a running answer is dropped."""
        with self._wake:
            self._stopped = True
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._stopped or self._asked is not None)
                if self._stopped:
                    return
                inputs, self._asked, self._unwanted = self._asked, None, False
            self._answer(inputs)

    def _answer(self, inputs: StudyInputs) -> None:
        drawn_at = started_at = time.monotonic()
        long = False
        done, latest = 0.0, None

        def progress(share: float, partial: Result | None) -> None:
            nonlocal drawn_at, long, done, latest
            done, latest = share, partial
            self._wait_while_paused()
            if time.monotonic() - drawn_at >= BETWEEN_PICTURES_S:
                drawn_at = time.monotonic()
                self._deliver(lambda: self._progress(share))
                if partial is not None:
                    self._deliver(lambda: self._show(inputs, partial, False))
            if not long and time.monotonic() - started_at >= LONG_S:
                long = True
                self._deliver(lambda: self._long(True))

        try:
            result = self._study.compute(inputs, progress)
            self._deliver(lambda: self._show(inputs, result, True))
        except Superseded:
            pass
        except Cancelled:
            if latest is not None:
                self._deliver(lambda: self._show(inputs, latest, False))
            self._deliver(lambda: self._cancelled(done, latest))
        except (ModelError, OSError, MemoryError) as error:
            message = str(error) or type(error).__name__
            self._deliver(lambda: self._fail(message))
        if long:
            self._deliver(lambda: self._long(False))

    def _wait_while_paused(self) -> None:
        """Return when the answer shall go on; raise when it shall not."""
        with self._wake:
            self._wake.wait_for(lambda: not self._paused or self._stopped or self._asked is not None or self._unwanted)
            if self._stopped or self._asked is not None:
                raise Superseded
            if self._unwanted:
                raise Cancelled
