"""Answers a study away from the page's thread; a newer question makes an older one stop.

A long answer can be paused, and stopped for good; what was computed until then stays.
"""

import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from pagecost._jit import NotCompiled
from pagecost.errors import ModelError
from pagecost.studies import Result
from pagecost_app import compiling

BETWEEN_PICTURES_S = 0.08  # a growing result is redrawn at most this often
LONG_S = 0.5  # a run that takes longer can be paused and stopped
SAID_AFTER_S, SAID_EVERY_S = 0.3, 0.5  # an answer that takes longer is announced, and how long it takes so far
ASKED_AT_MOST = 3  # times that a question is handed to another process for kernels that are then not in the cache

Found = TypeVar("Found")


class Superseded(Exception):
    """Raised inside a study whose question is out of date."""


class Cancelled(Exception):
    """Raised inside a study whose answer is not wanted any more."""


class Asked(Protocol):
    """What a worker asks: a study, or what stands in its place."""

    @property
    def name(self) -> str: ...

    @property
    def inputs(self) -> Callable: ...

    @property
    def compute(self) -> Callable: ...


class Worker:
    """One thread that computes the latest question asked.

    `deliver(callback)` runs a callback on the page's thread. `show(inputs, result, final)` draws, `fail(message)` says
    what is wrong, `progress(share)` moves a bar, `long(running)` says that a run takes long, and when it is over,
    `cancelled(share, partial)` what there is of a run that was stopped, `waiting(seconds, news)` that an answer is
    still to come, with the news of the compiling that it waits for, or None; they all run on the page's thread.
    `question(values)` is what is answered elsewhere for the kernels of an answer.
    """

    def __init__(
        self,
        study: Asked,
        deliver: Callable,
        show: Callable,
        fail: Callable,
        progress: Callable,
        long: Callable = lambda running: None,
        cancelled: Callable = lambda share, partial: None,
        waiting: Callable = lambda seconds, compiles: None,
        question: Callable[[Mapping], compiling.Question] | None = None,
    ):
        self._study, self._deliver = study, deliver
        self._question = question or (lambda values: compiling.Question.of_study(study.name, values))
        self._show, self._fail, self._progress = show, fail, progress
        self._long, self._cancelled, self._waiting = long, cancelled, waiting
        self._paused = self._unwanted = False
        self._ticket: compiling.Ticket | None = None
        self._asked: Mapping | None = None
        self._wake = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._run, daemon=True, name=f"study {study.name}").start()

    def ask(self, values: Mapping) -> None:
        """Compute the answer to the inputs of these values; a question that is still being answered is dropped."""
        with self._wake:
            self._asked, self._paused = values, False
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
                if self._stopped or self._asked is None:
                    return
                values, self._asked, self._unwanted = self._asked, None, False
            self._answer(values)

    def _answer(self, values: Mapping) -> None:
        over = threading.Event()
        threading.Thread(target=self._say_that_it_takes, args=(over,), daemon=True, name="waiting").start()
        try:
            self._compute(values)
        finally:
            over.set()

    def _say_that_it_takes(self, over: threading.Event) -> None:
        started_at, pause_s = time.monotonic(), SAID_AFTER_S
        while not over.wait(pause_s):
            pause_s = SAID_EVERY_S
            ticket, seconds = self._ticket, time.monotonic() - started_at
            news = ticket.news() if ticket else None

            def say(seconds=seconds, news=news):
                if not over.is_set():  # what is said late must not stand beside the answer
                    self._waiting(seconds, news)

            self._deliver(say)

    def _compute(self, values: Mapping) -> None:
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
            inputs = self._when_compiled(values, lambda: self._study.inputs(values))  # some rules look at the load
            result = self._when_compiled(values, lambda: self._study.compute(inputs, progress))
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
        except Exception as error:  # or the page would wait for ever
            traceback.print_exc()
            fault = f"This is a fault of pagecost, not yours: {error!r}. Change an input to ask again."
            self._deliver(lambda: self._fail(fault))
        if long:
            self._deliver(lambda: self._long(False))

    def _when_compiled(self, values: Mapping, compute: Callable[[], Found]) -> Found:
        """What `compute` returns; as often as a kernel is not compiled it is compiled elsewhere first."""
        for _ in range(ASKED_AT_MOST):
            try:
                return compute()
            except NotCompiled:
                if not self._compile(values):
                    break
        with compiling.here():  # the cache cannot be written, or the other process not be started
            return compute()

    def _compile(self, values: Mapping) -> bool:
        """Have the kernels of a question compiled in another process; whether that can be done."""
        self._ticket = ticket = compiling.pool().ask(self._question(values))
        try:
            while not ticket.wait(0.1):
                self._wait_while_paused()  # which ends this question when there is a newer one
        finally:
            self._ticket = None
            compiling.pool().release(ticket)
        return not ticket.failed

    def _wait_while_paused(self) -> None:
        """Return when the answer shall go on; raise when it shall not."""
        with self._wake:
            self._wake.wait_for(lambda: not self._paused or self._stopped or self._asked is not None or self._unwanted)
            if self._stopped or self._asked is not None:
                raise Superseded
            if self._unwanted:
                raise Cancelled
