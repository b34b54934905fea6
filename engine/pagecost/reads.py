"""What a run reads: the numbers of the catalogue, the inputs of studies and constants that nobody can set, by name, so
that an answer can say what it rests on.

    with recorded() as names: ...        # {"device:mtron-pro-7500.command_s", "input:disk_arrays.seed=1"}

A constant is noted by who uses it, as "constant:FILE.NAME=VALUE", where it was fitted or assumed.

A remembered answer keeps the names beside it and gives them again, so that who asks second rests on the same.
"""

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")

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


def cached(maxsize: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """As `functools.lru_cache`, for a function that reads: who is given its kept answer has read the same."""

    def around(function: Callable[Given, Found]) -> Callable[Given, Found]:
        @functools.lru_cache(maxsize)
        def kept(*args: Given.args, **named: Given.kwargs) -> tuple[Found, frozenset[str]]:
            with recorded() as names:
                found = function(*args, **named)
            return found, frozenset(names)

        @functools.wraps(function)
        def asked(*args: Given.args, **named: Given.kwargs) -> Found:
            found, names = kept(*args, **named)  # type: ignore[arg-type]  # unhashable ones are refused by the cache
            note(names)
            return found

        asked.cache_clear = kept.cache_clear  # type: ignore[attr-defined]
        return asked

    return around
