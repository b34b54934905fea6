"""The three layouts as values: what is decided of each, and the volume that follows from it."""

from dataclasses import dataclass
from math import ceil, inf, isfinite

import numpy as np

from pagecost.errors import known, require
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem import trees
from pagecost.filesystem.driving import lay_out
from pagecost.filesystem.driving_kernels import drive as drive_kernel
from pagecost.filesystem.state_kernels import FileSystemState
from pagecost.lists_kernels import new_lists

SELECTIONS = {"timestamp": kernels.TIMESTAMP, "greedy": kernels.GREEDY, "cost-benefit": kernels.COST_BENEFIT}
BLOCK_BYTES = 4096
SEGMENT_BYTES = 8 * 1024**2
NILFS2_SUMMARY_BYTES, NILFS2_ENTRY_BYTES = 64 + 32, 16  # nilfs_segment_summary and nilfs_finfo; nilfs_binfo_v
BYTES_PER_INODE = 16384  # mke2fs.conf
MOST_BLOCKS = 1 << 31  # codes and blocks are 32 bits wide


def _shape(volume_blocks: int, file_pages, page_bytes: int, block_bytes: int) -> tuple[tuple[int, ...], int]:
    """(pages of each file, blocks of a page), checked."""
    files = tuple(int(pages) for pages in np.atleast_1d(np.asarray(file_pages, np.int64)))
    require(block_bytes >= 512, f"a block must have at least 512 bytes; got {block_bytes}")
    require(
        page_bytes >= block_bytes and page_bytes % block_bytes == 0,
        f"a page must be a whole number of blocks of {block_bytes} bytes; got {page_bytes} bytes",
    )
    require(bool(files) and min(files) >= 1, f"a file has at least one page; got {list(files)}")
    require(1 <= volume_blocks < MOST_BLOCKS, f"a volume has 1..{MOST_BLOCKS - 1} blocks; got {volume_blocks}")
    page_blocks = page_bytes // block_bytes
    need = sum(files) * page_blocks
    require(
        need <= volume_blocks,
        f"files of {need} blocks do not fit on a volume of {volume_blocks}; make them smaller or the device larger",
    )
    return files, page_blocks


def _state(settings: dict[int, int], tree: trees.Tree, protection_s: float = 0.0) -> FileSystemState:
    """A volume on which nothing lies yet."""
    setting = np.zeros(kernels.SETTINGS, np.int64)
    for place, value in settings.items():
        setting[place] = value
    pages, nodes, segments = tree.leaf.size, len(tree.parent), int(setting[kernels.SEGMENTS])
    setting[kernels.PAGES], setting[kernels.NODES] = pages, nodes
    setting[kernels.NODE_LIMIT] = min(setting[kernels.NODE_LIMIT], nodes)
    in_place = setting[kernels.KIND] == kernels.IN_PLACE
    blocks = 0 if in_place else int(setting[kernels.BLOCKS])
    most_blocks = int(setting[kernels.SEGMENTS_PER_CLEAN]) * int(setting[kernels.SEGMENT_BLOCKS])
    at = np.zeros(kernels.PLACES, np.int64)
    at[kernels.CLEAN] = segments
    made = {
        "setting": setting,
        "at": at,
        "clock": np.array([0.0, protection_s]),
        "page": np.zeros((10, pages), np.int64),
        "node": np.zeros((5, nodes), np.int64),
        "links": new_lists(nodes, 1),
        "block": np.zeros((3, blocks), np.int64),
        "died_s": np.full(blocks if protection_s > 0 else 0, -inf),
        "segment": np.zeros((6, segments), np.int64),
        "closed_s": np.full(segments, -inf),
        "blocks": np.zeros((2, kernels.CAUSES), np.int64),
        "queue": np.zeros(pages + 2 * nodes + most_blocks + 64, np.int64),
    }
    fs = FileSystemState(**made)
    fs.page[kernels.ADDRESS] = fs.node[kernels.PLACE] = -1
    fs.page[kernels.LEAF], fs.node[kernels.PARENT] = tree.leaf, tree.parent
    fs.block[kernels.CONTENT] = kernels.NOTHING
    fs.at[kernels.HEAD : kernels.SCRATCH] = -1
    return fs


