"""What is remembered of what was computed, by models and answers alike: one place, one rule, one bound.

`@remembered` keeps what a function returned. The rule: every argument is a value that holds all that the answer
depends on (a resolved device, a source with its version, a number, the name of a policy, which is code), never the
name or the path of something that can change behind its back. What was not asked for longest is forgotten first when
all together holds more than `LIMIT_BYTES`.

`@shared(most)` is for what runs that come together need one after the other and what is too large to be kept beside
other answers: the latest few, however large, until their owner drops them. Who asks several owners in a row has it stay
from one to the next within `keeping_shared()`.

`forget` empties all of it. What is read once of the project's own files is no answer and stays with `functools.cache`.
"""

import contextlib
import dataclasses
import functools
import math
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from pagecost import cancellation, reads

LIMIT_BYTES = 64 * 2**20
"""All remembered answers together, at most. One answer that alone holds more is not kept."""

POINTS_EVERY_S = 0.01  # while another thread computes what this one wants, too

Given = ParamSpec("Given")
Found = TypeVar("Found")


class _Key:
    """What was asked, equal by value, with its hash computed once: that of a system goes through all its parts."""

    __slots__ = ("_hash", "asked")

    def __init__(self, asked: tuple):
        self.asked = asked
        self._hash = hash(asked)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other) -> bool:
        return self.asked == other.asked


class Remembered(NamedTuple):
    """An answer; the bytes that it holds beside arrays; those of each array of answer and question; what was read."""

    answer: Any
    plain_bytes: int
    arrays: dict[int, int]
    names: frozenset[str]


@contextlib.contextmanager
def _taken(turn: threading.Lock) -> Iterator[None]:
    """Within the block the turn is held; whoever waits for it may be cancelled."""
    while not turn.acquire(timeout=POINTS_EVERY_S):
        cancellation.point()
    try:
        yield
    finally:
        turn.release()


class Memory:
    """Answers by the values that they were computed from, the latest asked for last. Safe among threads.

    limit_bytes: of all together, an array that several hold counted once, those of the questions included. most:
    answers. Two threads that want the same answer compute it once. A computation that raises is not remembered.
    """

    def __init__(self, limit_bytes: float, most: float = math.inf):
        self.limit_bytes = limit_bytes
        self.most = most
        self.held_bytes = 0
        self._answers: OrderedDict[_Key, Remembered] = OrderedDict()
        self._holders: Counter[int] = Counter()  # of each array, by its id: it lives as long as one holds it
        self._lock = threading.Lock()
        self._under_way: dict[_Key, threading.Lock] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def answer(self, key: tuple, compute: Callable[[], Found]) -> Found:
        """The remembered answer, or what `compute()` returns, which is then remembered.

        Before anything is computed, and while another thread computes it, there are cancellation points.
        """
        asked = _Key(key)
        with self._lock:
            kept = self._again(asked)
            if kept is not None:
                return kept.answer
            turn = self._under_way.setdefault(asked, threading.Lock())
        with _taken(turn):
            with self._lock:
                kept = self._again(asked)  # by a thread that had the turn before
                if kept is not None:
                    return kept.answer
            try:
                cancellation.point()
                with reads.recorded() as names:
                    found = compute()
                self._keep(asked, found, frozenset(names))
            finally:
                with self._lock:
                    self._under_way.pop(asked, None)
        return found

    def _again(self, asked: _Key) -> Remembered | None:
        kept = self._answers.get(asked)
        if kept is not None:
            self._answers.move_to_end(asked)
            reads.note(kept.names)
        return kept

    def _keep(self, asked: _Key, found: Any, names: frozenset[str]) -> None:
        plain, arrays = _held(found)
        arrays |= _held(asked.asked)[1]
        if plain + sum(arrays.values()) > self.limit_bytes:
            return
        with self._lock:
            if asked in self._answers:  # by a thread that came when an earlier one had failed
                return
            self._answers[asked] = Remembered(found, plain, arrays, names)
            self._holders.update(arrays.keys())
            self.held_bytes += plain + sum(size for array, size in arrays.items() if self._holders[array] == 1)
            while self.held_bytes > self.limit_bytes or len(self._answers) > self.most:
                self._drop(self._answers.popitem(last=False)[1])

    def _drop(self, kept: Remembered) -> None:
        self.held_bytes -= kept.plain_bytes
        for array, size in kept.arrays.items():
            self._holders[array] -= 1
            if not self._holders[array]:
                del self._holders[array]
                self.held_bytes -= size

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._answers.clear()
            self._holders.clear()
            self.held_bytes = 0


