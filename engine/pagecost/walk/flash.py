"""Two dies of flash, each under a page map of its own, one operation at a time."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pagecost import catalogue
from pagecost.devices.ftl import steps_kernels as steps
from pagecost.devices.ftl.layers import Options, PageMap
from pagecost.devices.ftl.page_map_kernels import HOST_AT, HOST_END, NOWHERE, READ, SHIFT, TRIM
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import Ssd
from pagecost.walk import events
from pagecost.walk.prices import CHIP, Rates
from pagecost.walk.setup import Form

DIES, BLOCK_PAGES = 2, 8
SPARE_BLOCKS = 5  # of a die, beyond what it stores: two in reserve, one open, two for the collector to work with


def ssd_of(volume_blocks: int) -> Ssd:
    """The drive for a volume: chips of the catalogue with blocks of 8 pages, so that they can be seen."""
    chip = replace(Chip.of(catalogue.device(CHIP)), pages_per_block=BLOCK_PAGES)
    on_die = -(-volume_blocks // DIES)
    blocks = -(-on_die // BLOCK_PAGES) + SPARE_BLOCKS
    return Ssd(
        name="two dies",
        chip=chip,
        channels=DIES,
        unit_bytes=chip.page_bytes,
        blocks=blocks,
        spare=1 - (on_die + 0.5) / (blocks * BLOCK_PAGES),
        channel_bytes_per_s=chip.bus_bytes_per_s,
    )


def operation_costs(ssd: Ssd, rates: Rates) -> dict[str, tuple[float, float, float]]:
    """(time [s], energy [J], money [USD]) of a "read", "program", "copy", "fill" and "erase", nan: not known.

    Money is the energy's, and an erase's share of the life of the flash. A fill is a program without a transfer.
    """
    chip = ssd.chip
    wear_usd = rates.usd_per_erased_byte * chip.pages_per_block * chip.page_bytes
    costs = {
        "read": (chip.read_s + ssd.read_command_s + ssd.transfer_s, chip.read_j, 0.0),
        "program": (ssd.program_s + ssd.write_transfer_s, chip.program_j, 0.0),
        "copy": (ssd.copy_s, chip.read_j + chip.program_j, 0.0),
        "fill": (ssd.program_s + ssd.program_command_s, chip.program_j, 0.0),
        "erase": (chip.erase_s, chip.erase_j, wear_usd),
    }
    return {name: (time_s, joule, usd + joule * rates.usd_per_j) for name, (time_s, joule, usd) in costs.items()}


class Flash:
    """The drive, every page written once in order. Block `b` of the volume is page b // 2 of die b modulo 2.

    `writer`: for each die and physical page, the event that wrote it, PRECONDITION before the first. form: of the
    kernels, see `System`.
    """

    def __init__(self, volume_blocks: int, rates: Rates, form: Form):
        self.ssd = ssd_of(volume_blocks)
        geometry = self.ssd.geometry
        self.dies = [
            PageMap(geometry, Options(policy="greedy", reserve_blocks=self.ssd.reserve_blocks)) for _ in range(DIES)
        ]
        self._act = form(steps.act)
        every_page = np.arange(geometry.logical_pages, dtype=np.uint32)
        for die in self.dies:
            die.serve(every_page, kernel=form(die.kernel))
        places = self.dies[0].flash.owner.size
        self.writer = np.full((DIES, places), events.PRECONDITION, np.int64)
        self.busy_s = np.zeros(DIES)
        costs = operation_costs(self.ssd, rates)
        self._costs = {
            events.FLASH_READ: costs["read"],
            events.FLASH_PROGRAM: costs["program"],
            events.FLASH_COPY: costs["copy"],
            events.FLASH_ERASE: costs["erase"],
        }

    def arrays(self) -> list[np.ndarray]:
        """All that changes."""
        inside = [array for die in self.dies for array in (*die.flash, *die._state)]
        return [*inside, self.writer, self.busy_s]

    def place_name(self, place: int) -> tuple[int, int]:
        """(block, page in it) of a physical page."""
        return divmod(place, 1 << int(self.dies[0].flash.scalars[SHIFT]))

    def read(self, note, block: int, cause: int, layer: int) -> Iterator[int]:
        """Read a block of the volume."""
        die, page = block % DIES, block // DIES
        self._act(self.dies[die].flash, self.dies[die]._state, steps.OTHER, int(READ) | page)
        at = int(self.dies[die].flash.mapped[page])
        yield self._note(note, events.FLASH_READ, block, die, at, cause, layer)

    def trim(self, note, block: int, cause: int) -> Iterator[int]:
        """Tell the drive that a block of the volume holds nothing any more."""
        die, page = self.dies[block % DIES], block // DIES
        if die.flash.mapped[page] != NOWHERE:
            self._act(die.flash, die._state, steps.OTHER, int(TRIM) | page)
            yield note(events.FLASH_TRIM, block, block % DIES, cause)

    def write(self, note, block: int, cause: int, layer: int) -> Iterator[int]:
        """Write a block of the volume: a page of a die is programmed, when a collection has made room for it."""
        number, page = block % DIES, block // DIES
        die = self.dies[number]
        flash, state = die.flash, die._state
        if self._act(flash, state, steps.FULL, 0):
            while flash.scalars[HOST_AT] == flash.scalars[HOST_END]:
                if self._act(flash, state, steps.MAY_OPEN, 0):
                    self._act(flash, state, steps.OPEN, 0)
                    opened, _ = self.place_name(int(flash.scalars[HOST_AT]))
                    yield note(events.FLASH_OPEN, opened, number, cause)
                else:
                    yield from self._collect(note, number, cause)
        at = self._act(flash, state, steps.PROGRAM, page)
        made = self._note(note, events.FLASH_PROGRAM, block, number, at, cause, layer)
        self.writer[number, at] = made
        yield made

    def _collect(self, note, number: int, cause: int) -> Iterator[int]:
        """Copy what lives in the block with fewest live pages, and erase it."""
        die = self.dies[number]
        flash, state = die.flash, die._state
        victim = self._act(flash, state, steps.CHOOSE, 0)
        shift, dead = int(flash.scalars[SHIFT]), flash.mapped.size - 1
        first = victim << shift
        fillers = tuple(
            (int(self.writer[number, at]), int(flash.owner[at]) * DIES + number if flash.owner[at] != dead else -1)
            for at in range(first, first + self.ssd.geometry.pages_per_block)
        )
        collection = note(events.FLASH_COLLECT, victim, number, cause, fillers=fillers)
        yield collection
        for at in range(first, first + self.ssd.geometry.pages_per_block):
            page = int(flash.owner[at])
            if page != dead:
                to = self._act(flash, state, steps.COPY, at)
                before = int(self.writer[number, at])
                made = self._note(
                    note, events.FLASH_COPY, page * DIES + number, number, to, collection, events.TRANSLATION, before
                )
                self.writer[number, to] = made
                yield made
        self._act(flash, state, steps.ERASE, victim)
        self.writer[number, first : first + self.ssd.geometry.pages_per_block] = events.PRECONDITION
        cost = self._costs[events.FLASH_ERASE]
        self.busy_s[number] += cost[0]
        yield note(events.FLASH_ERASE, victim, number, collection, layer=events.TRANSLATION, cost=cost)

    def _note(self, note, kind: int, block: int, die: int, at: int, cause: int, layer: int, other: int = -1) -> int:
        cost = self._costs[kind]
        self.busy_s[die] += cost[0]
        place = die + DIES * at  # die and physical page in one number
        return note(kind, block, place, cause, other=other, layer=layer, cost=cost)
