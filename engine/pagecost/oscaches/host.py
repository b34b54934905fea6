"""The caches between a database and its device: which of them answers, and what is left for the device to do."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from pagecost import cancellation
from pagecost.errors import require
from pagecost.oscaches import caches_kernels as kernels
from pagecost.oscaches.layout import contiguous_file

LAYERS = {
    "buffer": "buffer of the database",
    "page": "page cache",
    "inode": "inode cache",
    "mapping": "block mappings",
    "block": "kernel cache of blocks",
    "device": "device cache",
}
"""The layers from the top down, in the order of the kernels."""

CHUNK = 1024  # page requests whose device requests are noted together
PIECE = 1 << 16  # page requests between two cancellation points
MOST_BLOCKS = 6  # that a page fetched may bring: itself, its inode, three indirect blocks, and one that is written out

WORK = ("random read", "next read", "cached read", "random write", "next write", "cached write")
"""What a device does. "next": the block behind the last one; "cached": only the device's cache takes part."""


@dataclass(frozen=True)
class Traffic:
    """What was asked and who answered. hits, asked: layer -> (data, metadata), requests of one block each.

    waited, behind: `WORK` -> requests that the database waits for, and that it does not. prefetched: pages read ahead;
    prefetch_used: of them asked for later. kept_twice: share of the buffer's pages that the page cache or the kernel
    cache holds as well, at the end. page_and_block: the same of the page cache's pages in the kernel cache. references:
    page requests of the database.
    """

    references: int
    hits: dict[str, tuple[int, int]]
    asked: dict[str, tuple[int, int]]
    waited: dict[str, int]
    behind: dict[str, int]
    prefetched: int
    prefetch_used: int
    kept_twice: float
    page_and_block: float

    def hit_ratio(self, layer: str) -> float:
        """Share of the data requests to a layer that it answers; nan where it is never asked."""
        asked = self.asked[layer][0]
        return self.hits[layer][0] / asked if asked else float("nan")

    def device_requests(self, *, write: bool | None = None) -> int:
        """Requests that the mechanics or the flash carry out, waited for or not; only reads or writes if asked."""
        ends = ("read", "write") if write is None else "write" if write else "read"
        names = [name for name in WORK if name.startswith(("random", "next")) and name.endswith(ends)]
        return sum(counts[name] for counts in (self.waited, self.behind) for name in names)


@dataclass(frozen=True, eq=False)
class Below:
    """What came through to the device, in order, aligned arrays of shape (m,), and what did not.

    block: int64, of the volume. write: bool. cause: int64, the page request that it was done for or during. page:
    int64, of the file, -1 for an inode or an indirect block. read_hits: reads that a cache answered. prefetched: pages
    read that nobody had asked for yet. absorbed_writes: writes of pages that waited to be written back anyway.
    dirty_left: pages that still wait.
    """

    block: np.ndarray
    write: np.ndarray
    cause: np.ndarray
    page: np.ndarray
    read_hits: int
    prefetched: int
    absorbed_writes: int
    dirty_left: int


