"""What a run reads: the numbers of the catalogue, the inputs of studies and constants that nobody can set, by name, so
that an answer can say what it rests on.

    with recorded() as names: ...        # {"device:mtron-pro-7500.command_s", "input:disk_arrays.seed=1"}

A constant that was fitted or assumed is had by `constant`, which notes it as "constant:FILE.NAME=VALUE"; so a line of
the ledger can be asked what becomes of it where something else had been assumed:

    with instead({"path_runs.TIMES_SYNCED": True}): ...

A remembered answer keeps the names beside it and gives them again, so that who asks second rests on the same.
"""

import contextlib
import contextvars
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

_names: contextvars.ContextVar[set[str] | None] = contextvars.ContextVar("names read", default=None)
_instead: contextvars.ContextVar[Mapping[str, Any] | None] = contextvars.ContextVar("other constants", default=None)

Value = TypeVar("Value")


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


def constant(name: str, value: Value) -> Value:
    """What is `in_force` under the name, which is noted."""
    found = in_force(name, value)
    note([f"constant:{name}={found}"])
    return found


def in_force(name: str, value: Value) -> Value:
    """A constant, by its name as it is noted, or what `instead` has in its place."""
    return (_instead.get() or {}).get(name, value)


@contextlib.contextmanager
def instead(constants: Mapping[str, Any]) -> Iterator[None]:
    """Within the block, in this thread, these are in force in place of the constants of these names."""
    token = _instead.set({**(_instead.get() or {}), **constants})
    try:
        yield
    finally:
        _instead.reset(token)


def in_place() -> tuple[tuple[str, str], ...]:
    """What is in force in place of constants, as a part of the key of what is remembered; empty where nothing is."""
    found = _instead.get()
    return tuple(sorted((name, repr(value)) for name, value in found.items())) if found else ()
