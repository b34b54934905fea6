"""What the system in the loop is made of, as one value; every part refuses what makes no sense."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from pagecost.buffer.frames import whole_frames
from pagecost.buffer.policies import find as find_policy
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.errors import known, require
from pagecost.filesystem import FileSystem
from pagecost.oltp.drives import LAWS, Storage

MOST_USERS = 1000
LEAST_CACHED = 256  # pages of a page cache: a few windows of read-ahead
MOST_BATCH = 64


@dataclass(frozen=True, kw_only=True)
class Processors:
    """servers: processors of one queue. transaction_s: processor time of a transaction [s], one number for all types or
    one by name of the type; it is spread evenly over its references and its end. io_s: processor time of the host for
    each request that is put to a device's queue [s]. law: "exponential" or "constant" bursts with these means.
    Raises ModelError for values outside their ranges.
    """

    servers: int = 1
    transaction_s: float | tuple[tuple[str, float], ...] = 5e-3
    io_s: float = 0.0
    law: str = "exponential"

    def __post_init__(self):
        require(self.servers >= 1, f"processors: servers must be at least 1; got {self.servers}")
        if isinstance(self.transaction_s, Mapping):
            object.__setattr__(self, "transaction_s", tuple(self.transaction_s.items()))
        single = (("a transaction", self.transaction_s),)
        times = self.transaction_s if isinstance(self.transaction_s, tuple) else single
        for name, time_s in (*times, ("io_s", self.io_s)):
            require(time_s >= 0, f"processors: the time of {name} must not be negative; got {time_s}")
        known("distribution of processor times", self.law, LAWS)

    def of(self, kind: str) -> float:
        """Processor time [s] of a transaction of this type, "…, rolled back" as the type itself. ModelError if none."""
        if isinstance(self.transaction_s, tuple):
            times = dict(self.transaction_s)
            kind = kind if kind in times else kind.split(",")[0]
            return times[known("type of transaction with a processor time", kind, times)]
        return self.transaction_s


@dataclass(frozen=True, kw_only=True)
class Buffer:
    """frames: pages that the database buffer holds. policy: its replacement, as `buffer.replay` takes it. write_batch:
    changed pages that must leave are written by one writer, who takes so many at a time with one sync; 1: each user
    writes the page that makes room for his own. force: FORCE, the pages that a transaction has changed are written
    behind its log before it ends, together; else NOFORCE (Rahm 1992, §3.2). Raises ModelError for values outside their
    ranges.
    """

    frames: int = 2048
    policy: str = "lru"
    write_batch: int = 1
    force: bool = False

    def __post_init__(self):
        object.__setattr__(self, "frames", whole_frames(self.frames))
        find_policy(self.policy)
        require(
            1 <= self.write_batch <= MOST_BATCH, f"write_batch must be 1..{MOST_BATCH} pages; got {self.write_batch}"
        )


@dataclass(frozen=True, kw_only=True)
class PageCache:
    """The page cache of the operating system between buffer and file system.

    pages: of the database that it holds. synchronous: a page that is written is on the device before the database goes
    on; else it waits in the cache until the flusher, which wakes every flush_interval_s, finds that it has waited
    expire_s or that more than background_share of the cache waits. Where more than dirty_share waits, who writes must
    write back himself. read_ahead_pages: the largest window, 0: never. Defaults are those of Linux 2.6.24. Raises
    ModelError for values outside their ranges.
    """

    pages: int
    synchronous: bool = True
    background_share: float = 0.10
    dirty_share: float = 0.40
    flush_interval_s: float = 5.0
    expire_s: float = 30.0
    read_ahead_pages: int = 32

    def __post_init__(self):
        require(
            self.pages >= LEAST_CACHED,
            f"a page cache must hold at least {LEAST_CACHED} pages, or be None for direct I/O; got {self.pages}",
        )
        require(
            0 <= self.background_share <= self.dirty_share <= 0.9,
            "page cache: background_share and dirty_share must be shares up to 0.9, in this order; got "
            f"{self.background_share} and {self.dirty_share}",
        )
        require(self.flush_interval_s > 0, f"page cache: flush_interval_s must be above 0; got {self.flush_interval_s}")
        require(self.expire_s >= 0, f"page cache: expire_s must not be negative; got {self.expire_s}")
        require(
            0 <= self.read_ahead_pages <= LEAST_CACHED,
            f"page cache: read_ahead_pages must be 0..{LEAST_CACHED}; got {self.read_ahead_pages}",
        )


@dataclass(frozen=True, kw_only=True)
class Log:
    """The log of the database, written by one writer in order; blocks that are not yet full are written again.

    transaction_bytes, change_bytes: log of a transaction that changes anything, and of each page that it changes.
    group_size: transactions that share a write at most; group_wait_s: how long the first of a group waits for others;
    while a write is under way, others gather in any case. flush: a commit waits until its log is on the device; else
    the log is written whenever buffer_bytes are full. file_bytes: the log is a ring of this size. storage: devices of
    its own; None: it lies on those of the data, behind them. Raises ModelError for values outside their ranges.
    """

    transaction_bytes: int = 200
    change_bytes: int = 100
    group_size: int = 1
    group_wait_s: float = 0.0
    flush: bool = True
    buffer_bytes: int = 5 * 2**20
    file_bytes: int = 128 * 2**20
    storage: Storage | None = None

    def __post_init__(self):
        for name in ("transaction_bytes", "change_bytes", "group_wait_s"):
            require(getattr(self, name) >= 0, f"log: {name} must not be negative; got {getattr(self, name)}")
        require(
            self.transaction_bytes + self.change_bytes > 0,
            "log: a transaction that changes something needs a log record of at least one byte; got 0",
        )
        require(self.group_size >= 1, f"log: group_size must be at least 1; got {self.group_size}")
        require(
            0 < self.buffer_bytes <= self.file_bytes,
            f"log: buffer_bytes must be above 0 and at most file_bytes; got {self.buffer_bytes} and {self.file_bytes}",
        )


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The whole system. users: each has one transaction at a time. think_s: mean of the exponential time between an
    answer and the next transaction; 0: none; a load that says its own think times (`Load.think_s`) has those instead.
    rate_hz: transactions come by themselves, at random times (Poisson), so many a second; the users are then the
    connections that work on them, and what finds none free waits for one; 0: each user brings his own. page_cache:
    None: there is none (direct I/O). file_system: None: pages have their places on the devices, without metadata.
    volume_bytes: what the file system has; None: twice what the files need, if the devices hold that. cleaning: the
    cleaner of a log wakes by its interval; else only where no segment is left. log: None: there is none.
    checkpoint_interval_s: how often all changed pages of the buffer begin to be written; None: never. block_bytes: the
    unit of requests to the devices. Raises ModelError for values outside their ranges, and for more users than frames,
    for each keeps a page fixed.
    """

    storage: Storage
    users: int = 30
    think_s: float = 0.0
    rate_hz: float = 0.0
    processors: Processors = field(default_factory=Processors)
    buffer: Buffer = field(default_factory=Buffer)
    page_cache: PageCache | None = None
    file_system: FileSystem | None = None
    volume_bytes: float | None = None
    cleaning: bool = True
    log: Log | None = field(default_factory=Log)
    checkpoint_interval_s: float | None = None
    block_bytes: int = 4096

    def __post_init__(self):
        require(1 <= self.users <= MOST_USERS, f"users must be 1..{MOST_USERS}; got {self.users}")
        require(
            self.users <= self.buffer.frames,
            f"buffer: each user keeps a page fixed, so that {self.users} users need as many frames; got "
            f"{self.buffer.frames}: take fewer users or a larger buffer",
        )
        require(self.think_s >= 0, f"the think time must not be negative; got {self.think_s}")
        require(
            0 <= self.rate_hz < inf,
            f"a rate of arrivals must be above 0 a second, or 0 for users who bring their own; got {self.rate_hz}",
        )
        require(
            not (self.rate_hz and self.think_s),
            f"transactions that come by themselves know no think time; got {self.rate_hz:g} a second and "
            f"{self.think_s:g} s",
        )
        require(
            not self.buffer.force or self.page_cache is None or self.page_cache.synchronous,
            "FORCE: pages are on the device before a transaction ends, but the page cache lets writes wait; make it "
            "synchronous, or take NOFORCE",
        )
        interval_s = self.checkpoint_interval_s
        require(
            interval_s is None or interval_s > 0,
            f"the interval between checkpoints must be above 0 s, or None for no checkpoints; got {interval_s}",
        )
        require(
            self.block_bytes >= SECTOR_BYTES and self.block_bytes % SECTOR_BYTES == 0,
            f"a block must be a whole number of sectors of {SECTOR_BYTES} bytes; got {self.block_bytes}",
        )
        layout = self.file_system
        require(
            layout is None or layout.block_bytes == self.block_bytes,
            f"file system and requests must have one size of blocks; got {layout and layout.block_bytes} and "
            f"{self.block_bytes} bytes",
        )
        for storage in (self.storage, self.log and self.log.storage):
            cache_bytes = storage.write_cache_bytes if storage else 0
            require(
                cache_bytes == 0 or cache_bytes >= self.block_bytes,
                f"a write cache holds a block of {self.block_bytes} bytes or more, or is 0: none; got {cache_bytes}",
            )
        require(
            self.storage.count == 1 or self.storage.stripe_bytes % self.block_bytes == 0,
            f"a striping unit must be a whole number of blocks of {self.block_bytes} bytes; got "
            f"{self.storage.stripe_bytes}",
        )
