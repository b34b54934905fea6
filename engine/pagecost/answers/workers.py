"""Simulations of one answer side by side, on all processors."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from threading import Event
from typing import ParamSpec, TypeVar

from pagecost import cancellation
from pagecost._processors import processors

Case = TypeVar("Case")
Given = ParamSpec("Given")
Found = TypeVar("Found")


MOST = 4


class Dropped(Exception):
    """Raised in a simulation beside others, one of which has failed or was interrupted."""


class _Workers(ThreadPoolExecutor):
    """Threads that know what holds where they are asked: a changed catalogue, a shuffled load, who records reads, who
    may cancel. What they do is dropped once `over` is set."""

    def __init__(self, most: int):
        super().__init__(max_workers=most)
        self.over = Event()

    def submit(self, fn: Callable[Given, Found], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Found]:
        """As of any pool."""
        return super().submit(partial(copy_context().run, self._run, fn, *args, **kwargs))

    def _run(self, fn: Callable[Given, Found], /, *args: Given.args, **kwargs: Given.kwargs) -> Found:
        with cancellation.asked_by(self._stop):
            return fn(*args, **kwargs)

    def _stop(self) -> None:
        if self.over.is_set():
            raise Dropped


@contextmanager
def workers() -> Iterator[ThreadPoolExecutor]:
    """Threads for simulations, which run side by side; all are dropped when an answer is cancelled or interrupted.

    Not more than MOST: each holds the state of a device or a database, some tens of megabytes.
    """
    pool = _Workers(min(processors(), MOST))
    try:
        yield pool
    except BaseException:
        pool.over.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def side_by_side(work: Callable[[Case], Found], cases: list[Case]) -> Iterator[tuple[Case, Found]]:
    """(case, work(case)) in the order of the cases."""
    with workers() as pool:
        yield from zip(cases, pool.map(work, cases), strict=True)
