"""Walk the path one event at a time, forwards, backwards or anywhere, and ask for every event who caused it.

Going back restores a copy of the models' arrays and does again what happened since.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from pagecost.errors import require
from pagecost.walk import events
from pagecost.walk.events import PRECONDITION, Event
from pagecost.walk.setup import Setup
from pagecost.walk.system import EVENTS, System

EVERY = 400  # events between two copies, or as many as one reference causes: some 10 ms to do again
LONGEST = 400_000  # events


class Walker:
    """The walk of a setup. `system` holds the models as they are after `position` events, of which there are `size`.

    Raises ModelError as `Setup.drawn`, and for a walk of more than 400 000 events.
    """

    def __init__(self, setup: Setup | None = None):
        self.setup = setup or Setup()
        self.load = self.setup.drawn()
        self.system = System(self.setup, self.load)
        self._starts, self._copies = [0], [self._copy()]
        self._coming = self._events()
        for number in self._coming:
            require(number < LONGEST, f"a walk has at most {LONGEST} events; take fewer transactions")
        self.size = len(self.system.events)
        self._back_to(0)

    def _events(self) -> Iterator[int]:
        system = self.system
        while not system.ended:
            if system.at[EVENTS] - self._starts[-1] >= EVERY:
                self._starts.append(int(system.at[EVENTS]))
                self._copies.append(self._copy())
            yield from system.refer()

    @property
    def position(self) -> int:
        """Events done so far, 0 .. size."""
        return int(self.system.at[EVENTS])

    @property
    def event(self) -> Event | None:
        """The last one."""
        return self.system.events[self.position - 1] if self.position else None

    def jump(self, position: int) -> None:
        """To the state after `position` events. Raises ModelError outside 0 .. size."""
        require(0 <= position <= self.size, f"the walk has positions 0..{self.size}; got {position}")
        # what follows an event without being one itself belongs to the next: never stop on a copy
        nearest = max(bisect_left(self._starts, position) - 1, 0)
        if position < self.position or self._starts[nearest] > self.position or position == 0:
            self._back_to(nearest)
        while self.position < position:
            next(self._coming)

    def forward(self) -> None:
        """The next event; at the end nothing changes."""
        self.jump(min(self.position + 1, self.size))

    def back(self) -> None:
        """One event back; at the beginning nothing changes."""
        self.jump(max(self.position - 1, 0))

    def next_of(self, kinds: frozenset[int] | set[int], after: int) -> int | None:
        """The position after the next event of these kinds behind `after` events; None where none is to come."""
        found = (at + 1 for at in range(after, self.size) if self.system.events[at].kind in kinds)
        return next(found, None)

    def chain(self, number: int) -> list[int]:
        """The event of that number, what caused it, what caused that, and so on back to a transaction."""
        require(0 <= number < self.size, f"the walk has events 0..{self.size - 1}; got {number}")
        found = []
        while number != PRECONDITION:
            found.append(number)
            number = self.system.events[number].cause
        return found

    def transaction_of(self, number: int) -> int | None:
        """The transaction at the end of the chain of an event; None: the preconditioning."""
        if number == PRECONDITION:
            return None
        last = self.system.events[self.chain(number)[-1]]
        return last.number if last.kind == events.TRANSACTION else None

    def fillers(self, number: int) -> tuple[tuple[int, int], ...]:
        """(event that wrote it, block of the volume that lives in it or -1) of each page of the block that is erased.

        number: of an erase, or of the collection that ends with it.
        """
        record = self.system.events
        if record[number].kind == events.FLASH_ERASE:
            number = record[number].cause
        require(number in self.system.fillers, f"event {number} is no collection and no erase")
        return self.system.fillers[number]

    def origin(self, number: int) -> int:
        """The event that first wrote what a copy moved on; of another event itself."""
        record = self.system.events
        while number != PRECONDITION and record[number].kind == events.FLASH_COPY:
            number = record[number].other
        return number

    def state_hash(self) -> str:
        """Digest of all arrays of all models: equal states, equal digests."""
        digest = hashlib.sha256()
        for array in self.system.arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def _copy(self) -> list[np.ndarray]:
        return [array.copy() for array in self.system.arrays]

    def _back_to(self, which: int) -> None:
        for array, kept in zip(self.system.arrays, self._copies[which], strict=True):
            array[...] = kept
        self._coming = self._events()
