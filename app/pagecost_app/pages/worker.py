"""Answers a study away from the page's thread; a newer question makes an older one stop."""

import threading
import time
from collections.abc import Callable

from pagecost.errors import ModelError
from pagecost.studies import Result, Study, StudyInputs

BETWEEN_PICTURES_S = 0.08  # a growing result is redrawn at most this often


class Superseded(Exception):
    """Raised inside a study whose question is out of date."""


class Worker:
    """One thread that computes the latest question asked.

    `deliver(callback)` runs a callback on the page's thread. `show(inputs, result, final)` draws, `fail(message)` says
    what is wrong, `progress(share)` moves a bar; all three run on the page's thread.
    """

    def __init__(self, study: Study, deliver: Callable, show: Callable, fail: Callable, progress: Callable):
        self._study, self._deliver = study, deliver
        self._show, self._fail, self._progress = show, fail, progress
        self._asked: StudyInputs | None = None
        self._wake = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._run, daemon=True, name=f"study {study.name}").start()

    def ask(self, inputs: StudyInputs) -> None:
        """Compute the answer to `inputs`; a question that is still being answered is dropped."""
        with self._wake:
            self._asked = inputs
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
                inputs, self._asked = self._asked, None
            self._answer(inputs)

    def _answer(self, inputs: StudyInputs) -> None:
        drawn_at = time.monotonic()

        def progress(share: float, partial: Result | None) -> None:
            nonlocal drawn_at
            if self._stopped or self._asked is not None:
                raise Superseded
            if time.monotonic() - drawn_at >= BETWEEN_PICTURES_S:
                drawn_at = time.monotonic()
                self._deliver(lambda: self._progress(share))
                if partial is not None:
                    self._deliver(lambda: self._show(inputs, partial, False))

        try:
            result = self._study.compute(inputs, progress)
        except Superseded:
            return
        except (ModelError, OSError, MemoryError) as error:
            message = str(error) or type(error).__name__
            self._deliver(lambda: self._fail(message))
            return
        self._deliver(lambda: self._show(inputs, result, True))
