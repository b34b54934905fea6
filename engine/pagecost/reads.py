"""What a run reads: the numbers of the catalogue, the inputs of studies and constants that nobody can set, by name, so
that an answer can say what it rests on.

    with recorded() as names: ...        # {"device:mtron-pro-7500.command_s", "input:disk_arrays.seed=1"}

A constant is noted by who uses it, as "constant:FILE.NAME=VALUE", where it was fitted or assumed.

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


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """What is read within the block is not noted: it lists names, and no answer follows from the numbers."""
    token = _names.set(None)
    try:
        yield
    finally:
        _names.reset(token)
