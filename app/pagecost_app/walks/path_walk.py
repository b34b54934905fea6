"""A walk through the whole path that survives bad input: the setup, and where one stands."""

import random
from dataclasses import replace
from typing import Any

import numpy as np

from pagecost.devices.ftl.page_map_kernels import CLOSED
from pagecost.errors import require
from pagecost.walk import Setup, Walker, events
from pagecost_app.walks.asking import Asks, Question
from pagecost_app.walks.walk import NOBODY

LONGEST_STRING = 4000  # characters: some thousand references
ERASES = frozenset({events.FLASH_ERASE})
BEGINNINGS = frozenset({events.TRANSACTION})
RANDOM_TRANSACTIONS, RANDOM_REFERENCES, RANDOM_PAGES, RANDOM_WRITES = 16, 3, 20, 0.5  # of a load that is drawn


class PathWalk(Asks):
    """Where one stands on the path of a `Setup`. values: fields of it.

    beside: another policy in the same system, whose walker is `other`; it goes in lock-step, reference by reference, or
    "none". Raises ModelError as `Walker`, and for a text of more than 4000 characters.
    """

    walker: Walker
    other: Walker | None = None

    def __init__(self, **values: Any):
        super().__init__()
        self.beside = NOBODY
        self.ask(**values)

    def ask(self, *, beside: str | None = None, **values: Any) -> None:
        """Another question; the place in the walk stays, as far as the walk goes. An error changes nothing."""
        beside = self.beside if beside is None else beside
        setup = replace(self.walker.setup, **values) if hasattr(self, "walker") else Setup(**values)
        require(
            len(setup.load) <= LONGEST_STRING,
            f"a reference string for the eye has at most {LONGEST_STRING} characters; got {len(setup.load)}",
        )
        at = self.position if hasattr(self, "walker") else 0
        walker = Walker(setup)
        other = None if beside == NOBODY else Walker(replace(setup, policy=beside))
        walker.jump(min(at, walker.size))
        self.walker, self.beside, self.other = walker, beside, other
        self._ends = _ends(other) if other else []
        self._follow()
        self.asked_anew()

    def random_text(self, seed: int) -> str:
        """Transactions drawn with a seed: few pages often, half of the references writes."""
        dice = random.Random(seed)
        pages = range(1, RANDOM_PAGES + 1)
        count = RANDOM_TRANSACTIONS * RANDOM_REFERENCES
        drawn = dice.choices(pages, [1 / page for page in pages], k=count)
        words = [f"{page}{'w' if dice.random() < RANDOM_WRITES else 'r'}" for page in drawn]
        return " | ".join(" ".join(words[at : at + RANDOM_REFERENCES]) for at in range(0, count, RANDOM_REFERENCES))

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
        self._follow()

    def _follow(self) -> None:
        """The other one does all of the reference at which this one is."""
        if self.other:
            self.other.jump(self._ends[self.references])

    @property
    def references(self) -> int:
        """References that were made, the one that is going on among them."""
        return int(self.walker.system.at[0])

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


def _ends(walker: Walker) -> list[int]:
    """The position after all that the first 0, 1, … references caused."""
    ends = [0]
    for number in range(walker.size):
        kind = walker.system.events[number].kind
        if kind == events.REFERENCE:
            ends.append(number + 1)
        elif kind != events.TRANSACTION:
            ends[-1] = number + 1
    return ends
