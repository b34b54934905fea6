"""A walk through the whole path that survives bad input: the setup, and where one stands."""

from dataclasses import replace

import numpy as np

from pagecost.devices.ftl.page_map_kernels import CLOSED
from pagecost.errors import require
from pagecost.walk import Setup, Walker, events
from pagecost_app.walks.asking import Asks, Question

LONGEST_STRING = 4000  # characters: some thousand references
ERASES = frozenset({events.FLASH_ERASE})
BEGINNINGS = frozenset({events.TRANSACTION})


class PathWalk(Asks):
    """Where one stands on the path of a `Setup`. values: fields of it.

    Raises ModelError as `Walker`, and for a text of more than 4000 characters.
    """

    walker: Walker

    def __init__(self, **values):
        super().__init__()
        self.ask(**values)

    def ask(self, **values) -> None:
        """Another question; the place in the walk stays, as far as the walk goes. An error changes nothing."""
        setup = replace(self.walker.setup, **values) if hasattr(self, "walker") else Setup(**values)
        require(
            len(setup.load) <= LONGEST_STRING,
            f"a reference string for the eye has at most {LONGEST_STRING} characters; got {len(setup.load)}",
        )
        at = self.position if hasattr(self, "walker") else 0
        walker = Walker(setup)
        walker.jump(min(at, walker.size))
        self.walker = walker
        self.asked_anew()

    @property
    def setup(self) -> Setup:
        """What is walked through."""
        return self.walker.setup

    @property
    def size(self) -> int:  # type: ignore[override]
        """Events of the whole walk."""
        return self.walker.size

    @property
    def position(self) -> int:  # type: ignore[override]
        """Events done so far."""
        return self.walker.position

    def _move(self, position: int) -> None:
        self.walker.jump(position)

    def _questions(self) -> list[Question]:
        """Before the buffer looks: does it have the page? Before a collection: of which block?"""
        coming = self.walker.system.events[self.position]
        if coming.kind in (events.HIT, events.MISS):
            text = f"Does the buffer have {self.walker.load.names[coming.number]}?"
            return [Question(text, ("yes, a hit", "no, a miss"), frozenset({int(coming.kind == events.MISS)}))]
        if coming.kind == events.FLASH_COLLECT and (flash := self.walker.system.flash):
            blocks = np.flatnonzero(flash.dies[coming.place].flash.status == CLOSED).tolist()
            options = tuple(f"block {block}" for block in blocks)
            text = f"Die {coming.place} needs room. Which of its full blocks is collected?"
            return [Question(text, options, frozenset({blocks.index(coming.number)}))]
        return []

    def place_of(self, wish: str) -> int:
        """The position that a wish means: "erase" or "next", the next erase or transaction; "previous" transaction.

        Where there is none, the place stays.
        """
        at, record = self.position, self.walker.system.events
        if wish == "previous":
            before = (number + 1 for number in range(at - 2, -1, -1) if record[number].kind == events.TRANSACTION)
            return next(before, at)
        found = self.walker.next_of(ERASES if wish == "erase" else BEGINNINGS, at)
        return at if found is None else found
