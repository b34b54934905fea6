"""The translation layers, each fed with the same requests and counting the same things."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pagecost.devices.ftl import (
    bast_kernels,
    block_map_kernels,
    dftl_kernels,
    fast_kernels,
    heat_kernels,
    nand_kernels,
    page_map_kernels,
    victims,
)
from pagecost.devices.ftl.blame_kernels import PROGRAMS_DUE, ROWS
from pagecost.devices.ftl.counts import Counts
from pagecost.devices.ftl.geometry import Geometry
from pagecost.devices.ftl.page_map_kernels import NOWHERE, READ, TRIM
from pagecost.errors import ModelError, require

ENTRY_BYTES = 4  # a map entry: a physical page or block number
CACHED_ENTRY_BYTES = 8  # with its logical page number


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How a layer is run; each layer uses what concerns it.

    policy: victim policy of the page map, a key of `VICTIMS`, with parameters as in `d-choices:choices=10`.
    reserve_blocks: free blocks that the collector keeps, >= 1. separate: copies get a frontier of their own.
    heat_pages: pages per counter of writes by which the page map tells hot pages from cold ones and keeps them in
    different blocks, 0: it does not (`heat_kernels`). wear_gap: largest difference of erase counts before the least
    worn block is collected, 0: never (static wear levelling). log_blocks: of BAST (>= 1) and FAST (>= 2); None: all
    that can be spared. cached_entries: map entries in DFTL's RAM, >= 1; None: 1 of 32. seed: of the policies that
    draw lots.
    """

    policy: str = "greedy"
    reserve_blocks: int = 2
    separate: bool = False
    heat_pages: int = 0
    wear_gap: int = 0
    log_blocks: int | None = None
    cached_entries: int | None = None
    seed: int = 1

    def __post_init__(self):
        victims.find(self.policy)
        least_of = {"reserve_blocks": 1, "heat_pages": 0, "wear_gap": 0, "log_blocks": 1}
        for name, least in least_of.items():
            number = getattr(self, name)
            require(number is None or number >= least, f"{name} must be at least {least}; got {number}")
        require(
            self.cached_entries is None or self.cached_entries >= 1,
            f"cached_entries must be at least 1; got {self.cached_entries}",
        )
        require(not (self.heat_pages and self.separate), "pages kept apart by heat have no other frontier for copies")
        require(
            not self.heat_pages or self.reserve_blocks >= 2,
            f"hot and cold blocks need 2 blocks in reserve; got {self.reserve_blocks}",
        )