MEMORY = Memory(LIMIT_BYTES)
"""Of all remembered answers of this process."""

SHARED: dict[Callable, Memory] = {}
"""Of each function whose latest answers runs share."""

REMEMBERED: list[Callable] = []
"""Every function whose answers are remembered or shared."""


class _Keepers:
    """How many blocks of `keeping_shared` are under way, in all threads."""

    def __init__(self):
        self.count = 0
        self.lock = threading.Lock()


_KEEPERS = _Keepers()


@contextlib.contextmanager
def keeping_shared() -> Iterator[None]:
    """Within the block what runs share outlives its owners: the next of them may need it again. Then it is dropped."""
    with _KEEPERS.lock:
        _KEEPERS.count += 1
    try:
        yield
    finally:
        with _KEEPERS.lock:
            _KEEPERS.count -= 1
        forget_shared()


def forget() -> None:
    """Drop all that is remembered and shared."""
    MEMORY.forget()
    _drop_shared()


def forget_shared() -> None:
    """Drop what runs share, unless somebody keeps it."""
    if not _KEEPERS.count:
        _drop_shared()


def _drop_shared() -> None:
    for memory in SHARED.values():
        memory.forget()


def remembered(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Keep what the function returns for the same arguments, in `MEMORY`. Its arguments must be hashable values."""
    return _asking(MEMORY, function)


def shared(most: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Keep the latest `most` answers of the function, of any size, until `forget_shared`."""

    def around(function: Callable[Given, Found]) -> Callable[Given, Found]:
        memory = Memory(math.inf, most)
        asked = _asking(memory, function)
        SHARED[asked] = memory
        return asked

    return around


def _asking(memory: Memory, function: Callable[Given, Found]) -> Callable[Given, Found]:
    @functools.wraps(function)
    def asked(*args: Given.args, **named: Given.kwargs) -> Found:
        key = (function.__module__, function.__qualname__, args, tuple(sorted(named.items())), reads.in_place())
        return memory.answer(key, lambda: function(*args, **named))

    REMEMBERED.append(asked)
    return asked


def held_bytes(answer: object) -> int:
    """Bytes that an answer holds: its arrays, and what stands in its containers and dataclasses; each object once."""
    plain, arrays = _held(answer)
    return plain + sum(arrays.values())


def _held(thing: object) -> tuple[int, dict[int, int]]:
    """Bytes beside arrays, and those of each array by the id of what owns its memory."""
    size, arrays, seen, waiting = 0, dict[int, int](), set[int](), [thing]
    while waiting:  # answers have thousands of parts: a call for each would take longer than some answers
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            owner = thing
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            arrays[id(owner)] = owner.nbytes
            size += sys.getsizeof(thing) - (thing.nbytes if thing.flags.owndata else 0)
            continue
        size += sys.getsizeof(thing, 64)
        parts = _PARTS[type(thing)]
        if parts is not None:
            waiting += parts(thing)
    return size, arrays


class _Parts(dict[type, Callable[[Any], Iterable[object]] | None]):
    """What tells the parts of things of a type; None where they have none."""

    def __missing__(self, kind: type) -> Callable[[Any], Iterable[object]] | None:
        self[kind] = found = self._of(kind)
        return found

    def _of(self, kind: type) -> Callable[[Any], Iterable[object]] | None:
        if issubclass(kind, Mapping):
            return lambda thing: (*thing.keys(), *thing.values())
        if issubclass(kind, list | tuple | set | frozenset):
            return iter
        if any("__call__" in vars(base) for base in kind.__mro__):  # a function, or a class
            return None
        if getattr(kind, "__dictoffset__", 0):  # more than the fields where it is a dataclass
            return lambda thing: (vars(thing),)
        if dataclasses.is_dataclass(kind):
            names = [field.name for field in dataclasses.fields(kind)]
            return lambda thing: [getattr(thing, name, None) for name in names]
        return None


_PARTS = _Parts()
