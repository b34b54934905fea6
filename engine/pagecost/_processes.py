"""Worker processes that end with the process that started them."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from threading import Thread


def process_pool(
    count: int,
    context: BaseContext,
    prepare: Callable[[], object] | None = None,
    max_tasks_per_child: int | None = None,
) -> ProcessPoolExecutor:
    """A pool of so many processes, as `ProcessPoolExecutor`, none of which is left when this process is killed.

    prepare: called in each before its work. Each answers at most max_tasks_per_child times; None: without end.
    """
    return ProcessPoolExecutor(
        count,
        mp_context=context,
        initializer=_begin,
        initargs=(prepare,),
        max_tasks_per_child=max_tasks_per_child,
    )


def _begin(prepare: Callable[[], object] | None) -> None:
    Thread(target=_end_with_the_parent, daemon=True).start()
    if prepare is not None:
        prepare()


def _end_with_the_parent() -> None:
    """End this process at once when its parent is no more: nobody would ever read its answer or stop it."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