class Layer(ABC):
    """A translation layer on an erased device. `serve` takes requests; the rest looks at what became of them."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    parts: tuple  # the arrays that its kernel works on

    def __init__(self, geometry: Geometry, options: Options):
        self.geometry = geometry
        self.options = options

    @property
    @abstractmethod
    def kernel(self):
        """kernel(requests, blame, *parts), its entry point; looked up, not kept: machine code cannot be copied."""

    def _serve(self, requests: np.ndarray, blame: np.ndarray, kernel) -> None:
        """Serve requests and add to uint32[3, n] what each of them causes."""
        kernel(requests, blame, *self.parts)

    @abstractmethod
    def counts(self) -> Counts:
        """What has happened so far."""

    @abstractmethod
    def whereabouts(self) -> tuple[np.ndarray, np.ndarray]:
        """(physical page of each logical one, logical page of each physical one); negative where there is none."""

    @abstractmethod
    def written_pages(self) -> np.ndarray:
        """Pages programmed in each block since its erase."""

    @property
    @abstractmethod
    def erase_counts(self) -> np.ndarray:
        """Erases of each block."""

    @property
    @abstractmethod
    def free_blocks(self) -> int:
        """Blocks that are erased and not open."""

    @property
    @abstractmethod
    def map_bytes(self) -> int:
        """Memory that the map takes."""

    def serve(self, requests: np.ndarray, room: np.ndarray | None = None, kernel=None) -> np.ndarray:
        """Serve page numbers (uint32, flags TRIM or READ added) in order. room: uint32[3 n] or more, to be used again.

        Returns the chain of blame, uint32, shape (3, n): beyond the host's own page, pages programmed, pages read and
        blocks erased because of each request. kernel: its own in another form, as `told` has. Every chunk is checked
        for conservation; a failure is an AssertionError, a fault of the layer.
        """
        blame = (np.empty(ROWS * requests.size, np.uint32) if room is None else room)[: ROWS * requests.size]
        blame = blame.reshape(ROWS, requests.size)
        blame.fill(0)
        before = self.counts()
        self._serve(requests, blame, kernel or self.kernel)
        made = self.counts() - before
        extra = made.copied_pages + made.merged_pages + made.translation_pages
        assert made.programmed_pages == made.host_pages + extra, f"{self.name}: pages got lost: {made}"
        programs, reads, erases = (int(row.sum(dtype=np.int64)) for row in blame)
        assert programs == extra, f"{self.name}: copies without a cause: {made}"
        assert reads == made.copy_reads + made.translation_reads, f"{self.name}: reads without a cause: {made}"
        assert erases == made.erases, f"{self.name}: erases without a cause: {made}"
        return blame

    def write(self, pages) -> np.ndarray:
        """Write logical pages, any integers of shape (n,). Returns the pages copied because of each, shape (n,)."""
        return self.serve(self._requests(pages, 0))[PROGRAMS_DUE]

    def trim(self, pages) -> np.ndarray:
        """Tell the device that pages hold nothing any more."""
        return self.serve(self._requests(pages, TRIM))[PROGRAMS_DUE]

    def read(self, pages) -> np.ndarray:
        """Read logical pages."""
        return self.serve(self._requests(pages, READ))[PROGRAMS_DUE]

    def _requests(self, pages, flag) -> np.ndarray:
        pages = np.asarray(pages)
        require(pages.ndim == 1, f"pages must have one dimension; got shape {pages.shape}")
        require(pages.size == 0 or pages.dtype.kind in "iu", f"page numbers must be integers; got {pages.dtype}")
        low, high = (int(pages.min()), int(pages.max())) if pages.size else (0, 0)
        last = self.geometry.logical_pages - 1
        require(low >= 0 and high <= last, f"the device has pages 0..{last}; got requests {low}..{high}")
        return pages.astype(np.uint32) | np.uint32(flag)

    def _needs(self, blocks: int, what: str) -> None:
        have = self.geometry.blocks
        require(
            have >= blocks,
            f"{self.name}: {what} need {blocks} blocks; the device has {have}. Give it more spare space",
        )


class PageMap(Layer):
    """Any page anywhere; a map entry for every page."""

    name, title, source = "page", "Page map", "fernando2011 §2.1.3; Gupta et al. 2009"

    def __init__(self, geometry: Geometry, options: Options):
        super().__init__(geometry, options)
        self._make(geometry.logical_pages)
        rule, parameters = victims.find(options.policy)
        self._state = rule.start(self.flash, options.seed, parameters)
        self.parts = (self.flash, self._state)
        if options.heat_pages:
            self.heat = heat_kernels.new_heat(geometry.logical_pages, options.heat_pages)
            self.parts += (self.heat,)

    @property
    def kernel(self):
        """That of the victim policy."""
        rule, _ = victims.find(self.options.policy)
        return rule.serve_by_heat if self.options.heat_pages else rule.serve

    def _make(self, pages: int) -> None:
        geometry, options = self.geometry, self.options
        frontiers = 2 if options.separate or options.heat_pages or pages > geometry.logical_pages else 1
        held = -(-pages // geometry.pages_per_block)
        what = f"{pages} pages, {options.reserve_blocks} free blocks in reserve and {frontiers} open"
        self._needs(held + options.reserve_blocks + frontiers, what)
        self.flash = page_map_kernels.new_flash(
            geometry.blocks,
            geometry.pages_per_block,
            pages,
            options.reserve_blocks,
            bool(options.separate or options.heat_pages),
            options.wear_gap,
        )

    def counts(self) -> Counts:
        """What was done since the device was made, in pages, blocks and merges."""
        scalars = self.flash.scalars
        return Counts(
            host_pages=int(scalars[page_map_kernels.HOST]),
            copied_pages=int(scalars[page_map_kernels.COPIED]),
            programmed_pages=self._programmed(),
            erases=int(scalars[page_map_kernels.ERASES]),
            host_reads=int(scalars[page_map_kernels.HOST_READS]),
            missing_reads=int(scalars[page_map_kernels.MISSING_READS]),
            copy_reads=int(scalars[page_map_kernels.COPIED]),
            trimmed_pages=int(scalars[page_map_kernels.TRIMMED]),
            wear_moves=int(scalars[page_map_kernels.WEAR_MOVES]),
        )

    def _programmed(self) -> int:
        """Counted at the blocks, not by adding host and copies: erased blocks were full, the others are as they are."""
        return int(self.flash.scalars[page_map_kernels.ERASES]) * self.geometry.pages_per_block + int(
            self.written_pages().sum()
        )

    def written_pages(self) -> np.ndarray:
        """Pages programmed in each block since its last erase, int64, shape (blocks,)."""
        flash, scalars = self.flash, self.flash.scalars
        written = np.where(flash.status == page_map_kernels.FREE, 0, self.geometry.pages_per_block)
        for at, end in (
            (page_map_kernels.HOST_AT, page_map_kernels.HOST_END),
            (page_map_kernels.GC_AT, page_map_kernels.GC_END),
            (page_map_kernels.MAP_AT, page_map_kernels.MAP_END),
        ):
            if scalars[end] > 0:
                block = (scalars[end] - 1) >> scalars[page_map_kernels.SHIFT]
                if flash.status[block] == page_map_kernels.OPEN:
                    written[block] -= scalars[end] - scalars[at]
        return written

    @property
    def erase_counts(self) -> np.ndarray:
        """Erases of each block, uint32, shape (blocks,)."""
        return self.flash.erases

    @property
    def free_blocks(self) -> int:
        """Erased blocks that nothing was written to."""
        return int(self.flash.scalars[page_map_kernels.FREE_BLOCKS])

    def whereabouts(self) -> tuple[np.ndarray, np.ndarray]:
        """(physical place of each logical page or -1, logical page of each programmed physical page or -1)."""
        flash, geometry = self.flash, self.geometry
        stride = 1 << int(flash.scalars[page_map_kernels.SHIFT])
        pages = flash.mapped.size - 1
        owner = flash.owner.reshape(geometry.blocks, stride)[:, : geometry.pages_per_block].astype(np.int64)
        programmed = np.arange(geometry.pages_per_block) < self.written_pages()[:, None]
        owner[~programmed | (owner == pages)] = -1
        places = flash.mapped[:-1].astype(np.int64)
        mapped = places // stride * geometry.pages_per_block + places % stride
        mapped[flash.mapped[:-1] == NOWHERE] = -1
        return mapped, owner.ravel()

    @property
    def map_bytes(self) -> int:
        """RAM for the map, and for the counters of writes if there are any."""
        counters = self.heat.writes.nbytes if self.options.heat_pages else 0
        return self.geometry.logical_pages * ENTRY_BYTES + counters


class Dftl(PageMap):
    """A page map in flash, with the entries in use cached in RAM."""

    name, title, source = "dftl", "DFTL", "Gupta, Kim, Urgaonkar 2009"

    def __init__(self, geometry: Geometry, options: Options):
        Layer.__init__(self, geometry, options)
        require(options.policy == "greedy", f"dftl: collects greedily; got policy {options.policy!r}")
        require(not (options.separate or options.heat_pages), "dftl: has one frontier for host, copies and map")
        pages = geometry.logical_pages
        per_page = max(1, geometry.page_bytes // ENTRY_BYTES)
        self.slots = min(pages, options.cached_entries or max(1, pages // 32))
        self.translation_pages = -(-pages // per_page)
        # with every entry cached no translation page is ever written
        self._make(pages if self.slots == pages else pages + self.translation_pages)
        rule, parameters = victims.find("greedy")
        self.cache = dftl_kernels.new_cache(pages, self.slots, per_page)
        state: Any = rule.start(self.flash, options.seed, parameters)
        self._state = dftl_kernels.State(state, self.cache)
        self.parts = (self.flash, self._state)

    @property
    def kernel(self):
        return dftl_kernels.serve

    def _serve(self, requests, blame, kernel) -> None:
        super()._serve(requests, blame, kernel)
        require(
            self.cache.scalars[dftl_kernels.STUCK] == 0,
            f"dftl: writing the map causes more collections than it has room for; spare space "
            f"{self.geometry.spare} is too little for a cache of {self.slots} entries",
        )

    def counts(self) -> Counts:
        """What was done since the device was made, in pages, blocks and merges."""
        scalars = self.cache.scalars
        return replace(
            super().counts(),
            translation_pages=int(scalars[dftl_kernels.MAP_PROGRAMS]),
            translation_reads=int(scalars[dftl_kernels.MAP_READS]),
        )

    @property
    def map_bytes(self) -> int:
        """Memory that the map takes."""
        return self.slots * CACHED_ENTRY_BYTES + self.translation_pages * ENTRY_BYTES


class BlockMap(Layer):
    """A page keeps its place in its block; an overwrite moves the block."""

    name, title, source = "block", "Block map", "wang2011 §5.2.1"

    def __init__(self, geometry: Geometry, options: Options):
        super().__init__(geometry, options)
        self._needs(geometry.logical_blocks + self._extra_blocks(), f"{geometry.logical_blocks} data blocks and more")
        self.nand = nand_kernels.new_nand(geometry.blocks, geometry.pages_per_block, geometry.logical_pages)
        self.parts = (self.nand,)

    def _extra_blocks(self) -> int:
        return 1

    def _log_blocks(self, least: int) -> int:
        """Log blocks as given, or all but the data blocks and the one to merge into."""
        spare = self.geometry.blocks - self.geometry.logical_blocks - 1
        count = self.options.log_blocks or max(spare, least)
        require(count >= least, f"{self.name}: needs at least {least} log blocks; got {count}")
        return count

    @property
    def kernel(self):
        """That of the block map."""
        return block_map_kernels.serve

    def counts(self) -> Counts:
        """What was done since the device was made, in pages, blocks and merges."""
        scalars = self.nand.scalars
        programmed, erases = int(scalars[nand_kernels.PROGRAMMED]), int(scalars[nand_kernels.ERASES])
        erased_programmed = programmed - int(self.written_pages().sum())
        return Counts(
            host_pages=int(scalars[nand_kernels.HOST]),
            merged_pages=int(scalars[nand_kernels.MERGED]),
            programmed_pages=programmed,
            unused_pages=erases * self.geometry.pages_per_block - erased_programmed,
            erases=erases,
            switch_merges=int(scalars[nand_kernels.SWITCHES]),
            partial_merges=int(scalars[nand_kernels.PARTIALS]),
            full_merges=int(scalars[nand_kernels.FULLS]),
            host_reads=int(scalars[nand_kernels.HOST_READS]),
            missing_reads=int(scalars[nand_kernels.MISSING_READS]),
            copy_reads=int(scalars[nand_kernels.COPY_READS]),
            trimmed_pages=int(scalars[nand_kernels.TRIMMED]),
        )

    def written_pages(self) -> np.ndarray:
        """Pages programmed in each block since its last erase, int64, shape (blocks,)."""
        return self.nand.written.astype(np.int64)

    @property
    def erase_counts(self) -> np.ndarray:
        """Erases of each block, uint32, shape (blocks,)."""
        return self.nand.erases

    @property
    def free_blocks(self) -> int:
        """Erased blocks that nothing was written to."""
        return int(self.nand.scalars[nand_kernels.FREE_BLOCKS])

    def whereabouts(self) -> tuple[np.ndarray, np.ndarray]:
        """(physical place of each logical page or -1, logical page of each programmed physical page or -1)."""
        where, owner = self.nand.where.astype(np.int64), self.nand.owner.astype(np.int64)
        where[self.nand.where == NOWHERE] = -1
        owner[self.nand.owner == NOWHERE] = -1
        return where, owner

    @property
    def map_bytes(self) -> int:
        """RAM for the map."""
        return self.geometry.logical_blocks * ENTRY_BYTES


class Bast(BlockMap):
    """A block map with log blocks that belong to one data block each."""

    name, title, source = "bast", "BAST", "Kim et al. 2002"

    def __init__(self, geometry: Geometry, options: Options):
        super().__init__(geometry, options)
        self.logs = bast_kernels.new_logs(self._log_blocks(1), geometry.logical_blocks)
        self.parts = (self.nand, self.logs)

    def _extra_blocks(self) -> int:
        return self._log_blocks(1) + 1

    @property
    def kernel(self):
        """That of BAST."""
        return bast_kernels.serve

    @property
    def map_bytes(self) -> int:
        """Memory that the map takes."""
        return (self.geometry.logical_blocks + self._log_blocks(1) * (1 + self.geometry.pages_per_block)) * ENTRY_BYTES


class Fast(BlockMap):
    """A block map with log blocks that all data blocks share."""

    name, title, source = "fast", "FAST", "Lee et al. 2007"

    def __init__(self, geometry: Geometry, options: Options):
        super().__init__(geometry, options)
        self.logs = fast_kernels.new_logs(self._log_blocks(2))
        self.parts = (self.nand, self.logs)

    def _extra_blocks(self) -> int:
        return self._log_blocks(2) + 1

    @property
    def kernel(self):
        """That of FAST."""
        return fast_kernels.serve

    @property
    def map_bytes(self) -> int:
        """Memory that the map takes."""
        return (self.geometry.logical_blocks + self._log_blocks(2) * (1 + self.geometry.pages_per_block)) * ENTRY_BYTES


LAYERS: dict[str, type[Layer]] = {layer.name: layer for layer in (PageMap, BlockMap, Bast, Fast, Dftl)}
"""Every translation layer by its name."""


def verify(layer: Layer) -> None:
    """Raise ModelError naming the first rule that the state of a layer breaks.

    The map is a bijection between mapped logical pages and live physical ones; live pages are programmed; blocks hold
    no more than they can; no page was programmed twice or out of order and no live page erased; erases add up.
    """
    mapped, owner = layer.whereabouts()
    written, counts = layer.written_pages(), layer.counts()
    pages_per_block = layer.geometry.pages_per_block
    live, held = np.flatnonzero(mapped >= 0), np.flatnonzero(owner >= 0)
    for holds, rule in (
        (np.array_equal(owner[mapped[live]], live), "a mapped page is not where the map says"),
        (live.size == held.size, f"{held.size} live physical pages hold {live.size} logical pages"),
        (bool((held % pages_per_block < written[held // pages_per_block]).all()), "a live page was never programmed"),
        (bool(((written >= 0) & (written <= pages_per_block)).all()), "a block holds more than its pages"),
        (int(layer.erase_counts.sum()) == counts.erases, "the erases of the blocks do not add up"),
        (int((written == 0).sum()) >= layer.free_blocks, "a free block holds pages"),
    ):
        if not holds:
            raise ModelError(f"{layer.name}: {rule}")
    if isinstance(layer, BlockMap):
        broken = int(layer.nand.scalars[nand_kernels.VIOLATIONS])
        require(broken == 0, f"{layer.name}: {broken} operations broke a rule of NAND flash")
    if isinstance(layer, PageMap):
        flash = layer.flash
        closed = np.flatnonzero(flash.status == page_map_kernels.CLOSED)
        alive = (owner.reshape(-1, pages_per_block)[closed] >= 0).sum(axis=1)
        require(bool((alive == flash.valid[closed]).all()), f"{layer.name}: a block's count of live pages is wrong")
