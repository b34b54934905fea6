"""Three ways to write changed pages to flash: in place, into a log of the whole device, into a log in each erase unit.

In-page logging is that of Lee and Moon (SIGMOD 2007): an erase unit has pages of data and a log region; a page that
leaves the buffer writes only its changes, in sectors of the log region of its unit, and reading it reads those too. A
full log region is merged: the unit's pages with their changes go to an erased unit, and the old one is erased.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.buffer import replay
from pagecost.devices import ftl
from pagecost.devices.nand import Chip
from pagecost.errors import require
from pagecost.operators.page_log_kernels import COUNTS, DATA_READS, LOG_READS, MERGES, NONE, SECTORS, serve

IN_PLACE, LOG_STRUCTURED, IN_PAGE = "in place", "log-structured", "in-page logging"
METHODS = (IN_PLACE, LOG_STRUCTURED, IN_PAGE)
RESERVE_BLOCKS = 4  # erased and open blocks that the log of the whole device needs beside the spare space
HOT_SHARE = 0.2  # of the pages are hot


@dataclass(frozen=True)
class Layout:
    """How database pages lie in the erase units of a chip. log_pages: of page_bytes, in each unit; sector_bytes: of a
    log sector, at most a flash page.

    Raises ModelError for a page that is no multiple of a flash page or larger than a unit, for a log region that leaves
    no page of data, and for a sector that does not divide a flash page.
    """

    chip: Chip
    page_bytes: int
    log_pages: int
    sector_bytes: int

    def __post_init__(self):
        flash, unit = self.chip.page_bytes, self.unit_bytes
        require(
            self.page_bytes >= flash and self.page_bytes % flash == 0,
            f"a database page must be a multiple of a flash page of {flash} bytes; got {self.page_bytes}",
        )
        require(
            unit % self.page_bytes == 0 and unit >= 2 * self.page_bytes,
            f"an erase unit of {unit} bytes must be two or more whole database pages; got pages of {self.page_bytes}",
        )
        require(
            1 <= self.log_pages < self.slots,
            f"the log region must have 1..{self.slots - 1} of the {self.slots} pages of a unit; got {self.log_pages}",
        )
        require(
            self.sector_bytes >= 1 and flash % self.sector_bytes == 0,
            f"a log sector must divide a flash page of {flash} bytes; got {self.sector_bytes}",
        )

    @property
    def unit_bytes(self) -> int:
        """Bytes that are erased together."""
        return self.chip.page_bytes * self.chip.pages_per_block

    @property
    def slots(self) -> int:
        """Database pages that a unit has room for."""
        return self.unit_bytes // self.page_bytes

    @property
    def data_pages(self) -> int:
        """Database pages of a unit that hold data."""
        return self.slots - self.log_pages

    @property
    def flash_pages(self) -> int:
        """Flash pages of a database page."""
        return self.page_bytes // self.chip.page_bytes

    @property
    def log_sectors(self) -> int:
        """Sectors of a log region."""
        return self.log_pages * self.page_bytes // self.sector_bytes

    @property
    def programs_of_a_page(self) -> int:
        """How often a flash page of the log region is programmed between two erases."""
        return self.chip.page_bytes // self.sector_bytes


class Traffic(NamedTuple):
    """Pages between a buffer and its flash, updates of them in all, pages of the database.

    evicted: int64[n], the page that leaves, or -1; page: int64[n], what is read for it; stay: int64[n], how many
    updates the leaving page had while it was in the buffer.
    """

    evicted: np.ndarray
    page: np.ndarray
    stay: np.ndarray
    updates: int
    pages: int

    @property
    def written(self) -> np.ndarray:
        """The pages that leave, in order."""
        return self.evicted[self.evicted != NONE]


def traffic(pages: int, frames: int, updates: int, hot_writes: float = HOT_SHARE, seed: int = 1) -> Traffic:
    """Updates of single pages through an LRU buffer, as many again before them to fill it.

    hot_writes: share of the updates that go to a fifth of the pages (0.2: all pages alike). Raises ModelError for a
    share outside 0..1, and for a buffer that holds all pages: nothing would be written.
    """
    require(0 <= hot_writes <= 1, f"the share of hot updates must lie within 0..1; got {hot_writes:g}")
    require(frames < pages, f"a buffer of {frames} pages holds all {pages}: no page would ever leave it")
    random = np.random.default_rng(seed)
    hot = max(1, round(HOT_SHARE * pages))
    to_hot = random.random(2 * updates) < hot_writes
    asked = np.where(to_hot, random.integers(0, hot, 2 * updates), hot + random.integers(0, pages - hot, 2 * updates))
    asked = (asked * _step(pages)) % pages  # hot pages are spread over the units
    found = replay(asked, frames, "lru", np.ones(asked.size, bool), keep_written=True, each=True)
    assert found.hit is not None
    assert found.written is not None
    assert found.write_backs_before is not None
    misses = np.flatnonzero(~found.hit)
    before = found.write_backs_before[misses]
    left = np.diff(before, prepend=0) > 0
    evicted = np.full(misses.size, NONE, np.int64)
    evicted[left] = found.written
    stay = _stays(asked, misses, evicted)
    counted = misses >= updates
    return Traffic(evicted[counted], asked[misses[counted]], stay[counted], updates, pages)


def _step(pages: int) -> int:
    """A number without a common divisor with the pages, near their golden section."""
    step = round(pages * 0.618) | 1
    while math.gcd(step, pages) > 1:
        step += 2
    return step


def _stays(asked: np.ndarray, misses: np.ndarray, evicted: np.ndarray) -> np.ndarray:
    """How many references each page that leaves has had since it came: the k-th to leave is the k-th stay to end."""
    order = np.argsort(asked, kind="stable")  # the references of each page together, in time
    first = np.zeros(asked.size, bool)
    first[misses] = True
    began = np.flatnonzero(first[order])
    lengths = np.diff(began, append=asked.size)
    owner = asked[order[began]]
    of_page = np.zeros(asked.max() + 1, np.int64)  # of each page, the stays that have ended so far
    start = np.searchsorted(owner, np.arange(of_page.size))
    stay = np.zeros(evicted.size, np.int64)
    for at in np.flatnonzero(evicted != NONE).tolist():
        page = evicted[at]
        stay[at] = lengths[start[page] + of_page[page]]
        of_page[page] += 1
    return stay


@dataclass(frozen=True)
class Work:
    """What the flash did for a traffic: flash pages read for the host and for copies, programs (of a log sector one
    too), erases; sectors: of a log, written."""

    updates: int
    reads: int
    copy_reads: int
    programs: int
    erases: int
    sectors: int = 0

    def times_s(self, chip: Chip) -> dict[str, float]:
        """Time for each update [s] by kind of work, one operation after the other."""
        return {
            "read_s": self.reads * chip.read_s / self.updates,
            "copy_s": self.copy_reads * chip.read_s / self.updates,
            "program_s": self.programs * chip.program_s / self.updates,
            "erase_s": self.erases * chip.erase_s / self.updates,
        }


def in_place(layout: Layout, traffic: Traffic) -> Work:
    """Each page that leaves: the rest of its unit is read, the unit erased, and all of it programmed."""
    written, block = traffic.written.size, layout.chip.pages_per_block
    return Work(
        traffic.updates,
        reads=traffic.page.size * layout.flash_pages,
        copy_reads=written * (block - layout.flash_pages),
        programs=written * block,
        erases=written,
    )


def log_structured(layout: Layout, traffic: Traffic, progress: Callable[[float], None] = lambda share: None) -> Work:
    """Pages go to the end of a log over the same flash, its emptiest block is cleaned: a page map, greedy.

    The space that in-page logging takes for log regions is spare here, and `RESERVE_BLOCKS` blocks besides. The device
    is written twice over before anything is counted.
    """
    chip, flash = layout.chip, layout.flash_pages
    logical = traffic.pages * flash
    blocks = -(-traffic.pages // layout.data_pages) + RESERVE_BLOCKS
    geometry = ftl.Geometry(
        blocks=blocks,
        pages_per_block=chip.pages_per_block,
        page_bytes=chip.page_bytes,
        spare=1 - (logical + 0.5) / (blocks * chip.pages_per_block),
    )
    device = ftl.Simulation(geometry, reserve_blocks=RESERVE_BLOCKS // 2).device
    written = (traffic.written[:, None] * flash + np.arange(flash)).ravel()
    rounds = -(-2 * logical // max(written.size, 1))
    for number in range(rounds):
        device.write(written)
        progress((number + 1) / (rounds + 1))
    before = device.counts()
    device.write(written)
    made = device.counts() - before
    return Work(
        traffic.updates,
        reads=traffic.page.size * flash,
        copy_reads=made.copy_reads,
        programs=made.programmed_pages,
        erases=made.erases,
    )


def check_update(update_bytes: int, page_bytes: int) -> None:
    """Raises ModelError unless an update changes at least a byte, and no more than a page has: it is of one page."""
    require(update_bytes >= 1, f"an update must change a byte; got {update_bytes}")
    require(
        update_bytes <= page_bytes,
        f"an update must be of one database page, which has {page_bytes} bytes; got {update_bytes}",
    )


def in_page(layout: Layout, traffic: Traffic, update_bytes: int) -> Work:
    """Changes go to the log region of the page's unit; a full one is merged. To begin with 1 to all sectors of a region
    are used, as in the long run, by no page.

    update_bytes: of a change, with what says where it belongs. Raises ModelError as `check_update`.
    """
    check_update(update_bytes, layout.page_bytes)
    units = -(-traffic.pages // layout.data_pages)
    sectors = np.where(traffic.evicted == NONE, 0, -(-traffic.stay * update_bytes // layout.sector_bytes))
    owner = np.full((units, layout.log_sectors), NONE, np.int64)
    # A region is merged before a sector is written that finds it full, so that in the long run 1 to all are used
    used = 1 + np.arange(units, dtype=np.int64) % layout.log_sectors
    counts = np.zeros(COUNTS, np.int64)
    per_page = layout.programs_of_a_page
    serve(traffic.evicted, sectors, traffic.page, owner, used, layout.data_pages, per_page, counts)
    merges, data = int(counts[MERGES]), layout.data_pages * layout.flash_pages
    return Work(
        traffic.updates,
        reads=int(counts[DATA_READS]) * layout.flash_pages + int(counts[LOG_READS]),
        copy_reads=merges * (data + layout.log_pages * layout.flash_pages),
        programs=merges * data + int(counts[SECTORS]),
        erases=merges,
        sectors=int(counts[SECTORS]),
    )