@dataclass(frozen=True, kw_only=True)
class Host:
    """Sizes in pages of every cache, 0: there is none; and how the operating system behaves.

    read_ahead_pages: the largest window (32 in Linux, 0: never). first_block, synchronous, asynchronous: its three
    rules. direct: data goes past the page cache and the kernel cache, metadata does not. sync: a write reaches the
    device before the database goes on; else it stays in the page cache for `expires` requests of the database (30 s in
    Linux). exclusive: the page cache gives up what it hands to the buffer,
    and takes what the buffer evicts. force: the database writes changed pages at once, else when it evicts them.
    device_ahead: blocks that the device reads on into its cache; device_writes_back: its cache takes writes, and each
    follows at once.
    """

    buffer_pages: int
    page_cache_pages: int = 0
    inode_cache: bool = True
    mapping_blocks: int = 1 << 20
    block_cache_pages: int = 0
    device_cache_pages: int = 0
    device_ahead: int = 0
    device_writes_back: bool = False
    read_ahead_pages: int = 32
    first_block: bool = True
    synchronous: bool = True
    asynchronous: bool = True
    direct: bool = False
    sync: bool = True
    expires: int = 1 << 40
    exclusive: bool = False
    force: bool = True

    def __post_init__(self):
        require(self.buffer_pages >= 1, f"a buffer needs at least one page; got {self.buffer_pages}")
        names = ("page_cache_pages", "mapping_blocks", "block_cache_pages", "device_cache_pages", "device_ahead")
        for name in (*names, "read_ahead_pages"):
            require(getattr(self, name) >= 0, f"{name} must not be negative; got {getattr(self, name)}")
        require(self.expires >= 1, f"expires must be at least one request; got {self.expires}")

    def without(self, part: str) -> "Host":
        """The same host with one part switched off: a layer of `LAYERS` (not the buffer), or "read-ahead"."""
        return dataclasses.replace(self, **OFF[part])

    def run(self, pages, writes, file_pages: int, *, page_bytes: int = 4096, warm_up: int = 0) -> Traffic:
        """Page requests (numbers in the file, flags; shape (n,)) of a database that is one file of `file_pages`.

        warm_up: the first requests that fill the caches but are not counted. Raises ModelError for pages outside.
        """
        return self._ran(pages, writes, file_pages, page_bytes, warm_up)[0]

    def held(self, pages, writes, file_pages: int, *, page_bytes: int = 4096) -> tuple[dict[str, np.ndarray], Traffic]:
        """(layer -> bool[file_pages], which pages it holds after these requests; what went on). As `run` otherwise."""
        traffic, stack, file = self._ran(pages, writes, file_pages, page_bytes, 0)
        layers = stack.held.reshape(kernels.LAYERS, -1).astype(bool)
        return {name: layer[file.address] for name, layer in zip(LAYERS, layers, strict=True)}, traffic

    def _ran(self, pages, writes, file_pages: int, page_bytes: int, warm_up: int):
        pages, writes = self._checked(pages, writes, file_pages)
        require(0 <= warm_up < pages.size, f"warm_up must leave requests to count; got {warm_up} of {pages.size}")
        file = contiguous_file(file_pages, page_bytes)
        stack = kernels.new_stack(file.page.size, self._limits())
        for begin, end in ((0, warm_up), (warm_up, pages.size)):
            for counts in (stack.hits, stack.asked, stack.device, stack.ahead):
                counts[:] = 0
            for at in range(begin, end, PIECE):
                cancellation.point()
                part = slice(at, min(at + PIECE, end))
                kernels.replay(pages[part], writes[part], file, self._options(), stack)
        return self._traffic(stack, pages.size - warm_up), stack, file

    def serve(self, pages, writes, file_pages: int, *, page_bytes: int = 4096, buffered: bool = False) -> "Below":
        """What the device gets of page requests that come to the operating system itself, past the database's buffer.

        buffered: they come from the database, and its buffer stands above. pages, writes and file_pages as in `run`,
        and the same errors. The device's own cache is left to the device: there must be none here.
        """
        pages, writes = self._checked(pages, writes, file_pages)
        require(
            self.page_cache_pages == 0 or self.page_cache_pages >= self.read_ahead_pages,
            f"a page cache must hold a window of read-ahead, {self.read_ahead_pages} pages; got "
            f"{self.page_cache_pages}",
        )
        require(
            self.device_cache_pages == 0,
            "the device's cache belongs to the device, not to the page cache's stage",
        )
        file = contiguous_file(file_pages, page_bytes)
        # a page that the buffer takes may push out another one, which is written
        room = CHUNK * (1 + buffered) * ((self.read_ahead_pages + 1) * MOST_BLOCKS + 1) + file.page.size
        stack = kernels.new_stack(file.page.size, self._limits(), room)
        step = kernels.replay if buffered else kernels.serve
        logged = []
        for at in range(0, pages.size, CHUNK):
            cancellation.point()
            step(pages[at : at + CHUNK], writes[at : at + CHUNK], file, self._options(), stack)
            logged.append(stack.log[:, : stack.at[kernels.LOGGED]].copy())
        log = np.concatenate(logged, axis=1) if logged else stack.log[:, :0]
        return Below(
            block=log[kernels.LOG_BLOCK],
            write=log[kernels.LOG_WRITE].astype(bool),
            cause=log[kernels.LOG_CAUSE],
            page=file.page[log[kernels.LOG_BLOCK]],
            read_hits=int(stack.hits[[kernels.PAGE, kernels.BLOCK], kernels.DATA].sum()),
            prefetched=int(stack.ahead[kernels.PREFETCHED]),
            absorbed_writes=int(stack.at[kernels.ABSORBED]),
            dirty_left=int(np.count_nonzero(stack.dirty[1])),
        )

    def _checked(self, pages, writes, file_pages: int) -> tuple[np.ndarray, np.ndarray]:
        pages = np.require(pages, np.int64, ("C", "W"))
        writes = np.array(writes, np.uint8)
        require(pages.ndim == 1 and writes.shape == pages.shape, f"one write flag a page; got {writes.shape}")
        low, high = (int(pages.min()), int(pages.max())) if pages.size else (0, 0)
        require(low >= 0 and high < file_pages, f"pages must be 0..{file_pages - 1}; got {low}..{high}")
        return pages, writes

    def _limits(self) -> list[int]:
        inode = int(self.inode_cache)
        data = self.page_cache_pages, inode, self.mapping_blocks, self.block_cache_pages, self.device_cache_pages
        return [self.buffer_pages, *data]

    def _options(self) -> np.ndarray:
        options = np.zeros(kernels.OPTIONS, np.int64)
        options[kernels.FIRST_BLOCK] = self.first_block
        options[kernels.SYNCHRONOUS] = self.synchronous
        options[kernels.ASYNCHRONOUS] = self.asynchronous
        options[kernels.LARGEST] = self.read_ahead_pages
        options[kernels.BYPASS] = self.direct
        options[kernels.SYNC] = self.sync
        options[kernels.EXCLUSIVE] = self.exclusive
        options[kernels.FORCE] = self.force
        options[kernels.WRITE_BACK] = self.device_writes_back
        options[kernels.AHEAD] = self.device_ahead
        options[kernels.EXPIRES] = self.expires
        return options

    def _traffic(self, stack, references: int) -> Traffic:
        held = stack.held.reshape(kernels.LAYERS, -1).astype(bool)
        buffer, page, block = held[kernels.BUFFER], held[kernels.PAGE], held[kernels.BLOCK]
        pairs = [(int(data), int(metadata)) for data, metadata in stack.hits]
        asked = [(int(data), int(metadata)) for data, metadata in stack.asked]
        behind, waited = (dict(zip(WORK, map(int, row), strict=True)) for row in stack.device)
        return Traffic(
            references=references,
            hits=dict(zip(LAYERS, pairs, strict=True)),
            asked=dict(zip(LAYERS, asked, strict=True)),
            waited=waited,
            behind=behind,
            prefetched=int(stack.ahead[kernels.PREFETCHED]),
            prefetch_used=int(stack.ahead[kernels.PREFETCH_USED]),
            kept_twice=float((buffer & (page | block)).sum() / max(1, buffer.sum())),
            page_and_block=float((page & block).sum() / max(1, page.sum())),
        )


OFF: dict[str, dict[str, Any]] = {
    "page": {"page_cache_pages": 0},
    "inode": {"inode_cache": False},
    "mapping": {"mapping_blocks": 0},
    "block": {"block_cache_pages": 0},
    "device": {"device_cache_pages": 0},
    "read-ahead": {"read_ahead_pages": 0},
}
"""What switches a part off."""
