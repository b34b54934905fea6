"""What is remembered of answers: one place, one rule, one bound.

`@remembered` keeps what a function returned. The rule: every argument is a value that holds all that the answer
depends on (a resolved device, a source with its version, a number, the name of a policy, which is code), never the
name or the path of something that can change behind its back. What was not asked for longest is forgotten first when
all together holds more than `LIMIT_BYTES`.
"""

import dataclasses
import functools
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from pagecost import reads

LIMIT_BYTES = 96 * 2**20
"""All remembered answers together, at most. One answer that alone holds more is not kept."""

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Remembered(NamedTuple):
    """An answer, the bytes that it holds, and the names of what was read for it."""

    answer: Any
    held_bytes: int
    names: frozenset[str]


class Memory:
    """Answers by the values that they were computed from, the latest asked for last. Safe among threads.

    Two threads that want the same answer compute it once. A computation that raises is not remembered.
    """

    def __init__(self, limit_bytes: int):
        self.limit_bytes = limit_bytes
        self.held_bytes = 0
        self._answers: OrderedDict[tuple, Remembered] = OrderedDict()
        self._lock = threading.Lock()
        self._under_way: dict[tuple, threading.Lock] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def answer(self, key: tuple, compute: Callable[[], Found]) -> Found:
        """The remembered answer, or what `compute()` returns, which is then remembered."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._again(key)
            turn = self._under_way.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._answers:  # by a thread that had the turn before
                    return self._again(key)
            try:
                with reads.recorded() as names:
                    found = compute()
                self._keep(key, Remembered(found, held_bytes(found), frozenset(names)))
            finally:
                with self._lock:
                    self._under_way.pop(key, None)
        return found

    def _again(self, key: tuple) -> Any:
        reads.note(self._answers[key].names)
        return self._answers[key].answer

    def _keep(self, key: tuple, remembered: Remembered) -> None:
        if remembered.held_bytes > self.limit_bytes:
            return
        with self._lock:
            self._answers[key] = remembered
            self.held_bytes += remembered.held_bytes
            while self.held_bytes > self.limit_bytes:
                _, forgotten = self._answers.popitem(last=False)
                self.held_bytes -= forgotten.held_bytes

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._answers.clear()
            self.held_bytes = 0


MEMORY = Memory(LIMIT_BYTES)
"""The one memory of this process."""

REMEMBERED: list[Callable] = []
"""Every function whose answers are remembered."""


def remembered(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Keep what the function returns for the same arguments, in `MEMORY`. Its arguments must be hashable values."""

    @functools.wraps(function)
    def asked(*args: Given.args, **named: Given.kwargs) -> Found:
        key = (function.__module__, function.__qualname__, args, tuple(sorted(named.items())))
        return MEMORY.answer(key, lambda: function(*args, **named))

    REMEMBERED.append(asked)
    return asked


def held_bytes(answer: object) -> int:
    """Bytes that an answer holds: its arrays, and what stands in its containers and dataclasses; each object once."""
    return _held(answer, set())


def _held(thing: object, seen: set[int]) -> int:
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        base = thing if thing.base is None else thing.base
        if base is not thing:
            return _held(base, seen) + sys.getsizeof(thing) if isinstance(base, np.ndarray) else thing.nbytes
        return thing.nbytes + sys.getsizeof(thing) * (thing.nbytes == 0)
    size = sys.getsizeof(thing, 64)
    if isinstance(thing, Mapping):
        return size + sum(_held(key, seen) + _held(value, seen) for key, value in thing.items())
    if isinstance(thing, list | tuple | set | frozenset):
        return size + sum(_held(each, seen) for each in thing)
    if hasattr(thing, "__dict__") and not callable(thing):  # more than the fields where it is a dataclass
        return size + _held(vars(thing), seen)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return size + sum(_held(getattr(thing, field.name, None), seen) for field in dataclasses.fields(thing))
    return size