@dataclass(frozen=True, kw_only=True)
class InPlace:
    """A file system as ext2: every page has its place, block groups of 8 x block_bytes blocks, no journal.

    Each group begins with its superblock or descriptors, two bitmaps and a share of the inode table; a file lies in one
    piece behind its indirect blocks, each just before the first page that it leads to, and a page that is made again
    gets the place that it had (Card, Ts'o and Tweedie 1994). cached_metadata_blocks: nodes that stay in memory. trim:
    the device hears of what was deleted, once the metadata say so. streams: 2 tells the device metadata from data.
    times_synced: a sync writes the inode, whose times have changed (fsync); else only where a page came or went
    (fdatasync, and files opened with O_SYNC under Linux before 2.6.33).
    """

    block_bytes: int = BLOCK_BYTES
    cached_metadata_blocks: int = 4096
    trim: bool = False
    streams: int = 1
    times_synced: bool = True

    def __post_init__(self):
        _check_common(self)

    def state(self, volume_blocks: int, file_pages, page_bytes: int, laid_out: bool = True) -> FileSystemState:
        """The volume. file_pages: pages of a file, or of each. laid_out: they have been written once, in order.

        Raises ModelError for files that do not fit, and for a page that is no whole number of blocks.
        """
        files, page_blocks = _shape(volume_blocks, file_pages, page_bytes, self.block_bytes)
        group = 8 * self.block_bytes
        tree, before = trees.in_place(files, page_blocks, self.block_bytes)
        inodes = trees.inode_blocks(len(files), self.block_bytes)
        table = max(inodes, ceil(min(group, volume_blocks) * trees.INODE_BYTES / BYTES_PER_INODE))
        head = 3 + table  # superblock or descriptors, bitmap of blocks, bitmap of inodes, inodes
        home, places = _placed(tree.leaf.size, page_blocks, before, head, group, volume_blocks)
        bitmap_first = len(tree.parent)
        for _ in range(-(-volume_blocks // group)):
            tree.new()
        node_address = np.zeros(len(tree.parent), np.int64)
        node_address[:inodes] = 3 + np.arange(inodes)
        for node, place in places.items():
            node_address[node] = place
        node_address[bitmap_first:] = 1 + group * np.arange(len(tree.parent) - bitmap_first)
        settings = {
            kernels.KIND: kernels.IN_PLACE,
            kernels.BLOCKS: volume_blocks,
            kernels.PAGE_BLOCKS: page_blocks,
            kernels.STREAMS: self.streams,
            kernels.TRIMS: self.trim,
            kernels.NODE_LIMIT: self.cached_metadata_blocks,
            kernels.BLOCK_BYTES: self.block_bytes,
            kernels.BITMAP_FIRST: bitmap_first,
            kernels.GROUP_BLOCKS: group,
            kernels.TIMES_SYNCED: self.times_synced,
        }
        fs = _state(settings, tree)
        fs.page[kernels.HOME], fs.node[kernels.PLACE] = home, node_address
        if laid_out:
            self.lay_out(fs)
        return fs

    def lay_out(self, fs: FileSystemState, kernel=drive_kernel) -> None:
        """Every page has been written once. kernel: as of `driving.drive`; nothing has to be driven."""
        fs.page[kernels.ADDRESS] = fs.page[kernels.HOME]
        fs.page[kernels.EXISTS] = 1


def _placed(pages: int, page_blocks: int, before: dict[int, list[int]], head: int, group: int, volume_blocks: int):
    """(block of each page, block of each node that lies among them): in order, group by group, no page in two."""
    extra = np.zeros(pages, np.int64)
    for page, nodes in before.items():
        extra[page] = len(nodes)
    end = np.cumsum(extra + page_blocks)
    start = end - extra - page_blocks
    home, done, number = np.zeros(pages, np.int64), 0, 0
    while done < pages:
        first = number * group + head
        room = min(group - head, volume_blocks - first)
        require(
            room > 0,
            f"files of {int(end[-1])} blocks with their indirect blocks do not fit on a volume of {volume_blocks}; "
            "make them smaller or the device larger",
        )
        to = int(np.searchsorted(end, start[done] + room, side="right"))
        home[done:to] = first + start[done:to] - start[done] + extra[done:to]
        done, number = to, number + 1
    places = {
        node: int(home[page]) - len(nodes) + at for page, nodes in before.items() for at, node in enumerate(nodes)
    }
    return home, places


def _check_common(layout) -> None:
    require(layout.streams >= 1, f"a file system has at least one stream of writes; got {layout.streams}")
    cached = getattr(layout, "cached_metadata_blocks", 1)
    require(cached >= 1, f"cached_metadata_blocks must be at least 1; got {cached}")


@dataclass(frozen=True, kw_only=True)
class _Log:
    """What every log has. The rest says `LogStructured`."""

    segment_bytes: int = SEGMENT_BYTES
    segments_per_clean: int = 2
    min_clean: float = 0.10
    max_clean: float = 0.20
    selection: str = "timestamp"
    by_age: bool = False
    read_whole_segments: bool = False
    syncs_per_checkpoint: int = 1
    block_bytes: int = BLOCK_BYTES
    trim: bool = False
    streams: int = 1

    def __post_init__(self):
        _check_common(self)
        known("selection of segments", self.selection, SELECTIONS)
        require(
            self.segment_bytes >= 4 * self.block_bytes and self.segment_bytes % self.block_bytes == 0,
            f"a segment must be four blocks of {self.block_bytes} bytes or more, and whole ones; got "
            f"{self.segment_bytes} bytes",
        )
        for name in ("segments_per_clean", "syncs_per_checkpoint"):
            require(getattr(self, name) >= 1, f"{name} must be at least 1; got {getattr(self, name)}")
        require(
            0 <= self.min_clean <= self.max_clean <= 1,
            f"min_clean and max_clean must be shares of the segments, in this order; got {self.min_clean} and "
            f"{self.max_clean}",
        )
        require(self.streams <= 3, f"a log tells new, cleaned and metadata apart, 3 streams; got {self.streams}")

    def _state(
        self,
        settings: dict[int, int],
        tree: trees.Tree,
        volume_blocks: int,
        page_blocks: int,
        laid_out: bool,
        protection_s: float = 0.0,
    ) -> FileSystemState:
        segment_blocks = self.segment_bytes // self.block_bytes
        segments = volume_blocks // segment_blocks
        summary = -(
            -(settings.get(kernels.SUMMARY_BYTES, 0) + segment_blocks * settings.get(kernels.ENTRY_BYTES, 0))
            // self.block_bytes
        )
        payload = segment_blocks - summary
        require(
            payload >= page_blocks,
            f"a page of {page_blocks} blocks does not fit into a segment of {segment_blocks}; make segments larger",
        )
        whole = max(1, payload // page_blocks) * page_blocks
        metadata = -(-(2 * len(tree.parent) + settings.get(kernels.CHECKPOINT_BLOCKS, 0)) // payload)
        reserve = self.segments_per_clean + 2 * metadata + self.streams + 2
        need = -(-tree.leaf.size * page_blocks // whole) + metadata + reserve + self.streams
        require(
            need <= segments,
            f"{tree.leaf.size} pages of {page_blocks} blocks need {need} segments with their metadata and what the "
            f"cleaner keeps, and the volume has {segments}; make the files smaller or the device larger",
        )
        common = {
            kernels.BLOCKS: volume_blocks,
            kernels.PAGE_BLOCKS: page_blocks,
            kernels.STREAMS: self.streams,
            kernels.TRIMS: self.trim,
            kernels.BLOCK_BYTES: self.block_bytes,
            kernels.SEGMENT_BLOCKS: segment_blocks,
            kernels.SEGMENTS: segments,
            kernels.SELECTION: SELECTIONS[self.selection],
            kernels.SEGMENTS_PER_CLEAN: self.segments_per_clean,
            kernels.MIN_CLEAN: ceil(self.min_clean * segments),
            kernels.MAX_CLEAN: ceil(self.max_clean * segments),
            kernels.RESERVE: reserve,
            kernels.SYNCS_PER_CHECKPOINT: self.syncs_per_checkpoint,
            kernels.BY_AGE: self.by_age,
            kernels.WHOLE: self.read_whole_segments,
        }
        fs = _state({**common, **settings}, tree, protection_s=protection_s)
        if laid_out:
            self.lay_out(fs)
        return fs

    def lay_out(self, fs: FileSystemState, kernel=drive_kernel) -> None:
        """Every page has been written once, in order. kernel: as of `driving.drive`."""
        lay_out(fs, kernel)


@dataclass(frozen=True, kw_only=True)
class LogStructured(_Log):
    """A log-structured file system as nilfs2 (Konishi et al. 2006; Rosenblum and Ousterhout 1992).

    All changed blocks are appended to the current segment of `segment_bytes` (8 MiB); a sync writes one partial
    segment: a summary (96 bytes and 16 for each block), the data, and with a checkpoint the B-tree nodes that changed,
    blocks of the address translation (DAT) and of the inode file, and `checkpoint_blocks`: checkpoint, segment usage
    and super root. syncs_per_checkpoint: the syncs between write data alone (what nilfs2 does where only data changed)
    and are rolled forward.

    The cleaner wakes every cleaning_interval_s and takes segments_per_clean segments by `selection`: "timestamp",
    oldest first (nilfs2), "greedy", fewest live blocks, or "cost-benefit", largest (1-u) age/(1+u), age since the
    youngest block was written. From fewer than min_clean of the segments clean it works until max_clean are; min_clean
    0: always. What is younger than protection_period_s is not cleaned (nilfs_cleanerd.conf(5): 5 s, 2 segments, 10 and
    20 %, 3600 s). by_age: live pages are written in the order of their age, behind
    the old versions that are protected. read_whole_segments: a victim is read in
    one piece, as Rosenblum and Ousterhout count it; else its live blocks. trim: the device hears of each segment that
    became clean. streams: 1; 2, cleaned pages and metadata apart from new ones; 3, all three apart.
    """

    cleaning_interval_s: float = 5.0
    protection_period_s: float = 3600.0
    cached_metadata_blocks: int = 4096
    checkpoint_blocks: int = 3

    def __post_init__(self):
        super().__post_init__()
        require(
            self.cleaning_interval_s > 0 and isfinite(self.cleaning_interval_s),
            f"a cleaner that wakes every {self.cleaning_interval_s} s never sleeps; make the interval longer",
        )
        require(
            self.protection_period_s >= 0, f"protection_period_s must not be negative; got {self.protection_period_s}"
        )
        require(self.checkpoint_blocks >= 1, f"a checkpoint has at least one block; got {self.checkpoint_blocks}")

    def state(self, volume_blocks: int, file_pages, page_bytes: int, laid_out: bool = True) -> FileSystemState:
        """As `InPlace.state`, and the same errors; also for files that leave the cleaner no room."""
        files, page_blocks = _shape(volume_blocks, file_pages, page_bytes, self.block_bytes)
        tree, translated, first, entries = trees.log_structured(files, page_blocks, self.block_bytes)
        settings = {
            kernels.KIND: kernels.LOG_STRUCTURED,
            kernels.NODE_LIMIT: self.cached_metadata_blocks,
            kernels.SUMMARY_BYTES: NILFS2_SUMMARY_BYTES,
            kernels.ENTRY_BYTES: NILFS2_ENTRY_BYTES,
            kernels.CHECKPOINT_BLOCKS: self.checkpoint_blocks,
            kernels.TREE_NODES: translated,
            kernels.DAT_FIRST: first,
            kernels.DAT_ENTRIES: entries,
        }
        return self._state(settings, tree, volume_blocks, page_blocks, laid_out, self.protection_period_s)


@dataclass(frozen=True, kw_only=True)
class OutOfPlace(_Log):
    """The database writes its pages to a log of its own; no file system lies between it and the device.

    Every page carries its number, so that a segment needs no summary; the map of pages (8 bytes each) is in memory, and
    every syncs_per_checkpoint syncs the blocks of it that changed are written. The collector takes the segments with
    fewest live pages, in the same way and with the same settings as `LogStructured`.
    """

    selection: str = "greedy"
    segments_per_clean: int = 1
    syncs_per_checkpoint: int = 1000

    def state(self, volume_blocks: int, file_pages, page_bytes: int, laid_out: bool = True) -> FileSystemState:
        """As `LogStructured.state`, and the same errors."""
        files, page_blocks = _shape(volume_blocks, file_pages, page_bytes, self.block_bytes)
        tree = trees.page_map(sum(files), self.block_bytes)
        settings = {kernels.KIND: kernels.OUT_OF_PLACE, kernels.NODE_LIMIT: len(tree.parent)}
        return self._state(settings, tree, volume_blocks, page_blocks, laid_out)


FileSystem = InPlace | LogStructured | OutOfPlace
