"""Simulations of one answer side by side, on all processors."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from pagecost._processors import processors

Case = TypeVar("Case")
Given = ParamSpec("Given")
Found = TypeVar("Found")


MOST = 4


class _Workers(ThreadPoolExecutor):
    """Threads that know what holds where they are asked: a changed catalogue, a shuffled load, who records reads."""

    def submit(self, fn: Callable[Given, Found], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Found]:
        """As of any pool."""
        return super().submit(partial(copy_context().run, fn, *args, **kwargs))


@contextmanager
def workers() -> Iterator[ThreadPoolExecutor]:
    """Threads for simulations, which run side by side; what has not begun is dropped when an answer is cancelled.

    Not more than MOST: each holds the state of a device or a database, some tens of megabytes.
    """
    pool = _Workers(max_workers=min(processors(), MOST))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def side_by_side(work: Callable[[Case], Found], cases: list[Case]) -> Iterator[tuple[Case, Found]]:
    """(case, work(case)) in the order of the cases."""
    with workers() as pool:
        yield from zip(cases, pool.map(work, cases), strict=True)
