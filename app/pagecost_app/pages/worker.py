"""Answers a study away from the page's thread; a newer question makes an older one stop.

A long answer can be paused, and stopped for good; what was computed until then stays. While a slider moves, a study
that has formulas answers by them, and is computed when the slider rests.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Protocol, TypeVar

from pagecost import cancellation
from pagecost._jit import NotCompiled
from pagecost.errors import ModelError
from pagecost.studies import Growing, Result
from pagecost_app import compiling, heap
from pagecost_app.faults import Fault, fault

BETWEEN_PICTURES_S = 0.08  # a growing result is redrawn at most this often
LONG_S = 0.5  # a run that takes longer can be paused and stopped
SAID_AFTER_S, SAID_EVERY_S = 0.3, 0.5  # an answer that takes longer is announced, and how long it takes so far
REST_S = 0.4  # a slider that is held still for that long counts as released
QUICK_S = 0.1  # an answer that is there by then is drawn though a slider has moved on: the chart follows the hand
ASKED_AT_MOST = 3  # times that a question is handed to another process for kernels that are then not in the cache

Found = TypeVar("Found")

FORMULAS = ThreadPoolExecutor(1, "formulas")
"""Where all pages are answered by formula: beside what is still computed for the question before."""


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
    `question(values)` is what is answered elsewhere for the kernels of an answer. `estimated(inputs, result)` draws
    what the study's `estimate` says, which is never later than its answer. `broken(fault)` says that something failed
    that nobody expected; without it, `fail` does.
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
        estimated: Callable | None = None,
        broken: Callable[[Fault], None] | None = None,
    ):
        self._study, self._deliver = study, deliver
        self._question = question or (lambda values: compiling.Question.of_study(study.name, values))
        self._show, self._fail, self._progress = show, fail, progress
        self._long, self._cancelled, self._waiting = long, cancelled, waiting
        self._estimated = estimated or (lambda inputs, result: None)
        self._estimate: Callable | None = getattr(study, "estimate", None) if estimated else None
        self._broken = broken or (lambda told: fail(told.sentence))
        self._number = self._answered = 0  # of the newest question, and of the one that was answered last
        self._newest: Mapping = {}
        self._rests_at_s = self._begun_at_s = 0.0  # on the monotonic clock
        self._paused = self._unwanted = False
        self._ticket: compiling.Ticket | None = None
        self._asked: Mapping | None = None
        self._formula: Future | None = None  # of what is asked
        self._answering: int | None = None  # the number of the question, until its answer is shown
        self._wake = threading.Condition()
        self._stopped = False
        threading.Thread(target=self._run, daemon=True, name=f"study {study.name}").start()

    @property
    def at_rest(self) -> bool:
        """Whether nothing is asked that is not answered yet."""
        with self._wake:
            return self._asked is None and self._answering is None

    def ask(self, values: Mapping, *, moving: bool = False) -> None:
        """Compute the answer to the inputs of these values; a question that is still being answered is dropped.

        moving: a slider is being dragged. A study with formulas answers by them then, and is computed when it rests.
        """
        by_formula = moving and self._estimate is not None
        with self._wake:
            self._number += 1
            self._asked, self._newest, self._paused = values, values, False
            self._rests_at_s = time.monotonic() + REST_S if by_formula else 0.0
            self._formula = FORMULAS.submit(self._answer_by_formula, self._number, values) if by_formula else None
            self._wake.notify()

    def release(self) -> None:
        """The slider rests: compute."""
        with self._wake:
            self._rests_at_s = 0.0
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
                while not self._stopped and (moves_s := self._rests_at_s - time.monotonic()) > 0:
                    self._wake.wait(moves_s)
                if self._stopped or self._asked is None:
                    return
                values, self._asked, self._unwanted = self._asked, None, False
                number, formula, self._answering = self._number, self._formula, self._number
                self._begun_at_s = time.monotonic()
            self._answer(number, values, formula)

    def _answer_by_formula(self, number: int, values: Mapping) -> None:
        """What the study's formulas say; nothing when the question is out of date, or refused, which is said later."""
        assert self._estimate is not None
        try:
            with cancellation.asked_by(lambda: self._end_unless_newest(values)):
                cancellation.point()
                inputs = self._study.inputs(values)
                found = self._estimate(inputs)
        except (NotCompiled, ModelError, OSError, Superseded):
            return
        except Exception as error:  # the simulation follows all the same
            fault(error, f"estimating {self._study.name}", values)
            return

        def draw() -> None:
            if values == self._newest and self._answered < number:
                self._estimated(inputs, found)

        self._deliver(draw)

    def _end_unless_newest(self, values: Mapping) -> None:
        """Raise where these are no longer the newest values."""
        if values != self._newest or self._stopped:
            raise Superseded

    def _answer(self, number: int, values: Mapping, formula: Future | None) -> None:
        over = threading.Event()
        threading.Thread(target=self._say_that_it_takes, args=(over,), daemon=True, name="waiting").start()
        try:
            if formula is not None:
                wait([formula])  # which a person sees first: a simulation beside it would make it late
            self._compute(number, values, over)
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

    def _show_if_wanted(self, number: int, inputs, result: Result, final: bool) -> None:
        """Draw an answer. One that is out of date is still drawn while a slider moves, unless formulas are ahead."""
        if self._estimate is None or number == self._number:
            self._answered = number
            self._show(inputs, result, final)

    def _compute(self, number: int, values: Mapping, over: threading.Event) -> None:
        """Compute and deliver; `over` is set before the end is delivered, so that nothing said of it comes later."""
        drawn_at = started_at = time.monotonic()
        long = False
        done, latest = 0.0, None
        end: Callable | None = None

        def progress(share: float, growing: Growing) -> None:
            nonlocal drawn_at, long, done, latest
            if growing is not None or latest is None:  # a study need not draw each step: what it drew last stays
                done, latest = share, growing
            self._wait_while_paused()
            if time.monotonic() - drawn_at >= BETWEEN_PICTURES_S:
                drawn_at = time.monotonic()
                self._deliver(lambda: self._progress(share))
                if growing is not None:
                    self._deliver(partial(self._show_if_wanted, number, inputs, growing(), False))
            if not long and time.monotonic() - started_at >= LONG_S:
                long = True
                self._deliver(lambda: self._long(True))

        try:
            try:
                with cancellation.asked_by(self._end_unless_quick):
                    inputs = self._when_compiled(values, lambda: self._study.inputs(values))  # some rules see the load
                    result = self._when_compiled(values, lambda: self._study.compute(inputs, progress))
                end = partial(self._show_if_wanted, number, inputs, result, True)
            except Cancelled:
                found = None
                if latest is not None:
                    with compiling.here():  # nothing else is waited for any more
                        found = latest()
                    self._deliver(partial(self._show_if_wanted, number, inputs, found, False))
                end = partial(self._cancelled, done, found)
        except Superseded:
            pass
        except (ModelError, OSError, MemoryError) as error:
            end = partial(self._fail, str(error) or type(error).__name__)
        except Exception as error:  # or the page would wait for ever
            end = partial(self._broken, fault(error, f"answering {self._study.name}", values))
        over.set()
        self._deliver(partial(self._end, number, end))
        if long:
            self._deliver(lambda: self._long(False))
        heap.give_back()  # what the run needed and no answer holds; it takes a millisecond

    def _end(self, number: int, end: Callable[[], None] | None) -> None:
        """Show how a question ended, if it did not for a newer one."""
        with self._wake:
            if self._answering == number:
                self._answering = None
        if end is not None:
            end()

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
            self._end_where_outdated()

    def _end_unless_quick(self) -> None:
        """Raise at a cancellation point. It never waits: who is asked there may hold what others wait for."""
        quick = self._estimate is None and time.monotonic() < self._begun_at_s + QUICK_S
        if not quick or self._unwanted or self._stopped:
            self._end_where_outdated()

    def _end_where_outdated(self) -> None:
        """Raise when the answer shall not go on."""
        with self._wake:
            if self._stopped or self._asked is not None:
                raise Superseded
            if self._unwanted:
                raise Cancelled
