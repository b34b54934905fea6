"""How claims on the order of requests are measured: a disk's scheduler before an SSD, writes grouped by erase block."""

import numpy as np

from pagecost import catalogue
from pagecost.devices import ftl
from pagecost.devices.disk import Disk
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import Ssd
from pagecost.path import DiskStage, Path, SchedulerStage, SsdStage
from pagecost.requests import READ, Requests

READS, PAGE_BYTES = 4000, 4096
SPAN_BYTES = 32 << 20  # of the SSD; a disk is used as a whole
BEFORE = "wd400bb"  # the disk whose arm the scheduler believes to stand before
GAIN = 1.1


def order_gains(devices: list[str], scheduler: str, depth: int) -> str:
    """For each device whether random reads are "faster" by a tenth, or "no faster", in a scheduler's order.

    devices: disks, or flash chips, of which eight behind four channels make an SSD.
    """
    return ", ".join("faster" if _gain(name, scheduler, depth) > GAIN else "no faster" for name in devices)


def _gain(name: str, scheduler: str, depth: int) -> float:
    """Time in order of arrival over time in the scheduler's order, as many outstanding."""
    disk = catalogue.device(name).model == "hard_disk"
    spent = []
    for order in ("fcfs", scheduler):
        if disk:
            made = Disk.of(catalogue.device(name))
            span = made.geometry.sectors * 512
            path = Path(DiskStage(disk=made, scheduler=order, depth=depth, closed=True))
        else:
            span = SPAN_BYTES
            arm = Disk.of(catalogue.device(BEFORE))
            chip = Chip.of(catalogue.device(name))
            ssd = Ssd(name=name, chip=chip, channels=4, dies_per_channel=2, spare=0.5, channel_bytes_per_s=40e6)
            queue = SchedulerStage(disk=arm, scheduler=order, depth=depth, closed=True)
            path = Path(queue, SsdStage(ssd=ssd, depth=depth, closed=True))
        spent.append(path.serve(_reads(span // PAGE_BYTES)).accounts[-1].time_s)
    return spent[0] / spent[1]


def _reads(pages: int) -> Requests:
    """Random reads of single pages."""
    return Requests(
        arrival_s=np.zeros(READS),
        op=np.full(READS, READ),
        page=np.random.default_rng(1).integers(0, pages, READS),
        pages=np.ones(READS, np.int32),
        stream=np.zeros(READS, np.int16),
        page_bytes=PAGE_BYTES,
    )


def grouping_saves_erases(chip: str, layer: str, queue: int, blocks: int, writes: int = 32_000, seed: int = 1) -> str:
    """Whether random writes cause "fewer" erases, by a tenth at least, or "no fewer", when those that wait are grouped.

    queue: writes that wait; grouped, they leave by erase block and in the order of their pages. A tenth of the flash is
    spare.
    """
    made = Chip.of(catalogue.device(chip))
    geometry = ftl.Geometry(
        blocks=blocks + max(8, blocks // 9), pages_per_block=made.pages_per_block, page_bytes=made.page_bytes, spare=0.1
    )
    pages = np.random.default_rng(seed).integers(0, geometry.logical_pages, writes // queue * queue)
    erases = []
    for written in (pages, np.sort(pages.reshape(-1, queue), axis=1).ravel()):
        device = ftl.Simulation(geometry, layer=layer).device
        device.write(written[: written.size // 2])
        before = device.counts()
        device.write(written[written.size // 2 :])
        erases.append((device.counts() - before).erases)
    return "fewer" if erases[1] < erases[0] / GAIN else "no fewer"
