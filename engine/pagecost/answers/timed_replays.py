"""Replays priced by time: misses and write-backs on a simulated SSD whose translation layer sees their order."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pagecost import catalogue
from pagecost.answers.replays import opened, written_by
from pagecost.devices.ftl import Steadiness
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import Session, Ssd, catalogued, theory
from pagecost.errors import known, require
from pagecost.remembering import remembered
from pagecost.workload.sources import Source

MOST_UNITS = 1 << 20  # of the simulated device
MOST_PASSES = 15  # of the write-backs, to become steady; the criterion needs 5
MANY_BLOCKS = 1 << 12  # until it is known how many a database needs
CHIP_SPARE = 0.1
LEAST_SPARE_BLOCKS = 6  # so that every translation layer has room to work


class TimedReplay(NamedTuple):
    """A replay's time on a device [s], one request after the other: of its misses and of its write-backs.

    programmed: pages per pass of the trace, erases: blocks per pass. steady: by the SNIA criterion, over the passes.
    """

    reads_s: float
    writes_s: float
    misses: int
    write_backs: int
    programmed: int
    erases: int
    steady: bool

    @property
    def total_s(self) -> float:
        """Time of both."""
        return self.reads_s + self.writes_s


def drive_for(source: Source, device: str, layer: str | None = None) -> Ssd:
    """An SSD of the catalogue just as large as a load's database, with its own share of spare space.

    layer: another translation layer than its own. Raises ModelError for a device whose chips are not known, and for a
    database of more than `MOST_UNITS` pages.
    """
    known("SSD whose chips are known", device, catalogued())
    return _as_large_as(
        source, Ssd.of(catalogue.device(device), unit_bytes=source.page_bytes, blocks=MANY_BLOCKS), layer
    )


def chip_for(source: Source, chip: str, layer: str = "bast") -> Ssd:
    """One flash chip of the catalogue behind a translation layer, as large as a load's database, a tenth of it spare.

    Nothing of it is fitted: times and sizes are the chip's, and the host's interface takes no time. A larger page of
    the database lies on as many planes. Raises ModelError as `drive_for` does.
    """
    made = Chip.of(catalogue.device(chip))
    alone = Ssd(
        name=chip,
        chip=made,
        channels=1,
        planes=max(1, math.ceil(source.page_bytes / made.page_bytes)),
        unit_bytes=source.page_bytes,
        blocks=MANY_BLOCKS,
        spare=CHIP_SPARE,
        channel_bytes_per_s=made.bus_bytes_per_s,
        layer=layer,
    )
    return _as_large_as(source, alone, layer)


def _as_large_as(source: Source, made: Ssd, layer: str | None) -> Ssd:
    pages = int(opened(source).references.ids.max()) + 1
    require(pages <= MOST_UNITS, f"{source.name}: {pages} pages are too many to simulate; at most {MOST_UNITS}")
    if layer is not None:
        made = replace(made, layer=layer, paced=made.paced and layer == "page")
    of_block = made.geometry.pages_per_block
    held = math.ceil(math.ceil(pages / made.dies) / of_block)
    blocks = held + max(LEAST_SPARE_BLOCKS, round(held * made.spare / (1 - made.spare)))
    return replace(made, blocks=blocks, spare=1 - (held * of_block + 0.5) / (blocks * of_block))


@remembered
def timed(source: Source, policy: str, frames: int, drive: Ssd) -> TimedReplay:
    """The time of a policy's misses and write-backs on a drive that holds the database in its own page numbers.

    The drive is filled once in order; then the write-backs are written in their order, over and over, until it is
    steady, and the last pass counts. A miss waits for a page read with nobody in the way: with one request at a time
    nothing else is on its way. Raises ModelError as `replay` does.
    """
    run = written_by(source, policy, frames)
    reads_s = run.misses * theory.alone_s(drive, write=False)
    if not run.write_backs:
        return TimedReplay(reads_s, 0.0, run.misses, 0, 0, 0, True)
    session = Session(drive)
    pages, flags = run.written, np.ones(run.write_backs, bool)
    amplifications: list[float] = []
    while len(amplifications) < MOST_PASSES and not Steadiness.of(amplifications).steady:
        last = session.serve(pages, flags, last=True)
        amplifications.append(last.counts.write_amplification)
    return TimedReplay(
        reads_s,
        last.elapsed_s,
        run.misses,
        run.write_backs,
        last.counts.programmed_pages,
        last.counts.erases,
        Steadiness.of(amplifications).steady,
    )
