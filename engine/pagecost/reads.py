"""What a run reads: the numbers of the catalogue and the inputs of studies, by name, so that an answer can say what it
rests on.

    with recorded() as names: ...        # {"device:mtron-pro-7500.command_s", "input:disk_arrays.seed=1"}

A remembered answer keeps the names beside it and gives them again, so that who asks second rests on the same.
"""

import contextlib
import contextvars
from collections.abc import Iterable, Iterator

_names: contextvars.ContextVar[set[str] | None] = contextvars.ContextVar("names read", default=None)


def are_recorded() -> bool:
    """Whether someone wants to know what is read."""
    return _names.get() is not None


def note(names: Iterable[str]) -> None:
    """These are read now."""
    found = _names.get()
    if found is not None:
        found.update(names)


@contextlib.contextmanager
def recorded() -> Iterator[set[str]]:
    """The names of what is read within the block, in this thread; a recording around it has them as well."""
    own: set[str] = set()
    token = _names.set(own)
    try:
        yield own
    finally:
        _names.reset(token)
        note(own)
