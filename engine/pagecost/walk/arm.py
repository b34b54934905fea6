"""A disk over whose platters the volume is spread, one request at a time."""

from collections.abc import Iterator

import numpy as np

from pagecost import catalogue
from pagecost.devices.disk import SECTOR_BYTES, Disk, Session
from pagecost.devices.disk.queue_kernels import AT_CYLINDER, NOW
from pagecost.remembering import remembered
from pagecost.walk import events
from pagecost.walk.prices import DISK, Rates
from pagecost.walk.setup import PAGE_BYTES, Form

GROUP_BLOCKS = 8  # that lie together; the groups are spread evenly, as if the database filled the disk
BLOCK_SECTORS = PAGE_BYTES // SECTOR_BYTES
PHASES = ("overhead", "seek", "rotation", "switch", "transfer")


def disk() -> Disk:
    """The disk, as the catalogue knows it."""
    return _of(catalogue.device(DISK))


@remembered
def _of(device: catalogue.Device) -> Disk:
    return Disk.of(device)


class Arm:
    """The disk. `terms`: of the last request [s], in the order of `PHASES`. form: of the kernels, see `System`."""

    def __init__(self, volume_blocks: int, rates: Rates, form: Form):
        self.disk = disk()
        self.session = Session(self.disk, "fcfs", depth=1, closed=True)
        self.session._rule = self.session._rule._replace(serve=form(self.session._rule.serve))
        self.active_w = catalogue.device(DISK).value("active_w")
        groups = -(-volume_blocks // GROUP_BLOCKS)
        self.stride = self.disk.geometry.sectors // groups // BLOCK_SECTORS * BLOCK_SECTORS
        self.terms = np.zeros(len(PHASES))
        self.last = np.full(3, -1, np.int64)  # first block, blocks, write flag of the last request
        self._rates = rates

    def arrays(self) -> list[np.ndarray]:
        """All that changes."""
        queue = self.session._queue
        return [queue.slot, queue.when, queue.clock, queue.counts, queue.arm, self.terms, self.last]

    def sector_of(self, block: int) -> int:
        """Where a block of the volume begins."""
        return block // GROUP_BLOCKS * self.stride + block % GROUP_BLOCKS * BLOCK_SECTORS

    @property
    def cylinder(self) -> int:
        """Over which the arm stands."""
        return int(self.session._queue.arm[AT_CYLINDER])

    @property
    def angle(self) -> float:
        """How far the platters have turned, in turns 0..1."""
        turned = self.disk.phase + float(self.session._queue.clock[NOW]) * self.disk.rotation_hz
        return turned - np.floor(turned)

    def serve(self, note, block: int, blocks: int, write: bool, cause: int, layer: int) -> Iterator[int]:
        """A request, in as many as it touches groups."""
        while blocks > 0:
            here = min(blocks, GROUP_BLOCKS - block % GROUP_BLOCKS)
            run = self.session.serve(
                np.array([self.sector_of(block)]), here * BLOCK_SECTORS, np.array([write], np.uint8)
            )
            self.terms[:] = run.table[0, 1:]
            self.last[:] = block, here, write
            time_s = float(run.service_s[0])
            energy_j = self.active_w * time_s
            usd = time_s * self._rates.disk_usd_per_s + energy_j * self._rates.usd_per_j
            kind = events.ARM_WRITE if write else events.ARM_READ
            yield note(kind, block, here, cause, layer=layer, cost=(time_s, energy_j, usd))
            block, blocks = block + here, blocks - here
