"""Simulations of one answer side by side, on all processors."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from pagecost._processors import processors

Case = TypeVar("Case")
Found = TypeVar("Found")


MOST = 4


@contextmanager
def workers() -> Iterator[ThreadPoolExecutor]:
    """Threads for simulations, which run side by side; what has not begun is dropped when an answer is cancelled.

    Not more than MOST: each holds the state of a device or a database, some tens of megabytes.
    """
    pool = ThreadPoolExecutor(max_workers=min(processors(), MOST))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def side_by_side(work: Callable[[Case], Found], cases: list[Case]) -> Iterator[tuple[Case, Found]]:
    """(case, work(case)) in the order of the cases."""
    with workers() as pool:
        yield from zip(cases, pool.map(work, cases), strict=True)
