"""Simulations of one answer side by side, on all processors."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Case = TypeVar("Case")
Found = TypeVar("Found")


@contextmanager
def workers() -> Iterator[ThreadPoolExecutor]:
    """Threads for simulations, which run side by side; what has not begun is dropped when an answer is cancelled."""
    pool = ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, 8))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def side_by_side(work: Callable[[Case], Found], cases: list[Case]) -> Iterator[tuple[Case, Found]]:
    """(case, work(case)) in the order of the cases."""
    with workers() as pool:
        yield from zip(cases, pool.map(work, cases), strict=True)
